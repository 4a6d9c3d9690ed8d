/* SPDX-License-Identifier: MIT */
#include "report/sql/booked.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/sql/assigned.h"
#include "report/sql/membership_periods.h"
#include "report/sql/stops.h"

#define SQL_LOGINS "logins"

#define SAME_MEMBER                                                                            \
    "@same(runs.\"user\", m.\"user\") AND @same(runs.account, m.account) AND "                 \
    "@same(runs.\"group\", m.\"group\")"

static bool has_rules(const struct question *q)
{
    return q->rules && q->rules->count > 0;
}

bool booked_renames(const struct question *q)
{
    return has_rules(q);
}

static bool has_people(const struct question *q)
{
    return q->people && q->people->count > 0;
}

/* A login of one cluster and one of all clusters, whose cluster is NULL. */
static int load_logins(struct facts *facts, const struct people_list *people, struct error *err)
{
    static const struct statement_column columns[] = {
        {"cluster", TYPE_TEXT}, {"login", TYPE_TEXT}, {"person", TYPE_TEXT}};

    enum { COLUMNS = COUNT_OF(columns) };

    struct facts_value *values = mem_alloc(people->count, COLUMNS * sizeof(*values));
    for (size_t i = 0; i < people->count; i++) {
        const struct people_login *login = &people->rows[i];
        struct facts_value *row = values + i * COLUMNS;
        row[0] = login->cluster.ptr ? FACTS_TEXT(login->cluster) : FACTS_NULL;
        row[1] = FACTS_TEXT(login->login);
        row[2] = FACTS_TEXT(login->person);
    }
    int failed = statement_load(facts, IDENTIFIER(SQL_LOGINS), columns, COLUMNS,
                                (struct facts_values){values, people->count * COLUMNS}, err);
    free(values);
    return failed;
}

int booked_load(struct facts *facts, const struct question *question, struct error *err)
{
    int failed = 0;
    (void)((question_joins(question, JOINED_MOVES) &&
            (failed = membership_periods_load(facts, question->members, err))) ||
           (question_joins(question, JOINED_PEOPLE) && has_people(question) &&
            (failed = load_logins(facts, question->people, err))));
    return failed;
}

/* The runs, each under the cluster that it counts under; own_cluster is that of the import. */
static void add_assigned(const struct question *q, struct statement *sql)
{
    statement_add(sql, "(SELECT t.* @replace(");
    assigned_add(q->rules, ASSIGNED_RUN, sql);
    statement_add(
        sql, " AS cluster), t.cluster AS own_cluster, @row(t) AS run_row FROM runs t) runs");
}

static void add_base(const struct question *q, struct statement *sql)
{
    if (has_rules(q)) {
        add_assigned(q, sql);
    } else {
        statement_add(sql, "runs");
    }
}

/* Logins are those of the cluster as it was imported: whatever a part of it counts as. */
static void add_login_joins(const struct question *q, struct statement *sql)
{
    if (has_people(q)) {
        statement_add(sql, " LEFT JOIN " SQL_LOGINS " own ON own.cluster = runs.");
        statement_name(sql, has_rules(q) ? IDENTIFIER("own_cluster") : IDENTIFIER("cluster"));
        statement_add(sql, " AND own.login = runs.\"user\" LEFT JOIN " SQL_LOGINS
                           " anywhere ON anywhere.cluster IS NULL AND anywhere.login = "
                           "runs.\"user\"");
    }
}

struct expression booked_instant(enum booked_instant instant)
{
    static const struct expression instants[] = {
        [BOOKED_AT_SUBMIT] = {"submit"},
        [BOOKED_AT_START] = {"start"},
        [BOOKED_AT_END] = {"\"end\""},
        [BOOKED_AT_GIVEUP] = {"coalesce(\"end\", submit)"},
    };
    return instants[instant];
}

static void add_instant(const struct question *q, enum booked_instant instant,
                        struct statement *sql)
{
    if (instant == BOOKED_AT_LAST) {
        statement_add(sql, "coalesce(");
        stops_add_last(sql, q->now);
        statement_add(sql, ", 0)");
    } else {
        statement_expression(sql, booked_instant(instant));
    }
}

static void add_move_condition(const struct question *q, enum booked_instant instant,
                               struct statement *sql)
{
    if (instant == BOOKED_CLIPPED) {
        statement_add(sql, " WHERE start < upper AND (");
        stops_add(sql, EXPRESSION("until"), q->now);
        statement_add(sql, " > lower OR start >= lower)");
        return;
    }
    statement_add(sql, " WHERE ");
    add_instant(q, instant, sql);
    statement_add(sql, " >= lower AND ");
    add_instant(q, instant, sql);
    statement_add(sql, " < upper");
}

void booked_add(const struct question *q, enum booked_instant instant, struct statement *sql)
{
    const bool moves = question_joins(q, JOINED_MOVES);
    const bool people = question_joins(q, JOINED_PEOPLE);
    if (!moves && !people) {
        add_base(q, sql);
        return;
    }
    statement_add(sql, "(SELECT runs.*");
    if (moves && instant == BOOKED_CLIPPED) {
        /* a run without an end that was seen at the end of a period has none in it */
        statement_add(sql, " @replace(greatest(start, lower) AS start, CASE WHEN until < start "
                           "THEN until WHEN ");
        stops_add(sql, EXPRESSION("until"), q->now);
        statement_add(sql, " >= upper THEN upper ELSE until END AS until), start AS "
                           "own_start, until AS own_until");
    }
    statement_add(sql, has_rules(q) ? "" : ", @row(runs) AS run_row");
    statement_add(sql, moves ? ", metagroup, metagroup_top" : "");
    if (people) {
        statement_add(sql,
                      has_people(q)
                          ? ", coalesce(own.person, anywhere.person, runs.\"user\") AS person"
                          : ", runs.\"user\" AS person");
    }
    statement_add(sql, " FROM ");
    add_base(q, sql);
    statement_add(sql, moves ? " JOIN " SQL_MEMBERSHIP_PERIODS " m ON " SAME_MEMBER : "");
    if (people) {
        add_login_joins(q, sql);
    }
    if (moves) {
        add_move_condition(q, instant, sql);
    }
    statement_add(sql, ") runs");
}

struct expression booked_row(const struct question *q)
{
    const bool joined =
        has_rules(q) || question_joins(q, JOINED_MOVES) || question_joins(q, JOINED_PEOPLE);
    return joined ? EXPRESSION("run_row") : EXPRESSION("@row(runs)");
}
