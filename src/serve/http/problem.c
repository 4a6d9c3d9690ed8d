/* SPDX-License-Identifier: MIT */
#include "serve/http/problem.h"

#include "base/json.h"

/* "Not Found". */
static const char *title_of(int status)
{
    static const struct {
        int status;
        const char *title;
    } titles[] = {
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {429, "Too Many Requests"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {431, "Request Header Fields Too Large"},
        {503, "Service Unavailable"},
    };

    for (size_t i = 0; i < COUNT_OF(titles); i++) {
        if (titles[i].status == status) {
            return titles[i].title;
        }
    }
    return "Failed";
}

void problem_write(struct exchange *exchange, int status, const struct error *err)
{
    struct json json = {.out = &exchange->reply};
    exchange->status = status;
    exchange_type(exchange, "application/problem+json");
    if (status == 401) {
        exchange_set(exchange, "WWW-Authenticate", "Bearer realm=\"stint\"");
    }
    if (status == 429 || status == 503) {
        exchange_set(exchange, "Retry-After", "5");
    }
    json_begin_object(&json);
    json_put_key(&json, "type");
    json_put_text(&json, STR("about:blank"));
    json_put_key(&json, "title");
    json_put_text(&json, str_of(title_of(status)));
    json_put_key(&json, "status");
    json_put_int(&json, status);
    json_put_key(&json, "detail");
    json_put_text(&json, str_of(err->text));
    json_end_level(&json);
    buf_addc(&exchange->reply, '\n');
}
