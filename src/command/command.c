/* SPDX-License-Identifier: MIT */
#include "command/command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/scan.h"
#include "base/visible.h"
#include "command/arguments.h"
#include "command/browser.h"
#include "command/globals.h"
#include "command/help.h"
#include "command/offer.h"
#include "command/progress.h"
#include "command/render.h"
#include "serve/address.h"
#include "serve/answering.h"
#include "serve/client.h"
#include "serve/remote.h"
#include "serve/server.h"
#include "service/service.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

#define SITE_CONFIG "/etc/stint/stint.conf"

/* Of the one request a command makes; signals reach it. */
static struct stop stop_of_command;

static void on_stop(int signal)
{
    (void)signal;
    stop_ask(&stop_of_command);
}

/* The first signal asks a long operation to end in good order; the second ends the program. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * SECOND_US + now.tv_nsec / 1000;
}

/* A sentence holds what records, names of files and arguments hold: none of that may act on the terminal. */
static void say(const char *sentence)
{
    struct buf out;
    buf_init(&out, LIMIT_OUTPUT);
    visible_add(&out, str_of(sentence), false);
    fprintf(stderr, "stint: %s\n", buf_str(&out).len > 0 ? out.ptr : "");
    buf_release(&out);
}

static int complain(const struct error *err)
{
    say(err->text);
    return err->kind == ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

static struct str global_text(const struct arguments *arguments, const char *name)
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

/* --store, else $STINT_STORE, else the user's data folder, else (for root) /var/lib/stint. */
static char *find_store(const struct arguments *arguments)
{
    const char *given = global_text(arguments, "store").ptr;
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

/* Whether the answer goes to a terminal, not to a pipe or into a file. */
static bool to_terminal(const struct arguments *arguments)
{
    return !global_text(arguments, "output").ptr && isatty(STDOUT_FILENO);
}

static size_t table_width(const struct arguments *arguments)
{
    struct str given = global_text(arguments, "width");
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int64_t width = 0;
    if (given.ptr) {
        return (size_t)strtoul(given.ptr, NULL, 10);
    }
    if (columns && scan_int(str_of(columns), &width) && width > 0) {
        return (size_t)width;
    }
    if (to_terminal(arguments) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        return size.ws_col;
    }
    return 0;
}

static bool colour_wanted(const struct arguments *arguments)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    return to_terminal(arguments) && !(no_colour && *no_colour) && term &&
           strcmp(term, "dumb") != 0;
}

static void on_progress(void *watcher, const char *what, uint64_t done, uint64_t total,
                        int64_t records)
{
    progress_show(watcher, what, done, total, records);
}

static void on_say(void *watcher, const char *line)
{
    progress_clear(watcher);
    say(line);
}

/* --config, else $STINT_CONFIG, else where one lies; NULL: nowhere. */
static char *find_config(const struct arguments *arguments, const char *store)
{
    const char *given = global_text(arguments, "config").ptr;
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

/* Reads it, and holds what every command goes by against its keys. */
static int read_config(const struct arguments *arguments, const char *store,
                       struct config *config, struct error *err)
{
    char *path = find_config(arguments, store);
    *config = (struct config){0};
    int failed = path ? config_read(path, config, err) : 0;
    failed = failed ? failed : config_check_plain(config, err);
    free(path);
    return failed;
}

/* The zone of the calendar: --zone, else the site's; NULL is the system's. */
static const char *zone_wanted(const struct arguments *arguments, const struct config *config)
{
    const char *given = global_text(arguments, "zone").ptr;
    const struct config_section *site = config_find(config, STR("site"), (struct str){0});
    return given || !site ? given : config_text(site, &config_site_keys[CONFIG_SITE_ZONE]).ptr;
}

/* The month that years begin with: --year-starts, else the site's; the null string: neither says. */
static struct str year_wanted(const struct arguments *arguments, const struct config *config)
{
    const struct str given = global_text(arguments, "year-starts");
    const struct config_section *site = config_find(config, STR("site"), (struct str){0});
    return given.ptr || !site ? given
                              : config_text(site, &config_site_keys[CONFIG_SITE_YEAR_STARTS]);
}

/* A zone that was named and does not exist is wrong usage; the system's own is the system's fault. */
static int open_zone(const char *name, struct zone **out, struct error *err)
{
    int failed = zone_open(name, out, err);
    if (failed && name) {
        err->kind = ERROR_USAGE;
        error_prepend(err, "--zone: ");
    }
    return failed;
}

/* --year-starts: the month, 1 to 12. */
static int start_year(struct zone *zone, struct str text, struct error *err)
{
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
static void say_notes(const struct answer *answer)
{
    for (size_t i = 0; i < answer->notes.count; i++) {
        if (answer->notes.rows[i].kind != NOTE_LAYOUT) {
            say(answer->notes.rows[i].text);
        }
    }
}

static struct render_options rendering(const struct arguments *arguments)
{
    return (struct render_options){
        .format = global_text(arguments, "format"),
        .output = global_text(arguments, "output").ptr,
        .width = table_width(arguments),
        .header = !global_text(arguments, "no-header").ptr,
        .ascii = global_text(arguments, "ascii").ptr != NULL,
        .colour = colour_wanted(arguments),
        .quiet = global_text(arguments, "quiet").ptr != NULL,
        .plot = global_text(arguments, "plot").ptr != NULL,
        .defused = global_text(arguments, "no-formulas").ptr != NULL,
        .with_meta = global_text(arguments, "with-meta").ptr != NULL,
        .chart = global_text(arguments, "chart"),
        .title = global_text(arguments, "title").ptr,
    };
}

/* Ends an answer whose rows were written while they came; false if there were none, and it is to be shown as a whole. */
static bool show_streamed(struct output *output, int failed, int *status)
{
    struct error wrong;
    if (!output->begun) {
        return false;
    }
    if (failed) {
        output_abandon(output);
    } else if (output_close(output, &wrong) != 0) {
        *status = complain(&wrong);
    }
    return true;
}

/* What there is of an answer, also of one that failed half way; the exit status. */
static int show(const struct answer *answer, const struct render_options *render,
                struct output *output, int failed, const struct error *err)
{
    struct error wrong;
    int status = answer->status;
    if (!show_streamed(output, failed, &status) && (!failed || answer->table.row_count > 0) &&
        render_answer(answer, render, &wrong) != 0) {
        status = complain(&wrong);
    }
    if (!failed && answer->status != 0 && !render->quiet && !render_shows_notes(render)) {
        say_notes(answer);
    }
    return failed ? complain(err) : status;
}

/* What a command works in and with. */
struct performance {
    struct progress progress;
    struct config config;
    struct zone *zone;
    char *store;
    struct render_options render;
    struct output output;
    struct table_sink sink;
    struct session session;
    struct arena arena; /* of the caller */
    struct caller caller;
    struct service service;
    struct answering *answering; /* while it has the store to write */
    struct remote remote; /* a server elsewhere that is asked instead; without address: none */
    char *token;
};

/* $STINT_TOKEN, else the first line of ~/.config/stint/token; NULL: none. Freed by the caller. */
static char *find_token(void)
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

/* --server, else $STINT_SERVER, which is for what can be asked elsewhere. */
static void find_server(struct performance *p, const struct arguments *arguments,
                        const struct request *request)
{
    const char *given = global_text(arguments, "server").ptr;
    const char *usual = request_is_local(request) ? NULL : getenv("STINT_SERVER");
    p->remote.address = given ? given : usual && *usual ? usual : NULL;
    p->token = p->remote.address ? find_token() : NULL;
    p->remote.token = p->token;
}

/* The calendar is that of the site that is asked. */
static int open_calendar(struct performance *p, const struct arguments *arguments,
                         struct error *err)
{
    char *zone = NULL;
    int failed = 0;
    if (!p->remote.address || global_text(arguments, "zone").ptr) {
        return open_zone(zone_wanted(arguments, &p->config), &p->zone, err);
    }
    failed = remote_zone(&p->remote, &stop_of_command, &zone, err);
    failed = failed ? failed : open_zone(zone, &p->zone, err);
    free(zone);
    return failed;
}

static int prepare(struct performance *p, const struct arguments *arguments, struct error *err)
{
    int failed = render_check(&p->render, err);
    failed = failed ? failed : read_config(arguments, p->store, &p->config, err);
    failed = failed ? failed : open_calendar(p, arguments, err);
    failed = failed ? failed : start_year(p->zone, year_wanted(arguments, &p->config), err);
    if (failed) {
        return failed;
    }
    p->render.zone = p->service.zone = p->zone;
    return render_is_for_people(p->render.format) ? 0
                                                  : render_output(&p->render, &p->output, err);
}

/* While this process has the store to write, it answers for it. */
static void on_opened(void *owner, struct store *store)
{
    struct performance *p = owner;
    p->answering = answering_start(store, &p->service, ANSWERING_QUESTIONS);
}

static void on_closing(void *owner, struct store *store)
{
    struct performance *p = owner;
    store_checkpoint(store); /* while others can still ask: closing takes no time then */
    answering_stop(p->answering);
    p->answering = NULL;
}

static void say_waiting(struct performance *p, const struct error *why)
{
    char line[ERROR_TEXT_MAX + 32];
    snprintf(line, sizeof(line), "%s; waiting for it", why->text);
    on_say(&p->progress, line);
}

static void on_waiting(void *watcher, const char *line)
{
    struct performance *p = watcher;
    on_say(&p->progress, line);
}

/* An answer as it was before anybody was asked. */
static void forget_answer(struct answer *answer)
{
    const struct answer before = {.sink = answer->sink, .bare = answer->bare};
    answer_release(answer);
    *answer = before;
}

/* Does it here; where the store is taken, asks whoever has it; and again, if that one has gone meanwhile. */
static int do_or_ask(struct performance *p, const struct request *request,
                     struct answer *answer, struct error *err)
{
    enum { PAUSE_US = 10000, PATIENCE_US = 2000000 };

    const int64_t began = stop_clock();
    bool said = false;
    for (;;) {
        enum client_outcome outcome;
        struct error taken = {0};
        int failed = service_call(&p->service, request, answer, &taken);
        if (failed != ERROR_CONFLICT || !p->session.taken) {
            *err = taken;
            return failed;
        }
        forget_answer(answer);
        failed = client_ask(&p->service, request, answer, &outcome, err);
        if (outcome == CLIENT_ANSWERED) {
            return failed;
        }
        forget_answer(answer);
        if (!said && stop_clock() - began >= PATIENCE_US) {
            say_waiting(p, &taken);
            said = true;
        }
        if (!stop_sleep(p->session.wait.stop, PAUSE_US)) {
            return stop_explain(p->session.wait.stop, err);
        }
    }
}

static bool is_done_elsewhere(void *watcher)
{
    const struct performance *p = watcher;
    return client_takes_changes(p->store);
}

/*
 * A question is answered by whoever has the store; what changes something waits for its turn, or is done by one who has
 * the store and does that.
 */
static int perform_somewhere(struct performance *p, const struct request *request,
                             struct answer *answer, struct error *err)
{
    if (p->remote.address) {
        return remote_ask(&p->remote, &p->service, request, answer, err);
    }
    if (!request_changes(request)) {
        p->session.wait.limit_us = 0;
    } else if (!request_is_local(request)) {
        p->session.wait.elsewhere = is_done_elsewhere;
    }
    return do_or_ask(p, request, answer, err);
}

/* Adds where browsers reach the server that is asked; false: there is none. */
static bool find_address(const char *store, const char *server, struct buf *out)
{
    if (!server) {
        return client_address(store, out);
    }
    const bool web = str_starts(str_of(server), STR("http://")) ||
                     str_starts(str_of(server), STR("https://"));
    buf_addz(out, web ? server : "");
    return web;
}

/* Whether an answer for people ends with the way to its page: on a terminal, where notes do. */
static bool shows_link(const struct performance *p, const struct arguments *arguments,
                       const struct answer *answer)
{
    return to_terminal(arguments) && str_eq(p->render.format, STR("table")) &&
           render_shows_notes(&p->render) && answer->table.column_count > 0;
}

static void print_link(const struct performance *p, const struct request *request)
{
    struct buf base, link;
    buf_init(&base, LIMIT_ARGUMENT);
    buf_init(&link, LIMIT_ARGUMENT);
    if (find_address(p->store, p->remote.address, &base) &&
        address_of_request(&link, base.ptr, request) && !link.overflow) {
        printf("%s\n", link.ptr);
    }
    buf_release(&base);
    buf_release(&link);
}

/* What is asked: the arguments, and what people see without asking for it. Returns how many values. */
static size_t read_values(const struct operation *operation, const struct arguments *arguments,
                          struct request_value *out)
{
    for (size_t i = 0; i < arguments->count; i++) {
        out[i] = arguments->values[i];
    }
    return render_is_for_people(global_text(arguments, "format"))
               ? request_for_people(operation, out, arguments->count)
               : arguments->count;
}

/* A copy that somebody kept is not replaced unless they say so: the new one may be of less. */
static int check_kept(const struct request *request, const char *path, struct error *err)
{
    const struct operation_action *action = request_action(request);
    const char *keeps = request->operation->keeps;
    struct stat st;
    if (!path || !keeps || !action || strcmp(action->name, keeps) != 0 ||
        request_flag(request, "replace") || stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size == 0) {
        return 0;
    }
    return error_set(
        err, ERROR_USAGE,
        "'%s' exists: set another file with --output, or replace it with --replace", path);
}

/* Runs the operation in the world the arguments describe. */
static int perform(const struct operation *operation, const struct arguments *arguments)
{
    struct performance p = {
        .progress = PROGRESS_INIT,
        .store = find_store(arguments),
        .render = rendering(arguments),
        .output = {.writer = {.fd = -1}, .backlog = BACKLOG_NONE},
    };
    struct answer answer = {0};
    struct error err;
    p.sink = (struct table_sink){&p.output, output_take};
    p.caller = caller_local(p.store, getuid(), &p.arena);
    p.session = (struct session){
        .folder = p.store,
        .wait = {.limit_us = -1,
                 .stop = operation->stoppable ? &stop_of_command : NULL,
                 .waiting = on_waiting,
                 .watcher = &p},
        .opened = on_opened,
        .closing = on_closing,
        .owner = &p,
    };
    p.service = (struct service){
        .store = p.store,
        .session = &p.session,
        .config = &p.config,
        .now = now_us,
        .caller = &p.caller,
        .stop = &stop_of_command,
        .watcher = &p.progress,
        .progress = isatty(STDERR_FILENO) && !p.render.quiet ? on_progress : NULL,
        .say = on_say,
        .serve = server_run,
    };
    struct offer offer;
    struct request_value *values = mem_alloc(arguments->count + 1, sizeof(*values));
    const size_t count = read_values(operation, arguments, values);
    offer_init(&offer, values, count, &p.service);
    const struct request request = {operation, values, count, &offer.inputs};
    if (operation->stoppable) {
        catch_signals();
    }
    find_server(&p, arguments, &request);
    int failed;
    (void)((failed = prepare(&p, arguments, &err)) ||
           (failed = check_kept(&request, p.render.output, &err)));
    if (!failed) {
        answer.bare = !render_is_for_people(p.render.format); /* nobody would see them */
        answer.sink = answer.bare && !p.render.with_meta ? &p.sink : NULL;
        failed = perform_somewhere(&p, &request, &answer, &err);
        progress_clear(&p.progress);
    }
    int status = show(&answer, &p.render, &p.output, failed, &err);
    const struct request typed = {operation, arguments->values, arguments->count, NULL};
    if (!failed && shows_link(&p, arguments, &answer)) {
        print_link(&p, &typed);
    }
    output_abandon(&p.output);
    answer_release(&answer);
    offer_release(&offer);
    free(values);
    zone_close(p.zone);
    config_release(&p.config);
    arena_release(&p.arena);
    free(p.token);
    free(p.store);
    return status;
}

static int print(struct buf *text)
{
    struct error err;
    bool good = fwrite(text->ptr, 1, text->len, stdout) == text->len && fflush(stdout) == 0;
    buf_release(text);
    if (!good) {
        error_errno(&err, "cannot write");
        return complain(&err);
    }
    return EXIT_DONE;
}

/* Commands that are no operations: they are about the others. */
static const char *const own_commands[] = {"help", "open", "completion", "version"};

static bool is_own_command(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(own_commands); i++) {
        if (strcmp(name, own_commands[i]) == 0) {
            return true;
        }
    }
    return false;
}

static int unknown_command(const char *name)
{
    struct nearest nearest = nearest_to(str_of(name));
    for (size_t i = 0; operations[i]; i++) {
        nearest_try(&nearest, str_of(operations[i]->name));
    }
    for (size_t i = 0; i < COUNT_OF(own_commands); i++) {
        nearest_try(&nearest, str_of(own_commands[i]));
    }
    struct error err;
    if (name[0] == '-') {
        error_set(&err, ERROR_USAGE,
                  "the command comes first, then its options: stint COMMAND %s ...; see: "
                  "stint help",
                  name);
    } else if (nearest.name.ptr) {
        error_set(&err, ERROR_USAGE, "there is no command '%s'; did you mean 'stint %.*s'?",
                  name, STR_ARG(nearest.name));
    } else {
        error_set(&err, ERROR_USAGE, "there is no command '%s'; see: stint help", name);
    }
    return complain(&err);
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* stint help --names: for the installation, which makes a manual page for each. */
static int print_names(void)
{
    for (size_t i = 0; operations[i]; i++) {
        puts(operations[i]->name);
    }
    return EXIT_DONE;
}

/* stint help [NAME], stint help --man [NAME] */
static int command_help(int argc, char **argv)
{
    struct buf out;
    if (argc > 0 && strcmp(argv[0], "--names") == 0) {
        return print_names();
    }
    bool manual = argc > 0 && strcmp(argv[0], "--man") == 0;
    const char *name = argc > manual && !asks_for_help(argv[manual]) ? argv[manual] : NULL;
    const struct operation *operation = name ? operation_find(str_of(name)) : NULL;
    if (name && !operation && !is_own_command(name)) {
        return unknown_command(name);
    }
    buf_init(&out, LIMIT_OUTPUT);
    if (manual) {
        help_manual(&out, operation);
    } else if (operation) {
        help_operation(&out, operation);
    } else {
        help_overview(&out);
    }
    return print(&out);
}

static int command_completion(int argc, char **argv)
{
    struct buf out;
    struct error err;
    if (argc > 0 && asks_for_help(argv[0])) {
        return command_help(0, NULL);
    }
    buf_init(&out, LIMIT_OUTPUT);
    if (help_completion(&out, str_of(argc > 0 ? argv[0] : ""), &err) != 0) {
        buf_release(&out);
        return complain(&err);
    }
    return print(&out);
}

static int command_version(void)
{
    struct buf out;
    buf_init(&out, LIMIT_OUTPUT);
    buf_addz(&out, "stint " STINT_VERSION "\n");
    return print(&out);
}

static int command_operation(const struct operation *operation, int argc, char **argv)
{
    struct arguments arguments = {0};
    struct error err;
    int status;
    if (arguments_read(operation, argc, argv, &arguments, &err) != 0) {
        status = complain(&err);
    } else if (global_text(&arguments, "help").ptr) {
        struct buf out;
        buf_init(&out, LIMIT_OUTPUT);
        help_operation(&out, operation);
        status = print(&out);
    } else {
        status = perform(operation, &arguments);
    }
    arguments_release(&arguments);
    return status;
}

/* The address of the page for a question, or of the first page; printed, and opened where that is wished. */
static int open_page(const struct operation *operation, const struct arguments *arguments,
                     bool browse, struct error *err)
{
    const struct request request = {operation, arguments->values, arguments->count, NULL};
    const char *given = global_text(arguments, "server").ptr, *usual = getenv("STINT_SERVER");
    const char *server = given ? given : usual && *usual ? usual : NULL;
    char *store = find_store(arguments);
    struct buf base, link;
    buf_init(&base, LIMIT_ARGUMENT);
    buf_init(&link, LIMIT_ARGUMENT);
    int failed = operation ? request_check(&request, err) : 0;
    if (!failed && !find_address(store, server, &base)) {
        failed = error_set(err, ERROR_MISSING,
                           "no server has the store '%s': start one with stint serve, or name "
                           "one with --server https://HOST",
                           store);
    } else if (!failed && operation && !address_of_request(&link, base.ptr, &request)) {
        failed = error_set(err, ERROR_USAGE, "there is no page for stint %s", operation->name);
    }
    if (!failed && !operation) {
        buf_addf(&link, "%s/", base.ptr);
    }
    if (!failed) {
        printf("%s\n", link.ptr);
        failed = fflush(stdout) != 0 ? error_errno(err, "cannot write") : 0;
    }
    failed = failed || !browse ? failed : browser_open(link.ptr, err);
    buf_release(&base);
    buf_release(&link);
    free(store);
    return failed;
}

/* stint open [COMMAND [ARGUMENT]...] [--browser] */
static int command_open(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct error err;
    bool browse = false;
    int count = 0;
    for (int i = 0; i < argc; i++) {
        const bool ours = strcmp(argv[i], "--browser") == 0;
        browse = browse || ours;
        argv[count] = argv[i];
        count += ours ? 0 : 1;
    }
    const bool named = count > 0 && argv[0][0] != '-';
    const struct operation *operation = named ? operation_find(str_of(argv[0])) : NULL;
    if (count > 0 && asks_for_help(argv[0])) {
        return command_help(0, NULL);
    }
    if (named && !operation) {
        return unknown_command(argv[0]);
    }
    /* options alone are those of every command, which any operation has */
    int failed = arguments_read(operation ? operation : operations[0], count - named,
                                argv + named, &arguments, &err);
    failed = failed ? failed : open_page(operation, &arguments, browse, &err);
    arguments_release(&arguments);
    return failed ? complain(&err) : EXIT_DONE;
}

/* The option of every command that a word is, with its value behind a = or without; NULL: it is none. */
static const struct param *find_global(const char *word)
{
    struct str name = str_of(word);
    if (!str_starts(name, STR("--"))) {
        return NULL;
    }
    name = (struct str){name.ptr + 2, name.len - 2};
    const struct str bare = str_cut(&name, '=');
    for (size_t i = 0; i < global_param_count; i++) {
        if (str_eq(bare, str_of(global_params[i].name))) {
            return &global_params[i];
        }
    }
    return NULL;
}

/* Where the command is: options of every command may stand before it. */
static int find_command(int argc, char **argv)
{
    int at = 1;
    while (at < argc && !asks_for_help(argv[at])) {
        const struct param *param = find_global(argv[at]);
        if (!param) {
            break;
        }
        at += param->type == PARAM_FLAG || strchr(argv[at], '=') ? 1 : 2;
    }
    return at;
}

/* The command with its words, whatever stood before it moved behind it. */
static int command_words(const char *name, int argc, char **argv)
{
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        return command_version();
    }
    if (asks_for_help(name) || strcmp(name, "help") == 0) {
        return command_help(argc, argv);
    }
    if (strcmp(name, "open") == 0) {
        return command_open(argc, argv);
    }
    if (strcmp(name, "completion") == 0) {
        return command_completion(argc, argv);
    }
    const struct operation *operation = operation_find(str_of(name));
    return operation ? command_operation(operation, argc, argv) : unknown_command(name);
}

int command_main(int argc, char **argv)
{
    const int at = find_command(argc, argv);
    char **words = mem_alloc((size_t)argc + 1, sizeof(*words));
    int count = 0;
    for (int i = 1; i < argc; i++) {
        if (i != at) {
            words[count++] = argv[i];
        }
    }
    const int status =
        command_words(at < argc ? argv[at] : "help", at < argc ? count : 0, words);
    free(words);
    return status;
}
