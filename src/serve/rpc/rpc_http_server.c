/* SPDX-License-Identifier: MIT */

/*
 * The other end of rpc_http.h: requests as frames, and what a command line has to know of the
 * site.
 */

#include "serve/rpc/rpc_http.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "serve/api/api.h"
#include "serve/auth/identify.h"
#include "serve/daemon/server_context.h"
#include "serve/http/http_server.h"
#include "serve/http/problem.h"
#include "serve/http/routes.h"
#include "serve/rpc/input_receiver.h"
#include "serve/rpc/upload_channel.h"
#include "serve/rpc/wire.h"

enum {
    HEAD = 5,
    ROWS_MAX = 250000,
    PIECE_MAX = 512 << 10, /* bytes of an input at once: a request has room for it */
    PROGRESS_US = 100000,  /* minimum interval between progress frames */
};

struct replying {
    struct exchange *exchange;
    pthread_mutex_t guard; /* of writing, and of all below */
    int64_t progress_at;
    struct table rows; /* for one who does not take them as they come */
    /* of a request that reads what its asker has: */
    struct upload_channel *inlet;
    struct input_receiver taking;
};

/* By any thread of the operation. */
static int send_bytes(void *context, struct str frame, struct error *err)
{
    struct replying *replying = context;
    pthread_mutex_lock(&replying->guard);
    int failed = exchange_write(replying->exchange, frame, err);
    pthread_mutex_unlock(&replying->guard);
    return failed;
}

static int send_frame(struct replying *replying, struct buf *frame, struct error *err)
{
    int failed = frame->overflow
                     ? error_set(err, ERROR_LIMIT, "the answer is too large to be sent")
                     : send_bytes(replying, buf_str(frame), err);
    buf_release(frame);
    return failed;
}

static void send_progress(void *watcher, const char *what, uint64_t done, uint64_t total,
                          int64_t records)
{
    struct replying *replying = watcher;
    struct wire_progress progress = {.done = done, .total = total, .records = records};
    struct error ignored;
    struct buf frame;
    const int64_t now = stop_clock();
    pthread_mutex_lock(&replying->guard);
    const bool due = now - replying->progress_at >= PROGRESS_US;
    replying->progress_at = due ? now : replying->progress_at;
    pthread_mutex_unlock(&replying->guard);
    if (due) {
        snprintf(progress.what, sizeof(progress.what), "%s", what);
        buf_init(&frame, WIRE_SMALL_MAX);
        wire_put_progress(&frame, &progress);
        (void)!send_frame(replying, &frame, &ignored);
    }
}

static void send_line(void *watcher, const char *line)
{
    struct error ignored;
    struct buf frame;
    buf_init(&frame, WIRE_SMALL_MAX);
    wire_put_say(&frame, line);
    (void)!send_frame(watcher, &frame, &ignored);
}

static int send_rows(void *context, const struct table *chunk, struct error *err)
{
    struct buf frame;
    buf_init(&frame, WIRE_FRAME_MAX);
    wire_put_rows(&frame, chunk);
    return send_frame(context, &frame, err);
}

static int keep_rows(void *context, const struct table *chunk, struct error *err)
{
    struct replying *replying = context;
    if (replying->rows.row_count + chunk->row_count > ROWS_MAX) {
        return error_set(err, ERROR_LIMIT,
                         "more than %d rows: ask for less, or for --format csv", ROWS_MAX);
    }
    return table_collect(&replying->rows, chunk, err);
}

static int receive_piece(void *context, int64_t limit_us, enum frame_kind *kind,
                         struct buf *frame, struct error *err)
{
    struct replying *replying = context;
    return upload_channel_receive(replying->inlet, limit_us, kind, frame, err);
}

static bool has_inputs(const struct request *request)
{
    size_t i = 0;
    while (i < request->count && !inputs_has(request, i)) {
        i++;
    }
    return i < request->count;
}

/* Says where what it reads is to be sent, and lets it read from there. */
static int open_inlet(struct replying *replying, struct request *request, struct error *err)
{
    struct exchange *exchange = replying->exchange;
    const struct input_receiver_way way = {replying, PIECE_MAX, send_bytes, receive_piece};
    struct buf frame;
    int failed = upload_channel_open(server_context_of(exchange)->inlets, exchange->caller.name,
                                     &exchange->stop, &replying->inlet, err);
    if (failed) {
        return failed;
    }
    input_receiver_init(&replying->taking, &way, &exchange->stop);
    request->inputs = &replying->taking.inputs;
    buf_init(&frame, WIRE_SMALL_MAX);
    wire_put_inlet(&frame, upload_channel_id(replying->inlet));
    return send_frame(replying, &frame, err);
}

static void close_inlet(struct replying *replying)
{
    if (replying->inlet) {
        if (upload_channel_was_ended(replying->inlet)) {
            stop_forget(&replying->exchange->stop); /* it waits to hear how it ended */
        }
        input_receiver_release(&replying->taking);
        upload_channel_close(replying->inlet);
    }
}

static int call(struct replying *replying, const struct wire_request *asked,
                const struct zone *zone, struct answer *answer, struct error *err)
{
    struct session session;
    struct service service = server_context_service(replying->exchange, &session);
    service.zone = zone;
    service.watcher = replying;
    service.progress = asked->watches ? send_progress : NULL;
    service.say = send_line;
    return service_call(&service, &asked->request, answer, err);
}

/*
 * What changes something may take long, as what reads from elsewhere does: another worker takes
 * its place, and it has all the time that it would have on the server's machine. Returns
 * whether it has left its place.
 */
static int step_out(const struct replying *replying, const struct request *request, bool *out,
                    struct error *err)
{
    struct exchange *exchange = replying->exchange;
    const bool reads = has_inputs(request);
    *out = (reads || request_changes(request)) &&
           http_step_out(server_context_of(exchange)->http, exchange);
    if (*out) {
        exchange->stop.deadline_us = 0;
    }
    return reads && !*out
               ? error_set(err, ERROR_CONFLICT, "too many send data at once; try again")
               : 0;
}

/* Does what is asked, within the caller's rights; failures are part of the answer. */
static int perform(struct replying *replying, struct wire_request *asked, struct answer *answer,
                   struct error *err)
{
    struct exchange *exchange = replying->exchange;
    struct zone *zone = NULL;
    char name[256];
    bool out = false;
    int failed = request_changes(&asked->request) ? identify_check_form(exchange, err) : 0;
    snprintf(name, sizeof(name), "%.*s", STR_ARG(asked->zone));
    failed = failed ? failed : zone_open(name, &zone, err);
    if (!failed && asked->year_month > 0) {
        zone_start_year(zone, (int)asked->year_month);
    }
    failed = failed ? failed : step_out(replying, &asked->request, &out, err);
    if (!failed && has_inputs(&asked->request)) {
        failed = open_inlet(replying, &asked->request, err);
    }
    if (!failed) {
        identify_widen(exchange, &asked->request);
        failed = call(replying, asked, zone, answer, err);
    }
    close_inlet(replying);
    if (out) {
        http_step_in(server_context_of(exchange)->http, exchange);
    }
    if (replying->rows.column_count > 0) {
        /* what else is in the answer may lie in its table: that is released later */
        const struct table collected = answer->table;
        answer->table = replying->rows;
        replying->rows = collected;
    }
    zone_close(zone);
    return failed;
}

static int answer_request(struct exchange *exchange, struct wire_request *asked,
                          struct error *err)
{
    struct replying replying = {.exchange = exchange};
    const struct table_sink sink = {&replying, asked->streams ? send_rows : keep_rows};
    struct answer answer = {.sink = &sink, .bare = asked->bare, .noteless = asked->noteless};
    struct error why = {0};
    struct buf frame;
    pthread_mutex_init(&replying.guard, NULL);
    exchange_type(exchange, "application/vnd.stint.wire");
    if (asked->watches || has_inputs(&asked->request)) {
        exchange->whole_max = 0; /* each frame goes out at once, also through a proxy */
        exchange_set(exchange, "X-Accel-Buffering", "no");
    }
    const int ended = perform(&replying, asked, &answer, &why);
    buf_init(&frame, WIRE_FRAME_MAX);
    wire_put_answer(&frame, &answer, ended, &why);
    answer_release(&answer);
    table_release(&replying.rows);
    int failed = send_frame(&replying, &frame, err);
    pthread_mutex_destroy(&replying.guard);
    return failed;
}

static int take_request(struct exchange *exchange, struct error *err)
{
    struct frame_reading head = {.rest = exchange->body};
    const uint64_t length = frame_get_bytes(&head, 4);
    const uint64_t kind = frame_get_bytes(&head, 1);
    if (head.bad || kind != FRAME_REQUEST || length != exchange->body.len - HEAD) {
        return error_set(err, ERROR_INPUT, "that is not a request of stint");
    }
    struct wire_request *asked = mem_alloc(1, sizeof(*asked));
    int failed = wire_get_request(head.rest, asked, err);
    if (!failed && (asked->year_month < 0 || asked->year_month > 12)) {
        failed = error_set(err, ERROR_INPUT, "a year begins with a month");
    }
    failed = failed ? failed : answer_request(exchange, asked, err);
    wire_request_release(asked);
    free(asked);
    return failed;
}

/* What was asked for by the reply to a request that is under way. */
static int take_piece(struct exchange *exchange, struct error *err)
{
    int failed = identify_check_form(exchange, err);
    failed = failed
                 ? failed
                 : upload_channels_put(server_context_of(exchange)->inlets, exchange->parts[0],
                                       exchange->caller.name, exchange->body, err);
    exchange->status = failed ? exchange->status : 204;
    return failed;
}

static int show_site(struct exchange *exchange, struct error *err)
{
    struct buf text;
    struct json json = {.out = &text};
    buf_init(&text, EXCHANGE_WHOLE_MAX);
    json_begin_object(&json);
    json_put_key(&json, "version");
    json_put_text(&json, STR(STINT_VERSION));
    json_put_key(&json, "zone");
    json_put_text(&json, str_of(zone_name(server_context_of(exchange)->service->zone)));
    json_end_level(&json);
    buf_addc(&text, '\n');
    exchange_type(exchange, "application/json");
    int failed = exchange_write(exchange, buf_str(&text), err);
    buf_release(&text);
    return failed;
}

static const struct route rows[] = {
    {"/api/v1/wire", METHOD_POST, RIGHT_PUBLIC, take_request},
    {"/api/v1/wire/:inlet", METHOD_POST, RIGHT_PUBLIC, take_piece},
    {"/api/v1/site", METHOD_GET, RIGHT_PUBLIC, show_site},
};

const struct route_table remote_routes = {rows, COUNT_OF(rows), "/api/", problem_write};
