/* SPDX-License-Identifier: MIT */

/*
 * What nodes had in all changes when one appears, goes, or goes down; not when one that was
 * idle is allocated. So the engine adds up what changes at each instant, leaves out those at
 * which nothing does, and what is left is few steps. Their running sums answer any stretch of
 * time by two look-ups.
 */

#include "report/queries/capacity_series.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/inventory.h"
#include "report/sql/cluster_case.h"

#define MICRO 1000000

/* What a node in a state is of the cluster's size; the others may be in use, or could be. */
static const enum size_part part_of_class[NODE_CLASS_COUNT] = {
    [NODE_CLASS_RESERVED] = SIZE_RESERVED, [NODE_CLASS_MAINTENANCE] = SIZE_PLANNED,
    [NODE_CLASS_DRAINED] = SIZE_PLANNED,   [NODE_CLASS_DOWN] = SIZE_DOWN,
    [NODE_CLASS_FAILED] = SIZE_DOWN,       [NODE_CLASS_UNKNOWN] = SIZE_UNKNOWN,
};

static const struct expression resource_columns[SIZE_RESOURCES] = {{"cpus"}, {"gpus"}};

static size_t resource_of(enum measure_per per)
{
    return per == PER_GPUS;
}

static bool is_wanted(const struct question *question)
{
    for (size_t i = 0; i < question->measure_count; i++) {
        if (measure_is_of_size(question->measures[i])) {
            return true;
        }
    }
    return false;
}

/* --- asking ------------------------------------------------------------------------------- */

void size_add_nodes(const struct cluster_rules *rules, struct statement *sql)
{
    statement_add(sql, "(SELECT t.* @replace(");
    cluster_case_add(rules, CLUSTER_CASE_NODE, sql);
    statement_add(sql, " AS cluster), m.seen_to FROM nodes t JOIN marks m ON m.cluster = "
                       "t.cluster AND m.what = 'node')");
}

static void add_clusters(const struct question *q, const struct filter *filter,
                         struct statement *sql)
{
    statement_add(sql, "SELECT DISTINCT cluster FROM (SELECT ");
    cluster_case_add(q->rules, CLUSTER_CASE_RUN, sql);
    statement_add(sql, " AS cluster FROM runs t UNION ALL SELECT cluster FROM ");
    size_add_nodes(q->rules, sql);
    statement_add(sql, " WHERE \"from\" < %" PRId64 " AND \"until\" > %" PRId64 ") WHERE true",
                  q->period.to, q->period.from);
    filter_sql(filter, q->zone, q->now, sql);
    statement_add(sql, " ORDER BY 1");
}

/* ", sum(...) AS name": the change of a number at an instant. */
static void add_changes(struct statement *sql)
{
    statement_add(sql, ", sum(n) AS nodes");
    for (size_t r = 0; r < SIZE_RESOURCES; r++) {
        const struct expression column = resource_columns[r];
        statement_add(sql, ", sum(n * CASE WHEN ");
        statement_expression(sql, column);
        statement_add(sql, " IS NOT NULL THEN 1 ELSE 0 END) AS r%zu_told", r);
        for (int part = 0; part < SIZE_PARTS; part++) {
            statement_add(sql, ", sum(n * CASE WHEN part = %d OR %d = %d THEN coalesce(", part,
                          part, SIZE_ALL);
            statement_expression(sql, column);
            statement_add(sql, ", 0) ELSE 0 END) AS r%zu_%d", r, part);
        }
    }
}

static void add_part(struct statement *sql)
{
    statement_add(sql, "CASE");
    for (int class = 0; class < NODE_CLASS_COUNT; class ++) {
        const struct str name = node_class_name((enum node_class) class);
        statement_add(sql, " WHEN class = ");
        statement_literal(sql, (struct identifier){name.ptr});
        statement_add(sql, " THEN %d", part_of_class[class]);
    }
    statement_add(sql, " ELSE %d END AS part", SIZE_UNKNOWN);
}

static void add_statement(const struct question *q, struct statement *sql)
{
    statement_add(sql, "SELECT * FROM (SELECT cluster, t");
    add_changes(sql);
    statement_add(sql,
                  " FROM (SELECT cluster, @begin_end(s, e) AS t, @begin_end(1, -1) AS n, cpus, "
                  "gpus, part FROM (SELECT cluster, cpus, gpus, greatest(\"from\", %" PRId64
                  ") AS s, least(CASE WHEN \"until\" = %" PRId64
                  " THEN least(seen_to + %" PRId64 ", %" PRId64 ") ELSE \"until\" END, %" PRId64
                  ") AS e, ",
                  q->period.from, STRETCH_NOT_ENDED, INVENTORY_AROUND_US, q->now, q->period.to);
    add_part(sql);
    statement_add(sql, " FROM ");
    size_add_nodes(q->rules, sql);
    statement_add(sql, ") WHERE e > s) GROUP BY cluster, t) WHERE greatest(abs(nodes)");
    for (size_t r = 0; r < SIZE_RESOURCES; r++) {
        statement_add(sql, ", abs(r%zu_told)", r);
        for (int part = 0; part < SIZE_PARTS; part++) {
            statement_add(sql, ", abs(r%zu_%d)", r, part);
        }
    }
    statement_add(sql, ") > 0 ORDER BY cluster, t");
}

/* --- steps -------------------------------------------------------------------------------- */

/* The sums of `step` moved on to an instant. */
static struct size_step step_at(const struct size_step *step, int64_t at)
{
    struct size_step moved = *step;
    const int64_t time = at - step->at;
    moved.at = at;
    for (size_t r = 0; r < SIZE_RESOURCES; r++) {
        moved.known_us[r] += step->known[r] ? time : 0;
        for (int part = 0; part < SIZE_PARTS; part++) {
            moved.sums[r][part] += (wide_int)step->rates[r][part] * time;
        }
    }
    return moved;
}

/*
 * Cpus are known where every node says them. Of GPUs nothing is said by nodes that have none,
 * so one node that says them is enough.
 */
static void change_step(struct size_step *step, const struct table *changes, size_t row,
                        int64_t counts[1 + SIZE_RESOURCES])
{
    size_t column = 2;
    counts[0] += (int64_t)table_wide(changes, column++, row);
    for (size_t r = 0; r < SIZE_RESOURCES; r++) {
        counts[1 + r] += (int64_t)table_wide(changes, column++, row);
        step->known[r] = counts[0] > 0 && (r ? counts[1 + r] > 0 : counts[1 + r] == counts[0]);
        for (int part = 0; part < SIZE_PARTS; part++) {
            step->rates[r][part] += (int64_t)table_wide(changes, column++, row);
        }
    }
}

/* The steps of the cluster whose changes begin at `row`; moves it behind them. */
static void add_series(struct size *size, size_t *row)
{
    const struct table *changes = &size->changes;
    struct size_series *series = &size->series[size->series_count++];
    int64_t counts[1 + SIZE_RESOURCES] = {0};
    series->cluster = changes->columns[0].cells[*row].text;
    series->steps = mem_alloc(changes->row_count - *row, sizeof(*series->steps));
    for (; *row < changes->row_count &&
           str_eq(changes->columns[0].cells[*row].text, series->cluster);
         ++*row) {
        const int64_t at = changes->columns[1].cells[*row].integer;
        struct size_step *step = &series->steps[series->count];
        *step = series->count ? step_at(step - 1, at) : (struct size_step){.at = at};
        change_step(step, changes, *row, counts);
        series->count++;
    }
}

static void add_all_series(struct size *size)
{
    size_t clusters = 0;
    for (size_t row = 0; row < size->changes.row_count; row++) {
        clusters += row == 0 || !str_eq(size->changes.columns[0].cells[row].text,
                                        size->changes.columns[0].cells[row - 1].text);
    }
    size->series = mem_alloc(clusters + 1, sizeof(*size->series));
    for (size_t row = 0; row < size->changes.row_count;) {
        add_series(size, &row);
    }
}

static int query_capacity(struct size *size, struct facts *facts,
                          const struct question *question, struct error *err)
{
    struct filter *filter = mem_alloc(1, sizeof(*filter));
    struct statement clusters, changes;
    statement_init(&clusters);
    statement_init(&changes);
    int failed = filter_only(&question->filter, &run_fields[RUN_cluster], filter, err);
    add_clusters(question, filter, &clusters);
    add_statement(question, &changes);
    (void)(failed || (failed = statement_query_kept(facts, &clusters, &size->clusters, err)) ||
           (failed = statement_query_kept(facts, &changes, &size->changes, err)));
    statement_release(&clusters);
    statement_release(&changes);
    free(filter);
    return failed;
}

int size_init(struct size *size, struct facts *facts, const struct question *question,
              struct error *err)
{
    *size = (struct size){.capacities = question->capacities};
    int failed = is_wanted(question) ? query_capacity(size, facts, question, err) : 0;
    if (!failed) {
        add_all_series(size);
    }
    return failed;
}

void size_release(struct size *size)
{
    for (size_t i = 0; i < size->series_count; i++) {
        free(size->series[i].steps);
    }
    free(size->series);
    table_release(&size->changes);
    table_release(&size->clusters);
    *size = (struct size){0};
}

/* --- looking up --------------------------------------------------------------------------- */

static const struct size_series *find_series(const struct size *size, struct str cluster)
{
    for (size_t i = 0; i < size->series_count; i++) {
        if (str_eq(size->series[i].cluster, cluster)) {
            return &size->series[i];
        }
    }
    return NULL;
}

/* All that there was before an instant. */
static struct size_step sums_before(const struct size_series *series, int64_t at)
{
    size_t low = 0, high = series->count;
    while (low < high) { /* steps before `low` are not after the instant */
        const size_t middle = low + (high - low) / 2;
        if (series->steps[middle].at <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low ? step_at(&series->steps[low - 1], at) : (struct size_step){.at = at};
}

/* Adds what the nodes of a cluster had, in millionths; the time for which that is known. */
static int64_t add_seen(const struct size *size, enum measure_per per, enum size_part part,
                        struct str cluster, struct period time, wide_int *sum)
{
    const struct size_series *series = find_series(size, cluster);
    if (!series) {
        return 0;
    }
    const size_t r = resource_of(per);
    const struct size_step from = sums_before(series, time.from);
    const struct size_step to = sums_before(series, time.to);
    *sum += (to.sums[r][part] - from.sums[r][part]) * MICRO;
    return to.known_us[r] - from.known_us[r];
}

static int64_t stated_micro(const struct capacity *capacity, enum measure_per per)
{
    return per == PER_GPUS ? capacity->gpus_micro : capacity->cpus_micro;
}

/*
 * What somebody wrote down for an instant, or NULL; *until is how long that, or nothing, holds.
 */
static const struct capacity *stated_at(const struct size *size, enum measure_per per,
                                        struct str cluster, int64_t at, int64_t *until)
{
    const size_t count = size->capacities ? size->capacities->count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct capacity *c = &size->capacities->rows[i];
        if (!str_eq(c->cluster, cluster) || stated_micro(c, per) < 0 || c->period.to <= at) {
            continue;
        }
        if (c->period.from <= at) {
            *until = c->period.to < *until ? c->period.to : *until;
            return c;
        }
        *until = c->period.from < *until ? c->period.from : *until;
    }
    return NULL;
}

/* Adds the whole size of a cluster; the time for which it is known. */
static int64_t add_all(const struct size *size, enum measure_per per, struct str cluster,
                       struct period time, wide_int *sum)
{
    int64_t known = 0;
    while (time.from < time.to) {
        int64_t until = time.to;
        const struct capacity *stated = stated_at(size, per, cluster, time.from, &until);
        if (stated) {
            *sum += (wide_int)stated_micro(stated, per) * (until - time.from);
            known += until - time.from;
        } else {
            known +=
                add_seen(size, per, SIZE_ALL, cluster, (struct period){time.from, until}, sum);
        }
        time.from = until;
    }
    return known;
}

static bool add_cluster(const struct size *size, enum measure_per per, enum size_part part,
                        struct str cluster, struct period time, wide_int *sum)
{
    const int64_t whole = time.to - time.from;
    bool known = true;
    if (part == SIZE_ALL || part == SIZE_LEFT) {
        known = add_all(size, per, cluster, time, sum) == whole;
    }
    for (int p = SIZE_ALL + 1; p < SIZE_PARTS; p++) {
        if (part == SIZE_LEFT || p == (int)part) {
            wide_int taken = 0;
            known &= add_seen(size, per, (enum size_part)p, cluster, time, &taken) == whole;
            *sum += part == SIZE_LEFT ? -taken : taken;
        }
    }
    return known;
}

bool size_between(const struct size *size, enum measure_per per, enum size_part part,
                  const struct str *cluster, int64_t lower, int64_t upper, wide_int *out)
{
    *out = 0;
    if (lower >= upper) {
        return true;
    }
    const struct period time = {lower, upper};
    if (cluster) {
        return add_cluster(size, per, part, *cluster, time, out);
    }
    for (size_t row = 0; row < size->clusters.row_count; row++) {
        if (!table_has(&size->clusters, 0, row) ||
            !add_cluster(size, per, part, size->clusters.columns[0].cells[row].text, time,
                         out)) {
            return false;
        }
    }
    return size->clusters.row_count > 0;
}

int64_t size_known(const struct size *size, enum measure_per per, struct str cluster,
                   int64_t lower, int64_t upper)
{
    wide_int ignored = 0;
    return add_all(size, per, cluster, (struct period){lower, upper}, &ignored);
}

int64_t size_looked(const struct size *size, enum measure_per per, struct str cluster,
                    int64_t lower, int64_t upper)
{
    wide_int ignored = 0;
    return add_seen(size, per, SIZE_ALL, cluster, (struct period){lower, upper}, &ignored);
}
