/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which runs a question is about: conditions on fields, all of which must hold.
 *
 * A condition is a comma list as people type it: `alice,bob*`, `!root`, `8..64`, `>1h`.
 * Patterns of one list, and lists of one field, are alternatives; a leading ! takes away. Text
 * knows the globs * ? and [abc], and in a pattern that has one a backslash makes the next
 * character plain; numbers know ranges and comparisons, in the field's unit (4G, 90m,
 * 2025-03-01, 50%). `---` is what is absent, as tables print it; nothing else matches what is
 * absent, but a ! does not take it away either.
 *
 * Jobs are also written as schedulers write them: see struct job_id. The name of a run
 * (record/run_id.h) is that very run. What is neither one of these nor a number, a range or a
 * comparison is a text: the source's own id (job_key), or the name of a job that has no number.
 */

#include <stddef.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/zone.h"
#include "facts/statement.h"
#include "record/run.h"

/* For help: what the filter on jobs takes. */
#define FILTER_JOB_FORMS                                                                       \
    "job number: 4711, or 4711.3, 4711_3 or 4711[3] for a task, 4711_[1-3,7] for several, "    \
    "4711+1 for a component, 4711.batch or slurm-4711.out for its job; or the id of one run "  \
    "as --fields run_id prints it (birch:4711.3@1759167225); the source's own id, or the "     \
    "name of jobs that have no number"

/* A job with maybe its array task (HTCondor: its process) and its component. */
struct job_id {
    int64_t job, task, het;
    bool has_task, has_het;
};

/*
 * Reads "4711", "4711.3", "4711_3", "4711[3]", "4711+1", "4711.3+1", and each with the name of
 * a server behind it, as PBS has it: "4711.pbs01", "4711[3].pbs01.example.org"; a step that has
 * a name, "4711.batch", is its job. Also the names of files that jobs write, in any folder:
 * "slurm-4711_3.out", "logs/train-4711.err", "train.o4711". False if it is nothing of these.
 */
bool filter_job_id(struct str text, struct job_id *out);

/*
 * The next item of a list that names one job rather than a pattern, a range, or one to be left
 * out; false at the end of the list.
 */
bool filter_next_job(struct str *rest, struct str *item);

/*
 * Whether a text is one of sacct's letters for a state (CD, F, TO), its word, or a class: the
 * filter on states knows them.
 */
bool filter_is_state(struct str text);

enum { FILTER_MAX = 64 };

struct filter_condition {
    const struct field *field;
    struct str list; /* as typed; borrowed */
};

struct filter {
    struct filter_condition conditions[FILTER_MAX];
    size_t count;
};

/*
 * ERROR_USAGE if the list holds nothing, or too many were added. The list's values are read by
 * filter_sql.
 */
int filter_add(struct filter *filter, const struct field *field, struct str list,
               struct error *err) MUST_CHECK;

/* Whether a condition is on this field. */
bool filter_has(const struct filter *filter, const struct field *field);

/*
 * The only value that a text field may have, where the conditions name one and no pattern; else
 * the null string.
 */
struct str filter_name(const struct filter *filter, const struct field *field);

/* The conditions on one field, and no others. */
int filter_only(const struct filter *filter, const struct field *field, struct filter *out,
                struct error *err) MUST_CHECK;

/* Whether every value can be read; says which cannot, before a store is opened for it. */
int filter_check(const struct filter *filter, const struct zone *zone, int64_t now,
                 struct error *err) MUST_CHECK;

/*
 * Adds " AND (...)" for every condition to a statement that ends in a WHERE with something in
 * it. `zone` and `now` are for instants. A value that cannot be read refuses the statement.
 */
void filter_sql(const struct filter *filter, const struct zone *zone, int64_t now,
                struct statement *sql);

/* What rows of runs may have (runs_source.h). */
enum filter_rows {
    /*
     * `cluster` is the one that runs count under, and `own_cluster` that of the import, by
     * which a run is named
     */
    FILTER_RENAMED = 1,
    /* rows are nodes of runs, `node` is the node, and `first_node` that of the run's record */
    FILTER_BY_NODE = 2,
};

/*
 * The same of rows that are runs; `rows` is of enum filter_rows. A condition on `node` then
 * holds for every node of a run, not the first alone. Of rows that are nodes it chooses those;
 * `!` still leaves out every run that had the node.
 */
void filter_sql_of_runs(const struct filter *filter, const struct zone *zone, int64_t now,
                        unsigned rows, struct statement *sql);
