/* SPDX-License-Identifier: MIT */

/*
 * A request over HTTP as the server reads it: a line of target, lines of headers, an empty line, a body. Whatever it is, the
 * router answers, and what an operation would be asked is read.
 */

#include <stddef.h>
#include <stdint.h>

#include "serve/api/api.h"
#include "serve/api/api_format.h"
#include "serve/api/page_cursor.h"
#include "serve/http/problem.h"
#include "serve/http/route.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the API does before it asks. */
static int read_all(struct exchange *exchange, struct error *err)
{
    const struct api_format *format;
    struct str name = exchange->parts[0];
    struct request request;
    int64_t skip;
    int failed = api_format_choose(exchange, &name, &format, err);
    const struct operation *operation = failed ? NULL : operation_find(name);
    operation = operation ? operation : operation_find(STR("report"));
    failed = api_read_request(exchange, operation, &request, err);
    failed = failed ? failed : request_check(&request, err);
    (void)!page_cursor_read(exchange_query(exchange, "cursor"), &skip, &(struct error){0});
    (void)exchange_cookie(exchange, "stint_session");
    return failed;
}

static const struct route rows[] = {
    {"/api/v1/:operation", METHOD_GET | METHOD_POST, ROLE_ANYONE, read_all},
    {"/*", METHOD_GET, ROLE_ANYONE, read_all},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct route_table table = {rows, COUNT_OF(rows), "/", problem_write};
    static const struct route_table *const tables[] = {&table, NULL};
    struct str rest = {(const char *)data, size};
    struct exchange exchange;
    struct error err = {0};
    if (size == 0) {
        return 0;
    }
    exchange_init(&exchange);
    struct str target = str_cut(&rest, '\n');
    exchange.method = exchange_method_of(str_cut(&target, ' '));
    while (rest.ptr) {
        struct str value = str_cut(&rest, '\n');
        if (value.len == 0) {
            break;
        }
        const struct str name = str_cut(&value, ':');
        exchange_add_header(&exchange, name, str_trim(value));
    }
    exchange.body = rest.ptr ? rest : STR("");
    exchange.caller = (struct caller){.name = "fuzz", CALLER_AS(ADMIN)};
    if (exchange_read_target(&exchange, target.ptr ? target : STR(""), "/stint", &err) == 0 &&
        exchange_read_form(&exchange, &err) == 0) {
        (void)!route_answer(tables, &exchange, &err);
        exchange.compressible = true;
        (void)!exchange_finish(&exchange, &err);
    }
    exchange_release(&exchange);
    return 0;
}
