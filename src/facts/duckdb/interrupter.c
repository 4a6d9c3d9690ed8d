/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/interrupter.h"

#include <time.h>

enum { LOOK_NS = 20000000 };

void interrupter_init(struct interrupter *watch)
{
    pthread_mutex_init(&watch->guard, NULL);
    pthread_cond_init(&watch->changed, NULL);
}

static void look(const struct interrupter *watch)
{
    for (const struct watched *one = watch->first; one; one = one->next) {
        if (stop_is_set(one->stop)) {
            duck.interrupt(one->connection);
        }
    }
}

static void *watch_all(void *data)
{
    struct interrupter *watch = data;
    pthread_mutex_lock(&watch->guard);
    while (!watch->ending) {
        if (!watch->first) {
            pthread_cond_wait(&watch->changed, &watch->guard);
            continue;
        }
        look(watch);
        pthread_mutex_unlock(&watch->guard);
        const struct timespec pause = {.tv_nsec = LOOK_NS};
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&watch->guard);
    }
    pthread_mutex_unlock(&watch->guard);
    return NULL;
}

void interrupter_begin(struct interrupter *watch, struct watched *watched)
{
    if (!watched->stop) {
        return;
    }
    pthread_mutex_lock(&watch->guard);
    watched->next = watch->first;
    watch->first = watched;
    if (!watch->started) { /* without it a statement runs to its end, which is no harm */
        watch->started = pthread_create(&watch->thread, NULL, watch_all, watch) == 0;
    }
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->guard);
}

void interrupter_end(struct interrupter *watch, struct watched *watched)
{
    if (!watched->stop) {
        return;
    }
    pthread_mutex_lock(&watch->guard);
    struct watched **link = &watch->first;
    while (*link != watched) {
        link = &(*link)->next;
    }
    *link = watched->next;
    pthread_mutex_unlock(&watch->guard);
}

void interrupter_release(struct interrupter *watch)
{
    pthread_mutex_lock(&watch->guard);
    watch->ending = true;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->guard);
    if (watch->started) {
        pthread_join(watch->thread, NULL);
    }
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->guard);
}
