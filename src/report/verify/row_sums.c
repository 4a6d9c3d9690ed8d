/* SPDX-License-Identifier: MIT */
#include "report/verify/row_sums.h"

#include "base/attribute.h"
#include "report/use/use.h"

/* --- numbers of a run --------------------------------------------------------------------- */

/* A number of a run; false if it does not have. */
typedef bool number_of(const struct run *run, wide_int *out);

#define FIELDS(X)                                                                              \
    X(cpus)                                                                                    \
    X(gpus)                                                                                    \
    X(node_count)                                                                              \
    X(mem_bytes)                                                                               \
    X(disk_bytes)                                                                              \
    X(billing)                                                                                 \
    X(req_wall_us)                                                                             \
    X(cpu_used_us)                                                                             \
    X(cpu_user_us)                                                                             \
    X(cpu_system_us)                                                                           \
    X(gpu_used_us)                                                                             \
    X(mem_peak_bytes)

#define X(member)                                                                              \
    static bool member##_of(const struct run *run, wide_int *out)                              \
    {                                                                                          \
        *out = run->member;                                                                    \
        return RUN_HAS(run, member);                                                           \
    }
FIELDS(X)
#undef X

static bool energy_of(const struct run *run, wide_int *out)
{
    *out = run->energy_mj;
    return RUN_HAS(run, energy_mj);
}

bool row_sums_field(size_t index, enum run_field *out)
{
    static const enum run_field fields[] = {

#define X(member) RUN_##member,
        FIELDS(X)
#undef X
            RUN_energy_mj,
        RUN_mem_basis,
        RUN_req_mem_bytes,
        RUN_suspended_us,
        RUN_submit,
        RUN_eligible,
        RUN_start,
        RUN_end,
        RUN_class,
        RUN_seen,
        RUN_task_count,
    };
    *out = index < COUNT_OF(fields) ? fields[index] : RUN_FIELD_COUNT;
    return index < COUNT_OF(fields);
}

static bool one_of(const struct run *run, wide_int *out)
{
    (void)run;
    *out = 1;
    return true;
}

static int64_t positive(int64_t n)
{
    return n > 0 ? n : 0;
}

static int64_t suspended_of(const struct run *run)
{
    return RUN_HAS(run, suspended_us) ? positive(run->suspended_us) : 0;
}

/* Of runs that started and ended. */
static bool wall_of(const struct run *run, wide_int *out)
{
    *out = positive(positive(run->end - run->start) - suspended_of(run));
    return true;
}

static bool wait_of(const struct run *run, wide_int *out)
{
    *out = positive(run->start - run->submit);
    return RUN_HAS(run, submit);
}

static bool wait_eligible_of(const struct run *run, wide_int *out)
{
    *out = positive(run->start - run->eligible);
    return RUN_HAS(run, eligible);
}

static bool cpu_time_of(const struct run *run, wide_int *out)
{
    (void)wall_of(run, out);
    *out *= run->cpus;
    return RUN_HAS(run, cpus);
}

/* GPUs are held while a run is suspended. */
static bool gpu_time_of(const struct run *run, wide_int *out)
{
    *out = (wide_int)positive(run->end - run->start) * run->gpus;
    return RUN_HAS(run, gpus);
}

static bool memory_of(const struct run *run, wide_int *out)
{
    *out = RUN_HAS(run, mem_bytes) ? run->mem_bytes : run->req_mem_bytes;
    return RUN_HAS(run, mem_bytes) || RUN_HAS(run, req_mem_bytes);
}

/* The peak, where it is more than a lower bound. */
static bool memory_whole_of(const struct run *run, wide_int *out)
{
    const struct str basis = RUN_HAS(run, mem_basis) ? run->mem_basis : (struct str){0};
    *out = run->mem_peak_bytes;
    return RUN_HAS(run, mem_peak_bytes) &&
           !use_is_lower_bound(basis.ptr, basis.len,
                               RUN_HAS(run, cpus) ? (double)run->cpus : -1);
}

static bool cpu_modes_of(const struct run *run, wide_int *out)
{
    *out = (wide_int)run->cpu_user_us + run->cpu_system_us;
    return RUN_HAS(run, cpu_user_us) && RUN_HAS(run, cpu_system_us);
}

/* --- a run in a period -------------------------------------------------------------------- */

enum moment { AT_SUBMIT, AT_START, AT_END, AT_WITHDRAWAL, OVERLAPS, MOMENTS };

struct placed {
    const struct run *run;
    const struct node_split_cut *cut; /* which part of a run it is; NULL: all */
    bool at[MOMENTS];
    bool timed;          /* it is known when it stopped */
    int64_t start, stop; /* its own */
    int64_t from, to;    /* clipped to the period */
};

static bool lies_in(struct period period, bool known, int64_t instant)
{
    return known && instant >= period.from && instant < period.to;
}

/*
 * No end, and either it says that it waits or runs, or it was listed and says nothing that is
 * known.
 */
static bool is_open(const struct run *run)
{
    static const char *const words[] = {"running", "pending", "suspended"};
    if (RUN_HAS(run, end)) {
        return false;
    }
    for (size_t i = 0; RUN_HAS(run, class) && i < COUNT_OF(words); i++) {
        if (str_eq(run->class, str_of(words[i]))) {
            return true;
        }
    }
    return RUN_HAS(run, seen) && (!RUN_HAS(run, class) || str_eq(run->class, STR("other")));
}

/* When it stopped as far as is known: a run that nobody saw end, when it was last seen. */
static int64_t stop_of(const struct run *run, int64_t now)
{
    if (RUN_HAS(run, end)) {
        return run->end;
    }
    if (!is_open(run) || !RUN_HAS(run, seen)) {
        return run->start;
    }
    return run->seen > now ? now : run->seen;
}

static struct placed place(const struct run *run, struct period period, int64_t now)
{
    const bool open = is_open(run);
    const bool started = RUN_HAS(run, start);
    const int64_t end = stop_of(run, now);
    struct placed p = {.run = run, .timed = RUN_HAS(run, end) || open, .start = run->start};
    p.stop = end > p.start ? end : p.start;
    p.from = p.start > period.from ? p.start : period.from;
    p.to = p.stop < period.to ? p.stop : period.to;
    p.at[AT_SUBMIT] = lies_in(period, RUN_HAS(run, submit), run->submit);
    p.at[AT_START] = lies_in(period, started, run->start);
    p.at[AT_END] = lies_in(period, started && RUN_HAS(run, end), run->end);
    p.at[AT_WITHDRAWAL] =
        !started && !open &&
        (RUN_HAS(run, end) ? lies_in(period, true, run->end) : p.at[AT_SUBMIT]);
    p.at[OVERLAPS] = started && (p.at[AT_START] || (p.start < period.to && p.from < p.to));
    return p;
}

/* What a node has of what a run used: of the time of its cpus by these. */
static wide_int cut(const struct placed *p, number_of *use, wide_int amount)
{
    const bool by_cpus =
        use == cpu_used_us_of || use == cpu_user_us_of || use == cpu_system_us_of;
    if (!p->cut) {
        return amount;
    }
    return node_split_share(by_cpus ? p->cut->cpus : p->cut->even, amount);
}

/*
 * What lies in the period of an amount that comes evenly from start to stop: see
 * sql_prorated.c.
 */
static wide_int share(const struct placed *p, wide_int whole)
{
    const wide_int length = p->stop - p->start;
    if (length == 0) {
        return whole;
    }
    return whole * (p->to - p->start) / length - whole * (p->from - p->start) / length;
}

/* The same of what a run used; a node has its part of what was used by then. */
static wide_int share_of_use(const struct placed *p, number_of *use, wide_int whole)
{
    const wide_int length = p->stop - p->start;
    if (length == 0) {
        return cut(p, use, whole);
    }
    return cut(p, use, whole * (p->to - p->start) / length) -
           cut(p, use, whole * (p->from - p->start) / length);
}

/* How long a run held a resource: cpus are free while it is suspended, all else is not. */
static wide_int held(const struct placed *p, bool pauses)
{
    const int64_t length = p->stop - p->start;
    const int64_t off = suspended_of(p->run) < length ? suspended_of(p->run) : length;
    return (wide_int)(p->to - p->from) - (pauses ? share(p, off) : 0);
}

/* --- ways of adding ----------------------------------------------------------------------- */

struct tally_row;
typedef void add_run(struct row_sums_cell *cell, const struct tally_row *row,
                     const struct placed *p);
typedef bool get_value(const struct row_sums_cell *cell, wide_int *number, double *real);

struct tally_row {
    const char *id;
    enum moment moment;
    add_run *add;
    get_value *get;
    number_of *part, *whole;
    const char *class;
};

static void add_count(struct row_sums_cell *cell, const struct tally_row *row,
                      const struct placed *p)
{
    const struct run *run = p->run;
    cell->sum += !row->class || (RUN_HAS(run, class) && str_eq(run->class, str_of(row->class)));
    cell->whole++;
    cell->known++;
}

/* A record of tasks that wait together is as many as these. */
static void add_tasks(struct row_sums_cell *cell, const struct tally_row *row,
                      const struct placed *p)
{
    const struct run *run = p->run;
    (void)row;
    cell->sum += RUN_HAS(run, task_count) ? run->task_count : 1;
    cell->whole++;
    cell->known++;
}

static void add_sum(struct row_sums_cell *cell, const struct tally_row *row,
                    const struct placed *p)
{
    wide_int value;
    if (row->part(p->run, &value)) {
        cell->sum += value;
        cell->known++;
    }
}

static void add_amount(struct row_sums_cell *cell, const struct tally_row *row,
                       const struct placed *p)
{
    wide_int rate;
    if (p->timed && row->part(p->run, &rate)) {
        cell->sum += rate * held(p, row->part == cpus_of || row->part == one_of);
        cell->known++;
    }
}

static void add_used(struct row_sums_cell *cell, const struct tally_row *row,
                     const struct placed *p)
{
    wide_int value;
    if (row->part(p->run, &value) && row->part(p->cut ? p->cut->whole : p->run, &value)) {
        cell->sum += share_of_use(p, row->part, value);
        cell->known++;
    }
}

static void add_most(struct row_sums_cell *cell, const struct tally_row *row,
                     const struct placed *p)
{
    wide_int value;
    if (row->part(p->run, &value)) {
        cell->sum = cell->known++ == 0 || value > cell->sum ? value : cell->sum;
    }
}

static void add_least(struct row_sums_cell *cell, const struct tally_row *row,
                      const struct placed *p)
{
    wide_int value;
    if (row->part(p->run, &value)) {
        cell->sum = cell->known++ == 0 || value < cell->sum ? value : cell->sum;
    }
}

/* Of the runs that tell both. */
static void add_share(struct row_sums_cell *cell, const struct tally_row *row,
                      const struct placed *p)
{
    wide_int part, whole;
    if (row->part(p->run, &part) && row->whole(p->run, &whole)) {
        cell->sum += part;
        cell->whole += whole;
        cell->known++;
    }
}

/* Of the whole, what belongs to runs that tell the part. */
static void add_known(struct row_sums_cell *cell, const struct tally_row *row,
                      const struct placed *p)
{
    wide_int part, whole;
    if (row->whole(p->run, &whole)) {
        cell->sum += row->part(p->run, &part) ? whole : 0;
        cell->whole += whole;
        cell->known++;
    }
}

/* Nothing is zero; something of which is not recorded the size is unknown. */
static bool get_sum(const struct row_sums_cell *cell, wide_int *number, double *real)
{
    (void)real;
    *number = cell->sum;
    return cell->known > 0 || cell->seen == 0;
}

static bool get_extreme(const struct row_sums_cell *cell, wide_int *number, double *real)
{
    (void)real;
    *number = cell->sum;
    return cell->known > 0;
}

static bool get_mean(const struct row_sums_cell *cell, wide_int *number, double *real)
{
    if (cell->known > 0) {
        *number = cell->sum / cell->known;
        *real = (double)cell->sum / (double)cell->known;
    }
    return cell->known > 0;
}

static bool get_ratio(const struct row_sums_cell *cell, wide_int *number, double *real)
{
    (void)number;
    if (cell->whole != 0) {
        *real = (double)cell->sum / (double)cell->whole;
    }
    return cell->whole != 0;
}

#define COUNT(id_, moment_)                                                                    \
    {                                                                                          \
        .id = id_, .moment = moment_, .add = add_count, .get = get_sum                         \
    }
#define TASKS(id_, moment_)                                                                    \
    {                                                                                          \
        .id = id_, .moment = moment_, .add = add_tasks, .get = get_sum                         \
    }
#define CLASS(id_, class_)                                                                     \
    {                                                                                          \
        .id = id_, .moment = AT_END, .add = add_count, .get = get_sum, .class = class_         \
    }
#define OF(id_, moment_, add_, get_, part_)                                                    \
    {                                                                                          \
        .id = id_, .moment = moment_, .add = add_, .get = get_, .part = part_                  \
    }
#define RATIO(id_, add_, part_, whole_)                                                        \
    {                                                                                          \
        .id = id_, .moment = AT_END, .add = add_, .get = get_ratio, .part = part_,             \
        .whole = whole_                                                                        \
    }

static const struct tally_row rows[] = {
    COUNT("jobs", AT_END),
    TASKS("jobs_submitted", AT_SUBMIT),
    COUNT("jobs_started", AT_START),
    COUNT("jobs_active", OVERLAPS),
    TASKS("jobs_never_started", AT_WITHDRAWAL),
    CLASS("jobs_completed", "completed"),
    CLASS("jobs_failed", "failed"),
    CLASS("jobs_cancelled", "cancelled"),
    CLASS("jobs_timeout", "timeout"),
    CLASS("jobs_oom", "oom"),
    CLASS("jobs_node_fail", "node_fail"),
    CLASS("jobs_requeued", "requeued"),
    {"success_rate", AT_END, add_count, get_ratio, NULL, NULL, "completed"},
    OF("cpu_hours", OVERLAPS, add_amount, get_sum, cpus_of),
    OF("gpu_hours", OVERLAPS, add_amount, get_sum, gpus_of),
    OF("node_hours", OVERLAPS, add_amount, get_sum, node_count_of),
    OF("wall_hours", OVERLAPS, add_amount, get_sum, one_of),
    OF("mem_gib_hours", OVERLAPS, add_amount, get_sum, mem_bytes_of),
    OF("disk_gib_hours", OVERLAPS, add_amount, get_sum, disk_bytes_of),
    OF("billing_hours", OVERLAPS, add_amount, get_sum, billing_of),
    OF("cpu_used_hours", OVERLAPS, add_used, get_sum, cpu_used_us_of),
    OF("cpu_user_hours", OVERLAPS, add_used, get_sum, cpu_user_us_of),
    OF("cpu_system_hours", OVERLAPS, add_used, get_sum, cpu_system_us_of),
    OF("gpu_used_hours", OVERLAPS, add_used, get_sum, gpu_used_us_of),
    OF("energy", OVERLAPS, add_used, get_sum, energy_of),
    OF("wait_hours", AT_START, add_sum, get_sum, wait_of),
    OF("wait_avg", AT_START, add_sum, get_mean, wait_of),
    OF("wait_max", AT_START, add_most, get_extreme, wait_of),
    OF("wait_eligible_hours", AT_START, add_sum, get_sum, wait_eligible_of),
    OF("wait_eligible_avg", AT_START, add_sum, get_mean, wait_eligible_of),
    OF("wait_eligible_max", AT_START, add_most, get_extreme, wait_eligible_of),
    OF("wall_min", AT_END, add_least, get_extreme, wall_of),
    OF("wall_max", AT_END, add_most, get_extreme, wall_of),
    OF("wall_avg", AT_END, add_sum, get_mean, wall_of),
    OF("mem_peak_avg", AT_END, add_sum, get_mean, mem_peak_bytes_of),
    OF("mem_peak_max", AT_END, add_most, get_extreme, mem_peak_bytes_of),
    OF("cpus_avg", AT_END, add_sum, get_mean, cpus_of),
    OF("cpus_max", AT_END, add_most, get_extreme, cpus_of),
    OF("cpus_min", AT_END, add_least, get_extreme, cpus_of),
    RATIO("cpu_efficiency", add_share, cpu_used_us_of, cpu_time_of),
    RATIO("cpu_coverage", add_known, cpu_used_us_of, cpu_time_of),
    RATIO("mem_efficiency", add_share, memory_whole_of, memory_of),
    RATIO("mem_coverage", add_known, memory_whole_of, memory_of),
    RATIO("gpu_efficiency", add_share, gpu_used_us_of, gpu_time_of),
    RATIO("gpu_coverage", add_known, gpu_used_us_of, gpu_time_of),
    RATIO("time_efficiency", add_share, wall_of, req_wall_us_of),
    RATIO("time_coverage", add_known, req_wall_us_of, wall_of),
    RATIO("system_ratio", add_share, cpu_system_us_of, cpu_modes_of),
};

_Static_assert(COUNT_OF(rows) == ROW_SUMS_MEASURES, "a cell for each row");

const struct measure *row_sums_measure(size_t index)
{
    return measure_find(str_of(rows[index].id));
}

static bool touches(const struct placed *p)
{
    return p->at[AT_SUBMIT] || p->at[AT_START] || p->at[AT_END] || p->at[AT_WITHDRAWAL] ||
           p->at[OVERLAPS];
}

bool row_sums_touches(const struct run *run, struct period period, int64_t now)
{
    const struct placed p = place(run, period, now);
    return touches(&p);
}

void row_sums_add(struct row_sums *tally, const struct run *run, struct period period,
                  int64_t now)
{
    row_sums_add_part(tally, run, NULL, period, now);
}

void row_sums_add_part(struct row_sums *tally, const struct run *run,
                       const struct node_split_cut *cut, struct period period, int64_t now)
{
    struct placed p = place(run, period, now);
    p.cut = cut;
    for (size_t i = 0; touches(&p) && i < ROW_SUMS_MEASURES; i++) {
        if (p.at[rows[i].moment]) {
            tally->cells[i].seen++;
            rows[i].add(&tally->cells[i], &rows[i], &p);
        }
    }
}

void row_sums_set(const struct row_sums *tally, struct table *table, size_t first, size_t row)
{
    for (size_t i = 0; i < ROW_SUMS_MEASURES; i++) {
        wide_int number = 0;
        double real = 0;
        if (!rows[i].get(&tally->cells[i], &number, &real)) {
            continue;
        }
        if (table->columns[first + i].type == CELL_REAL) {
            table_set_real(table, first + i, row, real);
        } else {
            table_set_wide(table, first + i, row, number);
        }
    }
}

void row_sums_columns(struct table *table, bool named)
{
    if (named) {
        table_column(table, "row", "Row", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    for (size_t i = 0; i < ROW_SUMS_MEASURES; i++) {
        const struct measure *m = row_sums_measure(i);
        table_column(table, m->id, m->label, m->real ? CELL_REAL : CELL_WIDE, m->unit,
                     COLUMN_MEASURE);
    }
}
