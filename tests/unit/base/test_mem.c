/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/expect.h"

static void mem_alloc_gives_zeros(void **state)
{
    (void)state;
    unsigned char *piece = mem_alloc(100, 3);
    for (size_t i = 0; i < 300; i++) {
        expect_int(piece[i], 0);
    }
    free(piece);
}

static void nothing_is_a_piece_of_its_own(void **state)
{
    (void)state;
    void *nothing = mem_alloc(0, 8);
    expect_true(nothing != NULL);
    nothing = mem_resize(nothing, 0, 8);
    expect_true(nothing != NULL);
    free(nothing);
}

static void mem_resize_keeps_what_was_there(void **state)
{
    (void)state;
    char *piece = mem_resize(NULL, 4, 1);
    memcpy(piece, "abc", 4);
    piece = mem_resize(piece, 100000, 1);
    expect_text(piece, "abc");
    free(piece);
}

static void mem_grow_has_room_for_one_more(void **state)
{
    (void)state;
    int *numbers = NULL;
    size_t room = 0;
    for (size_t count = 0; count < 1000; count++) {
        const size_t before = room;
        numbers = mem_grow(numbers, count, &room, sizeof(*numbers));
        expect_true(count < room && (room == before || room >= 2 * before));
        numbers[count] = (int)count;
    }
    for (int i = 0; i < 1000; i++) {
        expect_int(numbers[i], i);
    }
    free(numbers);
}

static void mem_text_copies(void **state)
{
    (void)state;
    char text[] = "abc";
    char *copy = mem_text(text);
    text[0] = 'x';
    expect_text(copy, "abc");
    free(copy);
    expect_true(mem_text(NULL) == NULL);
}

static void a_size_that_overflows_ends_the_program(void **state)
{
    (void)state;
    int ends[2];
    expect_int(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        free(mem_resize(NULL, SIZE_MAX / 2, 3));
        _exit(0);
    }
    close(ends[1]);
    char said[200] = "";
    expect_true(read(ends[0], said, sizeof(said) - 1) > 0);
    close(ends[0]);
    int status = 0;
    expect_int(waitpid(child, &status, 0), child);
    expect_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    expect_contains(said, "stint: out of memory");
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, mem_alloc_gives_zeros);
    SUITE_TEST(&suite, nothing_is_a_piece_of_its_own);
    SUITE_TEST(&suite, mem_resize_keeps_what_was_there);
    SUITE_TEST(&suite, mem_grow_has_room_for_one_more);
    SUITE_TEST(&suite, mem_text_copies);
    SUITE_TEST(&suite, a_size_that_overflows_ends_the_program);
    return suite_run(&suite, "mem");
}
