/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The side of whoever asks, where a request comes with inputs: gives the bytes that the side that answers wants of them, and of
 * nothing else, whatever it wishes for.
 */

#include "serve/wire.h"

struct giving {
    const struct request *request;
    struct input **open; /* one a value; NULL: not open */
    struct buf frame;    /* the last one sent */
    char *piece;
};

void giving_init(struct giving *giving, const struct request *request);
void giving_release(struct giving *giving);

/*
 * Does what a frame of a kind FRAME_OPEN, FRAME_READ or FRAME_CLOSE wants. *reply is the frame to be sent back, good until the next
 * one; empty: nothing is.
 */
int giving_answer(struct giving *giving, enum frame_kind kind, struct str content,
                  struct str *reply, struct error *err) MUST_CHECK;
