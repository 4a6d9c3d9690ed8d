/* SPDX-License-Identifier: MIT */
#include "report/tables/queue.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"

static const char *const state_names[QUEUE_STATE_COUNT] = {
    [QUEUE_RUNNING] = "running",
    [QUEUE_SUSPENDED] = "suspended",
    [QUEUE_PENDING] = "pending",
};

const char *queue_state_at(size_t index)
{
    return index < QUEUE_STATE_COUNT ? state_names[index] : NULL;
}

/* X: what a row of the relation `queue` (add_queue) can be counted by. */
static const struct {
    const char *id, *label, *sql;
} keys[] = {
    {"user", "User", "\"user\""},
    {"account", "Account", "account"},
    {"group", "Group", "\"group\""},
    {"project", "Project", "project"},
    {"partition", "Partition", "unnest(coalesce(string_split(partition_list, ','), [NULL]))"},
    {"qos", "QOS", "qos"},
    {"cluster", "Cluster", "cluster"},
    {"state", "State", "state_name"},
};

const char *queue_key_at(size_t index)
{
    return index < COUNT_OF(keys) ? keys[index].id : NULL;
}

/*
 * The runs of the moment that pass the filters, each once: its columns, `state` (as in the enum), since,
 * tasks, and what it has or wants in all its tasks.
 */
static int add_queue(const struct queue_question *q, struct buf *sql,
                     struct filter_values *values, struct error *err)
{
    buf_addz(sql, "(SELECT *, CASE state_then");
    for (int state = 0; state < QUEUE_STATE_COUNT; state++) {
        buf_addf(sql, " WHEN %d THEN '%s'", state, state_names[state]);
    }
    buf_addf(sql,
             " END AS state_name FROM (SELECT DISTINCT * EXCLUDE "
             "(\"partition\") FROM (SELECT r.* EXCLUDE (\"partition\"), r.\"partition\" AS "
             "partition_list, unnest(coalesce(string_split(r.\"partition\", ','), [NULL])) AS "
             "\"partition\", r.rowid AS run_row, CASE WHEN start > %" PRId64
             " OR start IS NULL THEN %d WHEN class = 'suspended' AND until = %" PRId64
             " THEN %d ELSE %d END AS state_then, ",
             q->at, QUEUE_PENDING, RUN_GOES_ON, QUEUE_SUSPENDED, QUEUE_RUNNING);
    buf_addf(sql,
             "CASE WHEN start <= %" PRId64 " THEN start ELSE submit END AS since, "
             "coalesce(task_count, 1) AS tasks FROM runs r WHERE (start <= %" PRId64
             " AND until > %" PRId64 ") OR (submit <= %" PRId64 " AND (start > %" PRId64
             " OR (start IS NULL AND (\"end\" > %" PRId64 " OR (\"end\" IS NULL AND until = "
             "%" PRId64 "))))))",
             q->at, q->at, q->at, q->at, q->at, q->at, RUN_GOES_ON);
    buf_addz(sql, " WHERE true");
    int failed = filter_sql(&q->filter, q->zone, q->at, sql, values, err);
    buf_addz(sql, ") WHERE state_then IN (-1");
    for (int state = 0; state < QUEUE_STATE_COUNT; state++) {
        if (q->states[state]) {
            buf_addf(sql, ", %d", state);
        }
    }
    buf_addz(sql, "))");
    return failed;
}

/* What a run has of something, or wants while it waits, in all its tasks. */
static void add_amount(struct buf *sql, const char *has, const char *wants)
{
    buf_addf(sql, "(CASE WHEN state_then = %d THEN coalesce(%s, %s) ELSE %s END * tasks)",
             QUEUE_PENDING, wants, has, has);
}

static const struct {
    const char *id, *label, *has, *wants;
} amounts[] = {
    {"cpus", "CPUs", "cpus", "req_cpus"},
    {"nodes", "Nodes", "node_count", "req_nodes"},
    {"gpus", "GPUs", "gpus", "req_gpus"},
};

static int ask(struct facts *facts, const struct buf *sql, const struct filter_values *values,
               struct table *answer, struct error *err)
{
    return sql->overflow
               ? error_set(err, ERROR_LIMIT, "the question is too large")
               : facts_query(facts, sql->ptr,
                             (struct facts_values){values->values, values->count}, answer, err);
}

static void name_column(struct table *table, size_t c, const char *id, const char *label,
                        enum unit unit)
{
    table->columns[c].id = id;
    table->columns[c].label = label;
    table->columns[c].unit = unit;
    table->columns[c].role = unit == UNIT_NONE ? COLUMN_DIMENSION : COLUMN_MEASURE;
}

/* --- runs --------------------------------------------------------------------------------------- */

#define ID                                                                                     \
    "coalesce(job::VARCHAR, job_key) || coalesce('.' || task, '') || coalesce('+' || het, '')"

/* Columns of the rows for runs; an amount where sql is NULL. */
static const struct {
    const char *id, *label, *sql;
    enum unit unit;
} columns[] = {
    {"state", "State", "state_name", UNIT_NONE},
    {"cluster", "Cluster", "cluster", UNIT_NONE},
    {"id", "Id", ID, UNIT_NONE},
    {"job", "Id", ID " || CASE WHEN tasks > 1 THEN ' x' || tasks ELSE '' END", UNIT_NONE},
    {"user", "User", "\"user\"", UNIT_NONE},
    {"account", "Account", "account", UNIT_NONE},
    {"partition", "Partition", "partition_list", UNIT_NONE},
    {"tasks", "Tasks", "tasks", UNIT_COUNT},
    {"cpus", NULL, NULL, UNIT_COUNT},
    {"nodes", NULL, NULL, UNIT_COUNT},
    {"gpus", NULL, NULL, UNIT_COUNT},
    {"since", "Since", "since", UNIT_INSTANT},
    {"for", "For", NULL, UNIT_SECONDS},
    {"time_limit", "Limit", "req_wall_us", UNIT_SECONDS},
    /* of a run that is over it says why it ended, which nobody knew then */
    {"reason", "Reason", "CASE WHEN \"end\" IS NULL THEN reason END", UNIT_NONE},
};

const char *queue_column_at(size_t index)
{
    return index < COUNT_OF(columns) ? columns[index].id : NULL;
}

static const char *add_column(const struct queue_question *q, size_t column, struct buf *sql)
{
    for (size_t i = 0; !columns[column].sql && i < COUNT_OF(amounts); i++) {
        if (str_eq(str_of(amounts[i].id), str_of(columns[column].id))) {
            add_amount(sql, amounts[i].has, amounts[i].wants);
            return amounts[i].label;
        }
    }
    if (columns[column].sql) {
        buf_addz(sql, columns[column].sql);
    } else {
        buf_addf(sql, "%" PRId64 " - since", q->at);
    }
    return columns[column].label;
}

static int ask_runs(struct facts *facts, const struct queue_question *q, struct table *answer,
                    struct error *err)
{
    const char *labels[QUEUE_COLUMNS_MAX];
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "SELECT ");
    for (size_t i = 0; i < q->column_count; i++) {
        buf_addz(&sql, i ? ", " : "");
        labels[i] = add_column(q, q->columns[i], &sql);
        buf_addf(&sql, " AS c%zu", i);
    }
    buf_addz(&sql, " FROM ");
    int failed = add_queue(q, &sql, values, err);
    buf_addz(&sql, " ORDER BY state_then, since, cluster, job, job_key, task, het");
    if (q->limit > 0) {
        buf_addf(&sql, " LIMIT %" PRId64, q->limit);
    }
    failed = failed ? failed : ask(facts, &sql, values, answer, err);
    for (size_t i = 0; !failed && i < q->column_count; i++) {
        const size_t column = q->columns[i];
        name_column(answer, i, columns[column].id, labels[i], columns[column].unit);
    }
    buf_release(&sql);
    free(values);
    return failed;
}

/* --- counts ------------------------------------------------------------------------------------- */

/* What is counted of the runs of a state; their amounts are unknown where none tells, zero where none is. */
static void add_counts(struct buf *sql, const char *which)
{
    buf_addf(sql, "coalesce(sum(tasks) FILTER (%s), 0)::BIGINT", which);
    for (size_t i = 0; i < COUNT_OF(amounts); i++) {
        if (!str_eq(str_of(amounts[i].id), STR("nodes"))) {
            buf_addf(sql, ", (CASE WHEN count(*) FILTER (%s) = 0 THEN 0 ELSE sum(", which);
            add_amount(sql, amounts[i].has, amounts[i].wants);
            buf_addf(sql, ") FILTER (%s) END)::BIGINT", which);
        }
    }
}

_Static_assert(QUEUE_PENDING == 2, "the conditions below say so");

static const struct {
    const char *which;
    const char *ids[3], *labels[3];
} counted[] = {
    {"state_then = 2",
     {"jobs_pending", "cpus_pending", "gpus_pending"},
     {"Waiting", "CPUs wait", "GPUs wait"}},
    {"state_then <> 2",
     {"jobs_running", "cpus_running", "gpus_running"},
     {"Running", "CPUs run", "GPUs run"}},
};

/* What is counted, behind what it is counted by. */
static void name_counts(struct table *answer, size_t first)
{
    for (size_t i = 0; i < 3 * COUNT_OF(counted); i++) {
        name_column(answer, first + i, counted[i / 3].ids[i % 3], counted[i / 3].labels[i % 3],
                    UNIT_COUNT);
    }
}

static int ask_counts(struct facts *facts, const struct queue_question *q, struct table *answer,
                      struct error *err)
{
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    struct buf sql;
    size_t key = 0;
    while (q->key && !str_eq(str_of(keys[key].id), str_of(q->key))) {
        key++;
    }
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "SELECT ");
    if (q->key) {
        buf_addz(&sql, "k, ");
    }
    for (size_t i = 0; i < COUNT_OF(counted); i++) {
        buf_addz(&sql, i ? ", " : "");
        add_counts(&sql, counted[i].which);
    }
    buf_addf(&sql, " FROM (SELECT *%s%s%s FROM ", q->key ? ", " : "",
             q->key ? keys[key].sql : "", q->key ? " AS k" : "");
    int failed = add_queue(q, &sql, values, err);
    buf_addc(&sql, ')');
    if (q->key) {
        buf_addz(&sql, " GROUP BY k ORDER BY sum(tasks) DESC, k NULLS LAST");
    }
    if (q->key && q->limit > 0) {
        buf_addf(&sql, " LIMIT %" PRId64, q->limit);
    }
    failed = failed ? failed : ask(facts, &sql, values, answer, err);
    if (!failed && q->key) {
        name_column(answer, 0, keys[key].id, keys[key].label, UNIT_NONE);
    }
    if (!failed) {
        name_counts(answer, q->key ? 1 : 0);
    }
    buf_release(&sql);
    free(values);
    return failed;
}

int queue_ask(struct facts *facts, const struct queue_question *question, struct table *answer,
              struct error *err)
{
    return question->key ? ask_counts(facts, question, answer, err)
                         : ask_runs(facts, question, answer, err);
}

int queue_totals(struct facts *facts, const struct queue_question *question,
                 struct table *answer, struct error *err)
{
    if (question->key) {
        struct queue_question all = *question;
        all.key = NULL;
        return ask_counts(facts, &all, answer, err);
    }
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "SELECT state_name, sum(tasks)::BIGINT");
    for (size_t i = 0; i < COUNT_OF(amounts); i++) {
        buf_addz(&sql, ", sum(");
        add_amount(&sql, amounts[i].has, amounts[i].wants);
        buf_addz(&sql, ")::BIGINT");
    }
    buf_addz(&sql, " FROM ");
    int failed = add_queue(question, &sql, values, err);
    buf_addz(&sql, " GROUP BY state_name, state_then ORDER BY state_then");
    failed = failed ? failed : ask(facts, &sql, values, answer, err);
    buf_release(&sql);
    free(values);
    return failed;
}

int queue_clusters(struct facts *facts, int64_t *count, struct error *err)
{
    return facts_number(facts, "SELECT count(DISTINCT cluster) FROM runs",
                        (struct facts_values){0}, count, NULL, err);
}

int queue_stale(struct facts *facts, const struct queue_question *question, int64_t slack,
                int64_t *runs, struct error *err)
{
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "SELECT count(*) FROM ");
    int failed = add_queue(question, &sql, values, err);
    buf_addf(&sql, " WHERE \"end\" IS NULL AND (seen IS NULL OR seen < %" PRId64 ")",
             question->at - slack);
    failed = failed ? failed
                    : facts_number(facts, sql.ptr,
                                   (struct facts_values){values->values, values->count}, runs,
                                   NULL, err);
    buf_release(&sql);
    free(values);
    return failed;
}
