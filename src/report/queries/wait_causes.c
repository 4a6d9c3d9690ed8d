/* SPDX-License-Identifier: MIT */
#include "report/queries/wait_causes.h"

#include <inttypes.h>

#include "facts/everyone.h"
#include "facts/inventory.h"
#include "facts/statement.h"
#include "report/queries/row_keys.h"

/*
 * A job may start a little later than foretold and be on time: the scheduler counts in minutes.
 */
#define ON_TIME_US (60 * SECOND_US)

#define REASON "reason"

static const struct key keys[] = {
    {REASON, "Reason", {"reason"}, true, false},
    {"cluster", "Cluster", {"cluster"}, true, false},
    {"partition", "Partition", {"\"partition\""}, true, true},
    {"qos", "QOS", {"qos"}, false, false},
    {"user", "User", {"\"user\""}, false, false},
    {"group", "Group", {"\"group\""}, false, false},
    {"account", "Account", {"account"}, false, false},
};

const char *wait_causes_key_at(size_t index)
{
    return index < COUNT_OF(keys) ? keys[index].id : NULL;
}

void wait_causes_by_cluster(struct wait_causes_question *question)
{
    keys_by_cluster(keys, question->keys, &question->key_count);
}

/* Columns of an answer behind its keys. */
struct measured {
    const char *id, *label;
    enum unit unit;
};

static void name_measured(const struct measured *columns, size_t first, struct table *out)
{
    for (size_t c = first; c < out->column_count; c++) {
        const struct measured *column = &columns[c - first];
        keys_name_column(out, c, column->id, column->label, column->unit);
    }
}

/* --- by cause ----------------------------------------------------------------------------- */

/* Whether sums by these keys and filters name nobody. */
static bool names_nobody(const struct wait_causes_question *q)
{
    bool nobody = true;
    for (size_t i = 0; i < q->key_count; i++) {
        nobody = nobody && key_find(keys, q->keys[i])->of_anybody;
    }
    for (size_t i = 0; i < q->filter.count; i++) {
        const struct field *field = q->filter.conditions[i].field;
        nobody = nobody &&
                 (field == &run_fields[RUN_cluster] || field == &run_fields[RUN_partition]);
    }
    return nobody;
}

bool wait_causes_is_everyones(const struct facts *facts,
                              const struct wait_causes_question *question)
{
    return names_nobody(question) && everyone_is_whole(facts);
}

/* The stretches as far as they lie in the period, from s to e. */
static void add_clipped(const struct wait_causes_question *q, struct identifier waits,
                        struct statement *sql)
{
    statement_add(sql,
                  "(SELECT w.*, greatest(w.\"from\", %" PRId64 ") AS s, least(CASE WHEN "
                  "w.\"until\" = %" PRId64 " THEN coalesce(m.seen_to, %" PRId64
                  ") ELSE w.\"until\" END, %" PRId64 ") AS e FROM ",
                  q->period.from, STRETCH_NOT_ENDED, q->now, q->period.to);
    statement_name(sql, waits);
    statement_add(sql,
                  " w LEFT JOIN (SELECT cluster, max(seen_to) AS seen_to FROM marks WHERE "
                  "what IN ('queue', 'waits') GROUP BY cluster) m ON m.cluster = w.cluster "
                  "WHERE w.\"from\" < %" PRId64 " AND w.\"until\" > %" PRId64 ")",
                  q->period.to, q->period.from);
}

int wait_causes_ask(struct facts *facts, const struct wait_causes_question *question,
                    struct table *out, struct error *err)
{
    static const struct measured columns[] = {{"jobs", "Jobs", UNIT_COUNT},
                                              {"waited", "Waited h", UNIT_HOURS},
                                              {"share", "Share", UNIT_RATIO},
                                              {"longest", "Longest", UNIT_SECONDS}};
    const bool nobody = names_nobody(question);
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT ");
    keys_add(&sql, question->key_count);
    statement_add(&sql, "@long(sum(tasks)), @wide(sum(waited)) AS all_waited, "
                        "@real(sum(waited)) / nullif(sum(@real(sum(waited))) OVER (), 0), "
                        "@long(max(longest)) FROM (SELECT ");
    keys_add_each(&sql, keys, question->keys, question->key_count);
    statement_add(&sql, "cluster AS c, ");
    statement_expression(&sql, nobody ? everyone_job(facts)
                                      : EXPRESSION("(job_key, job, task, het, attempt)"));
    statement_add(&sql, " AS one, max(tasks) AS tasks, sum(@wide(tasks) * (e - s)) AS waited, "
                        "max(e - s) AS longest FROM ");
    add_clipped(question, nobody ? everyone_waits(facts) : IDENTIFIER("waits"), &sql);
    statement_add(&sql, " WHERE e >= s"); /* one that was just seen has not waited yet */
    filter_sql(&question->filter, question->zone, question->now, &sql);
    statement_add(&sql, " GROUP BY ALL) GROUP BY ALL ORDER BY all_waited DESC");
    keys_add_order(&sql, question->key_count);
    int failed = statement_query(facts, &sql, out, err);
    if (!failed) {
        keys_name(out, keys, question->keys, question->key_count);
        name_measured(columns, question->key_count, out);
    }
    statement_release(&sql);
    return failed;
}

/* --- what was foretold -------------------------------------------------------------------- */

int wait_causes_estimates(struct facts *facts, const struct wait_causes_question *question,
                          struct table *out, struct error *err)
{
    static const struct measured columns[] = {{"jobs", "Jobs", UNIT_COUNT},
                                              {"on_time", "On time", UNIT_RATIO},
                                              {"late_median", "Late median", UNIT_SECONDS},
                                              {"late_p90", "Late p90", UNIT_SECONDS},
                                              {"ahead", "Ahead", UNIT_SECONDS}};
    const char *ids[WAIT_CAUSES_KEYS_MAX + 1];
    struct statement sql;
    size_t count = 0;
    for (size_t i = 0; i < question->key_count; i++) { /* runs that started have no reason */
        ids[count] = question->keys[i];
        count += !str_eq(str_of(ids[count]), STR(REASON));
    }
    statement_init(&sql);
    statement_add(&sql,
                  "WITH foretold AS (SELECT cluster AS c, job AS j, job_key AS jk, task AS t, "
                  "het AS h, submit AS sub, @latest(expected_first, -expected_at) AS expected, "
                  "min(expected_at) AS said FROM waits WHERE expected_first IS NOT NULL AND "
                  "tasks = 1 GROUP BY ALL), met AS (SELECT r.*, expected, said FROM foretold f "
                  "JOIN runs r ON r.cluster = f.c AND @same(r.job, f.j) AND @same(r.job_key, "
                  "f.jk) AND @same(r.task, f.t) AND @same(r.het, f.h) AND r.submit = f.sub "
                  "WHERE r.start >= %" PRId64 " AND r.start < %" PRId64
                  " AND r.start >= said) SELECT ",
                  question->period.from, question->period.to);
    keys_add_each(&sql, keys, ids, count);
    statement_add(&sql,
                  "@long(count(*)) AS n, avg(CASE WHEN start <= expected + %" PRId64
                  " THEN 1.0 ELSE 0.0 END), @quantile(start - expected, 0.5), @quantile(start "
                  "- expected, 0.9), @quantile(expected - said, 0.5) FROM met WHERE true",
                  ON_TIME_US);
    filter_sql(&question->filter, question->zone, question->now, &sql);
    statement_add(&sql, count > 0 ? " GROUP BY ALL ORDER BY n DESC" : " HAVING count(*) > 0");
    keys_add_order(&sql, count);
    int failed = statement_query(facts, &sql, out, err);
    if (!failed) {
        keys_name(out, keys, ids, count);
        name_measured(columns, count, out);
    }
    statement_release(&sql);
    return failed;
}

/* --- one by one --------------------------------------------------------------------------- */

int wait_causes_periods(struct facts *facts, const struct wait_causes_question *question,
                        struct table *out, struct error *err)
{
    static const struct measured columns[] = {
        {"cluster", "Cluster", UNIT_NONE},
        {"job", "Job", UNIT_NONE},
        {"task", "Task", UNIT_NONE},
        {"het", "Het", UNIT_NONE},
        {"user", "User", UNIT_NONE},
        {"group", "Group", UNIT_NONE},
        {"account", "Account", UNIT_NONE},
        {"partition", "Partition", UNIT_NONE},
        {"qos", "QOS", UNIT_NONE},
        {"submit", "Submit", UNIT_INSTANT},
        {"tasks", "Tasks", UNIT_COUNT},
        {"from", "From", UNIT_INSTANT},
        {"until", "Until", UNIT_INSTANT},
        {"reason", "Reason", UNIT_NONE},
        {"priority_first", "Priority", UNIT_NONE},
        {"priority_last", "Priority last", UNIT_NONE},
        {"expected_first", "Expected", UNIT_INSTANT},
        {"expected_at", "Said", UNIT_INSTANT},
        {"expected_last", "Expected last", UNIT_INSTANT},
    };
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "SELECT cluster, coalesce(@text(job), job_key), task, het, \"user\", "
                  "\"group\", account, \"partition\", qos, submit, tasks, \"from\", "
                  "nullif(\"until\", %" PRId64
                  "), reason, priority_first, priority_last, expected_first, expected_at, "
                  "expected_last FROM waits WHERE \"from\" < %" PRId64
                  " AND \"until\" > %" PRId64,
                  STRETCH_NOT_ENDED, question->period.to, question->period.from);
    filter_sql(&question->filter, question->zone, question->now, &sql);
    statement_add(&sql, " ORDER BY \"from\", cluster, job, job_key, task, het");
    int failed = statement_query(facts, &sql, out, err);
    if (!failed) {
        name_measured(columns, 0, out);
    }
    statement_release(&sql);
    return failed;
}

/* --- of one run --------------------------------------------------------------------------- */

static void add_number(struct statement *sql, const char *which, int64_t number)
{
    statement_add(sql, " AND ");
    statement_name(sql, (struct identifier){which});
    if (number < 0) {
        statement_add(sql, " IS NULL");
    } else {
        statement_add(sql, " = %" PRId64, number);
    }
}

int wait_causes_of_run(struct facts *facts, const struct wait_causes_run *run,
                       struct table *out, struct error *err)
{
    static const struct measured columns[WAIT_CAUSES_COLUMNS] = {
        [WAIT_CAUSES_FROM] = {"from", "From", UNIT_INSTANT},
        [WAIT_CAUSES_UNTIL] = {"until", "Until", UNIT_INSTANT},
        [WAIT_CAUSES_REASON] = {"reason", "Reason", UNIT_NONE},
        [WAIT_CAUSES_PRIORITY_FIRST] = {"priority_first", "Priority", UNIT_NONE},
        [WAIT_CAUSES_PRIORITY_LAST] = {"priority_last", "Priority last", UNIT_NONE},
        [WAIT_CAUSES_EXPECTED_FIRST] = {"expected_first", "Expected", UNIT_INSTANT},
        [WAIT_CAUSES_EXPECTED_AT] = {"expected_at", "Said", UNIT_INSTANT},
        [WAIT_CAUSES_EXPECTED_LAST] = {"expected_last", "Expected last", UNIT_INSTANT},
    };
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "SELECT greatest(\"from\", %" PRId64 ") AS s, least(\"until\", %" PRId64
                  ") AS e, reason, priority_first, priority_last, expected_first, expected_at, "
                  "expected_last FROM waits WHERE cluster = ",
                  run->submit, run->until);
    statement_bind(&sql, FACTS_TEXT(run->cluster));
    add_number(&sql, "job", run->job);
    add_number(&sql, "het", run->het);
    if (run->job_key.ptr) {
        statement_add(&sql, " AND job_key = ");
        statement_bind(&sql, FACTS_TEXT(run->job_key));
    }
    /* a task waits with the others of its array until it is its turn */
    statement_add(&sql, " AND (task IS NULL OR task = %" PRId64 ")", run->task);
    statement_add(&sql, " AND \"from\" < %" PRId64 " AND \"until\" > %" PRId64 " ORDER BY s, e",
                  run->until, run->submit);
    int failed = statement_query(facts, &sql, out, err);
    if (!failed) {
        name_measured(columns, 0, out);
    }
    statement_release(&sql);
    return failed;
}
