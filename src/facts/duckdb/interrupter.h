/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Ends statements of the engine whose stop was set: a thread that looks at them every fiftieth
 * of a second. It is started by the first statement that has a stop, and sleeps while none
 * runs. Inside facts/duckdb/ only.
 */

#include <pthread.h>
#include <stdbool.h>

#include "base/stop.h"
#include "facts/duckdb/duck.h"

/* A statement that runs; lives on the stack of its caller. */
struct watched {
    const struct stop *stop;
    duckdb_connection connection;
    struct watched *next;
};

struct interrupter {
    pthread_mutex_t guard; /* of all below */
    pthread_cond_t changed;
    struct watched *first;
    pthread_t thread;
    bool started, ending;
};

void interrupter_init(struct interrupter *watch);
/* ends the thread; nothing is watched any more */
void interrupter_release(struct interrupter *watch);

/* Around a statement; one without a stop is not watched. */
void interrupter_begin(struct interrupter *watch, struct watched *watched);
void interrupter_end(struct interrupter *watch, struct watched *watched);
