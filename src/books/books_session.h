/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The books of one request: opened when they are first asked for, and one handle from then on,
 * however many parts of an operation look into them. See facts/session.h, which is the same for
 * the facts.
 *
 *     struct books_session session = {.folder = "/var/lib/stint", .world = {...}};
 *     struct books *books;
 *     int failed = books_session_open(&session, BOOKS_READ, &books, err);
 *     ...
 *     books_session_close(&session);
 */

#include "books/books.h"

struct books_session {
    /* set by its caller */
    const char *folder;
    struct books_world world;

    /* inside */
    struct books *books;
    enum books_mode mode;
};

/*
 * The session's handle, which lives until the session is closed or asked to write. One to write
 * also reads; one to read that is asked to write starts over.
 */
int books_session_open(struct books_session *session, enum books_mode mode, struct books **out,
                       struct error *err) MUST_CHECK;

/*
 * Closes the handle, which rolls back what was not committed, until books are asked for again.
 */
void books_session_close(struct books_session *session);
