/* SPDX-License-Identifier: MIT */

/*
 * A listing becomes a temporary table, `sighted`, which is then held against the open stretches
 * of its cluster as a whole: count what differs, end the stretches that have no equal in it,
 * begin one for every name that has no open stretch left. A listing of ten thousand nodes that
 * are as they were costs the comparison and one mark.
 */

#include "facts/inventory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/pull_state.h"
#include "facts/statement.h"

/* One listing on its way in. */
struct look {
    struct facts *facts;
    const struct inventory_item_description *kind;
    struct str cluster;
    int64_t at;
    int64_t ended; /* when stretches that end did so: `at`, or the last look before a pause */
    bool paused;
};

static struct identifier kind_identifier(const struct inventory_item_description *kind)
{
    return identifier_of_thing(&kind->fields[0]);
}

static struct identifier table_of(const struct inventory_item_description *kind)
{
    return (struct identifier){kind->table};
}

/* Adds `"node", "cpus", ...`, each after `prefix`. */
static void add_members(struct statement *sql, const struct inventory_item_description *kind,
                        struct expression prefix)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        statement_add(sql, i ? ", " : "");
        statement_expression(sql, prefix);
        statement_name(sql, identifier_of_thing(&kind->fields[i]));
    }
}

/*
 * Whether a thing `n` is as the stretch `o` says, in what is momentary or in all else; absent
 * equals absent. The name, which comes first, is in both.
 */
static void add_same(struct statement *sql, const struct inventory_item_description *kind,
                     bool momentary)
{
    for (size_t i = 0; i < kind->field_count; i++) {
        const struct identifier member = identifier_of_thing(&kind->fields[i]);
        if (i > 0 && kind->fields[i].momentary != momentary) {
            continue;
        }
        statement_add(sql, i ? " AND @same(n." : "@same(n.");
        statement_name(sql, member);
        statement_add(sql, ", o.");
        statement_name(sql, member);
        statement_add(sql, ")");
    }
}

/* "n.\"node\" = o.\"node\"" */
static void add_same_name(struct statement *sql, const struct inventory_item_description *kind)
{
    statement_add(sql, "n.");
    statement_name(sql, kind_identifier(kind));
    statement_add(sql, " = o.");
    statement_name(sql, kind_identifier(kind));
}

/* The open stretches of the cluster, as a relation. */
static void add_open(struct statement *sql, const struct look *look)
{
    statement_add(sql, "(SELECT * FROM ");
    statement_name(sql, table_of(look->kind));
    statement_add(sql, " WHERE cluster = ");
    statement_bind(sql, FACTS_TEXT(look->cluster));
    statement_add(sql, " AND \"until\" = %" PRId64 ")", STRETCH_NOT_ENDED);
}

/* --- the listing -------------------------------------------------------------------------- */

static struct facts_value value_of(const struct inventory_item_field *field,
                                   const struct inventory_item_value *value)
{
    if (!value->has) {
        return FACTS_NULL;
    }
    return field->type == FIELD_TEXT ? FACTS_TEXT(value->text) : FACTS_INT(value->integer);
}

static int check_names(const struct look *look, const struct inventory_item_list *listing,
                       struct error *err)
{
    for (size_t i = 0; i < listing->count; i++) {
        const struct inventory_item_value *name = &listing->rows[i].values[0];
        if (!name->has || name->text.len == 0) {
            return error_set(err, ERROR_INPUT,
                             "cannot take a listing of '%.*s': %s %zu of it has no name",
                             STR_ARG(look->cluster), look->kind->name, i + 1);
        }
    }
    return 0;
}

/*
 * `listed`: the rows as they came, with their places, so that of two with one name the last can
 * stay.
 */
static int load_listing(const struct look *look, const struct inventory_item_list *listing,
                        struct error *err)
{
    const struct inventory_item_description *kind = look->kind;
    const size_t width = kind->field_count + 1;
    struct facts_value *values = mem_alloc(listing->count * width + 1, sizeof(*values));
    struct statement_column columns[1 + INVENTORY_ITEM_FIELDS_MAX] = {{"place", TYPE_INTEGER}};
    for (size_t i = 0; i < kind->field_count; i++) {
        columns[1 + i] = (struct statement_column){
            kind->fields[i].member,
            kind->fields[i].type == FIELD_TEXT ? TYPE_TEXT : TYPE_INTEGER};
    }
    for (size_t row = 0; row < listing->count; row++) {
        struct facts_value *to = &values[row * width];
        *to++ = FACTS_INT((int64_t)row);
        for (size_t i = 0; i < kind->field_count; i++) {
            *to++ = value_of(&kind->fields[i], &listing->rows[row].values[i]);
        }
    }
    int failed = statement_load(look->facts, IDENTIFIER("listed"), columns, width,
                                (struct facts_values){values, listing->count * width}, err);
    free(values);
    return failed;
}

/* `sighted`: each name once. */
static int settle_names(const struct look *look, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "CREATE OR REPLACE TEMP TABLE sighted AS SELECT ");
    add_members(&sql, look->kind, EXPRESSION(""));
    statement_add(&sql, " FROM listed QUALIFY row_number() OVER (PARTITION BY ");
    statement_name(&sql, kind_identifier(look->kind));
    statement_add(&sql, " ORDER BY place DESC) = 1");
    int failed = statement_execute(look->facts, &sql, NULL, err);
    statement_release(&sql);
    return failed;
}

/* --- against what is known ---------------------------------------------------------------- */

static int count_changes(const struct look *look, struct inventory_counts *counts,
                         struct error *err)
{
    struct table table = {0};
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT count(n.");
    statement_name(&sql, kind_identifier(look->kind));
    statement_add(&sql, "), count(*) FILTER (o.");
    statement_name(&sql, kind_identifier(look->kind));
    statement_add(&sql, " IS NULL), count(*) FILTER (n.");
    statement_name(&sql, kind_identifier(look->kind));
    statement_add(&sql, " IS NULL), count(*) FILTER (");
    add_same_name(&sql, look->kind);
    statement_add(&sql, " AND NOT (");
    add_same(&sql, look->kind, false);
    statement_add(&sql, ")) FROM ");
    add_open(&sql, look);
    statement_add(&sql, " o FULL JOIN sighted n ON ");
    add_same_name(&sql, look->kind);
    int failed = statement_query(look->facts, &sql, &table, err);
    if (!failed) {
        *counts = (struct inventory_counts){
            .seen = table.columns[0].cells[0].integer,
            .appeared = table.columns[1].cells[0].integer,
            .gone = table.columns[2].cells[0].integer,
            .changed = table.columns[3].cells[0].integer,
        };
    }
    table_release(&table);
    statement_release(&sql);
    return failed;
}

/* After a pause every stretch ends; else those that the listing does not confirm. */
static int end_stretches(const struct look *look, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "UPDATE ");
    statement_name(&sql, table_of(look->kind));
    statement_add(&sql, " AS o SET \"until\" = ");
    statement_bind(&sql, FACTS_INT(look->ended));
    statement_add(&sql, " WHERE cluster = ");
    statement_bind(&sql, FACTS_TEXT(look->cluster));
    statement_add(&sql, " AND \"until\" = %" PRId64, STRETCH_NOT_ENDED);
    if (!look->paused) {
        statement_add(&sql, " AND NOT EXISTS (SELECT 1 FROM sighted n WHERE ");
        add_same(&sql, look->kind, false);
        statement_add(&sql, ")");
    }
    int failed = statement_execute(look->facts, &sql, NULL, err);
    statement_release(&sql);
    return failed;
}

static int begin_stretches(const struct look *look, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "INSERT INTO ");
    statement_name(&sql, table_of(look->kind));
    statement_add(&sql, " (cluster, \"from\", \"until\", ");
    add_members(&sql, look->kind, EXPRESSION(""));
    statement_add(&sql, ") SELECT ");
    statement_bind(&sql, FACTS_TEXT(look->cluster));
    statement_add(&sql, ", ");
    statement_bind(&sql, FACTS_INT(look->at));
    statement_add(&sql, ", %" PRId64 ", ", STRETCH_NOT_ENDED);
    add_members(&sql, look->kind, EXPRESSION("n."));
    statement_add(&sql, " FROM sighted n WHERE NOT EXISTS (SELECT 1 FROM ");
    add_open(&sql, look);
    statement_add(&sql, " o WHERE ");
    add_same_name(&sql, look->kind);
    statement_add(&sql, ") ORDER BY n.");
    statement_name(&sql, kind_identifier(look->kind));
    int failed = statement_execute(look->facts, &sql, NULL, err);
    statement_release(&sql);
    return failed;
}

static bool has_momentary(const struct inventory_item_description *kind)
{
    bool any = false;
    for (size_t i = 0; i < kind->field_count; i++) {
        any = any || kind->fields[i].momentary;
    }
    return any;
}

/*
 * What is momentary is put into the open stretches as it is now; those that have it already are
 * not written.
 */
static int refresh_momentary(const struct look *look, struct error *err)
{
    struct statement sql;
    if (!has_momentary(look->kind)) {
        return 0;
    }
    statement_init(&sql);
    statement_add(&sql, "UPDATE ");
    statement_name(&sql, table_of(look->kind));
    statement_add(&sql, " AS o SET ");
    bool any = false;
    for (size_t i = 0; i < look->kind->field_count; i++) {
        const struct identifier member = identifier_of_thing(&look->kind->fields[i]);
        if (look->kind->fields[i].momentary) {
            statement_add(&sql, any ? ", " : "");
            statement_name(&sql, member);
            statement_add(&sql, " = n.");
            statement_name(&sql, member);
            any = true;
        }
    }
    statement_add(&sql, " FROM sighted n WHERE o.cluster = ");
    statement_bind(&sql, FACTS_TEXT(look->cluster));
    statement_add(&sql, " AND o.\"until\" = %" PRId64 " AND ", STRETCH_NOT_ENDED);
    add_same_name(&sql, look->kind);
    statement_add(&sql, " AND NOT (");
    add_same(&sql, look->kind, true);
    statement_add(&sql, ")");
    int failed = statement_execute(look->facts, &sql, NULL, err);
    statement_release(&sql);
    return failed;
}

static int take_listing(const struct look *look, const struct inventory_item_list *listing,
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
    return failed ? failed : refresh_momentary(look, err);
}

int inventory_see(struct facts *facts, enum inventory_item_kind kind, struct str cluster,
                  int64_t at, int64_t slack, const struct inventory_item_list *listing,
                  struct inventory_counts *counts, struct error *err)
{
    struct look look = {
        .facts = facts, .kind = &inventory_item_kinds[kind], .cluster = cluster};
    const struct str what = str_of(look.kind->name);
    struct pull_state mark = {0};
    bool known = false;
    *counts = (struct inventory_counts){0};
    int failed = pull_state_get(facts, cluster, what, &mark, &known, err);
    if (failed || (known && at <= mark.seen_to)) {
        return failed;
    }
    look.paused = known && mark.seen_to < at - slack;
    look.at = at;
    look.ended = look.paused ? mark.seen_to : at;
    failed = take_listing(&look, listing, counts, err);
    return failed
               ? failed
               : pull_state_put(facts, cluster, what,
                                (struct pull_state){.seen_to = at, .index = mark.index}, err);
}

/* --- asking ------------------------------------------------------------------------------- */

/* Names, labels and units of the columns, as the kind's table says them. */
static void describe(struct table *table, const struct inventory_item_description *kind)
{
    static const struct inventory_item_field frame[] = {
        {"cluster", "cluster", "Cluster", "", FIELD_TEXT, UNIT_NONE, false},
        {"from", "from", "From", "", FIELD_INT, UNIT_INSTANT, false},
        {"until", "until", "Until", "", FIELD_INT, UNIT_INSTANT, false},
    };
    for (size_t c = 0; c < table->column_count; c++) {
        const struct inventory_item_field *field =
            c < COUNT_OF(frame) ? &frame[c] : &kind->fields[c - COUNT_OF(frame)];
        table->columns[c].id = field->id;
        table->columns[c].label = field->label;
        table->columns[c].unit = field->unit;
        table->columns[c].role = COLUMN_DIMENSION;
    }
}

/*
 * A stretch holds its first instant, even where a pause left it with no other. An open one
 * holds what comes after the last look for INVENTORY_AROUND_US.
 */
static void add_there(struct statement *sql, const struct look *look)
{
    statement_add(
        sql, "SELECT t.cluster, t.\"from\", nullif(t.\"until\", %" PRId64 ") AS \"until\", ",
        STRETCH_NOT_ENDED);
    add_members(sql, look->kind, EXPRESSION("t."));
    statement_add(sql, " FROM ");
    statement_name(sql, table_of(look->kind));
    statement_add(sql, " t JOIN marks m ON m.cluster = t.cluster AND m.what = ");
    statement_literal(sql, (struct identifier){look->kind->name});
    statement_add(sql,
                  " WHERE t.\"from\" <= %" PRId64 " AND (t.\"until\" > %" PRId64
                  " OR t.\"from\" = %" PRId64 ") AND (t.\"until\" < %" PRId64
                  " OR m.seen_to >= %" PRId64 ")",
                  look->at, look->at, look->at, STRETCH_NOT_ENDED,
                  look->at - INVENTORY_AROUND_US);
    if (look->cluster.ptr) {
        statement_add(sql, " AND t.cluster = ");
        statement_bind(sql, FACTS_TEXT(look->cluster));
    }
    statement_add(sql, " ORDER BY t.cluster, t.");
    statement_name(sql, kind_identifier(look->kind));
}

int inventory_at(struct facts *facts, enum inventory_item_kind kind, struct str cluster,
                 int64_t at, struct table *out, struct error *err)
{
    const struct look look = {
        .facts = facts, .kind = &inventory_item_kinds[kind], .cluster = cluster, .at = at};
    struct statement sql;
    statement_init(&sql);
    add_there(&sql, &look);
    int failed = statement_query(facts, &sql, out, err);
    if (!failed) {
        describe(out, look.kind);
    }
    statement_release(&sql);
    return failed;
}

int inventory_names(struct facts *facts, enum inventory_item_kind kind, struct table *out,
                    struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT DISTINCT ");
    statement_name(&sql, kind_identifier(&inventory_item_kinds[kind]));
    statement_add(&sql, ", cluster FROM ");
    statement_name(&sql, table_of(&inventory_item_kinds[kind]));
    statement_add(&sql, " ORDER BY ALL");
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}
