/* SPDX-License-Identifier: MIT */
#include "report/tables/waits.h"

#include <inttypes.h>

#include "facts/inventory.h"
#include "facts/statement.h"

/* A job may start a little later than foretold and be on time: the scheduler counts in minutes. */
#define ON_TIME_US (60 * SECOND_US)

static const struct {
    const char *id, *label;
    struct identifier column;
    bool of_runs; /* runs have it, too */
} keys[] = {
    {"reason", "Reason", {"reason"}, false},
    {"cluster", "Cluster", {"cluster"}, true},
    {"partition", "Partition", {"partition"}, true},
    {"qos", "QOS", {"qos"}, true},
    {"user", "User", {"user"}, true},
    {"group", "Group", {"group"}, true},
    {"account", "Account", {"account"}, true},
};

const char *waits_key_at(size_t index)
{
    return index < COUNT_OF(keys) ? keys[index].id : NULL;
}

static size_t key_of(const char *id)
{
    size_t key = 0;
    while (!str_eq(str_of(keys[key].id), str_of(id))) {
        key++;
    }
    return key;
}

/* Columns of an answer behind its keys. */
struct measured {
    const char *id, *label;
    enum unit unit;
};

/* Names the columns: those of the keys, of which `of_runs` leaves out the reason, then the others. */
static void name_columns(const struct waits_question *q, bool of_runs,
                         const struct measured *columns, struct table *out)
{
    size_t at = 0;
    for (size_t i = 0; i < q->key_count; i++) {
        const size_t key = key_of(q->keys[i]);
        if (!of_runs || keys[key].of_runs) {
            out->columns[at].id = keys[key].id;
            out->columns[at].label = keys[key].label;
            out->columns[at++].role = COLUMN_DIMENSION;
        }
    }
    for (size_t i = 0; at < out->column_count; i++, at++) {
        out->columns[at].id = columns[i].id;
        out->columns[at].label = columns[i].label;
        out->columns[at].unit = columns[i].unit;
        out->columns[at].role = COLUMN_MEASURE;
    }
}

/* --- by cause ----------------------------------------------------------------------------------- */

/* The stretches as far as they lie in the period, from s to e. */
static void add_clipped(const struct waits_question *q, struct statement *sql)
{
    statement_add(sql,
                  "(SELECT w.*, greatest(w.\"from\", %" PRId64 ") AS s, least(CASE WHEN "
                  "w.\"until\" = %" PRId64 " THEN coalesce(m.seen_to, %" PRId64
                  ") ELSE w.\"until\" END, %" PRId64
                  ") AS e FROM waits w LEFT JOIN marks m ON m.cluster = w.cluster AND m.what "
                  "= 'queue' WHERE w.\"from\" < %" PRId64 " AND w.\"until\" > %" PRId64 ")",
                  q->period.from, STRETCH_NOT_ENDED, q->now, q->period.to, q->period.to,
                  q->period.from);
}

int waits_ask(struct facts *facts, const struct waits_question *question, struct table *out,
              struct error *err)
{
    static const struct measured columns[] = {{"jobs", "Jobs", UNIT_COUNT},
                                              {"waited", "Waited h", UNIT_HOURS},
                                              {"share", "Share", UNIT_RATIO},
                                              {"longest", "Longest", UNIT_SECONDS}};
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT ");
    for (size_t i = 0; i < question->key_count; i++) {
        statement_add(&sql, "k%zu, ", i);
    }
    statement_add(&sql, "@long(sum(tasks)), @wide(sum(waited)) AS all_waited, "
                        "@real(sum(waited)) / nullif(sum(@real(sum(waited))) OVER (), 0), "
                        "@long(max(longest)) FROM (SELECT ");
    for (size_t i = 0; i < question->key_count; i++) {
        statement_name(&sql, keys[key_of(question->keys[i])].column);
        statement_add(&sql, " AS k%zu, ", i);
    }
    statement_add(&sql,
                  "cluster AS c, job AS j, job_key AS jk, task AS t, het AS h, attempt AS a, "
                  "max(tasks) AS tasks, sum(@wide(tasks) * (e - s)) AS waited, max(e - s) AS "
                  "longest FROM ");
    add_clipped(question, &sql);
    statement_add(&sql,
                  " WHERE e >= s"); /* one that was just seen has waited for nothing yet */
    filter_sql(&question->filter, question->zone, question->now, &sql);
    statement_add(&sql, " GROUP BY ALL) GROUP BY ALL ORDER BY all_waited DESC");
    for (size_t i = 0; i < question->key_count; i++) {
        statement_add(&sql, ", k%zu NULLS LAST", i);
    }
    int failed = statement_query(facts, &sql, out, err);
    if (!failed) {
        name_columns(question, false, columns, out);
    }
    statement_release(&sql);
    return failed;
}

/* --- what was foretold -------------------------------------------------------------------------- */

int waits_estimates(struct facts *facts, const struct waits_question *question,
                    struct table *out, struct error *err)
{
    static const struct measured columns[] = {{"jobs", "Jobs", UNIT_COUNT},
                                              {"on_time", "On time", UNIT_RATIO},
                                              {"late_median", "Late median", UNIT_SECONDS},
                                              {"late_p90", "Late p90", UNIT_SECONDS},
                                              {"ahead", "Ahead", UNIT_SECONDS}};
    struct statement sql;
    size_t count = 0;
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
    for (size_t i = 0; i < question->key_count; i++) {
        const size_t key = key_of(question->keys[i]);
        if (keys[key].of_runs) {
            statement_name(&sql, keys[key].column);
            statement_add(&sql, " AS k%zu, ", count++);
        }
    }
    statement_add(&sql,
                  "@long(count(*)) AS n, avg(CASE WHEN start <= expected + %" PRId64
                  " THEN 1.0 ELSE 0.0 END), @quantile(start - expected, 0.5), @quantile(start "
                  "- expected, 0.9), @quantile(expected - said, 0.5) FROM met WHERE true",
                  ON_TIME_US);
    filter_sql(&question->filter, question->zone, question->now, &sql);
    statement_add(&sql, count > 0 ? " GROUP BY ALL ORDER BY n DESC" : " HAVING count(*) > 0");
    for (size_t i = 0; i < count; i++) {
        statement_add(&sql, ", k%zu NULLS LAST", i);
    }
    int failed = statement_query(facts, &sql, out, err);
    if (!failed) {
        name_columns(question, true, columns, out);
    }
    statement_release(&sql);
    return failed;
}

/* --- of one run ---------------------------------------------------------------------------------- */

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

int waits_of_run(struct facts *facts, const struct waits_run *run, struct table *out,
                 struct error *err)
{
    static const struct measured columns[WAITS_COLUMNS] = {
        [WAITS_FROM] = {"from", "From", UNIT_INSTANT},
        [WAITS_UNTIL] = {"until", "Until", UNIT_INSTANT},
        [WAITS_REASON] = {"reason", "Reason", UNIT_NONE},
        [WAITS_PRIORITY_FIRST] = {"priority_first", "Priority", UNIT_NONE},
        [WAITS_PRIORITY_LAST] = {"priority_last", "Priority last", UNIT_NONE},
        [WAITS_EXPECTED_FIRST] = {"expected_first", "Expected", UNIT_INSTANT},
        [WAITS_EXPECTED_AT] = {"expected_at", "Said", UNIT_INSTANT},
        [WAITS_EXPECTED_LAST] = {"expected_last", "Expected last", UNIT_INSTANT},
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
        name_columns(&(struct waits_question){0}, false, columns, out);
    }
    statement_release(&sql);
    return failed;
}
