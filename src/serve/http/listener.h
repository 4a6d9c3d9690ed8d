/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Sockets that a server listens on: made here, or passed by the service manager (systemd's
 * socket activation: LISTEN_FDS and LISTEN_PID), so that no client is refused while one server
 * ends and the next begins.
 *
 * How callers are identified is a property of the listener, not of the request
 * (serve/auth/identify.h):
 *
 *     open     by what they bring: a token, or a session after a login
 *     local    by the user of the peer process, as the kernel reports it (Unix sockets only)
 *     proxy    by a header of a reverse proxy that stint.conf names; other peers are as on an open listener
 *
 * A listener is open unless it is said otherwise, a Unix socket too: behind a proxy the peer of
 * every visitor is the proxy.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"

enum { LISTENERS_MAX = 16, LISTENER_NAME_MAX = 128 };

enum listener_kind { LISTENER_OPEN, LISTENER_LOCAL, LISTENER_PROXY, LISTENER_KINDS };

const char *listener_kind_name(enum listener_kind kind);

struct listener {
    int fd;
    bool is_unix;
    enum listener_kind kind;
    char name[LISTENER_NAME_MAX]; /* "127.0.0.1:8467", "unix:/run/stint/http" */
    char *path; /* of a Unix socket that was made here, taken away again by listener_close */
};

/*
 * ADDRESS:PORT, [ADDRESS]:PORT, PORT alone (of loopback), unix:PATH or /PATH, each after KIND=
 * for another kind than open. Port 0: any that is free.
 */
int listener_open(const char *where, struct listener *out, struct error *err) MUST_CHECK;

/*
 * Those that were passed, at most LISTENERS_MAX, and their number. They are not given twice.
 * Their kind is their name (FileDescriptorName= of a systemd socket unit), if it is that of a
 * kind. ERROR_USAGE: a TCP socket is named local.
 */
int listener_inherit(struct listener *out, size_t *count, struct error *err) MUST_CHECK;

void listener_close(struct listener *listener);
