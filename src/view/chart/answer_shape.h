/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What an answer is made of, as far as a picture is concerned: its names, buckets and measures.
 * For view/chart only.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/bucket.h"
#include "base/buf.h"
#include "base/zone.h"
#include "table/table.h"

enum { ANSWER_SHAPE_COLUMNS_MAX = 64, ANSWER_SHAPE_TARGETS_MAX = 4 };

struct answer_shape {
    const struct table *table;
    const struct zone *zone;
    size_t names[ANSWER_SHAPE_COLUMNS_MAX]; /* columns of names */
    size_t name_count;
    size_t period;      /* the column of buckets, if has_period */
    enum bucket bucket; /* what they are */
    bool has_period;
    /* these are instants, at equal distances, rather than labels of the calendar */
    bool moments;
    bool pictured;                             /* the answer says which columns are drawn */
    size_t measures[ANSWER_SHAPE_COLUMNS_MAX]; /* columns of numbers */
    size_t measure_count;
    /* columns of what the first measure was to reach */
    size_t targets[ANSWER_SHAPE_TARGETS_MAX];
    size_t target_count;
    bool shared;   /* these are what all measures were to reach */
    size_t alike;  /* how many measures, from the first on, are in its unit and as summable */
    bool additive; /* rows of the first measure may be summed */
    bool negative; /* it has values below zero */
    bool unique;   /* no two rows have the same names and bucket */
};

void answer_shape_init(struct answer_shape *shape, const struct table *table,
                       const struct zone *zone);

/* How many columns tell rows apart. */
size_t answer_shape_keys(const struct answer_shape *shape);

/* What a picture calls a column. */
const char *answer_shape_label(const struct answer_shape *shape, size_t column);

/* The number in a cell, in the unit people read; NaN if it is absent. */
double answer_shape_value(const struct answer_shape *shape, size_t column, size_t row);

/* Adds the names of a row, "alder / mira", from the columns listed; --- for what is absent. */
void answer_shape_add_name(struct buf *out, const struct answer_shape *shape, size_t row,
                           const size_t *columns, size_t count);
