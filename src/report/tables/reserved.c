/* SPDX-License-Identifier: MIT */
#include "report/tables/reserved.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"

/* Columns of the answer: of a row of `held`, of all rows together (NULL: nothing is said). What is wordy is left out for
   people, whose terminals have 80 columns. */
static const struct {
    const char *id, *label, *sql, *total;
    enum unit unit;
    bool wordy;
} columns[] = {
    {"cluster", "Cluster", "cluster", NULL, UNIT_NONE, false},
    {"reservation", "Reservation", "reservation", NULL, UNIT_NONE, false},
    {"start", "Start", "\"start\"", NULL, UNIT_INSTANT, false},
    {"end", "End", "arg_max(\"end\", \"from\")", NULL, UNIT_INSTANT, true},
    {"nodes", "Nodes", "arg_max(nodes, \"from\")", NULL, UNIT_NONE, true},
    {"cpus", "CPUs", "arg_max(cpus, \"from\")", NULL, UNIT_COUNT, false},
    {"accounts", "Accounts", "arg_max(accounts, \"from\")", NULL, UNIT_NONE, true},
    {"users", "Users", "arg_max(users, \"from\")", NULL, UNIT_NONE, true},
    {"flags", "Flags", "arg_max(flags, \"from\")", NULL, UNIT_NONE, true},
    {"cpu_hours_held", "Held h", "CASE WHEN bool_and(held IS NOT NULL) THEN sum(held) END",
     "CASE WHEN bool_and(cpu_hours_held IS NOT NULL) THEN sum(cpu_hours_held) END", UNIT_HOURS,
     false},
    {"cpu_hours_used", "Used h", "sum(used)", "sum(cpu_hours_used)", UNIT_HOURS, false},
    {"cpu_hours_idle", "Idle h",
     "CASE WHEN bool_and(held IS NOT NULL) THEN greatest(sum(held) - sum(used), 0) END",
     "CASE WHEN bool_and(cpu_hours_held IS NOT NULL) THEN sum(cpu_hours_idle) END", UNIT_HOURS,
     false},
};

/* pieces: the stretches of reservations, each from `lower` to `upper`, as reserved.h says, within the period. */
static int add_pieces(const struct reserved_question *q, struct buf *sql,
                      struct filter_values *values, struct error *err)
{
    const int64_t to = q->now < q->period.to ? q->now : q->period.to;
    buf_addf(sql,
             "WITH pieces AS (SELECT * FROM (SELECT *, greatest(coalesce(lag(\"until\") OVER "
             "(PARTITION BY cluster, reservation, \"start\" ORDER BY \"from\"), \"start\"), "
             "\"start\", %" PRId64 ") AS lower, least(\"until\", \"end\", %" PRId64
             ") AS upper FROM reservations WHERE \"start\" IS NOT NULL",
             q->period.from, to);
    int failed = filter_sql(&q->filter, q->zone, q->now, sql, values, err);
    buf_addz(sql, ") WHERE upper > lower), ");
    return failed;
}

/*
 * held: the pieces with what they held and what runs used of it. A suspended run has no cpus: of its suspension a piece
 * gets the share that it has of the run's time.
 */
static void add_held(const struct reserved_question *q, struct buf *sql)
{
    buf_addf(sql,
             "clipped AS (SELECT p.cluster, p.reservation, p.\"from\", r.cpus, r.start AS rs, "
             "least(r.\"until\", %" PRId64 ") AS re, coalesce(r.suspended_us, 0) AS paused, "
             "greatest(r.start, p.lower) AS s, least(r.\"until\", p.upper) AS e FROM pieces p "
             "JOIN runs r ON r.cluster = p.cluster AND r.reservation = p.reservation AND "
             "r.start < p.upper AND r.\"until\" > p.lower), ",
             q->now);
    buf_addz(sql,
             "uses AS (SELECT cluster, reservation, \"from\", sum(cpus::HUGEINT * ((e - s) - "
             "CASE WHEN paused > 0 AND re > rs THEN least(paused, re - rs)::HUGEINT * (e - s) "
             "// (re - rs) ELSE 0 END)) AS used FROM clipped WHERE e > s GROUP BY ALL), "
             "held AS (SELECT p.*, p.cpus::HUGEINT * (upper - lower) AS held, "
             "coalesce(u.used, 0) AS used FROM pieces p LEFT JOIN uses u ON u.cluster = "
             "p.cluster AND u.reservation = p.reservation AND u.\"from\" = p.\"from\")");
}

static int add_rows(const struct reserved_question *q, struct buf *sql,
                    struct filter_values *values, struct error *err)
{
    int failed = add_pieces(q, sql, values, err);
    add_held(q, sql);
    buf_addz(sql, ", reserved AS (SELECT ");
    for (size_t c = 0; c < COUNT_OF(columns); c++) {
        buf_addf(sql, "%s%s%s AS \"%s\"", c ? ", " : "", columns[c].sql,
                 columns[c].unit == UNIT_HOURS ? "::HUGEINT" : "", columns[c].id);
    }
    buf_addz(sql, " FROM held GROUP BY cluster, reservation, \"start\") ");
    return failed;
}

static bool is_shown(const struct reserved_question *q, size_t c, bool total)
{
    return total ? columns[c].total != NULL : !(q->brief && columns[c].wordy);
}

static void add_columns(const struct reserved_question *q, struct buf *sql, bool total)
{
    const char *comma = "";
    for (size_t c = 0; c < COUNT_OF(columns); c++) {
        if (is_shown(q, c, total)) {
            buf_addf(sql, total ? "%s(%s)::HUGEINT" : "%s\"%s\"", comma,
                     total ? columns[c].total : columns[c].id);
            comma = ", ";
        }
    }
}

static void describe(const struct reserved_question *q, struct table *table, bool total)
{
    size_t at = 0;
    for (size_t c = 0; c < COUNT_OF(columns); c++) {
        if (is_shown(q, c, total)) {
            struct column *column = &table->columns[at++];
            column->id = columns[c].id;
            column->label = columns[c].label;
            column->unit = columns[c].unit;
            column->role = columns[c].unit == UNIT_HOURS ? COLUMN_MEASURE : COLUMN_DIMENSION;
        }
    }
}

static int ask(struct facts *facts, const struct reserved_question *question, bool total,
               struct table *answer, struct error *err)
{
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    int failed = add_rows(question, &sql, values, err);
    buf_addz(&sql, "SELECT ");
    add_columns(question, &sql, total);
    buf_addz(&sql, " FROM reserved");
    buf_addz(&sql, total ? "" : " ORDER BY cluster, \"start\", reservation");
    if (!failed && sql.overflow) {
        failed = error_set(err, ERROR_LIMIT, "the question is too large");
    }
    if (!failed) {
        failed = facts_query(facts, sql.ptr,
                             (struct facts_values){values->values, values->count}, answer, err);
    }
    if (!failed) {
        describe(question, answer, total);
    }
    buf_release(&sql);
    free(values);
    return failed;
}

int reserved_ask(struct facts *facts, const struct reserved_question *question,
                 struct table *answer, struct error *err)
{
    return ask(facts, question, false, answer, err);
}

int reserved_total(struct facts *facts, const struct reserved_question *question,
                   struct table *answer, struct error *err)
{
    return ask(facts, question, true, answer, err);
}
