/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs as `stint jobs` lists them: a row each, any number of them.
 */

#include "report/question.h"
#include "table/sink.h"

/*
 * Runs that began in a stretch of time, or never: listings of any length are asked for one such
 * part after the other.
 */
struct listing_part {
    enum { PART_ALL, PART_STARTED, PART_UNSTARTED } kind;

    struct period started;
};

/* What `stint jobs` lists: one row a run. */
struct listing {
    const struct field *fields[LISTING_FIELDS_MAX]; /* of the run and derived */
    size_t field_count;
    /* runs that were submitted, waiting or running in it; from == to: any time */
    struct period period;
    const struct zone *zone;
    int64_t now;
    struct filter filter;
    const struct field *sort; /* NULL: by start */
    bool ascending;
    int64_t limit;
    struct listing_part part; /* all of it, but inside listing.c */
    /*
     * whose filter this is, and whose members, people and rules apply; NULL: runs as they were
     * imported
     */
    const struct question *books;
};

/* A row a run, to the sink as they are found; listing_ask collects them in a table. */
int listing_each(struct facts *facts, const struct listing *listing,
                 const struct table_sink *sink, struct error *err) MUST_CHECK;
/* How many rows that would be without a limit. */
int listing_count(struct facts *facts, const struct listing *listing, int64_t *out,
                  struct error *err) MUST_CHECK;
int listing_ask(struct facts *facts, const struct listing *listing, struct table *answer,
                struct error *err) MUST_CHECK;
