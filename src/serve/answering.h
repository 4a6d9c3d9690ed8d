/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whoever has the store answers for it. A process that has opened a store to write (an import, a pull) listens
 * beside it, and answers the questions of others from what is committed, each in a session and a thread of its own.
 * Requests that would change something are taken only by a process that keeps the store for as long as it lives; elsewhere
 * their turn comes when the store is free. What they read stays with whoever asks (taking.h).
 */

#include "facts/store.h"
#include "service/service.h"

struct answering;

enum answering_what {
    ANSWERING_QUESTIONS, /* what reads the store */
    ANSWERING_ALL,       /* and what changes it, one after the other */
};

/*
 * Begins to answer for `store`, in the world of `service` (its config and clock). NULL if it cannot listen,
 * which is no failure: whoever asks then waits until the store is free.
 */
struct answering *answering_start(struct store *store, const struct service *service,
                                  enum answering_what what);

/* Requests that arrive from now on are answered by these settings: config, zone and address of `service`. NULL is allowed. */
void answering_adopt(struct answering *answering, const struct service *service);

/* Whether a request is under way that began with this config. NULL is allowed. */
bool answering_uses(struct answering *answering, const struct config *config);

/*
 * Takes no more requests, and returns when those under way are answered. What has not begun to be sent after a moment is
 * given back to whoever asked, to be asked again. NULL is allowed.
 */
void answering_stop(struct answering *answering);
