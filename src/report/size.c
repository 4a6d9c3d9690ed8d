/* SPDX-License-Identifier: MIT */
#include "report/size.h"

#include "base/limit.h"
#include "base/mem.h"
#include "report/booked.h"

#include <stdlib.h>

static bool is_wanted(const struct question *question)
{
    for (size_t i = 0; i < question->measure_count; i++) {
        const enum measure_per per = question->measures[i]->per;
        if (per == PER_CPUS || per == PER_GPUS) {
            return true;
        }
    }
    return false;
}

int size_init(struct size *size, struct facts *facts, const struct question *question,
              struct error *err)
{
    *size = (struct size){.capacities = question->capacities};
    if (!question->capacities || !is_wanted(question)) {
        return 0;
    }
    struct filter *filter = mem_alloc(1, sizeof(*filter));
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    const struct question all = {.rules =
                                     question->rules}; /* nothing else decides of clusters */
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "SELECT DISTINCT cluster FROM ");
    int failed;
    (void)((failed = filter_only(&question->filter, &run_fields[RUN_cluster], filter, err)) ||
           (failed = booked_add(&all, NULL, &sql, values, err)));
    buf_addz(&sql, " WHERE true");
    failed =
        failed ? failed : filter_sql(filter, question->zone, question->now, &sql, values, err);
    buf_addz(&sql, " ORDER BY 1");
    const struct facts_values bound = {values->values, values->count};
    failed = failed ? failed : facts_query(facts, sql.ptr, bound, &size->clusters, err);
    buf_release(&sql);
    free(values);
    free(filter);
    return failed;
}

void size_release(struct size *size)
{
    table_release(&size->clusters);
    *size = (struct size){0};
}

/* Adds what one cluster had; false if some of the time nobody knows. */
static bool add_cluster(const struct size *size, enum measure_per per, struct str cluster,
                        int64_t lower, int64_t upper, wide_int *sum)
{
    int64_t known = 0;
    for (size_t i = 0; i < size->capacities->count; i++) {
        const struct capacity *c = &size->capacities->rows[i];
        const int64_t from = c->period.from > lower ? c->period.from : lower;
        const int64_t to = c->period.to < upper ? c->period.to : upper;
        const int64_t amount = per == PER_CPUS ? c->cpus_micro : c->gpus_micro;
        if (str_eq(c->cluster, cluster) && from < to && amount >= 0) {
            known += to - from;
            *sum += (wide_int)amount * (to - from);
        }
    }
    return known == upper - lower;
}

bool size_between(const struct size *size, enum measure_per per, const struct str *cluster,
                  int64_t lower, int64_t upper, wide_int *out)
{
    *out = 0;
    if (!size->capacities || lower >= upper) {
        return lower >= upper;
    }
    if (cluster) {
        return add_cluster(size, per, *cluster, lower, upper, out);
    }
    for (size_t row = 0; row < size->clusters.row_count; row++) {
        if (!table_has(&size->clusters, 0, row) ||
            !add_cluster(size, per, size->clusters.columns[0].cells[row].text, lower, upper,
                         out)) {
            return false;
        }
    }
    return size->clusters.row_count > 0;
}

int size_missing(struct facts *facts, const struct question *question, enum measure_per per,
                 struct table *out, struct error *err)
{
    const int64_t upper =
        question->period.to < question->now ? question->period.to : question->now;
    struct size size;
    int failed = size_init(&size, facts, question, err);
    table_column(out, "cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    for (size_t row = 0; !failed && row < size.clusters.row_count; row++) {
        wide_int ignored = 0;
        if (table_has(&size.clusters, 0, row)) {
            struct str cluster = size.clusters.columns[0].cells[row].text;
            if (!add_cluster(&size, per, cluster, question->period.from, upper, &ignored)) {
                table_set_text(out, 0, table_row(out), cluster);
            }
        }
    }
    size_release(&size);
    return failed;
}
