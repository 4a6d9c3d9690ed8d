/* SPDX-License-Identifier: MIT */
#include "serve/rpc/input_receiver.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { PATIENCE_US = 30000000 };

/* An input that is read: what its reader needs. */
struct taken {
    struct input_receiver *taking;
    size_t value;
};

static int send_wish(struct input_receiver *taking, enum frame_kind kind,
                     const struct wire_wish *wish, struct error *err)
{
    struct buf frame;
    buf_init(&frame, WIRE_SMALL_MAX);
    wire_put_wish(&frame, kind, wish);
    int failed = taking->way.send(taking->way.context, buf_str(&frame), err);
    buf_release(&frame);
    return failed;
}

/* Says what is wanted and receives what comes of it. */
static int request_frame(struct input_receiver *taking, enum frame_kind kind,
                         const struct wire_wish *wish, enum frame_kind wanted,
                         struct error *err)
{
    enum frame_kind got = 0;
    int failed;
    (void)((failed = send_wish(taking, kind, wish, err)) ||
           (failed = taking->way.receive(taking->way.context, PATIENCE_US, &got, &taking->frame,
                                         err)));
    if (!failed && got == 0) { /* it wants no more, or is gone */
        stop_ask(taking->stop);
        return stop_explain(taking->stop, err);
    }
    if (!failed && got != wanted) {
        failed = error_set(err, ERROR_INPUT, "something else was sent than what is to be read");
    }
    return failed;
}

static int read_taken(void *context, const struct input *input, uint64_t offset, void *data,
                      size_t size, size_t *got, struct error *err)
{
    (void)input;
    const struct taken *taken = context;
    const size_t most = taken->taking->way.piece_max;
    const struct wire_wish wish = {taken->value, offset, size < most ? size : most};
    struct str bytes;
    int failed = request_frame(taken->taking, FRAME_READ, &wish, FRAME_BYTES, err);
    failed = failed ? failed : wire_get_piece(buf_str(&taken->taking->frame), &bytes, err);
    if (!failed && bytes.len > size) {
        failed = error_set(err, ERROR_INPUT, "more was sent than was to be read");
    }
    if (!failed && bytes.len > 0) {
        memcpy(data, bytes.ptr, bytes.len);
        *got = bytes.len;
    }
    return failed;
}

static void close_taken(void *context)
{
    struct taken *taken = context;
    struct error ignored;
    (void)!send_wish(taken->taking, FRAME_CLOSE, &(struct wire_wish){.value = taken->value},
                     &ignored);
    free(taken);
}

static int open_taken(void *context, size_t value, struct input **out, struct error *err)
{
    struct input_receiver *taking = context;
    const struct wire_wish wish = {.value = value};
    int failed = request_frame(taking, FRAME_OPEN, &wish, FRAME_OPENED, err);
    failed = failed ? failed : wire_get_opened(buf_str(&taking->frame), out, err);
    if (failed) {
        return failed;
    }
    struct taken *taken = mem_alloc(1, sizeof(*taken));
    *taken = (struct taken){taking, value};
    (*out)->context = taken;
    (*out)->read = read_taken;
    (*out)->close = close_taken;
    return 0;
}

void input_receiver_init(struct input_receiver *taking, const struct input_receiver_way *way,
                         struct stop *stop)
{
    *taking = (struct input_receiver){
        .way = *way,
        .stop = stop,
        .inputs = {.context = taking, .open = open_taken},
    };
    buf_init(&taking->frame, WIRE_PIECE_MAX + WIRE_SMALL_MAX);
}

void input_receiver_release(struct input_receiver *taking)
{
    buf_release(&taking->frame);
}
