/* SPDX-License-Identifier: MIT */
#include "report/sql/runs_source.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/sql/cluster_case.h"
#include "report/sql/end_time.h"
#include "report/sql/membership_periods.h"
#include "report/sql/price_sql.h"
#include "report/sql/statements.h"
#include "report/use/use_table.h"

#define SQL_LOGINS "logins"

static bool has_rules(const struct question *q)
{
    return q->rules && q->rules->count > 0;
}

bool runs_source_renames(const struct question *q)
{
    return has_rules(q);
}

bool runs_source_by_node(const struct question *q)
{
    bool found = q->on_nodes;
    for (size_t i = 0; !found && i < q->dimension_count; i++) {
        found = dimension_is_spread(q->dimensions[i]);
    }
    return found;
}

unsigned runs_source_rows(const struct question *q)
{
    return (runs_source_renames(q) ? FILTER_RENAMED : 0u) |
           (runs_source_by_node(q) ? FILTER_BY_NODE : 0u);
}

/* Whether lists of nodes are looked into: by a dimension, or by a measure that counts nodes. */
static bool reads_lists(const struct question *q)
{
    bool found = runs_source_by_node(q);
    for (size_t i = 0; !found && i < q->measure_count; i++) {
        found = q->measures[i]->kind == MEASURE_DISTINCT &&
                dimension_is_spread(q->measures[i]->value);
    }
    return found;
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

/*
 * The one node that rows are wanted of, or the empty text. Where nodes are counted and are no
 * rows, all of a list are needed.
 */
static struct str wanted_node(const struct question *q)
{
    const struct field *node = &run_fields[RUN_node];
    const struct str name =
        runs_source_by_node(q) ? filter_name(&q->filter, node) : (struct str){0};
    return name.ptr ? name : STR("");
}

/* Of the lists of runs that the period, and the node that is asked for, may have to do with. */
static int make_hosts(struct facts *facts, const struct question *question, struct error *err)
{
    const struct facts_value node = FACTS_TEXT(wanted_node(question));
    struct statement sql;
    statement_init(&sql);
    statement_expression(&sql, (struct expression){SQL_VALUES_MAKE_HOSTS});
    statement_value(&sql, FACTS_INT(question->period.to));
    statement_value(&sql, FACTS_INT(question->period.from));
    for (size_t i = 0; i < 3; i++) {
        statement_value(&sql, node);
    }
    int failed = statement_make_kept(facts, IDENTIFIER(SQL_HOSTS), &sql, err);
    statement_release(&sql);
    return failed;
}

static bool prices_metagroups(const struct question *q)
{
    return q->rates && q->rates->by_metagroup && question_has_prices(q);
}

int runs_source_load(struct facts *facts, const struct question *question, struct error *err)
{
    int failed = 0;
    (void)((question_joins(question, JOINED_MOVES) &&
            (failed = membership_periods_load(facts, question->members, err))) ||
           (prices_metagroups(question) &&
            (failed = membership_periods_load_prices(facts, question->rates, err))) ||
           (question_joins(question, JOINED_PEOPLE) && has_people(question) &&
            (failed = load_logins(facts, question->people, err))) ||
           (reads_lists(question) && (failed = make_hosts(facts, question, err))));
    return failed;
}

/*
 * The runs, each under the cluster that it counts under, where there are rules (own_cluster is
 * that of the import), and with what it used, where the question wants that.
 */
static void add_replaced(const struct question *q, struct statement *sql)
{
    statement_add(sql, "(SELECT t.* @replace(");
    if (has_rules(q)) {
        cluster_case_add(q->rules, CLUSTER_CASE_RUN, sql);
        statement_add(sql, q->resolved ? " AS cluster, " : " AS cluster");
    }
    if (q->resolved) {
        use_table_replaced(sql);
    }
    statement_add(sql, has_rules(q) ? "), t.cluster AS own_cluster, " : "), ");
    statement_add(sql, "@row(t) AS run_row");
    if (q->resolved) {
        use_table_beside(sql);
    }
    statement_add(sql, " FROM runs t");
    if (q->resolved) {
        use_table_join(sql);
    }
    statement_add(sql, ") runs");
}

static bool is_replaced(const struct question *q)
{
    return has_rules(q) || q->resolved;
}

static void add_own(const struct question *q, struct statement *sql)
{
    const bool priced = question_has_prices(q);
    if (priced) {
        price_sql_begin(q, sql);
    }
    if (is_replaced(q)) {
        add_replaced(q, sql);
    } else {
        statement_add(sql, "runs");
    }
    if (priced) {
        price_sql_end(q, sql);
    }
}

/* Whether what add_own writes has run_row. */
static bool has_own_row(const struct question *q)
{
    return is_replaced(q) || question_has_prices(q);
}

/* A run on one node, as most are: no list has to be looked into. */
#define ALONE                                                                                  \
    "coalesce(runs.node_count = 1 AND runs.node IS NOT NULL AND coalesce(runs.nodes = "        \
    "runs.node, true), false)"

static void add_run_row(const struct question *q, struct statement *sql)
{
    statement_add(sql, has_own_row(q) ? "" : ", @row(runs) AS run_row");
}

/* The runs that were on one node: all parts of one. */
static void add_alone(const struct question *q, struct statement *sql)
{
    statement_add(sql, "SELECT runs.*, runs.node AS first_node, 1 AS share_of, 0 AS "
                       "share_low, 1 AS share_high, 1 AS "
                       "cpu_share_of, 0 AS cpu_share_low, 1 AS cpu_share_high");
    add_run_row(q, sql);
    statement_add(sql, " FROM ");
    add_own(q, sql);
    statement_add(sql, " WHERE " ALONE);
}

/*
 * The others with the names in their lists, how many of these there are and how many nodes in
 * all.
 */
static void add_listed(const struct question *q, struct statement *sql)
{
    statement_add(sql,
                  "SELECT runs.* @replace(CASE WHEN names = 0 AND NOT rest THEN runs.node "
                  "ELSE host END AS node), runs.node AS first_node, place, rest, cpus_of, "
                  "cpus_low, cpus_high, CASE "
                  "WHEN names > 0 THEN names WHEN "
                  "runs.node IS NOT NULL THEN 1 ELSE 0 END AS recorded, CASE WHEN names > 0 "
                  "THEN greatest(node_count, names) WHEN runs.nodes = runs.node THEN "
                  "greatest(node_count, 1) WHEN node_count >= 1 THEN node_count END AS total");
    add_run_row(q, sql);
    statement_add(sql, " FROM ");
    add_own(q, sql);
    statement_add(sql, " JOIN " SQL_HOSTS
                       " ON list = CASE WHEN runs.nodes <> '' AND @differs(runs.nodes, "
                       "runs.node) THEN runs.nodes ELSE '' END WHERE NOT " ALONE);
}

/* The parts of a row where all nodes of a run have the same. */
#define EVEN_OF   "CASE WHEN rest THEN coalesce(total, 1) ELSE total END"
#define EVEN_LOW  "CASE WHEN rest THEN 0 ELSE total - place - 1 END"
#define EVEN_HIGH "CASE WHEN rest THEN coalesce(total - recorded, 1) ELSE total - place END"

/* Where every node is recorded, and their cpus are those of the run. */
#define BY_CPUS(part, even)                                                                    \
    "CASE WHEN recorded = total AND cpus_of = cpus THEN " part " ELSE " even " END"

/*
 * A row for each node of a run, and one without a name (`rest`) for those that are not
 * recorded. What the run has is cut into share_of parts, one a node; the row has those from
 * share_low to share_high. The parts of earlier nodes lie higher, so that what cannot be cut
 * evenly is theirs. Where nobody knows how many nodes there were, the row without a name has
 * all, and nobody knows what of it the first node had. Cpus and their time are cut into
 * cpu_share_of parts: one a cpu, where the list says how many each node had, and else the same
 * ones.
 */
static void add_nodes(const struct question *q, struct statement *sql)
{
    statement_add(sql, "(");
    add_alone(q, sql);
    statement_add(sql, " UNION ALL @by_name() SELECT *, " EVEN_OF " AS share_of, " EVEN_LOW
                       " AS share_low, " EVEN_HIGH " AS share_high");
    statement_add(sql, ", " BY_CPUS("cpus_of", EVEN_OF) " AS cpu_share_of");
    statement_add(sql, ", " BY_CPUS("cpus_low", EVEN_LOW) " AS cpu_share_low");
    statement_add(sql, ", " BY_CPUS("cpus_high", EVEN_HIGH) " AS cpu_share_high FROM (");
    add_listed(q, sql);
    statement_add(sql, ") WHERE CASE WHEN rest THEN total IS NULL OR total > recorded ELSE "
                       "recorded > 0 END) runs");
}

static void add_base(const struct question *q, struct statement *sql)
{
    (runs_source_by_node(q) ? add_nodes : add_own)(q, sql);
}

/* Whether what add_base writes has run_row. */
static bool has_row(const struct question *q)
{
    return has_own_row(q) || runs_source_by_node(q);
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

struct expression runs_source_instant(enum runs_source_instant instant)
{
    static const struct expression instants[] = {
        [RUNS_SOURCE_AT_SUBMIT] = {"submit"},
        [RUNS_SOURCE_AT_START] = {"start"},
        [RUNS_SOURCE_AT_END] = {"\"end\""},
        [RUNS_SOURCE_AT_WITHDRAWAL] = {"coalesce(\"end\", submit)"},
    };
    return instants[instant];
}

static void add_instant(const struct question *q, enum runs_source_instant instant,
                        struct statement *sql)
{
    if (instant == RUNS_SOURCE_AT_LAST) {
        statement_add(sql, "coalesce(");
        end_time_add_last(sql, q->now);
        statement_add(sql, ", 0)");
    } else {
        statement_expression(sql, runs_source_instant(instant));
    }
}

static void add_move_condition(const struct question *q, enum runs_source_instant instant,
                               struct statement *sql)
{
    if (instant == RUNS_SOURCE_CLIPPED) {
        statement_add(sql, " WHERE start < upper AND (");
        end_time_add(sql, EXPRESSION("until"), q->now);
        statement_add(sql, " > lower OR start >= lower)");
        return;
    }
    statement_add(sql, " WHERE ");
    add_instant(q, instant, sql);
    statement_add(sql, " >= lower AND ");
    add_instant(q, instant, sql);
    statement_add(sql, " < upper");
}

void runs_source_add(const struct question *q, enum runs_source_instant instant,
                     struct statement *sql)
{
    const bool moves = question_joins(q, JOINED_MOVES);
    const bool people = question_joins(q, JOINED_PEOPLE);
    if (!moves && !people) {
        add_base(q, sql);
        return;
    }
    statement_add(sql, "(SELECT runs.*");
    if (moves && instant == RUNS_SOURCE_CLIPPED) {
        /* a run without an end that was seen at the end of a period has none in it */
        statement_add(sql, " @replace(greatest(start, lower) AS start, CASE WHEN until < start "
                           "THEN until WHEN ");
        end_time_add(sql, EXPRESSION("until"), q->now);
        statement_add(sql, " >= upper THEN upper ELSE until END AS until), start AS "
                           "own_start, until AS own_until");
    }
    statement_add(sql, has_row(q) ? "" : ", @row(runs) AS run_row");
    statement_add(sql, moves ? ", metagroup, metagroup_top" : "");
    if (people) {
        statement_add(sql,
                      has_people(q)
                          ? ", coalesce(own.person, anywhere.person, runs.\"user\") AS person"
                          : ", runs.\"user\" AS person");
    }
    statement_add(sql, " FROM ");
    add_base(q, sql);
    statement_add(sql, moves ? " JOIN " SQL_MEMBERSHIP_PERIODS " m ON " SQL_SAME_MEMBER : "");
    if (people) {
        add_login_joins(q, sql);
    }
    if (moves) {
        add_move_condition(q, instant, sql);
    }
    statement_add(sql, ") runs");
}

struct expression runs_source_row(const struct question *q)
{
    const bool joined =
        has_row(q) || question_joins(q, JOINED_MOVES) || question_joins(q, JOINED_PEOPLE);
    return joined ? EXPRESSION("run_row") : EXPRESSION("@row(runs)");
}
