/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Distinct values of a field among all runs of the store. For "who has not used it
 * at all", for "did you mean", and who there is.
 */

#include "report/question.h"

/*
 * The values of the question's dimensions of which no run ran within its period, and whose
 * filters hold: the values, how many runs they have at other times, and when the last of them
 * ended (now, while it runs; absent, if none ever started). Latest first. A run that took no
 * time ran at its instant.
 *
 * There is one dimension, and the cluster may be a second one. `names` are values that are
 * known from elsewhere: those without any run are rows, too, with no runs at all. Where a
 * filter is on something else than the dimensions nobody knows whether they pass it, and they
 * are left out.
 */
struct distinct_values_named {
    const struct str *names, *clusters; /* clusters: where the question has them; else NULL */
    size_t count;
};

int distinct_values_idle(struct facts *facts, const struct question *question,
                         struct distinct_values_named names, struct table *answer,
                         struct error *err) MUST_CHECK;

/* Whether a run has this very text in a field of text; a node, as any of its nodes. */
int distinct_values_has(struct facts *facts, const struct field *field, struct str value,
                        bool *has, struct error *err) MUST_CHECK;

/* Whether a run is of this job, written as filters take it (filter.h). */
int distinct_values_has_job(struct facts *facts, struct str job, bool *has,
                            struct error *err) MUST_CHECK;

/*
 * What a job that nobody knows may have been meant to be, in `nearest`: the one whose own id
 * begins so, if it is the only one, else the id or the name without a number that is most like
 * it. Left empty when nothing is near.
 */
int distinct_values_nearest_job(struct facts *facts, struct str job, struct buf *nearest,
                                struct error *err) MUST_CHECK;

/*
 * The text that is most like `value` among all there are, in `nearest`, which is left empty
 * when none is near. One that a terminal would not just show is passed over.
 */
int distinct_values_nearest(struct facts *facts, const struct field *field, struct str value,
                            struct buf *nearest, struct error *err) MUST_CHECK;

/* All there are, sorted by their bytes, into an empty table of one column. */
int distinct_values_all(struct facts *facts, const struct field *field, struct table *out,
                        struct error *err) MUST_CHECK;

/* Columns of the table below. */
enum { DISTINCT_VALUES_CLUSTER, DISTINCT_VALUES_LOGIN };

/*
 * Every login on every cluster, into an empty table: by login, those of one name after each
 * other.
 */
int distinct_values_logins(struct facts *facts, struct table *out,
                           struct error *err) MUST_CHECK;
