/* SPDX-License-Identifier: MIT */

/*
 * stint rightsize: what to ask for next time.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "advice/sizing.h"
#include "base/calendar.h"
#include "base/mem.h"
#include "base/scan.h"
#include "service/core/operations.h"
#include "service/jobs/run_rows.h"

#define FIELDS                                                                                 \
    "user,name,class,cpus,mem,req_mem,time_limit,gpus,node_count,req_cpus," USE_FIELDS

enum { USER, NAME, CLASS, CPUS, MEM, REQ_MEM, TIME_LIMIT, GPUS, NODES, REQ_CPUS };

static const struct heading headings[] = {
    {"resource", "Resource", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"runs", "Runs", CELL_INT, UNIT_COUNT, COLUMN_BESIDE},
    {"asked", "Asked", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"used", "Used, median", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"quantile", "Used by most", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"advised", "Ask for", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"too_little", "Too little for", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE},
    {"frees", "Frees", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

enum out {
    OUT_RESOURCE,
    OUT_RUNS,
    OUT_ASKED,
    OUT_USED,
    OUT_QUANTILE,
    OUT_ADVISED,
    OUT_SHORT,
    OUT_FREES
};

/* Of a run, by samples: as in advice/advice.c. */
#define SEEN 0.9

#define MIB (1024.0 * 1024)
#define GIB (1024 * MIB)

/* --- each resource ------------------------------------------------------------------------ */

static bool is_class(const struct run_rows *rows, size_t row, const char *class)
{
    return str_eq(run_rows_text(rows, CLASS, row), str_of(class));
}

/*
 * By the node that had most, since a request is the same for each. Looks may have missed a
 * peak; the kernel's counter has not.
 */
static struct sizing_run memory_of(const struct run_rows *rows, size_t row)
{
    const struct use *use = &rows->uses[row];
    const struct use_figure *memory = &use->of[USE_MEMORY];
    const double nodes = fmax(1, run_rows_number(rows, NODES, row, 1));
    return (struct sizing_run){
        .asked = run_rows_number(rows, MEM, row, run_rows_number(rows, REQ_MEM, row, 0)),
        .used = memory->used,
        .need = use->node_memory * nodes,
        .wall = fmax(0, use->wall_us),
        .cut_short = is_class(rows, row, "oom"),
        .bounds = memory->kept && !memory->at_least,
    };
}

/* One that reached its limit and did not work says nothing about the time it needs. */
static struct sizing_run time_of(const struct run_rows *rows, size_t row)
{
    const struct use *use = &rows->uses[row];
    const bool timeout = is_class(rows, row, "timeout");
    const double at_work = use_mean(use, USE_CPU);
    const bool hung = timeout && at_work >= 0 && at_work < 0.9 &&
                      at_work < 0.1 * run_rows_number(rows, CPUS, row, 0) &&
                      run_rows_number(rows, GPUS, row, 0) <= 0;
    return (struct sizing_run){
        .asked = run_rows_number(rows, TIME_LIMIT, row, 0),
        .used = hung ? -1 : use->wall_us,
        .wall = 1,
        .cut_short = timeout,
        .bounds = true,
    };
}

/*
 * The most that worked at once where samples show it, else the mean, which says little of a run
 * that is too short. On fewer cpus than that it takes longer, and has the time for it: see
 * advice/advice.h. Of one that was given far more than it asked for, such as whole nodes, the
 * request is not too large.
 */
static struct sizing_run cpus_of(const struct run_rows *rows, size_t row)
{
    const struct use *use = &rows->uses[row];
    const double mean = use_mean(use, USE_CPU);
    const bool sampled = use->of[USE_CPU].coverage >= SEEN && use->cpus_peak >= 0;
    const bool known = sampled || use->of[USE_CPU].basis == USE_SCHEDULER;
    const double cpus = run_rows_number(rows, CPUS, row, 0),
                 asked = run_rows_number(rows, REQ_CPUS, row, 0);
    const bool given_more = asked > 0 && cpus > 2 * asked;
    return (struct sizing_run){
        .asked = cpus,
        .used = given_more || use->wall_us <= 60 * (double)SECOND_US || !known ? -1
                : sampled ? fmax(mean, use->cpus_peak)
                          : mean,
        .wall = fmax(0, use->wall_us),
        .bounds = true,
    };
}

/* Cards that worked, where all of them were looked at for enough of the time. */
static struct sizing_run gpus_of(const struct run_rows *rows, size_t row)
{
    const struct use *use = &rows->uses[row];
    const double gpus = run_rows_number(rows, GPUS, row, 0);
    const bool known = gpus > 0 && (double)use->cards >= gpus && use->cards_idle >= 0 &&
                       use->of[USE_GPU].coverage >= SEEN && use_saw_cards_often(use);
    return (struct sizing_run){
        .asked = gpus,
        .used = known ? fmax(0, gpus - use->cards_idle) : -1,
        .wall = fmax(0, use->wall_us),
        .bounds = true,
    };
}

static void say_bytes(struct buf *out, double bytes)
{
    buf_addf(out, bytes < 4 * GIB ? "%.0f MiB" : "%.1f GiB",
             bytes / (bytes < 4 * GIB ? MIB : GIB));
}

static void say_time(struct buf *out, double us)
{
    const int64_t seconds = (int64_t)(us / (double)SECOND_US);
    buf_addf(out, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, seconds / 3600, seconds / 60 % 60,
             seconds % 60);
}

static void say_count(struct buf *out, double count)
{
    buf_addf(out, "%.1f", count);
}

static void say_gib_hours(struct buf *out, double byte_us)
{
    buf_addf(out, "%.1f GiB h", byte_us / GIB / (double)HOUR_US);
}

static void say_hours(struct buf *out, double us)
{
    buf_addf(out, "%.1f h of limits", us / (double)HOUR_US);
}

static void say_cpu_hours(struct buf *out, double cpu_us)
{
    buf_addf(out, "%.1f CPU h", cpu_us / (double)HOUR_US);
}

static void say_gpu_hours(struct buf *out, double gpu_us)
{
    buf_addf(out, "%.1f GPU h", gpu_us / (double)HOUR_US);
}

static const struct resource {
    const char *name;
    struct sizing_run (*read)(const struct run_rows *rows, size_t row);
    double margin, step, slack;
    void (*say)(struct buf *out, double value);
    void (*say_freed)(struct buf *out, double value);
    /*
     * runs that asked for different numbers are not compared, and none needs more than it asked
     * for
     */
    bool by_size;
} resources[] = {
    {"memory of the run", memory_of, 1.2, 256 * MIB, 0, say_bytes, say_gib_hours, false},
    {"cpus", cpus_of, 1.1, 1, 0.1, say_count, say_cpu_hours, true},
    {"GPUs", gpus_of, 1, 1, 0, say_count, say_gpu_hours, true},
    {"time", time_of, 2, 15.0 * 60 * 1e6, 0, say_time, say_hours, false},
};

/* --- the answer --------------------------------------------------------------------------- */

/*
 * Runs that failed for other reasons, or were cancelled, do not say what they would have
 * needed.
 */
static bool counts(const struct run_rows *rows, size_t row)
{
    const struct str class = run_rows_text(rows, CLASS, row);
    return str_eq(class, STR("completed")) || str_eq(class, STR("oom")) ||
           str_eq(class, STR("timeout"));
}

static void set_said(struct table *out, size_t column, size_t row,
                     void (*say)(struct buf *out, double value), double value)
{
    struct buf text;
    buf_init(&text, 256);
    say(&text, value);
    table_set_text(out, column, row, buf_str(&text));
    buf_release(&text);
}

static void add_resource(const struct resource *resource, const char *name,
                         const struct sizing *found, struct table *out)
{
    const size_t row = table_row(out);
    table_set_text(out, OUT_RESOURCE, row, str_of(name));
    table_set_int(out, OUT_RUNS, row, (int64_t)found->runs);
    if (found->asked > 0) {
        set_said(out, OUT_ASKED, row, resource->say, found->asked);
    }
    set_said(out, OUT_USED, row, resource->say, found->median);
    set_said(out, OUT_QUANTILE, row, resource->say, found->quantile);
    if (found->withheld) {
        return;
    }
    set_said(out, OUT_ADVISED, row, resource->say, found->advised);
    table_set_real(out, OUT_SHORT, row, (double)found->too_small / (double)found->runs);
    set_said(out, OUT_FREES, row, resource->say_freed, found->freed);
}

static int by_asked(const void *left, const void *right)
{
    const struct sizing_run *a = left, *b = right;
    return (a->asked > b->asked) - (a->asked < b->asked);
}

/* The runs of one size, up to the end of which, in order of size. */
static size_t end_of_size(const struct sizing_run *runs, size_t count, size_t first)
{
    size_t end = first;
    while (end < count && runs[end].asked == runs[first].asked) {
        end++;
    }
    return end;
}

/* What was found so far. */
struct state {
    double quantile;
    int64_t top; /* sizes to show of each resource; 0: all */
    size_t left_out;
    bool withheld;   /* a row has no advice */
    bool fewer_cpus; /* on which a run may take twice as long */
};

/* Whether at least `top` other sizes have more runs, or as many and come before. */
static bool is_left_out(const struct sizing_run *runs, size_t count, size_t first, int64_t top)
{
    const size_t own = end_of_size(runs, count, first) - first;
    int64_t before = 0;
    for (size_t other = 0, end; top > 0 && other < count; other = end) {
        end = end_of_size(runs, count, other);
        before += end - other > own || (end - other == own && other < first);
    }
    return top > 0 && before >= top;
}

/* A row, or one for each number that was asked for. */
static void add_sizes(const struct resource *resource, struct sizing_run *runs, size_t count,
                      struct state *state, struct table *out)
{
    const struct sizing_rule rule = {
        .quantile = state->quantile,
        .margin = resource->margin,
        .step = resource->step,
        .slack = resource->slack,
        .at_most_asked = resource->by_size,
        .longer = resource->read == time_of && state->fewer_cpus ? 2 : 1};
    if (resource->by_size && count > 0) {
        qsort(runs, count, sizeof(*runs), by_asked);
    }
    const bool several = resource->by_size && end_of_size(runs, count, 0) < count;
    for (size_t first = 0, end; first < count; first = end) {
        char name[64];
        struct sizing found;
        end = resource->by_size ? end_of_size(runs, count, first) : count;
        const bool left_out = resource->by_size && is_left_out(runs, count, first, state->top);
        (void)snprintf(name, sizeof(name), several ? "%s of %.0f" : "%s", resource->name,
                       runs[first].asked);
        if (!sizing_find(runs + first, end - first, &rule, &found)) {
            continue;
        }
        state->left_out += left_out;
        if (!left_out) {
            add_resource(resource, name, &found, out);
            state->withheld = state->withheld || found.withheld;
        }
        state->fewer_cpus =
            state->fewer_cpus || (resource->read == cpus_of && found.advised < found.asked);
    }
}

static void add_rows(const struct run_rows *rows, struct state *state, struct table *out)
{
    struct sizing_run *runs = mem_alloc(rows->table.row_count + 1, sizeof(*runs));
    table_columns(out, headings, COUNT_OF(headings));
    for (size_t i = 0; i < COUNT_OF(resources); i++) {
        size_t count = 0;
        for (size_t row = 0; row < rows->table.row_count; row++) {
            if (counts(rows, row)) {
                runs[count] = resources[i].read(rows, row);
                count += runs[count].used >= 0;
            }
        }
        add_sizes(&resources[i], runs, count, state, out);
    }
    free(runs);
}

static int read_quantile(const struct request *request, double *out, struct error *err)
{
    int64_t percent = 0;
    int failed = request_number(request, "cover", 95, &percent, err);
    if (!failed && (percent < 1 || percent > 100)) {
        failed =
            error_set(err, ERROR_USAGE, "--cover is a share of the runs: 1 to 100 percent");
    }
    *out = (double)percent / 100;
    return failed;
}

static int run_rightsize(struct service *service, const struct request *request,
                         struct answer *answer, struct error *err)
{
    struct facts *facts = NULL;
    struct run_rows rows = {0};
    struct state state = {0};
    int failed = read_quantile(request, &state.quantile, err);
    failed = failed ? failed : request_number(request, "top", 0, &state.top, err);
    failed = failed ? failed : session_facts(service->session, FACTS_READ, &facts, err);
    failed = failed ? failed : run_rows_ask(service, request, facts, FIELDS, &rows, err);
    failed = failed ? failed : run_rows_use(facts, service->now(), &rows, err);
    if (!failed) {
        add_rows(&rows, &state, &answer->table);
        if (state.withheld) {
            answer_note(
                answer, NOTE_READING,
                "memory was seen at moments, and a peak between two of them would not have "
                "been: less is advised by the kernel's counter, which stint-agent reads");
        }
        if (answer->table.row_count == 0) {
            answer_note(answer, NOTE_EMPTY,
                        "no run that ended well, or ran out of something, says what it used");
        } else {
            answer_note(
                answer, NOTE_READING,
                "used by most: %.0f %% of the runs used no more; asked for is that and a "
                "margin of 20 %% for memory, 100 %% for time, 10 %% for cpus, rounded up; on "
                "fewer cpus a run "
                "may take up to twice as long",
                100 * state.quantile);
        }
        if (state.left_out > 0) {
            answer_note(answer, NOTE_MORE, "%zu more size%s of cpus or GPUs: raise --top",
                        state.left_out, state.left_out == 1 ? "" : "s");
        }
        if (answer->table.row_count > 0 && !request_has(request, "job") &&
            !(run_rows_agree(&rows, USER) && run_rows_agree(&rows, NAME))) {
            answer_note(answer, NOTE_READING,
                        "these are jobs of several people or names, taken together: for advice "
                        "on one kind of job choose with -u and --name, or -j");
        }
        failed = run_rows_note(service, facts, request, &rows, answer, err);
    }
    run_rows_release(&rows);
    return failed;
}

static const struct param params[] = {
    {.name = "cover",
     .type = PARAM_NUMBER,
     .value = "PERCENT",
     .fallback = "95",
     .help = "share of the runs to cover, before the margin"},
    {.name = "top",
     .letter = 't',
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "of cpus and GPUs, show only the N sizes with most runs"},
};

const struct operation operation_rightsize = {
    .name = "rightsize",
    .summary = "advise what to request next time, from what was used",
    .description =
        "For the selected runs, ideally those of one user and job name: what was "
        "requested and used of memory, time, cpus and GPUs, what to request next time, for "
        "which share of these runs that would not have been enough, and how much it "
        "would have freed. Runs that ran out of memory or time needed at least what "
        "they had, and count as such; runs that failed for other reasons, or reached their "
        "time limit without working, do not count. Runs with different numbers of cpus or "
        "GPUs are not compared. Less memory is advised only by the kernel's counter of the "
        "peak (stint-agent).",
    .examples =
        "stint rightsize -u ann --name md # what to request next time\n"
        "stint rightsize -A chem --cover 99 --from last-year # more cautious, for an account",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .from_help = PARAM_FROM_HELP "30 days ago; with -j, any time",
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_rightsize,
};
