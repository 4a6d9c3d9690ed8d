/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Failed attempts to log in, counted by client and by client and name, never by name alone, so
 * that trying the passwords of somebody else does not keep them out. After too many, a client
 * has to wait before each further attempt: it gets a ticket, which is good once it is
 * LOGIN_ATTEMPTS_WAIT_US old. One attempt by ticket is made in that time for each client, so
 * that many tickets do not help; and the right password with a ticket that is good gets in,
 * however often others failed. Clocks as of stop_clock. Any thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

#define LOGIN_ATTEMPTS_WINDOW_US INT64_C(300000000)
#define LOGIN_ATTEMPTS_WAIT_US   INT64_C(5000000)

enum {
    LOGIN_ATTEMPTS_MAX = 10, /* failures of a client for one name within the window */
    LOGIN_ATTEMPTS_CLIENT_MAX =
        100, /* failures of a client for any names: many may share an address */
};

struct login_attempts;

struct login_attempts *login_attempts_new(void);
void login_attempts_free(struct login_attempts *attempts); /* accepts NULL */

/*
 * Whether the client may try this name at once. `address` is IPv4, or IPv6 of which the first
 * 64 bits count, or other text.
 */
bool login_attempts_allow(struct login_attempts *attempts, const char *address, struct str name,
                          int64_t now);
void login_attempts_failed(struct login_attempts *attempts, const char *address,
                           struct str name, int64_t now);

/* A ticket for the client, in the arena; `key` is the server's secret. */
int login_attempts_ticket(const char *key, const char *address, int64_t now,
                          struct arena *arena, struct str *out, struct error *err) MUST_CHECK;

/*
 * Whether a ticket is the client's and old enough, and it is the client's turn, which is then
 * taken.
 */
bool login_attempts_redeem(struct login_attempts *attempts, const char *key,
                           const char *address, struct str ticket, int64_t now);
