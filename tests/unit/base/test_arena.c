/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdalign.h>

#include "support/expect.h"

static void arena_pieces_are_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct arena arena = {0};
    unsigned char *pieces[2000];
    for (size_t i = 0; i < 2000; i++) {
        size_t size = i % 97;
        pieces[i] = arena_alloc(&arena, size);
        expect_uint((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        for (size_t j = 0; j < size; j++) {
            expect_int(pieces[i][j], 0);
        }
        memset(pieces[i], (int)(i % 251), size);
    }
    for (size_t i = 0; i < 2000; i++) {
        for (size_t j = 0; j < i % 97; j++) {
            expect_uint(pieces[i][j], i % 251);
        }
    }
    arena_release(&arena);
    expect_true(arena.first == NULL);
}

static void arena_gives_pieces_larger_than_a_block(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *small = arena_text(&arena, STR("small"));
    char *large = arena_alloc(&arena, 5 << 20);
    memset(large, 'x', 5 << 20);
    expect_text(small, "small");
    arena_release(&arena);
}

static void arena_copies_text(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct str copy = arena_copy(&arena, STR("a\0b"));
    expect_true(str_eq(copy, STR("a\0b")));
    expect_int(copy.ptr[3], 0);
    struct str empty = arena_copy(&arena, (struct str){0});
    expect_true(empty.ptr != NULL && empty.len == 0);
    expect_text(arena_text(&arena, (struct str){"abcdef", 3}), "abc");
    arena_release(&arena);
}

static void arena_printf_short_and_long(void **state)
{
    (void)state;
    struct arena arena = {0};
    expect_text(arena_printf(&arena, "%s-%d", "a", 5), "a-5");
    for (int width = 254; width <= 258; width++) {
        const char *text = arena_printf(&arena, "%*d", width, 7);
        expect_int((int64_t)strlen(text), width);
        expect_int(text[width - 1], '7');
    }
    expect_uint(strlen(arena_printf(&arena, "%*d", 100000, 7)), 100000);
    arena_release(&arena);
}

static void arena_reset_reuses_and_zeroes(void **state)
{
    (void)state;
    struct arena arena = {0};
    arena_reset(&arena);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 1000; i++) {
            unsigned char *piece = arena_alloc(&arena, 100);
            for (int j = 0; j < 100; j++) {
                expect_int(piece[j], 0);
            }
            memset(piece, 0xff, 100);
        }
        arena_reset(&arena);
        expect_true(arena.first != NULL);
    }
    arena_release(&arena);
    arena_release(NULL);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, arena_pieces_are_zeroed_aligned_and_apart);
    SUITE_TEST(&suite, arena_gives_pieces_larger_than_a_block);
    SUITE_TEST(&suite, arena_copies_text);
    SUITE_TEST(&suite, arena_printf_short_and_long);
    SUITE_TEST(&suite, arena_reset_reuses_and_zeroes);
    return suite_run(&suite, "arena");
}
