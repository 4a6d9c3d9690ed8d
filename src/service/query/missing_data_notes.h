/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Lines below an answer about runs that its numbers could not take in
 * (report/queries/missing_fields.h): how many, and how much of the whole that is. Measures that
 * no run has anything of have `---` and no line. For people. Inside service/ only.
 */

#include "report/question.h"
#include "service/core/service.h"

/*
 * `name` is what the only measure is called in the answer, where that is not its own; else
 * NULL.
 */
int missing_data_note(const struct service *service, struct facts *facts,
                      const struct question *question, const char *name, struct answer *answer,
                      struct error *err) MUST_CHECK;

/*
 * Jobs that a sum does not include; the times are absent (0) where those of the omitted ones
 * are not recorded.
 */
struct missing_data_jobs {
    int64_t omitted, all;
    double time, time_all;
};

/* The same line for columns of an answer that are no measures. */
void missing_data_note_jobs(struct answer *answer, const char *columns, const char *field,
                            struct missing_data_jobs jobs);
