/* SPDX-License-Identifier: MIT */

/*
 * Where a job would start soonest, by hand: ten jobs of 4 cpus that waited 1 to 10 minutes in partition a of toy, whose jobs may run for a
 * day on one node; three in b, which has no limits; c is closed. Of the cluster yew no queue was ever listed.
 */
#include <stdio.h>

#include "facts/inventory.h"
#include "facts/pull_state.h"
#include "service/core/service.h"
#include "support/expect.h"
#include "support/facts_at.h"
#include "unit/report/ask.h"

enum { VALUES_MAX = 4, WAITED = 10 };

#define MINUTE (60 * SECOND_US)

static struct runs_store store;
static struct store *opened;
static struct zone *utc;

static int64_t now(void)
{
    return INT64_C(1742472000) * SECOND_US; /* 2025-03-20T12:00 */
}

static void add_run(const char *partition, int64_t number, int64_t waited, int64_t held,
                    int64_t cpus)
{
    struct run run = {0};
    RUN_SET(&run, job, number);
    RUN_SET(&run, partition, str_of(partition));
    RUN_SET(&run, class, STR("completed"));
    RUN_SET(&run, start, now() - number * HOUR_US);
    RUN_SET(&run, eligible, run.start - waited);
    RUN_SET(&run, submit, run.eligible - held);
    RUN_SET(&run, end, run.start + MINUTE);
    RUN_SET(&run, req_cpus, cpus);
    RUN_SET(&run, req_wall_us, HOUR_US);
    runs_add(&store, &run, 1);
}

static void see(enum inventory_item_kind kind, const char *cluster,
                struct inventory_item_list *list)
{
    struct inventory_counts counts;
    struct error err = {0};
    if (inventory_see(store.facts, kind, str_of(cluster), now() - SECOND_US, HOUR_US, list,
                      &counts, &err) != 0) {
        expect_fail("%s", err.text);
    }
    inventory_item_list_release(list);
}

static void see_nodes(const char *cluster, const char *partitions)
{
    static const char *const names[] = {"n1", "n2"};
    struct inventory_item_list list = {0};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct inventory_item *node = inventory_item_list_add(&list);
        INVENTORY_ITEM_SET_TEXT(node, NODE_node, str_of(names[i]));
        INVENTORY_ITEM_SET_INT(node, NODE_cpus, 8);
        INVENTORY_ITEM_SET_INT(node, NODE_gpus, 0);
        INVENTORY_ITEM_SET_INT(node, NODE_cpus_alloc, 3);
        INVENTORY_ITEM_SET_TEXT(node, NODE_partitions, str_of(partitions));
        INVENTORY_ITEM_SET_TEXT(node, NODE_class, STR("mixed"));
    }
    see(INVENTORY_ITEM_NODE, cluster, &list);
}

static void opens_a_store(void **state)
{
    (void)state;
    struct inventory_item_list list = {0};
    struct error err = {0};
    utc = ask_zone("UTC");
    runs_open(&store);
    for (int64_t i = 1; i <= WAITED; i++) {
        add_run("a", i, i * MINUTE, 0, 4);
    }
    add_run("a", 20, 100 * MINUTE, 0, 9);         /* more than twice the size */
    add_run("a", 21, 100 * MINUTE, 0, 1);         /* less than half */
    add_run("a", 24 * 29, 100 * MINUTE, 0, 4);    /* more than four weeks ago */
    add_run("b", 30, 2 * MINUTE, 2 * HOUR_US, 4); /* held for two hours before it could start */
    see_nodes("toy", "a,b,c");
    see_nodes("yew", "d");
    struct inventory_item *a = inventory_item_list_add(&list);
    INVENTORY_ITEM_SET_TEXT(a, PARTITION_partition, STR("a"));
    INVENTORY_ITEM_SET_INT(a, PARTITION_max_wall_us, DAY_US);
    INVENTORY_ITEM_SET_INT(a, PARTITION_max_nodes, 1);
    INVENTORY_ITEM_SET_TEXT(a, PARTITION_state, STR("UP"));
    INVENTORY_ITEM_SET_TEXT(inventory_item_list_add(&list), PARTITION_partition, STR("b"));
    struct inventory_item *c = inventory_item_list_add(&list);
    INVENTORY_ITEM_SET_TEXT(c, PARTITION_partition, STR("c"));
    INVENTORY_ITEM_SET_TEXT(c, PARTITION_state, STR("INACTIVE"));
    see(INVENTORY_ITEM_PARTITION, "toy", &list);
    expect_int(pull_state_put(store.facts, STR("toy"), STR("queue"),
                              (struct pull_state){now() - SECOND_US, 0}, &err),
               0);
    facts_leave(store.facts);
    store.facts = NULL;
    expect_int(store_open(store.folder, FACTS_READ, &(struct store_wait){0}, &opened, &err), 0);
}

struct soonest_row {
    const char *name;
    const char *words[VALUES_MAX];
    const char *want;
};

/*
 * cluster partition, runs like it, median and p90 of their waits, cpus and GPUs free, jobs and cpus that wait, longest time, fits. Of ten waits
 * the fifth is the median and the ninth what nine did not exceed. Two nodes of 8 cpus with 3 allocated leave 10.
 */
static const struct soonest_row soonest_rows[] = {
    {"waits, what is free, and a cluster whose queue nobody listed",
     {"cpus=4"},
     "toy a 10 300000000 540000000 10.0000 0.0000 0 0 86400000000 1\n"
     "toy b 1 --- --- 10.0000 0.0000 0 0 --- 1\n"
     "yew d --- --- --- 10.0000 0.0000 --- --- --- 1\n"
     "toy c --- --- --- 10.0000 0.0000 0 0 --- 0\n"},
    {"longer than a partition allows",
     {"cpus=4", "time=25h", "cluster=toy", "partition=a,b"},
     "toy b --- --- --- 10.0000 0.0000 0 0 --- 1\n"
     "toy a --- --- --- 10.0000 0.0000 0 0 86400000000 0\n"},
    {"as long as it allows",
     {"cpus=4", "time=24h", "partition=a"},
     "toy a --- --- --- 10.0000 0.0000 0 0 86400000000 1\n"},
    {"larger than one node, where a job may have one",
     {"cpus=9", "cluster=toy", "partition=a,b"},
     "toy b --- --- --- 10.0000 0.0000 0 0 --- 1\n"
     "toy a 1 --- --- 10.0000 0.0000 0 0 86400000000 0\n"},
    {"larger than all nodes together",
     {"cpus=17", "partition=b"},
     "toy b --- --- --- 10.0000 0.0000 0 0 --- 0\n"},
    {"GPUs, of which there are none",
     {"gpus=1", "partition=b"},
     "toy b --- --- --- 10.0000 0.0000 0 0 --- 0\n"},
};

static void soonest_by_hand(void **state)
{
    const struct soonest_row *row = *state;
    static const struct str ann = {"ann", 3};
    const struct caller callers[] = {
        {.name = "root", CALLER_AS(ADMIN)},
        {.name = "ann", CALLER_AS(USER), .logins = &ann, .login_count = 1}};
    for (size_t c = 0; c < COUNT_OF(callers); c++) {
        struct request_value values[VALUES_MAX];
        struct request request = {.operation = operation_find(STR("soonest")),
                                  .values = values};
        struct session session = {.folder = store.folder, .store = opened};
        struct service service = {.store = store.folder,
                                  .session = &session,
                                  .caller = &callers[c],
                                  .zone = utc,
                                  .now = now};
        char names[VALUES_MAX][16];
        struct answer answer = {0};
        struct error err = {0};
        struct buf said;
        buf_init(&said, 1 << 20);
        for (; request.count < VALUES_MAX && row->words[request.count]; request.count++) {
            struct str rest = str_of(row->words[request.count]);
            const struct str before = str_cut(&rest, '=');
            (void)snprintf(names[request.count], sizeof names[0], "%.*s", STR_ARG(before));
            values[request.count] = (struct request_value){names[request.count], rest};
        }
        if (service_call(&service, &request, &answer, &err) != 0) {
            expect_fail("%s", err.text);
        }
        ask_print(&answer.table, &said);
        expect_contains(said.ptr, row->want);
        buf_release(&said);
        answer_release(&answer);
    }
}

static void closes_it(void **state)
{
    (void)state;
    store_close(opened);
    runs_close(&store);
    zone_close(utc);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_a_store);
    SUITE_ROWS(&suite, soonest_by_hand, soonest_rows);
    SUITE_TEST(&suite, closes_it);
    return suite_run(&suite, "soonest");
}
