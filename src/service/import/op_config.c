/* SPDX-License-Identifier: MIT */

/*
 * stint config: what stint.conf says, whether that can be, and how one looks.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limit.h"
#include "live/live.h"
#include "service/core/operations.h"

/* --- secrets ------------------------------------------------------------------------------ */

static bool others_can_read(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && (st.st_mode & S_IROTH) != 0;
}

static void check_secret(const struct config *config, const struct config_entry *entry,
                         struct answer *answer)
{
    const char *path = entry->file ? entry->file : config->path;
    if (!entry->value.ptr) {
        answer_note(answer, NOTE_WARNING, "'%s', line %u: cannot read the secret in '%s'",
                    config->path, entry->line, path);
    } else if (others_can_read(path)) {
        answer_note(answer, NOTE_WARNING,
                    "'%s', line %u: every user of this machine can read the secret '%.*s': "
                    "chmod o-r '%s'%s",
                    config->path, entry->line, STR_ARG(entry->key), path,
                    entry->file ? "" : ", or put it into a file of its own (KEY_file = PATH)");
    }
}

/*
 * Warns of secrets that others can read; of those in files also where the server would not find
 * them.
 */
static void check_secrets(const struct config *config, struct answer *answer)
{
    for (const struct config_plain *plain = config_plain; plain->kind; plain++) {
        for (size_t i = 0; i < config->section_count; i++) {
            const struct config_section *section = &config->sections[i];
            for (size_t k = 0;
                 str_eq(section->kind, str_of(plain->kind)) && k < plain->key_count; k++) {
                const struct config_entry *entry =
                    config_entry_at(section, plain->keys[k].name);
                if (entry && plain->keys[k].secret) {
                    check_secret(config, entry, answer);
                }
            }
        }
    }
    const struct config_section *serve = config_find(config, STR("serve"), (struct str){0});
    const struct str proxy = config_text(serve, &config_serve_keys[CONFIG_SERVE_PROXY_SECRET]);
    if (proxy.ptr && others_can_read(proxy.ptr)) {
        answer_note(answer, NOTE_WARNING,
                    "every user of this machine can read the proxy's secret: chmod o-r '%s'",
                    proxy.ptr);
    }
}

/* --- check -------------------------------------------------------------------------------- */

enum { CLUSTER_C, SCHEDULER_C, VERDICT_C };

/*
 * Asks a scheduler; what it says goes into the verdict, so that one that is down does not hide
 * the others.
 */
static int try_cluster(const struct service *service, const struct config_section *section,
                       const struct live_driver *driver, struct answer *answer, size_t row,
                       struct error *err)
{
    const struct str name = config_text(section, live_key("zone"));
    struct zone *zone = NULL;
    size_t answers = 0;
    int failed = name.ptr ? zone_open(name.ptr, &zone, err) : 0;
    if (failed) {
        return failed;
    }
    struct pull pull = {
        .cluster = section->name.ptr,
        .section = section,
        .zone = zone ? zone : service->zone,
        .now = service->now,
        .stop = service->stop,
        .watcher = service->watcher,
        .say = service->say,
    };
    struct error why = {0};
    const int broken = live_try(&pull, driver, &answers, &why);
    struct arena *arena = &answer->table.arena;
    table_set_text(&answer->table, VERDICT_C, row,
                   str_of(broken ? arena_printf(arena, "does not answer: %s", why.text)
                                 : arena_printf(arena, "ok: it answered %zu quer%s", answers,
                                                answers == 1 ? "y" : "ies")));
    answer->status = broken ? 1 : answer->status;
    zone_close(zone);
    return 0;
}

static int check_all(struct service *service, bool try, struct answer *answer,
                     struct error *err)
{
    static const struct heading headings[] = {
        [CLUSTER_C] = {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [SCHEDULER_C] = {"scheduler", "Scheduler", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [VERDICT_C] = {"verdict", "Verdict", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    };

    const struct config *config = service->config;
    struct table *table = &answer->table;
    table_columns(table, headings, COUNT_OF(headings));
    int failed = config_check_plain(config, err);
    for (size_t i = 0; i < config->section_count && !failed; i++) {
        const struct config_section *section = &config->sections[i];
        const struct live_driver *driver;
        if (!str_eq(section->kind, STR("cluster"))) {
            continue;
        }
        failed = live_check_section(config, section, &driver, err);
        if (!failed) {
            const size_t row = table_row(table);
            table_set_text(table, CLUSTER_C, row, section->name);
            table_set_text(table, SCHEDULER_C, row, str_of(driver->name));
            table_set_text(table, VERDICT_C, row, STR("ok"));
            failed = try ? try_cluster(service, section, driver, answer, row, err) : 0;
        }
    }
    if (!failed) {
        check_secrets(config, answer);
        answer_note(answer, NOTE_RESULT, "'%s' is valid%s", config->path,
                    table->row_count ? "" : "; it lists no clusters");
    }
    return failed;
}

/* --- show --------------------------------------------------------------------------------- */

enum { SECTION_C, KEY_C, VALUE_C, FROM_C };

static void show_key(struct table *table, const struct config_section *section,
                     const char *title, const struct config_key *key)
{
    const struct config_entry *entry = NULL;
    for (size_t i = 0; section && i < section->entry_count; i++) {
        if (str_eq(section->entries[i].key, str_of(key->name))) {
            entry = &section->entries[i];
        }
    }
    const size_t row = table_row(table);
    const struct str value = config_text(section, key);
    table_set_text(table, SECTION_C, row, str_of(title));
    table_set_text(table, KEY_C, row, str_of(key->name));
    if (value.ptr) {
        table_set_text(table, VALUE_C, row, key->secret ? STR("(set)") : value);
    }
    char from[32];
    snprintf(from, sizeof(from), "line %u", entry ? entry->line : 0);
    table_set_text(table, FROM_C, row, str_of(entry ? from : "default"));
}

static void show_keys(struct table *table, const struct config_section *section,
                      const char *kind, const struct config_key *keys, size_t count)
{
    char title[LIMIT_BOOKS_NAME + 32];
    snprintf(title, sizeof(title), "%s%s%s", section ? section->kind.ptr : kind,
             section && section->name.len ? " " : "", section ? section->name.ptr : "");
    for (size_t i = 0; i < count; i++) {
        show_key(table, section, title, &keys[i]);
    }
}

/* One that is not there is shown with its defaults, unless it would have a name. */
static void show_plain(struct table *table, const struct config *config,
                       const struct config_plain *plain)
{
    bool any = plain->name != NULL;
    for (size_t i = 0; i < config->section_count; i++) {
        const struct config_section *section = &config->sections[i];
        if (str_eq(section->kind, str_of(plain->kind))) {
            show_keys(table, section, plain->kind, plain->keys, plain->key_count);
            any = true;
        }
    }
    if (!any) {
        show_keys(table, NULL, plain->kind, plain->keys, plain->key_count);
    }
}

static int show_all(struct service *service, struct answer *answer, struct error *err)
{
    static const struct heading headings[] = {
        [SECTION_C] = {"section", "Section", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [KEY_C] = {"key", "Key", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [VALUE_C] = {"value", "Value", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [FROM_C] = {"from", "From", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    };

    const struct config *config = service->config;
    struct table *table = &answer->table;
    table_columns(table, headings, COUNT_OF(headings));
    int failed = config_check_plain(config, err);
    for (const struct config_plain *plain = config_plain; plain->kind && !failed; plain++) {
        show_plain(table, config, plain);
    }
    for (size_t i = 0; i < config->section_count && !failed; i++) {
        const struct config_section *section = &config->sections[i];
        const struct live_driver *driver;
        if (!str_eq(section->kind, STR("cluster"))) {
            continue;
        }
        failed = live_check_section(config, section, &driver, err);
        if (!failed) {
            size_t count;
            struct config_key *keys = live_all_keys(driver, &count);
            show_keys(table, section, "cluster", keys, count);
            free(keys);
        }
    }
    answer_note(answer, NOTE_RESULT, "from '%s'", config->path);
    return failed;
}

/* --- example ------------------------------------------------------------------------------ */

/* "# help\n#key = fallback": what has a default, or may be left out, is a comment. */
static void add_key(struct buf *out, const struct config_key *key, const char *value)
{
    char text[CONFIG_TYPE_MAX];
    buf_addf(out, "\n# %s", key->help);
    if (!value || key->type == CONFIG_CHOICE) {
        buf_addf(out, " (%s)", config_type_name(key, text));
    }
    buf_addf(out, "\n%s%s = %s\n", value && key->required ? "" : "#", key->name,
             value           ? value
             : key->fallback ? key->fallback
                             : "...");
}

/* Whether the section is wrong without a value of the site. */
static bool has_required(const struct config_plain *plain)
{
    bool any = false;
    for (size_t i = 0; i < plain->key_count; i++) {
        any |= plain->keys[i].required;
    }
    return any;
}

static void add_example(struct buf *out)
{
    buf_addz(
        out,
        "# stint.conf: the settings of a site. It is read from the store's folder, else from\n"
        "# /etc/stint; --config FILE or STINT_CONFIG set another path.\n"
        "# A line is a comment, a section or 'key = value'. Lines that begin with #key show "
        "the default.\n");
    for (const struct config_plain *plain = config_plain; plain->kind; plain++) {
        /* one that is about something of the site is for the site to begin */
        if (plain->name) {
            buf_addf(out, "\n#[%s %s]\n", plain->kind, plain->example);
        } else if (has_required(plain)) {
            buf_addf(out, "\n#[%s]\n", plain->kind);
        } else {
            buf_addf(out, "\n[%s]\n", plain->kind);
        }
        for (size_t i = 0; i < plain->key_count; i++) {
            add_key(out, &plain->keys[i], NULL);
        }
    }
    for (size_t d = 0; live_drivers[d]; d++) {
        const struct live_driver *driver = live_drivers[d];
        buf_addf(out, "\n# %s\n[cluster my-%s]\n", driver->summary, driver->name);
        size_t count;
        struct config_key *keys = live_all_keys(driver, &count);
        for (size_t i = 0; i < count; i++) {
            add_key(out, &keys[i],
                    strcmp(keys[i].name, "scheduler") == 0 ? driver->name : NULL);
        }
        free(keys);
    }
}

static int show_example(struct answer *answer)
{
    buf_init(&answer->document, LIMIT_OUTPUT);
    add_example(&answer->document);
    return 0;
}

static int run_config(struct service *service, const struct request *request,
                      struct answer *answer, struct error *err)
{
    const struct str action = request_text(request, "action");
    if (str_eq(action, STR("example"))) {
        return show_example(answer);
    }
    if (!service->config || !service->config->path) {
        return service_no_config(service, err);
    }
    return str_eq(action, STR("check"))
               ? check_all(service, request_flag(request, "try"), answer, err)
               : show_all(service, answer, err);
}

static const struct operation_action actions[] = {
    {"check", "check stint.conf for errors", RIGHT_CHORES, ACTION_LOCAL, NULL},
    {"show", "show the settings in effect, including defaults", RIGHT_CHORES, ACTION_LOCAL,
     NULL},
    {"example", "print an example with all sections and keys, as comments", RIGHT_PUBLIC, 0,
     NULL},
};

static const struct param params[] = {
    {
        .name = "action",
        .type = PARAM_CHOICE,
        .value = "ACTION",
        .choices = "check show example",
        .help = "what to do",
        .positional = true,
        .required = true,
    },
    {.name = "try",
     .type = PARAM_FLAG,
     .help = "with check: also query each scheduler and report whether it answers; nothing is "
             "stored"},
};

const struct operation operation_config = {
    .name = "config",
    .summary = "check, show or create stint.conf",
    .description = "stint.conf lists the clusters and how to reach their schedulers. It is "
                   "read from the path in --config or STINT_CONFIG, else from the store's "
                   "folder, else from /etc/stint.\n"
                   "The example has every key with its values and default, and a section for "
                   "each supported scheduler.",
    .examples = "stint config example > stint.conf # a file to begin with\n"
                "stint config check # is it right?\n"
                "stint config check --try # and can the schedulers be reached?\n"
                "stint config show # with all defaults; secrets are not shown",
    .rights = RIGHT_CHORES,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_config,
};
