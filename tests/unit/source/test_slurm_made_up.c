/* SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/zone.h"
#include "source/slurm/slurm.h"
#include "support/expect.h"

/*
 * Jobs that slurmdbd makes up when it hears of a step first: "allocation", in no partition. Asked a moment later it
 * knows better, so a live source does not tell of them; one that stays so for an hour is a run.
 */

#define HEADER "JobID|JobName|Partition|Submit|Start|End|State|NCPUS|User\n"

enum { SEEN = 1772359200 };

static const struct made_up_row {
    const char *name, *row;
    int64_t seen;
    size_t runs;
} made_up_rows[] = {
    {"without a partition", "24|allocation||1772359180|1772359190|1772359195|COMPLETED|1|ann\n",
     SEEN, 0},
    {"in a partition nobody knows",
     "24|allocation|Unknown|1772359180|1772359190|Unknown|RUNNING|1|ann\n", SEEN, 0},
    {"a job of that name",
     "24|allocation|batch|1772359180|1772359190|1772359195|COMPLETED|1|ann\n", SEEN, 1},
    {"another job without a partition",
     "24|relax||1772359180|1772359190|1772359195|COMPLETED|1|ann\n", SEEN, 1},
    {"an hour later", "24|allocation||1772350000|1772350001|1772355599|COMPLETED|1|ann\n", SEEN,
     1},
    {"in a file", "24|allocation||1772359180|1772359190|1772359195|COMPLETED|1|ann\n", 0, 1},
};

static void jobs_that_slurmdbd_makes_up(void **state)
{
    const struct made_up_row *row = *state;
    struct arena arena = {0};
    struct error err = {0};
    void *format = NULL;
    const struct source_options options = {.seen = row->seen * SECOND_US};
    const char *text = arena_printf(&arena, HEADER "%s", row->row);
    struct source_cursor cursor = {.rest = str_of(text), .next_line = 1, .arena = &arena};
    expect_int(slurm_driver.open(str_of(text), &options, &format, &err), 0);
    size_t runs = 0;
    enum source_step step;
    do {
        struct run run = {0};
        step = slurm_driver.next(format, &cursor, &run, &err);
        runs += step == SOURCE_RECORD;
        expect_true(step != SOURCE_REJECT);
    } while (step != SOURCE_END);
    expect_uint(runs, row->runs);
    slurm_driver.close(format);
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, jobs_that_slurmdbd_makes_up, made_up_rows);
    return suite_run(&suite, "slurm_made_up");
}
