/* SPDX-License-Identifier: MIT */
#include "report/queries/queue.h"

#include <inttypes.h>

#include "facts/everyone.h"
#include "report/queries/row_keys.h"
#include "report/sql/column.h"
#include "report/sql/statements.h"

static const char *const state_names[QUEUE_STATE_COUNT] = {
    [QUEUE_RUNNING] = "running",
    [QUEUE_SUSPENDED] = "suspended",
    [QUEUE_PENDING] = "pending",
};

const char *queue_state_at(size_t index)
{
    return index < QUEUE_STATE_COUNT ? state_names[index] : NULL;
}

/* What a row of the relation `queue` (add_queue) can be counted by. */
static const struct key keys[] = {
    {"user", "User", {"\"user\""}, false, false},
    {"account", "Account", {"account"}, false, false},
    {"group", "Group", {"\"group\""}, false, false},
    {"project", "Project", {"project"}, false, false},
    {"partition", "Partition", {"@items(partition_list)"}, true, true},
    {"qos", "QOS", {"qos"}, false, false},
    {"cluster", "Cluster", {"cluster"}, true, false},
    {"state", "State", {"state_name"}, true, false},
};

const char *queue_key_at(size_t index)
{
    return index < COUNT_OF(keys) ? keys[index].id : NULL;
}

/*
 * Which runs are there at a moment: those that run, those that started later, and, of those
 * that never started, those that ended later and those that wait still. Conditions without an
 * OR, so that the engine skips what does not fit by its times, and reads nothing else of it.
 */
static void add_condition(const struct queue_question *q, int part, struct statement *sql)
{
    const int64_t at = q->at;
    switch (part) {
    case 0:
        statement_add(sql, "start <= %" PRId64 " AND until > %" PRId64, at, at);
        break;
    case 1:
        statement_add(sql, "start > %" PRId64 " AND submit <= %" PRId64, at, at);
        break;
    case 2:
        statement_add(sql, "start IS NULL AND submit <= %" PRId64 " AND \"end\" > %" PRId64, at,
                      at);
        break;
    default:
        statement_add(sql,
                      "start IS NULL AND submit <= %" PRId64
                      " AND \"end\" IS NULL AND until = %" PRId64,
                      at, RUN_NOT_ENDED);
        break;
    }
}

/*
 * What is asked of a run below, filters included. Planning four times all columns takes longer
 * than finding the runs.
 */
#define COLUMNS_OF_RUN                                                                         \
    "cluster, \"user\", account, \"group\", project, qos, class, name, reservation, reason, "  \
    "submit, start, \"end\", until, seen, task_count, req_wall_us, cpus, req_cpus, "           \
    "node_count, req_nodes, gpus, req_gpus, job, job_key, task, het, "

/* The same of runs that have no names. */
#define COLUMNS_OF_ANYBODY                                                                     \
    "cluster, class, submit, start, \"end\", until, seen, task_count, req_wall_us, cpus, "     \
    "req_cpus, node_count, req_nodes, gpus, req_gpus, "

static const struct field *const fields_of_anybody[] = {&run_fields[RUN_cluster],
                                                        &run_fields[RUN_partition]};

/*
 * Whether a question asks for counts that name nobody, of runs that are not picked by a name.
 */
static bool names_nobody(const struct queue_question *q)
{
    size_t filters = 0;
    for (size_t i = 0; i < COUNT_OF(fields_of_anybody); i++) {
        for (size_t c = 0; c < q->filter.count; c++) {
            filters += q->filter.conditions[c].field == fields_of_anybody[i];
        }
    }
    bool nobody = filters == q->filter.count;
    for (size_t i = 0; i < q->key_count; i++) {
        nobody = nobody && key_find(keys, q->keys[i])->of_anybody;
    }
    return nobody && (q->key_count > 0 || q->total);
}

/* The runs of the moment; with `spread` a row for each partition they may go to. */
static void add_there(const struct facts *facts, const struct queue_question *q, bool spread,
                      struct statement *sql)
{
    enum { PARTS = 4 };

    const bool nobody = names_nobody(q);

    statement_add(sql, "(");
    for (int part = 0; part < PARTS; part++) {
        if (part > 0) {
            statement_add(sql, " UNION ALL ");
        }
        statement_add(sql, nobody ? "SELECT " COLUMNS_OF_ANYBODY : "SELECT " COLUMNS_OF_RUN);
        statement_add(sql, "r.\"partition\" AS partition_list, ");
        statement_add(sql, spread ? "@items(r.\"partition\") AS \"partition\", @row(r) AS "
                                    "run_row, "
                                  : "");
        statement_add(sql,
                      "CASE WHEN start > %" PRId64
                      " OR start IS NULL THEN %d WHEN class = 'suspended' AND until = %" PRId64
                      " THEN %d ELSE %d END AS state_then, ",
                      q->at, QUEUE_PENDING, RUN_NOT_ENDED, QUEUE_SUSPENDED, QUEUE_RUNNING);
        statement_add(sql,
                      "CASE WHEN start <= %" PRId64 " THEN start ELSE submit END AS since, "
                      "coalesce(task_count, 1) AS tasks FROM ",
                      q->at);
        statement_name(sql, nobody ? everyone_runs(facts) : IDENTIFIER("runs"));
        statement_add(sql, " r WHERE ");
        add_condition(q, part, sql);
    }
    statement_add(sql, ")");
}

/*
 * The runs of the moment that pass the filters, each once. To be met by any partition they are
 * spread, and gathered again.
 */
static void add_picked(const struct facts *facts, const struct queue_question *q,
                       struct statement *sql)
{
    const bool spread = filter_has(&q->filter, &run_fields[RUN_partition]);
    statement_add(sql, spread ? "(SELECT DISTINCT * @exclude(\"partition\") FROM "
                              : "(SELECT * FROM ");
    add_there(facts, q, spread, sql);
    statement_add(sql, " WHERE true");
    filter_sql_of_runs(&q->filter, q->zone, q->at, 0, sql);
    statement_add(sql, ")");
}

/*
 * These with their columns, `state_then` (as in the enum), since, tasks, and what it has or
 * wants in all its tasks.
 */
static void add_queue(const struct facts *facts, const struct queue_question *q,
                      struct statement *sql)
{
    statement_add(sql, "(SELECT *, CASE state_then");
    for (int state = 0; state < QUEUE_STATE_COUNT; state++) {
        statement_add(sql, " WHEN %d THEN ", state);
        statement_literal(sql, (struct identifier){state_names[state]});
    }
    statement_add(sql, " END AS state_name FROM ");
    add_picked(facts, q, sql);
    statement_add(sql, " WHERE state_then IN (-1");
    for (int state = 0; state < QUEUE_STATE_COUNT; state++) {
        if (q->states[state]) {
            statement_add(sql, ", %d", state);
        }
    }
    statement_add(sql, "))");
}

static const struct amount {
    const char *id, *label;
    struct identifier has, wants;
} amounts[] = {
    {"cpus", "CPUs", {"cpus"}, {"req_cpus"}},
    {"nodes", "Nodes", {"node_count"}, {"req_nodes"}},
    {"gpus", "GPUs", {"gpus"}, {"req_gpus"}},
};

/* What a run has of something, or wants while it waits, in all its tasks. */
static void add_amount(struct statement *sql, const struct amount *amount)
{
    statement_add(sql, "(CASE WHEN state_then = %d THEN coalesce(", QUEUE_PENDING);
    statement_name(sql, amount->wants);
    statement_add(sql, ", ");
    statement_name(sql, amount->has);
    statement_add(sql, ") ELSE ");
    statement_name(sql, amount->has);
    statement_add(sql, " END * tasks)");
}

/* --- runs --------------------------------------------------------------------------------- */

/* Columns of the rows for runs; an amount where sql is NULL. */
static const struct {
    const char *id, *label;
    struct expression sql;
    enum unit unit;
} columns[] = {
    {"state", "State", {"state_name"}, UNIT_NONE},
    {"cluster", "Cluster", {"cluster"}, UNIT_NONE},
    {"id", "Id", {COLUMN_SQL_ID}, UNIT_NONE},
    {"job",
     "Id",
     {COLUMN_SQL_ID " || CASE WHEN tasks > 1 THEN ' x' || tasks ELSE '' END"},
     UNIT_NONE},
    {"user", "User", {"\"user\""}, UNIT_NONE},
    {"account", "Account", {"account"}, UNIT_NONE},
    {"partition", "Partition", {"partition_list"}, UNIT_NONE},
    {"tasks", "Tasks", {"tasks"}, UNIT_COUNT},
    {"cpus", NULL, {NULL}, UNIT_COUNT},
    {"nodes", NULL, {NULL}, UNIT_COUNT},
    {"gpus", NULL, {NULL}, UNIT_COUNT},
    {"since", "Since", {"since"}, UNIT_INSTANT},
    {"for", "For", {NULL}, UNIT_SECONDS},
    {"time_limit", "Limit", {"req_wall_us"}, UNIT_SECONDS},
    /* of a run that is over it says why it ended, which nobody knew then */
    {"reason", "Reason", {"CASE WHEN \"end\" IS NULL THEN reason END"}, UNIT_NONE},
};

const char *queue_column_at(size_t index)
{
    return index < COUNT_OF(columns) ? columns[index].id : NULL;
}

static const char *add_column(const struct queue_question *q, size_t column,
                              struct statement *sql)
{
    if (columns[column].sql.text) {
        statement_expression(sql, columns[column].sql);
        return columns[column].label;
    }
    for (size_t i = 0; i < COUNT_OF(amounts); i++) {
        if (str_eq(str_of(amounts[i].id), str_of(columns[column].id))) {
            add_amount(sql, &amounts[i]);
            return amounts[i].label;
        }
    }
    statement_add(sql, "%" PRId64 " - since", q->at);
    return columns[column].label;
}

static int ask_runs(struct facts *facts, const struct queue_question *q, struct table *answer,
                    struct error *err)
{
    const char *labels[QUEUE_COLUMNS_MAX];
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT ");
    for (size_t i = 0; i < q->column_count; i++) {
        statement_add(&sql, i ? ", " : "");
        labels[i] = add_column(q, q->columns[i], &sql);
        statement_add(&sql, " AS c%zu", i);
    }
    statement_add(&sql, " FROM ");
    add_queue(facts, q, &sql);
    statement_add(&sql, " ORDER BY state_then, since, cluster, job, job_key, task, het");
    if (q->limit > 0) {
        statement_add(&sql, " LIMIT %" PRId64, q->limit);
    }
    int failed = statement_query(facts, &sql, answer, err);
    for (size_t i = 0; !failed && i < q->column_count; i++) {
        const size_t column = q->columns[i];
        keys_name_column(answer, i, columns[column].id, labels[i], columns[column].unit);
    }
    statement_release(&sql);
    return failed;
}

/* --- counts ------------------------------------------------------------------------------- */

/*
 * What is counted of the runs of a state; their amounts are unknown where none records them,
 * zero where none is.
 */
static void add_counts(struct statement *sql, struct expression which)
{
    statement_add(sql, "@long(coalesce(sum(tasks) FILTER (");
    statement_expression(sql, which);
    statement_add(sql, "), 0))");
    for (size_t i = 0; i < COUNT_OF(amounts); i++) {
        if (!str_eq(str_of(amounts[i].id), STR("nodes"))) {
            statement_add(sql, ", @long(CASE WHEN count(*) FILTER (");
            statement_expression(sql, which);
            statement_add(sql, ") = 0 THEN 0 ELSE sum(");
            add_amount(sql, &amounts[i]);
            statement_add(sql, ") FILTER (");
            statement_expression(sql, which);
            statement_add(sql, ") END)");
        }
    }
}

_Static_assert(QUEUE_PENDING == 2, "the conditions below say so");

static const struct {
    struct expression which;
    const char *ids[3], *labels[3];
} counted[] = {
    {{"state_then = 2"},
     {"jobs_pending", "cpus_pending", "gpus_pending"},
     {"Waiting", "CPUs wait", "GPUs wait"}},
    {{"state_then <> 2"},
     {"jobs_running", "cpus_running", "gpus_running"},
     {"Running", "CPUs run", "GPUs run"}},
};

/* What is counted, behind what it is counted by. */
static void name_counts(struct table *answer, size_t first)
{
    for (size_t i = 0; i < 3 * COUNT_OF(counted); i++) {
        keys_name_column(answer, first + i, counted[i / 3].ids[i % 3],
                         counted[i / 3].labels[i % 3], UNIT_COUNT);
    }
}

/* The most first. */
static void add_groups(const struct queue_question *q, struct statement *sql)
{
    if (q->key_count == 0) {
        return;
    }
    statement_add(sql, " GROUP BY ALL ORDER BY sum(tasks) DESC");
    keys_add_order(sql, q->key_count);
    if (q->limit > 0) {
        statement_add(sql, " LIMIT %" PRId64, q->limit);
    }
}

static int ask_counts(struct facts *facts, const struct queue_question *q, struct table *answer,
                      struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT ");
    keys_add(&sql, q->key_count);
    for (size_t i = 0; i < COUNT_OF(counted); i++) {
        statement_add(&sql, i ? ", " : "");
        add_counts(&sql, counted[i].which);
    }
    statement_add(&sql, " FROM (SELECT ");
    keys_add_each(&sql, keys, q->keys, q->key_count);
    statement_add(&sql, "* FROM ");
    add_queue(facts, q, &sql);
    statement_add(&sql, ")");
    add_groups(q, &sql);
    int failed = statement_query(facts, &sql, answer, err);
    if (!failed) {
        keys_name(answer, keys, q->keys, q->key_count);
        name_counts(answer, q->key_count);
    }
    statement_release(&sql);
    return failed;
}

int queue_ask(struct facts *facts, const struct queue_question *question, struct table *answer,
              struct error *err)
{
    return question->key_count ? ask_counts(facts, question, answer, err)
                               : ask_runs(facts, question, answer, err);
}

int queue_totals(struct facts *facts, const struct queue_question *question,
                 struct table *answer, struct error *err)
{
    if (question->key_count) {
        struct queue_question all = *question;
        all.key_count = 0;
        all.total = names_nobody(question);
        return ask_counts(facts, &all, answer, err);
    }
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT state_name, @long(sum(tasks))");
    for (size_t i = 0; i < COUNT_OF(amounts); i++) {
        statement_add(&sql, ", @long(sum(");
        add_amount(&sql, &amounts[i]);
        statement_add(&sql, "))");
    }
    statement_add(&sql, " FROM ");
    add_queue(facts, question, &sql);
    statement_add(&sql, " GROUP BY state_name, state_then ORDER BY state_then");
    int failed = statement_query(facts, &sql, answer, err);
    statement_release(&sql);
    return failed;
}

bool queue_is_everyones(const struct facts *facts, const struct queue_question *question)
{
    return names_nobody(question) && everyone_is_whole(facts);
}

void queue_by_cluster(struct queue_question *question)
{
    keys_by_cluster(keys, question->keys, &question->key_count);
}

int queue_clusters(struct facts *facts, int64_t *count, struct error *err)
{
    return facts_number(facts, SQL_VALUES_CLUSTERS, (struct facts_values){0}, count, NULL, err);
}

int queue_stale(struct facts *facts, const struct queue_question *question, int64_t slack,
                int64_t *runs, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT count(*) FROM ");
    add_queue(facts, question, &sql);
    statement_add(&sql, " WHERE \"end\" IS NULL AND (seen IS NULL OR seen < %" PRId64 ")",
                  question->at - slack);
    int failed = statement_number(facts, &sql, runs, NULL, err);
    statement_release(&sql);
    return failed;
}
