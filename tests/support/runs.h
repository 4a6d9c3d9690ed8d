/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A store of runs that a test writes down itself, in a folder of its own.
 *
 *     struct runs_store store;
 *     runs_open(&store);
 *     struct run run = {0};
 *     RUN_SET(&run, start, noon);
 *     runs_add(&store, &run, 1);
 *     ... ask store.facts ...
 *     runs_close(&store);
 *
 * What goes wrong fails the test.
 */

#include <stddef.h>

#include "facts/append.h"
#include "facts/facts.h"
#include "record/run.h"
#include "support/expect.h"

struct runs_store {
    char folder[64];
    struct facts *facts; /* open for writing, in no transaction */
    int64_t batch;       /* of the last runs_add */
    int64_t line;
};

void runs_open(struct runs_store *store);
void runs_close(struct runs_store *store); /* and removes the folder */

/* Runs the tests of a program that share one store: it is opened before the first and closed after the last. */
int runs_suite(struct suite *suite, struct runs_store *store, const char *name);

/*
 * Adds runs. What tells them apart is filled in where it is absent: cluster "toy", jobs numbered
 * from 1 in the order they come, and everything about their origin.
 */
void runs_add(struct runs_store *store, const struct run *runs, size_t count);

/* The same, where some may take the place of others. */
void runs_put(struct runs_store *store, const struct run *runs, size_t count,
              struct append_counts *counts);

/* Makes a run without an end one that was seen to run, or to wait, at all times. */
void runs_always_seen(struct run *run);

/* Takes all runs out again: a store for the next test, sooner than a new one. */
void runs_clear(struct runs_store *store);

/* Takes out all that was seen of nodes, partitions and reservations, and when. */
void runs_clear_things(struct runs_store *store);

/* Texts that a row of a test has: up to the first that is NULL, or `room` of them. */
struct runs_texts {
    const char *const *texts;
    size_t room;
    void (*read)(const char *text);
};

/* A store with nothing of the row before in it, into which each text is read, in their order. */
void runs_stage(struct runs_store *store, const struct runs_texts *lists, size_t count);

/* Removes a folder and the files in it. */
void runs_remove_folder(const char *folder);
