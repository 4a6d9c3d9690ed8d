/* SPDX-License-Identifier: MIT */
#include "report/rollup/rollup.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/plan.h"
#include "report/sql/column.h"
#include "report/sql/missing_rollup.h"
#include "report/sql/quantity.h"
#include "report/sql/statements.h"

/* What the rows of a roll-up are about. */
static const enum run_field rollup_dimensions[] = {
    RUN_cluster, RUN_user,       RUN_group,     RUN_account,
    RUN_project, RUN_department, RUN_partition, RUN_qos,
};

/* The roll-ups, coarsest first: a row for each stretch of the calendar and group of runs. */
static const struct identifier tables[] = {{"rollup_month"}, {"rollup_day"}};

enum { MONTHS, DAYS };

/*
 * What is made again at a time: the groups of all these days are held in memory. About so many
 * days of runs, but no fewer days than a month, for a statement has its price: one run of a
 * hundred years, among years without any, is a few steps.
 */
enum { REFRESH_RUN_DAYS = 49152, REFRESH_DAYS_MIN = 31, REFRESH_DAYS_MAX = 4096 };

/* Of how many rows of days months are made at a time. */
enum { REFRESH_MONTH_ROWS = 65536 };

/*
 * What rollup_follow does at once. Making roll-ups takes a third of the time of writing the
 * runs; and a daily file has runs that started weeks ago, so that weeks have to be made again
 * for it.
 */
enum { FOLLOW_CHANGED_MAX = 200000, FOLLOW_RUNS_MAX = 2000000 };

const struct measure *rollup_indicator(enum measure_kind kind)
{
    static const char *const ids[MEASURE_KINDS] = {
        [MEASURE_AT_SUBMIT] = "jobs_submitted",
        [MEASURE_AT_START] = "jobs_started",
        [MEASURE_AT_END] = "jobs",
        [MEASURE_AT_WITHDRAWAL] = "jobs_never_started",
        [MEASURE_OVERLAP] = "jobs_active",
        [MEASURE_USED] = "jobs_active",
        [MEASURE_ACTIVE] = "jobs_active",
        [MEASURE_DISTINCT] = "jobs_active",
    };
    return ids[kind] ? measure_find(str_of(ids[kind])) : NULL;
}

/*
 * Every sum there is, and the number of runs that overlap; not prices, which change with the
 * rates.
 */
static bool is_rolled(const struct measure *measure)
{
    return measure->quantity != QUANTITY_SU && measure->quantity != QUANTITY_COST &&
           rollup_indicator(measure->kind) && measure->per == PER_NOTHING &&
           (measure->additive || measure->kind == MEASURE_ACTIVE);
}

static bool is_rolled_field(const struct field *field)
{
    for (size_t i = 0; i < COUNT_OF(rollup_dimensions); i++) {
        if (field == &run_fields[rollup_dimensions[i]]) {
            return true;
        }
    }
    return false;
}

const struct measure *rollup_column(const struct measure *measure)
{
    if (is_rolled(measure)) {
        return measure;
    }
    for (size_t i = 0; measure->per != PER_NOTHING && i < measure_count; i++) {
        if (is_rolled(&measures[i]) && measures[i].kind == measure->kind &&
            measures[i].quantity == measure->quantity) {
            return &measures[i];
        }
    }
    return NULL;
}

/* --- making them -------------------------------------------------------------------------- */

/* The question whose answer is a roll-up. */
static void ask_for_all(struct question *question, const struct zone *zone)
{
    *question = (struct question){.bucket = BUCKET_DAY, .zone = zone, .path = PATH_ROLLUP};
    for (size_t i = 0; i < COUNT_OF(rollup_dimensions); i++) {
        question->dimensions[question->dimension_count++] = &run_fields[rollup_dimensions[i]];
    }
    for (size_t i = 0; i < measure_count; i++) {
        if (is_rolled(&measures[i])) {
            question->measures[question->measure_count++] = &measures[i];
        }
    }
}

/*
 * How many bits sums have. 64 hold what a group can use of cpus in a month, and are several
 * times as fast as 128, which are taken where somebody's records say otherwise.
 */
enum width { WIDTH_64, WIDTH_128 };

/* "begins BIGINT, cluster VARCHAR, ..., jobs BIGINT, ..." */
static void add_columns(struct statement *sql, const struct question *all, enum width width)
{
    statement_column(sql, (struct statement_column){"begins", TYPE_INTEGER});
    for (size_t i = 0; i < all->dimension_count; i++) {
        statement_add(sql, ", ");
        statement_column(sql, (struct statement_column){all->dimensions[i]->member, TYPE_TEXT});
    }
    for (size_t i = 0; i < all->measure_count; i++) {
        const bool wide = width == WIDTH_128 || all->measures[i]->unit == UNIT_GIB_HOURS;
        statement_add(sql, ", ");
        statement_column(sql, (struct statement_column){all->measures[i]->id,
                                                        wide ? TYPE_WIDE : TYPE_INTEGER});
    }
}

/* What the tables are made as: their columns and what these mean. */
static void add_signature(struct statement *sql, const struct question *all, enum width width)
{
    add_columns(sql, all, width);
    for (size_t i = 0; i < all->measure_count; i++) {
        const struct measure *m = all->measures[i];
        statement_add(sql, "; ");
        if (m->aggregate != AGGREGATE_NONE) {
            quantity_add_aggregate(sql, m, false);
        } else if (m->quantity != QUANTITY_NONE) {
            quantity_add(sql, m->quantity, false);
        }
    }
    missing_rollup_add_signature(sql);
}

static int execute(struct facts *facts, const char *sql, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
}

static int make_tables(struct facts *facts, const struct question *all, enum width width,
                       struct error *err)
{
    struct statement sql;
    int failed = 0;
    statement_init(&sql);
    for (size_t i = 0; !failed && i < COUNT_OF(tables); i++) {
        statement_clear(&sql);
        statement_add(&sql, "CREATE OR REPLACE TABLE ");
        statement_name(&sql, tables[i]);
        statement_add(&sql, " (");
        add_columns(&sql, all, width);
        statement_add(&sql, ")");
        failed = statement_execute(facts, &sql, NULL, err);
    }
    statement_release(&sql);
    return failed;
}

/* Empty tables, everything still to be done. */
static int begin_anew(struct facts *facts, const struct question *all, enum width width,
                      struct str signature, struct error *err)
{
    const struct facts_value state[] = {FACTS_TEXT(str_of(zone_name(all->zone))),
                                        FACTS_TEXT(signature)};
    int failed;
    (void)((failed = make_tables(facts, all, width, err)) ||
           (failed = missing_rollup_make_table(facts, err)) ||
           (failed = execute(facts, SQL_ROLLUP_DROP_STATE, err)) ||
           (failed = facts_execute(facts, SQL_ROLLUP_PUT_STATE,
                                   (struct facts_values){state, COUNT_OF(state)}, NULL, err)) ||
           (failed = execute(facts, SQL_ROLLUP_DROP_DIRTY, err)) ||
           (failed = execute(facts, SQL_ROLLUP_ALL_DIRTY, err)));
    return failed;
}

/* Whether the tables are those that the catalogue and the zone ask for. */
static int is_current(struct facts *facts, const struct zone *zone, struct str signature,
                      bool *current, struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(str_of(zone_name(zone))),
                                         FACTS_TEXT(signature)};
    int64_t count = 0;
    int failed =
        facts_number(facts, SQL_ROLLUP_IS_CURRENT,
                     (struct facts_values){values, COUNT_OF(values)}, &count, NULL, err);
    *current = count > 0;
    return failed;
}

static int delete_rows(struct facts *facts, struct identifier table, struct period period,
                       struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "DELETE FROM ");
    statement_name(&sql, table);
    statement_add(&sql, " WHERE begins >= %" PRId64 " AND begins < %" PRId64, period.from,
                  period.to);
    int failed = statement_execute(facts, &sql, NULL, err);
    statement_release(&sql);
    return failed;
}

/* The days of a period, from the runs. */
static int roll_days(struct facts *facts, struct question *all, struct period period,
                     struct error *err)
{
    struct plan plan;
    struct statement sql;
    statement_init(&sql);
    all->period = period;
    all->now = period.to; /* of no consequence: runs that have not ended are left out */
    int failed = plan_make(&plan, facts, all, false, err);
    statement_add(&sql, "INSERT INTO ");
    statement_name(&sql, tables[DAYS]);
    statement_add(&sql, " SELECT lower, * @exclude(bucket, lower) FROM (");
    statement_append(&sql, &plan.sql.statement);
    statement_add(&sql,
                  ") JOIN (SELECT DISTINCT bucket, lower FROM " SQL_SLOTS ") USING (bucket)");
    (void)(failed || (failed = delete_rows(facts, tables[DAYS], period, err)) ||
           (failed = plan_load(&plan, facts, all, err)) ||
           (failed = statement_execute(facts, &sql, NULL, err)));
    plan_release(&plan);
    statement_release(&sql);
    return failed;
}

/* The instants at which the months begin that days are put together to. */
#define SQL_MONTHS "rollup_months"

/*
 * Months, from their days. A run is active in a month if it is on the first day, or starts on a
 * later one.
 */
static int roll_months(struct facts *facts, const struct question *all, const int64_t *edges,
                       size_t count, struct error *err)
{
    static const char *const columns[] = {"lower"};
    const struct period months = {edges[0], edges[count]};
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "INSERT INTO ");
    statement_name(&sql, tables[MONTHS]);
    statement_add(&sql, " SELECT m.lower");
    for (size_t i = 0; i < all->dimension_count; i++) {
        statement_add(&sql, ", ");
        statement_name(&sql, identifier_of(all->dimensions[i]));
    }
    for (size_t i = 0; i < all->measure_count; i++) {
        if (all->measures[i]->kind == MEASURE_ACTIVE) {
            statement_add(&sql, ", sum(CASE WHEN begins = m.lower THEN jobs_active ELSE "
                                "jobs_started END)");
        } else {
            statement_add(&sql, ", sum(");
            statement_name(&sql, identifier_of_measure(all->measures[i]));
            statement_add(&sql, ")");
        }
    }
    statement_add(&sql, " FROM ");
    statement_name(&sql, tables[DAYS]);
    statement_add(&sql,
                  " @asof(" SQL_MONTHS ", m, begins) WHERE begins >= %" PRId64
                  " AND begins < %" PRId64 " GROUP BY ALL",
                  months.from, months.to);
    int failed;
    (void)((failed = delete_rows(facts, tables[MONTHS], months, err)) ||
           (failed = facts_load_integers(facts, SQL_MONTHS, columns, 1, edges, count, err)) ||
           (failed = statement_execute(facts, &sql, NULL, err)));
    statement_release(&sql);
    return failed;
}

/* On how many days of a period runs are, each day of each. */
static int count_run_days(struct facts *facts, struct period period, int64_t *out,
                          struct error *err)
{
    const int64_t values[] = {period.to,   period.from, DAY_US,
                              period.from, period.to,   RUN_NOT_ENDED};
    struct statement sql;
    statement_init(&sql);
    statement_expression(&sql, (struct expression){SQL_ROLLUP_COUNT_RUN_DAYS});
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        statement_value(&sql, FACTS_INT(values[i]));
    }
    int failed = statement_number(facts, &sql, out, NULL, err);
    statement_release(&sql);
    return failed;
}

/*
 * How many of the days that begin at `edges` are to be the next step; tries twice as many as
 * the last one was.
 */
static int choose_step(struct facts *facts, const int64_t *edges, size_t count, size_t *step,
                       struct error *err)
{
    int64_t run_days = 0;
    int failed = 0;
    *step = *step < REFRESH_DAYS_MAX / 2 ? *step * 2 : REFRESH_DAYS_MAX;
    for (;; *step /= 2) {
        *step = *step < REFRESH_DAYS_MIN ? REFRESH_DAYS_MIN : *step;
        *step = *step > count ? count : *step;
        const struct period days = {edges[0], edges[*step]};
        failed = *step > REFRESH_DAYS_MIN ? count_run_days(facts, days, &run_days, err) : 0;
        if (failed || *step <= REFRESH_DAYS_MIN || run_days <= REFRESH_RUN_DAYS) {
            return failed;
        }
    }
}

/*
 * What a step wrote is committed with it, for the engine holds it in memory until then. Nobody
 * reads roll-ups while there are spans that changed, and these go after the last step: one that
 * ended halfway is done again.
 */
static int end_step(struct facts *facts, int failed, struct error *err)
{
    failed = failed ? failed : facts_commit(facts, err);
    if (failed) {
        facts_rollback(facts);
    }
    return failed;
}

/* The days of a period, in steps of as many as fit into memory. */
static int roll_all_days(struct facts *facts, struct question *all, struct period period,
                         struct error *err)
{
    int64_t *edges = NULL;
    size_t count = 0, step = REFRESH_DAYS_MAX;
    int failed = calendar_edges(period, BUCKET_DAY, all->zone, &edges, &count, err);
    for (size_t i = 0; !failed && i < count; i += step) {
        failed = choose_step(facts, edges + i, count - i, &step, err);
        const struct period days = {edges[i], edges[i + step]};
        (void)(failed || (failed = facts_check_stop(facts, err)) ||
               (failed = facts_begin(facts, err)) ||
               (failed = roll_days(facts, all, days, err)) ||
               (failed = missing_rollup_roll(facts, all->zone, days, err)));
        failed = end_step(facts, failed, err);
    }
    free(edges);
    return failed;
}

static int count_day_rows(struct facts *facts, struct period period, int64_t *out,
                          struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT count(*) FROM ");
    statement_name(&sql, tables[DAYS]);
    statement_add(&sql, " WHERE begins >= %" PRId64 " AND begins < %" PRId64, period.from,
                  period.to);
    int failed = statement_number(facts, &sql, out, NULL, err);
    statement_release(&sql);
    return failed;
}

static int roll_all_months(struct facts *facts, const struct question *all,
                           struct period period, struct error *err)
{
    int64_t *edges = NULL, rows = 0;
    size_t count = 0;
    int failed = calendar_edges(period, BUCKET_MONTH, all->zone, &edges, &count, err);
    failed = failed
                 ? failed
                 : count_day_rows(facts, (struct period){edges[0], edges[count]}, &rows, err);
    const size_t step = count * REFRESH_MONTH_ROWS / ((size_t)rows + 1) + 1;
    for (size_t i = 0; !failed && i < count; i += step) {
        (void)((failed = facts_begin(facts, err)) ||
               (failed = roll_months(facts, all, edges + i, i + step < count ? step : count - i,
                                     err)));
        failed = end_step(facts, failed, err);
    }
    free(edges);
    return failed;
}

/* Spans of time, to their last instant. */
struct spans {
    struct period *rows;
    size_t count;
};

/* Those that changed; those less than a month apart as one. */
static int read_dirty(struct facts *facts, struct spans *out, struct error *err)
{
    const int64_t month = 31 * DAY_US;
    struct table found = {0};
    int failed = facts_query(facts, SQL_ROLLUP_DIRTY, (struct facts_values){0}, &found, err);
    *out = (struct spans){.rows = mem_alloc(found.row_count + 1, sizeof(*out->rows))};
    for (size_t row = 0; !failed && row < found.row_count; row++) {
        const int64_t first = (int64_t)table_wide(&found, 0, row);
        const int64_t last = (int64_t)table_wide(&found, 1, row);
        struct period *before = out->count ? &out->rows[out->count - 1] : NULL;
        if (!before || first > before->to + month) {
            out->rows[out->count++] = (struct period){first, last};
        } else if (last > before->to) {
            before->to = last;
        }
    }
    table_release(&found);
    return failed;
}

static int roll_dirty(struct facts *facts, struct question *all, struct error *err)
{
    struct spans spans;
    int failed = read_dirty(facts, &spans, err);
    for (size_t i = 0; !failed && i < spans.count; i++) {
        const struct period period = {spans.rows[i].from, spans.rows[i].to + 1};
        (void)((failed = roll_all_days(facts, all, period, err)) ||
               (failed = roll_all_months(facts, all, period, err)));
    }
    free(spans.rows);
    return failed;
}

/*
 * What store_state.h says of a store with roll-ups: true until something changes, and then they
 * are made again.
 */
static int note_standing(struct facts *facts, struct error *err)
{
    const struct facts_value goes_on = FACTS_INT(RUN_NOT_ENDED);
    return facts_execute(facts, SQL_ROLLUP_NOTE_STATE, (struct facts_values){&goes_on, 1}, NULL,
                         err);
}

static int begin_all(struct facts *facts, const struct question *all, enum width width,
                     struct str signature, struct error *err)
{
    int failed;
    (void)((failed = facts_begin(facts, err)) ||
           (failed = begin_anew(facts, all, width, signature, err)));
    return end_step(facts, failed, err);
}

static int end_all(struct facts *facts, struct error *err)
{
    int failed;
    (void)((failed = facts_begin(facts, err)) ||
           (failed = execute(facts, SQL_ROLLUP_DROP_DIRTY, err)) ||
           (failed = note_standing(facts, err)));
    return end_step(facts, failed, err);
}

/* How the roll-ups stand. */
struct rolling {
    struct question *all;
    struct statement signature;
    enum width width;
    bool current;  /* they are of this zone, of these measures and of this width */
    int64_t dirty; /* spans that changed */
};

static int rolling_try(struct rolling *rolling, struct facts *facts, enum width width,
                       struct error *err)
{
    rolling->width = width;
    statement_clear(&rolling->signature);
    add_signature(&rolling->signature, rolling->all, width);
    int failed;
    (void)((failed = statement_finish(&rolling->signature, err)) ||
           (failed = is_current(facts, rolling->all->zone, buf_str(&rolling->signature.sql),
                                &rolling->current, err)));
    return failed;
}

/* Those that are there may be of either width; those to be made begin with the faster one. */
static int rolling_begin(struct rolling *rolling, struct facts *facts, const struct zone *zone,
                         struct error *err)
{
    *rolling = (struct rolling){.all = mem_alloc(1, sizeof(*rolling->all))};
    statement_init(&rolling->signature);
    ask_for_all(rolling->all, zone);
    int failed = rolling_try(rolling, facts, WIDTH_128, err);
    failed = failed || rolling->current ? failed : rolling_try(rolling, facts, WIDTH_64, err);
    return failed ? failed
                  : facts_number(facts, SQL_ROLLUP_COUNT_DIRTY, (struct facts_values){0},
                                 &rolling->dirty, NULL, err);
}

static int refresh(struct rolling *rolling, struct facts *facts, struct error *err)
{
    int failed;
    (void)((failed = facts_grow(facts, err)) ||
           (!rolling->current && (failed = begin_all(facts, rolling->all, rolling->width,
                                                     buf_str(&rolling->signature.sql), err))) ||
           (failed = roll_dirty(facts, rolling->all, err)) || (failed = end_all(facts, err)));
    return failed;
}

/*
 * A sum that does not fit makes all of them wider, rather than leave a store without roll-ups
 * for good.
 */
static int rolling_refresh(struct rolling *rolling, struct facts *facts, struct error *err)
{
    if (rolling->current && !rolling->dirty) {
        return 0;
    }
    int failed = refresh(rolling, facts, err);
    if (failed == ERROR_LIMIT && rolling->width == WIDTH_64) {
        (void)((failed = rolling_try(rolling, facts, WIDTH_128, err)) ||
               (failed = refresh(rolling, facts, err)));
    }
    return failed;
}

static void rolling_end(struct rolling *rolling)
{
    statement_release(&rolling->signature);
    free(rolling->all);
}

int rollup_refresh(struct facts *facts, const struct zone *zone, struct error *err)
{
    struct rolling rolling;
    int failed;
    (void)((failed = rolling_begin(&rolling, facts, zone, err)) ||
           (failed = rolling_refresh(&rolling, facts, err)));
    rolling_end(&rolling);
    return failed;
}

int rollup_is_due(struct facts *facts, bool *due, struct error *err)
{
    int64_t dirty = 0;
    int failed = facts_number(facts, SQL_ROLLUP_COUNT_DIRTY, (struct facts_values){0}, &dirty,
                              NULL, err);
    *due = dirty > 0;
    return failed;
}

int rollup_stored_zone(struct facts *facts, struct zone **out, struct error *err)
{
    struct table state = {0};
    struct error ignored;
    *out = NULL;
    int failed = facts_query(facts, "SELECT zone FROM rollup_state", (struct facts_values){0},
                             &state, err);
    if (!failed && state.row_count > 0) {
        char name[256];
        snprintf(name, sizeof(name), "%.*s", STR_ARG(state.columns[0].cells[0].text));
        (void)!zone_open(name, out, &ignored);
    }
    table_release(&state);
    return failed;
}

/* How many runs refreshing has to read, about: those of the time that changed, or all. */
static int count_affected(struct facts *facts, const struct rolling *rolling, int64_t *runs,
                          struct error *err)
{
    struct spans spans = {0};
    if (!rolling->current) {
        return facts_number(facts, SQL_VALUES_RUNS, (struct facts_values){0}, runs, NULL, err);
    }
    int failed = read_dirty(facts, &spans, err);
    for (size_t i = 0; !failed && i < spans.count; i++) {
        const struct facts_value span[] = {FACTS_INT(spans.rows[i].to),
                                           FACTS_INT(spans.rows[i].from)};
        int64_t some = 0;
        failed = facts_number(facts, SQL_ROLLUP_COUNT_OVERLAPPING,
                              (struct facts_values){span, COUNT_OF(span)}, &some, NULL, err);
        *runs += some;
    }
    free(spans.rows);
    return failed;
}

int rollup_follow(struct facts *facts, const struct zone *zone, int64_t changed, bool *left,
                  struct error *err)
{
    *left = changed > FOLLOW_CHANGED_MAX;
    if (*left || changed == 0) {
        return 0;
    }
    struct rolling rolling;
    int64_t affected = 0;
    int failed;
    (void)((failed = rolling_begin(&rolling, facts, zone, err)) ||
           (failed = count_affected(facts, &rolling, &affected, err)));
    *left = affected > FOLLOW_RUNS_MAX;
    if (!failed && !*left) {
        failed = rolling_refresh(&rolling, facts, err);
    }
    rolling_end(&rolling);
    return failed;
}

/* --- using them --------------------------------------------------------------------------- */

/* What a question asks of a roll-up. */
struct wants {
    bool whole;         /* one roll-up for all of the period, or none */
    enum bucket finest; /* that time is cut into */
};

/* Different values of one of their dimensions can be counted in the roll-ups too. */
static bool wants_measures(const struct question *question, struct wants *wants)
{
    for (size_t i = 0; i < question->measure_count; i++) {
        const struct measure *m = question->measures[i];
        if (m->kind == MEASURE_SIZE) { /* asks no run */
            continue;
        }
        if (m->kind == MEASURE_DISTINCT ? !is_rolled_field(m->value) : !rollup_column(m)) {
            return false;
        }
        wants->whole |= m->kind == MEASURE_DISTINCT || m->kind == MEASURE_ACTIVE;
    }
    return true;
}

/* False: roll-ups cannot answer it. */
static bool wants_of(const struct question *question, struct wants *wants)
{
    *wants = (struct wants){.finest = question->bucket};
    if (!wants_measures(question, wants)) {
        return false;
    }
    for (size_t i = 0; i < question->dimension_count; i++) {
        const enum fold fold = dimension_fold(question->dimensions[i]);
        if (fold == FOLD_NONE ? !is_rolled_field(question->dimensions[i])
                              : fold == FOLD_HOUR || wants->whole) {
            return false;
        }
        wants->finest = fold == FOLD_WEEKDAY ? BUCKET_DAY : wants->finest;
    }
    for (size_t i = 0; i < question->filter.count; i++) {
        if (!is_rolled_field(question->filter.conditions[i].field)) {
            return false;
        }
    }
    return question->bucket != BUCKET_HOUR && !question->rules;
}

/* The whole buckets within a period; from == to if there is none. */
static int whole_buckets(struct period period, enum bucket bucket, const struct zone *zone,
                         struct period *out, struct error *err)
{
    int64_t *edges = NULL;
    size_t count = 0;
    int failed = calendar_edges(period, bucket, zone, &edges, &count, err);
    if (failed) {
        return failed;
    }
    size_t first = edges[0] < period.from ? 1 : 0;
    size_t last = edges[count] > period.to ? count - 1 : count;
    *out = first < last ? (struct period){edges[first], edges[last]}
                        : (struct period){period.from, period.from};
    free(edges);
    return 0;
}

int rollup_whole_days(struct period period, const struct zone *zone, struct period *out,
                      struct error *err)
{
    if (period.from >= period.to) {
        *out = (struct period){period.from, period.from};
        return 0;
    }
    return whole_buckets(period, BUCKET_DAY, zone, out, err);
}

static bool is_same(struct period a, struct period b)
{
    return a.from == b.from && a.to == b.to;
}

static void add_segment(struct sql_segment *segments, size_t *count, int64_t from, int64_t to,
                        struct identifier table)
{
    if (from < to) {
        segments[(*count)++] = (struct sql_segment){.period = {from, to}, .table = table};
    }
}

/* Cuts the period into stretches: facts, days, months, days, facts. */
static size_t cut(struct period period, struct period days, struct period months,
                  struct sql_segment *segments)
{
    size_t count = 0;
    if (months.from == months.to) {
        months = (struct period){days.to, days.to};
    }
    add_segment(segments, &count, period.from, days.from, (struct identifier){NULL});
    add_segment(segments, &count, days.from, months.from, tables[DAYS]);
    add_segment(segments, &count, months.from, months.to, tables[MONTHS]);
    add_segment(segments, &count, months.to, days.to, tables[DAYS]);
    add_segment(segments, &count, days.to, period.to, (struct identifier){NULL});
    return count;
}

int rollup_cover(const struct store_state *standing, const struct question *question,
                 struct sql_segment segments[SQL_SEGMENTS_MAX], size_t *count,
                 struct error *err)
{
    struct wants wants;
    const struct period period = question->period;
    struct period days = {0}, months = {0};
    segments[0] = (struct sql_segment){.period = period,
                                       .runs = question->path == PATH_ROLLUP ? RUNS_CLOSED
                                               : standing->open              ? RUNS_ALL
                                                                             : RUNS_ALL_ENDED};
    *count = 1;
    if (question->path != PATH_ANY || !standing->rolled_up || period.from >= period.to ||
        !wants_of(question, &wants)) {
        return 0;
    }
    int failed;
    (void)((failed = whole_buckets(period, BUCKET_DAY, question->zone, &days, err)) ||
           (failed = whole_buckets(period, BUCKET_MONTH, question->zone, &months, err)));
    if (failed || days.from == days.to) {
        return failed;
    }
    if (wants.finest == BUCKET_DAY || wants.finest == BUCKET_WEEK) {
        months = (struct period){days.to, days.to};
    }
    if (!wants.whole) {
        *count = cut(period, days, months, segments);
        if (standing->open) {
            segments[(*count)++] = (struct sql_segment){.period = days, .runs = RUNS_OPEN};
        }
    } else if (!standing->open && is_same(days, period)) {
        segments[0].table = tables[is_same(months, period) ? MONTHS : DAYS];
    }
    return 0;
}
