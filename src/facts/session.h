/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A session: one request's work in a store. It connects when facts are first needed, and reads
 * one snapshot until it is closed, however many questions are asked in it.
 *
 *     struct session session = {.folder = "/var/lib/stint", .wait = {.limit_us = -1, .stop = &stop}};
 *     struct facts *facts;
 *     int failed = session_facts(&session, FACTS_READ, &facts, err);
 *     ...
 *     session_close(&session);
 *
 * A session with a store works in that store; any other opens the store in its folder and
 * closes it with the session. Long requests (a pull, following a file) close the session while
 * they wait for something other than the store. A session belongs to one thread.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "facts/store.h"

struct session {
    /* set by the caller */
    const char *folder;
    struct store *store; /* already open; NULL: the session opens the folder's */
    bool read_only;      /* a request to write is ERROR_CONFLICT: it is another's turn */
    struct store_wait wait;
    const struct scope *scope; /* what it may see; NULL: everything */
    /*
     * several requests use it, in one snapshot as long as their scopes are the same: see
     * service_call
     */
    bool lasting;

    /*
     * called after the session has opened a store to write, and before it closes it; may be
     * NULL
     */
    void (*opened)(void *owner, struct store *store);
    void (*closing)(void *owner, struct store *store);
    void *owner;

    /* private */
    struct store *own;
    struct facts *facts;
    enum facts_mode mode;
    bool unsettled; /* what it reads is unsettled: see store_is_unsettled */
    bool taken;     /* it last failed because another process or connection has the store */
};

/*
 * The session's connection, valid until the session is closed. A connection that writes also
 * reads. Asking to write where the session only reads replaces its connection, and its
 * snapshot, by new ones.
 */
int session_facts(struct session *session, enum facts_mode mode, struct facts **out,
                  struct error *err) MUST_CHECK;

/*
 * Closes the connection, and the store if the session opened it. The next session_facts opens
 * them again.
 */
void session_close(struct session *session);
