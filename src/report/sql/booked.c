/* SPDX-License-Identifier: MIT */
#include "report/sql/booked.h"

#include <stdlib.h>

#include "base/mem.h"
#include "report/sql/membership_periods.h"

#define SQL_LOGINS "logins"

#define SAME_MEMBER                                                                            \
    "runs.\"user\" IS NOT DISTINCT FROM m.\"user\" AND runs.account IS NOT DISTINCT FROM "     \
    "m.account AND runs.\"group\" IS NOT DISTINCT FROM m.\"group\""

static bool has_rules(const struct question *q)
{
    return q->rules && q->rules->count > 0;
}

static bool has_people(const struct question *q)
{
    return q->people && q->people->count > 0;
}

/* A login of one cluster and one of all clusters, whose cluster is NULL. */
static int load_logins(struct facts *facts, const struct people_list *people, struct error *err)
{
    enum { COLUMNS = 3 };

    struct facts_value *values = mem_alloc(people->count, COLUMNS * sizeof(*values));
    for (size_t i = 0; i < people->count; i++) {
        const struct people_login *login = &people->rows[i];
        struct facts_value *row = values + i * COLUMNS;
        row[0] = login->cluster.ptr ? FACTS_TEXT(login->cluster) : FACTS_NULL;
        row[1] = FACTS_TEXT(login->login);
        row[2] = FACTS_TEXT(login->person);
    }
    int failed =
        facts_load_values(facts, SQL_LOGINS, "cluster VARCHAR, login VARCHAR, person VARCHAR",
                          COLUMNS, (struct facts_values){values, people->count * COLUMNS}, err);
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
static int add_assigned(const struct question *q, struct buf *sql, struct filter_values *values,
                        struct error *err)
{
    int failed = 0;
    buf_addz(sql, "(SELECT * REPLACE (CASE");
    for (size_t i = 0; !failed && i < q->rules->count; i++) {
        const struct cluster_rule *rule = &q->rules->rows[i];

        const struct {
            const char *sql;
            struct str text;
        } parts[] = {{" WHEN cluster GLOB ?", rule->cluster},
                     {" AND node GLOB ?", rule->node},
                     {" AND partition GLOB ?", rule->partition},
                     {" THEN ?", rule->as}};

        for (size_t p = 0; !failed && p < COUNT_OF(parts); p++) {
            if (parts[p].text.ptr) {
                buf_addz(sql, parts[p].sql);
                failed = filter_bind(values, FACTS_TEXT(parts[p].text), err);
            }
        }
    }
    buf_addz(sql,
             " ELSE cluster END AS cluster), cluster AS own_cluster, rowid AS run_row FROM "
             "runs) runs");
    return failed;
}

static int add_base(const struct question *q, struct buf *sql, struct filter_values *values,
                    struct error *err)
{
    if (has_rules(q)) {
        return add_assigned(q, sql, values, err);
    }
    buf_addz(sql, "runs");
    return 0;
}

/* Logins are those of the cluster as it was imported: whatever a part of it counts as. */
static void add_login_joins(const struct question *q, struct buf *sql)
{
    if (has_people(q)) {
        buf_addf(sql,
                 " LEFT JOIN " SQL_LOGINS " own ON own.cluster = runs.%s AND own.login = "
                 "runs.\"user\" LEFT JOIN " SQL_LOGINS
                 " anywhere ON anywhere.cluster IS NULL AND anywhere.login = runs.\"user\"",
                 has_rules(q) ? "own_cluster" : "cluster");
    }
}

static void add_move_condition(const char *instant, struct buf *sql)
{
    if (instant) {
        buf_addf(sql, " WHERE %s >= lower AND %s < upper", instant, instant);
    } else {
        buf_addz(sql, " WHERE start < upper AND (until > lower OR start >= lower)");
    }
}

int booked_add(const struct question *q, const char *instant, struct buf *sql,
               struct filter_values *values, struct error *err)
{
    const bool moves = question_joins(q, JOINED_MOVES);
    const bool people = question_joins(q, JOINED_PEOPLE);
    if (!moves && !people) {
        return add_base(q, sql, values, err);
    }
    buf_addz(sql, "(SELECT runs.*");
    if (moves && !instant) {
        buf_addz(sql, " REPLACE (greatest(start, lower) AS start, CASE WHEN until < start THEN "
                      "until ELSE least(until, upper) END AS until), start AS own_start, until "
                      "AS own_until");
    }
    buf_addz(sql, has_rules(q) ? "" : ", runs.rowid AS run_row");
    buf_addz(sql, moves ? ", metagroup, metagroup_top" : "");
    buf_addz(sql, !people         ? ""
                  : has_people(q) ? ", coalesce(own.person, anywhere.person, runs.\"user\") AS "
                                    "person"
                                  : ", runs.\"user\" AS person");
    buf_addz(sql, " FROM ");
    int failed = add_base(q, sql, values, err);
    buf_addz(sql, moves ? " JOIN " SQL_MEMBERSHIP_PERIODS " m ON " SAME_MEMBER : "");
    if (people) {
        add_login_joins(q, sql);
    }
    if (moves) {
        add_move_condition(instant, sql);
    }
    buf_addz(sql, ") runs");
    return failed;
}

const char *booked_row(const struct question *q)
{
    return has_rules(q) || question_joins(q, JOINED_MOVES) || question_joins(q, JOINED_PEOPLE)
               ? "run_row"
               : "rowid";
}
