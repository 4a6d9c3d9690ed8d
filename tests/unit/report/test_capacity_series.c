/* SPDX-License-Identifier: MIT */

/*
 * How large clusters were, worked out by hand. The day is Monday, 10 March 2025, in UTC, unless a row says
 * otherwise; times are hours from its beginning. A look is an hour and all nodes there were then, each with
 * its cpus, GPUs ("-": it says nothing) and class; a node counts as it was seen for an hour after the last
 * look, and looks that are more than 12 hours apart leave a hole.
 */
#include <stdlib.h>

#include "facts/inventory.h"
#include "support/chance.h"
#include "support/expect.h"
#include "unit/report/ask.h"

enum { LOOKS_MAX = 6, RUNS_MAX = 4, HOURS = 24, SLACK_HOURS = 12 };

struct size_row {
    const char *name;
    /* "6 n1 8 - idle, n2 8 - down"; "6@west n1 ...": of that cluster */
    const char *looks[LOOKS_MAX];
    const char *runs[RUNS_MAX]; /* "start end cpus gpus"; "@west start ..." */
    const char *told[2];        /* "cpus gpus from to": somebody wrote it down */
    const char *rule;           /* node pattern that counts under "other" */
    const char *measures, *by, *user;
    const char *zone, *from, *to;
    enum bucket bucket;
    int64_t now; /* 0: ten days later */
    const char *want;
};

#define DAY "2025-03-10"
#define PARTS                                                                                  \
    "cpu_hours_capacity,cpu_hours,cpu_hours_down,cpu_hours_planned,cpu_hours_reserved,"        \
    "cpu_hours_unknown,cpu_hours_idle"

static const struct size_row size_rows[] = {
    /* 2 x 8 x 24 = 384; n2 is down from 6 to 12: 48; the run has 4 x 8 = 32; 304 are left. 32 / 384. */
    {.name = "a node goes down and comes back",
     .looks = {"0 n1 8 - idle, n2 8 - idle", "6 n1 8 - mixed, n2 8 - down",
               "12 n1 8 - idle, n2 8 - idle", "23 n1 8 - idle, n2 8 - idle"},
     .runs = {"2 10 4 0"},
     .measures = PARTS ",utilization",
     .want = "384h 32h 48h 0h 0h 0h 304h 0.0833\n"},
    /* n1 is there from 0 to 18, n2 from 12 on: 8 x 18 + 4 x 12 = 192. */
    {.name = "nodes come and go",
     .looks = {"0 n1 8 - idle", "12 n1 8 - idle, n2 4 - idle", "18 n2 4 - idle",
               "23 n2 4 - idle"},
     .measures = PARTS,
     .want = "192h 0h 0h 0h 0h 0h 192h\n"},
    /* Six nodes with a cpu each. Under maintenance and drained: planned. What drains or saves power could
     * be in use. */
    {.name = "what each class counts as",
     .looks = {"0 a 1 - reserved, b 1 - maintenance, c 1 - drained, d 1 - draining, e 1 - "
               "powered_down, f 1 - unknown, g 1 - failed",
               "12 a 1 - reserved, b 1 - maintenance, c 1 - drained, d 1 - draining, e 1 - "
               "powered_down, f 1 - unknown, g 1 - failed",
               "23 a 1 - reserved, b 1 - maintenance, c 1 - drained, d 1 - draining, e 1 - "
               "powered_down, f 1 - strange, g 1 - failed"},
     .measures = PARTS,
     .want = "168h 0h 24h 48h 24h 24h 48h\n"},
    /* Clocks go forward: 23 hours of 10 cpus on the 30th. */
    {.name = "a day of 23 hours",
     .looks = {"470 n1 10 - idle", "480 n1 10 - idle", "490 n1 10 - idle", "500 n1 10 - idle",
               "510 n1 10 - idle", "520 n1 10 - idle"},
     .runs = {"479 502 5 0"}, /* from midnight to midnight */
     .measures = "cpu_hours_capacity,cpu_hours_idle,utilization",
     .zone = "Europe/Berlin",
     .from = "2025-03-30",
     .to = "2025-03-30",
     .bucket = BUCKET_DAY,
     .now = 1000,
     .want = "2025-03-30 230h 115h 0.5000\n"},
    /* Seen until 6, and from 19 on. The day is not known, and nothing in it that needs all of it. */
    {.name = "a hole",
     .looks = {"0 n1 8 - idle", "6 n1 8 - idle", "19 n1 8 - idle", "23 n1 8 - idle"},
     .runs = {"2 4 8 0"},
     .measures = PARTS ",utilization",
     .want = "--- 16h --- --- --- --- --- ---\n"},
    {.name = "the hours before a hole",
     .looks = {"0 n1 8 - idle", "6 n1 8 - idle", "19 n1 8 - idle", "23 n1 8 - idle"},
     .runs = {"4 6 4 0"},
     .measures = "cpu_hours_idle,utilization",
     .from = "2025-03-10T04:00",
     .to = "2025-03-10T08:00",
     .bucket = BUCKET_HOUR,
     .want = "2025-03-10T04:00 4h 0.5000\n2025-03-10T05:00 4h 0.5000\n"
             "2025-03-10T06:00 --- ---\n2025-03-10T07:00 --- ---\n"},
    /* Nobody looked before 3. */
    {.name = "the beginning",
     .looks = {"3 n1 8 - idle", "12 n1 8 - idle", "23 n1 8 - idle"},
     .measures = "cpu_hours_capacity",
     .want = "---\n"},
    /* 20 x 12 = 240 of 8 x 24 = 192: one and a quarter, and 48 less than nothing are left. */
    {.name = "more than there is",
     .looks = {"0 n1 8 - allocated", "12 n1 8 - idle", "23 n1 8 - idle"},
     .runs = {"0 12 20 0"},
     .measures = "cpu_hours_capacity,cpu_hours,cpu_hours_idle,utilization",
     .want = "192h 240h -48h 1.2500\n"},
    /* The books say 100 all day: 2400. n1 is down for 12 of its hours: 96. 2400 - 96 - 40 are left. */
    {.name = "what somebody wrote down holds",
     .looks = {"0 n1 8 - down", "12 n1 8 - idle", "23 n1 8 - idle"},
     .runs = {"13 14 40 0"},
     .told = {"100 -1 -48 480"},
     .measures = PARTS,
     .want = "2400h 40h 96h 0h 0h 0h 2264h\n"},
    /* 10 until 6 by the books, then 8 that were seen: 60 + 144. GPUs are not in the books. */
    {.name = "written down for a part of the time",
     .looks = {"0 n1 8 2 idle", "12 n1 8 2 idle", "23 n1 8 2 idle"},
     .told = {"10 -1 -48 6"},
     .measures = "cpu_hours_capacity,gpu_hours_capacity",
     .want = "204h 48h\n"},
    /* Nobody looked, but the books tell: what was down is not known, what was there is. */
    {.name = "written down and never looked at",
     .runs = {"0 12 10 0"},
     .told = {"10 -1 -48 480"},
     .measures = PARTS ",utilization",
     .want = "240h 120h --- --- --- --- --- 0.5000\n"},
    /* The books fill the hole from 6 to 19: 6 x 8 + 13 x 9 + 5 x 8. */
    {.name = "the books fill a hole",
     .looks = {"0 n1 8 - idle", "6 n1 8 - idle", "19 n1 8 - idle", "23 n1 8 - idle"},
     .told = {"9 -1 6 19"},
     .measures = "cpu_hours_capacity,cpu_hours_down",
     .want = "205h ---\n"},
    /* East: 192, of which 8 x 6 = 48; west has nodes and no run at all. The larger comes first. */
    {.name = "two clusters",
     .looks = {"0 n1 8 - idle", "12 n1 8 - idle", "23 n1 8 - idle", "1@west w 2 - idle",
               "12@west w 2 - idle", "23@west w 2 - idle"},
     .runs = {"0 6 8 0"},
     .measures = "cpu_hours_capacity,cpu_hours,cpu_hours_idle,utilization",
     .by = "cluster",
     .from = "2025-03-10T01:00",
     .to = "2025-03-11T00:00",
     .want = "toy 184h 40h 144h 0.2174\nwest 46h 0h 46h 0.0000\n"},
    {.name = "two clusters together",
     .looks = {"0 n1 8 - idle", "12 n1 8 - idle", "23 n1 8 - idle", "1@west w 2 - idle",
               "12@west w 2 - idle", "23@west w 2 - idle"},
     .runs = {"0 6 8 0"},
     .measures = "cpu_hours_capacity,cpu_hours_idle,utilization",
     .from = "2025-03-10T01:00",
     .to = "2025-03-11T00:00",
     .want = "230h 190h 0.1739\n"},
    /* One of the two is not known in the first hour, so both together are not. */
    {.name = "one cluster that nobody looked at",
     .looks = {"0 n1 8 - idle", "12 n1 8 - idle", "23 n1 8 - idle", "1@west w 2 - idle",
               "12@west w 2 - idle", "23@west w 2 - idle"},
     .measures = "cpu_hours_capacity",
     .want = "---\n"},
    /* A person has no capacity. Utilization is a share of the whole all the same. */
    {.name = "by user",
     .looks = {"0 n1 8 - idle", "12 n1 8 - idle", "23 n1 8 - idle"},
     .runs = {"0 6 8 0"},
     .measures = "cpu_hours,cpu_hours_capacity,cpu_hours_idle,utilization",
     .by = "user",
     .want = "ann 48h --- --- 0.2500\n"},
    {.name = "of one user",
     .looks = {"0 n1 8 - idle", "12 n1 8 - idle", "23 n1 8 - idle"},
     .runs = {"0 6 8 0"},
     .measures = "cpu_hours,cpu_hours_down,cpu_hours_idle,utilization",
     .user = "ann",
     .want = "48h --- --- 0.2500\n"},
    /* n1 has 4 GPUs, n2 says nothing of any: 96, of which 2 x 12 = 24. n1 is down for 4 hours: 16. */
    {.name = "GPUs",
     .looks = {"0 n1 8 4 idle, n2 8 - idle", "12 n1 8 4 down, n2 8 - idle",
               "16 n1 8 4 idle, n2 8 - idle", "23 n1 8 4 idle, n2 8 - idle"},
     .runs = {"0 12 1 2"},
     .measures = "gpu_hours_capacity,gpu_hours,gpu_hours_down,gpu_hours_idle,gpu_utilization",
     .want = "96h 24h 16h 56h 0.2500\n"},
    {.name = "GPUs nobody tells",
     .looks = {"0 n1 8 - idle", "12 n1 8 - idle", "23 n1 8 - idle"},
     .measures = "gpu_hours_capacity,gpu_hours_idle,gpu_utilization",
     .want = "--- --- ---\n"},
    {.name = "a node that does not tell its cpus",
     .looks = {"0 n1 8 - idle, n2 - - idle", "12 n1 8 - idle, n2 - - idle",
               "23 n1 8 - idle, n2 - - idle"},
     .measures = "cpu_hours_capacity,cpu_hours_down",
     .want = "--- ---\n"},
    /* Of today what has passed: 12 hours of 8. Looked at an hour ago at the latest. */
    {.name = "today",
     .looks = {"0 n1 8 - idle", "11 n1 8 - idle"},
     .runs = {"6 12 4 0"},
     .measures = "cpu_hours_capacity,cpu_hours_idle,utilization",
     .now = 12,
     .want = "96h 72h 0.2500\n"},
    {.name = "today, and nobody looked lately",
     .looks = {"0 n1 8 - idle", "10 n1 8 - idle"},
     .measures = "cpu_hours_capacity",
     .now = 12,
     .want = "---\n"},
    /* g1 counts under another cluster, as the runs on it do. */
    {.name = "nodes that count elsewhere",
     .looks = {"0 n1 8 - idle, g1 2 - down", "12 n1 8 - idle, g1 2 - down",
               "23 n1 8 - idle, g1 2 - down"},
     .rule = "g*",
     .measures = "cpu_hours_capacity,cpu_hours_down",
     .by = "cluster",
     .want = "toy 192h 0h\nother 48h 48h\n"},
    /* 12 hours of 8, then 12 of 4: the hours before noon and those after, on one day. */
    {.name = "by hour of the day",
     .looks = {"0 n1 8 - idle", "12 n1 4 - idle", "23 n1 4 - idle"},
     .measures = "cpu_hours_capacity",
     .by = "hour_of_day",
     .from = "2025-03-10T11:00",
     .to = "2025-03-10T13:00",
     .want = "11 8h\n12 4h\n"},
    {.name = "by weekday",
     .looks = {"0 n1 8 - idle", "12 n1 4 - idle", "23 n1 4 - idle"},
     .runs = {"0 24 2 0"},
     .measures = "cpu_hours_capacity,cpu_hours_idle",
     .by = "weekday",
     .want = "Mon 144h 96h\n"},
};

/* 2025-03-10T00:00Z */
static const int64_t day = INT64_C(1741564800) * SECOND_US;

static struct runs_store store;

static void see(struct str cluster, int64_t at, const struct inventory_item_list *nodes)
{
    struct inventory_counts counts;
    struct error err = {0};
    if (inventory_see(store.facts, INVENTORY_ITEM_NODE, cluster, at, SLACK_HOURS * HOUR_US,
                      nodes, &counts, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static void set_number(struct inventory_item *node, enum node_field field, struct str text)
{
    if (!str_eq(text, STR("-"))) {
        INVENTORY_ITEM_SET_INT(node, field, strtoll(text.ptr, NULL, 10));
    }
}

static void take_look(const char *text)
{
    struct inventory_item_list nodes = {0};
    struct str rest = str_of(text), when = str_cut(&rest, ' '), cluster = when;
    struct str hour = str_cut(&cluster, '@');
    while (rest.ptr) {
        struct str words = str_trim(str_cut(&rest, ','));
        struct inventory_item *node = inventory_item_list_add(&nodes);
        INVENTORY_ITEM_SET_TEXT(node, NODE_node, str_cut(&words, ' '));
        set_number(node, NODE_cpus, str_cut(&words, ' '));
        set_number(node, NODE_gpus, str_cut(&words, ' '));
        INVENTORY_ITEM_SET_TEXT(node, NODE_class, words);
    }
    see(cluster.ptr ? cluster : STR("toy"), day + strtoll(hour.ptr, NULL, 10) * HOUR_US,
        &nodes);
    inventory_item_list_release(&nodes);
}

static void add_run(const char *text)
{
    struct run run = {0};
    char *end = NULL;
    RUN_SET(&run, user, STR("ann"));
    RUN_SET(&run, start, day + strtoll(text, &end, 10) * HOUR_US);
    RUN_SET(&run, end, day + strtoll(end, &end, 10) * HOUR_US);
    RUN_SET(&run, cpus, strtoll(end, &end, 10));
    RUN_SET(&run, gpus, strtoll(end, &end, 10));
    runs_add(&store, &run, 1);
}

static void prepare(const struct size_row *row)
{
    const struct runs_texts lists[] = {{row->looks, LOOKS_MAX, take_look},
                                       {row->runs, RUNS_MAX, add_run}};
    runs_stage(&store, lists, COUNT_OF(lists));
}

static struct capacity told(const char *text)
{
    char *end = NULL;
    struct capacity capacity = {.cluster = STR("toy")};
    capacity.cpus_micro = strtoll(text, &end, 10) * 1000000;
    capacity.gpus_micro = strtoll(end, &end, 10);
    capacity.period.from = day + strtoll(end, &end, 10) * HOUR_US;
    capacity.period.to = day + strtoll(end, &end, 10) * HOUR_US;
    return capacity;
}

static void sizes_by_hand(void **state)
{
    const struct size_row *row = *state;
    struct zone *zone = ask_zone(row->zone ? row->zone : "UTC");
    struct capacity capacities[2] = {0};
    struct capacity_list list = {.rows = capacities};
    struct cluster_rule rule = {
        .cluster = STR("*"), .node = str_of(row->rule), .as = STR("other")};
    const struct cluster_rules rules = {.rows = &rule, .count = 1};
    struct question question = {
        .zone = zone,
        .period = ask_period(zone, row->from ? row->from : DAY, row->to ? row->to : DAY),
        .bucket = row->bucket,
        .now = day + (row->now ? row->now : (int64_t)10 * HOURS) * HOUR_US,
        .capacities = &list,
        .rules = row->rule ? &rules : NULL,
    };
    for (; list.count < COUNT_OF(row->told) && row->told[list.count]; list.count++) {
        capacities[list.count] = told(row->told[list.count]);
    }
    prepare(row);
    ask_measures(&question, row->measures);
    if (row->by) {
        ask_by(&question, row->by);
    }
    if (row->user) {
        ask_where(&question, "user", row->user);
    }
    expect_answer(store.facts, &question, row->want);
    zone_close(zone);
}

/* Of 24 hours the size is known for 6 + 5, and for 3 more by the books. */
static void how_much_is_known_is_told(void **state)
{
    (void)state;
    static const struct size_row row = {
        .looks = {"0 n1 8 - idle", "6 n1 8 - idle", "19 n1 8 - idle", "23 n1 8 - idle"}};
    struct zone *zone = ask_zone("UTC");
    struct capacity capacity = told("9 -1 7 10");
    struct capacity_list list = {.rows = &capacity, .count = 1};
    struct question question = {.zone = zone,
                                .period = ask_period(zone, DAY, DAY),
                                .now = day + 99 * HOUR_US,
                                .capacities = &list};
    struct table table = {0};
    struct error err = {0};
    prepare(&row);
    ask_measures(&question, "cpu_hours");
    expect_int(question_sizes(store.facts, &question, PER_CPUS, &table, &err), 0);
    expect_uint(table.row_count, 0);
    table_release(&table);
    ask_measures(&question, "utilization");
    expect_int(question_sizes(store.facts, &question, PER_CPUS, &table, &err), 0);
    expect_uint(table.row_count, 1);
    expect_int(ask_number(&table, "whole", 0), 24 * HOUR_US);
    expect_int(ask_number(&table, "known", 0), 14 * HOUR_US);
    expect_int(ask_number(&table, "looked", 0), 11 * HOUR_US);
    table_release(&table);
    zone_close(zone);
}

/* --- the slow way ------------------------------------------------------------------------------- */

enum { NODES = 7, PARTS_OF_ALL = 5 };

static const struct {
    const char *class;
    int part; /* column of PARTS less the first; -1: may be in use */
} random_classes[] = {{"idle", -1},         {"mixed", -1},      {"allocated", -1},
                      {"draining", -1},     {"down", 1},        {"failed", 1},
                      {"drained", 2},       {"maintenance", 2}, {"reserved", 3},
                      {"powered_down", -1}, {"unknown", 4}};

/* Looks at every hour; what each hour then holds is plain. */
static void look_at_random(struct chance *chance, int64_t sums[][PARTS_OF_ALL])
{
    static const char *const names[NODES] = {"a", "b", "c", "d", "e", "f", "g"};
    for (int64_t hour = 0; hour < HOURS; hour++) {
        struct inventory_item_list nodes = {0};
        for (size_t i = 0; i < NODES; i++) {
            const size_t class =
                (size_t)chance_below(chance, (int64_t)COUNT_OF(random_classes));
            const int64_t cpus = (int64_t)i + 1 + (chance_of(chance, 10) ? 3 : 0);
            if (i > 0 && chance_of(chance, 15)) {
                continue; /* gone */
            }
            struct inventory_item *node = inventory_item_list_add(&nodes);
            INVENTORY_ITEM_SET_TEXT(node, NODE_node, str_of(names[i]));
            INVENTORY_ITEM_SET_INT(node, NODE_cpus, cpus);
            INVENTORY_ITEM_SET_TEXT(node, NODE_class, str_of(random_classes[class].class));
            sums[hour][0] += cpus;
            if (random_classes[class].part > 0) {
                sums[hour][random_classes[class].part] += cpus;
            }
        }
        see(STR("toy"), day + hour * HOUR_US, &nodes);
        inventory_item_list_release(&nodes);
    }
}

static void expect_bucket(const struct table *table, size_t row, const int64_t *sums)
{
    static const char *const ids[PARTS_OF_ALL] = {"cpu_hours_capacity", "cpu_hours_down",
                                                  "cpu_hours_planned", "cpu_hours_reserved",
                                                  "cpu_hours_unknown"};
    int64_t parts = ask_number(table, "cpu_hours", row);
    for (size_t i = 0; i < PARTS_OF_ALL; i++) {
        expect_int(ask_number(table, ids[i], row), sums[i] * HOUR_US);
        parts += i ? ask_number(table, ids[i], row) : 0;
    }
    parts += ask_number(table, "cpu_hours_idle", row);
    expect_int(parts, ask_number(table, "cpu_hours_capacity", row));
}

static void parts_are_the_whole_in_every_bucket(void **state)
{
    (void)state;
    struct zone *zone = ask_zone("UTC");
    struct chance chance;
    chance_init(&chance, 20250310);
    for (int round = 0; round < 5; round++) {
        int64_t sums[HOURS][PARTS_OF_ALL] = {0};
        struct question question = {.zone = zone,
                                    .period = ask_period(zone, DAY, DAY),
                                    .bucket = BUCKET_HOUR,
                                    .now = day + 99 * HOUR_US};
        struct table table;
        runs_clear(&store);
        runs_clear_things(&store);
        look_at_random(&chance, sums);
        for (int64_t i = 0; i < 20; i++) {
            struct run run = {0};
            RUN_SET(&run, start, day + chance_below(&chance, HOURS * 60) * 60 * SECOND_US);
            RUN_SET(&run, end, run.start + chance_below(&chance, 600) * 60 * SECOND_US);
            RUN_SET(&run, cpus, 1 + chance_below(&chance, 8));
            runs_add(&store, &run, 1);
        }
        ask_measures(&question, PARTS);
        ask(store.facts, &question, &table);
        expect_uint(table.row_count, HOURS);
        for (size_t row = 0; row < table.row_count; row++) {
            expect_bucket(&table, row, sums[row]);
        }
        table_release(&table);
    }
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, sizes_by_hand, size_rows);
    SUITE_TEST(&suite, how_much_is_known_is_told);
    SUITE_TEST(&suite, parts_are_the_whole_in_every_bucket);
    return runs_suite(&suite, &store, "size");
}
