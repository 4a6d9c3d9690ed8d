/* SPDX-License-Identifier: MIT */
#include "report/plan.h"

#include <stdlib.h>

#include "base/mem.h"
#include "report/rollup/rollup.h"
#include "report/sql/runs_source.h"

/* What cells have to be as fine as. */
static enum bucket cell_bucket(const struct question *question)
{
    enum bucket finest = question->bucket;
    for (size_t i = 0; i < question->dimension_count; i++) {
        enum fold fold = dimension_fold(question->dimensions[i]);
        if (fold == FOLD_HOUR) {
            return BUCKET_HOUR;
        }
        if (fold == FOLD_WEEKDAY && finest != BUCKET_HOUR) {
            finest = BUCKET_DAY;
        }
    }
    return finest;
}

static void place_cells(const struct question *question, const int64_t *edges,
                        struct cells *cells)
{
    size_t bucket = 0;
    cells->cells = mem_alloc(cells->count, sizeof(*cells->cells));
    for (size_t i = 0; i < cells->count; i++) {
        const struct civil civil = zone_civil(question->zone, edges[i]);
        while (cells->buckets && edges[i] >= cells->buckets[bucket + 1]) {
            bucket++;
        }
        cells->cells[i] = (struct time_cell){
            .lower = edges[i],
            .upper = edges[i + 1],
            .bucket = bucket,
            .weekday = civil_weekday(civil),
            .hour = civil.hour,
        };
    }
}

/* No cells where time is not cut up. */
static int cells_init(struct cells *cells, const struct question *question, struct error *err)
{
    const enum bucket bucket = cell_bucket(question);
    int64_t *edges = NULL;
    int failed = 0;
    *cells = (struct cells){0};
    if (bucket == BUCKET_NONE) {
        return 0;
    }
    (void)((question->bucket != BUCKET_NONE &&
            (failed = calendar_edges(question->period, question->bucket, question->zone,
                                     &cells->buckets, &cells->bucket_count, err))) ||
           (failed = calendar_edges(question->period, bucket, question->zone, &edges,
                                    &cells->count, err)));
    if (!failed) {
        place_cells(question, edges, cells);
    }
    free(edges);
    return failed;
}

static void cells_release(struct cells *cells)
{
    free(cells->cells);
    free(cells->buckets);
    *cells = (struct cells){0};
}

/*
 * The widest slot that all edges are multiples of: a day where no clock changed, else an hour,
 * else a quarter of one for the odd zones. 0 where a clock changed by odd seconds.
 */
static int64_t slot_width(const struct cells *cells)
{
    static const int64_t widths[] = {DAY_US, HOUR_US, HOUR_US / 4};
    for (size_t w = 0; w < COUNT_OF(widths); w++) {
        bool fits = true;
        for (size_t i = 0; i < cells->count && fits; i++) {
            fits = (cells->cells[i].upper - cells->cells[0].lower) % widths[w] == 0;
        }
        if (fits) {
            return widths[w];
        }
    }
    return 0;
}

/* For each slot its cell and all there is to know of it. */
static int load_slots(struct facts *facts, const struct cells *cells, int64_t slot_us,
                      struct error *err)
{
    static const char *const columns[] = {"slot",   "cell",         "lower",   "upper",
                                          "bucket", "bucket_lower", "weekday", "hour"};

    enum { COLUMNS = COUNT_OF(columns) };

    const int64_t origin = cells->cells[0].lower;
    const int64_t length = cells->cells[cells->count - 1].upper - origin;
    const size_t slots = slot_us ? (size_t)(length / slot_us) : cells->count;
    int64_t *rows = mem_alloc(slots, COLUMNS * sizeof(int64_t));
    size_t at = 0;
    for (size_t slot = 0; slot < slots; slot++) {
        while (slot_us ? origin + (int64_t)slot * slot_us >= cells->cells[at].upper
                       : at < slot) {
            at++;
        }
        const struct time_cell *cell = &cells->cells[at];
        int64_t *row = rows + slot * COLUMNS;
        row[0] = (int64_t)slot;
        row[1] = (int64_t)at;
        row[2] = cell->lower;
        row[3] = cell->upper;
        row[4] = (int64_t)cell->bucket;
        row[5] = cells->buckets ? cells->buckets[cell->bucket] : cells->cells[0].lower;
        row[6] = cell->weekday;
        row[7] = cell->hour;
    }
    int failed = facts_load_integers(facts, SQL_SLOTS, columns, COLUMNS, rows, slots, err);
    free(rows);
    return failed;
}

int plan_load(const struct plan *plan, struct facts *facts, const struct question *question,
              struct error *err)
{
    int failed = 0;
    (void)((plan->cells.count &&
            (failed = load_slots(facts, &plan->cells, plan->sql.slot_us, err))) ||
           (failed = runs_source_load(facts, question, err)));
    return failed;
}

static bool has_pauses(const struct question *question)
{
    for (size_t i = 0; i < question->measure_count; i++) {
        if (question->measures[i]->pauses) {
            return true;
        }
    }
    return false;
}

int plan_make(struct plan *plan, struct facts *facts, const struct question *question,
              bool wide, struct error *err)
{
    *plan = (struct plan){.sql.wide = wide};
    struct sql_plan *sql = &plan->sql;
    struct store_state standing;
    statement_init(&sql->statement);
    int failed;
    (void)((failed = cells_init(&plan->cells, question, err)) ||
           (failed = store_state_read(facts, question->zone, &standing, err)) ||
           (failed =
                rollup_cover(&standing, question, sql->segments, &sql->segment_count, err)));
    if (failed) {
        return failed;
    }
    sql->moves = question_joins(question, JOINED_MOVES);
    sql->suspended = standing.suspended && has_pauses(question);
    if (plan->cells.count) {
        sql->cell_count = plan->cells.count;
        sql->origin = plan->cells.cells[0].lower;
        sql->slot_us = slot_width(&plan->cells);
    }
    return sql_question(question, sql, err);
}

void plan_release(struct plan *plan)
{
    cells_release(&plan->cells);
    statement_release(&plan->sql.statement);
    *plan = (struct plan){0};
}
