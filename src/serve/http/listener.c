/* SPDX-License-Identifier: MIT */
#include "serve/http/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/scan.h"
#include "base/str.h"

enum { BACKLOG = 1024, FIRST_INHERITED = 3 };

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un local;
};

static int wrong_address(const char *where, struct error *err)
{
    return error_set(
        err, ERROR_USAGE,
        "--listen takes ADDRESS:PORT, as 127.0.0.1:8467 or [::1]:8467, or "
        "unix:PATH, after local= or proxy= if callers are identified that way, not "
        "'%s'",
        where);
}

static const char *const kind_names[LISTENER_KINDS] = {
    [LISTENER_OPEN] = "open", [LISTENER_LOCAL] = "local", [LISTENER_PROXY] = "proxy"};

const char *listener_kind_name(enum listener_kind kind)
{
    return kind_names[kind];
}

/* LISTENER_KINDS: it is the name of no kind. */
static enum listener_kind kind_named(struct str name)
{
    size_t kind = 0;
    while (kind < LISTENER_KINDS && !str_eq(name, str_of(kind_names[kind]))) {
        kind++;
    }
    return (enum listener_kind)kind;
}

/* The user of a peer is known of Unix sockets only. */
static int check_kind(const struct listener *listener, struct error *err)
{
    return listener->kind == LISTENER_LOCAL && !listener->is_unix
               ? error_set(err, ERROR_USAGE,
                           "'%s' cannot be local: the user of a caller is known on Unix "
                           "sockets only; use local=unix:PATH",
                           listener->name)
               : 0;
}

/* What a socket is bound to, as people write it. */
static void name_socket(struct listener *listener)
{
    union address address = {0};
    socklen_t size = sizeof(address);
    char text[INET6_ADDRSTRLEN] = "";
    if (getsockname(listener->fd, &address.any, &size) != 0) {
        return;
    }
    if (address.any.sa_family == AF_UNIX) {
        listener->is_unix = true;
        snprintf(listener->name, sizeof(listener->name), "unix:%.*s",
                 (int)sizeof(address.local.sun_path), address.local.sun_path);
    } else if (address.any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &address.v6.sin6_addr, text, sizeof(text));
        snprintf(listener->name, sizeof(listener->name), "[%s]:%d", text,
                 ntohs(address.v6.sin6_port));
    } else {
        inet_ntop(AF_INET, &address.v4.sin_addr, text, sizeof(text));
        snprintf(listener->name, sizeof(listener->name), "%s:%d", text,
                 ntohs(address.v4.sin_port));
    }
}

static int listen_at(const char *where, union address *address, socklen_t size,
                     struct listener *out, struct error *err)
{
    const int yes = 1;
    const int fd =
        socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return error_errno(err, "cannot make a socket for '%s'", where);
    }
    if (address->any.sa_family != AF_UNIX) {
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    }
    if (bind(fd, &address->any, size) != 0 || listen(fd, BACKLOG) != 0) {
        int failed = error_errno(err, "cannot listen on '%s'", where);
        close(fd);
        return failed;
    }
    out->fd = fd;
    name_socket(out);
    return 0;
}

static int open_unix(const char *where, const char *path, struct listener *out,
                     struct error *err)
{
    union address address = {.local = {.sun_family = AF_UNIX}};
    struct stat st;
    if (*path != '/') {
        return wrong_address(where, err);
    }
    if (strlen(path) >= sizeof(address.local.sun_path)) {
        return error_set(err, ERROR_USAGE, "the path of a socket has %zu bytes at most: '%s'",
                         sizeof(address.local.sun_path) - 1, path);
    }
    memcpy(address.local.sun_path, path, strlen(path) + 1);
    if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode)) {
        (void)unlink(path); /* that of a server that was killed: one that runs has the store */
    }
    int failed = listen_at(where, &address, sizeof(address.local), out, err);
    if (!failed) {
        out->path = mem_text(path);
        (void)chmod(path, 0666); /* what a caller may do depends on the role, not on the file */
    }
    return failed;
}

/* "127.0.0.1:8467", "[::1]:8467", "8467". */
static bool read_address(const char *where, union address *out, socklen_t *size)
{
    char text[INET6_ADDRSTRLEN + 2] = "127.0.0.1";
    const char *colon = strrchr(where, ':');
    const char *port_text = colon ? colon + 1 : where;
    const size_t length = colon ? (size_t)(colon - where) : 0;
    int64_t port;
    if (length >= sizeof(text) || !scan_int(str_of(port_text), &port) || port < 0 ||
        port > UINT16_MAX) {
        return false;
    }
    *out = (union address){0};
    if (length > 2 && where[0] == '[' && where[length - 1] == ']') {
        snprintf(text, sizeof(text), "%.*s", (int)length - 2, where + 1);
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons((uint16_t)port);
        *size = sizeof(out->v6);
        return inet_pton(AF_INET6, text, &out->v6.sin6_addr) == 1;
    }
    if (length > 0) {
        snprintf(text, sizeof(text), "%.*s", (int)length, where);
    }
    out->v4.sin_family = AF_INET;
    out->v4.sin_port = htons((uint16_t)port);
    *size = sizeof(out->v4);
    return inet_pton(AF_INET, strcmp(text, "localhost") == 0 ? "127.0.0.1" : text,
                     &out->v4.sin_addr) == 1;
}

static int open_address(const char *where, struct listener *out, struct error *err)
{
    union address address;
    socklen_t size;
    if (str_starts(str_of(where), STR("unix:"))) {
        return open_unix(where, where + 5, out, err);
    }
    if (where[0] == '/') {
        return open_unix(where, where, out, err);
    }
    if (!read_address(where, &address, &size)) {
        return wrong_address(where, err);
    }
    return listen_at(where, &address, size, out, err);
}

int listener_open(const char *where, struct listener *out, struct error *err)
{
    struct str rest = str_of(where);
    const enum listener_kind kind = kind_named(str_cut(&rest, '='));
    const bool named = rest.ptr && kind != LISTENER_KINDS;
    *out = (struct listener){.fd = -1, .kind = named ? kind : LISTENER_OPEN};
    int failed = open_address(named ? rest.ptr : where, out, err);
    if (!failed && check_kind(out, err) != 0) {
        listener_close(out);
        return err->kind;
    }
    return failed;
}

static int64_t number_of(const char *name)
{
    const char *text = getenv(name);
    int64_t number = 0;
    return text && scan_int(str_of(text), &number) ? number : 0;
}

int listener_inherit(struct listener *out, size_t *count, struct error *err)
{
    const int64_t given = number_of("LISTEN_PID") == getpid() ? number_of("LISTEN_FDS") : 0;
    const char *names = getenv("LISTEN_FDNAMES");
    struct str rest = names ? str_of(names) : (struct str){0};
    int failed = 0;
    *count = 0;
    for (int64_t i = 0; !failed && i < given && *count < LISTENERS_MAX; i++) {
        const enum listener_kind kind = kind_named(rest.ptr ? str_cut(&rest, ':') : rest);
        const int fd = FIRST_INHERITED + (int)i;
        int listens = 0;
        socklen_t size = sizeof(listens);
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens) {
            continue;
        }
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        (void)fcntl(fd, F_SETFL, O_NONBLOCK);
        struct listener *listener = &out[(*count)++];
        *listener =
            (struct listener){.fd = fd, .kind = kind == LISTENER_KINDS ? LISTENER_OPEN : kind};
        name_socket(listener);
        failed = check_kind(listener, err);
    }
    (void)unsetenv("LISTEN_PID");
    (void)unsetenv("LISTEN_FDS");
    (void)unsetenv("LISTEN_FDNAMES");
    return failed;
}

void listener_close(struct listener *listener)
{
    if (listener->path) {
        (void)unlink(listener->path);
    }
    free(listener->path);
    if (listener->fd >= 0) {
        close(listener->fd);
    }
    *listener = (struct listener){.fd = -1};
}
