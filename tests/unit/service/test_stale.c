/* SPDX-License-Identifier: MIT */

/*
 * As of when an answer about the present is: when the scheduler last answered. What is older than two intervals is said.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/inventory.h"
#include "facts/pull_state.h"
#include "service/core/service.h"
#include "support/expect.h"
#include "support/facts_at.h"
#include "unit/report/ask.h"

static struct runs_store store;
static struct store *opened;
static struct zone *utc;
static struct config configured, slower;
static int64_t clock_us;

/* When the scheduler last answered: 2025-03-20T12:00. */
#define ANSWERED (INT64_C(1742472000) * SECOND_US)

static int64_t now(void)
{
    return clock_us;
}

/* One node, one job that runs since 11:00; asked every minute until 12:00. */
static void opens_a_store(void **state)
{
    (void)state;
    struct run run = {0};
    struct inventory_item_list nodes = {0};
    struct inventory_counts counts;
    struct error err = {0};
    utc = ask_zone("UTC");
    RUN_SET(&run, class, STR("running"));
    RUN_SET(&run, submit, ANSWERED - 2 * HOUR_US);
    RUN_SET(&run, start, ANSWERED - HOUR_US);
    RUN_SET(&run, seen, ANSWERED);
    RUN_SET(&run, cpus, 2);
    RUN_SET(&run, nodes, STR("n1"));
    runs_open(&store);
    runs_add(&store, &run, 1);
    INVENTORY_ITEM_SET_TEXT(inventory_item_list_add(&nodes), NODE_node, STR("n1"));
    INVENTORY_ITEM_SET_TEXT(&nodes.rows[0], NODE_class, STR("mixed"));
    expect_int(inventory_see(store.facts, INVENTORY_ITEM_NODE, STR("toy"), ANSWERED, HOUR_US,
                             &nodes, &counts, &err),
               0);
    expect_int(pull_state_put(store.facts, STR("toy"), STR("queue"),
                              (struct pull_state){ANSWERED, 0}, &err),
               0);
    for (int minute = 5; minute >= 0; minute--) {
        const struct pull_query asking = {.cluster = STR("toy"),
                                          .what = STR("queue"),
                                          .via = STR("squeue"),
                                          .at = ANSWERED - minute * 60 * SECOND_US};
        expect_int(pull_query_put(store.facts, &asking, &err), 0);
    }
    inventory_item_list_release(&nodes);
    facts_leave(store.facts);
    store.facts = NULL;
    expect_int(store_open(store.folder, FACTS_READ, &(struct store_wait){0}, &opened, &err), 0);
    expect_int(config_parse(STR("[cluster toy]\nscheduler = slurm\n"), "stint.conf",
                            &configured, &err),
               0);
    expect_int(config_parse(STR("[cluster toy]\nscheduler = slurm\nevery = 20m\n"),
                            "stint.conf", &slower, &err),
               0);
}

struct age_row {
    const char *name;
    const char *operation;
    const struct config *config;
    int64_t age_s;
    const char *stale; /* words of the note; NULL: there is none */
    const char *want;  /* in the answer */
};

static const struct age_row age_rows[] = {
    {"nodes, fresh", "nodes", &configured, 100, NULL, "n1"},
    {"nodes, older than two intervals of a minute", "nodes", &configured, 121,
     "old data: nodes of toy are as of 2025-03-20T12:00:00Z, 2 minutes ago", "n1"},
    {"nodes, asked less often by stint.conf", "nodes", &slower, 2000, NULL, "n1"},
    {"nodes, that nobody is set to ask for", "nodes", NULL, 3000, NULL, "n1"},
    {"nodes, of yesterday", "nodes", NULL, 86400,
     "old data: nodes of toy are as of 2025-03-20T12:00:00Z, 1 day ago", "n1"},
    {"queue, fresh", "queue", &configured, 100, NULL, "3700"},
    /* it ran for an hour when it was last seen: that is what is known */
    {"queue, old", "queue", &configured, 7200,
     "old data: jobs of toy are as of 2025-03-20T12:00:00Z, 2 hours ago", "3600"},
    {"metrics, fresh", "metrics", &configured, 60, NULL,
     "stint_source_stale{cluster=\"toy\",what=\"queue\"} 0"},
    {"metrics, old", "metrics", &configured, 600, NULL,
     "stint_source_stale{cluster=\"toy\",what=\"queue\"} 1"},
};

static void old_data_are_said_to_be(void **state)
{
    const struct age_row *row = *state;
    const struct caller root = {.name = "root", CALLER_AS(ADMIN)};
    struct session session = {.folder = store.folder, .store = opened};
    struct service service = {.store = store.folder,
                              .session = &session,
                              .caller = &root,
                              .config = row->config,
                              .zone = utc,
                              .now = now};
    const struct request request = {.operation = operation_find(str_of(row->operation))};
    struct answer answer = {0};
    struct error err = {0};
    struct buf said;
    buf_init(&said, 1 << 20);
    clock_us = ANSWERED + row->age_s * SECOND_US;
    if (service_call(&service, &request, &answer, &err) != 0) {
        expect_fail("%s", err.text);
    }
    note_lines(&said, &answer.notes, NOTE_BIT(NOTE_STALE));
    expect_int(said.len > 0, row->stale != NULL);
    if (row->stale) {
        expect_contains(said.ptr, row->stale);
    }
    if (answer.table.column_count > 0) {
        expect_int(answer.as_of, ANSWERED);
        ask_print(&answer.table, &said);
    }
    buf_add(&said, buf_str(&answer.document));
    expect_contains(said.ptr, row->want);
    answer_release(&answer);
    buf_release(&said);
}

static void closes_it(void **state)
{
    (void)state;
    store_close(opened);
    runs_close(&store);
    config_release(&configured);
    config_release(&slower);
    zone_close(utc);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_a_store);
    SUITE_ROWS(&suite, old_data_are_said_to_be, age_rows);
    SUITE_TEST(&suite, closes_it);
    return suite_run(&suite, "stale");
}
