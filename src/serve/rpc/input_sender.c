/* SPDX-License-Identifier: MIT */
#include "serve/rpc/input_sender.h"

#include <stdlib.h>

#include "base/mem.h"

void input_sender_init(struct input_sender *giving, const struct request *request)
{
    *giving = (struct input_sender){
        .request = request,
        .open = mem_alloc(request->count + 1, sizeof(*giving->open)),
        .piece = mem_alloc(WIRE_PIECE_MAX, 1),
    };
    buf_init(&giving->frame, WIRE_PIECE_MAX + WIRE_SMALL_MAX);
}

void input_sender_release(struct input_sender *giving)
{
    for (size_t i = 0; i < giving->request->count; i++) {
        input_close(giving->open[i]);
    }
    buf_release(&giving->frame);
    free(giving->open);
    free(giving->piece);
}

static void open_input(struct input_sender *giving, size_t value)
{
    const struct inputs *inputs = giving->request->inputs;
    struct error why;
    input_close(giving->open[value]);
    giving->open[value] = NULL;
    int failed = inputs->open(inputs->context, value, &giving->open[value], &why);
    wire_put_opened(&giving->frame, giving->open[value], failed, &why);
}

static void read_input(struct input_sender *giving, const struct wire_wish *wish)
{
    const struct input *input = giving->open[wish->value];
    const size_t size = wish->size < WIRE_PIECE_MAX ? wish->size : WIRE_PIECE_MAX;
    struct error why;
    size_t got = 0;
    int failed = input ? input_read(input, wish->offset, giving->piece, size, &got, &why)
                       : error_set(&why, ERROR_INPUT, "what is to be read is not open");
    wire_put_piece(&giving->frame, (struct str){giving->piece, got}, failed, &why);
}

int input_sender_answer(struct input_sender *giving, enum frame_kind kind, struct str content,
                        struct str *reply, struct error *err)
{
    struct wire_wish wish;
    *reply = STR("");
    int failed = wire_get_wish(content, &wish, err);
    if (failed) {
        return failed;
    }
    if (!giving->request->inputs || wish.value >= giving->request->count ||
        !inputs_has(giving->request, wish.value)) {
        return error_set(err, ERROR_INPUT, "something was to be read that nobody offered");
    }
    buf_clear(&giving->frame);
    if (kind == FRAME_CLOSE) {
        input_close(giving->open[wish.value]);
        giving->open[wish.value] = NULL;
        return 0;
    }
    if (kind == FRAME_OPEN) {
        open_input(giving, wish.value);
    } else {
        read_input(giving, &wish);
    }
    *reply = buf_str(&giving->frame);
    return giving->frame.overflow
               ? error_set(err, ERROR_LIMIT, "the name of a file is too long to be sent")
               : 0;
}
