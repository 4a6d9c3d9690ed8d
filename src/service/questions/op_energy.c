/* SPDX-License-Identifier: MIT */

/*
 * stint energy: what runs took from the grid, and what that stands for in carbon.
 */

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/tables/energy.h"
#include "service/operations.h"
#include "service/params.h"
#include "service/questions/run_energy.h"
#include "service/questions/run_rows.h"

#define FIELDS                                                                                 \
    "id,user,group,account,cluster,partition,name,wall,cpus,gpus,energy,job,job_raw,task,"     \
    "start,end"

enum {
    ID,
    USER,
    GROUP,
    ACCOUNT,
    CLUSTER,
    PARTITION,
    NAME,
    WALL,
    CPUS,
    GPUS,
    ENERGY,
    JOB,
    JOB_RAW,
    TASK,
    START,
    END
};

/* What rows can be of: the first columns. */
static const struct {
    const char *name, *label;
} dimensions[] = {
    [ID] = {"job", "Job"},
    [USER] = {"user", "User"},
    [GROUP] = {"group", "Group"},
    [ACCOUNT] = {"account", "Account"},
    [CLUSTER] = {"cluster", "Cluster"},
    [PARTITION] = {"partition", "Partition"},
    [NAME] = {"name", "Name"},
};

static const char *dimension_at(size_t index)
{
    return index < COUNT_OF(dimensions) ? dimensions[index].name : NULL;
}

static struct recorded_run describe(const struct run_rows *rows, size_t row, double now)
{
    return (struct recorded_run){
        .run =
            {
                .cluster = run_rows_text(rows, CLUSTER, row),
                .job = run_rows_number(rows, JOB_RAW, row, run_rows_number(rows, JOB, row, -1)),
                .task = run_rows_number(rows, TASK, row, -1),
                .start = run_rows_number(rows, START, row, -1),
                .end = run_rows_number(rows, END, row, now),
            },
        .wall = run_rows_number(rows, WALL, row, 0),
        .cpus = run_rows_number(rows, CPUS, row, 0),
        .gpus = run_rows_number(rows, GPUS, row, 0),
        .joules =
            run_rows_number(rows, ENERGY, row, -MILLIJOULES_A_JOULE) / MILLIJOULES_A_JOULE,
    };
}

/* --- sums ------------------------------------------------------------------------------------------- */

struct sum {
    struct str name;
    int64_t runs, unknown, without_carbon;
    double joules, measured, grams;
    enum energy_basis basis; /* of a single run */
};

struct sums {
    struct sum *rows;
    size_t count, room;
    size_t *slots; /* places of names, by their hash; one more than the place */
    size_t slot_count;
};

static void start_sums(struct sums *sums, size_t runs)
{
    sums->slot_count = 16;
    while (sums->slot_count < 2 * runs) {
        sums->slot_count *= 2;
    }
    sums->slots = mem_alloc(sums->slot_count, sizeof(*sums->slots));
}

static struct sum *sum_of(struct sums *sums, struct str name)
{
    size_t at = str_hash(name, 1) & (sums->slot_count - 1);
    while (sums->slots[at] && !str_eq(sums->rows[sums->slots[at] - 1].name, name)) {
        at = (at + 1) & (sums->slot_count - 1);
    }
    if (!sums->slots[at]) {
        sums->rows = mem_grow(sums->rows, sums->count, &sums->room, sizeof(*sums->rows));
        sums->rows[sums->count++] = (struct sum){.name = name};
        sums->slots[at] = sums->count;
    }
    return &sums->rows[sums->slots[at] - 1];
}

static int by_joules(const void *left, const void *right)
{
    const struct sum *a = left, *b = right;
    return a->joules != b->joules ? (a->joules < b->joules) - (a->joules > b->joules)
                                  : str_compare(a->name, b->name);
}

/* What runs are added up from. */
struct looked_at {
    const struct run_rows *rows;
    const struct table *seen;
    const struct run_energy_site *site;
    struct period period;
    double now;
};

static void add_runs(const struct looked_at *at, size_t dimension, struct sums *out)
{
    for (size_t row = 0; row < at->rows->table.row_count; row++) {
        const struct recorded_run run = describe(at->rows, row, at->now);
        struct sum *sum = sum_of(out, run_rows_text(at->rows, dimension, row));
        if (run.run.start < 0 || run.run.start >= (double)at->period.to) {
            continue; /* it did not run then */
        }
        const struct run_energy found = run_energy_of(&run, at->period, at->seen, at->site);
        sum->runs++;
        sum->basis = found.energy.basis;
        if (found.energy.basis == ENERGY_UNKNOWN) {
            sum->unknown++;
            continue;
        }
        sum->joules += found.energy.joules;
        sum->measured += found.energy.measured;
        sum->grams += found.grams > 0 ? found.grams : 0;
        sum->without_carbon += found.grams < 0;
    }
}

static void write_sums(const struct sums *sums, size_t dimension, int64_t limit,
                       struct table *out)
{
    table_column(out, dimensions[dimension].name, dimensions[dimension].label, CELL_TEXT,
                 UNIT_NONE, COLUMN_DIMENSION);
    table_column(out, "runs", "Runs", CELL_INT, UNIT_COUNT, COLUMN_BESIDE);
    table_column(out, "energy", "Energy", CELL_INT, UNIT_MILLIJOULES, COLUMN_MEASURE);
    table_column(out, "kwh", "kWh", CELL_REAL, UNIT_NONE, COLUMN_BESIDE);
    table_column(out, "measured", "Measured", CELL_REAL, UNIT_RATIO, COLUMN_BESIDE);
    table_column(out, "unknown", "Not recorded", CELL_INT, UNIT_COUNT, COLUMN_BESIDE);
    table_column(out, "carbon_kg", "kg CO2e", CELL_REAL, UNIT_NONE, COLUMN_BESIDE);
    if (dimension == ID) {
        table_column(out, "basis", "Basis", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE);
    }
    for (size_t i = 0; i < sums->count && (limit == 0 || (int64_t)i < limit); i++) {
        const struct sum *sum = &sums->rows[i];
        const size_t row = table_row(out);
        table_set_text(out, 0, row, sum->name);
        table_set_int(out, 1, row, sum->runs);
        table_set_int(out, 5, row, sum->unknown);
        if (dimension == ID) {
            table_set_text(out, 7, row, str_of(energy_basis_name(sum->basis)));
        }
        if (sum->runs == sum->unknown) {
            continue;
        }
        table_set_int(out, 2, row, llround(sum->joules * MILLIJOULES_A_JOULE));
        table_set_real(out, 3, row, round(sum->joules / JOULES_A_KWH * 1000) / 1000);
        if (sum->joules > 0) {
            table_set_real(out, 4, row, sum->measured / sum->joules);
        }
        if (sum->without_carbon == 0) {
            table_set_real(out, 6, row, round(sum->grams) / 1000);
        }
    }
}

/* --- the operation ---------------------------------------------------------------------------------- */

static void note_basis(const struct run_energy_site *site, struct answer *answer)
{
    if (site->watts.cpu <= 0) {
        answer_note(
            answer, NOTE_READING,
            "what was not measured is not estimated: cpu_watts and gpu_watts of [energy] "
            "in stint.conf are not set");
    }
    if (site->grams < 0 && site->series.count == 0) {
        answer_note(
            answer, NOTE_READING,
            "carbon is not known: carbon or carbon_file of [energy] in stint.conf is not "
            "set");
    }
}

static int sum_up(const struct service *service, const struct request *request,
                  struct facts *facts, const struct run_energy_site *site, size_t dimension,
                  struct run_rows *rows, struct answer *answer, struct error *err)
{
    struct table seen = {0};
    struct sums sums = {0};
    int64_t limit = 0;
    const struct period period =
        rows->any_time ? (struct period){0, service->now()} : rows->period;
    int failed;
    (void)((failed = request_number(request, "limit", 0, &limit, err)) ||
           (failed = energy_use(facts, period, NULL, &seen, err)));
    if (!failed) {
        start_sums(&sums, rows->table.row_count);
        const struct looked_at at = {rows, &seen, site, period, (double)service->now()};
        add_runs(&at, dimension, &sums);
        if (sums.count > 0) {
            qsort(sums.rows, sums.count, sizeof(*sums.rows), by_joules);
        }
        write_sums(&sums, dimension, limit, &answer->table);
        note_basis(site, answer);
    }
    free(sums.rows);
    free(sums.slots);
    table_release(&seen);
    return failed;
}

static int run_energy(struct service *service, const struct request *request,
                      struct answer *answer, struct error *err)
{
    struct facts *facts = NULL;
    struct run_rows rows = {0};
    struct run_energy_site site = {.grams = -1};
    size_t dimension = 0;
    int failed;
    (void)((failed = params_find("dimension", request_text(request, "by"), dimension_at,
                                 "see stint help energy", &dimension, err)) ||
           (failed = run_energy_site_read(service->config, service->zone, &site, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = run_rows_ask(service, request, facts, FIELDS, &rows, err)) ||
           (failed = sum_up(service, request, facts, &site, dimension, &rows, answer, err)) ||
           (failed = run_rows_note(service, facts, request, &rows, answer, err)));
    run_rows_release(&rows);
    run_energy_site_release(&site);
    return failed;
}

static const struct param params[] = {
    {.name = "by",
     .type = PARAM_TEXT,
     .value = "WHAT",
     .fallback = "user",
     .name_at = dimension_at,
     .help = "rows of: user, group, account, cluster, partition, name, job"},
    {.name = "limit",
     .letter = 'n',
     .type = PARAM_NUMBER,
     .value = "N",
     .fallback = "25",
     .help = "maximum number of rows; 0 shows all"},
};

const struct operation operation_energy = {
    .name = "energy",
    .summary = "show the energy that jobs used, and its carbon",
    .description =
        "Shows the energy of the runs of the period, of each the part that lies within it: "
        "from "
        "counters of processors and GPUs if agents have sampled them, split among the jobs of "
        "a "
        "node by their cpu time; otherwise as measured by the scheduler; otherwise as an "
        "estimate, if [energy] in stint.conf has watts for it. The share that was measured is "
        "shown next to it. Carbon is computed with a constant factor, or with a file of "
        "factors "
        "over time.",
    .examples = "stint energy --from last-month # by user\n"
                "stint energy --by group --from 2026-Q1 # by group\n"
                "stint energy --by job -j 4711 # one job, and what its value is based on",
    .role = ROLE_USER,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .from_help = PARAM_FROM_HELP "30 days ago; with -j, any time",
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_energy,
};
