/* SPDX-License-Identifier: MIT */
#include "serve/auth/refusals.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/calendar.h"
#include "base/mem.h"
#include "base/stop.h"
#include "service/access/access.h"

enum { FROM_MAX = 64 };

struct refused {
    char from[FROM_MAX];
    uint64_t more; /* that were not written */
};

struct refusals {
    pthread_mutex_t guard;
    int64_t since; /* when the minute began */
    struct refused clients[REFUSALS_LINES];
    size_t client_count;
    uint64_t others; /* of clients beyond these */
    uint64_t all;
};

struct refusals *refusals_new(void)
{
    struct refusals *refusals = mem_alloc(1, sizeof(*refusals));
    pthread_mutex_init(&refusals->guard, NULL);
    return refusals;
}

void refusals_free(struct refusals *refusals)
{
    if (refusals) {
        pthread_mutex_destroy(&refusals->guard);
        free(refusals);
    }
}

static void write_count(const struct service *service, const char *from, uint64_t count)
{
    char what[64];
    if (count > 0) {
        snprintf(what, sizeof(what), "refused %" PRIu64 " more times within a minute", count);
        access_audit(service, "somebody", from, what);
    }
}

/*
 * Takes what was counted, so that it is written without the guard. False: the minute is not
 * over.
 */
static bool take_counts(struct refusals *refusals, bool all, struct refusals *out)
{
    const int64_t now = stop_clock();
    const bool over = all || now - refusals->since > 60 * SECOND_US;
    if (over) {
        *out = *refusals;
        refusals->since = now;
        refusals->client_count = 0;
        refusals->others = 0;
    }
    return over;
}

void refusals_flush(struct refusals *refusals, const struct service *service, bool all)
{
    struct refusals over = {0};
    pthread_mutex_lock(&refusals->guard);
    const bool due = take_counts(refusals, all, &over);
    pthread_mutex_unlock(&refusals->guard);
    for (size_t i = 0; due && i < over.client_count; i++) {
        write_count(service, over.clients[i].from, over.clients[i].more);
    }
    if (due) {
        write_count(service, "several addresses", over.others);
    }
}

/* Counts one; whether it is to be written as a line. */
static bool count(struct refusals *refusals, const char *from)
{
    refusals->all++;
    for (size_t i = 0; i < refusals->client_count; i++) {
        if (str_eq(str_of(refusals->clients[i].from), str_of(from))) {
            refusals->clients[i].more++;
            return false;
        }
    }
    if (refusals->client_count == REFUSALS_LINES) {
        refusals->others++;
        return false;
    }
    struct refused *added = &refusals->clients[refusals->client_count++];
    *added = (struct refused){0};
    snprintf(added->from, sizeof(added->from), "%s", from);
    return true;
}

void refusals_add(struct refusals *refusals, const struct service *service, const char *who,
                  const char *from, const char *what)
{
    refusals_flush(refusals, service, false);
    pthread_mutex_lock(&refusals->guard);
    const bool line = count(refusals, from);
    pthread_mutex_unlock(&refusals->guard);
    if (line) {
        access_audit(service, who, from, what);
    }
}

uint64_t refusals_count(struct refusals *refusals)
{
    pthread_mutex_lock(&refusals->guard);
    const uint64_t all = refusals->all;
    pthread_mutex_unlock(&refusals->guard);
    return all;
}
