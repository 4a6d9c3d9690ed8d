/* SPDX-License-Identifier: MIT */

/*
 * What runs held is spread over their nodes here, a row for each run and node, and loaded into
 * a temporary table that the statement joins with: names are lists like c[1-3], which the
 * engine does not know.
 */

#include "report/queries/nodes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hostlist.h"
#include "base/mem.h"
#include "facts/everyone.h"
#include "facts/inventory.h"
#include "report/queries/pull_age.h"
#include "report/queries/row_keys.h"
#include "report/sql/statements.h"

#define HELD "held"

/* A node that takes jobs now, by its class; of others nothing is free. */
#define TAKES_JOBS "class IN ('allocated', 'mixed', 'idle')"
#define CPUS_FREE                                                                              \
    "CASE WHEN NOT (" TAKES_JOBS ") THEN 0 WHEN cpus_taken < cpus THEN cpus - cpus_taken "     \
    "WHEN cpus_taken >= cpus THEN 0 END"
#define GPUS_FREE                                                                              \
    "CASE WHEN gpus IS NULL OR NOT gpus_known THEN NULL WHEN NOT (" TAKES_JOBS                 \
    ") OR gpus_taken > gpus THEN 0 ELSE gpus - coalesce(gpus_taken, 0) END"

/*
 * Since when a node that is out of use is so: the scheduler's own time, unless stint saw the
 * node in service later, which is `served`: a reason may be older than what it is the reason
 * of. Between two looks the node is taken to have been as at the first, so that times up to
 * INVENTORY_AROUND_US before the look that found the change are believed.
 */
#define SINCE                                                                                  \
    "CASE WHEN reason_at <= \"from\" AND NOT (" TAKES_JOBS ") AND (served IS NULL OR served "  \
    "<= reason_at) THEN reason_at ELSE \"from\" END"

/* X(id, type, unit, label, doc, sql): what is worked out beside the fields of a node. */
#define WORKED_OUT(X)                                                                          \
    X("cluster", TEXT, NONE, "Cluster", "cluster it is in", "cluster")                         \
    X("since", INT, INSTANT, "Since",                                                          \
      "when it was first seen in this state; of a node out of use, the scheduler's own time "  \
      "where it has one",                                                                      \
      SINCE)                                                                                   \
    X("for", INT, SECONDS, "For", "time in this state", "moment - (" SINCE ")")                \
    X("until", INT, INSTANT, "Until",                                                          \
      "when it was first seen in another state; absent if still in this one", "stretch_end")   \
    X("age", INT, SECONDS, "Seen ago", "time since it was last seen", "age")                   \
    X("jobs", INT, COUNT, "Jobs", "runs on it", "jobs")                                        \
    X("cpus_used", INT, COUNT, "Used", "cpus allocated", "cpus_taken")                         \
    X("cpus_free", INT, COUNT, "Free", "cpus that a job could have now", CPUS_FREE)            \
    X("gpus_used", INT, COUNT, "GPUs used", "GPUs allocated", "gpus_taken")                    \
    X("gpus_free", INT, COUNT, "GPUs free", "GPUs that a job could have now", GPUS_FREE)       \
    X("reservation", TEXT, NONE, "Reservation",                                                \
      "reservations that hold it, separated by commas", "reservations")

static const struct expression worked_out_sql[] = {
#define X(id, type, unit, label, doc, sql) {sql},
    WORKED_OUT(X)
#undef X
};

static const struct inventory_item_field worked_out[] = {
#define X(id, type, unit, label, doc, sql)                                                     \
    {NULL, id, label, doc, FIELD_##type, UNIT_##unit, false},
    WORKED_OUT(X)
#undef X
};

const struct inventory_item_field *nodes_column_at(size_t index)
{
    const struct inventory_item_description *node = &inventory_item_kinds[INVENTORY_ITEM_NODE];
    if (index < node->field_count) {
        return &node->fields[index];
    }
    index -= node->field_count;
    return index < COUNT_OF(worked_out) ? &worked_out[index] : NULL;
}

const struct inventory_item_field *nodes_column_find(struct str id)
{
    const struct inventory_item_field *field;
    for (size_t i = 0; (field = nodes_column_at(i)) != NULL; i++) {
        if (str_eq(id, str_of(field->id))) {
            return field;
        }
    }
    return NULL;
}

static const struct key keys[] = {
    {"cluster", "Cluster", {"cluster"}, true, false},
    {"partition", "Partition", {"@items(partitions)"}, true, true},
    {"class", "Class", {"class"}, true, false},
    {"state", "State", {"state"}, true, false},
    {"gpu_type", "GPU type", {"gpu_type"}, true, false},
    {"cpus", "CPUs", {"@text(cpus)"}, true, false},
    {"reservation", "Reservation", {"@items(reservations)"}, false, true},
};

const char *nodes_key_at(size_t index)
{
    return index < COUNT_OF(keys) ? keys[index].id : NULL;
}

static bool is_worked_out(const struct inventory_item_field *field)
{
    return field >= worked_out && field < worked_out + COUNT_OF(worked_out);
}

bool nodes_column_has_history(const struct inventory_item_field *field)
{
    return !is_worked_out(field) || str_eq(str_of(field->id), STR("cluster"));
}

static void add_column(struct statement *sql, const struct inventory_item_field *field)
{
    if (is_worked_out(field)) {
        statement_expression(sql, worked_out_sql[field - worked_out]);
    } else if (field->momentary) { /* known of the present only */
        statement_add(sql, "CASE WHEN is_now THEN ");
        statement_name(sql, identifier_of_thing(field));
        statement_add(sql, " END");
    } else {
        statement_name(sql, identifier_of_thing(field));
    }
}

/* --- what runs held ----------------------------------------------------------------------- */

static const struct statement_column held_columns[] = {
    {"cluster", TYPE_TEXT}, {"node", TYPE_TEXT}, {"cpus", TYPE_REAL}, {"gpus", TYPE_REAL}};

enum { HELD_COLUMNS = COUNT_OF(held_columns) };

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

/* What a node has of what a run has in all: so many of these parts. */
static struct facts_value share_of(const struct table *runs, size_t column, size_t row,
                                   int64_t part, int64_t parts)
{
    if (!table_has(runs, column, row)) {
        return FACTS_NULL;
    }
    const double all = table_real(runs, column, row);
    return (struct facts_value){.type = VALUE_REAL, .real = all * (double)part / (double)parts};
}

/* Columns of the runs that are asked for. */
enum { RUN_OF_CLUSTER, RUN_OF_NODES, RUN_OF_NODE, RUN_OF_COUNT, RUN_OF_CPUS, RUN_OF_GPUS };

/* Whether the list says the cpus of each node, and these are those of the run. */
static bool says_cpus(const struct hostlist *list, const struct table *runs, size_t row)
{
    const bool whole = !table_has(runs, RUN_OF_COUNT, row) ||
                       table_wide(runs, RUN_OF_COUNT, row) <= (wide_int)list->count;
    return whole && list->cpus > 0 && table_has(runs, RUN_OF_CPUS, row) &&
           table_wide(runs, RUN_OF_CPUS, row) == list->cpus;
}

/* Puts a run on its nodes; false: nobody can say where it ran. */
static bool place_run(struct held *held, const struct table *runs, size_t row,
                      struct nodes_notes *notes)
{
    struct hostlist list = {0};
    const struct str cluster = runs->columns[RUN_OF_CLUSTER].cells[row].text;
    struct hostlist_node node = {.name = runs->columns[RUN_OF_NODE].cells[row].text};
    const bool alone = table_has(runs, RUN_OF_NODE, row) &&
                       table_has(runs, RUN_OF_COUNT, row) &&
                       table_wide(runs, RUN_OF_COUNT, row) == 1;
    if (table_has(runs, RUN_OF_NODES, row) &&
        hostlist_read(runs->columns[RUN_OF_NODES].cells[row].text, &held->arena, &list)) {
        hostlist_sort(&list);
    } else if (alone) {
        list = (struct hostlist){&node, 1, 0};
    }
    const bool by_cpus = says_cpus(&list, runs, row);
    const int64_t count = (int64_t)list.count;
    notes->split += count > 1 && !by_cpus;
    notes->fractions |= count > 1 && (!by_cpus || table_has(runs, RUN_OF_GPUS, row));
    for (size_t i = 0; i < list.count; i++) {
        const struct hostlist_node *on = &list.nodes[i];
        hold(held, cluster, on->name,
             share_of(runs, RUN_OF_CPUS, row, by_cpus ? on->cpus : 1,
                      by_cpus ? list.cpus : count),
             share_of(runs, RUN_OF_GPUS, row, 1, count));
    }
    return list.count > 0;
}

/* The moment at which a cluster is looked at: an expression in rows that have seen_to. */
static void add_moment(struct statement *sql, const struct nodes_question *q)
{
    if (q->at < 0) {
        statement_add(sql, "seen_to");
    } else {
        statement_add(sql, "%" PRId64, q->at);
    }
}

static int ask_runs(struct facts *facts, const struct nodes_question *q, struct table *runs,
                    struct error *err)
{
    int64_t first = q->at;
    int failed = q->at >= 0 ? 0
                            : facts_number(facts, SQL_VALUES_FIRST_LOOK,
                                           (struct facts_values){0}, &first, NULL, err);
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "SELECT r.cluster, r.nodes, r.node, r.node_count, r.cpus, r.gpus FROM ");
    statement_name(&sql, everyone_runs(facts));
    statement_add(&sql, " r JOIN marks m ON m.cluster = r.cluster AND m.what = 'node' WHERE "
                        "r.start <= ");
    add_moment(&sql, q);
    statement_add(&sql, " AND r.until > ");
    add_moment(&sql, q);
    /* a plain number too, for the engine to skip by */
    statement_add(&sql, " AND r.until > %" PRId64, first);
    failed = failed ? failed : statement_query_kept(facts, &sql, runs, err);
    statement_release(&sql);
    return failed;
}

static int load_held(struct facts *facts, const struct nodes_question *q,
                     struct nodes_notes *notes, struct error *err)
{
    struct table runs = {0};
    struct held held = {0};
    int failed = ask_runs(facts, q, &runs, err);
    for (size_t row = 0; !failed && row < runs.row_count; row++) {
        notes->unreadable += !place_run(&held, &runs, row, notes);
    }
    if (!failed) {
        failed = statement_load(facts, IDENTIFIER(HELD), held_columns, HELD_COLUMNS,
                                (struct facts_values){held.values, held.count}, err);
    }
    free(held.values);
    arena_release(&held.arena);
    table_release(&runs);
    return failed;
}

/* --- nodes -------------------------------------------------------------------------------- */

/*
 * What is held of a node is whole where no run was divided evenly; a run that does not have
 * leaves it unknown.
 */
static void add_held(struct statement *sql, const struct nodes_notes *notes)
{
    statement_add(sql, " LEFT JOIN (SELECT cluster, node, count(*) AS jobs_held, CASE WHEN "
                       "count(cpus) = count(*) THEN ");
    statement_add(sql, notes->fractions ? "sum(cpus)" : "@long(sum(cpus))");
    statement_add(sql, " END AS cpus_held, ");
    statement_add(sql, notes->fractions ? "sum(gpus)" : "@long(sum(gpus))");
    statement_add(sql, " AS gpus_held FROM " HELD
                       " GROUP BY ALL) h ON h.cluster = t.cluster AND h.node = t.node");
}

/*
 * What of a node is taken: as the scheduler says, where it was asked now; else what runs hold,
 * where all of them are in sight. Unknown, where neither is: a part of the runs would make a
 * node look free that is not.
 */
static void add_taken(struct statement *sql, bool whole)
{
    static const struct {
        struct expression said;
        struct identifier held, taken, known;
    } rows[] = {
        {{"cpus_alloc"}, {"cpus_held"}, {"cpus_taken"}, {"cpus_known"}},
        {{"CASE WHEN gpus = 0 THEN 0 ELSE gpus_alloc END"},
         {"gpus_held"},
         {"gpus_taken"},
         {"gpus_known"}},
    };

    statement_add(sql, whole ? ", coalesce(jobs_held, 0) AS jobs" : ", @long(NULL) AS jobs");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        statement_add(sql, ", CASE WHEN is_now AND (");
        statement_expression(sql, rows[i].said);
        statement_add(sql, ") IS NOT NULL THEN ");
        statement_expression(sql, rows[i].said);
        if (whole) {
            statement_add(sql, " WHEN jobs_held IS NULL THEN 0 ELSE ");
            statement_name(sql, rows[i].held);
        }
        statement_add(sql, " END AS ");
        statement_name(sql, rows[i].taken);
        statement_add(sql, whole ? ", true" : ", is_now AND (");
        if (!whole) {
            statement_expression(sql, rows[i].said);
            statement_add(sql, ") IS NOT NULL");
        }
        statement_add(sql, " AS ");
        statement_name(sql, rows[i].known);
    }
}

/* When each node was last seen in service, for SINCE. */
static void add_served(struct statement *sql, const struct nodes_question *q)
{
    const int64_t moment = q->at < 0 ? STRETCH_NOT_ENDED - 1 : q->at;
    statement_add(sql,
                  " LEFT JOIN (SELECT cluster AS served_cluster, node AS served_node, "
                  "max(greatest(\"from\", \"until\" - %" PRId64
                  ")) AS served FROM nodes WHERE " TAKES_JOBS " AND \"until\" <= %" PRId64
                  " GROUP BY ALL) s ON s.served_cluster = t.cluster AND s.served_node = t.node",
                  INVENTORY_AROUND_US, moment);
}

/*
 * The reservations that hold each node at the moment, as report/queries/reservations.h says
 * when they do.
 */
static void add_reserved(struct statement *sql, const struct nodes_question *q)
{
    const int64_t moment = q->at < 0 ? q->now : q->at;
    statement_add(sql,
                  " LEFT JOIN (SELECT cluster AS reserved_cluster, node AS reserved_node, "
                  "string_agg(DISTINCT reservation, ',' ORDER BY reservation) AS reservations "
                  "FROM (SELECT cluster, reservation, @items(@hosts(nodes)) AS node FROM "
                  "(SELECT *, greatest(coalesce(lag(\"until\") OVER (PARTITION BY cluster, "
                  "reservation, \"start\" ORDER BY \"from\"), \"start\"), \"start\") AS lower "
                  "FROM reservations) WHERE lower <= %" PRId64
                  " AND least(\"until\", \"end\") > %" PRId64
                  ") GROUP BY ALL) v ON v.reserved_cluster = t.cluster AND v.reserved_node = "
                  "t.node",
                  moment, moment);
}

/* The stretches of the moment: every column of nodes, and what WORKED_OUT names. */
static void add_seen(struct statement *sql, const struct nodes_question *q,
                     const struct nodes_notes *notes)
{
    const int64_t moment = q->at < 0 ? q->now : q->at;
    statement_add(sql, "(SELECT *");
    add_taken(sql, notes->whole);
    statement_add(sql,
                  " FROM (SELECT t.*, nullif(t.\"until\", %" PRId64 ") AS stretch_end, "
                  "greatest(%" PRId64 " - m.seen_to, 0) AS age, %" PRId64
                  " AS moment, jobs_held, cpus_held, gpus_held, served, reservations, ",
                  STRETCH_NOT_ENDED, moment, moment);
    if (q->at < 0) {
        statement_add(sql, "t.\"until\" = %" PRId64 " AS is_now", STRETCH_NOT_ENDED);
    } else {
        statement_add(sql, "false AS is_now");
    }
    statement_add(sql, " FROM nodes t JOIN marks m ON m.cluster = t.cluster AND "
                       "m.what = 'node'");
    add_held(sql, notes);
    add_served(sql, q);
    add_reserved(sql, q);
    statement_add(sql, " WHERE t.\"from\" <= ");
    add_moment(sql, q);
    statement_add(sql, " AND (t.\"until\" > ");
    add_moment(sql, q);
    statement_add(sql, " OR t.\"from\" = ");
    add_moment(sql, q);
    statement_add(sql, ") AND (t.\"until\" < %" PRId64 " OR m.seen_to >= ", STRETCH_NOT_ENDED);
    add_moment(sql, q);
    statement_add(sql, " - %" PRId64 ")))", INVENTORY_AROUND_US);
}

/*
 * Each node that passes the filters, once. To be met by any partition, and any reservation,
 * they are spread and gathered again. One inside the other: side by side, the engine would pair
 * the items of the two lists.
 */
static void add_picked(struct statement *sql, const struct nodes_question *q,
                       const struct nodes_notes *notes)
{
    statement_add(sql,
                  "(SELECT DISTINCT * @exclude(\"partition\", reservation) FROM (SELECT *, ");
    if (filter_has(&q->filter, &run_fields[RUN_reservation])) {
        statement_add(sql, "@items(reservations) AS reservation FROM (SELECT *, ");
    } else {
        statement_add(sql, "@text(NULL) AS reservation FROM (SELECT *, ");
    }
    statement_add(sql, filter_has(&q->filter, &run_fields[RUN_partition])
                           ? "@items(partitions) AS \"partition\" FROM "
                           : "@text(NULL) AS \"partition\" FROM ");
    add_seen(sql, q, notes);
    statement_add(sql, ")) WHERE true");
    filter_sql(&q->filter, q->zone, q->now, sql);
    statement_add(sql, ")");
}

/* What is counted of nodes. */
static const struct {
    const char *id, *label;
    struct expression sql;
    enum unit unit;
} counts[] = {
    {"nodes", "Nodes", {"count(*)"}, UNIT_COUNT},
    {"cpus", "CPUs", {"sum(cpus)"}, UNIT_COUNT},
    {"cpus_used",
     "Used",
     {"CASE WHEN count(*) = 0 THEN 0 ELSE sum(cpus_taken) END"},
     UNIT_COUNT},
    {"cpus_free", "Free", {"sum(" CPUS_FREE ")"}, UNIT_COUNT},
    {"gpus", "GPUs", {"sum(gpus)"}, UNIT_COUNT},
    {"gpus_used",
     "GPUs used",
     {"CASE WHEN count(gpus) > 0 AND bool_and(gpus_known) THEN coalesce(sum(gpus_taken), 0) "
      "END"},
     UNIT_COUNT},
    {"gpus_free", "GPUs free", {"sum(" GPUS_FREE ")"}, UNIT_COUNT},
    {"mem", "Memory", {"sum(mem_bytes)"}, UNIT_BYTES},
};

static void add_statement(struct statement *sql, const struct nodes_question *q,
                          const struct nodes_notes *notes)
{
    const bool counted = q->key_count > 0 || q->total;
    statement_add(sql, "SELECT ");
    keys_add(sql, q->key_count);
    for (size_t i = 0; i < (counted ? COUNT_OF(counts) : q->column_count); i++) {
        statement_add(sql, i ? ", " : "");
        if (counted) {
            statement_expression(sql, counts[i].sql);
        } else {
            add_column(sql, q->columns[i]);
        }
        statement_add(sql, " AS c%zu", i);
    }
    statement_add(sql, " FROM ");
    for (size_t i = 0; i < q->key_count; i++) { /* a row for each partition of a node */
        statement_add(sql, "(SELECT *, ");
        statement_expression(sql, key_find(keys, q->keys[i])->sql);
        statement_add(sql, " AS k%zu FROM ", i);
    }
    add_picked(sql, q, notes);
    for (size_t i = 0; i < q->key_count; i++) {
        statement_add(sql, ")");
    }
    if (q->key_count > 0) {
        statement_add(sql, " GROUP BY ALL ORDER BY ALL NULLS LAST");
    } else if (!counted) {
        statement_add(sql, " ORDER BY cluster, node");
    }
}

static void name_columns(const struct nodes_question *q, struct table *answer)
{
    const bool counted = q->key_count > 0 || q->total;
    keys_name(answer, keys, q->keys, q->key_count);
    for (size_t i = 0; i < (counted ? COUNT_OF(counts) : q->column_count); i++) {
        keys_name_column(answer, q->key_count + i, counted ? counts[i].id : q->columns[i]->id,
                         counted ? counts[i].label : q->columns[i]->label,
                         counted ? counts[i].unit : q->columns[i]->unit);
    }
}

/* Where the scheduler says what is taken of every node, nothing is guessed from runs. */
static int heed_scheduler(struct facts *facts, const struct nodes_question *q,
                          struct nodes_notes *notes, struct error *err)
{
    int64_t unsaid = 0;
    notes->whole = everyone_is_whole(facts);
    int failed = q->at >= 0 ? 0
                            : facts_number(facts, SQL_VALUES_NODES_UNSAID,
                                           (struct facts_values){0}, &unsaid, NULL, err);
    if (!failed && q->at < 0 && unsaid == 0) {
        notes->split = notes->unreadable = 0;
        notes->fractions = false;
    }
    return failed;
}

int nodes_ask(struct facts *facts, const struct nodes_question *question, struct table *answer,
              struct nodes_notes *notes, struct error *err)
{
    struct statement sql;
    int failed;
    statement_init(&sql);
    (void)((failed = load_held(facts, question, notes, err)) ||
           (failed = heed_scheduler(facts, question, notes, err)) ||
           (failed = pull_age_ask(facts, STR("node"), &question->filter, question->zone,
                                  question->now, &notes->looks, err)));
    if (!failed) { /* what was split decides of the statement */
        add_statement(&sql, question, notes);
        failed = statement_query(facts, &sql, answer, err);
    }
    if (!failed) {
        name_columns(question, answer);
    }
    statement_release(&sql);
    return failed;
}

void nodes_by_cluster(struct nodes_question *question)
{
    keys_by_cluster(keys, question->keys, &question->key_count);
}

int nodes_clusters(struct facts *facts, int64_t *count, struct error *err)
{
    return facts_number(facts, SQL_VALUES_CLUSTERS_SEEN, (struct facts_values){0}, count, NULL,
                        err);
}

/* --- history ------------------------------------------------------------------------------ */

/* What stands before the asked columns of a stretch of time. */
static void name_stretches(const struct nodes_question *question, struct table *answer)
{
    static const struct inventory_item_field frame[] = {
        {"cluster", "cluster", "Cluster", "", FIELD_TEXT, UNIT_NONE, false},
        {"node", "node", "Node", "", FIELD_TEXT, UNIT_NONE, false},
        {"from", "from", "From", "", FIELD_INT, UNIT_INSTANT, false},
        {"stretch_end", "until", "Until", "", FIELD_INT, UNIT_INSTANT, false},
        {"length", "length", "Length", "", FIELD_INT, UNIT_SECONDS, false},
    };
    for (size_t c = 0; c < answer->column_count; c++) {
        const struct inventory_item_field *field =
            c < COUNT_OF(frame) ? &frame[c] : question->columns[c - COUNT_OF(frame)];
        keys_name_column(answer, c, field->id, field->label, field->unit);
    }
}

int nodes_history(struct facts *facts, const struct nodes_question *question,
                  struct period period, struct table *answer, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT cluster, node, \"from\", stretch_end, length");
    for (size_t i = 0; i < question->column_count; i++) {
        statement_add(&sql, ", ");
        add_column(&sql, question->columns[i]);
    }
    statement_add(&sql,
                  " FROM (SELECT DISTINCT * @exclude(\"partition\") FROM (SELECT t.*, "
                  "t.\"from\" AS served, t.\"until\" = %" PRId64
                  " AS is_now, nullif(t.\"until\", %" PRId64
                  ") AS stretch_end, CASE WHEN t.\"until\" = %" PRId64
                  " THEN m.seen_to ELSE t.\"until\" END - t.\"from\" AS length, "
                  "@items(t.partitions) AS \"partition\" FROM nodes t JOIN marks m ON "
                  "m.cluster = t.cluster AND m.what = 'node' WHERE t.\"from\" < %" PRId64
                  " AND (t.\"until\" > %" PRId64 " OR t.\"from\" >= %" PRId64 ")) WHERE true",
                  STRETCH_NOT_ENDED, STRETCH_NOT_ENDED, STRETCH_NOT_ENDED, period.to,
                  period.from, period.from);
    filter_sql(&question->filter, question->zone, question->now, &sql);
    statement_add(&sql, ") ORDER BY cluster, node, \"from\"");
    int failed = statement_query(facts, &sql, answer, err);
    if (!failed) {
        name_stretches(question, answer);
    }
    statement_release(&sql);
    return failed;
}
