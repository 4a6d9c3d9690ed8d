/* SPDX-License-Identifier: MIT */
#include "serve/rpc/upload_channel.h"

#include <pthread.h>

#include "serve/rpc/wire.h"
#include "support/expect.h"

enum { PATIENCE_US = 60000000, PIECES = 200 };

static struct upload_channels *inlets;
static struct stop stop;

/* Sends pieces; one that has not been read yet keeps the next from being taken. */
static void *send_pieces(void *data)
{
    const struct upload_channel *inlet = data;
    for (int i = 0; i < PIECES; i++) {
        struct buf frame;
        struct error err;
        int failed;
        buf_init(&frame, WIRE_SMALL_MAX);
        wire_put_piece(&frame, STR("bytes"), 0, NULL);
        do {
            failed = upload_channels_put(inlets, str_of(upload_channel_id(inlet)), "ann",
                                         buf_str(&frame), &err);
        } while (failed == ERROR_CONFLICT);
        expect_int(failed, 0);
        buf_release(&frame);
    }
    return NULL;
}

static void what_is_sent_is_read_once_and_in_order(void **state)
{
    (void)state;
    struct upload_channel *inlet;
    struct error err;
    struct buf frame;
    pthread_t thread;
    buf_init(&frame, WIRE_SMALL_MAX);
    expect_int(upload_channel_open(inlets, "ann", &stop, &inlet, &err), 0);
    expect_int(pthread_create(&thread, NULL, send_pieces, inlet), 0);
    for (int i = 0; i < PIECES; i++) {
        enum frame_kind kind = 0;
        struct str bytes;
        expect_int(upload_channel_receive(inlet, PATIENCE_US, &kind, &frame, &err), 0);
        expect_int(kind, FRAME_BYTES);
        expect_int(wire_get_piece(buf_str(&frame), &bytes, &err), 0);
        expect_true(str_eq(bytes, STR("bytes")));
    }
    pthread_join(thread, NULL);
    upload_channel_close(inlet);
    buf_release(&frame);
}

static void nobody_else_sends_into_it(void **state)
{
    (void)state;
    struct upload_channel *inlet;
    struct error err;
    expect_int(upload_channel_open(inlets, "ann", &stop, &inlet, &err), 0);
    const struct str id = str_of(upload_channel_id(inlet));
    const struct str part = {id.ptr, id.len - 1};
    expect_int(upload_channels_put(inlets, id, "eve", STR("x"), &err), ERROR_MISSING);
    expect_int(upload_channels_put(inlets, part, "ann", STR("x"), &err), ERROR_MISSING);
    expect_int(upload_channels_put(inlets, STR(""), "ann", STR("x"), &err), ERROR_MISSING);
    upload_channel_close(inlet);
}

static void what_is_no_frame_is_refused_where_it_is_read(void **state)
{
    (void)state;
    struct upload_channel *inlet;
    enum frame_kind kind;
    struct error err;
    struct buf frame;
    buf_init(&frame, WIRE_SMALL_MAX);
    expect_int(upload_channel_open(inlets, "ann", &stop, &inlet, &err), 0);
    expect_int(upload_channels_put(inlets, str_of(upload_channel_id(inlet)), "ann",
                                   STR("nonsense"), &err),
               0);
    expect_int(upload_channel_receive(inlet, PATIENCE_US, &kind, &frame, &err), ERROR_INPUT);
    expect_int(upload_channel_receive(inlet, 1, &kind, &frame, &err), ERROR_IO);
    upload_channel_close(inlet);
    buf_release(&frame);
}

static void the_empty_frame_asks_the_request_to_end(void **state)
{
    (void)state;
    struct upload_channel *inlet;
    enum frame_kind kind = FRAME_BYTES;
    struct error err;
    struct buf frame;
    buf_init(&frame, WIRE_SMALL_MAX);
    expect_int(upload_channel_open(inlets, "ann", &stop, &inlet, &err), 0);
    expect_false(upload_channel_was_ended(inlet));
    expect_int(
        upload_channels_put(inlets, str_of(upload_channel_id(inlet)), "ann", STR(""), &err), 0);
    expect_true(stop_is_set(&stop));
    expect_true(upload_channel_was_ended(inlet));
    expect_int(upload_channel_receive(inlet, PATIENCE_US, &kind, &frame, &err), 0);
    expect_int(kind, 0);
    upload_channel_close(inlet);
    buf_release(&frame);
}

int main(void)
{
    struct suite suite = {0};
    inlets = upload_channels_new();
    SUITE_TEST(&suite, what_is_sent_is_read_once_and_in_order);
    SUITE_TEST(&suite, nobody_else_sends_into_it);
    SUITE_TEST(&suite, what_is_no_frame_is_refused_where_it_is_read);
    SUITE_TEST(&suite, the_empty_frame_asks_the_request_to_end);
    const int failed = suite_run(&suite, "inlet_threads");
    upload_channels_free(inlets);
    return failed;
}
