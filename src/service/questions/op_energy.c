/* SPDX-License-Identifier: MIT */

/*
 * stint energy: what runs took from the grid, and what that stands for in carbon.
 */

#include <math.h>
#include <stdlib.h>

#include "advice/carbon.h"
#include "advice/energy.h"
#include "base/file.h"
#include "base/mem.h"
#include "report/tables/energy.h"
#include "service/operations.h"
#include "service/params.h"
#include "service/questions/run_rows.h"
#include "service/questions/sampled.h"

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

enum { FILE_MAX_BYTES = 64 << 20 };

#define JOULES_A_KWH 3.6e6

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

/* --- what the site says ---------------------------------------------------------------------------- */

struct grid {
    struct energy_watts watts;
    double overhead; /* share on top */
    double grams;    /* of a kWh; below 0: not known */
    struct carbon series;
};

static int read_series(const char *path, const struct zone *zone, struct carbon *out,
                       struct error *err)
{
    struct buf text;
    buf_init(&text, FILE_MAX_BYTES);
    int failed = file_read(path, &text, err);
    if (!failed && (failed = carbon_read(buf_str(&text), zone, out, err))) {
        failed = error_prepend(err, "'%s': ", path);
    }
    buf_release(&text);
    return failed;
}

static int read_grid(const struct config *config, const struct zone *zone, struct grid *out,
                     struct error *err)
{
    const struct config_key *keys = config_energy_keys;
    int failed = config ? config_check_plain(config, err) : 0;
    const struct config_section *section =
        config ? config_find(config, STR("energy"), (struct str){0}) : NULL;
    *out = (struct grid){.grams = -1};
    if (failed || !section) {
        return failed;
    }
    out->watts.cpu = (double)config_number(section, &keys[CONFIG_ENERGY_CPU], 0);
    out->watts.gpu = (double)config_number(section, &keys[CONFIG_ENERGY_GPU], 0);
    out->overhead = (double)config_number(section, &keys[CONFIG_ENERGY_OVERHEAD], 0) / 100;
    out->grams = (double)config_number(section, &keys[CONFIG_ENERGY_CARBON], -1);
    const struct str path = config_text(section, &keys[CONFIG_ENERGY_CARBON_FILE]);
    return path.ptr ? read_series(path.ptr, zone, &out->series, err) : 0;
}

/* Grams of a run's energy; below 0: not known. */
static double carbon_of(const struct grid *grid, double joules, double from, double to)
{
    const double grams = grid->series.count > 0
                             ? carbon_mean(&grid->series, (int64_t)from, (int64_t)to)
                             : grid->grams;
    return grams < 0 ? -1 : joules / JOULES_A_KWH * (1 + grid->overhead) * grams;
}

/* --- runs ------------------------------------------------------------------------------------------- */

static double scaled(const struct table *seen, size_t column, size_t row, double coverage)
{
    return table_has(seen, column, row) ? table_real(seen, column, row) / coverage : -1;
}

static struct energy_run describe(const struct run_rows *rows, size_t row,
                                  const struct table *seen, double now)
{
    struct energy_run run = {
        .wall = run_rows_number(rows, WALL, row, 0),
        .cpus = run_rows_number(rows, CPUS, row, 0),
        .gpus = run_rows_number(rows, GPUS, row, 0),
        .scheduler = run_rows_number(rows, ENERGY, row, -1),
        .cards = -1,
        .processors = -1,
    };
    const struct sampled_run wanted = {
        .cluster = run_rows_text(rows, CLUSTER, row),
        .job = run_rows_number(rows, JOB_RAW, row, run_rows_number(rows, JOB, row, -1)),
        .task = run_rows_number(rows, TASK, row, -1),
        .start = run_rows_number(rows, START, row, -1),
        .end = run_rows_number(rows, END, row, now),
    };
    size_t at = 0;
    double coverage = 0;
    if (sampled_find(seen, &wanted, &at, &coverage)) {
        const double length =
            table_real(seen, SAMPLED_LAST, at) - table_real(seen, SAMPLED_FIRST, at);
        const double part = fmin(1, length / (wanted.end - wanted.start));
        run.cards = part > 0 ? scaled(seen, ENERGY_USE_CARDS, at, part) : -1;
        run.processors = part > 0 ? scaled(seen, ENERGY_USE_PROCESSORS, at, part) : -1;
    }
    return run;
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
        if (sums->count == sums->room) {
            sums->room = sums->room ? 2 * sums->room : 64;
            sums->rows = mem_resize(sums->rows, sums->room, sizeof(*sums->rows));
        }
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

static void add_runs(const struct run_rows *rows, const struct table *seen,
                     const struct grid *grid, size_t dimension, double now, struct sums *out)
{
    for (size_t row = 0; row < rows->table.row_count; row++) {
        const struct energy_run run = describe(rows, row, seen, now);
        const struct energy found = energy_of(&run, &grid->watts);
        const double start = run_rows_number(rows, START, row, -1);
        struct sum *sum = sum_of(out, run_rows_text(rows, dimension, row));
        if (start < 0) {
            continue; /* it never ran */
        }
        sum->runs++;
        sum->basis = found.basis;
        if (found.basis == ENERGY_UNKNOWN) {
            sum->unknown++;
            continue;
        }
        const double grams =
            carbon_of(grid, found.joules, start, run_rows_number(rows, END, row, now));
        sum->joules += found.joules;
        sum->measured += found.measured;
        sum->grams += grams > 0 ? grams : 0;
        sum->without_carbon += grams < 0;
    }
}

static void write_sums(const struct sums *sums, size_t dimension, int64_t limit,
                       struct table *out)
{
    table_column(out, dimensions[dimension].name, dimensions[dimension].label, CELL_TEXT,
                 UNIT_NONE, COLUMN_DIMENSION);
    table_column(out, "runs", "Runs", CELL_INT, UNIT_COUNT, COLUMN_BESIDE);
    table_column(out, "energy", "Energy", CELL_INT, UNIT_JOULES, COLUMN_MEASURE);
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
        table_set_int(out, 2, row, llround(sum->joules));
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

static void note_basis(const struct grid *grid, struct answer *answer)
{
    if (grid->watts.cpu <= 0) {
        answer_note(
            answer, NOTE_READING,
            "what was not measured is not estimated: cpu_watts and gpu_watts of [energy] "
            "in stint.conf are not set");
    }
    if (grid->grams < 0 && grid->series.count == 0) {
        answer_note(
            answer, NOTE_READING,
            "carbon is not known: carbon or carbon_file of [energy] in stint.conf is not "
            "set");
    }
}

static int sum_up(const struct service *service, const struct request *request,
                  struct facts *facts, const struct grid *grid, size_t dimension,
                  struct run_rows *rows, struct answer *answer, struct error *err)
{
    struct table seen = {0};
    struct sums sums = {0};
    int64_t limit = 0;
    const struct period period =
        rows->any_time ? (struct period){0, service->now()} : rows->period;
    int failed;
    (void)((failed = request_number(request, "limit", 0, &limit, err)) ||
           (failed = energy_use(facts, period, &seen, err)));
    if (!failed) {
        start_sums(&sums, rows->table.row_count);
        add_runs(rows, &seen, grid, dimension, (double)service->now(), &sums);
        if (sums.count > 0) {
            qsort(sums.rows, sums.count, sizeof(*sums.rows), by_joules);
        }
        write_sums(&sums, dimension, limit, &answer->table);
        note_basis(grid, answer);
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
    struct grid grid = {0};
    size_t dimension = 0;
    int failed;
    (void)((failed = params_find("dimension", request_text(request, "by"), dimension_at,
                                 "see stint help energy", &dimension, err)) ||
           (failed = read_grid(service->config, service->zone, &grid, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = run_rows_ask(service, request, facts, FIELDS, &rows, err)) ||
           (failed = sum_up(service, request, facts, &grid, dimension, &rows, answer, err)) ||
           (failed = run_rows_note(service, facts, request, &rows, answer, err)));
    run_rows_release(&rows);
    carbon_release(&grid.series);
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
     .help = "how many rows; 0 is all"},
};

const struct operation operation_energy = {
    .name = "energy",
    .summary = "show the energy that jobs used, and its carbon",
    .description =
        "Of the runs of the period: energy by counters of processors and GPUs where agents "
        "have "
        "sampled them, split among the jobs of a node by their cpu time; else what the "
        "scheduler measured; else an estimate, if [energy] in stint.conf has watts for it. The "
        "share that was measured stands beside it. Carbon is by a factor, or by a file of the "
        "grid's factors over time.",
    .examples = "stint energy --from last-month # by user\n"
                "stint energy --by group --from 2026-Q1 # by group\n"
                "stint energy --by job -j 4711 # of one job, with what it is based on",
    .role = ROLE_USER,
    .sets = PARAMS_PERIOD | PARAMS_FILTERS,
    .brief = true,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_energy,
};
