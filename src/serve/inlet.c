/* SPDX-License-Identifier: MIT */
#include "serve/inlet.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/await.h"
#include "base/mem.h"
#include "serve/wire.h"
#include "service/access/sodium.h"

enum { LOOK_US = 100000, HEAD = 5 };

struct inlet {
    struct inlets *inlets;
    char id[SODIUM_SECRET_MAX];
    const char *who;
    struct stop *stop;
    struct buf frame; /* with its head; empty: none has come */
    bool ended;
    struct inlet *next;
};

struct inlets {
    pthread_mutex_t guard; /* of all below, and of what each has */
    pthread_cond_t came;
    struct inlet *first;
};

struct inlets *inlets_new(void)
{
    struct inlets *inlets = mem_alloc(1, sizeof(*inlets));
    pthread_mutex_init(&inlets->guard, NULL);
    pthread_cond_init(&inlets->came, NULL);
    return inlets;
}

void inlets_free(struct inlets *inlets)
{
    if (inlets) {
        pthread_cond_destroy(&inlets->came);
        pthread_mutex_destroy(&inlets->guard);
        free(inlets);
    }
}

int inlet_open(struct inlets *inlets, const char *who, struct stop *stop, struct inlet **out,
               struct error *err)
{
    struct inlet *inlet = mem_alloc(1, sizeof(*inlet));
    *inlet = (struct inlet){.inlets = inlets, .who = who, .stop = stop};
    *out = NULL;
    int failed = sodium_secret("", inlet->id, err);
    if (failed) {
        free(inlet);
        return failed;
    }
    buf_init(&inlet->frame, WIRE_PIECE_MAX + WIRE_SMALL_MAX);
    pthread_mutex_lock(&inlets->guard);
    inlet->next = inlets->first;
    inlets->first = inlet;
    pthread_mutex_unlock(&inlets->guard);
    *out = inlet;
    return 0;
}

void inlet_close(struct inlet *inlet)
{
    if (!inlet) {
        return;
    }
    pthread_mutex_lock(&inlet->inlets->guard);
    struct inlet **link = &inlet->inlets->first;
    while (*link != inlet) {
        link = &(*link)->next;
    }
    *link = inlet->next;
    pthread_mutex_unlock(&inlet->inlets->guard);
    buf_release(&inlet->frame);
    free(inlet);
}

const char *inlet_id(const struct inlet *inlet)
{
    return inlet->id;
}

/* Takes what came apart. Under the guard. */
static int read_frame(struct inlet *inlet, enum frame_kind *kind, struct buf *out,
                      struct error *err)
{
    struct frame_reading head = {.rest = buf_str(&inlet->frame)};
    const uint64_t length = frame_get_bytes(&head, 4);
    const uint64_t first = frame_get_bytes(&head, 1);
    const bool bad = head.bad || length != inlet->frame.len - HEAD;
    buf_clear(out);
    buf_add(out, head.rest);
    buf_clear(&inlet->frame);
    *kind = (enum frame_kind)first;
    return bad || out->overflow
               ? error_set(err, ERROR_INPUT, "something else was sent than what is to be read")
               : 0;
}

int inlet_receive(struct inlet *inlet, int64_t limit_us, enum frame_kind *kind, struct buf *out,
                  struct error *err)
{
    const int64_t until = stop_clock() + limit_us;
    int failed = 0;
    *kind = 0;
    pthread_mutex_lock(&inlet->inlets->guard);
    while (inlet->frame.len == 0 && !inlet->ended && !stop_is_set(inlet->stop) &&
           stop_clock() < until) {
        (void)await_until(&inlet->inlets->came, &inlet->inlets->guard,
                          stop_clock() + LOOK_US); /* who asked may have left */
    }
    if (inlet->ended) {
        buf_clear(out);
    } else if (inlet->frame.len > 0) {
        failed = read_frame(inlet, kind, out, err);
    } else if (stop_is_set(inlet->stop)) {
        failed = stop_explain(inlet->stop, err);
    } else {
        failed = error_set(err, ERROR_IO, "nothing was sent of what is to be read");
    }
    pthread_mutex_unlock(&inlet->inlets->guard);
    return failed;
}

bool inlet_was_ended(const struct inlet *inlet)
{
    pthread_mutex_lock(&inlet->inlets->guard);
    const bool ended = inlet->ended;
    pthread_mutex_unlock(&inlet->inlets->guard);
    return ended;
}

int inlets_put(struct inlets *inlets, struct str id, const char *who, struct str frame,
               struct error *err)
{
    int failed = 0;
    pthread_mutex_lock(&inlets->guard);
    struct inlet *inlet = inlets->first;
    while (inlet && !(sodium_same(id, str_of(inlet->id)) && strcmp(who, inlet->who) == 0)) {
        inlet = inlet->next;
    }
    if (!inlet) {
        failed = error_set(err, ERROR_MISSING, "nobody reads that; the request has ended");
    } else if (frame.len == 0) {
        inlet->ended = true;
        stop_ask(inlet->stop);
    } else if (inlet->frame.len > 0) {
        failed = error_set(err, ERROR_CONFLICT, "more was sent than was to be read");
    } else {
        buf_add(&inlet->frame, frame);
    }
    pthread_cond_broadcast(&inlets->came);
    pthread_mutex_unlock(&inlets->guard);
    return failed;
}
