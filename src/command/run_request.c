/* SPDX-License-Identifier: MIT */
#include "command/run_request.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/mem.h"
#include "command/console.h"
#include "command/offer.h"
#include "command/progress.h"
#include "command/render.h"
#include "command/site_settings.h"
#include "serve/daemon/server.h"
#include "serve/http/address.h"
#include "serve/rpc/rpc_client.h"
#include "serve/rpc/rpc_http.h"
#include "serve/rpc/rpc_server.h"

/* Of the one request a command makes; signals reach it. */
static struct stop stop_of_command;

/* Set when settings are to be read again. */
static struct stop reload_of_command;

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

/*
 * From kill: settings are read again. From the kernel: the terminal is gone, and the server
 * ends with it.
 */
static void on_hangup(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    stop_ask(info->si_code == SI_KERNEL ? &stop_of_command : &reload_of_command);
}

static void catch_hangup(void)
{
    struct sigaction action = {.sa_sigaction = on_hangup, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGHUP, &action, NULL);
}

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * SECOND_US + now.tv_nsec / 1000;
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

/*
 * Notes that have no place in what is printed go to stderr: what a document does not say of
 * itself, where something was rejected, what it was, and that numbers are older than they
 * should be.
 */
static void say_notes(const struct answer *answer, const struct render_options *render)
{
    const unsigned all = ~NOTE_BIT(NOTE_LAYOUT);
    const unsigned of_document =
        NOTE_BIT(NOTE_WARNING) | NOTE_BIT(NOTE_REJECTED) | NOTE_BIT(NOTE_RESULT);
    const unsigned shown = answer->document.ptr         ? of_document
                           : render_shows_notes(render) ? 0
                           : answer->status != 0        ? all
                                                        : NOTE_BIT(NOTE_STALE);
    for (size_t i = 0; !render->quiet && i < answer->notes.count; i++) {
        if (shown & NOTE_BIT(answer->notes.rows[i].kind)) {
            say(answer->notes.rows[i].text);
        }
    }
}

/*
 * Ends an answer whose rows were written while they came; false if there were none, and it is
 * to be shown as a whole.
 */
static bool show_streamed(struct output *output, int failed, int *status)
{
    struct error wrong;
    if (!output->begun) {
        return false;
    }
    if (failed) {
        output_abandon(output);
    } else if (output_close(output, &wrong) != 0) {
        *status = say_error(&wrong);
    }
    return true;
}

/* What there is of an answer, also of one that failed half way; the exit status. */
static int show_answer(const struct answer *answer, const struct render_options *render,
                       struct output *output, int failed, const struct error *err)
{
    struct error wrong;
    int status = answer->status;
    if (!show_streamed(output, failed, &status) && (!failed || answer->table.row_count > 0) &&
        render_answer(answer, render, &wrong) != 0) {
        status = say_error(&wrong);
    }
    if (!failed) {
        say_notes(answer, render);
    }
    return failed ? say_error(err) : status;
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
    struct text_sink pieces;
    struct session session;
    struct arena arena; /* of the caller */
    struct caller caller;
    struct service service;
    struct rpc_server *answering; /* while it has the store to write */
    const struct arguments *arguments;
    struct service_reload reload;
    /* a server elsewhere that is asked instead; without address: none */
    struct rpc_http remote;
    char *token;
};

/* The usual server is for what can be asked elsewhere. */
static void find_server(struct performance *p, const struct arguments *arguments,
                        const struct request *request)
{
    p->remote.address = settings_server(arguments, !request_is_local(request));
    p->token = p->remote.address ? settings_token() : NULL;
    p->remote.token = p->token;
    p->remote.authority = settings_authority();
}

/* The calendar is that of the site that is asked. */
static int open_calendar(struct performance *p, const struct arguments *arguments,
                         struct error *err)
{
    char *zone = NULL;
    int failed = 0;
    if (!p->remote.address || settings_text(arguments, "zone").ptr) {
        return settings_zone(arguments, &p->config, &p->zone, err);
    }
    failed = rpc_http_zone(&p->remote, &stop_of_command, &zone, err);
    failed = failed ? failed : settings_open_zone(zone, &p->zone, err);
    free(zone);
    return failed;
}

static int prepare(struct performance *p, const struct arguments *arguments, struct error *err)
{
    int failed = render_check(&p->render, err);
    failed = failed ? failed : settings_config(arguments, p->store, &p->config, err);
    failed = failed ? failed : open_calendar(p, arguments, err);
    failed = failed ? failed : settings_year(arguments, &p->config, p->zone, err);
    if (failed) {
        return failed;
    }
    p->render.zone = p->service.zone = p->zone;
    return render_is_for_people(p->render.format) ? 0
                                                  : render_output(&p->render, &p->output, err);
}

static int read_settings(void *owner, struct config *config, struct zone **zone,
                         struct error *err)
{
    const struct performance *p = owner;
    int failed = settings_config(p->arguments, p->store, config, err);
    failed = failed ? failed : settings_zone(p->arguments, config, zone, err);
    return failed ? failed : settings_year(p->arguments, config, *zone, err);
}

/* While this process has the store to write, it answers for it. */
static void on_opened(void *owner, struct store *store)
{
    struct performance *p = owner;
    p->answering = rpc_server_start(store, &p->service, RPC_SERVER_QUESTIONS);
}

static void on_closing(void *owner, struct store *store)
{
    struct performance *p = owner;
    store_checkpoint(store); /* while others can still ask: closing takes no time then */
    rpc_server_stop(p->answering);
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
    const struct answer before = {.sink = answer->sink,
                                  .pieces = answer->pieces,
                                  .bare = answer->bare,
                                  .noteless = answer->noteless};
    answer_release(answer);
    *answer = before;
}

/*
 * Does it here; where the store is taken, asks the process that holds it; again, if that one
 * has ended meanwhile.
 */
static int do_or_ask(struct performance *p, const struct request *request,
                     struct answer *answer, struct error *err)
{
    enum { PAUSE_US = 10000, PATIENCE_US = 2000000 };

    const int64_t began = stop_clock();
    bool said = false;
    for (;;) {
        enum rpc_client_outcome outcome;
        struct error taken = {0};
        int failed = service_call(&p->service, request, answer, &taken);
        if (failed != ERROR_CONFLICT || !p->session.taken) {
            *err = taken;
            return failed;
        }
        forget_answer(answer);
        failed = rpc_client_ask(&p->service, request, answer, &outcome, err);
        if (outcome == RPC_CLIENT_ANSWERED) {
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
    return rpc_client_takes_changes(p->store);
}

/*
 * What changes something is not begun here where another process does it: what it writes into
 * the books before it finds the store taken would be done a second time there.
 */
static int change_elsewhere(struct performance *p, const struct request *request,
                            struct answer *answer, enum rpc_client_outcome *outcome,
                            struct error *err)
{
    int failed = service_check(&p->service, request, err);
    *outcome = RPC_CLIENT_ANSWERED;
    if (!failed && rpc_client_takes_changes(p->store)) {
        failed = rpc_client_ask(&p->service, request, answer, outcome, err);
    } else if (!failed) {
        *outcome = RPC_CLIENT_NOBODY;
    }
    if (*outcome == RPC_CLIENT_NOBODY) {
        forget_answer(answer);
    }
    return failed;
}

/*
 * A question is answered by the process that holds the store; a request that changes something
 * is carried out by the holder if it does that, or waits for its turn.
 */
static int perform_somewhere(struct performance *p, const struct request *request,
                             struct answer *answer, struct error *err)
{
    if (p->remote.address) {
        return rpc_http_ask(&p->remote, &p->service, request, answer, err);
    }
    if (!request_changes(request)) {
        p->session.wait.limit_us = 0;
    } else if (!request_is_local(request) || request_is_configured(request)) {
        enum rpc_client_outcome outcome;
        int failed = change_elsewhere(p, request, answer, &outcome, err);
        if (outcome == RPC_CLIENT_ANSWERED) {
            return failed;
        }
        p->session.wait.elsewhere = is_done_elsewhere;
    }
    return do_or_ask(p, request, answer, err);
}

bool perform_address(const char *store, const char *server, struct buf *out)
{
    if (!server) {
        return rpc_client_address(store, out);
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
    return settings_to_terminal(arguments) && str_eq(p->render.format, STR("table")) &&
           render_shows_notes(&p->render) && answer->table.column_count > 0;
}

static void print_link(const struct performance *p, const struct request *request)
{
    struct buf base, link;
    buf_init(&base, LIMIT_ARGUMENT);
    buf_init(&link, LIMIT_ARGUMENT);
    if (perform_address(p->store, p->remote.address, &base) &&
        address_of_request(&link, base.ptr, request) && !link.overflow) {
        printf("%s\n", link.ptr);
    }
    buf_release(&base);
    buf_release(&link);
}

/*
 * What is asked: the arguments, and what people see without asking for it. Returns how many
 * values.
 */
static size_t read_values(const struct operation *operation, const struct arguments *arguments,
                          struct request_value *out)
{
    for (size_t i = 0; i < arguments->count; i++) {
        out[i] = arguments->values[i];
    }
    return render_is_for_people(settings_text(arguments, "format"))
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

/* The world the arguments describe. Borrows `arguments`; released by performance_release. */
static void performance_init(struct performance *p, const struct operation *operation,
                             const struct arguments *arguments)
{
    *p = (struct performance){
        .progress = PROGRESS_INIT,
        .arguments = arguments,
        .store = settings_store(arguments),
        .render = settings_render(arguments),
        .output = {.writer = {.fd = -1}, .backlog = BACKLOG_NONE},
    };
    p->sink = (struct table_sink){&p->output, output_take};
    p->pieces = (struct text_sink){&p->output, output_piece};
    p->caller = caller_local(p->store, getuid(), &p->arena);
    p->session = (struct session){
        .folder = p->store,
        .wait = {.limit_us = -1,
                 .stop = operation->stoppable ? &stop_of_command : NULL,
                 .waiting = on_waiting,
                 .watcher = p},
        .opened = on_opened,
        .closing = on_closing,
        .owner = p,
    };
    p->reload = (struct service_reload){&reload_of_command, p, read_settings};
    p->service = (struct service){
        .store = p->store,
        .session = &p->session,
        .config = &p->config,
        .now = now_us,
        .caller = &p->caller,
        .stop = &stop_of_command,
        .watcher = &p->progress,
        .progress = isatty(STDERR_FILENO) && !p->render.quiet ? on_progress : NULL,
        .say = on_say,
        .serve = server_run,
        .reload = &p->reload,
    };
}

static void performance_release(struct performance *p)
{
    output_abandon(&p->output);
    zone_close(p->zone);
    config_release(&p->config);
    arena_release(&p->arena);
    free(p->token);
    free(p->store);
}

/* The request as a whole: asked, and its answer shown. The exit status. */
static int perform_request(struct performance *p, const struct request *request,
                           const struct arguments *arguments)
{
    struct answer answer = {0};
    struct error err;
    int failed;
    find_server(p, arguments, request);
    (void)((failed = prepare(p, arguments, &err)) ||
           (failed = check_kept(request, p->render.output, &err)));
    if (!failed) {
        answer.bare = !render_is_for_people(p->render.format);
        answer.noteless = answer.bare && !p->render.with_meta; /* nobody would see them */
        answer.sink = answer.noteless ? &p->sink : NULL;
        answer.pieces = &p->pieces;
        p->output.path = p->render.output;
        failed = perform_somewhere(p, request, &answer, &err);
        progress_clear(&p->progress);
    }
    const int status = show_answer(&answer, &p->render, &p->output, failed, &err);
    const struct request typed = {request->operation, arguments->values, arguments->count,
                                  NULL};
    if (!failed && shows_link(p, arguments, &answer)) {
        print_link(p, &typed);
    }
    answer_release(&answer);
    return status;
}

int perform(const struct operation *operation, const struct arguments *arguments)
{
    struct performance p;
    struct offer offer;
    struct request_value *values = mem_alloc(arguments->count + 1, sizeof(*values));
    const size_t count = read_values(operation, arguments, values);
    performance_init(&p, operation, arguments);
    offer_init(&offer, values, count, &p.service);
    const struct request request = {operation, values, count, &offer.inputs};
    if (operation->stoppable) {
        catch_signals();
    }
    if (operation->reloads) {
        catch_hangup();
    }
    const int status = perform_request(&p, &request, arguments);
    performance_release(&p);
    offer_release(&offer);
    free(values);
    return status;
}
