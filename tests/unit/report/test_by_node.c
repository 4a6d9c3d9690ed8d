/* SPDX-License-Identifier: MIT */

/*
 * Runs on their nodes, worked out by hand. The period is Monday, 10 March 2025, in UTC; times of runs are hours from its
 * beginning, as in hand.h.
 */

#include "report/queries/distinct_values.h"
#include "report/rollup/rollup.h"
#include "unit/report/hand.h"

enum { RUNS_MAX = 4, MANY = 1000 };

#define DAY "2025-03-10"

struct node_row {
    const char *name;
    const char *runs[RUNS_MAX];
    const char *measures, *by;
    const char *node; /* a filter, or NULL */
    enum bucket bucket;
    const char *want;
};

static const struct node_row node_rows[] = {
    /* 7 cpus on 3 nodes are 3, 2 and 2, whatever the order of the list; 1 hour of it */
    {.name = "what cannot be cut evenly is that of earlier nodes",
     .runs = {"start=1 end=2 cpus=7 nodes=c[2-3],c1 node=c2 node_count=3"},
     .measures = "cpu_hours,node_hours,wall_hours,jobs",
     .by = "node",
     .want = "c1 3h 1h 1h 1\nc2 2h 1h 1h 1\nc3 2h 1h 1h 1\n"},
    {.name = "a run on one node is whole there",
     .runs = {"start=1 end=2 cpus=7 nodes=c1 node=c1 node_count=1",
              "start=1 end=2 cpus=1 node=c2 node_count=1"},
     .measures = "cpu_hours,jobs",
     .by = "node",
     .want = "c1 7h 1\nc2 1h 1\n"},
    {.name = "a list without a count is believed",
     .runs = {"start=1 end=2 cpus=4 nodes=c[1-2] node=c1"},
     .measures = "cpu_hours,node_hours",
     .by = "node",
     .want = "c1 2h ---\nc2 2h ---\n"},
    /* of 4 nodes one is named: the others have 3 of 4 cpus */
    {.name = "nodes that are not recorded are a row without a name",
     .runs = {"start=1 end=2 cpus=4 node=c1 node_count=4",
              "start=1 end=2 cpus=8 nodes=c[1-2] node=c1 node_count=4"},
     .measures = "cpu_hours,node_hours,jobs",
     .by = "node",
     .want = "--- 7h 5h 2\nc1 3h 2h 2\nc2 2h 1h 1\n"},
    {.name = "a run without nodes has a row without a name",
     .runs = {"start=1 end=2 cpus=4", "submit=1 end=2 class=cancelled"},
     .measures = "cpu_hours,jobs,jobs_never_started,nodes",
     .by = "node",
     .want = "--- 4h 1 1 ---\n"},
    {.name = "a run is left out by its first node, with its nodes that are not recorded",
     .runs = {"start=1 end=2 cpus=4 node=c1 node_count=4", "start=1 end=2 cpus=4 node=c2"},
     .measures = "cpu_hours,jobs",
     .by = "node",
     .node = "!c1",
     .want = "--- 4h 1\nc2 --- 1\n"},
    {.name = "a pattern finds a node of a list without a first node",
     .runs = {"start=1 end=2 cpus=4 nodes=c[1-2] node_count=2"},
     .measures = "jobs",
     .by = "user",
     .node = "c*",
     .want = "--- 1\n"},
    {.name = "and leaves its run out",
     .runs = {"start=1 end=2 cpus=4 nodes=c[1-2] node_count=2"},
     .measures = "jobs",
     .by = "user",
     .node = "!?2",
     .want = ""},
    /* nobody knows what the first node of a parallel run had */
    {.name = "a first node among nobody knows how many has the run and no share of it",
     .runs = {"start=1 end=2 cpus=4 node=c1"},
     .measures = "cpu_hours,jobs",
     .by = "node",
     .want = "--- 4h 1\nc1 --- 1\n"},
    {.name = "a list that cannot be read is none",
     .runs = {"start=1 end=2 cpus=4 nodes=c[1- node=c1 node_count=2"},
     .measures = "cpu_hours,jobs",
     .by = "node",
     .want = "c1 2h 1\n--- 2h 1\n"},
    {.name =
         "where the list says the cpus of each node, cpus and their time are shared by these",
     .runs = {"start=1 end=2 cpus=12 cpu_used=6 gpus=2 nodes=c2*4,c1*8 node=c2 node_count=2"},
     .measures = "cpu_hours,cpu_used_hours,gpu_hours,node_hours,cpus_max",
     .by = "node",
     .want = "c1 8h 4h 1h 1h 8\nc2 4h 2h 1h 1h 4\n"},
    {.name = "a node without cpus has none",
     .runs = {"start=1 end=2 cpus=8 nodes=c1*8,c2*0 node=c1 node_count=2"},
     .measures = "cpu_hours,jobs",
     .by = "node",
     .want = "c1 8h 1\nc2 0h 1\n"},
    {.name = "cpus that are not those of the run, or not of all its nodes, are not believed",
     .runs = {"start=1 end=2 cpus=10 nodes=c1*8,c2*4 node=c1 node_count=2",
              "start=1 end=2 cpus=12 nodes=c1*8,c2*4 node=c1 node_count=3",
              "start=1 end=2 cpus=12 nodes=c1*8,c2 node=c1 node_count=2"},
     .measures = "cpu_hours",
     .by = "node",
     .want = "c1 15h\nc2 15h\n--- 4h\n"},
    {.name = "what was used is cut by time and by cpus, and adds up",
     .runs = {"start=-2 end=2 cpus=4 cpu_used=8 nodes=c1*1,c2*3 node=c1 node_count=2"},
     .measures = "cpu_hours,cpu_used_hours",
     .by = "node",
     .want = "c2 6h 3h\nc1 2h 1h\n"},
    {.name = "a list that names a node twice has it once",
     .runs = {"start=1 end=2 cpus=4 nodes=c1,c2,c1 node=c1 node_count=2"},
     .measures = "cpu_hours,jobs",
     .by = "node",
     .want = "c1 2h 1\nc2 2h 1\n"},
    /* Of 9 joules half was used before the day, and half of the rest on each of two nodes. */
    {.name = "what was used is cut by time and by node, and adds up",
     .runs = {"start=-2 end=2 cpus=2 cpu_used=0 energy=9 nodes=c[1-2] node=c1 node_count=2"},
     .measures = "energy,cpu_hours",
     .by = "node",
     .want = "c1 2.25 2h\nc2 2.25 2h\n"},
    {.name = "without the dimension a run counts once, and all of its nodes are counted",
     .runs = {"start=1 end=2 cpus=4 nodes=c[1-2] node=c1 node_count=2",
              "start=1 end=2 cpus=4 nodes=c[2-3] node=c2 node_count=2"},
     .measures = "jobs,cpu_hours,nodes",
     .node = "c2",
     .want = "2 8h 3\n"},
    {.name = "a filter chooses the nodes of rows",
     .runs = {"start=1 end=2 cpus=4 nodes=c[1-2] node=c1 node_count=2",
              "start=1 end=2 cpus=4 nodes=c[2-3] node=c2 node_count=2"},
     .measures = "jobs,cpu_hours",
     .by = "node",
     .node = "c2,c3",
     .want = "c2 2 4h\nc3 1 2h\n"},
    {.name = "a node that is left out leaves out its runs",
     .runs = {"start=1 end=2 cpus=4 nodes=c[1-2] node=c1 node_count=2",
              "start=1 end=2 cpus=4 nodes=c[2-3] node=c2 node_count=2"},
     .measures = "jobs,cpu_hours",
     .by = "node",
     .node = "!c3",
     .want = "c1 1 2h\nc2 1 2h\n"},
    {.name = "other dimensions and filters are those of the run",
     .runs = {"start=1 end=2 cpus=4 nodes=c[1-2] node=c1 node_count=2 user=ann"},
     .measures = "cpu_hours",
     .by = "node,size,cpus,node_count",
     .want = "c1 4-7 4 2 2h\nc2 4-7 4 2 2h\n"},
    {.name = "most at once, by node",
     .runs = {"start=1 end=3 cpus=4 nodes=c[1-2] node=c1 node_count=2",
              "start=2 end=4 cpus=6 nodes=c[2-3] node=c2 node_count=2"},
     .measures = "cpus_running_peak,running_peak,running_avg",
     .by = "node",
     .want = "c2 5 2 0.1667\nc3 3 1 0.0833\nc1 2 1 0.0833\n"},
    {.name = "waits and times are those of the run, on each of its nodes",
     .runs = {"submit=0 start=1 end=3 cpus=2 cpu_used=2 nodes=c[1-2] node=c1 node_count=2",
              "submit=0 start=3 end=4 cpus=1 cpu_used=1 nodes=c1 node=c1 node_count=1"},
     .measures = "wait_max,wall_median,cpus_max,cpu_efficiency,success_rate",
     .by = "node",
     .want = "c1 10800000000 3600000000 1 0.6667 0.0000\n"
             "c2 3600000000 7200000000 1 0.5000 0.0000\n"},
    {.name = "hours of the day and nodes",
     .runs = {"start=1 end=3 cpus=4 nodes=c[1-2] node=c1 node_count=2"},
     .measures = "cpu_hours,jobs_active",
     .by = "hour_of_day,node",
     .want = "1 c1 2h 1\n1 c2 2h 1\n2 c1 2h 1\n2 c2 2h 1\n"},
    {.name = "different nodes of each day",
     .runs = {"start=1 end=30 nodes=c[1-2] node=c1 node_count=2",
              "start=1 end=2 nodes=c[2-4] node=c2 node_count=3"},
     .measures = "nodes,jobs_active",
     .bucket = BUCKET_DAY,
     .want = "2025-03-10 4 2\n"},
};

static struct runs_store store;

static struct question question_of(const struct node_row *row, const struct zone *zone)
{
    struct question question = {.zone = zone,
                                .period = ask_period(zone, DAY, DAY),
                                .bucket = row->bucket,
                                .now = hand_at(240)};
    ask_measures(&question, row->measures);
    if (row->by) {
        ask_by(&question, row->by);
    }
    if (row->node) {
        ask_where(&question, "node", row->node);
    }
    return question;
}

static void add_runs(const struct node_row *row)
{
    struct run runs[RUNS_MAX] = {0};
    size_t count = 0;
    for (; count < RUNS_MAX && row->runs[count]; count++) {
        hand_run(row->runs[count], &runs[count]);
    }
    runs_clear(&store);
    runs_add(&store, runs, count);
}

static void nodes_by_hand(void **state)
{
    const struct node_row *row = *state;
    struct zone *zone = ask_zone("UTC");
    const struct question question = question_of(row, zone);
    add_runs(row);
    expect_answer(store.facts, &question, row->want);
    zone_close(zone);
}

/* Roll-ups know no nodes: with and without them it is the same. */
static void roll_ups_do_not_answer_for_nodes(void **state)
{
    (void)state;
    struct zone *zone = ask_zone("UTC");
    struct error err = {0};
    add_runs(&node_rows[0]);
    if (rollup_refresh(store.facts, zone, &err) != 0) {
        expect_fail("%s", err.text);
    }
    const struct question question = question_of(&node_rows[0], zone);
    expect_answer(store.facts, &question, node_rows[0].want);
    zone_close(zone);
}

static wide_int sum_of(const struct table *table, size_t column)
{
    wide_int sum = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        sum += table_has(table, column, row) ? table_wide(table, column, row) : 0;
    }
    return sum;
}

static void a_thousand_nodes_add_up_to_the_run(void **state)
{
    (void)state;
    static const struct node_row row = {
        .runs = {"start=-5 end=9 cpus=128333 gpus=17 mem=123456789012345 disk=77 billing=5 "
                 "cpu_used=12345 cpu_user=11111 cpu_system=999 gpu_used=3 energy=1000001 "
                 "nodes=n[0001-1000] node=n0001 node_count=1000 class=completed"},
        .measures =
            "cpu_hours,gpu_hours,node_hours,mem_gib_hours,disk_gib_hours,billing_hours,"
            "cpu_used_hours,cpu_user_hours,cpu_system_hours,gpu_used_hours,energy,jobs"};
    struct zone *zone = ask_zone("UTC");
    struct question question = question_of(&row, zone);
    struct table whole, nodes;
    add_runs(&row);
    ask(store.facts, &question, &whole);
    ask_by(&question, "node");
    ask(store.facts, &question, &nodes);
    expect_uint(nodes.row_count, MANY);
    for (size_t i = 0; i < question.measure_count; i++) {
        const bool adds_up = question_adds_up(&question, question.measures[i]);
        expect_true(adds_up == (i + 1 < question.measure_count)); /* all but jobs */
        expect_true(sum_of(&nodes, 1 + i) ==
                    (adds_up ? table_wide(&whole, i, 0) : MANY * table_wide(&whole, i, 0)));
    }
    table_release(&whole);
    table_release(&nodes);
    zone_close(zone);
}

static void what_all_rows_come_to_is_of_the_nodes_that_were_chosen(void **state)
{
    (void)state;
    static const struct node_row row = {
        .runs = {"start=1 end=2 cpus=4 nodes=c[1-2] node=c1 node_count=2",
                 "start=1 end=2 cpus=4 nodes=c[2-3] node=c2 node_count=2"},
        .measures = "cpu_hours,jobs,wall_hours,nodes",
        .by = "node",
        .node = "c2,c3"};
    struct zone *zone = ask_zone("UTC");
    struct question question = question_of(&row, zone);
    add_runs(&row);
    question_drop_dimensions(&question);
    expect_answer(store.facts, &question, "6h 2 2h 3\n");
    zone_close(zone);
}

static void expect_has(const char *name, bool want)
{
    struct error err = {0};
    bool has = false;
    if (distinct_values_has(store.facts, &run_fields[RUN_node], str_of(name), &has, &err) !=
        0) {
        expect_fail("%s", err.text);
    }
    expect_true(has == want);
}

static void every_node_of_a_list_is_known(void **state)
{
    (void)state;
    static const struct node_row row = {
        .runs = {"start=1 end=2 nodes=c[1-2] node=c1 node_count=2"}};
    add_runs(&row);
    expect_has("c1", true);
    expect_has("c2", true);
    expect_has("c3", false);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, nodes_by_hand, node_rows);
    SUITE_TEST(&suite, roll_ups_do_not_answer_for_nodes);
    SUITE_TEST(&suite, a_thousand_nodes_add_up_to_the_run);
    SUITE_TEST(&suite, what_all_rows_come_to_is_of_the_nodes_that_were_chosen);
    SUITE_TEST(&suite, every_node_of_a_list_is_known);
    return runs_suite(&suite, &store, "by_node");
}
