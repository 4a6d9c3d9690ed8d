/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What `stint samples` lists: samples, a row each; of processes, unless the filter asks for a
 * kind.
 *
 * What follows from two samples is worked out here, over the samples of one process in the
 * order of time. A counter that goes back is as it was recorded, but nothing that is worked out
 * from it is ever below zero: a single sample that lies below both its neighbours is passed
 * over, as if it had not been taken (it has no value, and the next one is set against the one
 * before it); after any other step back the counter is taken to have started over.
 */

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/zone.h"
#include "facts/facts.h"
#include "report/filter.h"
#include "report/queries/sample_column.h"
#include "table/table.h"

enum { SAMPLE_LISTING_COLUMNS_MAX = 64 };

/* How far outside the period the sample before and the one after are looked for. */
#define SAMPLE_LISTING_AROUND_US DAY_US

struct sample_listing {
    const struct field *columns[SAMPLE_LISTING_COLUMNS_MAX]; /* of sample_column.h */
    size_t column_count;
    struct period period; /* in which they were taken; from == to: any time */
    const struct zone *zone;
    int64_t now;
    struct filter filter;     /* on columns of samples only */
    const struct field *sort; /* NULL: by time */
    bool ascending;
    int64_t limit; /* 0: all */
};

/*
 * A row a sample, to the sink as they are found; sample_listing_ask collects them in a table.
 */
int sample_listing_each(struct facts *facts, const struct sample_listing *question,
                        const struct table_sink *sink, struct error *err) MUST_CHECK;
int sample_listing_ask(struct facts *facts, const struct sample_listing *question,
                       struct table *answer, struct error *err) MUST_CHECK;
