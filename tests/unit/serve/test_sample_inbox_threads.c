/* SPDX-License-Identifier: MIT */

/*
 * Many nodes add to the inbox while its thread imports and removes the files of hours that are over, and the hour changes meanwhile. Run under the
 * thread sanitizer as well. Every look is in the store once, whoever stops the inbox in between.
 */

#include "serve/daemon/sample_inbox.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stop.h"
#include "support/expect.h"
#include "unit/ingest/toy_store.h"

enum { NODES = 4, LOOKS = 25 };

static struct toy toy;
static struct zone *utc;
static atomic_int hours; /* that have passed */

static int64_t now(void)
{
    return TOY_NOW + atomic_load(&hours) * INT64_C(3600000000);
}

struct node {
    pthread_t thread;
    struct sample_inbox *inbox;
    int number;
    int failures;
};

/* Adds look `i` of a node to the inbox of a cluster. */
static int add_look(struct sample_inbox *inbox, const char *cluster, int node, int i)
{
    char text[512];
    struct error err = {0};
    const int length = snprintf(
        text, sizeof(text),
        "{\"meta\":{\"producer\":\"stint-agent\",\"version\":\"0.1.0\",\"format\":0},"
        "\"data\":"
        "{\"type\":\"sample\",\"attributes\":{\"time\":\"2027-01-15T08:%02d:00Z\","
        "\"cluster\":"
        "\"c\",\"node\":\"n%d\",\"jobs\":[{\"job\":7,\"user\":\"ann\",\"epoch\":0,"
        "\"processes\":[{\"cmd\":\"md\",\"pid\":70,\"ppid\":1,\"cpu_time\":%d}]}]}}}\n",
        i, node, i);
    return sample_inbox_add(inbox, cluster, (struct str){text, (size_t)length}, &err);
}

/* Two clusters take turns, and with each fifth look of one node an hour passes. */
static void *add_looks(void *data)
{
    struct node *node = data;
    for (int i = 0; i < LOOKS; i++) {
        node->failures +=
            add_look(node->inbox, i % 2 ? "alder" : "birch", node->number, i) != 0;
        if (i % 5 == 4 && node->number == 0) {
            atomic_fetch_add(&hours, 1);
        }
    }
    return NULL;
}

static bool is_empty(const char *cluster)
{
    char path[192];
    snprintf(path, sizeof(path), "%s/inbox/%s", toy.store, cluster);
    struct dirent **entries = NULL;
    const int found = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < found; i++) {
        free(entries[i]);
    }
    free(entries);
    return found <= 2; /* . and .. */
}

/*
 * What lies in the inbox of a cluster is limited together with what is to be added, of which nothing is read or written then: it
 * has a length only. The hour is not over, so that the first look stays where it is.
 */
static void refuse_when_full(struct sample_inbox *inbox)
{
    const struct str rest = {"", (size_t)16 << 30};
    struct error err = {0};
    expect_int(add_look(inbox, "oak", 1, 1), 0);
    expect_int(sample_inbox_add(inbox, "oak", rest, &err), ERROR_CONFLICT);
    expect_contains(err.text,
                    "the inbox of cluster 'oak' has 16 GiB that are not imported yet");
    expect_int(add_look(inbox, "oak", 2, 1), 0);
}

static void every_look_is_stored_once(void **state)
{
    (void)state;
    const struct caller admin = {.name = "root", CALLER_AS(ADMIN)};
    const struct service service = {
        .store = toy.store, .zone = utc, .now = now, .caller = &admin};
    struct store *store = NULL;
    struct error err = {0};
    struct node nodes[NODES] = {0};
    toy_away(&toy);
    expect_int(store_open(toy.store, FACTS_WRITE, &(struct store_wait){0}, &store, &err), 0);
    struct sample_inbox *inbox = sample_inbox_start(store, &service);
    /* what one node may send in an hour is limited, and does not count for others */
    expect_int(sample_inbox_admit(inbox, "oak", STR("n1"), 256 << 20, &err), 0);
    expect_int(sample_inbox_admit(inbox, "oak", STR("n1"), 1, &err), ERROR_CONFLICT);
    expect_int(sample_inbox_admit(inbox, "oak", STR("n2"), 1, &err), 0);
    expect_int(sample_inbox_admit(inbox, "elm", STR("n1"), 1, &err), 0);
    refuse_when_full(inbox);
    for (int i = 0; i < NODES; i++) {
        nodes[i].number = i;
        nodes[i].inbox = inbox;
        expect_int(pthread_create(&nodes[i].thread, NULL, add_looks, &nodes[i]), 0);
    }
    for (int i = 0; i < NODES; i++) {
        expect_int(pthread_join(nodes[i].thread, NULL), 0);
        expect_int(nodes[i].failures, 0);
    }
    sample_inbox_stop(inbox);
    /* Another server begins with what was left, and there is nothing to keep when the hour is over. */
    atomic_fetch_add(&hours, 1);
    inbox = sample_inbox_start(store, &service);
    while (!is_empty("alder") || !is_empty("birch") || !is_empty("oak")) {
        (void)!stop_sleep(NULL, 1000);
    }
    sample_inbox_stop(inbox);
    store_close(store);
    toy_back(&toy);
    toy_expect(
        &toy,
        "SELECT cluster, count(*), count(DISTINCT (node, \"time\")) FROM samples GROUP BY "
        "cluster ORDER BY cluster",
        "alder|48|48\nbirch|52|52\noak|2|2\n");
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
    suite_test_with(&suite, "every_look_is_stored_once", every_look_is_stored_once, set_up,
                    tear_down, NULL);
    return suite_run(&suite, "inbox");
}
