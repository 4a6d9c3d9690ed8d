/* SPDX-License-Identifier: MIT */

/*
 * Sightings become stretches. Times are minutes; `until` of an open stretch prints as "...".
 */
#include "facts/inventory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/zone.h"
#include "facts/pull_state.h"
#include "support/expect.h"
#include "support/runs.h"

#define MINUTE_US (60 * SECOND_US)
#define SLACK_US  (10 * MINUTE_US)

static struct runs_store store;

static int open_store(void **state)
{
    (void)state;
    runs_open(&store);
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    runs_close(&store);
    return 0;
}

/* Takes a listing of nodes written "name cpus class, name cpus class"; "-" is absent. */
static struct inventory_counts see(const char *cluster, int64_t minute, const char *nodes)
{
    struct inventory_item_list listing = {0};
    struct str rest = str_of(nodes);
    while (rest.len > 0) {
        struct str words = str_trim(str_cut(&rest, ','));
        struct inventory_item *node = inventory_item_list_add(&listing);
        INVENTORY_ITEM_SET_TEXT(node, NODE_node, str_cut(&words, ' '));
        struct str cpus = str_cut(&words, ' ');
        if (!str_eq(cpus, STR("-"))) {
            INVENTORY_ITEM_SET_INT(node, NODE_cpus, strtoll(cpus.ptr, NULL, 10));
        }
        if (!str_eq(words, STR("-"))) {
            INVENTORY_ITEM_SET_TEXT(node, NODE_class, words);
        }
    }
    struct inventory_counts counts = {.seen = -1};
    struct error err = {0};
    if (facts_begin(store.facts, &err) ||
        inventory_see(store.facts, INVENTORY_ITEM_NODE, str_of(cluster), minute * MINUTE_US,
                      SLACK_US, &listing, &counts, &err) ||
        facts_commit(store.facts, &err)) {
        expect_fail("%s", err.text);
    }
    inventory_item_list_release(&listing);
    return counts;
}

static void expect_counts(struct inventory_counts got, int64_t seen, int64_t appeared,
                          int64_t changed, int64_t gone)
{
    expect_int(got.seen, seen);
    expect_int(got.appeared, appeared);
    expect_int(got.changed, changed);
    expect_int(got.gone, gone);
}

static void add_cell(struct buf *text, const struct table *table, size_t c, size_t row)
{
    if (!table_has(table, c, row)) {
        buf_addc(text, '-');
    } else if (table->columns[c].type == CELL_TEXT) {
        buf_add(text, table->columns[c].cells[row].text);
    } else {
        buf_addf(text, "%" PRId64, table->columns[c].cells[row].integer);
    }
}

static void expect_rows(const struct table *table, const char *want)
{
    struct buf got;
    buf_init(&got, 1 << 20);
    for (size_t row = 0; row < table->row_count; row++) {
        for (size_t c = 0; c < table->column_count; c++) {
            buf_addz(&got, c ? " " : "");
            add_cell(&got, table, c, row);
        }
        buf_addc(&got, '\n');
    }
    expect_text(got.ptr, want);
    buf_release(&got);
}

/* All stretches: cluster, node, from, until, cpus, class. */
static void expect_stretches(const char *want)
{
    struct table table = {0};
    struct error err = {0};
    if (facts_query(store.facts,
                    "SELECT cluster, node, \"from\" // 60000000, CASE WHEN \"until\" = "
                    "9223372036854775807 THEN '...' ELSE (\"until\" // 60000000)::VARCHAR END, "
                    "cpus, class FROM nodes ORDER BY ALL",
                    (struct facts_values){0}, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_rows(&table, want);
    table_release(&table);
}

/* Who was there at a minute: cluster, node, class. */
static void expect_there(const char *cluster, int64_t minute, const char *want)
{
    struct table table = {0};
    struct error err = {0};
    struct buf got;
    buf_init(&got, 1 << 20);
    if (inventory_at(store.facts, INVENTORY_ITEM_NODE, str_of(cluster), minute * MINUTE_US,
                     &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_uint(table.column_count, 3 + NODE_FIELD_COUNT);
    for (size_t row = 0; row < table.row_count; row++) {
        add_cell(&got, &table, 0, row);
        buf_addc(&got, ' ');
        add_cell(&got, &table, 3 + NODE_node, row);
        buf_addc(&got, ' ');
        add_cell(&got, &table, 3 + NODE_class, row);
        buf_addc(&got, '\n');
    }
    expect_text(got.ptr, want);
    buf_release(&got);
    table_release(&table);
}

static int64_t mark_minute(const char *cluster)
{
    struct pull_state mark = {0};
    bool known = false;
    struct error err = {0};
    expect_int(pull_state_get(store.facts, str_of(cluster), STR("node"), &mark, &known, &err),
               0);
    return known ? mark.seen_to / MINUTE_US : -1;
}

/* --- one description ---------------------------------------------------------------------------- */

/* The columns of the facts are the fields, in their order, with their types, after the stretch. */
static void the_schema_has_a_column_for_each_field_of_a_thing(void **state)
{
    (void)state;
    for (int kind = 0; kind < INVENTORY_ITEM_KIND_COUNT; kind++) {
        const struct inventory_item_description *thing = &inventory_item_kinds[kind];
        struct table table = {0};
        struct error err = {0};
        const struct facts_value name = FACTS_TEXT(str_of(thing->table));
        if (facts_query(store.facts,
                        "SELECT column_name, data_type FROM duckdb_columns() "
                        "WHERE table_name = ? ORDER BY column_index",
                        (struct facts_values){&name, 1}, &table, &err) != 0) {
            expect_fail("%s", err.text);
        }
        expect_uint(table.row_count, 3 + thing->field_count);
        for (size_t i = 0; i < table.row_count; i++) {
            static const char *const frame[] = {"cluster", "from", "until"};
            struct str column = table.columns[0].cells[i].text;
            struct str type = table.columns[1].cells[i].text;
            bool text = i < 3 ? i == 0 : thing->fields[i - 3].type == FIELD_TEXT;
            expect_text_n(column.ptr, column.len,
                          i < 3 ? frame[i] : thing->fields[i - 3].member);
            expect_text_n(type.ptr, type.len, text ? "VARCHAR" : "BIGINT");
        }
        table_release(&table);
    }
}

static void things_are_described(void **state)
{
    (void)state;
    for (int kind = 0; kind < INVENTORY_ITEM_KIND_COUNT; kind++) {
        const struct inventory_item_description *thing = &inventory_item_kinds[kind];
        expect_true(thing->fields[0].type == FIELD_TEXT);
        for (size_t i = 0; i < thing->field_count; i++) {
            const struct inventory_item_field *field = &thing->fields[i];
            expect_true(strlen(field->label) > 0 && strlen(field->doc) > 0);
            expect_uint(strspn(field->id, "abcdefghijklmnopqrstuvwxyz_"), strlen(field->id));
            expect_true(field->type == FIELD_INT || field->unit == UNIT_NONE);
        }
    }
    for (int a = 0; a < NODE_CLASS_COUNT; a++) {
        for (int b = 0; b < a; b++) {
            expect_false(str_eq(node_class_name((enum node_class)a),
                                node_class_name((enum node_class)b)));
        }
    }
}

/* --- stretches ---------------------------------------------------------------------------------- */

static void the_first_listing_begins_a_stretch_for_each(void **state)
{
    (void)state;
    expect_counts(see("east", 1, "n1 4 idle, n2 8 down"), 2, 2, 0, 0);
    expect_stretches("east n1 1 ... 4 idle\n"
                     "east n2 1 ... 8 down\n");
    expect_int(mark_minute("east"), 1);
}

static void what_did_not_change_writes_nothing_but_the_mark(void **state)
{
    (void)state;
    (void)see("east", 1, "n1 4 idle, n2 - -");
    expect_counts(see("east", 6, "n2 - -, n1 4 idle"), 2, 0, 0, 0);
    expect_stretches("east n1 1 ... 4 idle\n"
                     "east n2 1 ... - -\n");
    expect_int(mark_minute("east"), 6);
}

static void a_change_ends_a_stretch_and_begins_another(void **state)
{
    (void)state;
    (void)see("east", 1, "n1 4 idle, n2 8 idle, n3 - idle");
    expect_counts(see("east", 6, "n1 4 allocated, n2 8 idle, n3 2 idle"), 3, 0, 2, 0);
    expect_counts(see("east", 9, "n1 4 allocated, n2 8 idle, n3 - idle"), 3, 0, 1, 0);
    expect_stretches("east n1 1 6 4 idle\n"
                     "east n1 6 ... 4 allocated\n"
                     "east n2 1 ... 8 idle\n"
                     "east n3 1 6 - idle\n"
                     "east n3 6 9 2 idle\n"
                     "east n3 9 ... - idle\n");
}

static void what_is_not_listed_is_gone_and_may_come_back(void **state)
{
    (void)state;
    (void)see("east", 1, "n1 4 idle, n2 8 idle");
    expect_counts(see("east", 6, "n1 4 idle"), 1, 0, 0, 1);
    expect_counts(see("east", 12, "n1 4 idle"), 1, 0, 0, 0);
    expect_counts(see("east", 20, "n1 4 idle, n2 8 idle"), 2, 1, 0, 0);
    expect_stretches("east n1 1 ... 4 idle\n"
                     "east n2 1 6 8 idle\n"
                     "east n2 20 ... 8 idle\n");
    expect_counts(see("east", 21, ""), 0, 0, 0, 2);
    expect_there("east", 21, "");
    expect_there("east", 20, "east n1 idle\neast n2 idle\n");
}

static void a_pause_of_more_than_slack_is_unknown(void **state)
{
    (void)state;
    (void)see("east", 1, "n1 4 idle, n2 8 idle, n4 1 idle");
    (void)see("east", 5, "n1 4 idle, n2 8 idle, n3 2 idle, n4 1 idle");
    /* ten minutes are slack, and eleven a pause */
    (void)see("east", 15, "n1 4 idle, n2 8 idle, n3 2 idle, n4 1 idle");
    (void)see("east", 16, "n1 4 idle, n2 8 idle, n3 2 idle, n4 1 down");
    expect_counts(see("east", 27, "n1 4 idle, n2 8 down, n4 1 down, n5 6 idle"), 4, 1, 1, 1);
    expect_stretches("east n1 1 16 4 idle\n"
                     "east n1 27 ... 4 idle\n"
                     "east n2 1 16 8 idle\n"
                     "east n2 27 ... 8 down\n"
                     "east n3 5 16 2 idle\n"
                     "east n4 1 16 1 idle\n"
                     "east n4 16 16 1 down\n" /* seen so once */
                     "east n4 27 ... 1 down\n"
                     "east n5 27 ... 6 idle\n");
    expect_there("east", 20, "");
    expect_there("east", 16, "east n4 down\n");
}

static void the_same_listing_again_changes_nothing(void **state)
{
    (void)state;
    (void)see("east", 6, "n1 4 idle");
    expect_counts(see("east", 6, "n1 4 down, n2 4 idle"), 0, 0, 0, 0);
    expect_stretches("east n1 6 ... 4 idle\n");
    expect_int(mark_minute("east"), 6);
}

static void an_older_listing_changes_nothing(void **state)
{
    (void)state;
    (void)see("east", 6, "n1 4 idle");
    expect_counts(see("east", 5, "n1 4 down, n2 4 idle"), 0, 0, 0, 0);
    expect_stretches("east n1 6 ... 4 idle\n");
    expect_int(mark_minute("east"), 6);
}

static void a_name_twice_counts_as_its_last(void **state)
{
    (void)state;
    expect_counts(see("east", 1, "n1 4 idle, n2 1 idle, n1 4 down"), 2, 2, 0, 0);
    expect_counts(see("east", 2, "n1 4 idle, n2 1 idle, n1 4 down"), 2, 0, 0, 0);
    expect_stretches("east n1 1 ... 4 down\n"
                     "east n2 1 ... 1 idle\n");
}

static void clusters_do_not_know_of_each_other(void **state)
{
    (void)state;
    (void)see("east", 1, "n1 4 idle, n2 4 idle");
    (void)see("west", 2, "n1 9 down");
    expect_counts(see("east", 3, "n1 4 idle"), 1, 0, 0, 1);
    expect_counts(see("west", 3, "n1 9 down"), 1, 0, 0, 0);
    expect_stretches("east n1 1 ... 4 idle\n"
                     "east n2 1 3 4 idle\n"
                     "west n1 2 ... 9 down\n");
    expect_there(NULL, 2, "east n1 idle\neast n2 idle\nwest n1 down\n");
    expect_there("west", 2, "west n1 down\n");
    expect_there("west", 1, "");
}

static void kinds_do_not_know_of_each_other(void **state)
{
    (void)state;
    struct inventory_item_list listing = {0};
    struct inventory_counts counts = {0};
    struct error err = {0};
    (void)see("east", 5, "n1 4 idle");
    struct inventory_item *reservation = inventory_item_list_add(&listing);
    INVENTORY_ITEM_SET_TEXT(reservation, RESERVATION_reservation, STR("service"));
    INVENTORY_ITEM_SET_INT(reservation, RESERVATION_end, 9);
    INVENTORY_ITEM_SET_TEXT(reservation, RESERVATION_flags, STR("MAINT"));
    /* earlier than the mark of the nodes, which is another */
    expect_int(inventory_see(store.facts, INVENTORY_ITEM_RESERVATION, STR("east"), 3, SLACK_US,
                             &listing, &counts, &err),
               0);
    expect_counts(counts, 1, 1, 0, 0);
    struct table table = {0};
    expect_int(
        inventory_at(store.facts, INVENTORY_ITEM_RESERVATION, STR("east"), 3, &table, &err), 0);
    expect_rows(&table, "east 3 - service - 9 - - - - - - MAINT\n");
    expect_text(table.columns[3 + RESERVATION_end].id, "end");
    expect_int(table.columns[3 + RESERVATION_end].unit, UNIT_INSTANT);
    table_release(&table);
    inventory_item_list_release(&listing);
}

static void a_thing_without_a_name_is_refused(void **state)
{
    (void)state;
    struct inventory_item_list listing = {0};
    struct inventory_counts counts = {0};
    struct error err = {0};
    struct inventory_item *node = inventory_item_list_add(&listing);
    INVENTORY_ITEM_SET_INT(node, NODE_cpus, 4);
    expect_int(inventory_see(store.facts, INVENTORY_ITEM_NODE, STR("east"), 3, SLACK_US,
                             &listing, &counts, &err),
               ERROR_INPUT);
    expect_text(err.text, "cannot take a listing of 'east': node 1 of it has no name");
    inventory_item_list_release(&listing);
}

/* What was seen last is taken to be so for an hour, and no longer. */
static void nobody_looked_is_not_there(void **state)
{
    (void)state;
    (void)see("east", 10, "n1 4 idle");
    expect_there("east", 9, "");
    expect_there("east", 10, "east n1 idle\n");
    expect_there("east", 70, "east n1 idle\n");
    expect_there("east", 71, "");
}

static int64_t stretch_count(void)
{
    int64_t count = 0;
    struct error err = {0};
    expect_int(facts_number(store.facts, "SELECT count(*) FROM nodes", (struct facts_values){0},
                            &count, NULL, &err),
               0);
    return count;
}

/* Ten thousand nodes, of which a hundred change a minute: rows are written for those only. */
static void ten_thousand_nodes_write_only_what_changed(void **state)
{
    (void)state;

    enum { NODES = 10000, CHANGING = 100 };

    static char names[NODES][8];
    struct inventory_item_list listing = {0};
    struct error err = {0};
    for (size_t i = 0; i < NODES; i++) {
        struct inventory_item *node = inventory_item_list_add(&listing);
        (void)snprintf(names[i], sizeof(names[i]), "n%05zu", i);
        INVENTORY_ITEM_SET_TEXT(node, NODE_node, str_of(names[i]));
        INVENTORY_ITEM_SET_INT(node, NODE_cpus, 128);
        INVENTORY_ITEM_SET_TEXT(node, NODE_class, STR("idle"));
    }
    clock_t begun = clock();
    for (int64_t minute = 1; minute <= 5; minute++) {
        struct inventory_counts counts = {0};
        for (size_t i = 0; i < CHANGING; i++) {
            INVENTORY_ITEM_SET_INT(&listing.rows[i * 7], NODE_gpus, minute);
        }
        expect_int(facts_begin(store.facts, &err), 0);
        expect_int(inventory_see(store.facts, INVENTORY_ITEM_NODE, STR("east"),
                                 minute * MINUTE_US, SLACK_US, &listing, &counts, &err),
                   0);
        expect_int(facts_commit(store.facts, &err), 0);
        expect_counts(counts, NODES, minute == 1 ? NODES : 0, minute == 1 ? 0 : CHANGING, 0);
        expect_int(stretch_count(), NODES + (minute - 1) * CHANGING);
    }
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    print_message("five listings of %d nodes: %.2f s of cpu\n", NODES, seconds);
    inventory_item_list_release(&listing);
}

#define STORE_TEST(suite, function)                                                            \
    suite_test_with((suite), #function, (function), open_store, close_store, NULL)

int main(void)
{
    struct suite suite = {0};
    STORE_TEST(&suite, the_schema_has_a_column_for_each_field_of_a_thing);
    SUITE_TEST(&suite, things_are_described);
    STORE_TEST(&suite, the_first_listing_begins_a_stretch_for_each);
    STORE_TEST(&suite, what_did_not_change_writes_nothing_but_the_mark);
    STORE_TEST(&suite, a_change_ends_a_stretch_and_begins_another);
    STORE_TEST(&suite, what_is_not_listed_is_gone_and_may_come_back);
    STORE_TEST(&suite, a_pause_of_more_than_slack_is_unknown);
    STORE_TEST(&suite, the_same_listing_again_changes_nothing);
    STORE_TEST(&suite, an_older_listing_changes_nothing);
    STORE_TEST(&suite, a_name_twice_counts_as_its_last);
    STORE_TEST(&suite, clusters_do_not_know_of_each_other);
    STORE_TEST(&suite, kinds_do_not_know_of_each_other);
    STORE_TEST(&suite, a_thing_without_a_name_is_refused);
    STORE_TEST(&suite, nobody_looked_is_not_there);
    STORE_TEST(&suite, ten_thousand_nodes_write_only_what_changed);
    return suite_run(&suite, "inventory");
}
