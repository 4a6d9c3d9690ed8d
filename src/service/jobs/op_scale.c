/* SPDX-License-Identifier: MIT */

/*
 * stint scale: does the same work become shorter on more cpus, and how far.
 */

#include <math.h>
#include <stdlib.h>

#include "advice/scaling.h"
#include "base/mem.h"
#include "service/core/operations.h"
#include "service/jobs/run_behavior.h"
#include "service/jobs/run_rows.h"

#define FIELDS "cpus,wall,class,user,name,gpus," USE_FIELDS

enum { CPUS, WALL, CLASS, USER, NAME };

static const struct heading headings[] = {
    {"cpus", "CPUs", CELL_INT, UNIT_COUNT, COLUMN_DIMENSION},
    {"runs", "Runs", CELL_INT, UNIT_COUNT, COLUMN_BESIDE},
    {"wall", "Median time", CELL_INT, UNIT_SECONDS, COLUMN_MEASURE},
    {"speedup", "Speed-up", CELL_REAL, UNIT_NONE, COLUMN_BESIDE},
    {"efficiency", "Efficiency", CELL_REAL, UNIT_RATIO, COLUMN_BESIDE},
    {"cpu_hours", "CPU h a run", CELL_WIDE, UNIT_HOURS, COLUMN_BESIDE},
};

enum out { OUT_CPUS, OUT_RUNS, OUT_WALL, OUT_SPEEDUP, OUT_EFFICIENCY, OUT_HOURS };

/* Runs that ended well, with their cpus and their time. */
static size_t collect(const struct run_rows *rows, struct scaling_run *out)
{
    size_t count = 0;
    for (size_t row = 0; row < rows->table.row_count; row++) {
        const double cpus = run_rows_number(rows, CPUS, row, 0),
                     wall = run_rows_number(rows, WALL, row, 0);
        if (cpus > 0 && wall > 0 && str_eq(run_rows_text(rows, CLASS, row), STR("completed"))) {
            out[count++] = (struct scaling_run){cpus, wall};
        }
    }
    return count;
}

/* The rows of one size, from `first` on: its end and its median, since they are sorted. */
static size_t end_of_size(const struct scaling_run *runs, size_t count, size_t first)
{
    size_t end = first;
    while (end < count && runs[end].cpus == runs[first].cpus) {
        end++;
    }
    return end;
}

/* Beside the smallest size that was run: its speed-up is its cpus by the law, or 1. */
static void add_rows(const struct scaling_run *runs, size_t count, struct table *out)
{
    double base = 0, base_cpus = 0;
    table_columns(out, headings, COUNT_OF(headings));
    for (size_t first = 0, end; first < count; first = end) {
        end = end_of_size(runs, count, first);
        const double wall = runs[first + (end - first - 1) / 2].wall, cpus = runs[first].cpus;
        base = base > 0 ? base : wall;
        base_cpus = base_cpus > 0 ? base_cpus : cpus;
        const size_t row = table_row(out);
        table_set_int(out, OUT_CPUS, row, (int64_t)cpus);
        table_set_int(out, OUT_RUNS, row, (int64_t)(end - first));
        table_set_int(out, OUT_WALL, row, (int64_t)llround(wall));
        table_set_real(out, OUT_SPEEDUP, row, base / wall);
        table_set_real(out, OUT_EFFICIENCY, row, base / wall * base_cpus / cpus);
        table_set_wide(out, OUT_HOURS, row, (wide_int)llround(wall) * (wide_int)cpus);
    }
}

/* Different people's or different jobs' times say nothing about each other. */
static bool is_one_work(const struct run_rows *rows)
{
    return run_rows_agree(rows, USER) && run_rows_agree(rows, NAME);
}

static void note_strong(const struct scaling *found, struct answer *answer)
{
    answer_note(
        answer, NOTE_RESULT,
        "%.1f %% of the work is serial (%.1f to %.1f %% with 95 %% confidence): it cannot "
        "become more than %.0f times faster than on one cpu",
        100 * found->serial, 100 * found->serial_low, 100 * found->serial_high,
        found->serial > 0.0001 ? 1 / found->serial : 10000);
    if (found->knee < 1e6) {
        answer_note(answer, NOTE_RESULT,
                    "beyond about %.0f cpus less than half of them are of use",
                    floor(found->knee));
    } else {
        answer_note(answer, NOTE_RESULT, "no limit is to be seen in these sizes");
    }
}

static void note_verdict(const struct scaling *found, struct answer *answer)
{
    switch (found->verdict) {
    case SCALING_FEW_SIZES:
        answer_note(
            answer, NOTE_RESULT,
            "cannot tell: %zu different number%s of cpus among %zu completed run%s, and "
            "three are needed",
            found->sizes, found->sizes == 1 ? "" : "s", found->runs,
            found->runs == 1 ? "" : "s");
        break;
    case SCALING_NOISE:
        answer_note(answer, NOTE_RESULT,
                    "cannot tell: times differ too much between runs of one size, or do not "
                    "follow the number of cpus; are they the same work?");
        break;
    case SCALING_STRONG:
        note_strong(found, answer);
        break;
    case SCALING_WEAK:
        answer_note(
            answer, NOTE_RESULT,
            "times stay the same as cpus are added (%+.1f %% a doubling): work that grows with "
            "them scales; the same work gains nothing",
            100 * found->growth);
        break;
    case SCALING_NONE:
        answer_note(
            answer, NOTE_RESULT,
            "more cpus make it longer, by %.0f %% a doubling: ask for as few as possible",
            100 * found->growth);
        break;
    }
}

/* --- one run ------------------------------------------------------------------------------ */

static const struct heading cause_headings[] = {
    {"cause", "Held back by", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"verdict", "", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"evidence", "Seen", CELL_TEXT, UNIT_NONE, COLUMN_PROSE},
};

static void list_causes(const struct bottleneck *found, struct answer *answer)
{
    static const char *const verdicts[] = {
        [BOTTLENECK_UNKNOWN] = "cannot tell", [BOTTLENECK_NO] = "no", [BOTTLENECK_YES] = "yes"};

    bool any = false;
    table_columns(&answer->table, cause_headings, COUNT_OF(cause_headings));
    for (size_t i = 0; i < BOTTLENECK_CAUSES; i++) {
        const size_t row = table_row(&answer->table);
        table_set_text(&answer->table, 0, row,
                       str_of(bottleneck_name((enum bottleneck_cause)i)));
        table_set_text(&answer->table, 1, row, str_of(verdicts[found[i].verdict]));
        table_set_text(&answer->table, 2, row, str_of(found[i].evidence));
        any = any || found[i].verdict == BOTTLENECK_YES;
    }
    answer_note(
        answer, NOTE_RESULT, "%s",
        any ? "by the samples of one run; runs at three sizes or more tell how it scales"
            : "nothing that samples show holds it back; runs at three sizes or more tell "
              "how it scales");
}

static int judge_one(const struct service *service, const struct run_rows *rows,
                     struct facts *facts, struct answer *answer, struct error *err)
{
    struct job_samples seen = {0};
    struct bottleneck found[BOTTLENECK_CAUSES];
    int failed = job_samples_read(facts, &rows->table, 0, service->now(), &seen, err);
    if (!failed && !job_samples_any(&seen)) {
        table_columns(&answer->table, cause_headings, COUNT_OF(cause_headings));
        answer_note(answer, NOTE_RESULT,
                    "cannot tell: there are no samples of this run, and three sizes are needed "
                    "to tell from times");
    } else if (!failed) {
        const struct bottleneck_run run = run_behavior_seen(&rows->table, 0, &seen);
        bottleneck_find(&run, found);
        list_causes(found, answer);
    }
    job_samples_release(&seen);
    return failed;
}

static int judge_sizes(struct service *service, const struct request *request,
                       const struct run_rows *rows, struct facts *facts, struct answer *answer,
                       struct error *err)
{
    struct scaling found;
    struct scaling_run *runs = mem_alloc(rows->table.row_count + 1, sizeof(*runs));
    const size_t count = collect(rows, runs);
    scaling_fit(runs, count, &found);
    add_rows(runs, count, &answer->table);
    free(runs);
    note_verdict(&found, answer);
    return run_rows_note(service, facts, request, rows, answer, err);
}

static int run_scale(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct facts *facts = NULL;
    struct run_rows rows = {0};
    int failed;
    (void)((failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = run_rows_ask(service, request, facts, FIELDS, &rows, err)));
    if (!failed && !request_has(request, "job") && !is_one_work(&rows)) {
        failed = error_set(err, ERROR_USAGE,
                           "these are jobs of several people or names, which say nothing about "
                           "each other: choose with -u and --name, or -j");
    }
    if (!failed) {
        failed = rows.table.row_count == 1
                     ? judge_one(service, &rows, facts, answer, err)
                     : judge_sizes(service, request, &rows, facts, answer, err);
    }
    run_rows_release(&rows);
    return failed;
}

const struct operation operation_scale = {
    .name = "scale",
    .summary = "show whether a job gets faster on more cpus",
    .description =
        "For completed runs of the same work at different sizes, selected by user and "
        "job name or by their ids: the median time for each number of cpus, the "
        "speed-up relative to the smallest size, the efficiency relative to it, and "
        "the cost of a run. With three or more sizes, the serial share of the work is "
        "estimated (Amdahl's law), with its confidence interval, and the number of "
        "cpus beyond which efficiency is below one half. If the times are not "
        "sufficient for an estimate, it says so. For a single run, selected by its "
        "id, samples show what limits it: too few threads, serial parts, imbalance "
        "between nodes, disks, memory, GPUs that wait.",
    .examples =
        "stint scale -u ann --name md --from last-year # one person's work at all its sizes\n"
        "stint scale -j 4711,4712,4720,4731 # these runs\n"
        "stint scale -j 4711 # what limits this run",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .from_help = PARAM_FROM_HELP "30 days ago; with -j, any time",
    .brief = true,
    .run = run_scale,
};
