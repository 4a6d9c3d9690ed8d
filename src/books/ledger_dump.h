/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The bank in a dump of the books (dump.h): its tables as they are, a row a line. What follows
 * from other rows is not in it: restored entries and liens are posted again, in their order, so
 * that the database works out what pots have and what is held, and refuses what it would have
 * refused. How far the changes of runs were read is not in it either: the facts it goes by may
 * be others.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "books/books.h"

/* The tables, in the order in which rows may refer to each other. */
size_t ledger_dump_count(void);
const char *ledger_dump_table(size_t index); /* its name, which is that of its list in a dump */

/* The schema of the books that has it first; a dump of an earlier one lacks it. */
int ledger_dump_since(size_t index);

/* Whether it is there without a bank, and a restore adds to what is there. */
bool ledger_dump_stays(size_t index);

/* Adds the rows of a table as one JSON object each, passed to `row` one by one. */
int ledger_dump_rows(struct books *books, size_t index, void *context,
                     int (*row)(void *context, const struct buf *object, struct error *err),
                     struct error *err) MUST_CHECK;

/* Whether there is an account. */
int ledger_dump_is_empty(struct books *books, bool *empty, struct error *err) MUST_CHECK;

/*
 * Inside the transaction of a restore, which the triggers know by a row of `restoring`: takes
 * out all there is.
 */
int ledger_dump_clear(struct books *books, struct error *err) MUST_CHECK;

int ledger_dump_put(struct books *books, size_t index, const json_t *object,
                    struct error *err) MUST_CHECK;

/* After the last row. */
int ledger_dump_end(struct books *books, struct error *err) MUST_CHECK;
