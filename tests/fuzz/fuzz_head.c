/* SPDX-License-Identifier: MIT */

/*
 * Bytes as a client sends them, through a socket and libmicrohttpd to a handler. What a handler gets has one meaning; and where
 * the bytes begin with requests that are written as strictly as can be, these are the requests that it gets, in their order: no
 * proxy in front that reads strictly can be made to pass a request inside of another one.
 */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/scan.h"
#include "serve/http/http_server.h"

enum { REQUESTS_MAX = 64, PATH_ROOM = 64, WAIT_MS = 60000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct paths {
    char rows[REQUESTS_MAX][PATH_ROOM];
    size_t count;
};

static struct paths handled; /* by the one worker; read once the connection is closed */
static _Atomic(size_t) handled_count;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_size;

static void must(bool held)
{
    if (!held) {
        abort();
    }
}

static void add_path(struct paths *paths, struct str path)
{
    if (paths->count < REQUESTS_MAX) {
        snprintf(paths->rows[paths->count++], PATH_ROOM, "%.*s", STR_ARG(path));
    }
}

/* --- what a handler may get ----------------------------------------------------------------------- */

static bool is_token(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (!strchr(
                "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                name.ptr[i])) {
            return false;
        }
    }
    return name.len > 0;
}

static int handle(void *owner, struct exchange *exchange, struct error *err)
{
    static const char *const single[] = {"Host", "Content-Length", "Transfer-Encoding",
                                         "Authorization", "X-Remote-User"};
    (void)owner;
    for (size_t i = 0; i < COUNT_OF(single); i++) {
        must(exchange_header_count(exchange, single[i]) <= 1);
    }
    must(exchange_header_count(exchange, "Content-Length") +
             exchange_header_count(exchange, "Transfer-Encoding") <=
         1);
    must(exchange->method != METHOD_NONE);
    for (size_t i = 0; i < exchange->headers.count; i++) {
        const struct exchange_pair *header = &exchange->headers.rows[i];
        must(is_token(header->name));
        for (size_t at = 0; at < header->value.len; at++) {
            const unsigned char byte = (unsigned char)header->value.ptr[at];
            must((byte >= ' ' && byte != 127) || byte == '\t');
        }
    }
    add_path(&handled, exchange->path);
    atomic_store(&handled_count, handled.count);
    return exchange_write(exchange, STR("x"), err);
}

/* --- what was sent, read strictly ----------------------------------------------------------------- */

/* A line that ends with CR LF and has nothing but printable ASCII. */
static bool take_line(struct str *rest, struct str *out)
{
    const char *end = memmem(rest->ptr, rest->len, "\r\n", 2);
    if (!end) {
        return false;
    }
    *out = (struct str){rest->ptr, (size_t)(end - rest->ptr)};
    rest->len -= out->len + 2;
    rest->ptr = end + 2;
    for (size_t i = 0; i < out->len; i++) {
        if (out->ptr[i] < ' ' || out->ptr[i] > '~') {
            return false;
        }
    }
    return true;
}

/* "GET /abc/d HTTP/1.1", and nothing less plain. */
static bool read_first(struct str line, struct str *path)
{
    struct str rest = line;
    const struct str method = str_cut(&rest, ' ');
    if (!str_eq(method, STR("GET")) && !str_eq(method, STR("POST"))) {
        return false;
    }
    *path = rest.ptr ? str_cut(&rest, ' ') : (struct str){0};
    for (size_t i = 1; i < path->len; i++) {
        const char c = path->ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c == '/' && path->ptr[i - 1] != '/')) {
            return false;
        }
    }
    return path->len > 0 && path->len < PATH_ROOM && path->ptr[0] == '/' && rest.ptr &&
           str_eq(rest, STR("HTTP/1.1"));
}

/* Headers that change nothing, one Host, and at most one length. */
static bool read_headers(struct str *rest, int64_t *length)
{
    struct str line;
    size_t hosts = 0, lengths = 0, count = 0;
    *length = 0;
    while (take_line(rest, &line)) {
        if (line.len == 0) {
            return hosts == 1;
        }
        struct str value = line;
        const struct str name = str_cut(&value, ':');
        value = value.ptr ? str_trim(value) : value;
        if (!value.ptr || !is_token(name) || ++count > 20) {
            return false;
        }
        if (str_eq_nocase(name, STR("host"))) {
            hosts += value.len > 0 ? 1 : 2;
        } else if (str_eq_nocase(name, STR("content-length"))) {
            if (++lengths > 1 || value.len > 4 || !scan_int(value, length) || *length < 0 ||
                value.ptr[0] < '0') {
                return false;
            }
        } else if (!str_eq_nocase(name, STR("accept")) && !str_eq_nocase(name, STR("x-a"))) {
            return false;
        }
    }
    return false;
}

static void read_strictly(struct str rest, struct paths *out)
{
    struct str line, path;
    int64_t length;
    while (rest.len > 0 && take_line(&rest, &line) && read_first(line, &path) &&
           read_headers(&rest, &length) && (size_t)length <= rest.len) {
        add_path(out, path);
        rest.ptr += length;
        rest.len -= (size_t)length;
    }
}

/* --- the server ----------------------------------------------------------------------------------- */

static void start(void)
{
    static struct http_listener listener;
    static struct http_serving *serving;
    struct error err;
    /* A name that is no file, and goes with the process. */
    const int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
                                "stint-fuzz-head-%ld", (long)getpid());
    address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    listener = (struct http_listener){.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                                      .kind = LISTENER_OPEN};
    must(bind(listener.fd, (struct sockaddr *)&address, address_size) == 0 &&
         listen(listener.fd, 64) == 0);
    const struct http_options options = {
        .listeners = &listener,
        .listener_count = 1,
        .prefix = "",
        .workers = 1,
        .queue_max = 64,
        .connections_max = 64,
        .bodies_max = 1 << 20,
        .unread_max = 1 << 20,
        .request_us = INT64_C(60000000),
        .idle_us = INT64_C(50000), /* what is left of a half request holds nobody up */
        .handle = handle,
    };
    must(http_start(&options, &serving, &err) == 0);
}

static void exchange_bytes(const uint8_t *data, size_t size)
{
    char reply[4096];
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    while (connect(fd, (struct sockaddr *)&address, address_size) != 0) {
        must(errno == EINTR);
    }
    for (size_t sent = 0; sent < size;) {
        const ssize_t part = send(fd, data + sent, size - sent, MSG_NOSIGNAL);
        if (part <= 0) {
            break; /* it does not want to hear more */
        }
        sent += (size_t)part;
    }
    struct pollfd waits = {.fd = fd, .events = POLLIN};
    ssize_t got;
    /* the library does not notice an end that comes with the last bytes, until the idle time is over */
    (void)poll(&waits, 1, 1);
    shutdown(fd, SHUT_WR);
    do {
        const int ready = poll(&waits, 1, WAIT_MS);
        must(ready > 0 || (ready < 0 && errno == EINTR)); /* by libFuzzer's clock */
        got = read(fd, reply, sizeof(reply));
    } while (got > 0 || (got < 0 && errno == EINTR));
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool started;
    static struct paths strict;
    if (!started) {
        start();
        started = true;
    }
    if (size >
        8192) { /* what is not read when it closes would be lost, and the replies with it */
        return 0;
    }
    handled.count = strict.count = 0;
    atomic_store(&handled_count, 0);
    read_strictly((struct str){(const char *)data, size}, &strict);
    exchange_bytes(data, size);
    const size_t count = atomic_load(&handled_count);
    for (size_t i = 0; i < count && i < handled.count && i < strict.count; i++) {
        must(strcmp(handled.rows[i], strict.rows[i]) == 0);
    }
    return 0;
}
