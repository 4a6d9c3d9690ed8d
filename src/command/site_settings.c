/* SPDX-License-Identifier: MIT */
#include "command/site_settings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "command/globals.h"

#define SITE_CONFIG "/etc/stint/stint.conf"

struct str settings_text(const struct arguments *arguments, const char *name)
{
    struct str text = {0};
    for (size_t i = 0; i < global_param_count; i++) {
        if (strcmp(global_params[i].name, name) == 0) {
            text = str_of(global_params[i].fallback);
        }
    }
    for (size_t i = 0; i < arguments->global_count; i++) {
        if (strcmp(arguments->globals[i].name, name) == 0) {
            text = arguments->globals[i].text;
        }
    }
    return text;
}

char *settings_store(const struct arguments *arguments)
{
    const char *given = settings_text(arguments, "store").ptr;
    given = given ? given : getenv("STINT_STORE");
    if (given && *given) {
        return mem_text(given);
    }
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (geteuid() != 0 && data && *data) {
        return file_join(data, "stint");
    }
    if (geteuid() != 0 && home && *home) {
        return file_join(home, ".local/share/stint");
    }
    return mem_text("/var/lib/stint");
}

bool settings_to_terminal(const struct arguments *arguments)
{
    return !settings_text(arguments, "output").ptr && isatty(STDOUT_FILENO);
}

static size_t table_width(const struct arguments *arguments)
{
    struct str given = settings_text(arguments, "width");
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int64_t width = 0;
    if (given.ptr) {
        return (size_t)strtoul(given.ptr, NULL, 10);
    }
    if (columns && scan_int(str_of(columns), &width) && width > 0) {
        return (size_t)width;
    }
    if (settings_to_terminal(arguments) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        return size.ws_col;
    }
    return 0;
}

static bool colour_wanted(const struct arguments *arguments)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    return settings_to_terminal(arguments) && !(no_colour && *no_colour) && term &&
           strcmp(term, "dumb") != 0;
}

/* --config, else $STINT_CONFIG, else where one lies; NULL: nowhere. */
static char *find_config(const struct arguments *arguments, const char *store)
{
    const char *given = settings_text(arguments, "config").ptr;
    given = given ? given : getenv("STINT_CONFIG");
    if (given && *given) {
        return mem_text(given);
    }
    char *path = file_join(store, "stint.conf");
    if (access(path, F_OK) == 0) {
        return path;
    }
    free(path);
    return access(SITE_CONFIG, F_OK) == 0 ? mem_text(SITE_CONFIG) : NULL;
}

int settings_config(const struct arguments *arguments, const char *store, struct config *config,
                    struct error *err)
{
    char *path = find_config(arguments, store);
    *config = (struct config){0};
    int failed = path ? config_read(path, config, err) : 0;
    failed = failed ? failed : config_check_plain(config, err);
    free(path);
    return failed;
}

/* NULL: nobody says. */
static const char *zone_wanted(const struct arguments *arguments, const struct config *config)
{
    const char *given = settings_text(arguments, "zone").ptr;
    const struct config_section *site = config_find(config, STR("site"), (struct str){0});
    return given || !site ? given : config_text(site, &config_site_keys[CONFIG_SITE_ZONE]).ptr;
}

/* The null string: nobody says. */
static struct str year_wanted(const struct arguments *arguments, const struct config *config)
{
    const struct str given = settings_text(arguments, "year-starts");
    const struct config_section *site = config_find(config, STR("site"), (struct str){0});
    return given.ptr || !site ? given
                              : config_text(site, &config_site_keys[CONFIG_SITE_YEAR_STARTS]);
}

/*
 * A zone that was named and does not exist is wrong usage; the system's own is the system's
 * fault.
 */
int settings_open_zone(const char *name, struct zone **out, struct error *err)
{
    int failed = zone_open(name, out, err);
    if (failed && name) {
        err->kind = ERROR_USAGE;
        error_prepend(err, "--zone: ");
    }
    return failed;
}

int settings_zone(const struct arguments *arguments, const struct config *config,
                  struct zone **out, struct error *err)
{
    return settings_open_zone(zone_wanted(arguments, config), out, err);
}

int settings_year(const struct arguments *arguments, const struct config *config,
                  struct zone *zone, struct error *err)
{
    const struct str text = year_wanted(arguments, config);
    int64_t month = 0;
    if (!text.ptr) {
        return 0;
    }
    if (!scan_int(text, &month) || month < 1 || month > 12) {
        return error_set(err, ERROR_USAGE, "--year-starts needs a month, 1 to 12, not '%.*s'",
                         STR_ARG(text));
    }
    zone_start_year(zone, (int)month);
    return 0;
}

/* Something was rejected and the format has no place to say what: stderr has. */
struct render_options settings_render(const struct arguments *arguments)
{
    return (struct render_options){
        .format = settings_text(arguments, "format"),
        .output = settings_text(arguments, "output").ptr,
        .width = table_width(arguments),
        .header = !settings_text(arguments, "no-header").ptr,
        .ascii = settings_text(arguments, "ascii").ptr != NULL,
        .colour = colour_wanted(arguments),
        .quiet = settings_text(arguments, "quiet").ptr != NULL,
        .plot = settings_text(arguments, "plot").ptr != NULL,
        .defused = settings_text(arguments, "no-formulas").ptr != NULL,
        .raw = settings_text(arguments, "raw").ptr != NULL,
        .with_meta = settings_text(arguments, "with-meta").ptr != NULL,
        .chart = settings_text(arguments, "chart"),
        .title = settings_text(arguments, "title").ptr,
    };
}

char *settings_token(void)
{
    const char *given = getenv("STINT_TOKEN"), *home = getenv("XDG_CONFIG_HOME");
    struct error ignored;
    struct buf text;
    if (given && *given) {
        return mem_text(given);
    }
    const bool own = home && *home;
    home = own ? home : getenv("HOME");
    char *path = file_join(home ? home : "", own ? "stint/token" : ".config/stint/token");
    buf_init(&text, LIMIT_ARGUMENT);
    const bool there = home && file_read(path, &text, &ignored) == 0;
    struct str rest = buf_str(&text);
    const struct str line = str_trim(str_cut(&rest, '\n'));
    char *token = NULL;
    if (there && line.len > 0) {
        token = mem_alloc(line.len + 1, 1);
        memcpy(token, line.ptr, line.len);
    }
    free(path);
    buf_release(&text);
    return token;
}

const char *settings_authority(void)
{
    const char *given = getenv("STINT_CA");
    return given && *given ? given : NULL;
}

const char *settings_server(const struct arguments *arguments, bool usual)
{
    const char *given = settings_text(arguments, "server").ptr;
    const char *name = usual ? getenv("STINT_SERVER") : NULL;
    return given ? given : name && *name ? name : NULL;
}
