/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs excluded from a measure because a field it needs is not recorded: a sum without them is
 * too small, a mean is of the others. Asked beside a question, so that the reader of its answer
 * knows how much is missing.
 */

#include "facts/statement.h"
#include "report/question.h"

struct missing_fields {
    int64_t runs; /* that could not enter */
    int64_t of;   /* that the measure looks at in the period, these included */
    /* the time within the period that these took, and all; 0 of measures at an instant */
    double time, time_of;
    bool unended; /* among them are runs whose end is not recorded */
};

/*
 * For each measure of the question, over all that passes its filters, whatever its dimensions
 * and buckets. Measures that look at no run, or need nothing of it, have none omitted.
 */
int missing_fields_ask(struct facts *facts, const struct question *question,
                       struct missing_fields out[QUESTION_MEASURES_MAX],
                       struct error *err) MUST_CHECK;

/*
 * Of measures over time, by cluster and without anything else: a row for each cluster that has
 * runs in the period, with its name, and for each measure a column of its id, the number of
 * runs that could not enter. Other measures are refused.
 */
int missing_fields_by_cluster(struct facts *facts, const struct question *question,
                              struct table *out, struct error *err) MUST_CHECK;

enum { MISSING_FIELDS_FIELDS_MAX = 8 };

/* The fields one of which is missing of every run that was left out, until NULL. */
void missing_fields_fields(const struct measure *m, const struct missing_fields *omitted,
                           const struct field *out[MISSING_FIELDS_FIELDS_MAX]);

/*
 * Whether it counts runs by their end, so that those that started and whose end is not recorded
 * cannot enter. Inside report/ only, as are the next two.
 */
bool missing_fields_counts_ended(const struct measure *m);

/* Whether runs may be left out of a measure at all. */
bool missing_fields_is_asked(const struct measure *m);

/* That a run cannot enter the measure, as a condition on its columns. */
void missing_fields_condition(struct statement *sql, const struct measure *m);
