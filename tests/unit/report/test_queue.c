/* SPDX-License-Identifier: MIT */

/*
 * What waited and ran at a moment, by hand. Times are hours; the moment is 10 unless a row says otherwise. Answers
 * are lines of "state id cpus gpus since for", or what is counted.
 */
#include "report/queries/queue.h"

#include <stdlib.h>

#include "support/expect.h"
#include "unit/report/hand.h"

enum { RUNS_MAX = 6 };

struct queue_row {
    const char *name;
    const char *runs[RUNS_MAX]; /* "submit=2 start=5 cpus=4" */
    int64_t at;
    const char *by[QUEUE_KEYS_MAX], *partition, *states;
    const char *want;
};

static const struct queue_row queue_rows[] = {
    {.name = "nothing", .want = ""},
    /* Submitted at 8 and started at 12: waits at 10, has waited 2. Started at 9: runs. Over at 10: not there. */
    {.name = "what waits, what runs, what is over",
     .runs = {"submit=8 start=12 end=13 cpus=4", "submit=8 start=9 end=11 cpus=2 gpus=1",
              "submit=8 start=9 end=10 cpus=1", "submit=10 start=10 end=11 cpus=3"},
     .want = "running 2 2 1 9 1\nrunning 4 3 --- 10 0\npending 1 4 --- 8 2\n"},
    {.name = "not yet submitted",
     .runs = {"submit=11 start=12 end=13 cpus=4", "start=11 end=12 cpus=1"},
     .want = ""},
    /* Given up at 12 without a start: waited at 10. Given up at 9, or nobody knows when: not. */
    {.name = "given up while it waited",
     .runs = {"submit=8 end=12 class=cancelled req_cpus=4 req_gpus=2",
              "submit=8 end=9 class=cancelled cpus=4", "submit=8 class=cancelled cpus=4"},
     .want = "pending 1 4 2 8 2\n"},
    {.name = "waits still, runs still",
     .runs = {"submit=8 class=pending req_cpus=4 seen=10",
              "submit=7 start=9 class=running cpus=2",
              "submit=7 start=9 class=suspended cpus=8"},
     .want = "running 2 2 --- 9 1\nsuspended 3 8 --- 9 1\npending 1 4 --- 8 2\n"},
    /* At 8 what runs since 9 waited, and what is suspended now was not then known to be. */
    {.name = "before they started",
     .runs = {"submit=8 class=pending req_cpus=4", "submit=7 start=9 class=suspended cpus=2"},
     .at = 8,
     .want = "pending 2 2 --- 7 1\npending 1 4 --- 8 0\n"},
    /* What it asked for while it waited, what it has when it runs. */
    {.name = "asked for and given",
     .runs = {"submit=1 start=11 end=12 req_cpus=3 cpus=4 req_gpus=1 gpus=2",
              "submit=1 start=2 end=12 req_cpus=3 cpus=4 req_gpus=1 gpus=2"},
     .want = "running 2 4 2 2 8\npending 1 3 1 1 9\n"},
    /* 50 tasks of 2 cpus. */
    {.name = "array tasks that wait together",
     .runs = {"submit=8 class=pending task_count=50 req_cpus=2"},
     .want = "pending 1 100 --- 8 2\n"},
    {.name = "picked by state",
     .runs = {"submit=8 start=12 end=13 cpus=4", "submit=8 start=9 end=11 cpus=2"},
     .states = "pending",
     .want = "pending 1 4 --- 8 2\n"},
    {.name = "picked by one of its partitions",
     .runs = {"submit=8 start=12 end=13 cpus=4 partition=a,b",
              "submit=8 start=12 end=13 cpus=4 partition=a", "submit=8 start=12 end=13 cpus=4"},
     .partition = "b",
     .want = "pending 1 4 --- 8 2\n"},

    /* jobs, cpus, GPUs that wait; jobs, cpus, GPUs that run. Two wait, one runs; one is in both partitions. */
    {.name = "counts by partition",
     .runs = {"submit=8 class=pending task_count=3 req_cpus=2 partition=a,b",
              "submit=8 class=pending req_cpus=1 partition=a",
              "submit=8 start=9 end=11 cpus=8 gpus=1 partition=b"},
     .by = {"partition"},
     .want = "a 4 7 --- 0 0 0\nb 3 6 --- 1 8 1\nall 4 7 --- 1 8 1\n"},
    /* Two clusters may call a partition the same; a run without an account is one of nobody. */
    {.name = "counts by cluster and partition",
     .runs = {"submit=8 class=pending req_cpus=2 partition=a,b cluster=x",
              "submit=8 start=9 end=11 cpus=8 partition=a cluster=y",
              "submit=8 start=9 end=11 cpus=1 partition=a cluster=y",
              "submit=8 start=9 end=11 cpus=1 cluster=x"},
     .by = {"cluster", "partition"},
     .want = "y a 0 0 0 2 9 ---\nx a 1 2 --- 0 0 0\nx b 1 2 --- 0 0 0\n"
             "x --- 0 0 0 1 1 ---\nall 1 2 --- 3 10 ---\n"},
    /* A partition of the filter chooses runs, which then count in all of theirs. */
    {.name = "counts of what one of its partitions picks",
     .runs = {"submit=8 class=pending req_cpus=2 partition=a,b",
              "submit=8 class=pending req_cpus=4 partition=a"},
     .by = {"partition"},
     .partition = "b",
     .want = "a 1 2 --- 0 0 0\nb 1 2 --- 0 0 0\nall 1 2 --- 0 0 0\n"},
    /* What a run does not tell is unknown, not zero; where there is no run there is zero. */
    {.name = "counts by user",
     .runs = {"submit=8 start=9 end=11 user=ann", "submit=8 start=9 end=11 cpus=2 user=ann",
              "submit=8 start=9 end=11 user=bob", "submit=8 start=9 end=11 cpus=7"},
     .by = {"user"},
     .want = "ann 0 0 0 2 2 ---\nbob 0 0 0 1 --- ---\n--- 0 0 0 1 7 ---\nall 0 0 0 4 9 ---\n"},
};

static struct runs_store store;

static void add_runs(const struct queue_row *row)
{
    runs_clear(&store);
    for (size_t i = 0; i < RUNS_MAX && row->runs[i]; i++) {
        struct run run = {0};
        RUN_SET(&run, job, (int64_t)i + 1);
        hand_run(row->runs[i], &run);
        runs_add(&store, &run, 1);
    }
}

static void choose_columns(struct queue_question *question)
{
    static const char *const ids[] = {"state", "id", "cpus", "gpus", "since", "for"};
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        size_t column = 0;
        while (!str_eq(str_of(queue_column_at(column)), str_of(ids[i]))) {
            column++;
        }
        question->columns[question->column_count++] = column;
    }
}

static void queue_by_hand(void **state)
{
    const struct queue_row *row = *state;
    struct zone *zone = ask_zone("UTC");
    struct queue_question question = {.zone = zone, .at = hand_at(row->at ? row->at : 10)};
    struct table table = {0}, totals = {0};
    struct error err = {0};
    struct buf got;
    buf_init(&got, 1 << 16);
    add_runs(row);
    choose_columns(&question);
    while (question.key_count < QUEUE_KEYS_MAX && row->by[question.key_count]) {
        question.keys[question.key_count] = row->by[question.key_count];
        question.key_count++;
    }
    for (size_t i = 0; i < QUEUE_STATE_COUNT; i++) {
        question.states[i] =
            !row->states || str_eq(str_of(row->states), str_of(queue_state_at(i)));
    }
    if (row->partition) {
        expect_int(filter_add(&question.filter, &run_fields[RUN_partition],
                              str_of(row->partition), &err),
                   0);
    }
    if (queue_ask(store.facts, &question, &table, &err) != 0 ||
        (question.key_count && queue_totals(store.facts, &question, &totals, &err) != 0)) {
        expect_fail("%s", err.text);
    }
    hand_print(&table, &got);
    if (question.key_count) {
        buf_addz(&got, "all ");
        hand_print(&totals, &got);
    }
    char *text = buf_take(&got);
    buf_release(&got);
    table_release(&table);
    table_release(&totals);
    zone_close(zone);
    expect_text(text, row->want);
    free(text);
}

/* Seen at 10, an hour before; seen at 8; from a log; over, so that nobody need have seen it. */
static void what_was_not_seen_lately_is_counted(void **state)
{
    (void)state;
    static const struct queue_row row = {.runs = {"submit=8 start=9 class=running seen=10",
                                                  "submit=8 start=9 class=running seen=8",
                                                  "submit=8 class=pending",
                                                  "submit=8 start=9 end=12"}};
    struct zone *zone = ask_zone("UTC");
    struct queue_question question = {
        .zone = zone, .at = hand_at(11), .states = {true, true, true}};
    struct error err = {0};
    int64_t stale = 0;
    add_runs(&row);
    expect_int(queue_stale(store.facts, &question, HOUR_US, &stale, &err), 0);
    expect_int(stale, 2);
    zone_close(zone);
}

/* Every state below the runs, with what they have or want together. */
static void totals_are_by_state(void **state)
{
    (void)state;
    static const struct queue_row row = {
        .runs = {"submit=8 class=pending task_count=3 req_cpus=2 req_nodes=1",
                 "submit=8 start=9 end=11 cpus=8 node_count=2 gpus=1",
                 "submit=8 start=9 end=11 cpus=8 node_count=1"}};
    struct zone *zone = ask_zone("UTC");
    struct queue_question question = {
        .zone = zone, .at = hand_at(10), .states = {true, true, true}};
    struct table totals = {0};
    struct error err = {0};
    struct buf got;
    buf_init(&got, 1 << 16);
    add_runs(&row);
    expect_int(queue_totals(store.facts, &question, &totals, &err), 0);
    hand_print(&totals, &got);
    expect_text(got.ptr, "running 2 16 3 1\npending 3 6 3 ---\n");
    buf_release(&got);
    table_release(&totals);
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, queue_by_hand, queue_rows);
    SUITE_TEST(&suite, what_was_not_seen_lately_is_counted);
    SUITE_TEST(&suite, totals_are_by_state);
    return runs_suite(&suite, &store, "queue");
}
