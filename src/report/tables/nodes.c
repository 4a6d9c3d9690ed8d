/* SPDX-License-Identifier: MIT */

/*
 * What runs held is spread over their nodes here, a row for each run and node, and loaded into a
 * temporary table that the statement joins with: names are lists like c[1-3], which the engine does not
 * know.
 */

#include "report/tables/nodes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hostlist.h"
#include "base/limit.h"
#include "base/mem.h"
#include "facts/inventory.h"

#define HELD "held"

/* X(id, type, unit, label, doc, sql): what is worked out beside the fields of a node. */
#define WORKED_OUT(X)                                                                          \
    X("cluster", TEXT, NONE, "Cluster", "cluster it is in", "cluster")                         \
    X("since", INT, INSTANT, "Since", "first sighting that showed it so", "\"from\"")          \
    X("for", INT, SECONDS, "For", "how long that was so", "moment - \"from\"")                 \
    X("until", INT, INSTANT, "Until", "sighting that showed it otherwise; absent: still so",   \
      "stretch_end")                                                                           \
    X("age", INT, SECONDS, "Seen ago", "how old the last sighting was", "age")                 \
    X("jobs", INT, COUNT, "Jobs", "runs on it", "coalesce(jobs, 0)")                           \
    X("cpus_used", INT, COUNT, "Used", "cpus that runs held of it",                            \
      "CASE WHEN jobs IS NULL THEN 0 ELSE cpus_held END")                                      \
    X("gpus_used", INT, COUNT, "GPUs used", "GPUs that runs held of it",                       \
      "CASE WHEN jobs IS NULL THEN 0 ELSE gpus_held END")

static const struct thing_field worked_out[] = {
#define X(id, type, unit, label, doc, sql) {sql, id, label, doc, FIELD_##type, UNIT_##unit},
    WORKED_OUT(X)
#undef X
};

const struct thing_field *nodes_column_at(size_t index)
{
    const struct thing_description *node = &thing_kinds[THING_NODE];
    if (index < node->field_count) {
        return &node->fields[index];
    }
    index -= node->field_count;
    return index < COUNT_OF(worked_out) ? &worked_out[index] : NULL;
}

const struct thing_field *nodes_column_find(struct str id)
{
    const struct thing_field *field;
    for (size_t i = 0; (field = nodes_column_at(i)) != NULL; i++) {
        if (str_eq(id, str_of(field->id))) {
            return field;
        }
    }
    return NULL;
}

static const struct {
    const char *id, *label;
    const char *sql;
} keys[] = {
    {"cluster", "Cluster", "cluster"},
    {"partition", "Partition", "unnest(coalesce(string_split(partitions, ','), [NULL]))"},
    {"class", "Class", "class"},
    {"state", "State", "state"},
    {"gpu_type", "GPU type", "gpu_type"},
    {"cpus", "CPUs", "cpus::VARCHAR"},
};

const char *nodes_key_at(size_t index)
{
    return index < COUNT_OF(keys) ? keys[index].id : NULL;
}

static bool is_worked_out(const struct thing_field *field)
{
    return field >= worked_out && field < worked_out + COUNT_OF(worked_out);
}

static void add_column(struct buf *sql, const struct thing_field *field)
{
    buf_addf(sql, is_worked_out(field) ? "%s" : "\"%s\"", field->member);
}

/* --- what runs held ----------------------------------------------------------------------------- */

enum { HELD_COLUMNS = 4 };

struct held {
    struct arena arena;
    struct facts_value *values;
    size_t count, room;
};

static void hold(struct held *held, struct str cluster, struct str node,
                 struct facts_value cpus, struct facts_value gpus)
{
    if (held->count + HELD_COLUMNS > held->room) {
        held->room = held->room ? 2 * held->room : 1024;
        held->values = mem_resize(held->values, held->room, sizeof(*held->values));
    }
    held->values[held->count++] = FACTS_TEXT(cluster);
    held->values[held->count++] = FACTS_TEXT(node);
    held->values[held->count++] = cpus;
    held->values[held->count++] = gpus;
}

/* An even share of what a run has in all. */
static struct facts_value share_of(const struct table *runs, size_t column, size_t row,
                                   size_t nodes)
{
    if (!table_has(runs, column, row)) {
        return FACTS_NULL;
    }
    const double all = table_real(runs, column, row);
    return (struct facts_value){.type = VALUE_REAL, .real = all / (double)nodes};
}

/* Columns of the runs that are asked for. */
enum { RUN_OF_CLUSTER, RUN_OF_NODES, RUN_OF_NODE, RUN_OF_COUNT, RUN_OF_CPUS, RUN_OF_GPUS };

/* Puts a run on its nodes; false: nobody can say where it ran. */
static bool place_run(struct held *held, const struct table *runs, size_t row, bool *split)
{
    struct hostlist list = {0};
    const struct str cluster = runs->columns[RUN_OF_CLUSTER].cells[row].text;
    struct str node = runs->columns[RUN_OF_NODE].cells[row].text;
    const bool alone = table_has(runs, RUN_OF_NODE, row) &&
                       table_has(runs, RUN_OF_COUNT, row) &&
                       table_wide(runs, RUN_OF_COUNT, row) == 1;
    if (table_has(runs, RUN_OF_NODES, row) &&
        hostlist_read(runs->columns[RUN_OF_NODES].cells[row].text, &held->arena, &list)) {
        *split = list.count > 1;
    } else if (alone) {
        list = (struct hostlist){&node, 1};
    }
    for (size_t i = 0; i < list.count; i++) {
        hold(held, cluster, list.names[i], share_of(runs, RUN_OF_CPUS, row, list.count),
             share_of(runs, RUN_OF_GPUS, row, list.count));
    }
    return list.count > 0;
}

/* The moment at which a cluster is looked at: an expression in rows that have seen_to. */
static void add_moment(struct buf *sql, const struct nodes_question *q)
{
    if (q->at < 0) {
        buf_addz(sql, "seen_to");
    } else {
        buf_addf(sql, "%" PRId64, q->at);
    }
}

static int ask_runs(struct facts *facts, const struct nodes_question *q, struct table *runs,
                    struct error *err)
{
    int64_t first = q->at;
    int failed = q->at >= 0
                     ? 0
                     : facts_number(facts, "SELECT min(seen_to) FROM marks WHERE what = 'node'",
                                    (struct facts_values){0}, &first, NULL, err);
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql,
             "SELECT r.cluster, r.nodes, r.node, r.node_count, r.cpus, r.gpus FROM runs r "
             "JOIN marks m ON m.cluster = r.cluster AND m.what = 'node' WHERE r.start <= ");
    add_moment(&sql, q);
    buf_addz(&sql, " AND r.until > ");
    add_moment(&sql, q);
    /* a plain number too, for the engine to skip by */
    buf_addf(&sql, " AND r.until > %" PRId64, first);
    failed = failed ? failed : facts_query(facts, sql.ptr, (struct facts_values){0}, runs, err);
    buf_release(&sql);
    return failed;
}

static int load_held(struct facts *facts, const struct nodes_question *q,
                     struct nodes_notes *notes, struct error *err)
{
    struct table runs = {0};
    struct held held = {0};
    int failed = ask_runs(facts, q, &runs, err);
    for (size_t row = 0; !failed && row < runs.row_count; row++) {
        bool split = false;
        notes->unreadable += !place_run(&held, &runs, row, &split);
        notes->split += split;
    }
    if (!failed) {
        failed = facts_load_values(
            facts, HELD, "cluster VARCHAR, node VARCHAR, cpus DOUBLE, gpus DOUBLE",
            HELD_COLUMNS, (struct facts_values){held.values, held.count}, err);
    }
    free(held.values);
    arena_release(&held.arena);
    table_release(&runs);
    return failed;
}

/* --- nodes -------------------------------------------------------------------------------------- */

/* What is held of a node is whole where no run was split; a run that does not tell leaves it unknown. */
static void add_held(struct buf *sql, const struct nodes_notes *notes)
{
    static const char *const columns[] = {"cpus", "gpus"};
    buf_addz(sql, " LEFT JOIN (SELECT cluster, node, count(*) AS jobs");
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        buf_addf(sql, ", %ssum(%s)%s%s AS %s_held",
                 i ? "" : "CASE WHEN count(cpus) = count(*) THEN ", columns[i],
                 notes->split ? "" : "::BIGINT", i ? "" : " END", columns[i]);
    }
    buf_addz(sql,
             " FROM " HELD " GROUP BY ALL) h ON h.cluster = t.cluster AND h.node = t.node");
}

/* The stretches of the moment: every column of nodes, and what WORKED_OUT names. */
static void add_seen(struct buf *sql, const struct nodes_question *q,
                     const struct nodes_notes *notes)
{
    buf_addf(sql, "(SELECT t.*, nullif(t.\"until\", %" PRId64 ") AS stretch_end, greatest(",
             STRETCH_GOES_ON);
    const int64_t moment = q->at < 0 ? q->now : q->at;
    buf_addf(sql, "%" PRId64 " - m.seen_to, 0) AS age, %" PRId64 " AS moment", moment, moment);
    buf_addz(sql, ", jobs, cpus_held, gpus_held, ");
    buf_addz(sql, "unnest(coalesce(string_split(t.partitions, ','), [NULL])) AS \"partition\" "
                  "FROM nodes t JOIN marks m ON m.cluster = t.cluster AND m.what = 'node'");
    add_held(sql, notes);
    buf_addz(sql, " WHERE t.\"from\" <= ");
    add_moment(sql, q);
    buf_addz(sql, " AND (t.\"until\" > ");
    add_moment(sql, q);
    buf_addz(sql, " OR t.\"from\" = ");
    add_moment(sql, q);
    buf_addf(sql, ") AND (t.\"until\" < %" PRId64 " OR m.seen_to >= ", STRETCH_GOES_ON);
    add_moment(sql, q);
    buf_addf(sql, " - %" PRId64 "))", INVENTORY_AROUND_US);
}

/* (SELECT DISTINCT ...): each node that passes the filters once. */
static int add_picked(struct buf *sql, const struct nodes_question *q,
                      const struct nodes_notes *notes, struct filter_values *values,
                      struct error *err)
{
    buf_addz(sql, "(SELECT DISTINCT * EXCLUDE (\"partition\") FROM ");
    add_seen(sql, q, notes);
    buf_addz(sql, " WHERE true");
    int failed = filter_sql(&q->filter, q->zone, q->now, sql, values, err);
    buf_addc(sql, ')');
    return failed;
}

/* X(id, label, sql): what is counted of nodes. */
static const struct {
    const char *id, *label, *sql;
} counts[] = {
    {"nodes", "Nodes", "count(*)"},
    {"cpus", "CPUs", "sum(cpus)"},
    {"cpus_used", "Used", "CASE WHEN count(jobs) = 0 THEN 0 ELSE sum(cpus_held) END"},
    {"gpus", "GPUs", "sum(gpus)"},
    {"gpus_used", "GPUs used",
     "CASE WHEN count(gpus) > 0 THEN coalesce(sum(gpus_held), 0) END"},
    {"mem", "Memory", "sum(mem_bytes)"},
};

static size_t key_of(const char *id)
{
    size_t i = 0;
    while (!str_eq(str_of(keys[i].id), str_of(id))) {
        i++;
    }
    return i;
}

static int add_statement(struct buf *sql, const struct nodes_question *q,
                         const struct nodes_notes *notes, struct filter_values *values,
                         struct error *err)
{
    const bool counted = q->key_count > 0 || q->total;
    buf_addz(sql, "SELECT ");
    for (size_t i = 0; i < q->key_count; i++) {
        buf_addf(sql, "k%zu, ", i);
    }
    for (size_t i = 0; counted && i < COUNT_OF(counts); i++) {
        buf_addf(sql, "%s%s AS c%zu", i ? ", " : "", counts[i].sql, i);
    }
    for (size_t i = 0; !counted && i < q->column_count; i++) {
        buf_addz(sql, i ? ", " : "");
        add_column(sql, q->columns[i]);
        buf_addf(sql, " AS c%zu", i);
    }
    buf_addz(sql, " FROM (SELECT *");
    for (size_t i = 0; i < q->key_count; i++) { /* a row for each partition of a node */
        buf_addf(sql, ", %s AS k%zu", keys[key_of(q->keys[i])].sql, i);
    }
    buf_addz(sql, " FROM ");
    int failed = add_picked(sql, q, notes, values, err);
    buf_addc(sql, ')');
    if (q->key_count > 0) {
        buf_addz(sql, " GROUP BY ALL ORDER BY ALL NULLS LAST");
    } else if (!counted) {
        buf_addz(sql, " ORDER BY cluster, node");
    }
    return failed;
}

static void name_columns(const struct nodes_question *q, struct table *answer)
{
    size_t c = 0;
    for (size_t i = 0; i < q->key_count; i++, c++) {
        answer->columns[c].id = keys[key_of(q->keys[i])].id;
        answer->columns[c].label = keys[key_of(q->keys[i])].label;
        answer->columns[c].role = COLUMN_DIMENSION;
    }
    for (size_t i = 0; c < answer->column_count; i++, c++) {
        const bool counted = q->key_count > 0 || q->total;
        answer->columns[c].id = counted ? counts[i].id : q->columns[i]->id;
        answer->columns[c].label = counted ? counts[i].label : q->columns[i]->label;
        answer->columns[c].unit = !counted                    ? q->columns[i]->unit
                                  : i + 1 == COUNT_OF(counts) ? UNIT_BYTES
                                                              : UNIT_COUNT;
        answer->columns[c].role =
            answer->columns[c].unit == UNIT_NONE ? COLUMN_DIMENSION : COLUMN_MEASURE;
    }
}

static int ask_statement(struct facts *facts, const struct buf *sql,
                         const struct filter_values *values, struct table *answer,
                         struct error *err)
{
    return sql->overflow
               ? error_set(err, ERROR_LIMIT, "the question is too large")
               : facts_query(facts, sql->ptr,
                             (struct facts_values){values->values, values->count}, answer, err);
}

/* When the clusters that are asked about were looked at. */
static int ask_looks(struct facts *facts, const struct nodes_question *q, struct table *out,
                     struct error *err)
{
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    struct filter *clusters = mem_alloc(1, sizeof(*clusters));
    struct buf sql;
    int failed = 0;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "SELECT cluster, seen_to FROM marks WHERE what = 'node'");
    for (size_t i = 0; i < q->filter.count; i++) {
        if (q->filter.conditions[i].field == &run_fields[RUN_cluster]) {
            clusters->conditions[clusters->count++] = q->filter.conditions[i];
        }
    }
    failed = filter_sql(clusters, q->zone, q->now, &sql, values, err);
    buf_addz(&sql, " ORDER BY cluster");
    failed = failed ? failed : ask_statement(facts, &sql, values, out, err);
    buf_release(&sql);
    free(clusters);
    free(values);
    return failed;
}

int nodes_ask(struct facts *facts, const struct nodes_question *question, struct table *answer,
              struct nodes_notes *notes, struct error *err)
{
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    struct buf sql;
    int failed;
    buf_init(&sql, LIMIT_SQL);
    (void)((failed = load_held(facts, question, notes, err)) ||
           (failed = ask_looks(facts, question, &notes->looks, err)) ||
           (failed = add_statement(&sql, question, notes, values, err)) ||
           (failed = ask_statement(facts, &sql, values, answer, err)));
    if (!failed) {
        name_columns(question, answer);
    }
    buf_release(&sql);
    free(values);
    return failed;
}

int nodes_clusters(struct facts *facts, int64_t *count, struct error *err)
{
    return facts_number(facts, "SELECT count(*) FROM marks WHERE what = 'node'",
                        (struct facts_values){0}, count, NULL, err);
}

/* --- history ------------------------------------------------------------------------------------ */

/* What stands before the asked columns of a stretch of time. */
static void name_stretches(const struct nodes_question *question, struct table *answer)
{
    static const struct thing_field frame[] = {
        {"cluster", "cluster", "Cluster", "", FIELD_TEXT, UNIT_NONE},
        {"node", "node", "Node", "", FIELD_TEXT, UNIT_NONE},
        {"from", "from", "From", "", FIELD_INT, UNIT_INSTANT},
        {"stretch_end", "until", "Until", "", FIELD_INT, UNIT_INSTANT},
        {"length", "length", "Length", "", FIELD_INT, UNIT_SECONDS},
    };
    for (size_t c = 0; c < answer->column_count; c++) {
        const struct thing_field *field =
            c < COUNT_OF(frame) ? &frame[c] : question->columns[c - COUNT_OF(frame)];
        answer->columns[c].id = field->id;
        answer->columns[c].label = field->label;
        answer->columns[c].unit = field->unit;
        answer->columns[c].role = field->unit == UNIT_NONE ? COLUMN_DIMENSION : COLUMN_MEASURE;
    }
}

int nodes_history(struct facts *facts, const struct nodes_question *question,
                  struct period period, struct table *answer, struct error *err)
{
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "SELECT cluster, node, \"from\", stretch_end, length");
    for (size_t i = 0; i < question->column_count; i++) {
        buf_addz(&sql, ", ");
        add_column(&sql, question->columns[i]);
    }
    buf_addf(
        &sql,
        " FROM (SELECT DISTINCT * EXCLUDE (\"partition\") FROM (SELECT t.*, nullif(t.\"until\""
        ", %" PRId64 ") AS stretch_end, CASE WHEN t.\"until\" = %" PRId64
        " THEN m.seen_to ELSE t.\"until\" END - t.\"from\" AS length, "
        "unnest(coalesce(string_split(t.partitions, ','), [NULL])) AS \"partition\" FROM "
        "nodes t JOIN marks m ON m.cluster = t.cluster AND m.what = 'node' WHERE "
        "t.\"from\" < %" PRId64 " AND (t.\"until\" > %" PRId64 " OR t.\"from\" >= %" PRId64
        ")) WHERE true",
        STRETCH_GOES_ON, STRETCH_GOES_ON, period.to, period.from, period.from);
    int failed =
        filter_sql(&question->filter, question->zone, question->now, &sql, values, err);
    buf_addz(&sql, ") ORDER BY cluster, node, \"from\"");
    failed = failed ? failed : ask_statement(facts, &sql, values, answer, err);
    if (!failed) {
        name_stretches(question, answer);
    }
    buf_release(&sql);
    free(values);
    return failed;
}
