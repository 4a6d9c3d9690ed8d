/* SPDX-License-Identifier: MIT */

/*
 * Nodes as they were at a moment, and what runs held of them, by hand. Times are hours. A look is an hour and all
 * nodes there were then: name, cpus, GPUs, partitions and class, "-" where nothing is said; then, where the scheduler says
 * so, the hour at which the reason was set, and the cpus and GPUs that are allocated.
 */
#include "report/queries/nodes.h"

#include <stdlib.h>

#include "facts/inventory.h"
#include "support/expect.h"
#include "unit/report/hand.h"

enum { LOOKS_MAX = 4, RUNS_MAX = 4 };

#define LOOKS                                                                                  \
    {                                                                                          \
        "1 n1 8 - a idle, n2 8 2 a+b down", "3 n1 8 - a idle, n2 8 2 a+b idle, n3 4 - - idle", \
            "4 n1 8 - a idle, n2 8 2 a+b idle"                                                 \
    }

struct nodes_row {
    const char *name;
    const char *looks[LOOKS_MAX];
    const char *runs[RUNS_MAX];     /* "start end cpus gpus nodes" */
    const char *reserved[RUNS_MAX]; /* "look name start end nodes": as a look shows one */
    int64_t at, now;
    const char *by, *field, *pick; /* field and what is picked of it */
    const char *want; /* "node class cpus used gpus used for age", or what is counted */
    int64_t split, unreadable;
};

static const struct nodes_row nodes_rows[] = {
    {.name = "nobody looked yet", .looks = LOOKS, .at = 0, .now = 9, .want = ""},
    {.name = "the first look",
     .looks = LOOKS,
     .at = 2,
     .now = 9,
     .want = "n1 idle 8 0 --- 0 1 0\nn2 down 8 0 2 0 1 0\n"},
    /* n1 is as it was at 1; n2 and n3 are so since now. */
    {.name = "what changed and what came",
     .looks = LOOKS,
     .at = 3,
     .now = 9,
     .want = "n1 idle 8 0 --- 0 2 0\nn2 idle 8 0 2 0 0 0\nn3 idle 4 0 --- 0 0 0\n"},
    {.name = "an hour after the last look",
     .looks = LOOKS,
     .at = 5,
     .now = 9,
     .want = "n1 idle 8 0 --- 0 4 1\nn2 idle 8 0 2 0 2 1\n"},
    {.name = "later nothing is known", .looks = LOOKS, .at = 6, .now = 9, .want = ""},
    /* Without a moment: as they were seen last, and how long ago that was. */
    {.name = "the last that was seen",
     .looks = LOOKS,
     .at = -1,
     .now = 9,
     .want = "n1 idle 8 0 --- 0 8 5\nn2 idle 8 0 2 0 6 5\n"},

    /* A run holds 2 of 8 cpus; the scheduler says 6 and 3 GPUs. What it said is known of now, not of a past moment. */
    {.name = "what the scheduler says is allocated decides",
     .looks = {"3 n1 8 4 a mixed - 6 3"},
     .runs = {"1 9 2 1 n1"},
     .at = -1,
     .now = 4,
     .want = "n1 mixed 8 6 4 3 1 1\n"},
    {.name = "in the past runs decide",
     .looks = {"3 n1 8 4 a mixed - 6 3"},
     .runs = {"1 9 2 1 n1"},
     .at = 3,
     .now = 4,
     .want = "n1 mixed 8 2 4 1 0 0\n"},
    {.name = "what is allocated, counted; without runs",
     .looks = {"3 n1 8 4 a mixed - 6 3, n2 8 4 a idle - 0 0, n3 8 4 a down - 1 1"},
     .at = -1,
     .now = 4,
     .by = "partition",
     .want = "a 3 24 7 10 12 4 5 ---\nall 3 24 7 10 12 4 5 ---\n"},
    {.name = "what is allocated changes, and the node stays as it was",
     .looks = {"1 n1 8 - a mixed - 2", "2 n1 8 - a mixed - 5"},
     .at = -1,
     .now = 3,
     .want = "n1 mixed 8 5 --- 0 2 1\n"},
    {.name = "where every node says what is allocated, nothing is split",
     .looks = {"3 n1 8 - a mixed - 4, n2 8 - a mixed - 2"},
     .runs = {"1 9 6 - n[1-2]"},
     .at = -1,
     .now = 4,
     .want = "n1 mixed 8 4 --- --- 1 1\nn2 mixed 8 2 --- --- 1 1\n"},

    /* First seen at 5, down since 2 by the scheduler's own account. */
    {.name = "down since when the scheduler says",
     .looks = {"5 n1 8 - a down 2"},
     .at = -1,
     .now = 6,
     .want = "n1 down 8 0 --- 0 4 1\n"},
    /* Somebody wrote the reason at 2, and at 4 the node was still in service: it is down since 5. */
    {.name = "a reason that is older than the state",
     .looks = {"3 n1 8 - a idle", "4 n1 8 - a idle", "5 n1 8 - a down 2"},
     .at = -1,
     .now = 6,
     .want = "n1 down 8 0 --- 0 1 1\n"},
    {.name = "between two looks",
     .looks = {"3 n1 8 - a idle", "5 n1 8 - a down 4"},
     .at = -1,
     .now = 6,
     .want = "n1 down 8 0 --- 0 2 1\n"},
    {.name = "a reason that a node in service still has",
     .looks = {"5 n1 8 - a idle 2"},
     .at = -1,
     .now = 6,
     .want = "n1 idle 8 0 --- 0 1 1\n"},

    /* 6 cpus on two nodes are 3 each, 2 GPUs 1 each; beside it one run of 4 on n1. */
    {.name = "runs on several nodes are split",
     .looks = LOOKS,
     .runs = {"1 9 6 2 n[1-2]", "2 9 4 - n1"},
     .at = 4,
     .now = 9,
     .want = "n1 idle 8 7.0 --- 1.0 3 0\nn2 idle 8 3.0 2 1.0 1 0\n",
     .split = 1},
    /* Ended at 4, begun after 4: not there. A list nobody can read is in no node. */
    {.name = "runs that are not there, and where nobody knows",
     .looks = LOOKS,
     .runs = {"1 4 6 - n1", "5 9 6 - n1", "1 9 6 - n[1-"},
     .at = 4,
     .now = 9,
     .want = "n1 idle 8 0 --- 0 3 0\nn2 idle 8 0 2 0 1 0\n",
     .unreadable = 1},
    /* A run that does not tell its cpus: how much is used is unknown, not 4. */
    {.name = "a run that does not tell",
     .looks = LOOKS,
     .runs = {"1 9 - - n1", "1 9 4 - n1"},
     .at = 4,
     .now = 9,
     .want = "n1 idle 8 --- --- --- 3 0\nn2 idle 8 0 2 0 1 0\n"},

    {.name = "picked by one of its partitions",
     .looks = LOOKS,
     .at = 3,
     .now = 9,
     .field = "partition",
     .pick = "b,c",
     .want = "n2 idle 8 0 2 0 0 0\n"},
    {.name = "picked by what it is not",
     .looks = LOOKS,
     .at = 2,
     .now = 9,
     .field = "class",
     .pick = "!down",
     .want = "n1 idle 8 0 --- 0 1 0\n"},

    /* nodes, cpus, used, free, GPUs, used, free, memory. n2 is in both partitions, n3 in none. */
    {.name = "counts by partition",
     .looks = LOOKS,
     .runs = {"1 9 6 1 n2"},
     .at = 3,
     .now = 9,
     .by = "partition",
     .want = "a 2 16 6 10 2 1 1 ---\nb 1 8 6 2 2 1 1 ---\n--- 1 4 0 4 --- --- --- ---\n"
             "all 3 20 6 14 2 1 1 ---\n"},
    {.name = "what is held beyond what a node has leaves nothing free, and not less",
     .looks = LOOKS,
     .runs = {"1 9 6 2 n2", "1 9 6 2 n2"},
     .at = 3,
     .now = 9,
     .by = "partition",
     .want = "a 2 16 12 8 2 4 0 ---\nb 1 8 12 0 2 4 0 ---\n--- 1 4 0 4 --- --- --- ---\n"
             "all 3 20 12 12 2 4 0 ---\n"},
    /* n2 is in two reservations, n3 in one, n1 in none; one is over, one is to come. */
    {.name = "counts by reservation",
     .looks = LOOKS,
     .runs = {"1 9 6 1 n2"},
     .reserved = {"3 course 2 5 n[2-3]", "3 night 3 6 n2", "3 past 1 3 n1", "3 later 4 6 n1"},
     .at = 3,
     .now = 9,
     .by = "reservation",
     .want = "course 2 12 6 6 2 1 1 ---\nnight 1 8 6 2 2 1 1 ---\n"
             "--- 1 8 0 8 --- --- --- ---\nall 3 20 6 14 2 1 1 ---\n"},
    /* First seen at 3, begun at 1: it held them at 2 already. */
    {.name = "a reservation holds from its start, when seen later",
     .looks = LOOKS,
     .reserved = {"3 course 1 5 n2"},
     .at = 2,
     .now = 9,
     .by = "reservation",
     .want = "course 1 8 0 0 2 0 0 ---\n--- 1 8 0 8 --- --- --- ---\n"
             "all 2 16 0 8 2 0 0 ---\n"},
    {.name = "picked by one of its reservations",
     .looks = LOOKS,
     .reserved = {"3 course 2 5 n[2-3]", "3 night 3 6 n2"},
     .at = 3,
     .now = 9,
     .field = "reservation",
     .pick = "night,course",
     .want = "n2 idle 8 0 2 0 0 0\nn3 idle 4 0 --- 0 0 0\n"},
    {.name = "counts by class",
     .looks = LOOKS,
     .at = 2,
     .now = 9,
     .by = "class",
     .want = "down 1 8 0 0 2 0 0 ---\nidle 1 8 0 8 --- --- --- ---\nall 2 16 0 8 2 0 0 ---\n"},
};

static struct runs_store store;

static void set_value(struct inventory_item *node, enum node_field field, struct str text,
                      char *room)
{
    if (!text.ptr || str_eq(text, STR("-"))) {
        return;
    }
    if (field == NODE_reason_at) {
        INVENTORY_ITEM_SET_INT(node, field, hand_at(strtoll(text.ptr, NULL, 10)));
        return;
    }
    if (inventory_item_kinds[INVENTORY_ITEM_NODE].fields[field].type == FIELD_INT) {
        INVENTORY_ITEM_SET_INT(node, field, strtoll(text.ptr, NULL, 10));
        return;
    }
    for (size_t i = 0; i < text.len; i++) { /* commas are between nodes here */
        room[i] = text.ptr[i] == '+' ? ',' : text.ptr[i];
    }
    INVENTORY_ITEM_SET_TEXT(node, field, ((struct str){room, text.len}));
}

static void take_look(const char *text)
{
    static const enum node_field fields[] = {NODE_node,       NODE_cpus,      NODE_gpus,
                                             NODE_partitions, NODE_class,     NODE_reason_at,
                                             NODE_cpus_alloc, NODE_gpus_alloc};
    struct inventory_item_list nodes = {0};
    struct inventory_counts counts;
    struct error err = {0};
    char room[8][COUNT_OF(fields)][16];
    struct str rest = str_of(text), hour = str_cut(&rest, ' ');
    for (size_t n = 0; rest.ptr; n++) {
        struct str words = str_trim(str_cut(&rest, ','));
        struct inventory_item *node = inventory_item_list_add(&nodes);
        for (size_t i = 0; i < COUNT_OF(fields); i++) {
            set_value(node, fields[i], str_cut(&words, ' '), room[n][i]);
        }
    }
    if (inventory_see(store.facts, INVENTORY_ITEM_NODE, STR("toy"),
                      hand_at(strtoll(hour.ptr, NULL, 10)), 9 * HOUR_US, &nodes, &counts,
                      &err) != 0) {
        expect_fail("%s", err.text);
    }
    inventory_item_list_release(&nodes);
}

/* All reservations that were seen, since each look shows all there are. */
static struct inventory_item_list reserved;

static void reserve(const char *text)
{
    struct inventory_counts counts;
    struct error err = {0};
    struct str rest = str_of(text), hour = str_cut(&rest, ' ');
    struct inventory_item *thing = inventory_item_list_add(&reserved);
    INVENTORY_ITEM_SET_TEXT(thing, RESERVATION_reservation, str_cut(&rest, ' '));
    INVENTORY_ITEM_SET_INT(thing, RESERVATION_start,
                           hand_at(strtoll(str_cut(&rest, ' ').ptr, NULL, 10)));
    INVENTORY_ITEM_SET_INT(thing, RESERVATION_end,
                           hand_at(strtoll(str_cut(&rest, ' ').ptr, NULL, 10)));
    INVENTORY_ITEM_SET_TEXT(thing, RESERVATION_nodes, rest);
    const int64_t at = hand_at(strtoll(hour.ptr, NULL, 10)) + (int64_t)reserved.count;
    if (inventory_see(store.facts, INVENTORY_ITEM_RESERVATION, STR("toy"), at, 9 * HOUR_US,
                      &reserved, &counts, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static void add_run(const char *text)
{
    struct run run = {0};
    struct str rest = str_of(text);
    RUN_SET(&run, start, hand_at(strtoll(str_cut(&rest, ' ').ptr, NULL, 10)));
    RUN_SET(&run, end, hand_at(strtoll(str_cut(&rest, ' ').ptr, NULL, 10)));
    struct str cpus = str_cut(&rest, ' '), gpus = str_cut(&rest, ' ');
    if (!str_eq(cpus, STR("-"))) {
        RUN_SET(&run, cpus, strtoll(cpus.ptr, NULL, 10));
    }
    if (!str_eq(gpus, STR("-"))) {
        RUN_SET(&run, gpus, strtoll(gpus.ptr, NULL, 10));
    }
    RUN_SET(&run, nodes, rest);
    runs_add(&store, &run, 1);
}

static void prepare(const struct nodes_row *row)
{
    const struct runs_texts lists[] = {{row->looks, LOOKS_MAX, take_look},
                                       {row->runs, RUNS_MAX, add_run},
                                       {row->reserved, RUNS_MAX, reserve}};
    runs_stage(&store, lists, COUNT_OF(lists));
    inventory_item_list_release(&reserved);
}

static void choose(struct nodes_question *question, const char *const *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        question->columns[question->column_count++] = nodes_column_find(str_of(ids[i]));
    }
}

/* Asks, and for what is counted asks for all together. */
static void ask_nodes(const struct nodes_row *row, struct nodes_question *question,
                      struct buf *out)
{
    struct table table = {0}, total = {0};
    struct nodes_notes notes = {0}, ignored = {0};
    struct error err = {0};
    if (nodes_ask(store.facts, question, &table, &notes, &err) != 0) {
        expect_fail("%s", err.text);
    }
    hand_print(&table, out);
    if (row->by) {
        question->key_count = 0;
        question->total = true;
        if (nodes_ask(store.facts, question, &total, &ignored, &err) != 0) {
            expect_fail("%s", err.text);
        }
        buf_addz(out, "all ");
        hand_print(&total, out);
    }
    expect_int(notes.split, row->split);
    expect_int(notes.unreadable, row->unreadable);
    expect_uint(notes.looks.row_count, 1);
    table_release(&notes.looks);
    table_release(&ignored.looks);
    table_release(&table);
    table_release(&total);
}

static void nodes_by_hand(void **state)
{
    static const char *const ids[] = {"node", "class",     "cpus", "cpus_used",
                                      "gpus", "gpus_used", "for",  "age"};
    const struct nodes_row *row = *state;
    struct zone *zone = ask_zone("UTC");
    struct nodes_question question = {.zone = zone,
                                      .at = row->at < 0 ? -1 : hand_at(row->at),
                                      .now = hand_at(row->now),
                                      .keys = {row->by},
                                      .key_count = row->by != NULL};
    struct error err = {0};
    struct buf got;
    buf_init(&got, 1 << 16);
    prepare(row);
    choose(&question, ids, COUNT_OF(ids));
    if (row->field) {
        expect_int(filter_add(&question.filter, run_field_find(str_of(row->field)),
                              str_of(row->pick), &err),
                   0);
    }
    ask_nodes(row, &question, &got);
    char *text = buf_take(&got);
    buf_release(&got);
    zone_close(zone);
    expect_text(text, row->want);
    free(text);
}

/* From 2 to 4 on: the stretches that reach into it, how long each lasted as far as anybody looked. */
static void a_node_has_a_history(void **state)
{
    (void)state;
    static const struct nodes_row row = {.looks = LOOKS};
    static const char *const ids[] = {"class"};
    struct zone *zone = ask_zone("UTC");
    struct nodes_question question = {.zone = zone, .now = hand_at(9)};
    struct table table = {0};
    struct error err = {0};
    struct buf got;
    buf_init(&got, 1 << 16);
    prepare(&row);
    choose(&question, ids, COUNT_OF(ids));
    expect_int(filter_add(&question.filter, &run_fields[RUN_node], STR("n[23]"), &err), 0);
    expect_int(nodes_history(store.facts, &question, (struct period){hand_at(2), hand_at(4)},
                             &table, &err),
               0);
    hand_print(&table, &got);
    expect_text(got.ptr, "toy n2 1 3 2 down\ntoy n2 3 --- 1 idle\ntoy n3 3 4 1 idle\n");
    buf_release(&got);
    table_release(&table);
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, nodes_by_hand, nodes_rows);
    SUITE_TEST(&suite, a_node_has_a_history);
    return runs_suite(&suite, &store, "nodes");
}
