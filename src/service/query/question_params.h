/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a request asks of the catalogue: measures and dimensions by name, a period, filters. The
 * everyday commands are questions with most of this filled in. Inside service/ only.
 */

#include "report/question.h"
#include "service/core/service.h"

/* Names for completion and messages, until NULL. */
const char *question_measure_at(size_t index);
const char *question_dimension_at(size_t index);

/* The parameters --by and a list of measures, as most commands have them. */
#define QUESTION_BY(fallback_)                                                                 \
    {                                                                                          \
        .name = "by", .letter = 'b', .type = PARAM_TEXT, .value = "DIMENSION[,...]",           \
        .name_at = question_dimension_at, .fallback = fallback_,                               \
        .help = "one row for each cluster, user, group, account, project, partition, ...; "    \
                "for a list: stint dimensions",                                                \
    }
#define QUESTION_MEASURE(fallback_, value_, help_)                                             \
    {                                                                                          \
        .name = "measure", .type = PARAM_TEXT, .value = value_,                                \
        .name_at = question_measure_at, .fallback = fallback_,                                 \
        .help = help_ "; for a list: stint measures", .positional = true,                      \
    }

/*
 * Adds a comma list, each name once; ERROR_USAGE names the nearest for one that does not exist.
 */
int question_measures(struct question *question, struct str list, struct error *err) MUST_CHECK;
int question_dimensions(struct question *question, struct str list,
                        struct error *err) MUST_CHECK;

/*
 * What every question has: the clock, the calendar, the period and the filters of the request.
 */
int question_from_request(const struct service *service, const struct request *request,
                          struct question *question, struct error *err) MUST_CHECK;

/*
 * Opens the store to answer a question that has its dimensions and filters. Rows by node get
 * the cluster as well where there are data of several: nodes of two clusters may have the same
 * name.
 */
int question_open(const struct service *service, struct question *question,
                  struct facts **facts, struct error *err) MUST_CHECK;

/*
 * A line below an answer by buckets about the star that those have which are covered in part
 * only.
 */
int question_note_partial(const struct service *service, struct facts *facts,
                          const struct question *question, struct answer *answer,
                          struct error *err) MUST_CHECK;

/*
 * A line for each ratio that is known of a part of the runs only: of how much, in all; and for
 * each number that some runs could not enter (missing_data_notes.h). For people.
 */
int question_note_coverage(const struct service *service, struct facts *facts,
                           const struct question *question, struct answer *answer,
                           struct error *err) MUST_CHECK;

/* By node: what of a run is shared out, and what does not add up. For people. */
void question_note_nodes(const struct question *question, struct answer *answer);

/* Says of columns, by their ids with commas between, who they are for. */
void question_audience(struct table *table, const char *ids, enum column_audience audience);

/* Whether the request names a period at all. */
bool question_period(const struct request *request);

/*
 * Puts the total of a report together from its rows, as one row of its measures, where that is
 * what asking for it would give: every row is there, every number an exact sum, and none of
 * them absent. *summed is false where it has to be asked for.
 */
int question_sum(struct facts *facts, const struct question *question, const struct table *rows,
                 struct table *total, bool *summed, struct error *err) MUST_CHECK;

/*
 * Makes answer->shown of answer->table, which answers `question`, with a row below it for all
 * together. That row is a question of its own: different users are not summed.
 */
int question_total(const struct service *service, struct facts *facts,
                   const struct question *question, struct answer *answer,
                   struct error *err) MUST_CHECK;

/*
 * Makes answer->shown of answer->table with a row "Total" below it, whose columns from `first`
 * on are those of the only row of `total`. A single row that is the total is left alone.
 */
void question_footer(struct answer *answer, const struct table *total, size_t first);

/* part / whole as a ratio; nothing where it is unknown, or the whole is nothing. */
void question_set_share(struct table *table, size_t column, size_t row, double part,
                        double whole);
