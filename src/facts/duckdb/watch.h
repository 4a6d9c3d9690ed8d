/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Ends statements of the engine whose stop was set: a thread that looks at them every fiftieth of a second. It is started by the
 * first statement that has a stop, and sleeps while none runs. Inside facts/duckdb/ only.
 */

#include <pthread.h>
#include <stdbool.h>

#include "base/stop.h"
#include "facts/duckdb/duck.h"

/* A statement that runs; lives on the stack of whoever runs it. */
struct watched {
    const struct stop *stop;
    duckdb_connection connection;
    struct watched *next;
};

struct watch {
    pthread_mutex_t guard; /* of all below */
    pthread_cond_t changed;
    struct watched *first;
    pthread_t thread;
    bool started, ending;
};

void watch_init(struct watch *watch);
void watch_release(struct watch *watch); /* ends the thread; nothing is watched any more */

/* Around a statement; one without a stop is not watched. */
void watch_begin(struct watch *watch, struct watched *watched);
void watch_end(struct watch *watch, struct watched *watched);
