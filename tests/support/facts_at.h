/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The store of a folder and a connection to it in one, for tests that need no more.
 */

#include "facts/facts.h"

/* Waits for other processes for up to five seconds. */
static inline int facts_at(const char *folder, enum facts_mode mode, struct facts **out,
                           struct error *err)
{
    const struct store_wait wait = {.limit_us = 5000000};
    struct store *store = NULL;
    *out = NULL;
    int failed = store_open(folder, mode, &wait, &store, err);
    if (!failed) {
        failed = facts_open(store, mode, NULL, out, err);
    }
    if (failed) {
        store_close(store);
    }
    return failed;
}

static inline void facts_leave(struct facts *facts)
{
    struct store *store = facts ? facts_store(facts) : NULL;
    facts_close(facts);
    store_close(store);
}
