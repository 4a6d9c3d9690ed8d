/* SPDX-License-Identifier: MIT */
#include "serve/rpc/upload_channel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/timed_wait.h"
#include "serve/rpc/wire.h"
#include "service/access/sodium.h"

enum { LOOK_US = 100000, HEAD = 5 };

struct upload_channel {
    struct upload_channels *inlets;
    char id[SODIUM_SECRET_MAX];
    const char *who;
    struct stop *stop;
    struct buf frame; /* with its head; empty: none has come */
    bool ended;
    struct upload_channel *next;
};

struct upload_channels {
    pthread_mutex_t guard; /* of all below, and of what each has */
    pthread_cond_t came;
    struct upload_channel *first;
};

struct upload_channels *upload_channels_new(void)
{
    struct upload_channels *inlets = mem_alloc(1, sizeof(*inlets));
    pthread_mutex_init(&inlets->guard, NULL);
    pthread_cond_init(&inlets->came, NULL);
    return inlets;
}

void upload_channels_free(struct upload_channels *inlets)
{
    if (inlets) {
        pthread_cond_destroy(&inlets->came);
        pthread_mutex_destroy(&inlets->guard);
        free(inlets);
    }
}

int upload_channel_open(struct upload_channels *inlets, const char *who, struct stop *stop,
                        struct upload_channel **out, struct error *err)
{
    struct upload_channel *inlet = mem_alloc(1, sizeof(*inlet));
    *inlet = (struct upload_channel){.inlets = inlets, .who = who, .stop = stop};
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

void upload_channel_close(struct upload_channel *inlet)
{
    if (!inlet) {
        return;
    }
    pthread_mutex_lock(&inlet->inlets->guard);
    struct upload_channel **link = &inlet->inlets->first;
    while (*link != inlet) {
        link = &(*link)->next;
    }
    *link = inlet->next;
    pthread_mutex_unlock(&inlet->inlets->guard);
    buf_release(&inlet->frame);
    free(inlet);
}

const char *upload_channel_id(const struct upload_channel *inlet)
{
    return inlet->id;
}

/* Takes what came apart. Under the guard. */
static int read_frame(struct upload_channel *inlet, enum frame_kind *kind, struct buf *out,
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

int upload_channel_receive(struct upload_channel *inlet, int64_t limit_us,
                           enum frame_kind *kind, struct buf *out, struct error *err)
{
    const int64_t until = stop_clock() + limit_us;
    int failed = 0;
    *kind = 0;
    pthread_mutex_lock(&inlet->inlets->guard);
    while (inlet->frame.len == 0 && !inlet->ended && !stop_is_set(inlet->stop) &&
           stop_clock() < until) {
        (void)timed_wait_until(&inlet->inlets->came, &inlet->inlets->guard,
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

bool upload_channel_was_ended(const struct upload_channel *inlet)
{
    pthread_mutex_lock(&inlet->inlets->guard);
    const bool ended = inlet->ended;
    pthread_mutex_unlock(&inlet->inlets->guard);
    return ended;
}

int upload_channels_put(struct upload_channels *inlets, struct str id, const char *who,
                        struct str frame, struct error *err)
{
    int failed = 0;
    pthread_mutex_lock(&inlets->guard);
    struct upload_channel *inlet = inlets->first;
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
