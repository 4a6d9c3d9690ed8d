/* SPDX-License-Identifier: MIT */

/* Paths and methods find their handlers, callers are let in by their role, failures become problems. */

#include "serve/http/route.h"

#include "serve/api/api_format.h"
#include "serve/api/page_cursor.h"
#include "serve/http/problem.h"
#include "serve/http/routes.h"
#include "support/expect.h"
#include "view/export/export.h"

#define expect_str(got, want) expect_text_n((got).ptr, (got).len, (want))

struct fit_row {
    const char *name;
    const char *pattern, *path;
    bool fits;
    const char *first, *second; /* parts; NULL: none */
};

static const struct fit_row fit_rows[] = {
    {"the same", "/api/v1/health", "/api/v1/health", true, NULL, NULL},
    {"longer", "/api", "/api/v1", false, NULL, NULL},
    {"shorter", "/api/v1", "/api", false, NULL, NULL},
    {"a variable", "/jobs/:id", "/jobs/17", true, "17", NULL},
    {"two", "/:kind/:name", "/user/ann", true, "user", "ann"},
    {"an empty one", "/jobs/:id", "/jobs/", false, NULL, NULL},
    {"the rest", "/static/*", "/static/css/site.css", true, "css/site.css", NULL},
    {"an empty rest", "/static/*", "/static/", true, "", NULL},
    {"no rest", "/static/*", "/static", false, NULL, NULL},
    {"the root", "/", "/", true, NULL, NULL},
};

static void a_path_fits_its_pattern(void **state)
{
    const struct fit_row *row = *state;
    struct str parts[EXCHANGE_PARTS_MAX] = {0};
    expect_true(route_fits(row->pattern, str_of(row->path), parts) == row->fits);
    if (row->fits && row->first) {
        expect_str(parts[0], row->first);
    }
    if (row->fits && row->second) {
        expect_str(parts[1], row->second);
    }
}

static int say_part(struct exchange *exchange, struct error *err)
{
    exchange_type(exchange, "text/plain");
    return exchange_write(exchange, exchange->parts[0], err);
}

static int fail_missing(struct exchange *exchange, struct error *err)
{
    int failed = exchange_write(exchange, STR("half of it"), err);
    return failed ? failed : error_set(err, ERROR_MISSING, "there is no \"job\" 17");
}

static const struct route rows[] = {
    {"/say/:what", METHOD_GET, RIGHT_PUBLIC, say_part},
    {"/change", METHOD_POST, RIGHT_BOOKS, say_part},
    {"/missing", METHOD_GET, RIGHT_OWN, fail_missing},
    {"/unthought", METHOD_GET, RIGHT_UNSET, say_part},
};

static const struct route_table table = {rows, COUNT_OF(rows), "/", problem_write};

static const struct route_table *const tables[] = {&table, NULL};

struct answer_row {
    const char *name;
    enum exchange_method method;
    const char *target;
    enum role role;
    int status;
    const char *body, *allow; /* NULL: whatever */
};

static const struct answer_row answer_rows[] = {
    {"a handler answers", METHOD_GET, "/say/hello%20there", ROLE_ANYONE, 200, "hello there",
     NULL},
    {"HEAD is GET", METHOD_HEAD, "/say/hello", ROLE_ANYONE, 200, "hello", NULL},
    {"nothing is there", METHOD_GET, "/nowhere", ROLE_ADMIN, 404, NULL, NULL},
    {"another method", METHOD_GET, "/change", ROLE_ADMIN, 405, NULL, "POST, OPTIONS"},
    {"what it takes", METHOD_OPTIONS, "/say/x", ROLE_ANYONE, 204, "", "GET, HEAD, OPTIONS"},
    {"who is not known", METHOD_POST, "/change", ROLE_ANYONE, 401, NULL, NULL},
    {"who is known and may not", METHOD_POST, "/change", ROLE_STAFF, 403, NULL, NULL},
    {"who may", METHOD_POST, "/change", ROLE_ADMIN, 200, "", NULL},
    {"rights nobody thought about", METHOD_GET, "/unthought", ROLE_ADMIN, 403, NULL, NULL},
    {"a failure is a problem", METHOD_GET, "/missing", ROLE_USER, 404,
     "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,\"detail\":\"there is "
     "no "
     "\\\"job\\\" 17\"}\n",
     NULL},
};

static void a_request_is_answered(void **state)
{
    const struct answer_row *row = *state;
    struct exchange exchange;
    struct error err = {0};
    exchange_init(&exchange);
    exchange.method = row->method;
    exchange.caller = (struct caller){
        .name = "somebody", .role = row->role, .rights = role_rights(row->role)};
    expect_int(exchange_read_target(&exchange, str_of(row->target), "", &err), 0);
    expect_int(route_answer(tables, &exchange, &err), 0);
    expect_int(exchange.status, row->status);
    if (row->body) {
        expect_str(buf_str(&exchange.reply), row->body);
    }
    if (row->allow) {
        expect_str(exchange_get(&exchange, "Allow"), row->allow);
    }
    exchange_release(&exchange);
}

static void every_route_has_rights_and_a_handler(void **state)
{
    (void)state;
    for (size_t t = 0; routes[t]; t++) {
        expect_true(routes[t]->fail != NULL);
        for (size_t i = 0; i < routes[t]->count; i++) {
            const struct route *route = &routes[t]->rows[i];
            expect_true(route->path[0] == '/' && route->methods && route->handle);
            expect_true(route->rights != RIGHT_UNSET);
        }
    }
}

/* --- pages ---------------------------------------------------------------------------------------- */

static void pages_put_together_are_the_answer(void **state)
{
    (void)state;

    enum { ROWS = 25, SIZE = 7, CHUNK = 4 };

    struct table got = {0};
    int64_t skip = 0;
    bool more = true;
    while (more) {
        struct table_sink collect = {&got, table_collect};
        struct page_cursor page = {.skip = skip, .size = SIZE, .sink = &collect};
        struct error err = {0};
        int failed = 0;
        for (int first = 0; !failed && first < ROWS; first += CHUNK) {
            struct table chunk = {0};
            table_column(&chunk, "n", "N", CELL_INT, UNIT_COUNT, COLUMN_DIMENSION);
            for (int i = first; i < ROWS && i < first + CHUNK; i++) {
                table_set_int(&chunk, 0, table_row(&chunk), i);
            }
            failed = page_cursor_take(&page, &chunk, &err);
            table_release(&chunk);
        }
        expect_true(!failed || page.full);
        char text[PAGE_CURSOR_TEXT_MAX];
        page_cursor_text(&page, text);
        more = page.more;
        expect_int(page_cursor_read(str_of(text), &skip, &err), 0);
    }
    expect_int((int64_t)got.row_count, ROWS);
    for (size_t i = 0; i < got.row_count; i++) {
        expect_int((int64_t)table_wide(&got, 0, i), (int64_t)i);
    }
    table_release(&got);
}

static void what_is_no_cursor_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "p", "17", "pxyz", "p-1", "p1234567890abcdef"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct error err = {0};
        int64_t skip;
        expect_int(page_cursor_read(str_of(texts[i]), &skip, &err), ERROR_USAGE);
    }
}

static void every_format_for_machines_is_offered(void **state)
{
    (void)state;
    for (const struct export_format *format = export_formats; format->name; format++) {
        size_t i = 0;
        while (i < api_format_count &&
               !str_eq(str_of(api_formats[i].name), str_of(format->name))) {
            i++;
        }
        if (i == api_format_count) {
            expect_fail("the API does not offer %s: src/serve/api/api_format.c", format->name);
        }
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_format_for_machines_is_offered);
    SUITE_ROWS(&suite, a_path_fits_its_pattern, fit_rows);
    SUITE_ROWS(&suite, a_request_is_answered, answer_rows);
    SUITE_TEST(&suite, every_route_has_rights_and_a_handler);
    SUITE_TEST(&suite, pages_put_together_are_the_answer);
    SUITE_TEST(&suite, what_is_no_cursor_is_refused);
    return suite_run(&suite, "route");
}
