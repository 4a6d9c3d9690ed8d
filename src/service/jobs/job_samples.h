/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a run used, for its screen: the figures of report/use/use.h, which nodes and cards
 * differ, and a small graph. Inside service/ only.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/use/use_rows.h"
#include "service/jobs/job_screen.h"
#include "table/table.h"

enum { JOB_SAMPLES_POINTS = 40 };

struct job_samples {
    struct use use;
    struct use_looks looks; /* none: there are no samples */
    struct table timeline;  /* no rows: likewise */
};

/*
 * Reads what there is of the run in this row, which has USE_FIELDS; `now` where it has not
 * ended.
 */
int job_samples_read(struct facts *facts, const struct table *runs, size_t row, int64_t now,
                     struct job_samples *out, struct error *err) MUST_CHECK;
void job_samples_release(struct job_samples *samples);

bool job_samples_any(const struct job_samples *samples);

/*
 * What the number of this field is based on: "scheduler", "at least: cgroup, 8 % seen"; nothing
 * where it is not known.
 */
void job_samples_say_basis(struct buf *text, const struct job_samples *samples,
                           const struct table *runs, size_t row, const char *id);

/* The lower bound of a field, where nothing better is known of it; below 0: none. */
double job_samples_at_least(const struct job_samples *samples, const char *id);

/* How long the run had the resource that this field is about (use_time in report/use/use.h). */
double job_samples_time(const struct job_samples *samples, const char *id);

/*
 * The most memory of each of its cards, and what they have, added up; false where one of them
 * does not say.
 */
bool job_samples_card_memory(const struct job_samples *samples, double *used, double *size);

/* "17.9 GiB" */
void job_samples_say_bytes(struct buf *text, double bytes);

/* Lines of the screen: nodes that differ, cards, graph. */
void job_samples_say(struct job_screen *screen, const struct job_samples *samples);
