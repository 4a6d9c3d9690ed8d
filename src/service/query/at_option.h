/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The option --at: the instant of a question about states. Inside service/ only.
 */

#include "service/core/service.h"

#define AT_OPTION_AT                                                                           \
    {                                                                                          \
        .name = "at", .type = PARAM_TEXT, .value = "TIME",                                     \
        .help = "moment to show: 2025-03-01T12:00, 6h (ago), yesterday; default now"           \
    }

/*
 * The moment asked for, -1 if none was; ERROR_USAGE if it lies ahead. A date is its first
 * instant.
 */
int at_option_read(const struct service *service, const struct request *request, int64_t now,
                   int64_t *out, struct error *err) MUST_CHECK;

/*
 * Opens the store to read what a scheduler that runs was asked. Where no store exists, the error
 * says how to ask one: no file to import would tell it.
 */
int at_option_open(const struct service *service, const char *what, struct facts **out,
                   struct error *err) MUST_CHECK;

/* A note where nobody has ever been asked: how to. */
int at_option_note_unasked(const struct service *service, struct facts *facts,
                           struct answer *answer, struct error *err) MUST_CHECK;

/*
 * A note under an answer about the present: as of when it is, which is when the scheduler that
 * was asked longest ago last answered, and a note (NOTE_STALE) about each that last answered
 * longer ago than two of its intervals. The interval is `every` of its section of stint.conf,
 * or, where it is asked less often, what is usual. `looks` as in report/queries/pull_age.h;
 * without rows, the answer is as of now. What was asked for, "nodes", is for the notes.
 */
void at_option_note_looks(const struct service *service, const struct table *looks, int64_t now,
                          const char *what, struct answer *answer);

/* The notes (NOTE_STALE) alone, for an answer that is not of one moment. */
void at_option_note_stale(const struct service *service, const struct table *looks, int64_t now,
                          const char *what, struct answer *answer);

/* How old what is known of a cluster may be before it is said: a row of looks. */
int64_t at_option_patience(const struct service *service, const struct table *looks,
                           size_t row);

/* A note under an answer: which moment, in which zone. */
void at_option_note(const struct service *service, int64_t at, struct answer *answer);

/*
 * A length of time in words, to its largest unit: "40 seconds", "3 hours". Writes into `text`.
 */
enum { AT_OPTION_TEXT_MAX = 32 };

const char *at_option_length(int64_t length_us, char text[AT_OPTION_TEXT_MAX]);
