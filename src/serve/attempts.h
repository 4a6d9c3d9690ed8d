/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Failed attempts to log in, counted by client and by client and name, never by name alone: whoever tries passwords of somebody
 * else does not keep them out. After too many, a client has to wait before each further attempt: it gets a ticket, which is good
 * once it is ATTEMPTS_WAIT_US old. One attempt by ticket is made in that time for each client, so that many tickets do not
 * help; and the right password with a ticket that is good gets in, however often others failed. Clocks as of stop_clock. Any
 * thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

#define ATTEMPTS_WINDOW_US INT64_C(300000000)
#define ATTEMPTS_WAIT_US   INT64_C(5000000)

enum {
    ATTEMPTS_MAX = 10, /* failures of a client for one name within the window */
    ATTEMPTS_CLIENT_MAX =
        100, /* failures of a client for any names: many may share an address */
};

struct attempts;

struct attempts *attempts_new(void);
void attempts_free(struct attempts *attempts); /* accepts NULL */

/* Whether the client may try this name at once. `address` is IPv4, or IPv6 of which the first 64 bits count, or other text. */
bool attempts_allow(struct attempts *attempts, const char *address, struct str name,
                    int64_t now);
void attempts_failed(struct attempts *attempts, const char *address, struct str name,
                     int64_t now);

/* A ticket for the client, in the arena; `key` is the server's secret. */
int attempts_ticket(const char *key, const char *address, int64_t now, struct arena *arena,
                    struct str *out, struct error *err) MUST_CHECK;

/* Whether a ticket is the client's and old enough, and it is the client's turn, which is then taken. */
bool attempts_redeem(struct attempts *attempts, const char *key, const char *address,
                     struct str ticket, int64_t now);
