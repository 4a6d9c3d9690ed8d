/* SPDX-License-Identifier: MIT */
#include "facts/changed_runs.h"

#include <inttypes.h>
#include <string.h>

#include "facts/duckdb/statements.h"
#include "facts/statement.h"

enum { IDENTITY = 6, FIELDS = 28 };

/* The identity first; column 0 of a chunk says whether the run is gone. */
const struct changed_columns changed_columns_all = {
    {
        RUN_cluster,      RUN_job,         RUN_job_key,   RUN_task,      RUN_het,
        RUN_attempt,      RUN_user,        RUN_account,   RUN_project,   RUN_partition,
        RUN_qos,          RUN_node,        RUN_cpus,      RUN_mem_bytes, RUN_gpus,
        RUN_gpu_type,     RUN_node_count,  RUN_billing,   RUN_start,     RUN_end,
        RUN_suspended_us, RUN_req_wall_us, RUN_state,     RUN_class,     RUN_until,
        RUN_group,        RUN_energy_mj,   RUN_resources,
    },
    FIELDS};

void changed_columns_drop(struct changed_columns *columns, enum run_field field)
{
    size_t kept = IDENTITY;
    for (size_t i = IDENTITY; i < columns->count; i++) {
        if (columns->fields[i] != field) {
            columns->fields[kept++] = columns->fields[i];
        }
    }
    columns->count = kept;
}

static struct identifier column_identifier(const struct changed_columns *columns, size_t index)
{
    return identifier_of(&run_fields[columns->fields[index]]);
}

/* What stands before WHERE, of runs that are there. */
static void begin_select(struct statement *sql, const struct changed_columns *columns)
{
    statement_init(sql);
    statement_add(sql, "SELECT 0 AS gone");
    for (size_t i = 0; i < columns->count; i++) {
        statement_add(sql, ", r.");
        statement_name(sql, column_identifier(columns, i));
    }
    statement_add(sql, " FROM runs r");
}

static int query_changed_runs(struct facts *facts, struct statement *sql,
                              const struct table_sink *sink, struct error *err)
{
    int failed = statement_query_each(facts, sql, sink, err);
    statement_release(sql);
    return failed;
}

/* --- by the feed -------------------------------------------------------------------------- */

/* Jobs of these numbers, if all that are meant have one. */
struct jobs {
    int64_t count, numbered, first, last;
};

/* Which changes are asked about, and where the runs lie that they are about. */
struct window {
    int64_t after, upto;
    int64_t all;                     /* every batch up to this one; -1: none */
    int64_t batches;                 /* that were added */
    int64_t first_batch, last_batch; /* of these */
    struct jobs single, removed;     /* runs that changed one by one, and those that are gone */
};

/* A number of a row, where it is there, else `otherwise`. */
static int64_t number_at(const struct table *row, size_t column, int64_t otherwise)
{
    return row->columns[column].present[0] ? row->columns[column].cells[0].integer : otherwise;
}

static struct jobs jobs_at(const struct table *row, size_t column)
{
    return (struct jobs){number_at(row, column, 0), number_at(row, column + 1, 0),
                         number_at(row, column + 2, 0), number_at(row, column + 3, 0)};
}

static int read_window(struct facts *facts, struct window *window, struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(window->after), FACTS_INT(window->upto)};
    struct table row = {0};
    int failed = facts_query(facts, SQL_CHANGED_RUNS_WINDOW,
                             (struct facts_values){values, COUNT_OF(values)}, &row, err);
    if (!failed) {
        window->all = number_at(&row, 0, -1);
        window->batches = number_at(&row, 1, 0);
        window->first_batch = number_at(&row, 2, 0);
        window->last_batch = number_at(&row, 3, -1);
        window->single = jobs_at(&row, 4);
        window->removed = jobs_at(&row, 8);
    }
    table_release(&row);
    return failed;
}

/* "(SELECT ... of the changes that are asked about, of these kinds)" */
static void add_changes(struct statement *sql, const char *select, const struct window *window)
{
    statement_expression(sql, (struct expression){select});
    statement_add(sql, " AND seq > %" PRId64 " AND seq <= %" PRId64 ")", window->after,
                  window->upto);
}

static bool reads_batches(const struct window *window)
{
    return window->batches > 0 || window->all >= 0;
}

/*
 * Runs of the batches that are read whole. That these lie between two numbers lets the engine
 * pass over all other rows.
 */
static void add_batches(struct statement *sql, const struct window *window)
{
    statement_add(sql, reads_batches(window) ? "(" : "(false");
    if (window->all >= 0) {
        statement_add(sql, "r.batch <= %" PRId64, window->all);
    }
    if (window->batches > 0) {
        statement_add(sql, window->all >= 0 ? " OR " : "");
        statement_add(sql, "r.batch BETWEEN %" PRId64 " AND %" PRId64, window->first_batch,
                      window->last_batch);
    }
    if (window->batches > 0 && window->batches <= window->last_batch - window->first_batch) {
        statement_add(sql, " AND r.batch IN ");
        add_changes(sql, "(SELECT batch FROM changes WHERE kind = 'added'", window);
    }
    statement_add(sql, ")");
}

static void add_same(struct statement *sql)
{
    statement_add(sql, "c.cluster = r.cluster");
    for (size_t i = 1; i < IDENTITY; i++) {
        statement_add(sql, " AND c.");
        statement_name(sql, column_identifier(&changed_columns_all, i));
        statement_add(sql, " IS NOT DISTINCT FROM r.");
        statement_name(sql, column_identifier(&changed_columns_all, i));
    }
}

static const char SINGLE[] = "(SELECT * FROM changes WHERE kind IN ('replaced', 'ended')";
static const char REMOVED[] = "(SELECT * FROM changes WHERE kind = 'removed'";

/*
 * The few are kept in memory and the many pass by: a join of the engine's choice kept the
 * identity of every run there is.
 */
static void add_few(struct statement *sql, const char *select, const struct window *window,
                    const struct jobs *jobs)
{
    statement_add(sql, " SEMI JOIN ");
    add_changes(sql, select, window);
    statement_add(sql, " c ON ");
    add_same(sql);
    statement_add(sql, " WHERE ");
    if (jobs->numbered == jobs->count) {
        statement_add(sql, "r.job BETWEEN %" PRId64 " AND %" PRId64, jobs->first, jobs->last);
    } else {
        statement_add(sql, "true");
    }
}

/*
 * Which single runs are in no batch that is read anyway. Mostly none is: what takes the place
 * of another run is of a batch, and to look for it among all runs takes longer than all the
 * rest.
 */
static int leave_out_batches(struct facts *facts, struct window *window, struct error *err)
{
    struct statement sql;
    struct table row = {0};
    if (window->after <= 0 || window->all >= 0) { /* every run is read */
        window->single.count = 0;
    }
    if (window->single.count == 0 || !reads_batches(window)) {
        return 0;
    }
    statement_init(&sql);
    statement_add(&sql, "SELECT count(*), count(job), min(job), max(job) FROM ");
    add_changes(&sql, SINGLE, window);
    statement_add(&sql, " c ANTI JOIN (SELECT r.* FROM runs r");
    add_few(&sql, SINGLE, window, &window->single);
    statement_add(&sql, " AND ");
    add_batches(&sql, window);
    statement_add(&sql, ") r ON ");
    add_same(&sql);
    int failed = statement_query(facts, &sql, &row, err);
    if (!failed) {
        window->single = jobs_at(&row, 0);
    }
    statement_release(&sql);
    table_release(&row);
    return failed;
}

/* Single runs that changed where they are: not of a batch that is read anyway. */
static int ask_single(struct facts *facts, const struct window *window,
                      const struct changed_columns *columns, const struct table_sink *sink,
                      struct error *err)
{
    struct statement sql;
    begin_select(&sql, columns);
    add_few(&sql, SINGLE, window, &window->single);
    statement_add(&sql, " AND NOT ");
    add_batches(&sql, window);
    return query_changed_runs(facts, &sql, sink, err);
}

/* Those that are gone: their identity, and nothing else. */
static int ask_removed(struct facts *facts, const struct window *window,
                       const struct changed_columns *columns, const struct table_sink *sink,
                       struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT DISTINCT 1 AS gone");
    for (size_t i = 0; i < columns->count; i++) {
        statement_add(&sql, i < IDENTITY ? ", c." : ", NULL AS ");
        statement_name(&sql, column_identifier(columns, i));
    }
    statement_add(&sql, " FROM ");
    add_changes(&sql, REMOVED, window);
    statement_add(&sql, " c ANTI JOIN (SELECT r.* FROM runs r");
    add_few(&sql, REMOVED, window, &window->removed);
    statement_add(&sql, ") r ON ");
    add_same(&sql);
    return query_changed_runs(facts, &sql, sink, err);
}

int changed_runs_by_feed(struct facts *facts, int64_t after, int64_t upto,
                         const struct changed_columns *columns, const struct table_sink *sink,
                         struct error *err)
{
    struct window window = {.after = after, .upto = upto};
    struct statement sql;
    int failed = read_window(facts, &window, err);
    if (!failed && reads_batches(&window)) {
        begin_select(&sql, columns);
        statement_add(&sql, " WHERE ");
        add_batches(&sql, &window);
        failed = query_changed_runs(facts, &sql, sink, err);
    }
    (void)(failed || (failed = leave_out_batches(facts, &window, err)) ||
           (window.single.count > 0 &&
            (failed = ask_single(facts, &window, columns, sink, err))) ||
           (window.removed.count > 0 &&
            (failed = ask_removed(facts, &window, columns, sink, err))));
    return failed;
}

int changed_runs_of(struct facts *facts, enum run_field field, struct str name, int64_t since,
                    const struct changed_columns *columns, const struct table_sink *sink,
                    struct error *err)
{
    struct statement sql;
    begin_select(&sql, columns);
    statement_add(&sql, " WHERE r.start >= %" PRId64 " AND r.", since);
    statement_name(&sql, identifier_of(&run_fields[field]));
    statement_add(&sql, " = ");
    statement_bind(&sql, FACTS_TEXT(name));
    return query_changed_runs(facts, &sql, sink, err);
}

int changed_runs_of_job(struct facts *facts, int64_t job, const struct table_sink *sink,
                        struct error *err)
{
    struct statement sql;
    begin_select(&sql, &changed_columns_all);
    statement_add(&sql, " WHERE r.job = %" PRId64 " ORDER BY r.cluster, r.task, r.attempt",
                  job);
    return query_changed_runs(facts, &sql, sink, err);
}

int changed_runs_since(struct facts *facts, int64_t since,
                       const struct changed_columns *columns, const struct table_sink *sink,
                       struct error *err)
{
    struct statement sql;
    begin_select(&sql, columns);
    statement_add(&sql, " WHERE r.start >= %" PRId64, since);
    return query_changed_runs(facts, &sql, sink, err);
}

bool changed_runs_read(const struct changed_columns *columns, const struct table *chunk,
                       size_t row, struct run *out)
{
    memset(out->has, 0, sizeof(out->has));
    for (size_t i = 0; i < columns->count; i++) {
        const struct column *column = &chunk->columns[i + 1];
        const enum run_field which = columns->fields[i];
        const struct field *field = &run_fields[which];
        if (!column->present[row]) {
            continue;
        }
        char *member = (char *)out + field->offset;
        if (field->type == FIELD_TEXT) {
            memcpy(member, &column->cells[row].text, sizeof(struct str));
        } else {
            memcpy(member, &column->cells[row].integer, sizeof(int64_t));
        }
        out->has[(unsigned)which / 64] |= UINT64_C(1) << (unsigned)which % 64;
    }
    const struct column *gone = &chunk->columns[0];
    return gone->cells[row].integer == 0;
}
