/* SPDX-License-Identifier: MIT */
#include "serve/workers.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

enum { OUT_MAX = 8 }; /* that wait for others at once */

struct task {
    void (*work)(void *data);
    void *data;
};

struct workers {
    pthread_mutex_t guard; /* of all below */
    pthread_cond_t changed;
    struct task *queue; /* a ring */
    size_t first, count, room;
    bool ending;
    size_t usual;     /* how many work at once, those that have stepped out aside: */
    size_t busy, out; /* all that work, and of these who has */
    pthread_t *threads;
    size_t thread_count;
};

/* Under the guard. */
static bool may_begin(const struct workers *workers)
{
    return workers->count > 0 && workers->busy - workers->out < workers->usual;
}

static void *worker_main(void *data)
{
    struct workers *workers = data;
    pthread_mutex_lock(&workers->guard);
    for (;;) {
        while (!may_begin(workers) && !(workers->ending && workers->count == 0)) {
            pthread_cond_wait(&workers->changed, &workers->guard);
        }
        if (workers->count == 0) {
            break;
        }
        const struct task task = workers->queue[workers->first];
        workers->first = (workers->first + 1) % workers->room;
        workers->count--;
        workers->busy++;
        pthread_mutex_unlock(&workers->guard);
        task.work(task.data);
        pthread_mutex_lock(&workers->guard);
        workers->busy--;
        if (workers->thread_count > workers->usual || workers->ending) {
            pthread_cond_broadcast(&workers->changed); /* others may wait for their turn */
        }
    }
    pthread_mutex_unlock(&workers->guard);
    return NULL;
}

int workers_start(size_t threads, size_t queue_max, struct workers **out, struct error *err)
{
    struct workers *workers = mem_alloc(1, sizeof(*workers));
    *workers =
        (struct workers){.queue = mem_alloc(queue_max, sizeof(*workers->queue)),
                         .room = queue_max,
                         .usual = threads,
                         .threads = mem_alloc(threads + OUT_MAX, sizeof(*workers->threads))};
    pthread_mutex_init(&workers->guard, NULL);
    pthread_cond_init(&workers->changed, NULL);
    while (workers->thread_count < threads &&
           pthread_create(&workers->threads[workers->thread_count], NULL, worker_main,
                          workers) == 0) {
        workers->thread_count++;
    }
    if (workers->thread_count == 0) {
        workers_stop(workers);
        return error_set(err, ERROR_IO, "cannot start a thread");
    }
    *out = workers;
    return 0;
}

bool workers_submit(struct workers *workers, void (*work)(void *data), void *data)
{
    pthread_mutex_lock(&workers->guard);
    const bool taken = workers->count < workers->room && !workers->ending;
    if (taken) {
        workers->queue[(workers->first + workers->count++) % workers->room] =
            (struct task){work, data};
        pthread_cond_signal(&workers->changed);
    }
    pthread_mutex_unlock(&workers->guard);
    return taken;
}

bool workers_step_out(struct workers *workers)
{
    pthread_mutex_lock(&workers->guard);
    const bool spare = workers->thread_count > workers->usual + workers->out;
    const bool may = workers->out < OUT_MAX && !workers->ending &&
                     (spare || pthread_create(&workers->threads[workers->thread_count], NULL,
                                              worker_main, workers) == 0);
    if (may) {
        workers->thread_count += !spare;
        workers->out++;
        pthread_cond_broadcast(&workers->changed);
    }
    pthread_mutex_unlock(&workers->guard);
    return may;
}

void workers_step_in(struct workers *workers)
{
    pthread_mutex_lock(&workers->guard);
    workers->out--;
    pthread_mutex_unlock(&workers->guard);
}

void workers_stop(struct workers *workers)
{
    if (!workers) {
        return;
    }
    pthread_mutex_lock(&workers->guard);
    workers->ending = true;
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->guard);
    for (size_t i = 0; i < workers->thread_count; i++) {
        pthread_join(workers->threads[i], NULL);
    }
    pthread_cond_destroy(&workers->changed);
    pthread_mutex_destroy(&workers->guard);
    free(workers->threads);
    free(workers->queue);
    free(workers);
}
