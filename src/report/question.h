/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A question about runs and its answer.
 *
 * Amounts count each run in proportion to its overlap with the period, in integers, without
 * rounding. With buckets, a run is not split by day: it adds its rate at the bucket in which it
 * starts and subtracts it after the one in which it ends, with the partial amounts; the rest is
 * a running sum. The cost grows with runs + buckets.
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
    PATH_ANY,   /* roll-ups where they give the same result, else the facts */
    PATH_FACTS, /* only the facts */
    PATH_ROLLUP, /* to compute roll-ups: runs that have ended, divided over the days they overlap */
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
    /*
     * Without a dimension of nodes: what is divided among nodes counts for the nodes that pass
     * the filters, everything else for whole runs.
     */
    bool on_nodes;
    /*
     * For which time there are data: an amount in time that is not covered is then absent
     * rather than zero, and rows of buckets say whether they are covered in part. NULL:
     * unknown.
     */
    const struct coverage *coverage;
    const struct membership_list *members; /* for metagroups; NULL: nobody is in any */
    const struct cluster_rules *rules;     /* which cluster runs count under; NULL: their own */
    const struct people_list *people;      /* for persons; NULL: each login is one */
    const struct capacity_list *capacities; /* sizes of clusters; NULL: unknown */
    const struct rate_list *rates;          /* prices of runs; NULL: unknown */
    int64_t su_price; /* cost of an SU where no rate has a currency, millionths; 0: none */
    const struct zone *rate_zone; /* in which rates change by the clock; set if rates are */
    bool priced;                  /* runs have their prices, whatever the measures */
    /*
     * fields of use are those of report/use, after use_table_make; not in roll-ups, which have
     * what was recorded
     */
    bool resolved;
};

/* Whether it involves this, by a dimension, a filter or a measure. */
bool question_joins(const struct question *question, enum joined joined);

/*
 * Whether the parts of runs in several buckets add up exactly to the whole. They do not where a
 * measure pauses while a run is suspended and some run was: the times of suspension are not
 * recorded, so they are divided in proportion.
 */
int question_cuts_exactly(struct facts *facts, const struct question *question, bool *out,
                          struct error *err) MUST_CHECK;

/* Whether one of its measures is a price: then it needs rates. */
bool question_has_prices(const struct question *question);

/*
 * The same question without dimensions: the total of all rows. If rows are nodes, and filters
 * select some of them, what is divided among nodes counts for these.
 */
void question_drop_dimensions(struct question *question);

/* Whether the rows of a measure add up to its total, by the dimensions of the question. */
bool question_adds_up(const struct question *question, const struct measure *measure);

/*
 * Answers the question. The table has the dimensions, then `period` (the bucket's label) if
 * there are buckets, then the measures. Rows are ordered by `sort`, then by dimensions; buckets
 * are in order of time. Buckets in which a group did nothing are left out, but a series without
 * dimensions is complete. If the question has a coverage, amounts in time that is not covered
 * are absent, not zero, and a last column `partial` marks the buckets that are only partly
 * covered or partly in the period (absent: not covered at all).
 */
int question_ask(struct facts *facts, const struct question *question, struct table *answer,
                 struct error *err) MUST_CHECK;

/*
 * Whether a question is about whole clusters, by cluster and time only: only then can what was
 * allocated be compared with what they had.
 */
bool question_is_of_clusters(const struct question *question);

/*
 * How well the sizes of a question's clusters are known, for PER_CPUS or PER_GPUS; no rows if
 * none of its measures needs sizes. One row per cluster: cluster; `whole`, the time of the
 * period that has passed; `known`, for how much of it the size is known; `looked`, during how
 * much of it its nodes were observed.
 */
int question_sizes(struct facts *facts, const struct question *question, enum measure_per per,
                   struct table *answer, struct error *err) MUST_CHECK;

/*
 * For --explain: one row with `path`, where the answer would come from (the facts, roll-ups, or
 * which part of the period from which), and `sql`, what question_ask would run.
 */
int question_explain(struct facts *facts, const struct question *question, struct table *answer,
                     struct error *err) MUST_CHECK;

/* From the first to the last instant among all runs; *any is false for an empty store. */
int listing_span(struct facts *facts, struct period *out, bool *any,
                 struct error *err) MUST_CHECK;
