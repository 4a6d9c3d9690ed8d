/* SPDX-License-Identifier: MIT */

/*
 * stint rightsize: what to ask for next time.
 */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "advice/sizing.h"
#include "base/calendar.h"
#include "base/mem.h"
#include "base/scan.h"
#include "service/operations.h"
#include "service/questions/run_rows.h"

#define FIELDS "cpus,wall,class,cpu_used,mem,req_mem,mem_peak,time_limit,node_count,user,name"

enum { CPUS, WALL, CLASS, CPU_USED, MEM, REQ_MEM, MEM_PEAK, TIME_LIMIT, NODES, USER, NAME };

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

#define MIB (1024.0 * 1024)
#define GIB (1024 * MIB)

/* --- each resource ---------------------------------------------------------------------------------- */

static struct sizing_run memory_of(const struct run_rows *rows, size_t row)
{
    const double asked =
        run_rows_number(rows, MEM, row, run_rows_number(rows, REQ_MEM, row, 0));
    return (struct sizing_run){
        .asked = asked,
        .used = run_rows_number(rows, MEM_PEAK, row, -1),
        .wall = run_rows_number(rows, WALL, row, 0),
        .cut_short = str_eq(run_rows_text(rows, CLASS, row), STR("oom")),
    };
}

static struct sizing_run time_of(const struct run_rows *rows, size_t row)
{
    return (struct sizing_run){
        .asked = run_rows_number(rows, TIME_LIMIT, row, 0),
        .used = run_rows_number(rows, WALL, row, -1),
        .wall = 1,
        .cut_short = str_eq(run_rows_text(rows, CLASS, row), STR("timeout")),
    };
}

/* The mean number at work: of a run that is too short it says little. */
static struct sizing_run cpus_of(const struct run_rows *rows, size_t row)
{
    const double wall = run_rows_number(rows, WALL, row, 0),
                 used = run_rows_number(rows, CPU_USED, row, -1);
    return (struct sizing_run){
        .asked = run_rows_number(rows, CPUS, row, 0),
        .used = used >= 0 && wall > 60 * (double)SECOND_US ? used / wall : -1,
        .wall = wall,
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

static const struct resource {
    const char *name;
    struct sizing_run (*read)(const struct run_rows *rows, size_t row);
    double margin, step;
    void (*say)(struct buf *out, double value);
    void (*say_freed)(struct buf *out, double value);
} resources[] = {
    {"memory of the run", memory_of, 1.2, 256 * MIB, say_bytes, say_gib_hours},
    {"time", time_of, 1.5, 15.0 * 60 * 1e6, say_time, say_hours},
    {"cpus", cpus_of, 1.1, 1, say_count, say_cpu_hours},
};

/* --- the answer -------------------------------------------------------------------------------------- */

/* Runs that failed for other reasons, or were cancelled, do not say what they would have needed. */
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

static void add_resource(const struct resource *resource, const struct sizing *found,
                         struct table *out)
{
    const size_t row = table_row(out);
    table_set_text(out, OUT_RESOURCE, row, str_of(resource->name));
    table_set_int(out, OUT_RUNS, row, (int64_t)found->runs);
    if (found->asked > 0) {
        set_said(out, OUT_ASKED, row, resource->say, found->asked);
    }
    set_said(out, OUT_USED, row, resource->say, found->median);
    set_said(out, OUT_QUANTILE, row, resource->say, found->quantile);
    set_said(out, OUT_ADVISED, row, resource->say, found->advised);
    table_set_real(out, OUT_SHORT, row, (double)found->too_small / (double)found->runs);
    set_said(out, OUT_FREES, row, resource->say_freed, found->freed);
}

static void add_rows(const struct run_rows *rows, double quantile, struct table *out)
{
    struct sizing_run *runs = mem_alloc(rows->table.row_count + 1, sizeof(*runs));
    table_columns(out, headings, COUNT_OF(headings));
    for (size_t i = 0; i < COUNT_OF(resources); i++) {
        const struct sizing_rule rule = {quantile, resources[i].margin, resources[i].step};
        struct sizing found;
        size_t count = 0;
        for (size_t row = 0; row < rows->table.row_count; row++) {
            if (counts(rows, row)) {
                runs[count++] = resources[i].read(rows, row);
            }
        }
        if (sizing_find(runs, count, &rule, &found)) {
            add_resource(&resources[i], &found, out);
        }
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
    double quantile = 0;
    int failed;
    (void)((failed = read_quantile(request, &quantile, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = run_rows_ask(service, request, facts, FIELDS, &rows, err)));
    if (!failed) {
        add_rows(&rows, quantile, &answer->table);
        if (answer->table.row_count == 0) {
            answer_note(answer, NOTE_EMPTY,
                        "no run that ended well, or ran out of something, says what it used");
        } else {
            answer_note(
                answer, NOTE_READING,
                "used by most: %.0f %% of the runs used no more; asked for is that and a "
                "margin of 20 %% for memory, 50 %% for time, 10 %% for cpus, rounded up",
                100 * quantile);
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
};

const struct operation operation_rightsize = {
    .name = "rightsize",
    .summary = "advise what to request next time, from what was used",
    .description =
        "For the selected runs, ideally those of one user and job name: what was "
        "requested and used of memory, time and cpus, what to request next time, for "
        "which share of these runs that would not have been enough, and how much it "
        "would have freed. Runs that ran out of memory or time needed at least what "
        "they had, and count as such; runs that failed for other reasons do not "
        "count.",
    .examples =
        "stint rightsize -u ann --name md # what to request next time\n"
        "stint rightsize -A chem --cover 99 --from last-year # more cautious, for an account",
    .role = ROLE_USER,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .from_help = PARAM_FROM_HELP "30 days ago; with -j, any time",
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_rightsize,
};
