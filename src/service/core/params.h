/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Parameters that several operations share, and what is made of them. Inside service/ only.
 */

#include "base/calendar.h"
#include "report/filter.h"
#include "service/core/service.h"

extern const struct param period_params[];
extern const size_t period_param_count;

/* One parameter for each field a run can be picked by, with sacct's letter where it has one. */
bool filter_param(size_t index, struct param *out);

/* One parameter for each column of samples, with the same letters. */
bool sample_param(size_t index, struct param *out);

/* One parameter for each column of the kind of the books that a command is named after. */
bool kind_param(const char *command, size_t index, struct param *out);

/* The period asked for. */
int params_period(const struct service *service, const struct request *request,
                  struct period *out, struct error *err) MUST_CHECK;

/* All filters asked for; their values can be read. */
int params_filter(const struct service *service, const struct request *request,
                  struct filter *out, struct error *err) MUST_CHECK;

/* The same of sample_param. */
int params_filter_samples(const struct service *service, const struct request *request,
                          struct filter *out, struct error *err) MUST_CHECK;

/* A parameter of an operation's own that picks by a field of the run. */
struct named_filter {
    const char *name;
    enum run_field field;
};

/* The same for an operation that takes only some, under names of its own. */
int params_filter_by(const struct service *service, const struct request *request,
                     const struct named_filter *rows, size_t count, struct filter *out,
                     struct error *err) MUST_CHECK;

/* A filter of an operation's own among its parameters: a row. */
#define PARAM_FILTER(name_, letter_, help_)                                                    \
    {                                                                                          \
        .name = name_, .letter = letter_, .type = PARAM_TEXT, .value = "PATTERN",              \
        .help = help_, .repeated = true                                                        \
    }

/* What listings share: how many rows, of which columns, in which order. */
#define PARAM_LIMIT(fallback_, help_)                                                          \
    {                                                                                          \
        .name = "limit", .letter = 'n', .type = PARAM_NUMBER, .value = "N",                    \
        .fallback = fallback_, .help = help_                                                   \
    }
#define PARAM_FIELDS(name_at_, fallback_, help_)                                               \
    {                                                                                          \
        .name = "fields", .letter = 'o', .type = PARAM_TEXT, .value = "FIELD[,...]",           \
        .name_at = name_at_, .fallback = fallback_, .help = help_                              \
    }
#define PARAM_SORT(value_, name_at_, help_)                                                    \
    {                                                                                          \
        .name = "sort", .type = PARAM_TEXT, .value = value_, .name_at = name_at_,              \
        .help = help_                                                                          \
    }
#define PARAM_REVERSE                                                                          \
    {                                                                                          \
        .name = "reverse", .type = PARAM_FLAG, .help = "reverse the order"                     \
    }

/*
 * Fails with ERROR_MISSING if a list as the filter on jobs takes it names a job that no run is
 * of; says which may have been meant.
 */
int params_check_jobs(struct facts *facts, struct str list, struct error *err) MUST_CHECK;
/* The same for every value of --job. */
int params_check_each_job(struct facts *facts, const struct request *request,
                          struct error *err) MUST_CHECK;
/* Notes which of the jobs of --job no run is of. */
int params_note_missing_jobs(struct facts *facts, const struct request *request,
                             struct answer *answer, struct error *err) MUST_CHECK;

/*
 * Fails with "no <what> is called 'x'", naming the nearest of the candidates that `name_at`
 * gives for 0, 1, 2 ... until NULL, and how to see them all.
 */
int params_unknown(const char *what, struct str text, const char *(*name_at)(size_t index),
                   const char *see, struct error *err);

/*
 * The index of a name among these candidates; fails as params_unknown does if it is none of
 * them.
 */
int params_find(const char *what, struct str text, const char *(*name_at)(size_t index),
                const char *see, size_t *index, struct error *err) MUST_CHECK;

/* What a list of names may consist of. */
struct params_names {
    const char *what; /* one of them: "field" */
    const char *(*name_at)(size_t index);
    const char *see; /* how to see them all */
    size_t max;      /* of one list */
};

/*
 * The indexes of the names in a list, "cluster, state"; fails as params_find does, or if there
 * are too many.
 */
int params_find_each(const struct params_names *names, struct str list, size_t *indexes,
                     size_t *count, struct error *err) MUST_CHECK;

/* What an operation groups by according to --by, where `queue` also means `partition`. */
int params_keys(const struct request *request, const struct params_names *names,
                const char **keys, size_t *count, struct error *err) MUST_CHECK;

/*
 * A note under an answer: which period, in which zone, as of when (`now`, as the question had
 * it).
 */
void params_note_time(const struct service *service, struct period period, int64_t now,
                      struct answer *answer);

/*
 * The same, and if the answer is empty, why that may be. An empty answer to filters that name a
 * value no run has is ERROR_MISSING, with the value that may have been meant.
 */
int params_note_period(struct service *service, struct facts *facts, struct period period,
                       int64_t now, const struct filter *filter, struct answer *answer,
                       struct error *err) MUST_CHECK;

/*
 * An instant to the second, for people: below that nobody reads. Writes into `text` and returns
 * it.
 */
const char *params_print(const struct zone *zone, int64_t instant, char text[INSTANT_TEXT_MAX]);
