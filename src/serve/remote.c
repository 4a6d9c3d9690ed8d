/* SPDX-License-Identifier: MIT */

/* The other end of remote.h: requests as frames, and what a command line has to know of the site. */

#include "serve/remote.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "serve/api.h"
#include "serve/identify.h"
#include "serve/problem.h"
#include "serve/routes.h"
#include "serve/wire.h"
#include "serve/world.h"

enum { HEAD = 5, ROWS_MAX = 250000 };

struct replying {
    struct exchange *exchange;
    struct table rows; /* for one who does not take them as they come */
};

static int send_frame(struct exchange *exchange, struct buf *frame, struct error *err)
{
    int failed = frame->overflow
                     ? error_set(err, ERROR_LIMIT, "the answer is too large to be sent")
                     : exchange_write(exchange, buf_str(frame), err);
    buf_release(frame);
    return failed;
}

static int send_rows(void *context, const struct table *chunk, struct error *err)
{
    struct replying *replying = context;
    struct buf frame;
    buf_init(&frame, WIRE_FRAME_MAX);
    wire_put_rows(&frame, chunk);
    return send_frame(replying->exchange, &frame, err);
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

/* Does what is asked, within the caller's rights; failures are part of the answer. */
static int perform(struct replying *replying, const struct wire_request *asked,
                   struct answer *answer, struct error *err)
{
    struct zone *zone = NULL;
    char name[256];
    int failed = 0;
    if (request_changes(&asked->request)) {
        failed = identify_check_form(replying->exchange, err);
    }
    snprintf(name, sizeof(name), "%.*s", STR_ARG(asked->zone));
    failed = failed ? failed : zone_open(name, &zone, err);
    if (!failed) {
        zone_start_year(zone, (int)asked->year_month);
        identify_widen(replying->exchange, &asked->request);
        failed = world_ask(replying->exchange, &asked->request, zone, answer, err);
    }
    if (replying->rows.column_count > 0) {
        table_release(&answer->table);
        answer->table = replying->rows;
        replying->rows = (struct table){0};
    }
    zone_close(zone);
    return failed;
}

static int answer_request(struct exchange *exchange, const struct wire_request *asked,
                          struct error *err)
{
    struct replying replying = {.exchange = exchange};
    const struct table_sink sink = {&replying, asked->streams ? send_rows : keep_rows};
    struct answer answer = {.sink = &sink};
    struct error why = {0};
    struct buf frame;
    exchange_type(exchange, "application/vnd.stint.wire");
    exchange_set(exchange, "Cache-Control", "no-store");
    const int ended = perform(&replying, asked, &answer, &why);
    buf_init(&frame, WIRE_FRAME_MAX);
    wire_put_answer(&frame, &answer, ended, &why);
    answer_release(&answer);
    table_release(&replying.rows);
    return send_frame(exchange, &frame, err);
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
    if (!failed && (asked->year_month < 1 || asked->year_month > 12)) {
        failed = error_set(err, ERROR_INPUT, "a year begins with a month");
    }
    failed = failed ? failed : answer_request(exchange, asked, err);
    wire_request_release(asked);
    free(asked);
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
    json_put_text(&json, str_of(zone_name(world_of(exchange)->service->zone)));
    json_end_level(&json);
    buf_addc(&text, '\n');
    exchange_type(exchange, "application/json");
    int failed = exchange_write(exchange, buf_str(&text), err);
    buf_release(&text);
    return failed;
}

static const struct route rows[] = {
    {"/api/v1/wire", METHOD_POST, ROLE_ANYONE, take_request},
    {"/api/v1/site", METHOD_GET, ROLE_ANYONE, show_site},
};

const struct route_table remote_routes = {rows, COUNT_OF(rows), "/api/", problem_write};
