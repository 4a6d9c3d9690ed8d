/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs as they are now, for those who keep something that follows from each of them: those that
 * the change feed (changes.h) is about, or those that fit a question of one of the forms below.
 * They come in chunks, each run once, in no order: sorting millions of them would take longer
 * than all the rest.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "record/run.h"

/* Fields of runs that are read; what tells runs apart always is. */
struct changed_columns {
    enum run_field fields[32];
    size_t count;
};

/* Every field that a price may go by. */
extern const struct changed_columns changed_columns_all;

/* All but one: those who need not know it save the time of reading it. */
void changed_columns_drop(struct changed_columns *columns, enum run_field field);

/*
 * The runs that changed after `after`, up to `upto`: added, replaced, ended; and those that
 * were removed.
 */
int changed_runs_by_feed(struct facts *facts, int64_t after, int64_t upto,
                         const struct changed_columns *columns, const struct table_sink *sink,
                         struct error *err) MUST_CHECK;

/* The runs of a user, project, account (`field`) that started at `since` or later. */
int changed_runs_of(struct facts *facts, enum run_field field, struct str name, int64_t since,
                    const struct changed_columns *columns, const struct table_sink *sink,
                    struct error *err) MUST_CHECK;

/* The runs of a job's number, on all clusters, with all fields. */
int changed_runs_of_job(struct facts *facts, int64_t job, const struct table_sink *sink,
                        struct error *err) MUST_CHECK;

/* All runs that started at `since` or later. */
int changed_runs_since(struct facts *facts, int64_t since,
                       const struct changed_columns *columns, const struct table_sink *sink,
                       struct error *err) MUST_CHECK;

/*
 * Row `row` of such a chunk as a run with the fields that were asked for; text is borrowed from
 * the chunk. Returns false if the run is not there any more: then it has its identity only.
 */
bool changed_runs_read(const struct changed_columns *columns, const struct table *chunk,
                       size_t row, struct run *out);
