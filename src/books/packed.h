/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the books keep of every run of a bank, in bytes of their own: rows of SQLite would take
 * longer to write than all the rest of charging. `bank_lines` has the lines of the charges,
 * several of neighbouring runs in a row; `bank_used` what accounts used by day, several days in
 * a row (sql/books/schema/013-packed.sql). Each is written one after the other, as differences
 * to the one before, and read the same way.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "record/run.h"

/*
 * A line: what a run was charged, or, below zero, what of that was taken back. The lines of a
 * run are numbered from 0.
 */
struct packed_line {
    struct str run; /* its name: record/run_id.h */
    int64_t n;
    /* numbers; cluster and user of bank_name, rate of bank_pin */
    int64_t account, cluster, user, rate;
    int64_t start, end;
    int64_t amount;
    int64_t round; /* of the row that it lies in; not among the bytes */
};

/* What an account used on a day, of the bank's calendar. */
struct packed_cell {
    int64_t day, cluster, user, amount;
};

/* Days that lie in one row of bank_used: those with the same number after this shift. */
enum { PACKED_DAYS_SHIFT = 4 };

/* Rows of bank_lines: the bucket, and a number in it. */
enum { PACKED_ROW_SHIFT = 20 };

/*
 * The bucket that the lines of a run lie in: that of jobs of like numbers, so that those that
 * ran together lie together.
 */
int64_t packed_bucket(const struct run *run);

/*
 * The one before; a zeroed one is at the beginning. Text of a line that was taken lasts until
 * the next.
 */
struct packed_place {
    struct buf run;
    int64_t start, day;
};

void packed_place_release(struct packed_place *place);
void packed_place_reset(struct packed_place *place); /* to the beginning; keeps the memory */

void packed_put_line(struct packed_place *place, const struct packed_line *line,
                     struct buf *out);
void packed_put_cell(struct packed_place *place, const struct packed_cell *cell,
                     struct buf *out);

/*
 * Takes one off the front of `rest`; false at the end, with *bad set where the bytes are not
 * what was put.
 */
bool packed_take_line(struct packed_place *place, struct str *rest, struct packed_line *out,
                      bool *bad);
bool packed_take_cell(struct packed_place *place, struct str *rest, struct packed_cell *out,
                      bool *bad);
