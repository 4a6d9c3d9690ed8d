/* SPDX-License-Identifier: MIT */
#include "serve/auth/login_attempts.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "service/access/sodium.h"

enum { SLOTS = 4096, CLIENT_MAX = 64, SEED = 7 };

#define TICKET_LASTS_US INT64_C(300000000)

/* By hash: two that share a slot share its count, and wait at worst. */
struct slot {
    int64_t since;
    int count;
    int64_t turn; /* when a ticket was last redeemed */
};

struct login_attempts {
    pthread_mutex_t guard;
    struct slot slots[SLOTS];
};

struct login_attempts *login_attempts_new(void)
{
    struct login_attempts *attempts = mem_alloc(1, sizeof(*attempts));
    pthread_mutex_init(&attempts->guard, NULL);
    for (size_t i = 0; i < SLOTS; i++) {
        attempts->slots[i].turn = INT64_MIN / 2;
    }
    return attempts;
}

void login_attempts_free(struct login_attempts *attempts)
{
    if (attempts) {
        pthread_mutex_destroy(&attempts->guard);
        free(attempts);
    }
}

/* Those who have a network of IPv6 have 2^64 addresses of it: they are one client. */
static void name_client(const char *address, char out[CLIENT_MAX])
{
    struct in6_addr six;
    if (inet_pton(AF_INET6, address, &six) == 1) {
        memset(&six.s6_addr[8], 0, 8);
        if (inet_ntop(AF_INET6, &six, out, CLIENT_MAX)) {
            return;
        }
    }
    snprintf(out, CLIENT_MAX, "%s", address);
}

static struct slot *slot_of(struct login_attempts *attempts, const char *client,
                            struct str name)
{
    const size_t hash = str_hash(str_of(client), SEED) ^ (name.len ? str_hash(name, SEED) : 0);
    return &attempts->slots[hash % SLOTS];
}

static bool is_below(struct slot *slot, int most, int64_t now)
{
    if (now - slot->since > LOGIN_ATTEMPTS_WINDOW_US) {
        slot->count = 0;
    }
    return slot->count < most;
}

bool login_attempts_allow(struct login_attempts *attempts, const char *address, struct str name,
                          int64_t now)
{
    char client[CLIENT_MAX];
    name_client(address, client);
    pthread_mutex_lock(&attempts->guard);
    const bool few =
        is_below(slot_of(attempts, client, name), LOGIN_ATTEMPTS_MAX, now) &&
        is_below(slot_of(attempts, client, (struct str){0}), LOGIN_ATTEMPTS_CLIENT_MAX, now);
    pthread_mutex_unlock(&attempts->guard);
    return few;
}

static void count_failure(struct slot *slot, int64_t now)
{
    slot->since = slot->count == 0 ? now : slot->since;
    slot->count += slot->count < LOGIN_ATTEMPTS_CLIENT_MAX;
}

void login_attempts_failed(struct login_attempts *attempts, const char *address,
                           struct str name, int64_t now)
{
    char client[CLIENT_MAX];
    name_client(address, client);
    pthread_mutex_lock(&attempts->guard);
    count_failure(slot_of(attempts, client, name), now);
    if (name.len > 0) {
        count_failure(slot_of(attempts, client, (struct str){0}), now);
    }
    pthread_mutex_unlock(&attempts->guard);
}

/* What proves that a ticket of that instant is ours, and this client's. */
static int sign(const char *key, const char *address, int64_t at, char out[SODIUM_HASH_MAX],
                struct error *err)
{
    char client[CLIENT_MAX], text[SODIUM_SECRET_MAX + CLIENT_MAX + 32];
    name_client(address, client);
    snprintf(text, sizeof(text), "%s %s %" PRId64, key, client, at);
    return sodium_hash("wait for a login", str_of(text), out, err);
}

int login_attempts_ticket(const char *key, const char *address, int64_t now,
                          struct arena *arena, struct str *out, struct error *err)
{
    char hash[SODIUM_HASH_MAX];
    int failed = sign(key, address, now, hash, err);
    *out = failed ? (struct str){0} : str_of(arena_printf(arena, "%" PRId64 ".%s", now, hash));
    return failed;
}

bool login_attempts_redeem(struct login_attempts *attempts, const char *key,
                           const char *address, struct str ticket, int64_t now)
{
    char hash[SODIUM_HASH_MAX], client[CLIENT_MAX];
    struct str rest = ticket;
    struct error ignored;
    int64_t at = 0;
    if (!ticket.ptr || !scan_int(str_cut(&rest, '.'), &at) || !rest.ptr || at > now ||
        now - at < LOGIN_ATTEMPTS_WAIT_US ||
        now - at > LOGIN_ATTEMPTS_WAIT_US + TICKET_LASTS_US ||
        sign(key, address, at, hash, &ignored) || !sodium_same(rest, str_of(hash))) {
        return false;
    }
    name_client(address, client);
    pthread_mutex_lock(&attempts->guard);
    struct slot *slot = slot_of(attempts, client, (struct str){0});
    const bool turn = now - slot->turn >= LOGIN_ATTEMPTS_WAIT_US;
    slot->turn = turn ? now : slot->turn;
    pthread_mutex_unlock(&attempts->guard);
    return turn;
}
