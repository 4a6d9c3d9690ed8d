/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The socket beside a store, by which processes that cannot have the store ask the one that has
 * it.
 */

#include <stdbool.h>

#include "base/attribute.h"
#include "base/error.h"

/*
 * Makes and listens on it, in place of one that a killed process left; the caller holds the
 * store's lock. Who may read the facts may connect, nobody else. Returns a descriptor that does
 * not block.
 */
int socket_listen(const char *folder, int *out, struct error *err) MUST_CHECK;

/* Takes its name away: nobody connects any more. */
void socket_unlink(const char *folder);

/* Connects to it; -1 if nobody listens. */
int socket_connect(const char *folder);

/* Who is at the other end, as the kernel says; false if it does not. */
bool socket_peer(int fd, unsigned *uid);
