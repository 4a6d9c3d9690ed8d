/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * stint job for people: one screen about a job, made of its runs with all their fields (the
 * columns of a listing of everything). Inside service/ only.
 *
 * A screen is a table of two columns of text, a label and what there is to say, for
 * answer->as_list.
 */

#include "base/buf.h"
#include "base/zone.h"
#include "service/jobs/run_energy.h"
#include "table/table.h"

struct job_samples;
struct service;

/* Where a job may run: report/queries/places.h. */
struct job_places {
    struct table nodes, partitions;
};

/* What a screen is made of. */
struct job_screen {
    const struct table *runs;          /* with what they used (use_rows_apply) */
    const struct job_samples *samples; /* of the last run; NULL: not read */
    const struct table *others;        /* of report/queries/peer_wait.h; NULL: not known */
    const struct table *waits;         /* of report/queries/wait_causes.h; NULL: not known */
    const struct job_places *places;   /* NULL: not read */
    struct str charged; /* what the bank charged for the last run; the null string: nothing */
    const struct zone *zone;
    struct table *out;
    struct buf text; /* of the line that is being written */
};

/*
 * Puts what is to be seen of the runs into `out`, an empty table: of one job its last run, of
 * an array a summary. Samples, energy (may be NULL), others, who waited at the same time, and
 * waits, what it waited for, are those of the last run.
 */
void job_screen(struct job_screen *screen, const struct run_energy *energy);

/* How many different values a column has among the runs; absent is one. */
size_t job_screen_different(const struct table *runs, const char *id);

/* --- for the files that write parts of it ------------------------------------------------- */

/* The column of this id. Listings of everything have them all. */
size_t job_column(const struct table *runs, const char *id);
bool job_has(const struct job_screen *screen, const char *id, size_t row);
double job_number(const struct job_screen *screen, const char *id, size_t row);
bool job_is(const struct job_screen *screen, const char *id, size_t row, const char *text);

/* Adds a cell as people read it. */
void job_say(struct job_screen *screen, const char *id, size_t row);

/* Ends the line: a row of the screen, unless nothing was written. */
void job_line(struct job_screen *screen, const char *label);

/* What it waited for, and what the scheduler expected: lines, where they were seen. */
void job_waits(struct job_screen *screen, size_t row);

/* What a row of advice is about. */
enum job_advice_about {
    JOB_ADVICE_LIMIT, /* what limited it */
    JOB_ADVICE_WAIT,  /* why it waits, where there is nothing to do */
    JOB_ADVICE,       /* what to change, or why nothing is advised */
};

/*
 * What limited a run and what to change, or why it waits: rows of about, resource, amount
 * (bytes, seconds, a number), request (in the scheduler's own words), risk and text, in an
 * empty table. Samples are not NULL.
 */
void job_advice_find(const struct job_screen *screen, size_t row, struct table *out);

/* Adds such a row; returns its place. */
size_t job_advice_row(struct table *out, enum job_advice_about about, struct str text);

/*
 * The most memory of a node, in bytes, and the longest time limit of the job's only partition,
 * in microseconds, by what the cluster has now; 0: not known, or there is no limit.
 */
double job_largest_memory(const struct job_screen *screen);
double job_longest_time(const struct job_screen *screen, size_t row);

/* The rows of a job that waits. */
void job_pending(const struct job_screen *screen, size_t row, struct table *out);

/* All of them as lines of the screen. */
void job_advice(struct job_screen *screen, size_t row);

/*
 * What the run took from the grid, what that is based on, and its carbon: a line, where it is
 * known.
 */
void job_energy(struct job_screen *screen, const struct run_energy *energy);

/*
 * What the bank charged for a run, to which account and by which rate, as a sentence in the
 * arena; the null string where it charged nothing.
 */
int job_charged(const struct service *service, const struct table *runs, size_t row,
                struct arena *arena, struct str *out, struct error *err) MUST_CHECK;

/* The tasks of an array together, and those that are unlike the others. */
void job_array(struct job_screen *screen);
