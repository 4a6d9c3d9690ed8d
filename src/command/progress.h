/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A line on the terminal that shows how far a long operation is, how fast it goes and how long
 * it will take. Calls may come from any thread and often; the line is redrawn ten times a
 * second.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
    pthread_mutex_t lock;
    int64_t begun, drawn; /* monotonic microseconds; 0: not yet */
    bool on_screen;
};

#define PROGRESS_INIT                                                                          \
    {                                                                                          \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                      \
    }

void progress_show(struct progress *progress, const char *what, uint64_t done, uint64_t total,
                   int64_t records);
void progress_clear(struct progress *progress); /* before anything else is written */
