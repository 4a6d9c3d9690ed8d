/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs that a number could not take in because what it needs of them is not recorded: a sum without them is too small, a
 * mean is of the others. Asked beside a question, so that whoever reads its answer knows how much is missing.
 */

#include "facts/statement.h"
#include "report/question.h"

struct omitted {
    int64_t runs; /* that could not enter */
    int64_t of;   /* that the measure looks at in the period, these included */
    /* the time within the period that these took, and all; 0 of measures at an instant */
    double time, time_of;
    bool unended; /* among them are runs whose end is not recorded */
};

/*
 * For each measure of the question, over all that passes its filters, whatever its dimensions and buckets. Measures that
 * look at no run, or need nothing of it, have none omitted.
 */
int omitted_ask(struct facts *facts, const struct question *question,
                struct omitted out[QUESTION_MEASURES_MAX], struct error *err) MUST_CHECK;

/*
 * Of measures over time, by cluster and without anything else: a row for each cluster that has runs in the period, with its
 * name, and for each measure a column of its id, the number of runs that could not enter. Other measures are refused.
 */
int omitted_by_cluster(struct facts *facts, const struct question *question, struct table *out,
                       struct error *err) MUST_CHECK;

enum { OMITTED_FIELDS_MAX = 8 };

/* The fields one of which is missing of every run that was left out, until NULL. */
void omitted_fields(const struct measure *m, const struct omitted *omitted,
                    const struct field *out[OMITTED_FIELDS_MAX]);

/* Whether runs may be left out of a measure at all. Inside report/ only, as is the next. */
bool omitted_is_asked(const struct measure *m);

/* That a run cannot enter the measure, as a condition on its columns. */
void omitted_condition(struct statement *sql, const struct measure *m);
