/* SPDX-License-Identifier: MIT */

/*
 * One process imports, batch after batch, and answers others at the same time: sessions, door, wire and import together. Run
 * under the thread sanitizer as well. Every answer is that of some committed batch, and answers never go back.
 */

#include "serve/rpc/rpc_server.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "command/offer.h"
#include "ingest/ingest.h"
#include "serve/rpc/input_sender.h"
#include "serve/rpc/rpc_client.h"
#include "support/expect.h"
#include "unit/ingest/toy_store.h"

enum { READERS = 3, ROUNDS = 4, RUNS_A_ROUND = 40 };

static struct toy toy;
static struct zone *utc;
static atomic_bool imported;

static int64_t now(void)
{
    return TOY_NOW;
}

/* Accounting rows of Grid Engine: jobs of an hour on one slot; every job is there twice, so that each batch has something to settle. */
static void write_rows(int round)
{
    struct buf text;
    buf_init(&text, LIMIT_OUTPUT);
    for (int i = 0; i < 2 * RUNS_A_ROUND; i++) {
        const int job = round * RUNS_A_ROUND + i / 2 + 1;
        buf_addf(
            &text,
            "all.q:alder01:moss:mira:grow:%d:sge:0:1704067200:1704067200:1704070800:0:0:3600:"
            "1.0:1.0:0.0:0:0:0:0:0:0:0:0.0:0:0:0:0:0:0:forest:science:smp:1:0:2.0:0.0:0.0:-l "
            "h_rt=86400:0.0:NONE:0.0:0:0\n",
            job);
    }
    toy_append(&toy, "accounting", buf_str(&text));
    buf_release(&text);
}

/* Asks how many jobs there are, by the socket; -1: nobody listens yet. */
static int64_t ask_jobs(void)
{
    static const char *const names[] = {"measure", "from", "to"};
    const struct request_value values[] = {
        {names[0], STR("jobs")}, {names[1], STR("2024")}, {names[2], STR("2024")}};
    const struct request request = {operation_find(STR("report")), values, COUNT_OF(values),
                                    NULL};
    const struct service service = {.store = toy.store, .zone = utc, .now = now};
    struct answer answer = {0};
    struct error err = {0};
    enum rpc_client_outcome outcome;
    int64_t jobs = -1;
    int failed = rpc_client_ask(&service, &request, &answer, &outcome, &err);
    if (outcome == RPC_CLIENT_ANSWERED && failed) {
        fprintf(stderr, "%s\n", err.text);
        jobs = -2;
    } else if (outcome == RPC_CLIENT_ANSWERED) {
        /* before the first batch there are no data of that year */
        jobs = table_has(&answer.table, 0, 0) ? (int64_t)table_wide(&answer.table, 0, 0) : 0;
    }
    answer_release(&answer);
    return jobs;
}

struct reader {
    pthread_t thread;
    int64_t last, answers;
    bool wrong;
};

static void *read_on(void *data)
{
    struct reader *reader = data;
    while (!atomic_load(&imported) || reader->answers == 0) {
        const int64_t jobs = ask_jobs();
        if (jobs == -1) {
            continue;
        }
        reader->wrong |=
            jobs < reader->last || jobs % RUNS_A_ROUND != 0 || jobs > ROUNDS * RUNS_A_ROUND;
        reader->last = jobs;
        reader->answers++;
        (void)!stop_sleep(NULL, 1000); /* the import is to get on */
    }
    return NULL;
}

static void import_rounds(struct facts *facts)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct ingest_options options = toy_options(&toy, "accounting");
        struct ingest_summary summary;
        struct error err = {0};
        write_rows(round);
        if (ingest_file(facts, &options, &summary, &err) != 0) {
            expect_fail("%s", err.text);
        }
        expect_int(summary.added, RUNS_A_ROUND);
    }
}

static void answers_are_right_while_an_import_runs(void **state)
{
    (void)state;
    struct reader readers[READERS] = {0};
    const struct service service = {.store = toy.store, .zone = utc, .now = now};
    struct rpc_server *answering =
        rpc_server_start(facts_store(toy.facts), &service, RPC_SERVER_QUESTIONS);
    expect_true(answering != NULL);
    for (size_t i = 0; i < READERS; i++) {
        expect_int(pthread_create(&readers[i].thread, NULL, read_on, &readers[i]), 0);
    }
    import_rounds(toy.facts);
    expect_int(ask_jobs(), ROUNDS * RUNS_A_ROUND);
    atomic_store(&imported, true);
    int64_t answers = 0;
    for (size_t i = 0; i < READERS; i++) {
        expect_int(pthread_join(readers[i].thread, NULL), 0);
        expect_false(readers[i].wrong);
        answers += readers[i].answers;
    }
    expect_true(answers > 0);
    rpc_server_stop(answering);
    expect_int(ask_jobs(), -1); /* nobody any more */
}

/* Its turn comes when the store is free. */
static void what_names_files_or_changes_something_is_not_taken(void **state)
{
    (void)state;
    char folder[128];
    snprintf(folder, sizeof(folder), "%s/site", toy.folder);
    const struct request_value values[] = {{"out", str_of(folder)}, {"runs", STR("10")}};
    const struct request_value source[] = {{"source", STR("sge")},
                                           {"file", STR("/etc/passwd")}};
    const struct request requests[] = {
        {operation_find(STR("demo")), values, COUNT_OF(values), NULL},
        {operation_find(STR("import")), source, COUNT_OF(source), NULL},
        {operation_find(STR("rollup")), NULL, 0, NULL},
    };
    const struct service service = {.store = toy.store, .zone = utc, .now = now};
    struct rpc_server *answering =
        rpc_server_start(facts_store(toy.facts), &service, RPC_SERVER_QUESTIONS);
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        struct answer answer = {0};
        struct error err = {0};
        enum rpc_client_outcome outcome = RPC_CLIENT_ANSWERED;
        expect_int(rpc_client_ask(&service, &requests[i], &answer, &outcome, &err), 0);
        expect_int(outcome, RPC_CLIENT_NOBODY);
        answer_release(&answer);
    }
    rpc_server_stop(answering);
    expect_int(access(folder, F_OK), -1);
}

/* --- what changes the store ------------------------------------------------------------------------- */

/* Imports a file by the socket: how many runs it added. */
static int ask_import(const char *path, int64_t *added, struct error *err)
{
    const struct request_value values[] = {
        {"source", STR("sge")}, {"file", str_of(path)}, {"cluster", STR("toy")}};
    const struct service service = {.store = toy.store, .zone = utc, .now = now};
    struct offer offer;
    offer_init(&offer, values, COUNT_OF(values), &service);
    const struct request request = {operation_find(STR("import")), values, COUNT_OF(values),
                                    &offer.inputs};
    struct answer answer = {0};
    enum rpc_client_outcome outcome = RPC_CLIENT_NOBODY;
    int failed = rpc_client_ask(&service, &request, &answer, &outcome, err);
    expect_int(outcome, RPC_CLIENT_ANSWERED);
    for (size_t c = 0; !failed && c < answer.table.column_count; c++) {
        if (str_eq(str_of(answer.table.columns[c].id), STR("added"))) {
            *added = answer.table.columns[c].cells[0].integer;
        }
    }
    answer_release(&answer);
    offer_release(&offer);
    return failed;
}

struct writer {
    pthread_t thread;
    const char *path;
    int64_t added;
};

static void *import_by_socket(void *data)
{
    struct error err = {0};
    struct writer *writer = data;
    if (ask_import(writer->path, &writer->added, &err) != 0) {
        fprintf(stderr, "%s\n", err.text);
        writer->added = -1;
    }
    return NULL;
}

/* Several at once read the same file: one adds its runs, for the others they are there already. */
static void who_keeps_the_store_imports_for_others(void **state)
{
    (void)state;

    enum { WRITERS = 3 };

    const struct service service = {.store = toy.store, .zone = utc, .now = now};
    struct store *store = NULL;
    struct error err = {0};
    struct writer writers[WRITERS] = {0};
    int64_t sum = 0;
    toy_away(&toy);
    write_rows(0);
    expect_int(store_open(toy.store, FACTS_WRITE, &(struct store_wait){0}, &store, &err), 0);
    expect_false(rpc_client_takes_changes(toy.store));
    struct rpc_server *answering = rpc_server_start(store, &service, RPC_SERVER_ALL);
    expect_true(rpc_client_takes_changes(toy.store));
    for (size_t i = 0; i < WRITERS; i++) {
        writers[i].path = toy_path(&toy, "accounting");
        expect_int(pthread_create(&writers[i].thread, NULL, import_by_socket, &writers[i]), 0);
    }
    for (size_t i = 0; i < WRITERS; i++) {
        expect_int(pthread_join(writers[i].thread, NULL), 0);
        sum += writers[i].added;
    }
    expect_int(sum, RUNS_A_ROUND);
    expect_int(ask_jobs(), RUNS_A_ROUND);
    expect_int(ask_import(toy_path(&toy, "nowhere"), &sum, &err), ERROR_MISSING);
    expect_contains(err.text, "cannot open");
    rpc_server_stop(answering);
    store_close(store);
}

/* Whatever the side that answers wishes for, it gets what was offered. */
static void nothing_is_given_that_was_not_offered(void **state)
{
    (void)state;
    const struct request_value values[] = {{"source", STR("sge")},
                                           {"file", str_of(toy_path(&toy, "accounting"))},
                                           {"cluster", STR("/etc/passwd")}};
    const struct service service = {.store = toy.store, .zone = utc, .now = now};

    static const struct {
        size_t value;
        int want;
    } wishes[] = {{0, ERROR_INPUT}, {1, 0}, {2, ERROR_INPUT}, {3, ERROR_INPUT}};
    struct offer offer;
    struct input_sender giving;
    offer_init(&offer, values, COUNT_OF(values), &service);
    const struct request request = {operation_find(STR("import")), values, COUNT_OF(values),
                                    &offer.inputs};
    input_sender_init(&giving, &request);
    for (size_t i = 0; i < COUNT_OF(wishes); i++) {
        const struct wire_wish wish = {.value = wishes[i].value};
        struct str reply;
        struct buf frame;
        struct error err;
        buf_init(&frame, WIRE_SMALL_MAX);
        wire_put_wish(&frame, FRAME_OPEN, &wish);
        const struct str content = {frame.ptr + 5, frame.len - 5};
        expect_int(input_sender_answer(&giving, FRAME_OPEN, content, &reply, &err),
                   wishes[i].want);
        buf_release(&frame);
    }
    input_sender_release(&giving);
    offer_release(&offer);
}

static int set_up(void **state)
{
    (void)state;
    struct error err;
    expect_int(zone_open("UTC", &utc, &err), 0);
    toy_open(&toy);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    toy_close(&toy);
    zone_close(utc);
    return 0;
}

int main(void)
{
    struct suite suite = {0};
    suite_test_with(&suite, "answers_are_right_while_an_import_runs",
                    answers_are_right_while_an_import_runs, set_up, tear_down, NULL);
    suite_test_with(&suite, "what_names_files_or_changes_something_is_not_taken",
                    what_names_files_or_changes_something_is_not_taken, set_up, tear_down,
                    NULL);
    suite_test_with(&suite, "who_keeps_the_store_imports_for_others",
                    who_keeps_the_store_imports_for_others, set_up, tear_down, NULL);
    suite_test_with(&suite, "nothing_is_given_that_was_not_offered",
                    nothing_is_given_that_was_not_offered, set_up, tear_down, NULL);
    return suite_run(&suite, "answering");
}
