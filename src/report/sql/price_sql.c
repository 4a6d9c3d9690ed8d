/* SPDX-License-Identifier: MIT */
#include "report/sql/price_sql.h"

#include <inttypes.h>

#include "report/sql/end_time.h"
#include "report/sql/membership_periods.h"

#define GIB   (INT64_C(1) << 30)
#define MICRO INT64_C(1000000)

/* --- which rate --------------------------------------------------------------------------- */

static bool has_clock(const struct rate *rate)
{
    return rate->first_hour >= 0 || rate->days;
}

/* A pattern of base/str.h has * and ?; what else the engine would take for one is escaped. */
static void add_pattern(struct statement *sql, struct expression value, struct str pattern)
{
    statement_add(sql, " AND @glob(");
    statement_expression(sql, value);
    statement_add(sql, ", replace(replace(");
    statement_bind(sql, FACTS_TEXT(pattern));
    statement_add(sql, ", '\\', '\\\\'), '[', '[[]'))");
}

static void add_clock(struct statement *sql, const struct rate *rate)
{
    const int first = rate->first_hour, last = rate->last_hour;
    if (first >= 0) {
        statement_add(sql,
                      first < last ? " AND (price_hour >= %d AND price_hour < %d)"
                                   : " AND (price_hour >= %d OR price_hour < %d)",
                      first, last);
    }
    if (rate->days) {
        statement_add(sql, " AND price_weekday IN (-1");
        for (int day = 0; day < 7; day++) {
            if (rate->days >> day & 1U) {
                statement_add(sql, ", %d", day);
            }
        }
        statement_add(sql, ")");
    }
}

static void add_fits(struct statement *sql, const struct rate *rate)
{
    static const struct expression values[RATE_METAGROUP] = {
        [RATE_CLUSTER] = {"cluster"}, [RATE_PARTITION] = {"\"partition\""},
        [RATE_QOS] = {"qos"},         [RATE_GPU_TYPE] = {"gpu_type"},
        [RATE_ACCOUNT] = {"account"}, [RATE_GROUP] = {"\"group\""},
    };
    statement_add(sql, "start >= %" PRId64 " AND start < %" PRId64, rate->period.from,
                  rate->period.to);
    for (size_t i = 0; i < RATE_METAGROUP; i++) {
        if (rate->patterns[i].ptr) {
            add_pattern(sql, values[i], rate->patterns[i]);
        }
    }
    if (rate->patterns[RATE_METAGROUP].ptr) {
        statement_add(sql, " AND contains(price_rates, ',%" PRId64 ",')", rate->id);
    }
    add_clock(sql, rate);
}

/* --- what it comes to --------------------------------------------------------------------- */

struct weight_line {
    struct expression quantity;
    int64_t divisor;
    struct expression wall;
};

/* How many of a resource, as run_resources_count has it. */
static void add_resource(struct statement *sql, const struct rate_resource *resource)
{
    statement_add(sql, "CASE WHEN resources IS NOT NULL THEN coalesce(@long(nullif(split_part("
                       "split_part(',' || resources, ',' || ");
    statement_bind(sql, FACTS_TEXT(resource->name));
    statement_add(sql, " || '=', 2), ',', 1), '')), 0) END");
}

/*
 * quantity x weight x hours, rounded half up to a millionth; absent where the quantity is, which
 * is that of `resource` unless that is NULL.
 */
static void add_line(struct statement *sql, const struct weight_line *line,
                     const struct rate_resource *resource, int64_t weight)
{
    const int64_t below = line->divisor * HOUR_US / 2; /* twice that may not fit 64 bits */
    statement_add(sql, "@divide(@wide(");
    if (resource) {
        add_resource(sql, resource);
    } else {
        statement_expression(sql, line->quantity);
    }
    statement_add(sql, ") * %" PRId64 " * ", weight);
    statement_expression(sql, line->wall);
    statement_add(sql, " + %" PRId64 ", @wide(%" PRId64 ") * 2)", below, below);
}

static const struct weight_line weight_lines[RATE_WEIGHTS] = {
    [RATE_CPU] = {{"cpus"}, 1, {"price_wall"}},
    [RATE_GPU] = {{"coalesce(gpus, 0)"}, 1, {"price_wall"}},
    [RATE_MEM] = {{"mem_bytes"}, GIB, {"price_wall"}},
    [RATE_NODE] = {{"node_count"}, 1, {"price_wall"}},
    [RATE_KWH] = {{"energy_mj"}, 1, {"1"}}, /* as add_line of src/bank/price.c */
};

static const struct weight_line resource_line = {{NULL}, 1, {"price_wall"}};
static const struct weight_line billing_line = {{"billing"}, 1, {"price_wall"}};

/*
 * The lines of a rate, each between `before` and `after`, with commas or what else is between
 * them.
 */
static void add_lines(struct statement *sql, const struct rate *rate, struct expression before,
                      struct expression after, struct expression between)
{
    bool any = false;
    for (size_t i = 0; i < RATE_WEIGHTS + rate->resource_count; i++) {
        const struct rate_resource *resource =
            i < RATE_WEIGHTS ? NULL : &rate->resources[i - RATE_WEIGHTS];
        const int64_t weight = resource ? resource->weight : rate->weights[i];
        if (weight < 0) {
            continue;
        }
        statement_expression(sql, any ? between : EXPRESSION(""));
        statement_expression(sql, before);
        add_line(sql, resource ? &resource_line : &weight_lines[i], resource, weight);
        statement_expression(sql, after);
        any = true;
    }
    statement_add(sql, any ? "" : "NULL");
}

/*
 * Whether what the rate goes by was recorded, or some of it, as is_recorded of src/bank/price.c
 * has it.
 */
static void add_is_recorded(struct statement *sql, const struct rate *rate)
{
    bool is_paid_for = false;
    for (size_t i = 0; i < RATE_WEIGHTS; i++) {
        if (rate->weights[i] > 0 && i != RATE_GPU) {
            statement_add(sql, is_paid_for ? ", " : "coalesce(");
            statement_expression(sql, weight_lines[i].quantity);
            is_paid_for = true;
        }
    }
    if (!is_paid_for) {
        statement_add(sql, "true");
        return;
    }
    for (size_t i = 0; i < rate->resource_count; i++) {
        if (rate->resources[i].weight > 0) {
            statement_add(sql, ", nullif(");
            add_resource(sql, &rate->resources[i]);
            statement_add(sql, ", 0)");
        }
    }
    statement_add(sql, rate->weights[RATE_GPU] > 0 ? ", nullif(gpus, 0), NULL) IS NOT NULL"
                                                   : ", NULL) IS NOT NULL");
}

/* Lines that were not recorded count nothing, unless none of them was. */
static void add_sum(struct statement *sql, const struct rate *rate)
{
    if (rate->how == RATE_RECORDED) {
        add_line(sql, &billing_line, NULL, MICRO);
        return;
    }
    statement_add(sql, "CASE WHEN ");
    add_is_recorded(sql, rate);
    statement_add(sql, " THEN ");
    statement_add(sql, rate->how == RATE_MAX ? "greatest(0, " : "(");
    add_lines(sql, rate, EXPRESSION("coalesce("), EXPRESSION(", 0)"),
              rate->how == RATE_MAX ? EXPRESSION(", ") : EXPRESSION(" + "));
    statement_add(sql, ") END");
}

/* Classes and states that are not charged, and short runs. */
static void add_free(struct statement *sql, const struct rate *rate)
{
    statement_add(sql, "price_wall < %" PRId64, rate->under_us);
    for (struct str rest = rate->free; rest.ptr;) {
        const struct str name = str_trim(str_cut(&rest, ','));
        statement_add(sql, " OR lower(");
        statement_bind(sql, FACTS_TEXT(name));
        statement_add(sql, ") IN (lower(class), lower(state))");
    }
}

/* sum x factor, rounded half up, and at least that much. */
static void add_scaled(struct statement *sql, const struct rate *rate)
{
    statement_add(sql, "greatest(%" PRId64 ", @divide((", rate->least);
    add_sum(sql, rate);
    statement_add(sql, ") * %" PRId64 " + %" PRId64 ", %" PRId64 "))", rate->factor, MICRO / 2,
                  MICRO);
}

/* As why_unknown of src/bank/price.c has it. */
static void add_unknown(struct statement *sql, const struct rate *rate)
{
    bool any = false;
    for (size_t i = 0; i < rate->resource_count; i++) {
        any = any || rate->resources[i].weight > 0;
    }
    statement_add(sql, any ? "WHEN resources IS NULL THEN NULL " : "");
    if (rate->how == RATE_RECORDED || rate->weights[RATE_GPU] >= 0) {
        return;
    }
    statement_add(sql, "WHEN gpus > @wide(0)");
    for (size_t i = 0; i < rate->resource_count; i++) {
        if (str_starts(rate->resources[i].name, STR("gres/gpu:"))) {
            statement_add(sql, " + coalesce(");
            add_resource(sql, &rate->resources[i]);
            statement_add(sql, ", 0)");
        }
    }
    statement_add(sql, " THEN NULL ");
}

static void add_amount(struct statement *sql, const struct rate *rate)
{
    statement_add(sql, "CASE WHEN coalesce(");
    add_free(sql, rate);
    statement_add(sql, ", false) THEN 0 ");
    add_unknown(sql, rate);
    statement_add(sql, "WHEN (");
    add_sum(sql, rate);
    statement_add(sql, ") IS NOT NULL THEN ");
    add_scaled(sql, rate);
    statement_add(sql, " END");
}

/* --- columns ------------------------------------------------------------------------------ */

static bool is_of(const struct rate *rate, bool money)
{
    return str_eq(rate->unit, STR("SU")) != money;
}

/* By the first rate that fits. */
static void add_price(const struct question *q, bool money, struct statement *sql)
{
    statement_add(sql, "@wide(CASE WHEN start IS NULL OR price_wall IS NULL THEN NULL");
    for (size_t i = 0; q->rates && i < q->rates->count; i++) {
        if (is_of(&q->rates->rows[i], money)) {
            statement_add(sql, " WHEN ");
            add_fits(sql, &q->rates->rows[i]);
            statement_add(sql, " THEN ");
            add_amount(sql, &q->rates->rows[i]);
        }
    }
    statement_add(sql, " END)");
}

/* By the rates in a currency; without any, what the SU are in the second unit of the site. */
static void add_cost(const struct question *q, struct statement *sql)
{
    bool any = false;
    for (size_t i = 0; q->rates && i < q->rates->count; i++) {
        any = any || is_of(&q->rates->rows[i], true);
    }
    if (any || q->su_price <= 0) {
        add_price(q, true, sql);
        return;
    }
    statement_add(sql, "@divide(");
    add_price(q, false, sql);
    statement_add(sql, " * %" PRId64 " + %" PRId64 ", %" PRId64 ")", q->su_price, MICRO / 2,
                  MICRO);
}

/*
 * From start to end without suspension, never below zero; of a run without an end up to when it
 * was last seen.
 */
static void add_wall(const struct question *q, struct statement *sql)
{
    statement_add(sql, "coalesce(\"end\", ");
    end_time_add(sql, EXPRESSION("until"), q->now);
    statement_add(sql, ") - start - coalesce(suspended_us, 0)");
}

enum { FIRST_YEAR = 1990 };

/*
 * What the clock of the bank's zone is ahead of UTC when a run starts: a WHEN for each change
 * of the clock, and there are two a year at most.
 */
static void add_offset(const struct question *q, struct statement *sql)
{
    const struct civil first = {.year = FIRST_YEAR, .month = 1, .day = 1};
    int64_t at = zone_instant(NULL, first);
    int32_t offset = zone_offset(q->rate_zone, at);
    statement_add(sql, "CASE");
    for (; at < q->now; at += DAY_US) {
        int64_t low = at, high = at + DAY_US;
        if (zone_offset(q->rate_zone, high) == offset) {
            continue;
        }
        while (high - low > SECOND_US) {
            const int64_t middle = low + (high - low) / 2 / SECOND_US * SECOND_US;
            *(zone_offset(q->rate_zone, middle) == offset ? &low : &high) = middle;
        }
        statement_add(sql, " WHEN start < %" PRId64 " THEN %" PRId64, high,
                      (int64_t)offset * SECOND_US);
        offset = zone_offset(q->rate_zone, at + DAY_US);
    }
    statement_add(sql, " WHEN true THEN %" PRId64 " END", (int64_t)offset * SECOND_US);
}

/*
 * The hour of the day and the weekday (0 Monday) a run starts at, if a rate goes by them; 1970
 * began on a Thursday.
 */
static void add_clock_columns(const struct question *q, struct statement *sql)
{
    bool any = false;
    for (size_t i = 0; q->rates && i < q->rates->count; i++) {
        any = any || has_clock(&q->rates->rows[i]);
    }
    if (!any) {
        return;
    }
    statement_add(sql, ", @divide(start + ");
    add_offset(q, sql);
    statement_add(sql, ", %" PRId64 ") %% 24 AS price_hour, (@divide(start + ", HOUR_US);
    add_offset(q, sql);
    statement_add(sql, ", %" PRId64 ") + 3) %% 7 AS price_weekday", DAY_US);
}

/* Whether some rate is for a metagroup, by which runs have to be joined. */
static bool by_metagroup(const struct question *q)
{
    return q->rates && q->rates->by_metagroup;
}

void price_sql_begin(const struct question *q, struct statement *sql)
{
    statement_add(sql, "(SELECT runs.*, ");
    add_price(q, false, sql);
    statement_add(sql, " AS price_su, ");
    add_cost(q, sql);
    statement_add(sql, " AS price_cost FROM (SELECT runs.*, CASE WHEN ");
    add_wall(q, sql);
    statement_add(sql, " > 0 THEN ");
    add_wall(q, sql);
    statement_add(sql, " WHEN \"end\" IS NOT NULL OR until >= start THEN 0 END AS price_wall");
    add_clock_columns(q, sql);
    statement_add(sql, by_metagroup(q) ? ", m.rates AS price_rates" : "");
    statement_add(
        sql, (q->rules && q->rules->count > 0) || q->resolved ? "" : ", @row(runs) AS run_row");
    statement_add(sql, " FROM ");
}

void price_sql_end(const struct question *q, struct statement *sql)
{
    if (by_metagroup(q)) {
        statement_add(sql, " LEFT JOIN " SQL_PRICE_MEMBERS " m ON " SQL_SAME_MEMBER
                           " AND runs.start >= m.lower AND runs.start < m.upper");
    }
    statement_add(sql, ") runs) runs");
}
