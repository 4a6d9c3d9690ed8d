/* SPDX-License-Identifier: MIT */

/*
 * A listing becomes a temporary table, `sighted`, which is then held against the open stretches of its
 * cluster as a whole: count what differs, end the stretches that have no equal in it, begin one for every
 * name that has no open stretch left. A listing of ten thousand nodes that are as they were costs the
 * comparison and one mark.
 */

#include "facts/inventory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/mem.h"
#include "facts/mark.h"

/* One listing on its way in. */
struct look {
    struct facts *facts;
    const struct thing_description *kind;
    struct str cluster;
    int64_t at;
    int64_t ended; /* when stretches that end did so: `at`, or the last look before a pause */
    bool paused;
};

static const char *name_of(const struct thing_description *kind)
{
    return kind->fields[0].member;
}

/* Adds `"node", "cpus", ...`, each after `prefix`. */
static void add_members(struct buf *sql, const struct thing_description *kind,
                        const char *prefix)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        buf_addf(sql, "%s%s\"%s\"", i ? ", " : "", prefix, kind->fields[i].member);
    }
}

/* Whether a thing `n` is as the stretch `o` says; absent equals absent. */
static void add_same(struct buf *sql, const struct thing_description *kind)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        const char *member = kind->fields[i].member;
        buf_addf(sql, "%sn.\"%s\" IS NOT DISTINCT FROM o.\"%s\"", i ? " AND " : "", member,
                 member);
    }
}

/* The open stretches of the cluster (a `?`), as a relation. */
static void add_open(struct buf *sql, const struct thing_description *kind)
{
    buf_addf(sql, "(SELECT * FROM %s WHERE cluster = ? AND \"until\" = %" PRId64 ")",
             kind->table, STRETCH_GOES_ON);
}

/* --- the listing -------------------------------------------------------------------------------- */

static struct facts_value value_of(const struct thing_field *field,
                                   const struct thing_value *value)
{
    if (!value->has) {
        return FACTS_NULL;
    }
    return field->type == FIELD_TEXT ? FACTS_TEXT(value->text) : FACTS_INT(value->integer);
}

static int check_names(const struct look *look, const struct thing_list *listing,
                       struct error *err)
{
    for (size_t i = 0; i < listing->count; i++) {
        const struct thing_value *name = &listing->rows[i].values[0];
        if (!name->has || name->text.len == 0) {
            return error_set(err, ERROR_INPUT,
                             "cannot take a listing of '%.*s': %s %zu of it has no name",
                             STR_ARG(look->cluster), look->kind->name, i + 1);
        }
    }
    return 0;
}

/* `listed`: the rows as they came, with their places, so that of two with one name the last can stay. */
static int load_listing(const struct look *look, const struct thing_list *listing,
                        struct error *err)
{
    const struct thing_description *kind = look->kind;
    const size_t width = kind->field_count + 1;
    struct facts_value *values = mem_alloc(listing->count * width + 1, sizeof(*values));
    struct buf columns;
    buf_init(&columns, LIMIT_SQL);
    buf_addz(&columns, "place BIGINT");
    for (size_t i = 0; i < kind->field_count; i++) {
        buf_addf(&columns, ", \"%s\" %s", kind->fields[i].member,
                 kind->fields[i].type == FIELD_TEXT ? "VARCHAR" : "BIGINT");
    }
    for (size_t row = 0; row < listing->count; row++) {
        struct facts_value *to = &values[row * width];
        *to++ = FACTS_INT((int64_t)row);
        for (size_t i = 0; i < kind->field_count; i++) {
            *to++ = value_of(&kind->fields[i], &listing->rows[row].values[i]);
        }
    }
    int failed = facts_load_values(look->facts, "listed", columns.ptr, width,
                                   (struct facts_values){values, listing->count * width}, err);
    buf_release(&columns);
    free(values);
    return failed;
}

/* `sighted`: each name once. */
static int settle_names(const struct look *look, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE sighted AS SELECT ");
    add_members(&sql, look->kind, "");
    buf_addf(&sql,
             " FROM listed QUALIFY row_number() OVER (PARTITION BY \"%s\" ORDER BY place DESC) "
             "= 1",
             name_of(look->kind));
    int failed = facts_execute(look->facts, sql.ptr, (struct facts_values){0}, NULL, err);
    buf_release(&sql);
    return failed;
}

/* --- against what is known ---------------------------------------------------------------------- */

static int count_changes(const struct look *look, struct inventory_counts *counts,
                         struct error *err)
{
    struct table table = {0};
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    const char *name = name_of(look->kind);
    buf_addf(&sql,
             "SELECT count(n.\"%s\"), count(*) FILTER (o.\"%s\" IS NULL), "
             "count(*) FILTER (n.\"%s\" IS NULL), "
             "count(*) FILTER (n.\"%s\" = o.\"%s\" AND NOT (",
             name, name, name, name, name);
    add_same(&sql, look->kind);
    buf_addz(&sql, ")) FROM ");
    add_open(&sql, look->kind);
    buf_addf(&sql, " o FULL JOIN sighted n ON n.\"%s\" = o.\"%s\"", name, name);
    const struct facts_value cluster = FACTS_TEXT(look->cluster);
    int failed =
        facts_query(look->facts, sql.ptr, (struct facts_values){&cluster, 1}, &table, err);
    if (!failed) {
        *counts = (struct inventory_counts){
            .seen = table.columns[0].cells[0].integer,
            .appeared = table.columns[1].cells[0].integer,
            .gone = table.columns[2].cells[0].integer,
            .changed = table.columns[3].cells[0].integer,
        };
    }
    table_release(&table);
    buf_release(&sql);
    return failed;
}

/* After a pause every stretch ends; else those that the listing does not confirm. */
static int end_stretches(const struct look *look, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql,
             "UPDATE %s AS o SET \"until\" = ? WHERE cluster = ? AND \"until\" = %" PRId64,
             look->kind->table, STRETCH_GOES_ON);
    if (!look->paused) {
        buf_addz(&sql, " AND NOT EXISTS (SELECT 1 FROM sighted n WHERE ");
        add_same(&sql, look->kind);
        buf_addc(&sql, ')');
    }
    const struct facts_value values[] = {FACTS_INT(look->ended), FACTS_TEXT(look->cluster)};
    int failed = facts_execute(look->facts, sql.ptr,
                               (struct facts_values){values, COUNT_OF(values)}, NULL, err);
    buf_release(&sql);
    return failed;
}

static int begin_stretches(const struct look *look, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    const char *name = name_of(look->kind);
    buf_addf(&sql, "INSERT INTO %s (cluster, \"from\", \"until\", ", look->kind->table);
    add_members(&sql, look->kind, "");
    buf_addf(&sql, ") SELECT ?, ?, %" PRId64 ", ", STRETCH_GOES_ON);
    add_members(&sql, look->kind, "n.");
    buf_addz(&sql, " FROM sighted n WHERE NOT EXISTS (SELECT 1 FROM ");
    add_open(&sql, look->kind);
    buf_addf(&sql, " o WHERE o.\"%s\" = n.\"%s\") ORDER BY n.\"%s\"", name, name, name);
    const struct facts_value values[] = {FACTS_TEXT(look->cluster), FACTS_INT(look->at),
                                         FACTS_TEXT(look->cluster)};
    int failed = facts_execute(look->facts, sql.ptr,
                               (struct facts_values){values, COUNT_OF(values)}, NULL, err);
    buf_release(&sql);
    return failed;
}

static int take(const struct look *look, const struct thing_list *listing,
                struct inventory_counts *counts, struct error *err)
{
    int failed;
    (void)((failed = check_names(look, listing, err)) ||
           (failed = load_listing(look, listing, err)) || (failed = settle_names(look, err)) ||
           (failed = count_changes(look, counts, err)));
    bool any = counts->appeared || counts->gone || counts->changed || look->paused;
    if (!failed && any) {
        (void)((failed = end_stretches(look, err)) || (failed = begin_stretches(look, err)));
    }
    return failed;
}

int inventory_see(struct facts *facts, enum thing_kind kind, struct str cluster, int64_t at,
                  int64_t slack, const struct thing_list *listing,
                  struct inventory_counts *counts, struct error *err)
{
    struct look look = {.facts = facts, .kind = &thing_kinds[kind], .cluster = cluster};
    const struct str what = str_of(look.kind->name);
    struct mark mark = {0};
    bool known = false;
    *counts = (struct inventory_counts){0};
    int failed = mark_get(facts, cluster, what, &mark, &known, err);
    if (failed || (known && at <= mark.seen_to)) {
        return failed;
    }
    look.paused = known && mark.seen_to < at - slack;
    look.at = at;
    look.ended = look.paused ? mark.seen_to : at;
    failed = take(&look, listing, counts, err);
    return failed ? failed
                  : mark_put(facts, cluster, what,
                             (struct mark){.seen_to = at, .index = mark.index}, err);
}

/* --- asking ------------------------------------------------------------------------------------- */

/* Names, labels and units of the columns, as the kind's table tells them. */
static void describe(struct table *table, const struct thing_description *kind)
{
    static const struct thing_field frame[] = {
        {"cluster", "cluster", "Cluster", "", FIELD_TEXT, UNIT_NONE},
        {"from", "from", "From", "", FIELD_INT, UNIT_INSTANT},
        {"until", "until", "Until", "", FIELD_INT, UNIT_INSTANT},
    };
    for (size_t c = 0; c < table->column_count; c++) {
        const struct thing_field *field =
            c < COUNT_OF(frame) ? &frame[c] : &kind->fields[c - COUNT_OF(frame)];
        table->columns[c].id = field->id;
        table->columns[c].label = field->label;
        table->columns[c].unit = field->unit;
        table->columns[c].role = COLUMN_DIMENSION;
    }
}

/*
 * A stretch holds its first instant, even where a pause left it with no other. An open one holds what
 * comes after the last look for INVENTORY_AROUND_US.
 */
static void add_there(struct buf *sql, const struct look *look)
{
    buf_addf(sql,
             "SELECT t.cluster, t.\"from\", nullif(t.\"until\", %" PRId64 ") AS \"until\", ",
             STRETCH_GOES_ON);
    add_members(sql, look->kind, "t.");
    buf_addf(sql,
             " FROM %s t JOIN marks m ON m.cluster = t.cluster AND m.what = '%s' "
             "WHERE t.\"from\" <= ? AND (t.\"until\" > ? OR t.\"from\" = ?) AND (t.\"until\" < "
             "%" PRId64 " OR m.seen_to >= ?)",
             look->kind->table, look->kind->name, STRETCH_GOES_ON);
    buf_addz(sql, look->cluster.ptr ? " AND t.cluster = ?" : "");
    buf_addf(sql, " ORDER BY t.cluster, t.\"%s\"", name_of(look->kind));
}

int inventory_at(struct facts *facts, enum thing_kind kind, struct str cluster, int64_t at,
                 struct table *out, struct error *err)
{
    const struct look look = {
        .facts = facts, .kind = &thing_kinds[kind], .cluster = cluster, .at = at};
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    add_there(&sql, &look);
    const struct facts_value values[] = {
        FACTS_INT(at),       FACTS_INT(at), FACTS_INT(at), FACTS_INT(at - INVENTORY_AROUND_US),
        FACTS_TEXT(cluster),
    };
    int failed = facts_query(
        facts, sql.ptr, (struct facts_values){values, COUNT_OF(values) - (cluster.ptr ? 0 : 1)},
        out, err);
    if (!failed) {
        describe(out, look.kind);
    }
    buf_release(&sql);
    return failed;
}

int inventory_names(struct facts *facts, enum thing_kind kind, struct table *out,
                    struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql, "SELECT DISTINCT \"%s\" FROM %s ORDER BY 1", name_of(&thing_kinds[kind]),
             thing_kinds[kind].table);
    int failed = facts_query(facts, sql.ptr, (struct facts_values){0}, out, err);
    buf_release(&sql);
    return failed;
}
