/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A question about runs and its answer.
 *
 * Amounts charge each run for its overlap with the period, in integers, without rounding. In
 * buckets a run is not spread over its days: it adds its rate at the bucket it starts in and takes
 * it away after the one it ends in, with the partial amounts; the rest is a running sum. The cost
 * grows with runs + buckets.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/calendar.h"
#include "base/error.h"
#include "books/capacity.h"
#include "books/cluster_rule.h"
#include "books/membership.h"
#include "books/people.h"
#include "books/rate.h"
#include "facts/facts.h"
#include "report/catalog.h"
#include "report/coverage.h"
#include "report/filter.h"
#include "table/table.h"

enum {
    QUESTION_MEASURES_MAX = 128,
    QUESTION_DIMENSIONS_MAX = 8,
    LISTING_FIELDS_MAX = RUN_FIELD_COUNT + 32
};

/* Where an answer may come from. */
enum question_path {
    PATH_ANY,   /* roll-ups where they give the same, the facts where they do not */
    PATH_FACTS, /* nothing but the facts */
    PATH_ROLLUP, /* for making roll-ups: runs that have ended, spread over the days they overlap */
};

struct question {
    const struct measure *measures[QUESTION_MEASURES_MAX];
    size_t measure_count;
    const struct field *dimensions[QUESTION_DIMENSIONS_MAX];
    size_t dimension_count;
    struct period period;
    enum bucket bucket;      /* BUCKET_NONE: the period as a whole */
    const struct zone *zone; /* of the calendar */
    int64_t now;             /* runs without an end count up to here */
    struct filter filter;
    const char *sort; /* id of a measure or dimension; NULL: first measure, largest first */
    bool ascending;
    int64_t limit; /* rows at most; 0 is all */
    enum question_path path;
    /* without a dimension of nodes: what is shared out among nodes is of those that pass the filters, all else of whole runs */
    bool on_nodes;
    /* what time there are data of: an amount of time that is not covered is then absent rather than zero, and rows of
       buckets say whether they are covered in part. NULL: nothing is known of it */
    const struct coverage *coverage;
    const struct membership_list *members; /* for metagroups; NULL: nobody is in any */
    const struct cluster_rules *rules;     /* which cluster runs count under; NULL: their own */
    const struct people_list *people;      /* for persons; NULL: a login is one */
    const struct capacity_list *capacities; /* how large clusters are; NULL: nobody knows */
    const struct rate_list *rates;          /* what runs cost; NULL: nobody knows */
    const struct zone *rate_zone; /* of the clock that rates go by; set where rates are */
    bool priced;                  /* runs have their prices, whatever the measures */
};

/* Whether it has to do with this: by a dimension, a filter or a measure. */
bool question_joins(const struct question *question, enum joined joined);

/*
 * Whether the parts of runs that fall into several buckets come to the whole of them to the last digit: not where a measure
 * pauses while runs are suspended and some was, since nobody knows when, and its pauses are shared out.
 */
int question_cuts_exactly(struct facts *facts, const struct question *question, bool *out,
                          struct error *err) MUST_CHECK;

/* Whether one of its measures is a price: then it needs rates. */
bool question_has_prices(const struct question *question);

/*
 * The same without dimensions: what all rows come to. Where rows are nodes, and filters choose some of them, what is shared
 * out among nodes is of these.
 */
void question_drop_dimensions(struct question *question);

/* Whether the rows of a measure add up to the whole, by the dimensions of the question. */
bool question_adds_up(const struct question *question, const struct measure *measure);

/*
 * Asks. The answer has the dimensions, then `period` (the bucket's label) if there are buckets, then
 * the measures. Rows are ordered by sort, then by dimensions; buckets come in order of time. Rows
 * of buckets in which a group did nothing are left out, but the series without dimensions is
 * complete. Where it is known what time is covered, amounts of time that is not are absent, not
 * zero, and a last column `partial` marks the buckets that lie in it, and in the period, in part only (absent: not at
 * all).
 */
int question_ask(struct facts *facts, const struct question *question, struct table *answer,
                 struct error *err) MUST_CHECK;

/*
 * Whether a question is about whole clusters, by nothing but cluster and time: only then can what they
 * had be set against what was allocated of it.
 */
bool question_is_of_clusters(const struct question *question);

/*
 * How well the sizes of a question's clusters are known, of PER_CPUS or PER_GPUS; no rows if none of its
 * measures needs sizes. A row for each cluster: cluster; `whole`, the time that has passed of the period;
 * `known`, how much of it the size is known for; `looked`, how much of it somebody looked at its nodes.
 */
int question_sizes(struct facts *facts, const struct question *question, enum measure_per per,
                   struct table *answer, struct error *err) MUST_CHECK;

/*
 * For --explain: one row with `path`, where the answer would come from (the facts, roll-ups, or which
 * stretch from which), and `sql`, what question_ask would run.
 */
int question_explain(struct facts *facts, const struct question *question, struct table *answer,
                     struct error *err) MUST_CHECK;

/* From the first to the last instant among all runs; *any is false for an empty store. */
int listing_span(struct facts *facts, struct period *out, bool *any,
                 struct error *err) MUST_CHECK;
