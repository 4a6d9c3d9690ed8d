/* SPDX-License-Identifier: MIT */
#pragma once

/* Known gaps: periods with missing data, as somebody wrote them down. */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"

struct books;
struct field;
struct kind;
struct kind_row;

struct gap {
    struct str cluster;   /* the null string: all clusters */
    struct period period; /* one that still lasts ends at INSTANT_MAX */
    struct str what;
    /* of runs whose field fits the pattern alone; NULL: of all runs */
    const struct field *only;
    struct str pattern;
};

struct gap_list {
    struct gap *rows; /* in the order they were made */
    size_t count;
    struct arena arena;
};

/* Those that lie in the period, wholly or in part. `out` is released also when it fails. */
int books_gaps(struct books *books, const struct zone *zone, struct period period,
               struct gap_list *out, struct error *err) MUST_CHECK;
void gap_list_release(struct gap_list *list);

/* Of a row of the kind: `only` is a dimension of runs that is a text, and a pattern. */
int gap_check_row(const struct kind *kind, const struct kind_row *row,
                  struct error *err) MUST_CHECK;
