/* SPDX-License-Identifier: MIT */
#include "reach/http_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "reach/curl.h"

enum { ADDRESS_MAX = 1024, URL_MAX = 16 << 10, CONNECT_MS = 10000 };

struct http {
    struct http_server server;
    void *handle;
    void *headers, *connect_to; /* lists of libcurl's */
    char base[ADDRESS_MAX];     /* what a path is put after */
    char why[CURL_ERROR_MAX];

    /* of the question that is under way */
    struct http_answer *answer;
    const struct http_taker *taker; /* or NULL */
    uint64_t taken;                 /* bytes that went there */
    struct error failure;           /* our own reason to end it */
    int failed;
};

static bool is_success(int code)
{
    return code == CURL_DONE;
}

/* Whether the answer is one for the taker. */
static bool is_taken(const struct http *http)
{
    long status = 0;
    return http->taker &&
           is_success(curl.easy_getinfo(http->handle, CURL_RESPONSE_CODE, &status)) &&
           status == 200;
}

/* Takes a piece of the answer. Less than all of it ends the question. */
static size_t take_body(char *data, size_t size, size_t count, void *user)
{
    struct http *http = user;
    const struct str bytes = {data, size * count};
    if (http->answer->body.size + http->taken + bytes.len > http->server.limit) {
        http->failed =
            error_set(&http->failure, ERROR_LIMIT, "'%s' answered more than %" PRIu64 " bytes",
                      http->server.address, http->server.limit);
    } else if (is_taken(http)) {
        http->taken += bytes.len;
        http->failed = http->taker->take(http->taker->context, bytes, &http->failure);
    } else {
        http->failed = spool_add(&http->answer->body, bytes, &http->failure);
    }
    return http->failed ? 0 : bytes.len;
}

static size_t take_header(char *data, size_t size, size_t count, void *user)
{
    struct http *http = user;
    struct str value = {data, size * count};
    struct str name = str_cut(&value, ':');
    int64_t index;
    if (value.ptr && str_eq_nocase(name, STR("X-Nomad-Index")) &&
        scan_int(str_trim(value), &index) && index >= 0) {
        http->answer->index = index;
    }
    return size * count;
}

static int look_at_stop(void *user, int64_t down_all, int64_t down, int64_t up_all, int64_t up)
{
    const struct http *http = user;
    (void)down_all;
    (void)down;
    (void)up_all;
    (void)up;
    return http->taker ? !http->taker->look(http->taker->context)
                       : stop_is_set(http->server.stop);
}

static int refused(struct error *err, const char *what)
{
    return error_set(err, ERROR_IO, "this libcurl does not know %s", what);
}

/* Takes the address apart: what paths follow, the Unix socket, whom to connect to. */
static int set_address(struct http *http, struct error *err)
{
    const struct http_server *server = &http->server;
    struct str address = str_of(server->address);
    while (str_ends(address, STR("/"))) {
        address.len--;
    }
    if (str_starts(address, STR("unix:/"))) {
        snprintf(http->base, sizeof(http->base), "http://localhost");
        return is_success(curl.easy_setopt(http->handle, CURL_UNIX_SOCKET_PATH,
                                           server->address + strlen("unix:"))) &&
                       is_success(curl.easy_setopt(http->handle, CURL_PROXY, ""))
                   ? 0
                   : refused(err, "Unix sockets");
    }
    struct str rest = address;
    const bool secure = str_starts(address, STR("https://"));
    if ((!secure && !str_starts(address, STR("http://"))) || address.len >= ADDRESS_MAX ||
        str_byte(address, '@')) {
        return error_set(
            err, ERROR_USAGE,
            "'%s' is not an address: write http://HOST:PORT, https://HOST:PORT or unix:/PATH",
            server->address);
    }
    if (!secure || !server->server_name) {
        snprintf(http->base, sizeof(http->base), "%.*s", STR_ARG(address));
        return 0;
    }
    rest.ptr += strlen("https://");
    rest.len -= strlen("https://");
    char to[ADDRESS_MAX + 8];
    const struct str host = str_cut(&rest, ':');
    snprintf(to, sizeof(to), "::%.*s:%.*s", STR_ARG(host), STR_ARG(rest));
    http->connect_to = curl.slist_append(NULL, to);
    snprintf(http->base, sizeof(http->base), "https://%s:%.*s", server->server_name,
             rest.len > 0 ? (int)rest.len : 3, rest.len > 0 ? rest.ptr : "443");
    return is_success(curl.easy_setopt(http->handle, CURL_CONNECT_TO, http->connect_to))
               ? 0
               : refused(err, "another name for a server");
}

static int set_texts(struct http *http, struct error *err)
{
    const struct http_server *server = &http->server;

    const struct {
        enum curl_option option;
        const char *text, *what;
    } texts[] = {
        {CURL_CAINFO, server->authority, "certificates"},
        {CURL_SSLCERT, server->certificate, "certificates"},
        {CURL_SSLKEY, server->key, "keys"},
        {CURL_USERAGENT, "stint", "names"},
        {CURL_ACCEPT_ENCODING, "", "compression"},
        {CURL_ERRORBUFFER, http->why, "reasons"},
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (texts[i].text &&
            !is_success(curl.easy_setopt(http->handle, texts[i].option, texts[i].text))) {
            return refused(err, texts[i].what);
        }
    }
    return 0;
}

static int set_numbers(struct http *http, struct error *err)
{
    static const struct {
        enum curl_option option;
        long number;
    } numbers[] = {
        {CURL_HTTPGET, 1},
        {CURL_FOLLOWLOCATION, 0},
        {CURL_NOSIGNAL, 1},
        {CURL_NOPROGRESS, 0},
        {CURL_SSL_VERIFYPEER, 1},
        {CURL_SSL_VERIFYHOST, 2},
        {CURL_PROTOCOLS, CURL_HTTP_AND_HTTPS},
        {CURL_CONNECTTIMEOUT_MS, CONNECT_MS},
    };

    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        if (!is_success(curl.easy_setopt(http->handle, numbers[i].option, numbers[i].number))) {
            return refused(err, "how to ask");
        }
    }
    return 0;
}

static int set_functions(struct http *http, struct error *err)
{
    void *handle = http->handle;
    return is_success(curl.easy_setopt(handle, CURL_WRITEFUNCTION, take_body)) &&
                   is_success(curl.easy_setopt(handle, CURL_WRITEDATA, http)) &&
                   is_success(curl.easy_setopt(handle, CURL_HEADERFUNCTION, take_header)) &&
                   is_success(curl.easy_setopt(handle, CURL_HEADERDATA, http)) &&
                   is_success(curl.easy_setopt(handle, CURL_XFERINFOFUNCTION, look_at_stop)) &&
                   is_success(curl.easy_setopt(handle, CURL_XFERINFODATA, http))
               ? 0
               : refused(err, "how to answer");
}

static int set_headers(struct http *http, struct error *err)
{
    const struct http_header *header = http->server.headers;
    struct buf line;
    buf_init(&line, URL_MAX);
    for (; header && header->name; header++) {
        buf_clear(&line);
        buf_addf(&line, "%s: %s", header->name, header->value);
        if (line.overflow || strpbrk(line.ptr, "\r\n")) {
            buf_release(&line);
            return error_set(err, ERROR_USAGE, "what goes with '%s' to '%s' is no single line",
                             header->name, http->server.address);
        }
        http->headers = curl.slist_append(http->headers, line.ptr);
    }
    buf_release(&line);
    return !http->headers ||
                   is_success(curl.easy_setopt(http->handle, CURL_HTTPHEADER, http->headers))
               ? 0
               : refused(err, "headers");
}

int http_open(const struct http_server *server, struct http **out, struct error *err)
{
    *out = NULL;
    int failed = curl_load(err);
    if (failed) {
        return failed;
    }
    struct http *http = mem_alloc(1, sizeof(*http));
    http->server = *server;
    http->handle = curl.easy_init();
    if (!http->handle) {
        failed = error_set(err, ERROR_IO, "libcurl cannot be initialized");
    } else {
        (void)((failed = set_address(http, err)) || (failed = set_texts(http, err)) ||
               (failed = set_numbers(http, err)) || (failed = set_functions(http, err)) ||
               (failed = set_headers(http, err)));
    }
    if (failed) {
        http_close(http);
        return failed;
    }
    *out = http;
    return 0;
}

void http_close(struct http *http)
{
    if (!http) {
        return;
    }
    if (http->handle) {
        curl.easy_cleanup(http->handle);
    }
    if (http->headers) {
        curl.slist_free_all(http->headers);
    }
    if (http->connect_to) {
        curl.slist_free_all(http->connect_to);
    }
    free(http);
}

/* What an operator can do about it. */
static const char *advice(int code)
{
    static const struct {
        int code;
        const char *text;
    } rows[] = {
        {CURL_NO_HOST, "; is the name in 'address' right?"},
        {CURL_NO_CONNECTION, "; is it running, and can this machine reach it?"},
        {CURL_CUT_SHORT, "; nothing of the answer is used"},
        {CURL_NOTHING_CAME, "; is it that kind of server?"},
        {CURL_TLS_FAILED, "; does it use https?"},
        {CURL_NO_CERTIFICATE, "; can 'certificate' and 'key' be read?"},
        {CURL_NOT_TRUSTED,
         "; set 'authority' to a file with the certificates to trust, or $STINT_CA for "
         "--server"},
        {CURL_NO_AUTHORITY, "; can the file of 'authority', or of $STINT_CA, be read?"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].code == code) {
            return rows[i].text;
        }
    }
    return "";
}

static int no_answer(struct http *http, int code, int64_t timeout_us, struct error *err)
{
    const char *address = http->server.address;
    if (http->failed) {
        return error_set(err, http->failure.kind, "%s", http->failure.text);
    }
    if (code == CURL_ABORTED) {
        return error_set(err, ERROR_STOPPED, "interrupted while '%s' was asked", address);
    }
    if (code == CURL_TIMED_OUT && timeout_us > 0) {
        return error_set(err, ERROR_IO, "'%s' did not answer completely within %lld seconds",
                         address, (long long)(timeout_us / 1000000));
    }
    for (char *c = http->why; *c; c++) {
        *c = *c < ' ' || *c > '~' ? '.' : *c;
    }
    return error_set(err, ERROR_IO, "cannot query '%s': %s%s", address,
                     http->why[0] ? http->why : curl.easy_strerror(code), advice(code));
}

static int send_http_request(struct http *http, const char *path, int64_t timeout_us,
                             struct error *err)
{
    struct buf url;
    long status = 0;
    buf_init(&url, URL_MAX);
    buf_addf(&url, "%s%s", http->base, path);
    http->why[0] = '\0';
    http->failed = 0;
    int failed = 0;
    const long ms = timeout_us > 0 ? (long)((timeout_us + 999) / 1000) : 0;
    if (url.overflow) {
        failed = error_set(err, ERROR_LIMIT, "a question of more than %d bytes for '%s'",
                           URL_MAX, http->server.address);
    } else if (!is_success(curl.easy_setopt(http->handle, CURL_URL, url.ptr)) ||
               !is_success(curl.easy_setopt(http->handle, CURL_TIMEOUT_MS, ms))) {
        failed = refused(err, "how to ask");
    } else {
        int code = curl.easy_perform(http->handle);
        failed = is_success(code) ? 0 : no_answer(http, code, timeout_us, err);
        (void)curl.easy_getinfo(http->handle, CURL_RESPONSE_CODE, &status);
        http->answer->status = (int)status;
    }
    buf_release(&url);
    return failed;
}

/* Asks, and has the answer in its spool, from the start. */
static int ask_all(struct http *http, const char *path, int64_t timeout_us,
                   struct http_answer *out, struct error *err)
{
    *out = (struct http_answer){.index = -1, .body = SPOOL_NONE};
    http->answer = out;
    int failed = spool_open(&out->body, err);
    if (!failed) {
        failed = send_http_request(http, path,
                                   timeout_us > 0 ? timeout_us : http->server.timeout_us, err);
    }
    if (!failed) {
        failed = spool_rewind(&out->body, err);
    }
    if (failed) {
        spool_close(&out->body);
    }
    http->answer = NULL;
    return failed;
}

int http_get(struct http *http, const char *path, int64_t timeout_us, struct http_answer *out,
             struct error *err)
{
    if (!is_success(curl.easy_setopt(http->handle, CURL_HTTPGET, 1L))) {
        return refused(err, "how to ask");
    }
    return ask_all(http, path, timeout_us, out, err);
}

int http_post(struct http *http, const char *path, struct str body, struct http_answer *out,
              struct error *err)
{
    return http_post_to(http, path, body, NULL, out, err);
}

int http_post_to(struct http *http, const char *path, struct str body,
                 const struct http_taker *taker, struct http_answer *out, struct error *err)
{
    if (!is_success(curl.easy_setopt(http->handle, CURL_POST, 1L)) ||
        !is_success(
            curl.easy_setopt(http->handle, CURL_POSTFIELDSIZE_LARGE, (int64_t)body.len)) ||
        !is_success(curl.easy_setopt(http->handle, CURL_POSTFIELDS, body.ptr))) {
        return refused(err, "how to ask");
    }
    http->taker = taker;
    http->taken = 0;
    int failed = ask_all(http, path, 0, out, err);
    http->taker = NULL;
    return failed;
}

void http_escape(struct buf *out, struct str text)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= 'a' && byte <= 'z') || byte == '-' || byte == '_' ||
                           byte == '.' || byte == '~';
        if (plain) {
            buf_addc(out, (char)byte);
        } else {
            buf_add(out, (struct str){
                             (const char[3]){'%', digits[byte >> 4], digits[byte & 15]}, 3});
        }
    }
}
