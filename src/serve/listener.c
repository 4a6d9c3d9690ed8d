/* SPDX-License-Identifier: MIT */
#include "serve/listener.h"

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
    return error_set(err, ERROR_USAGE,
                     "--listen takes ADDRESS:PORT, as 127.0.0.1:8467 or [::1]:8467, or "
                     "unix:PATH, not '%s'",
                     where);
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
        (void)chmod(path, 0666); /* who is who, the kernel says; what they may, the role */
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

int listener_open(const char *where, struct listener *out, struct error *err)
{
    union address address;
    socklen_t size;
    *out = (struct listener){.fd = -1};
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

static int64_t number_of(const char *name)
{
    const char *text = getenv(name);
    int64_t number = 0;
    return text && scan_int(str_of(text), &number) ? number : 0;
}

size_t listener_inherit(struct listener *out)
{
    size_t count = 0;
    const int64_t given = number_of("LISTEN_PID") == getpid() ? number_of("LISTEN_FDS") : 0;
    for (int64_t i = 0; i < given && count < LISTENERS_MAX; i++) {
        const int fd = FIRST_INHERITED + (int)i;
        int listens = 0;
        socklen_t size = sizeof(listens);
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens) {
            continue;
        }
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        (void)fcntl(fd, F_SETFL, O_NONBLOCK);
        out[count] = (struct listener){.fd = fd};
        name_socket(&out[count]);
        count++;
    }
    (void)unsetenv("LISTEN_PID");
    (void)unsetenv("LISTEN_FDS");
    (void)unsetenv("LISTEN_FDNAMES");
    return count;
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
