/* SPDX-License-Identifier: MIT */
#include "report/queries/reservations.h"

#include <inttypes.h>

#include "report/sql/end_time.h"

/*
 * Columns of the answer: of a row of `held`, of all rows together (NULL: nothing is said). What
 * is wordy is left out for people, whose terminals have 80 columns.
 */
static const struct {
    const char *id, *label;
    struct expression sql, total;
    enum unit unit;
    bool wordy;
} columns[] = {
    {"cluster", "Cluster", {"cluster"}, {NULL}, UNIT_NONE, false},
    {"reservation", "Reservation", {"reservation"}, {NULL}, UNIT_NONE, false},
    {"start", "Start", {"\"start\""}, {NULL}, UNIT_INSTANT, false},
    {"end", "End", {"@latest(\"end\", \"from\")"}, {NULL}, UNIT_INSTANT, true},
    {"nodes", "Nodes", {"@latest(nodes, \"from\")"}, {NULL}, UNIT_NONE, true},
    {"cpus", "CPUs", {"@latest(cpus, \"from\")"}, {NULL}, UNIT_COUNT, false},
    {"accounts", "Accounts", {"@latest(accounts, \"from\")"}, {NULL}, UNIT_NONE, true},
    {"users", "Users", {"@latest(users, \"from\")"}, {NULL}, UNIT_NONE, true},
    {"flags", "Flags", {"@latest(flags, \"from\")"}, {NULL}, UNIT_NONE, true},
    {"cpu_hours_held",
     "Held h",
     {"CASE WHEN bool_and(held IS NOT NULL) THEN sum(held) END"},
     {"CASE WHEN bool_and(cpu_hours_held IS NOT NULL) THEN sum(cpu_hours_held) END"},
     UNIT_HOURS,
     false},
    {"cpu_hours_used", "Used h", {"sum(used)"}, {"sum(cpu_hours_used)"}, UNIT_HOURS, false},
    {"cpu_hours_idle",
     "Idle h",
     {"CASE WHEN bool_and(held IS NOT NULL) THEN greatest(sum(held) - sum(used), 0) END"},
     {"CASE WHEN bool_and(cpu_hours_held IS NOT NULL) THEN sum(cpu_hours_idle) END"},
     UNIT_HOURS,
     false},
};

/*
 * pieces: the stretches of reservations, each from `lower` to `upper`, as reservations.h says,
 * within the period.
 */
static void add_pieces(const struct reservations_question *q, struct statement *sql)
{
    const int64_t to = q->now < q->period.to ? q->now : q->period.to;
    statement_add(sql,
                  "WITH pieces AS (SELECT * FROM (SELECT *, greatest(coalesce(lag(\"until\") "
                  "OVER (PARTITION BY cluster, reservation, \"start\" ORDER BY \"from\"), "
                  "\"start\"), \"start\", %" PRId64
                  ") AS lower, least(\"until\", \"end\", %" PRId64
                  ") AS upper FROM reservations WHERE \"start\" IS NOT NULL",
                  q->period.from, to);
    filter_sql(&q->filter, q->zone, q->now, sql);
    statement_add(sql, ") WHERE upper > lower), ");
}

/*
 * held: the pieces with what they held and what runs used of it. A suspended run has no cpus:
 * of its suspension a piece gets the share that it has of the run's time.
 */
static void add_held(const struct reservations_question *q, struct statement *sql)
{
    statement_add(sql,
                  "clipped AS (SELECT p.cluster, p.reservation, p.\"from\", r.cpus, r.start AS "
                  "rs, least(r.stopped, %" PRId64
                  ") AS re, coalesce(r.suspended_us, 0) AS paused, greatest(r.start, p.lower) "
                  "AS s, least(r.stopped, p.upper) AS e FROM pieces p JOIN (SELECT *, ",
                  q->now);
    end_time_add(sql, EXPRESSION("until"), q->now);
    statement_add(sql, " AS stopped FROM runs WHERE reservation IS NOT NULL) r ON "
                       "r.cluster = p.cluster AND r.reservation = p.reservation AND r.start < "
                       "p.upper AND r.stopped > p.lower), ");
    statement_add(
        sql, "uses AS (SELECT cluster, reservation, \"from\", sum(@wide(cpus) * ((e - s) - "
             "CASE WHEN paused > 0 AND re > rs THEN @divide(@wide(least(paused, re - rs)) * "
             "(e - s), re - rs) ELSE 0 END)) AS used FROM clipped WHERE e > s GROUP BY "
             "ALL), held AS (SELECT p.*, @wide(p.cpus) * (upper - lower) AS held, "
             "coalesce(u.used, 0) AS used FROM pieces p LEFT JOIN uses u ON u.cluster = "
             "p.cluster AND u.reservation = p.reservation AND u.\"from\" = p.\"from\")");
}

static void add_rows(const struct reservations_question *q, struct statement *sql)
{
    add_pieces(q, sql);
    add_held(q, sql);
    statement_add(sql, ", reserved AS (SELECT ");
    for (size_t c = 0; c < COUNT_OF(columns); c++) {
        const bool wide = columns[c].unit == UNIT_HOURS;
        statement_add(sql, c ? ", " : "");
        statement_add(sql, wide ? "@wide(" : "");
        statement_expression(sql, columns[c].sql);
        statement_add(sql, wide ? ") AS " : " AS ");
        statement_name(sql, (struct identifier){columns[c].id});
    }
    statement_add(sql, " FROM held GROUP BY cluster, reservation, \"start\") ");
}

static bool is_shown(size_t c, bool total)
{
    return !total || columns[c].total.text != NULL;
}

static void add_columns(struct statement *sql, bool total)
{
    bool any = false;
    for (size_t c = 0; c < COUNT_OF(columns); c++) {
        if (!is_shown(c, total)) {
            continue;
        }
        statement_add(sql, any ? ", " : "");
        any = true;
        if (total) {
            statement_add(sql, "@wide(");
            statement_expression(sql, columns[c].total);
            statement_add(sql, ")");
        } else {
            statement_name(sql, (struct identifier){columns[c].id});
        }
    }
}

static void describe(struct table *table, bool total)
{
    size_t at = 0;
    for (size_t c = 0; c < COUNT_OF(columns); c++) {
        if (is_shown(c, total)) {
            struct column *column = &table->columns[at++];
            column->id = columns[c].id;
            column->label = columns[c].label;
            column->unit = columns[c].unit;
            column->audience = columns[c].wordy ? COLUMN_FOR_MACHINES : COLUMN_FOR_ALL;
            column->role = columns[c].unit == UNIT_HOURS ? COLUMN_MEASURE : COLUMN_DIMENSION;
        }
    }
}

static int query_reservations(struct facts *facts, const struct reservations_question *question,
                              bool total, struct table *answer, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    add_rows(question, &sql);
    statement_add(&sql, "SELECT ");
    add_columns(&sql, total);
    statement_add(&sql, " FROM reserved");
    statement_add(&sql, total ? "" : " ORDER BY cluster, \"start\", reservation");
    int failed = statement_query(facts, &sql, answer, err);
    if (!failed) {
        describe(answer, total);
    }
    statement_release(&sql);
    return failed;
}

int reservations_ask(struct facts *facts, const struct reservations_question *question,
                     struct table *answer, struct error *err)
{
    return query_reservations(facts, question, false, answer, err);
}

int reservations_total(struct facts *facts, const struct reservations_question *question,
                       struct table *answer, struct error *err)
{
    return query_reservations(facts, question, true, answer, err);
}
