/* SPDX-License-Identifier: MIT */
#include "serve/auth/known_callers.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

enum { SEATS = 4096 }; /* a later secret takes the seat of an earlier one */

struct known_callers {
    uint64_t seed;
    pthread_mutex_t guard; /* of all below */

    struct {
        uint64_t secret, party;
    } seats[SEATS];
};

struct known_callers *known_callers_new(uint64_t seed)
{
    struct known_callers *known = mem_alloc(1, sizeof(*known));
    known->seed = seed;
    pthread_mutex_init(&known->guard, NULL);
    return known;
}

void known_callers_free(struct known_callers *known)
{
    if (known) {
        pthread_mutex_destroy(&known->guard);
        free(known);
    }
}

void known_callers_put(struct known_callers *known, struct str secret, struct str name)
{
    const uint64_t hash = str_hash(secret, known->seed);
    const uint64_t party = str_hash(name, known->seed);
    pthread_mutex_lock(&known->guard);
    known->seats[hash % SEATS].secret = hash;
    known->seats[hash % SEATS].party = party;
    pthread_mutex_unlock(&known->guard);
}

uint64_t known_callers_find(struct known_callers *known, struct str secret)
{
    if (!secret.ptr) {
        return 0;
    }
    const uint64_t hash = str_hash(secret, known->seed);
    pthread_mutex_lock(&known->guard);
    const bool found = known->seats[hash % SEATS].secret == hash;
    const uint64_t party = found ? known->seats[hash % SEATS].party : 0;
    pthread_mutex_unlock(&known->guard);
    return party;
}
