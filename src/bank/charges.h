/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Charges one by one: the lines of runs as they were posted, with the version of the rate that
 * made them, who asked for it, when and why. What was taken back is a line below zero, and what
 * was charged in its place a correction.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "books/books.h"

struct charges_item {
    struct str run;
    int64_t n; /* of the run's lines, from 0: from 1 on they correct the one before */
    int64_t account;
    struct str cluster, user;
    struct str rate; /* its name; the null string: not recorded */
    int64_t rate_id; /* 0: not recorded */
    int64_t version; /* of the rate, from 1 */
    int64_t epoch;   /* of the rates: pins.h */
    int64_t start, end;
    int64_t amount;  /* below zero: taken back */
    int64_t counted; /* the part of it that lies on the days asked for */
    int64_t at;      /* when it was posted */
    bool is_late;    /* some of its days were closed by then, and count on the first open day */
    int64_t late_first, late_last; /* these */
    int64_t open_from;             /* that day */
    struct str who, why;
};

struct charges {
    struct charges_item *rows; /* by run, then in the order they were posted */
    size_t count, room;
    struct arena arena;
};

struct charges_filter {
    int64_t account;     /* with those that it pays for; 0: all */
    struct str run;      /* a run, or a job with all its runs; the null string: all */
    int64_t first, last; /* days of the bank's calendar, [first, last), that a line counts on */
    const struct zone *zone;
};

/* `out` is released also when it fails. */
int charges_list(struct books *books, const struct charges_filter *filter, struct charges *out,
                 struct error *err) MUST_CHECK;
void charges_release(struct charges *charges);
