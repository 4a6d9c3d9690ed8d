/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A session: one request's work in a store. It connects when facts are first asked for, and what it reads is one snapshot,
 * however many questions are asked of it, until it is closed.
 *
 *     struct session session = {.folder = "/var/lib/stint", .wait = {.limit_us = -1, .stop = &stop}};
 *     struct facts *facts;
 *     int failed = session_facts(&session, FACTS_READ, &facts, err);
 *     ...
 *     session_close(&session);
 *
 * A session that is given a store works in that; any other opens the store in its folder, and closes it when the session is
 * closed. Requests that last (a pull, following a file) close it while they wait for something else than the store.
 * It belongs to one thread.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "facts/store.h"

struct session {
    /* set by whoever begins it */
    const char *folder;
    struct store *store; /* open already; NULL: the session opens the folder's */
    bool read_only;      /* to write is ERROR_CONFLICT: somebody else's turn */
    struct store_wait wait;
    const struct scope *scope; /* what it may see; NULL: everything */
    bool
        lasting; /* several requests are asked in it, of one snapshot as far as they may see the same: see service_call */

    /* called when the session has opened a store to write, and before it closes that; may be NULL */
    void (*opened)(void *owner, struct store *store);
    void (*closing)(void *owner, struct store *store);
    void *owner;

    /* inside */
    struct store *own;
    struct facts *facts;
    enum facts_mode mode;
    bool unsettled; /* what it reads is as store_is_unsettled says */
    bool taken; /* the last failure was that another process, or connection, has the store */
};

/*
 * The session's connection, which lives until the session is closed or asked to write. One to write also
 * reads; one to read that is asked to write begins anew.
 */
int session_facts(struct session *session, enum facts_mode mode, struct facts **out,
                  struct error *err) MUST_CHECK;

/* Closes the connection, and the store if it is the session's own, until facts are asked for again. */
void session_close(struct session *session);
