/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The books as one JSON document: every row of every kind with its number, the whole history
 * and the ledger of the bank, a row a line, in an order that does not change, so that two dumps
 * can be compared with diff. Restoring a dump into empty books and dumping these gives the same
 * bytes. Neither way is there more than a row in memory.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text_sink.h"

struct books;

/* As of one instant, even if others write meanwhile. */
int books_dump(struct books *books, const struct text_sink *out, struct error *err) MUST_CHECK;

struct books_restored {
    size_t rows, changes; /* rows of all kinds and of the bank, and of the history */
};

/*
 * Makes the books what the document says, in one transaction: all of it or nothing. Books that
 * are not empty are refused, unless `keep` names a file: what was there is written to it first,
 * as a dump.
 */
int books_restore(struct books *books, struct str document, const char *keep,
                  struct books_restored *out, struct error *err) MUST_CHECK;
