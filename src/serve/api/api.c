/* SPDX-License-Identifier: MIT */
#include "serve/api/api.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "base/limit.h"
#include "base/scan.h"
#include "base/url.h"
#include "serve/api/api_format.h"
#include "serve/api/page_cursor.h"
#include "serve/auth/identify.h"
#include "serve/daemon/server_context.h"
#include "serve/http/accept.h"
#include "serve/http/cache_key.h"
#include "serve/http/problem.h"
#include "serve/http/reply_cache.h"
#include "serve/http/routes.h"
#include "service/core/formatter.h"
#include "service/query/chart_answer.h"

enum {
    ROWS_COLLECTED = 250000,   /* of an answer that is there as a whole before it is sent */
    PAGE_BYTES_MAX = 32 << 20, /* of a page, which is whole before it is sent */
};

/*
 * How long a reply stays in the cache where nothing changes: one about the past, and one about
 * now.
 */
#define LASTS_US INT64_C(900000000)
#define FRESH_US INT64_C(5000000)

/* One request of the API. */
struct asking {
    struct exchange *exchange;
    struct request request;
    const struct api_format *format;
    struct zone *zone; /* NULL: the site's */
    struct formatter formatter;
    struct page_cursor page;
    bool paged;
    struct table rows; /* of an answer that is collected */
    struct answer answer;
    struct buf key; /* of the cache */
    struct reply_cache_state state;
};

static const struct zone *zone_of(const struct asking *asking)
{
    return asking->zone ? asking->zone : server_context_of(asking->exchange)->service->zone;
}

/* A parameter of ours, by query or form. */
static struct str option(const struct exchange *exchange, const char *name)
{
    const struct str text = exchange_query(exchange, name);
    return text.ptr ? text : exchange_form(exchange, name);
}

/* Whether a flag of ours is given, and not as a no. */
static bool flag(const struct exchange *exchange, const char *name)
{
    const struct str text = option(exchange, name);
    return text.ptr && !api_is_no(text);
}

static int read_zone(struct asking *asking, struct error *err)
{
    const struct service *service = server_context_of(asking->exchange)->service;
    const struct str name = option(asking->exchange, "zone");
    const struct str start = option(asking->exchange, "year-starts");
    int64_t month = zone_fiscal_month(service->zone); /* 0: nobody has set it */
    if (!name.ptr && !start.ptr) {
        return 0;
    }
    if (start.ptr && (!scan_int(start, &month) || month < 1 || month > 12)) {
        return error_set(err, ERROR_USAGE, "year-starts is a month, 1 to 12, not '%.*s'",
                         STR_ARG(start));
    }
    int failed = zone_open(name.ptr ? name.ptr : zone_name(service->zone), &asking->zone, err);
    if (!failed && month > 0) {
        zone_start_year(asking->zone, (int)month);
    }
    return failed ? error_set(err, ERROR_USAGE, "there is no time zone '%.*s'", STR_ARG(name))
                  : 0;
}

static int read_page(struct asking *asking, struct error *err)
{
    const struct str size = option(asking->exchange, "page-size");
    const struct str cursor = option(asking->exchange, "cursor");
    asking->paged = size.ptr || cursor.ptr;
    asking->page.size = asking->paged ? API_PAGE_MAX / 10 : 0;
    if (size.ptr && (!scan_int(size, &asking->page.size) || asking->page.size < 1 ||
                     asking->page.size > API_PAGE_MAX)) {
        return error_set(err, ERROR_USAGE, "page-size is 1 to %d, not '%.*s'", API_PAGE_MAX,
                         STR_ARG(size));
    }
    return cursor.ptr ? page_cursor_read(cursor, &asking->page.skip, err) : 0;
}

/* --- the reply ---------------------------------------------------------------------------- */

static int write_bytes(void *context, struct str bytes, struct error *err)
{
    return exchange_write(context, bytes, err);
}

static int keep_rows(void *context, const struct table *chunk, struct error *err)
{
    struct asking *asking = context;
    if (asking->rows.row_count + chunk->row_count > ROWS_COLLECTED) {
        return error_set(err, ERROR_LIMIT,
                         "more than %d rows: ask for less, or for csv, jsonl or parquet",
                         ROWS_COLLECTED);
    }
    return table_collect(&asking->rows, chunk, err);
}

static void put_period(struct json *json, const char *key, struct period period,
                       const struct zone *zone)
{
    char text[INSTANT_TEXT_MAX];
    if (period.from >= period.to) {
        return;
    }
    json_put_key(json, key);
    json_begin_object(json);
    json_put_key(json, "from");
    json_put_text(json, str_of(zone_print(zone, period.from, text)));
    json_put_key(json, "to");
    json_put_text(json, str_of(zone_print(zone, period.to, text)));
    json_end_level(json);
}

static void put_columns(struct json *json, const struct table *table)
{
    json_put_key(json, "columns");
    json_begin_array(json);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        json_begin_object(json);
        json_put_key(json, "id");
        json_put_text(json, str_of(column->id));
        json_put_key(json, "label");
        json_put_text(json, str_of(column->label));
        json_put_key(json, "type");
        json_put_text(json, column->type == CELL_TEXT ? STR("text") : STR("number"));
        json_put_key(json, "unit");
        json_put_text(json, str_of(unit_name(column->unit)));
        json_put_key(json, "measure");
        json_put_bool(json, column->role == COLUMN_MEASURE);
        json_end_level(json);
    }
    json_end_level(json);
}

static void put_notes(struct json *json, const struct note_list *notes)
{
    json_put_key(json, "notes");
    json_begin_array(json);
    for (size_t i = 0; i < notes->count; i++) {
        json_begin_object(json);
        json_put_key(json, "text");
        json_put_text(json, str_of(notes->rows[i].text));
        if (notes->rows[i].about) {
            json_put_key(json, "about");
            json_put_text(json, str_of(notes->rows[i].about));
        }
        json_end_level(json);
    }
    json_end_level(json);
}

/* The whole answer as an object. */
static int write_answer(struct asking *asking, const struct answer *answer, struct error *err)
{
    const struct export_style style = {.header = true, .zone = zone_of(asking)};
    char as_of[INSTANT_TEXT_MAX];
    struct buf text, rows;
    struct json json = {.out = &text};
    buf_init(&text, LIMIT_OUTPUT);
    buf_init(&rows, LIMIT_OUTPUT);
    export_write(&rows, export_find(STR("json")), &answer->table, &style);
    json_begin_object(&json);
    json_put_key(&json, "operation");
    json_put_text(&json, str_of(asking->request.operation->name));
    if (answer->as_of) {
        json_put_key(&json, "as_of");
        json_put_text(&json, str_of(zone_print(style.zone, answer->as_of, as_of)));
    }
    put_period(&json, "period", answer->period, style.zone);
    put_period(&json, "covered", answer->covered, style.zone);
    put_columns(&json, &answer->table);
    json_put_key(&json, "rows");
    json_put_number(&json,
                    str_trim(buf_str(&rows))); /* an array, as the format `json` has it */
    json_put_key(&json, "status");
    json_put_int(&json, answer->status);
    put_notes(&json, &answer->notes);
    json_end_level(&json);
    buf_addc(&text, '\n');
    int failed = text.overflow || rows.overflow
                     ? error_set(err, ERROR_LIMIT, "the answer is too large: ask for less")
                     : exchange_write(asking->exchange, buf_str(&text), err);
    buf_release(&text);
    buf_release(&rows);
    return failed;
}

static int write_chart(struct asking *asking, const struct answer *answer, struct error *err)
{
    const struct str title = option(asking->exchange, "title");
    const struct chart_answer_wish wish = {
        .kind = option(asking->exchange, "chart"),
        .title = title.ptr ? arena_text(&asking->exchange->arena, title) : NULL,
        .zone = zone_of(asking),
    };
    struct chart chart = {0};
    struct buf svg;
    buf_init(&svg, LIMIT_OUTPUT);
    int failed = chart_answer_choose(answer, &wish, &chart, err);
    if (!failed) {
        chart_svg(&svg, &chart);
        failed = exchange_write(asking->exchange, buf_str(&svg), err);
        /* a picture is looked at by itself: its style stands in it */
        exchange_set(asking->exchange, "Content-Security-Policy",
                     "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'");
    }
    buf_release(&svg);
    chart_release(&chart);
    return failed;
}

/* The answer as it is to be seen. */
static int write_seen(struct asking *asking, enum column_audience by,
                      int (*write)(struct asking *asking, const struct answer *answer,
                                   struct error *err),
                      struct error *err)
{
    struct answer seen;
    answer_seen(&asking->answer, by, &seen);
    int failed = write(asking, &seen, err);
    answer_seen_release(&seen);
    return failed;
}

#define HEADER_AS_OF   "Stint-As-Of"
#define HEADER_WARNING "Warning"

/* As a quoted string of a header has it: what stands in a note may be anything. */
static void add_quoted(struct buf *out, const char *text)
{
    buf_addc(out, '"');
    for (; *text; text++) {
        const bool plain = *text >= ' ' && *text <= '~' && *text != '"' && *text != '\\';
        buf_addc(out, plain ? *text : '?');
    }
    buf_addc(out, '"');
}

/*
 * Formats of rows have no place for as of when they are, and that this is long ago: headers say
 * so (110: stale).
 */
static void set_age(struct asking *asking)
{
    const struct answer *answer = &asking->answer;
    char as_of[INSTANT_TEXT_MAX];
    struct buf warning;
    buf_init(&warning, EXCHANGE_TARGET_MAX);
    for (size_t i = 0; i < answer->notes.count; i++) {
        if (answer->notes.rows[i].kind == NOTE_STALE) {
            buf_addz(&warning, warning.len > 0 ? ", 110 stint " : "110 stint ");
            add_quoted(&warning, answer->notes.rows[i].text);
        }
    }
    if (answer->as_of) {
        exchange_set(
            asking->exchange, HEADER_AS_OF,
            zone_print(zone_of(asking), answer->as_of - answer->as_of % SECOND_US, as_of));
    }
    if (warning.len > 0) {
        exchange_set(asking->exchange, HEADER_WARNING, warning.ptr);
    }
    buf_release(&warning);
}

/* What there is after the operation, where rows have not been written while they came. */
static int write_rest(struct asking *asking, struct error *err)
{
    struct answer *answer = &asking->answer;
    if (answer->document.ptr) {
        const struct str document = buf_str(&answer->document);
        exchange_type(asking->exchange, str_starts(document, STR("%PDF-"))
                                            ? "application/pdf"
                                            : "text/plain; charset=utf-8");
        return exchange_write(asking->exchange, document, err);
    }
    if (asking->rows.column_count > 0) {
        table_release(&answer->table);
        answer->table = asking->rows;
        asking->rows = (struct table){0};
    }
    if (asking->format->form == API_ANSWER) {
        return write_seen(asking, COLUMN_FOR_MACHINES, write_answer, err);
    }
    if (asking->format->form == API_CHART) {
        return write_seen(asking, COLUMN_FOR_PEOPLE, write_chart, err);
    }
    int failed = 0;
    if (!asking->formatter.begun) {
        const struct table_sink whole = {&asking->formatter, formatter_take};
        asking->page.sink = &whole;
        failed = page_cursor_take(&asking->page, &answer->table, err);
        failed = asking->page.full ? 0 : failed;
    }
    return failed ? failed : formatter_end(&asking->formatter, err);
}

/* The address of the next page: this one with another cursor. */
static void link_next(struct asking *asking)
{
    struct exchange *exchange = asking->exchange;
    char cursor[PAGE_CURSOR_TEXT_MAX];
    struct buf address;
    if (!asking->page.more) {
        return;
    }
    buf_init(&address, EXCHANGE_TARGET_MAX);
    buf_addz(&address, server_context_of(exchange)->prefix);
    buf_add(&address, exchange->path);
    for (size_t i = 0; i < exchange->query.count; i++) {
        const struct exchange_pair *pair = &exchange->query.rows[i];
        if (!str_eq(pair->name, STR("cursor"))) {
            url_add(&address, arena_text(&exchange->arena, pair->name), pair->value);
        }
    }
    page_cursor_text(&asking->page, cursor);
    url_add(&address, "cursor", str_of(cursor));
    exchange_setf(exchange, "Link", "<%s>; rel=\"next\"", address.ptr);
    exchange_set(exchange, "Stint-Next", cursor);
    buf_release(&address);
}

/* --- the cache ---------------------------------------------------------------------------- */

/* What was asked, by whom, and in which form. */
static void make_key(struct asking *asking)
{
    struct buf *key = &asking->key;
    const struct exchange_pairs *pairs = &asking->exchange->query;
    buf_addf(key, "%s %s %s %d ", asking->request.operation->name, asking->format->name,
             zone_name(zone_of(asking)), zone_year_start(zone_of(asking)));
    cache_key_add_caller(key, &asking->exchange->caller);
    for (size_t i = 0; i < pairs->count; i++) {
        cache_key_add(key, &pairs->rows[i].name, 1);
        cache_key_add(key, &pairs->rows[i].value, 1);
    }
}

/* Whether the reply in the exchange, or in the cache, is what the client has. */
static bool is_known(const struct exchange *exchange, struct str tag)
{
    return accept_tag(exchange_header(exchange, "If-None-Match"), tag);
}

static int reply_cached(struct asking *asking, const struct cached *cached, struct error *err)
{
    struct exchange *exchange = asking->exchange;
    exchange_set(exchange, "Content-Type", cached->type.ptr);
    exchange_set(exchange, "ETag", cached->tag.ptr);
    exchange_set(exchange, "Stint-Cache", "hit");
    if (cached->as_of.len > 0) {
        exchange_set(exchange, HEADER_AS_OF, cached->as_of.ptr);
    }
    if (cached->warning.len > 0) {
        exchange_set(exchange, HEADER_WARNING, cached->warning.ptr);
    }
    if (is_known(exchange, cached->tag)) {
        exchange->status = 304;
        return 0;
    }
    return exchange_write(exchange, cached->body, err);
}

/*
 * An answer about what is over stays as it is while nothing is written; a word as "yesterday"
 * moves at midnight somewhere.
 */
static int64_t lasts_until(const struct asking *asking)
{
    const struct answer *answer = &asking->answer;
    const int64_t now = stop_clock(),
                  wall = server_context_of(asking->exchange)->service->now();
    const bool past = answer->period.from < answer->period.to && answer->as_of > 0 &&
                      answer->period.to <= answer->as_of;
    return now + (past ? LASTS_US - wall % LASTS_US : FRESH_US);
}

/* A reply that is there as a whole gets its tag, and is kept. */
static void keep_reply(struct asking *asking)
{
    struct exchange *exchange = asking->exchange;
    if (exchange->streaming || exchange->status != 200 || exchange->method == METHOD_POST) {
        return;
    }
    const struct str body = buf_str(&exchange->reply);
    exchange_setf(exchange, "ETag", "W/\"%016" PRIx64 "%08zx\"", str_hash(body, 1), body.len);
    if (!asking->key.overflow && !asking->paged && body.len <= EXCHANGE_WHOLE_MAX) {
        const struct cached reply = {
            exchange_get(exchange, "Content-Type"), exchange_get(exchange, "ETag"), body,
            exchange_get(exchange, HEADER_AS_OF), exchange_get(exchange, HEADER_WARNING)};
        reply_cache_keep(server_context_of(exchange)->cache, buf_str(&asking->key),
                         asking->state, lasts_until(asking), &reply);
    }
    if (is_known(exchange, exchange_get(exchange, "ETag"))) {
        exchange->status = 304;
        buf_clear(&exchange->reply);
    }
}

/* --- asking ------------------------------------------------------------------------------- */

static int call_operation(struct asking *asking, struct error *err)
{
    struct exchange *exchange = asking->exchange;
    const struct table_sink format = {&asking->formatter, formatter_take};
    const struct table_sink collect = {asking, keep_rows};
    const struct table_sink page = {&asking->page, page_cursor_take};
    const struct export_style style = {
        .header = true,
        .zone = zone_of(asking),
        .defused = flag(exchange, "no-formulas"),
        .raw = flag(exchange, "raw"),
    };
    int failed = 0;
    if (asking->format->form == API_ROWS) {
        failed = formatter_init(&asking->formatter, str_of(asking->format->name), NULL, &style,
                                write_bytes, exchange, err);
    }
    asking->page.sink = asking->format->form == API_ROWS ? &format : &collect;
    asking->answer.sink = &page;
    exchange->whole_max = asking->paged ? PAGE_BYTES_MAX : EXCHANGE_WHOLE_MAX;
    exchange_type(exchange, asking->format->type);
    exchange->compressible = asking->format->compressible;
    if (!failed) {
        failed =
            server_context_ask(exchange, &asking->request, asking->zone, &asking->answer, err);
        failed = asking->page.full ? 0 : failed;
    }
    if (!failed) {
        set_age(asking); /* before the first byte */
        failed = write_rest(asking, err);
    }
    if (!failed) {
        link_next(asking);
        if (asking->answer.status != 0) {
            exchange_setf(exchange, "Stint-Status", "%d", asking->answer.status);
        }
        keep_reply(asking);
    }
    return failed;
}

/* From the cache, or by asking. */
static int find_or_ask(struct asking *asking, struct error *err)
{
    const struct server_context *world = server_context_of(asking->exchange);
    struct cached cached;
    buf_init(&asking->key, EXCHANGE_TARGET_MAX * 2);
    make_key(asking);
    asking->state = server_context_state(world);
    if (asking->exchange->method != METHOD_POST && !asking->key.overflow &&
        reply_cache_find(world->cache, buf_str(&asking->key), asking->state, stop_clock(),
                         &asking->exchange->arena, &cached)) {
        asking->exchange->compressible = asking->format->compressible;
        return reply_cached(asking, &cached, err);
    }
    return call_operation(asking, err);
}

/* What changes something is posted, so that no link, picture or robot does it. */
static int check_method(const struct exchange *exchange, const struct request *request,
                        struct error *err)
{
    if (!request_changes(request) || !caller_may(&exchange->caller, request_rights(request))) {
        return 0; /* who may not, learns that at the door */
    }
    if (exchange->method != METHOD_POST) {
        return error_set(err, ERROR_USAGE, "%s changes something: POST it",
                         request->operation->name);
    }
    return identify_check_form(exchange, err);
}

static int ask_operation(struct exchange *exchange, struct error *err)
{
    struct asking asking = {.exchange = exchange};
    struct str name = exchange->parts[0];
    int failed = api_format_choose(exchange, &name, &asking.format, err);
    if (failed == ERROR_INPUT) {
        problem_write(exchange, 406, err);
        return 0;
    }
    const struct operation *operation = failed ? NULL : operation_find(name);
    if (!failed && (!operation || !api_offers(operation))) {
        failed = error_set(err, ERROR_MISSING,
                           "there is no operation '%.*s' here; see /api/v1/openapi.json",
                           STR_ARG(name));
    }
    (void)(failed || (failed = api_read_request(exchange, operation, &asking.request, err)) ||
           (failed = request_check(&asking.request, err)) ||
           (failed = check_method(exchange, &asking.request, err)) ||
           (failed = read_zone(&asking, err)) || (failed = read_page(&asking, err)));
    if (!failed) {
        identify_widen(exchange, &asking.request);
        failed = find_or_ask(&asking, err);
    }
    formatter_release(&asking.formatter);
    table_release(&asking.rows);
    answer_release(&asking.answer);
    buf_release(&asking.key);
    zone_close(asking.zone);
    return failed;
}

/* --- about the API ------------------------------------------------------------------------ */

static int show_description(struct exchange *exchange, struct error *err)
{
    struct buf text;
    buf_init(&text, LIMIT_OUTPUT);
    api_describe(&text, server_context_of(exchange)->prefix);
    exchange_type(exchange, "application/json");
    exchange_set(exchange, "Cache-Control", "public, max-age=300");
    exchange->compressible = true;
    int failed = exchange_write(exchange, buf_str(&text), err);
    buf_release(&text);
    return failed;
}

static const struct route rows[] = {
    {"/api/v1/openapi.json", METHOD_GET, RIGHT_PUBLIC, show_description},
    {"/api/v1/:operation", METHOD_GET | METHOD_POST, RIGHT_PUBLIC, ask_operation},
};

const struct route_table api_routes = {rows, COUNT_OF(rows), "/api/", problem_write};
