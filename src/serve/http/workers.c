/* SPDX-License-Identifier: MIT */
#include "serve/http/workers.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

enum {
    OUT_MAX = 8, /* that wait for others at once */
    TURNS = 256, /* parties that take turns */
    PART = 2,    /* one of them may have so much of the queue: half */
};

struct task {
    void (*work)(void *data);
    void *data;
    struct turn *turn;
    struct task *next;
};

/* What one party waits for, in its order. */
struct turn {
    struct task *first, **last;
    size_t count;
    size_t busy;       /* of its tasks, how many have a worker and have not stepped out */
    struct turn *next; /* of those that wait: a ring */
};

struct workers {
    pthread_mutex_t guard; /* of all below */
    pthread_cond_t changed;
    struct turn turns[TURNS];
    /* of the ring of those who wait, the one whose turn was last; NULL: nobody waits */
    struct turn *latest;
    size_t count, room;
    bool ending;
    size_t usual;     /* how many work at once, those that have stepped out aside: */
    size_t busy, out; /* all that work, and of these who has */
    pthread_t *threads;
    size_t thread_count;
};

/*
 * Under the guard: in the ring, the one before the party whose turn is next. A party that has
 * all workers but one already is passed over. NULL: nothing can begin.
 */
static struct turn *before_next(const struct workers *workers)
{
    const size_t share = workers->usual > 1 ? workers->usual - 1 : 1;
    struct turn *before = workers->latest;
    if (!before || workers->busy - workers->out >= workers->usual) {
        return NULL;
    }
    while (before->next->busy >= share) {
        before = before->next;
        if (before == workers->latest) {
            return NULL;
        }
    }
    return before;
}

/* Under the guard: the first work of the party behind `before`, for a worker. */
static struct task *take_next(struct workers *workers, struct turn *before)
{
    struct turn *turn = before->next;
    struct task *task = turn->first;
    turn->first = task->next;
    turn->count--;
    turn->busy++;
    workers->count--;
    workers->busy++;
    if (turn->first) {
        workers->latest = turn;
    } else if (turn == before) {
        workers->latest = NULL;
    } else {
        before->next = turn->next;
        workers->latest = before;
    }
    return task;
}

/* Under the guard. */
static void add_task(struct workers *workers, struct turn *turn, struct task *task)
{
    if (!turn->first) { /* behind all who wait */
        turn->last = &turn->first;
        turn->next = workers->latest ? workers->latest->next : turn;
        if (workers->latest) {
            workers->latest->next = turn;
        }
        workers->latest = turn;
    }
    *turn->last = task;
    turn->last = &task->next;
    turn->count++;
    workers->count++;
}

static void *worker_main(void *data)
{
    struct workers *workers = data;
    struct turn *before;
    pthread_mutex_lock(&workers->guard);
    for (;;) {
        while (!(before = before_next(workers)) && !(workers->ending && workers->count == 0)) {
            pthread_cond_wait(&workers->changed, &workers->guard);
        }
        if (!before) {
            break;
        }
        struct task *task = take_next(workers, before);
        pthread_mutex_unlock(&workers->guard);
        task->work(task->data);
        pthread_mutex_lock(&workers->guard);
        task->turn->busy--;
        free(task);
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
        (struct workers){.room = queue_max,
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

bool workers_submit(struct workers *workers, uint64_t whose, void (*work)(void *data),
                    void *data)
{
    struct task *task = mem_alloc(1, sizeof(*task));
    struct turn *turn = &workers->turns[whose % TURNS];
    *task = (struct task){.work = work, .data = data, .turn = turn};
    pthread_mutex_lock(&workers->guard);
    const bool taken = workers->count < workers->room &&
                       turn->count < (workers->room + PART - 1) / PART && !workers->ending;
    if (taken) {
        add_task(workers, turn, task);
        pthread_cond_signal(&workers->changed);
    }
    pthread_mutex_unlock(&workers->guard);
    if (!taken) {
        free(task);
    }
    return taken;
}

bool workers_step_out(struct workers *workers, uint64_t whose)
{
    pthread_mutex_lock(&workers->guard);
    const bool spare = workers->thread_count > workers->usual + workers->out;
    const bool may = workers->out < OUT_MAX && !workers->ending &&
                     (spare || pthread_create(&workers->threads[workers->thread_count], NULL,
                                              worker_main, workers) == 0);
    if (may) {
        workers->thread_count += !spare;
        workers->out++;
        workers->turns[whose % TURNS].busy--;
        pthread_cond_broadcast(&workers->changed);
    }
    pthread_mutex_unlock(&workers->guard);
    return may;
}

void workers_step_in(struct workers *workers, uint64_t whose)
{
    pthread_mutex_lock(&workers->guard);
    workers->out--;
    workers->turns[whose % TURNS].busy++;
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
    free(workers);
}
