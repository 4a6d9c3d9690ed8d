/* SPDX-License-Identifier: MIT */
#include "facts/changed_runs.h"

#include <inttypes.h>
#include <string.h>

#include "facts/duckdb/statements.h"
#include "facts/statement.h"

/* The fields that are read, the identity first; column 0 of a chunk says whether the run is gone. */
static const enum run_field columns[] = {
    RUN_cluster, RUN_job,       RUN_job_key,      RUN_task,        RUN_het,        RUN_attempt,
    RUN_user,    RUN_account,   RUN_project,      RUN_partition,   RUN_qos,        RUN_node,
    RUN_cpus,    RUN_mem_bytes, RUN_gpus,         RUN_gpu_type,    RUN_node_count, RUN_billing,
    RUN_start,   RUN_end,       RUN_suspended_us, RUN_req_wall_us, RUN_state,      RUN_class,
    RUN_seen,    RUN_until,
};

enum { IDENTITY = 6 };

static void add_columns(struct statement *sql, const char *gone)
{
    statement_expression(sql, (struct expression){gone});
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        statement_add(sql, ", r.");
        statement_name(sql, identifier_of(&run_fields[columns[i]]));
    }
}

/* What stands before WHERE, of runs that are there. */
static void begin(struct statement *sql)
{
    statement_init(sql);
    statement_add(sql, "SELECT ");
    add_columns(sql, "0 AS gone");
    statement_add(sql, " FROM runs r");
}

static int ask(struct facts *facts, struct statement *sql, const struct table_sink *sink,
               struct error *err)
{
    int failed = statement_query_each(facts, sql, sink, err);
    statement_release(sql);
    return failed;
}

/* "(SELECT ... of the changes that are asked about, of these kinds)" */
static void add_changes(struct statement *sql, const char *select, int64_t after, int64_t upto)
{
    statement_expression(sql, (struct expression){select});
    statement_add(sql, " AND seq > %" PRId64 " AND seq <= %" PRId64 ")", after, upto);
}

static void add_batches(struct statement *sql, int64_t after, int64_t upto)
{
    statement_add(sql, "(r.batch IN ");
    add_changes(sql, "(SELECT batch FROM changes WHERE kind = 'added'", after, upto);
    statement_add(sql, " OR r.batch <= ");
    add_changes(sql, "(SELECT coalesce(max(batch), -1) FROM changes WHERE kind = 'all'", after,
                upto);
    statement_add(sql, ")");
}

static void add_same(struct statement *sql)
{
    statement_add(sql, "c.cluster = r.cluster");
    for (size_t i = 1; i < IDENTITY; i++) {
        statement_add(sql, " AND c.");
        statement_name(sql, identifier_of(&run_fields[columns[i]]));
        statement_add(sql, " IS NOT DISTINCT FROM r.");
        statement_name(sql, identifier_of(&run_fields[columns[i]]));
    }
}

/* Single runs that changed where they are: not of a batch that is read anyway. */
static int ask_single(struct facts *facts, int64_t after, int64_t upto,
                      const struct table_sink *sink, struct error *err)
{
    struct statement sql;
    begin(&sql);
    statement_add(&sql, " WHERE NOT ");
    add_batches(&sql, after, upto);
    statement_add(&sql, " AND EXISTS (SELECT 1 FROM ");
    add_changes(&sql, "(SELECT * FROM changes WHERE kind IN ('replaced', 'ended')", after,
                upto);
    statement_add(&sql, " c WHERE ");
    add_same(&sql);
    statement_add(&sql, ")");
    return ask(facts, &sql, sink, err);
}

/* Those that are gone: their identity, and nothing else. */
static int ask_removed(struct facts *facts, int64_t after, int64_t upto,
                       const struct table_sink *sink, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT DISTINCT 1 AS gone");
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        statement_add(&sql, i < IDENTITY ? ", c." : ", NULL AS ");
        statement_name(&sql, identifier_of(&run_fields[columns[i]]));
    }
    statement_add(&sql, " FROM ");
    add_changes(&sql, "(SELECT * FROM changes WHERE kind = 'removed'", after, upto);
    statement_add(&sql, " c WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE ");
    add_same(&sql);
    statement_add(&sql, ")");
    int failed = statement_query_each(facts, &sql, sink, err);
    statement_release(&sql);
    return failed;
}

static int count_single(struct facts *facts, int64_t after, int64_t upto, int64_t *count,
                        struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(after), FACTS_INT(upto)};
    return facts_number(facts, SQL_CHANGED_RUNS_COUNT_SINGLE,
                        (struct facts_values){values, COUNT_OF(values)}, count, NULL, err);
}

int changed_runs_by_feed(struct facts *facts, int64_t after, int64_t upto,
                         const struct table_sink *sink, struct error *err)
{
    struct statement sql;
    int64_t single = 0;
    begin(&sql);
    statement_add(&sql, " WHERE ");
    add_batches(&sql, after, upto);
    int failed = ask(facts, &sql, sink, err);
    (void)(failed || (failed = count_single(facts, after, upto, &single, err)) || single == 0 ||
           (failed = ask_single(facts, after, upto, sink, err)) ||
           (failed = ask_removed(facts, after, upto, sink, err)));
    return failed;
}

int changed_runs_of(struct facts *facts, enum run_field field, struct str name, int64_t since,
                    const struct table_sink *sink, struct error *err)
{
    struct statement sql;
    begin(&sql);
    statement_add(&sql, " WHERE r.start >= %" PRId64 " AND r.", since);
    statement_name(&sql, identifier_of(&run_fields[field]));
    statement_add(&sql, " = ");
    statement_bind(&sql, FACTS_TEXT(name));
    return ask(facts, &sql, sink, err);
}

int changed_runs_of_job(struct facts *facts, int64_t job, const struct table_sink *sink,
                        struct error *err)
{
    struct statement sql;
    begin(&sql);
    statement_add(&sql, " WHERE r.job = %" PRId64 " ORDER BY r.cluster, r.task, r.attempt",
                  job);
    return ask(facts, &sql, sink, err);
}

int changed_runs_since(struct facts *facts, int64_t since, const struct table_sink *sink,
                       struct error *err)
{
    struct statement sql;
    begin(&sql);
    statement_add(&sql, " WHERE r.start >= %" PRId64, since);
    return ask(facts, &sql, sink, err);
}

bool changed_runs_read(const struct table *chunk, size_t row, struct run *out)
{
    memset(out->has, 0, sizeof(out->has));
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        const struct column *column = &chunk->columns[i + 1];
        const struct field *field = &run_fields[columns[i]];
        if (!column->present[row]) {
            continue;
        }
        char *member = (char *)out + field->offset;
        if (field->type == FIELD_TEXT) {
            memcpy(member, &column->cells[row].text, sizeof(struct str));
        } else {
            memcpy(member, &column->cells[row].integer, sizeof(int64_t));
        }
        out->has[(unsigned)columns[i] / 64] |= UINT64_C(1) << (unsigned)columns[i] % 64;
    }
    const struct column *gone = &chunk->columns[0];
    return gone->cells[row].integer == 0;
}
