/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whoever has the store answers for it. A process that has opened a store to write (an import, a pull) listens
 * beside it, and answers the questions of others from what is committed, each in a session and a thread of its own.
 * Requests that would change something are not taken: their turn comes when the store is free.
 */

#include "facts/store.h"
#include "service/service.h"

struct answering;

/*
 * Begins to answer for `store`, in the world of `service` (its config and clock). NULL if it cannot listen,
 * which is no failure: whoever asks then waits until the store is free.
 */
struct answering *answering_start(struct store *store, const struct service *service);

/*
 * Takes no more requests, and returns when those under way are answered. What has not begun to be sent after a moment is
 * given back to whoever asked, to be asked again. NULL is allowed.
 */
void answering_stop(struct answering *answering);
