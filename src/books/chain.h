/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The chain: every transaction that adds to what the books never edit (entries, rounds of
 * charging with their lines, pins of rates, allotments, requests for them, invoices, closed
 * periods, what became of accounts, draws and secrets, the history with its changes of rates
 * and rights) ends with a link. A link has a digest, the head, of the head before it and of all
 * rows that were added. A reader who has kept a head can tell later whether what led to it was
 * changed: the head of then is not among those of the chain any more.
 *
 * A link is written by books_commit; nobody else has to care.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/str.h"
#include "books/books.h"

/*
 * Adds a link for what is new, inside a transaction; none where nothing is. For books_commit.
 */
int chain_extend(struct books *books, struct error *err) MUST_CHECK;

/*
 * What became of an account: "open", "set", "close", and why; and what a draw is now. In the
 * transaction that does it.
 */
int chain_note_account(struct books *books, const char *what, int64_t account, struct str why,
                       struct error *err) MUST_CHECK;
int chain_note_draw(struct books *books, int64_t draw, struct error *err) MUST_CHECK;

/* That a password or token was "set" or "removed", without it: its kind and name (secret.h). */
int chain_note_secret(struct books *books, const char *what, const char *kind, struct str name,
                      struct error *err) MUST_CHECK;

struct chain_link {
    int64_t number; /* 0: none */
    int64_t at;
    char head[SHA256_TEXT + 1];
};

/* The last link. */
int chain_last(struct books *books, struct chain_link *out, struct error *err) MUST_CHECK;

/* The link with that head; number 0: none. */
int chain_find(struct books *books, struct str head, struct chain_link *out,
               struct error *err) MUST_CHECK;

/* What was found wrong, one sentence each. */
struct chain_findings {
    struct str *rows;
    size_t count;
    int64_t links; /* that were looked at */
    struct arena arena;
};

/*
 * Computes all links again from the rows, and compares; and whether the tables still guard
 * themselves: triggers as they were made, none of them switched off, and the rows of all kinds
 * as the history says. `out` is released also when it fails.
 */
int chain_check(struct books *books, struct chain_findings *out, struct error *err) MUST_CHECK;
void chain_findings_release(struct chain_findings *findings);

/*
 * The digest of the lines of one round of charging: rows of bank_lines, in the order of their
 * numbers.
 */
struct chain_lines {
    struct chain_row {
        int64_t round, id;
        char digest[SHA256_TEXT + 1];
    } * rows;

    size_t count, room;
};

void chain_lines_add(struct chain_lines *lines, int64_t round, int64_t id, int64_t count,
                     struct str packed);

/* By round and number. */
void chain_lines_sort(struct chain_lines *lines);
void chain_lines_release(struct chain_lines *lines);

/*
 * Writes the digests of all rounds, which must be sorted. Inside a transaction of the caller.
 */
int chain_lines_write(struct books *books, const struct chain_lines *lines,
                      struct error *err) MUST_CHECK;
