/* SPDX-License-Identifier: MIT */
#include "serve/http/exchange.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "base/url.h"
#include "serve/http/accept.h"
#include "serve/http/gzip_reply.h"

enum { REPLY_HEADERS_MAX = 48, DEFLATE_FROM = 1024 };

static const struct {
    const char *name;
    enum exchange_method method;
} method_names[] = {
    {"GET", METHOD_GET},
    {"HEAD", METHOD_HEAD},
    {"POST", METHOD_POST},
    {"OPTIONS", METHOD_OPTIONS},
};

enum exchange_method exchange_method_of(struct str name)
{
    for (size_t i = 0; i < COUNT_OF(method_names); i++) {
        if (str_eq(name, str_of(method_names[i].name))) {
            return method_names[i].method;
        }
    }
    return METHOD_NONE;
}

void exchange_methods(struct buf *out, unsigned methods)
{
    const char *between = "";
    for (size_t i = 0; i < COUNT_OF(method_names); i++) {
        if (methods & method_names[i].method) {
            buf_addf(out, "%s%s", between, method_names[i].name);
            between = ", ";
        }
    }
}

/*
 * No script, style or picture but our own, no frame around us, no guessing of types, and no
 * word to others about where somebody came from.
 */
static const struct {
    const char *name, *value;
} protections[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
     "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
     "frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Permissions-Policy", "camera=(), microphone=(), geolocation=()"},
};

void exchange_init(struct exchange *exchange)
{
    *exchange = (struct exchange){.status = 200, .whole_max = EXCHANGE_WHOLE_MAX};
    buf_init(&exchange->reply, LIMIT_OUTPUT);
    for (size_t i = 0; i < COUNT_OF(protections); i++) {
        exchange_set(exchange, protections[i].name, protections[i].value);
    }
}

void exchange_release(struct exchange *exchange)
{
    gzip_reply_free(exchange->deflating);
    buf_release(&exchange->reply);
    arena_release(&exchange->arena);
    *exchange = (struct exchange){0};
}

/* --- what was asked ----------------------------------------------------------------------- */

/* Decoded, and UTF-8: no name here is anything else. */
static bool decode(struct arena *arena, struct str from, bool query, struct str *out)
{
    struct error ignored;
    return url_decode(arena, from, query, out, &ignored) == 0 && str_is_utf8(*out);
}

/* "a=1&b=2", each name and value decoded. */
static int read_pairs(struct exchange *exchange, struct str text, struct exchange_pairs *out,
                      struct error *err)
{
    size_t room = 1;
    for (size_t i = 0; i < text.len && room < EXCHANGE_PAIRS_MAX; i++) {
        room += text.ptr[i] == '&';
    }
    out->rows = arena_alloc(&exchange->arena, room * sizeof(*out->rows));
    for (struct str rest = text; rest.ptr && rest.len > 0;) {
        struct str value = str_cut(&rest, '&');
        if (value.len == 0) {
            continue;
        }
        if (out->count == EXCHANGE_PAIRS_MAX) {
            return error_set(err, ERROR_INPUT, "more than %d parameters", EXCHANGE_PAIRS_MAX);
        }
        const struct str name = str_cut(&value, '=');
        struct exchange_pair *pair = &out->rows[out->count++];
        if (!decode(&exchange->arena, name, true, &pair->name) ||
            !decode(&exchange->arena, value.ptr ? value : STR(""), true, &pair->value)) {
            return error_set(err, ERROR_INPUT,
                             "a parameter is badly encoded: UTF-8, with "
                             "%%XX for what cannot stand in an address");
        }
    }
    return 0;
}

/*
 * Segments that are UTF-8, none that leads up or is empty in the middle: what a path names is
 * what it says.
 */
static bool is_plain_path(struct arena *arena, struct str path)
{
    struct str rest = path;
    if (!str_take(&rest, '/')) {
        return false;
    }
    while (rest.ptr) {
        struct str segment;
        if (!decode(arena, str_cut(&rest, '/'), false, &segment) || str_eq(segment, STR(".")) ||
            str_eq(segment, STR("..")) || (segment.len == 0 && rest.ptr)) {
            return false;
        }
    }
    return true;
}

static struct str below_prefix(struct str path, const char *prefix)
{
    const struct str before = str_of(prefix);
    if (before.len > 0 && str_starts(path, before) &&
        (path.len == before.len || path.ptr[before.len] == '/')) {
        path.ptr += before.len;
        path.len -= before.len;
        return path.len ? path : STR("/");
    }
    return path;
}

int exchange_read_target(struct exchange *exchange, struct str target, const char *prefix,
                         struct error *err)
{
    if (target.len > EXCHANGE_TARGET_MAX) {
        return error_set(err, ERROR_LIMIT, "an address has %d bytes at most",
                         EXCHANGE_TARGET_MAX);
    }
    exchange->target = arena_copy(&exchange->arena, target);
    struct str query = exchange->target;
    const struct str path = str_cut(&query, '?');
    if (!is_plain_path(&exchange->arena, path)) {
        return error_set(err, ERROR_INPUT, "that is not the path of a page");
    }
    exchange->path = below_prefix(path, prefix);
    return read_pairs(exchange, query, &exchange->query, err);
}

int exchange_read_form(struct exchange *exchange, struct error *err)
{
    struct str type = exchange_header(exchange, "Content-Type");
    type = str_trim(type.ptr ? str_cut(&type, ';') : STR(""));
    if (!str_eq_nocase(type, STR("application/x-www-form-urlencoded"))) {
        return 0;
    }
    return read_pairs(exchange, exchange->body, &exchange->form, err);
}

void exchange_add_header(struct exchange *exchange, struct str name, struct str value)
{
    struct exchange_pairs *headers = &exchange->headers;
    if (!headers->rows) {
        headers->rows =
            arena_alloc(&exchange->arena, EXCHANGE_HEADERS_MAX * sizeof(*headers->rows));
    }
    exchange->too_many_headers = headers->count == EXCHANGE_HEADERS_MAX;
    if (!exchange->too_many_headers) {
        headers->rows[headers->count++] = (struct exchange_pair){
            arena_copy(&exchange->arena, name), arena_copy(&exchange->arena, value)};
    }
}

static struct str find_pair(const struct exchange_pairs *pairs, const char *name, bool any_case)
{
    for (size_t i = 0; i < pairs->count; i++) {
        const struct str one = pairs->rows[i].name;
        if (any_case ? str_eq_nocase(one, str_of(name)) : str_eq(one, str_of(name))) {
            return pairs->rows[i].value;
        }
    }
    return (struct str){0};
}

size_t exchange_header_count(const struct exchange *exchange, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < exchange->headers.count; i++) {
        count += str_eq_nocase(exchange->headers.rows[i].name, str_of(name));
    }
    return count;
}

/*
 * A name is a token of RFC 9110; a value has no control characters but tabs. What is neither,
 * others may read otherwise.
 */
static bool is_plain_header(const struct exchange_pair *header)
{
    static const char marks[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < header->name.len; i++) {
        const char byte = header->name.ptr[i];
        if (!(byte >= 'a' && byte <= 'z') && !(byte >= 'A' && byte <= 'Z') &&
            !(byte >= '0' && byte <= '9') && !memchr(marks, byte, sizeof(marks) - 1)) {
            return false;
        }
    }
    for (size_t i = 0; i < header->value.len; i++) {
        const unsigned char byte = (unsigned char)header->value.ptr[i];
        if ((byte < ' ' && byte != '\t') || byte == 0x7f) {
            return false;
        }
    }
    return header->name.len > 0;
}

int exchange_check_head(const struct exchange *exchange, struct error *err)
{
    if (exchange->too_many_headers) {
        return error_set(err, ERROR_LIMIT, "a request has %d headers at most",
                         EXCHANGE_HEADERS_MAX);
    }
    for (size_t i = 0; i < exchange->headers.count; i++) {
        if (!is_plain_header(&exchange->headers.rows[i])) {
            return error_set(err, ERROR_USAGE,
                             "a header is malformed: 'Name: value', without "
                             "blanks in the name or control characters");
        }
    }
    static const char *const once[] = {"Host", "Content-Length", "Transfer-Encoding",
                                       "Authorization"};
    for (size_t i = 0; i < COUNT_OF(once); i++) {
        if (exchange_header_count(exchange, once[i]) > 1) {
            return error_set(err, ERROR_USAGE, "the header %s is there more than once",
                             once[i]);
        }
    }
    if (exchange_header(exchange, "Content-Length").ptr &&
        exchange_header(exchange, "Transfer-Encoding").ptr) {
        return error_set(err, ERROR_USAGE,
                         "the headers Content-Length and Transfer-Encoding exclude each other");
    }
    return 0;
}

struct str exchange_header(const struct exchange *exchange, const char *name)
{
    return find_pair(&exchange->headers, name, true);
}

struct str exchange_last_header(const struct exchange *exchange, const char *name)
{
    struct str last = {0};
    for (size_t i = 0; i < exchange->headers.count; i++) {
        if (str_eq_nocase(exchange->headers.rows[i].name, str_of(name))) {
            last = exchange->headers.rows[i].value;
        }
    }
    return last;
}

struct str exchange_query(const struct exchange *exchange, const char *name)
{
    return find_pair(&exchange->query, name, false);
}

struct str exchange_form(const struct exchange *exchange, const char *name)
{
    return find_pair(&exchange->form, name, false);
}

struct str exchange_cookie(const struct exchange *exchange, const char *name)
{
    struct str rest = exchange_header(exchange, "Cookie");
    while (rest.ptr) {
        struct str value = str_trim(str_cut(&rest, ';'));
        if (str_eq(str_cut(&value, '='), str_of(name)) && value.ptr) {
            return value;
        }
    }
    return (struct str){0};
}

int exchange_accepts(const struct exchange *exchange, const char *const *types, size_t count)
{
    return accept_best(exchange_header(exchange, "Accept"), types, count);
}

/* --- the reply ---------------------------------------------------------------------------- */

void exchange_set(struct exchange *exchange, const char *name, const char *value)
{
    struct exchange_pairs *headers = &exchange->reply_headers;
    if (!headers->rows) {
        headers->rows =
            arena_alloc(&exchange->arena, REPLY_HEADERS_MAX * sizeof(*headers->rows));
    }
    const struct exchange_pair pair = {arena_copy(&exchange->arena, str_of(name)),
                                       arena_copy(&exchange->arena, str_of(value))};
    for (size_t i = 0; i < headers->count && strcmp(name, "Set-Cookie") != 0; i++) {
        if (str_eq_nocase(headers->rows[i].name, pair.name)) {
            headers->rows[i] = pair;
            return;
        }
    }
    if (headers->count < REPLY_HEADERS_MAX) {
        headers->rows[headers->count++] = pair;
    }
}

void exchange_setf(struct exchange *exchange, const char *name, const char *format, ...)
{
    struct buf value;
    va_list args;
    buf_init(&value, EXCHANGE_TARGET_MAX);
    va_start(args, format);
    buf_addv(&value, format, args);
    va_end(args);
    exchange_set(exchange, name, value.ptr);
    buf_release(&value);
}

void exchange_type(struct exchange *exchange, const char *type)
{
    exchange_set(exchange, "Content-Type", type);
}

struct str exchange_get(const struct exchange *exchange, const char *name)
{
    return find_pair(&exchange->reply_headers, name, true);
}

static bool takes_gzip(const struct exchange *exchange)
{
    return exchange->compressible && exchange->method != METHOD_HEAD &&
           accept_has(exchange_header(exchange, "Accept-Encoding"), "gzip");
}

void exchange_seal(struct exchange *exchange)
{
    if (!exchange_get(exchange, "Cache-Control").ptr) {
        exchange_set(exchange, "Cache-Control", "private, no-store");
    }
    exchange_set(exchange, "Vary", "Accept, Accept-Encoding, Authorization, Cookie");
    if (exchange->secure) {
        exchange_set(exchange, "Strict-Transport-Security", "max-age=31536000");
    }
}

/* What has been written goes out; from now on it cannot be taken back. */
static int flush(struct exchange *exchange, struct error *err)
{
    if (!exchange->streaming) {
        exchange_seal(exchange); /* headers do not change once it streams */
        exchange->streaming = true;
        if (takes_gzip(exchange)) {
            exchange_set(exchange, "Content-Encoding", "gzip");
            exchange->deflating = gzip_reply_new();
        }
    }
    if (!exchange->send) {
        return error_set(err, ERROR_LIMIT, "the answer is longer than %d bytes",
                         EXCHANGE_WHOLE_MAX);
    }
    struct str bytes = buf_str(&exchange->reply);
    int failed = exchange->deflating
                     ? gzip_reply_add(exchange->deflating, bytes, false, &bytes, err)
                     : 0;
    failed = failed ? failed : exchange->send(exchange->sender, bytes, err);
    buf_clear(&exchange->reply);
    return failed;
}

int exchange_write(struct exchange *exchange, struct str bytes, struct error *err)
{
    if (stop_is_set(&exchange->stop)) {
        return stop_explain(&exchange->stop, err);
    }
    buf_add(&exchange->reply, bytes);
    if (exchange->reply.overflow) {
        return error_set(err, ERROR_LIMIT, "a part of the answer is larger than %d MiB",
                         LIMIT_OUTPUT >> 20);
    }
    return exchange->reply.len > exchange->whole_max ? flush(exchange, err) : 0;
}

void exchange_redirect(struct exchange *exchange, int status, const char *where)
{
    exchange->status = status;
    exchange_set(exchange, "Location", where);
}

bool exchange_reset(struct exchange *exchange)
{
    if (exchange->streaming) {
        return false;
    }
    buf_clear(&exchange->reply);
    for (size_t i = 0; i < COUNT_OF(protections); i++) { /* they were the first */
        exchange->reply_headers.rows[i] =
            (struct exchange_pair){str_of(protections[i].name), str_of(protections[i].value)};
    }
    exchange->reply_headers.count = COUNT_OF(protections);
    exchange->status = 200;
    exchange->compressible = false;
    return true;
}

static int compress_whole(struct exchange *exchange, struct error *err)
{
    struct gzip_reply *deflating = gzip_reply_new();
    struct str packed;
    int failed = gzip_reply_add(deflating, buf_str(&exchange->reply), true, &packed, err);
    if (!failed) {
        buf_clear(&exchange->reply);
        buf_add(&exchange->reply, packed);
        exchange_set(exchange, "Content-Encoding", "gzip");
    }
    gzip_reply_free(deflating);
    return failed;
}

int exchange_finish(struct exchange *exchange, struct error *err)
{
    if (!exchange->streaming) {
        exchange_seal(exchange);
        return takes_gzip(exchange) && exchange->reply.len >= DEFLATE_FROM
                   ? compress_whole(exchange, err)
                   : 0;
    }
    struct str bytes = buf_str(&exchange->reply);
    int failed =
        exchange->deflating ? gzip_reply_add(exchange->deflating, bytes, true, &bytes, err) : 0;
    failed = failed || bytes.len == 0 ? failed : exchange->send(exchange->sender, bytes, err);
    buf_clear(&exchange->reply);
    return failed;
}
