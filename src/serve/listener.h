/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Sockets that a server listens on: made here, or handed over by whoever started the program (systemd's socket
 * activation: LISTEN_FDS and LISTEN_PID), so that nobody is refused while one server ends and the next begins.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"

enum { LISTENERS_MAX = 16, LISTENER_NAME_MAX = 128 };

struct listener {
    int fd;
    bool is_unix;
    char name[LISTENER_NAME_MAX]; /* "127.0.0.1:8467", "unix:/run/stint/http" */
    char *path; /* of a Unix socket that was made here, taken away again by listener_close */
};

/* ADDRESS:PORT, [ADDRESS]:PORT, PORT alone (of loopback), unix:PATH or /PATH. Port 0: any that is free. */
int listener_open(const char *where, struct listener *out, struct error *err) MUST_CHECK;

/* Those that were handed over, at most LISTENERS_MAX; their number. They are not given twice. */
size_t listener_inherit(struct listener *out);

void listener_close(struct listener *listener);
