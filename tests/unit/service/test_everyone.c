/* SPDX-License-Identifier: MIT */

/*
 * What is free, how long queues are and how long jobs waited is the same for everybody who may ask, and tells nothing of
 * anybody. Two stores have the same runs; in one of them the others are called otherwise, and their jobs have other
 * numbers: what a user is told is the same, to the letter.
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

enum { VALUES_MAX = 8, TWINS = 2, RUNS = 7 };

static struct zone *utc;
static struct config own; /* a stint.conf that shows users their own jobs only */

static struct twin {
    struct runs_store store;
    struct store *opened;
    const char *other;
    int64_t first_job;
} twins[TWINS] = {{.other = "quuxley", .first_job = 100}, {.other = "bo", .first_job = 70000}};

static int64_t now(void)
{
    return INT64_C(1742472000) * SECOND_US; /* 2025-03-20T12:00 */
}

/* A run of 4 cpus and 2 GPUs on g1, or one that waits; texts are all the user's name. */
static void fill(struct run *run, const char *who, int64_t job, const char *start, bool waits)
{
    RUN_SET(run, job, job);
    RUN_SET(run, user, str_of(who));
    RUN_SET(run, group, str_of(who));
    RUN_SET(run, account, str_of(who));
    RUN_SET(run, project, str_of(who));
    RUN_SET(run, qos, str_of(who));
    RUN_SET(run, name, str_of(who));
    RUN_SET(run, reservation, str_of(who));
    RUN_SET(run, partition, STR("gpu"));
    RUN_SET(run, class, waits ? STR("pending") : STR("running"));
    RUN_SET(run, reason, str_of(who));
    RUN_SET(run, submit, ask_instant(utc, start));
    RUN_SET(run, seen, now() - SECOND_US);
    RUN_SET(run, req_cpus, 4);
    RUN_SET(run, req_gpus, 2);
    if (!waits) {
        RUN_SET(run, start, ask_instant(utc, start) + HOUR_US);
        RUN_SET(run, cpus, 4);
        RUN_SET(run, gpus, 2);
        RUN_SET(run, nodes, STR("g1"));
    }
}

static void see_nodes(struct facts *facts)
{
    struct inventory_item_list nodes = {0};
    struct inventory_counts counts;
    struct error err = {0};
    static const char *const names[] = {"g1", "g2"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct inventory_item *node = inventory_item_list_add(&nodes);
        INVENTORY_ITEM_SET_TEXT(node, NODE_node, str_of(names[i]));
        INVENTORY_ITEM_SET_INT(node, NODE_cpus, 32);
        INVENTORY_ITEM_SET_INT(node, NODE_gpus, 12);
        INVENTORY_ITEM_SET_TEXT(node, NODE_gpu_type, STR("a100"));
        INVENTORY_ITEM_SET_TEXT(node, NODE_partitions, STR("gpu"));
        INVENTORY_ITEM_SET_TEXT(node, NODE_class, STR("mixed"));
    }
    if (inventory_see(facts, INVENTORY_ITEM_NODE, STR("toy"), now() - SECOND_US, HOUR_US,
                      &nodes, &counts, &err) != 0 ||
        pull_state_put(facts, STR("toy"), STR("queue"),
                       (struct pull_state){now() - SECOND_US, 0}, &err) != 0) {
        expect_fail("%s", err.text);
    }
    inventory_item_list_release(&nodes);
}

/* What each of three jobs waited for, as listings would have left it. */
static void add_wait(struct facts *facts, const char *who, int64_t job, int64_t hours)
{
    const struct str name = str_of(who);
    const struct facts_value values[] = {FACTS_INT(job),
                                         FACTS_TEXT(name),
                                         FACTS_TEXT(name),
                                         FACTS_TEXT(name),
                                         FACTS_TEXT(name),
                                         FACTS_INT(now() - (hours + 1) * HOUR_US),
                                         FACTS_INT(now() - HOUR_US)};
    struct error err = {0};
    expect_int(facts_execute(facts,
                             "INSERT INTO waits (cluster, job, \"user\", \"group\", account, "
                             "qos, tasks, \"partition\", reason, \"from\", \"until\") SELECT "
                             "'toy', $1, $2, $3, $4, $5, 1, 'gpu', 'Priority', $6, $7",
                             (struct facts_values){values, COUNT_OF(values)}, NULL, &err),
               0);
}

/* Of 24 GPUs ann has 2 and others 6; one of ann's jobs waits and two of others. */
static void opens_two_stores(void **state)
{
    (void)state;
    utc = ask_zone("UTC");
    for (size_t i = 0; i < TWINS; i++) {
        struct twin *twin = &twins[i];
        struct run runs[RUNS] = {0};
        struct error err = {0};
        fill(&runs[0], "ann", 1, "2025-03-20T08:00", false);
        fill(&runs[1], "ann", 2, "2025-03-20T09:00", true);
        for (int r = 2; r < RUNS; r++) {
            fill(&runs[r], twin->other, twin->first_job + r, "2025-03-20T07:00", r >= 5);
        }
        runs_open(&twin->store);
        runs_add(&twin->store, runs, RUNS);
        see_nodes(twin->store.facts);
        add_wait(twin->store.facts, "ann", 2, 1);
        add_wait(twin->store.facts, twin->other, twin->first_job + 5, 2);
        add_wait(twin->store.facts, twin->other, twin->first_job + 6, 2);
        facts_leave(twin->store.facts);
        twin->store.facts = NULL;
        expect_int(store_open(twin->store.folder, FACTS_READ, &(struct store_wait){0},
                              &twin->opened, &err),
                   0);
    }
    struct error err = {0};
    expect_int(config_parse(STR("[serve]\nlive = own\n"), "stint.conf", &own, &err), 0);
}

static const struct str ann[] = {{"ann", 3}};

static const struct caller callers[] = {
    {.name = "ann", CALLER_AS(USER), .logins = ann, .login_count = 1},
    {.name = "ann", CALLER_AS(MANAGER), .logins = ann, .login_count = 1},
    {.name = "staff", CALLER_AS(STAFF)},
    {.name = "root", CALLER_AS(ADMIN)},
};

/* Calls with "name=value" words; what comes back: the table as machines and people have it, then the notes. */
static void call(struct twin *twin, const struct config *config, const struct caller *caller,
                 const char *operation, const char *const *words, struct buf *said)
{
    struct request_value values[VALUES_MAX];
    struct request request = {.operation = operation_find(str_of(operation)), .values = values};
    char names[VALUES_MAX][32];
    struct session session = {.folder = twin->store.folder, .store = twin->opened};
    struct service service = {.store = twin->store.folder,
                              .session = &session,
                              .caller = caller,
                              .config = config,
                              .zone = utc,
                              .now = now};
    struct answer answer = {0};
    struct error err = {0};
    for (; request.count < VALUES_MAX && words[request.count]; request.count++) {
        struct str rest = str_of(words[request.count]);
        struct str before = str_cut(&rest, '=');
        (void)snprintf(names[request.count], sizeof names[0], "%.*s", STR_ARG(before));
        values[request.count] = (struct request_value){names[request.count], rest};
    }
    if (service_call(&service, &request, &answer, &err) != 0) {
        expect_fail("%s for %s: %s", operation, caller->name, err.text);
    }
    ask_print(&answer.table, said);
    if (answer.shown.column_count > 0) {
        ask_print(&answer.shown, said);
    }
    note_lines(said, &answer.notes, NOTE_ALL);
    answer_release(&answer);
}

struct live_row {
    const char *operation;
    const char *words[VALUES_MAX];
    bool narrowed; /* to the caller's jobs, and says so */
    const char *want;
};

/* What is live: the same for everybody, or of the caller's jobs and said to be. */
static const struct live_row live_rows[] = {
    {"nodes", {NULL}, false, "g1"},
    {"nodes",
     {"fields=node,class,cpus,cpus_used,cpus_free,gpus,gpus_used,gpus_free,since,for,age,jobs"},
     false,
     NULL},
    /* 24 GPUs, 8 used, 16 free: 4 jobs run, one of them ann's */
    {"nodes", {"by=gpu_type"}, false, "a100 2 64 16 48 24 8 16"},
    {"nodes", {"by=partition,class", "partition=gpu"}, false, "gpu mixed 2 64 16 48 24 8 16"},
    {"nodes", {"node=g1", "at=2025-03-20T11:30"}, false, NULL},
    {"queue", {"by=state"}, false, "running 0 0 0 4 16 8"},
    {"queue", {"by=cluster,partition"}, false, "toy gpu 3 12 6 4 16 8"},
    {"queue",
     {"by=partition", "partition=gpu", "cluster=toy", "state=pending"},
     false,
     "gpu 3 12 6 0 0 0"},
    {"queue", {"by=partition", "at=2025-03-20T11:30"}, false, NULL},
    /* four jobs like it started, which is too few; 48 cpus and 16 GPUs are free, 3 jobs with 12 cpus wait */
    {"soonest", {"cpus=4", "gpus=2"}, false, "toy gpu 4 --- --- 48.0000 16.0000 3 12"},
    {"soonest",
     {"cpus=4", "gpus=2", "time=1h"},
     false,
     "toy gpu --- --- --- 48.0000 16.0000 3 12"},
    /* ann waited for an hour, two of others for two hours each, for the same reason */
    {"waits", {"from=2025-03-20"}, false, "Priority 3 5h 1.0000 7200000000"},
    {"waits", {"from=2025-03-20", "by=cluster,partition,reason", "partition=gpu"}, false, NULL},
    {"waits", {"from=2025-03-20", "by=user"}, true, NULL},
    {"waits", {"from=2025-03-20", "account=!ann"}, true, NULL},
    {"waits", {"from=2025-03-20", "periods=true"}, true, NULL},
    {"waits", {"from=2025-03-20", "estimates=true"}, true, NULL},
    {"queue", {NULL}, true, NULL},
    {"queue", {"by=user"}, true, NULL},
    {"queue", {"by=qos"}, true, NULL},
    {"queue", {"by=partition,account"}, true, NULL},
    {"queue", {"by=partition", "user=!ann"}, true, NULL},
    {"queue", {"by=partition", "name=b*,q*"}, true, NULL},
    {"queue", {"by=partition", "reservation=b*,q*"}, true, NULL},
    {"summary", {"from=2025-03-20"}, true, NULL},
    {"jobs", {"from=2025-03-20"}, true, NULL},
    {"report", {"measure=wait_median", "by=partition", "from=2025-03-20"}, true, NULL},
};

static void everybody_is_told_the_same(void **state)
{
    const struct live_row *row = *state;
    struct buf all;
    buf_init(&all, 1 << 20);
    call(&twins[0], NULL, &callers[COUNT_OF(callers) - 1], row->operation, row->words, &all);
    if (row->want) {
        expect_contains(all.ptr, row->want);
    }
    for (size_t c = 0; c + 1 < COUNT_OF(callers); c++) {
        struct buf said;
        buf_init(&said, 1 << 20);
        call(&twins[0], NULL, &callers[c], row->operation, row->words, &said);
        if (!row->narrowed || caller_may(&callers[c], RIGHT_ALL)) {
            expect_text(said.ptr, all.ptr);
        } else {
            expect_contains(said.ptr, "your jobs");
        }
        buf_release(&said);
    }
    buf_release(&all);
}

static void nobody_is_named(void **state)
{
    const struct live_row *row = *state;
    for (size_t c = 0; c < COUNT_OF(callers) && !caller_may(&callers[c], RIGHT_ALL); c++) {
        struct buf said[TWINS];
        for (size_t i = 0; i < TWINS; i++) {
            buf_init(&said[i], 1 << 20);
            call(&twins[i], NULL, &callers[c], row->operation, row->words, &said[i]);
        }
        expect_text(said[1].ptr, said[0].ptr);
        expect_true(strstr(said[0].ptr, twins[0].other) == NULL);
        buf_release(&said[0]);
        buf_release(&said[1]);
    }
}

/* Whoever may list reservations: they may be called like people. */
static void reservations_of_nodes_are_for_staff(void **state)
{
    (void)state;
    static const struct request_value asked[] = {{"by", {"reservation", 11}},
                                                 {"fields", {"node,reservation", 16}},
                                                 {"reservation", {"*", 1}}};
    const struct operation *nodes = operation_find(STR("nodes"));
    for (size_t c = 0; c < COUNT_OF(callers); c++) {
        for (size_t i = 0; i < COUNT_OF(asked); i++) {
            struct session session = {.folder = twins[0].store.folder,
                                      .store = twins[0].opened};
            struct service service = {.store = twins[0].store.folder,
                                      .session = &session,
                                      .caller = &callers[c],
                                      .zone = utc,
                                      .now = now};
            const struct request request = {
                .operation = nodes, .values = &asked[i], .count = 1};
            struct answer answer = {0};
            struct error err = {0};
            expect_int(service_call(&service, &request, &answer, &err),
                       c < 2 ? ERROR_DENIED : 0);
            answer_release(&answer);
        }
    }
}

/* A part of the runs says nothing of what is free: it is unknown. Counts are of the caller's jobs. */
static void a_site_may_show_users_their_own_jobs_only(void **state)
{
    (void)state;
    static const char *const gpus[] = {"by=gpu_type", NULL}, *const queue[] = {"by=state",
                                                                               NULL};
    struct buf said;
    buf_init(&said, 1 << 20);
    call(&twins[0], &own, &callers[0], "nodes", gpus, &said);
    expect_contains(said.ptr, "a100 2 64 --- --- 24 --- ---");
    expect_contains(said.ptr, "live = own");
    buf_clear(&said);
    call(&twins[0], &own, &callers[0], "queue", queue, &said);
    expect_contains(said.ptr, "running 0 0 0 1 4 2");
    expect_contains(said.ptr, "your jobs");
    buf_clear(&said);
    call(&twins[0], &own, &callers[2], "nodes", gpus, &said);
    expect_contains(said.ptr, "a100 2 64 16 48 24 8 16");
    buf_release(&said);
}

static void closes_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < TWINS; i++) {
        store_close(twins[i].opened);
        runs_close(&twins[i].store);
    }
    config_release(&own);
    zone_close(utc);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_two_stores);
    SUITE_ROWS(&suite, everybody_is_told_the_same, live_rows);
    SUITE_ROWS(&suite, nobody_is_named, live_rows);
    SUITE_TEST(&suite, reservations_of_nodes_are_for_staff);
    SUITE_TEST(&suite, a_site_may_show_users_their_own_jobs_only);
    SUITE_TEST(&suite, closes_them);
    return suite_run(&suite, "everyone");
}
