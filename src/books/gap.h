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

struct gap {
    struct str cluster;   /* the null string: all clusters */
    struct period period; /* one that still lasts ends at INSTANT_MAX */
    struct str what;
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
