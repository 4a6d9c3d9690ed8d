/* SPDX-License-Identifier: MIT */
#include "serve/http/reply_flow.h"

#include <string.h>

#include "support/expect.h"

enum { PIECE = 4096, PIECES = 4096 };

/* The reader is always one piece behind, so that the memory is never empty. */
static void a_writer_and_a_reader_as_fast_as_each_other_take_little_memory(void **state)
{
    (void)state;
    static char piece[PIECE], got[PIECE];
    _Atomic(uint64_t) all = 0;
    struct reply_flow flow;
    bool same = true;
    reply_flow_init(&flow, &all);
    for (int i = 0; i < PIECES; i++) {
        memset(piece, i % 251, sizeof(piece));
        expect_true(reply_flow_fits(&flow));
        reply_flow_keep(&flow, (struct str){piece, sizeof(piece)});
        if (i > 0) {
            expect_int(reply_flow_take(&flow, got, sizeof(got)), PIECE);
            memset(piece, (i - 1) % 251, sizeof(piece));
            same = same && memcmp(got, piece, PIECE) == 0;
        }
        expect_true(reply_flow_memory(&flow) >= PIECE);
        expect_true(reply_flow_memory(&flow) < (size_t)4 * REPLY_FLOW_MEMORY_MAX);
    }
    expect_true(same);
    reply_flow_release(&flow);
}

/* Beyond what was in memory comes the file, for as long as the reader likes. */
static void what_was_taken_takes_no_memory(void **state)
{
    (void)state;
    static char piece[PIECE], got[PIECE];
    _Atomic(uint64_t) all = 0;
    struct reply_flow flow;
    struct error err;
    reply_flow_init(&flow, &all);
    while (reply_flow_fits(&flow)) {
        reply_flow_keep(&flow, (struct str){piece, sizeof(piece)});
    }
    expect_true(reply_flow_memory(&flow) > REPLY_FLOW_MEMORY_MAX);
    expect_true(reply_flow_reserve(&flow, sizeof(piece)));
    expect_int(reply_flow_spill(&flow, (struct str){piece, sizeof(piece)}, &err), 0);
    reply_flow_commit(&flow, sizeof(piece), false);
    while (reply_flow_memory(&flow) > 0) {
        expect_int(reply_flow_take(&flow, got, sizeof(got)), PIECE);
    }
    expect_true(flow.memory.room < PIECE);
    expect_int(reply_flow_take(&flow, got, sizeof(got)), PIECE);
    expect_true(reply_flow_is_empty(&flow));
    reply_flow_release(&flow);
    expect_int((int64_t)atomic_load(&all), 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_writer_and_a_reader_as_fast_as_each_other_take_little_memory);
    SUITE_TEST(&suite, what_was_taken_takes_no_memory);
    return suite_run(&suite, "reply_flow");
}
