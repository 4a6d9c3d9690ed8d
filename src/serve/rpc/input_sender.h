/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Client side of the transfer of inputs: sends byte ranges of the inputs that the request
 * names, and of no other file.
 */

#include "serve/rpc/wire.h"

struct input_sender {
    const struct request *request;
    struct input **open; /* one a value; NULL: not open */
    struct buf frame;    /* the last one sent */
    char *piece;
};

void input_sender_init(struct input_sender *giving, const struct request *request);
void input_sender_release(struct input_sender *giving);

/*
 * Does what a frame of a kind FRAME_OPEN, FRAME_READ or FRAME_CLOSE wants. *reply is the frame
 * to be sent back, good until the next one; empty: nothing is.
 */
int input_sender_answer(struct input_sender *giving, enum frame_kind kind, struct str content,
                        struct str *reply, struct error *err) MUST_CHECK;
