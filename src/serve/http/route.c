/* SPDX-License-Identifier: MIT */
#include "serve/http/route.h"

#include "base/url.h"
#include "serve/http/problem.h"

bool route_fits(const char *pattern, struct str path, struct str parts[EXCHANGE_PARTS_MAX])
{
    struct str want = str_of(pattern), rest = path;
    size_t part = 0;
    while (want.ptr) {
        const struct str segment = str_cut(&want, '/');
        if (str_eq(segment, STR("*"))) {
            parts[part] = rest.ptr ? rest : STR("");
            return rest.ptr != NULL;
        }
        if (!rest.ptr) {
            return false;
        }
        const struct str given = str_cut(&rest, '/');
        if (segment.len > 0 && segment.ptr[0] == ':') {
            if (given.len == 0 || part == EXCHANGE_PARTS_MAX) {
                return false;
            }
            parts[part++] = given;
        } else if (!str_eq(segment, given)) {
            return false;
        }
    }
    return !rest.ptr;
}

int route_status(enum error_kind kind)
{
    static const struct {
        enum error_kind kind;
        int status;
    } statuses[] = {
        {ERROR_INPUT, 400},    {ERROR_USAGE, 400}, {ERROR_MISSING, 404},
        {ERROR_CONFLICT, 409}, {ERROR_LIMIT, 413}, {ERROR_DENIED, 403},
        {ERROR_IO, 500},       {ERROR_STORE, 500}, {ERROR_STOPPED, 503},
    };

    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        if (statuses[i].kind == kind) {
            return statuses[i].status;
        }
    }
    return 500;
}

/* The table whose failures a path's are. */
static const struct route_table *table_of(const struct route_table *const *tables,
                                          struct str path)
{
    const struct route_table *best = tables[0];
    for (size_t i = 0; tables[i]; i++) {
        if (str_starts(path, str_of(tables[i]->below)) &&
            (!str_starts(path, str_of(best->below)) ||
             str_of(tables[i]->below).len >= str_of(best->below).len)) {
            best = tables[i];
        }
    }
    return best;
}

static unsigned methods_of(const struct route *route)
{
    return route->methods | (route->methods & METHOD_GET ? METHOD_HEAD : 0u) | METHOD_OPTIONS;
}

/* They were looked at when the path was read. */
static void decode_parts(struct exchange *exchange, const struct str *parts)
{
    struct error ignored;
    for (size_t p = 0; p < EXCHANGE_PARTS_MAX; p++) {
        exchange->parts[p] = (struct str){0};
        if (parts[p].ptr &&
            url_decode(&exchange->arena, parts[p], false, &exchange->parts[p], &ignored) != 0) {
            exchange->parts[p] = STR("");
        }
    }
}

/* The route of path and method; *allowed are the methods that routes of the path take. */
static const struct route *find_route(const struct route_table *const *tables,
                                      struct exchange *exchange, unsigned *allowed)
{
    *allowed = 0;
    for (size_t t = 0; tables[t]; t++) {
        for (size_t i = 0; i < tables[t]->count; i++) {
            const struct route *route = &tables[t]->rows[i];
            struct str parts[EXCHANGE_PARTS_MAX] = {0};
            if (!route_fits(route->path, exchange->path, parts)) {
                continue;
            }
            *allowed |= methods_of(route);
            if (methods_of(route) & exchange->method && exchange->method != METHOD_OPTIONS) {
                decode_parts(exchange, parts);
                return route;
            }
        }
    }
    return NULL;
}

static void fail(const struct route_table *table, struct exchange *exchange, int status,
                 const struct error *err)
{
    if (exchange_reset(exchange)) {
        exchange->status = status;
        (table->fail ? table->fail : problem_write)(exchange, status, err);
    }
}

/* Nothing is there by this name, or not for this method. */
static void refuse_route(const struct route_table *table, struct exchange *exchange,
                         unsigned allowed)
{
    struct error err;
    struct buf methods;
    if (!allowed) {
        error_set(&err, ERROR_MISSING, "there is nothing at '%.*s'", STR_ARG(exchange->path));
        fail(table, exchange, 404, &err);
        return;
    }
    buf_init(&methods, 256);
    exchange_methods(&methods, allowed);
    if (exchange->method == METHOD_OPTIONS) {
        exchange->status = 204;
    } else {
        error_set(&err, ERROR_USAGE, "'%.*s' takes %s only", STR_ARG(exchange->path),
                  methods.ptr);
        fail(table, exchange, 405, &err);
    }
    exchange_set(exchange, "Allow", methods.ptr);
    buf_release(&methods);
}

/* Who is not known is asked to say who they are; who is known and may not, may not. */
static bool may(const struct route_table *table, struct exchange *exchange,
                const struct route *route)
{
    struct error err;
    if (caller_may(&exchange->caller, route->rights)) {
        return true;
    }
    if (exchange->caller.role == ROLE_ANYONE) {
        error_set(&err, ERROR_DENIED, "log in first, or send a token");
        fail(table, exchange, 401, &err);
    } else {
        struct buf names;
        buf_init(&names, ERROR_TEXT_MAX);
        rights_print(&names, route->rights, " and ");
        error_set(&err, ERROR_DENIED,
                  "this needs the right %s, which %s, with the role %s, does not have",
                  names.ptr, exchange->caller.name ? exchange->caller.name : "?",
                  role_name(exchange->caller.role));
        buf_release(&names);
        fail(table, exchange, 403, &err);
    }
    return false;
}

int route_answer(const struct route_table *const *tables, struct exchange *exchange,
                 struct error *err)
{
    unsigned allowed;
    const struct route *route = find_route(tables, exchange, &allowed);
    const struct route_table *table = table_of(tables, exchange->path);
    if (!route) {
        refuse_route(table, exchange, allowed);
        return 0;
    }
    if (!may(table, exchange, route)) {
        return 0;
    }
    int failed = route->handle(exchange, err);
    if (failed && exchange->streaming) {
        return failed;
    }
    if (failed) {
        const bool unknown = failed == ERROR_DENIED && exchange->caller.role == ROLE_ANYONE;
        fail(table, exchange, unknown ? 401 : route_status((enum error_kind)failed), err);
    }
    return 0;
}
