/* SPDX-License-Identifier: MIT */

/*
 * stint energy: what runs took from the grid, and what that stands for in carbon.
 */

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/jobs/run_energy.h"
#include "service/jobs/run_rows.h"

#define FIELDS "id,user,group,account,cluster,partition,name,start," USE_FIELDS

enum { ID, USER, GROUP, ACCOUNT, CLUSTER, PARTITION, NAME, START };

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

/* --- sums --------------------------------------------------------------------------------- */

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
    bool split; /* energy of nodes was divided among runs */
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

static void add_runs(const struct run_rows *rows, const struct run_energy *found,
                     struct period period, size_t dimension, struct sums *out)
{
    for (size_t row = 0; row < rows->table.row_count; row++) {
        const struct energy *energy = &found[row].energy;
        const double start = run_rows_number(rows, START, row, -1);
        struct sum *sum = sum_of(out, run_rows_text(rows, dimension, row));
        if (start < 0 || start >= (double)period.to) {
            continue; /* it did not run then */
        }
        sum->runs++;
        sum->basis = energy->basis;
        if (energy->basis == ENERGY_UNKNOWN) {
            sum->unknown++;
            continue;
        }
        out->split =
            out->split || (energy->processors.joules > 0 && !energy->processors.estimated);
        sum->joules += energy->joules;
        sum->measured += energy->measured;
        sum->grams += found[row].grams > 0 ? found[row].grams : 0;
        sum->without_carbon += found[row].grams < 0;
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
        table_set_int(out, 2, row, llround(sum->joules * USE_MILLIJOULES));
        table_set_real(out, 3, row, round(sum->joules / JOULES_A_KWH * 1000) / 1000);
        if (sum->joules > 0) {
            table_set_real(out, 4, row, sum->measured / sum->joules);
        }
        if (sum->without_carbon == 0) {
            table_set_real(out, 6, row, round(sum->grams) / 1000);
        }
    }
}

/* --- the operation ------------------------------------------------------------------------ */

static void note_basis(const struct run_energy_site *site, bool split, struct answer *answer)
{
    if (split) {
        answer_note(answer, NOTE_READING,
                    site->idle == ENERGY_IDLE_USE
                        ? "idle power of nodes is divided among the jobs at work, by their cpu "
                          "time (--idle use): a job that does nothing has none of it"
                        : "idle power of nodes is divided by allocated cpus and memory (--idle "
                          "allocation); what nobody holds is not in these numbers");
    }
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
    struct sums sums = {0};
    struct run_energy *found = mem_alloc(rows->table.row_count + 1, sizeof(*found));
    int64_t limit = 0;
    const struct period period =
        rows->any_time ? (struct period){0, service->now()} : rows->period;
    int failed = request_number(request, "limit", 0, &limit, err);
    if (!failed) {
        failed = run_energy_read(facts, &rows->table, period, service->now(), site, found, err);
    }
    if (!failed) {
        start_sums(&sums, rows->table.row_count);
        add_runs(rows, found, period, dimension, &sums);
        if (sums.count > 0) {
            qsort(sums.rows, sums.count, sizeof(*sums.rows), by_joules);
        }
        write_sums(&sums, dimension, limit, &answer->table);
        note_basis(site, sums.split, answer);
    }
    free(sums.rows);
    free(sums.slots);
    free(found);
    return failed;
}

/* The rule of the request, in place of that of stint.conf. */
static int read_idle(const struct request *request, struct run_energy_site *site,
                     struct error *err)
{
    const struct str asked = request_text(request, "idle");
    size_t idle = 0;
    if (!asked.ptr) {
        return 0;
    }
    int failed =
        params_find("rule", asked, energy_idle_name, "see stint help energy", &idle, err);
    site->idle = failed ? site->idle : (enum energy_idle)idle;
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
           (failed = read_idle(request, &site, err)) ||
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
    {.name = "idle",
     .type = PARAM_TEXT,
     .value = "RULE",
     .name_at = energy_idle_name,
     .help =
         "how the idle power of nodes is divided: allocation (by allocated cpus and memory) "
         "or use (among jobs at work); default [energy] idle of stint.conf"},
    PARAM_LIMIT("25", "maximum number of rows; 0 shows all"),
};

const struct operation operation_energy = {
    .name = "energy",
    .summary = "show the energy that jobs used, and its carbon",
    .description =
        "Shows the energy of the runs of the period, of each the part that lies within it: "
        "from "
        "counters of processors and GPUs if agents have sampled enough of the run, split among "
        "the jobs of a node: what it took for work by cpu time, the energy of memory by the "
        "memory in use, and what it takes when idle by --idle; otherwise as measured by the "
        "scheduler; otherwise as an estimate, if [energy] in stint.conf has watts for it. The "
        "share that was measured is "
        "shown next to it. Carbon is computed with a constant factor, or with a file of "
        "factors "
        "over time.",
    .examples = "stint energy --from last-month # by user\n"
                "stint energy --by group --from 2026-Q1 # by group\n"
                "stint energy --by job -j 4711 # one job, and what its value is based on",
    .rights = RIGHT_OWN,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .from_help = PARAM_FROM_HELP "30 days ago; with -j, any time",
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_energy,
};
