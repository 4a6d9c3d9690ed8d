/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * stint job for people: one screen about a job, made of its runs with all their fields (the columns of a listing of
 * everything). Inside service/ only.
 *
 * A screen is a table of two columns of text, a label and what there is to say, for answer->as_list.
 */

#include "base/buf.h"
#include "base/zone.h"
#include "service/questions/run_energy.h"
#include "table/table.h"

struct job_samples;

/* What a screen is made of. */
struct job_screen {
    const struct table *runs;          /* with what they used (use_rows_apply) */
    const struct job_samples *samples; /* of the last run; NULL: not read */
    const struct table *others;        /* of report/tables/waited.h; NULL: not known */
    const struct table *waits;         /* of report/tables/waits.h; NULL: not known */
    const struct zone *zone;
    struct table *out;
    struct buf text; /* of the line that is being written */
};

/*
 * Puts what is to be seen of `runs` into `out`, an empty table: of one job its last run, of an array a summary. `samples`, `energy`, `others`, who
 * waited at the same time, and `waits`, what it waited for (each may be NULL), are those of the last run.
 */
void job_screen(const struct table *runs, const struct job_samples *samples,
                const struct run_energy *energy, const struct table *others,
                const struct table *waits, const struct zone *zone, struct table *out);

/* How many different values a column has among the runs; absent is one. */
size_t job_screen_different(const struct table *runs, const char *id);

/* --- for the files that write parts of it --------------------------------------------------------- */

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

/* What to change in what was asked for, in the scheduler's own flags: lines of the screen. */
void job_advice(struct job_screen *screen, size_t row);

/* What the run took from the grid, what that is based on, and its carbon: a line, where it is known. */
void job_energy(struct job_screen *screen, const struct run_energy *energy);

/* The tasks of an array together, and those that are unlike the others. */
void job_array(struct job_screen *screen);
