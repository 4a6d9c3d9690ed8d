/* SPDX-License-Identifier: MIT */
#include "source/source.h"

#include "support/expect.h"

struct line_row {
    const char *name;
    struct str input;
    const char *lines[4]; /* NULL after the last */
};

#define INPUT(literal)                                                                         \
    {                                                                                          \
        (literal), sizeof(literal) - 1                                                         \
    }

static const struct line_row line_rows[] = {
    {"nothing", INPUT(""), {NULL}},
    {"one line", INPUT("a\n"), {"a", NULL}},
    {"no end at the end", INPUT("a\nbc"), {"a", "bc", NULL}},
    {"an empty line", INPUT("\n\na\n"), {"", "", "a"}},
    {"carriage returns", INPUT("a\r\n\r\nb\r"), {"a", "", "b"}},
    {"carriage returns elsewhere", INPUT("a\rb\r\r\n"), {"a\rb\r", NULL}},
};

static void next_line_takes(void **state)
{
    const struct line_row *row = *state;
    struct source_cursor cursor = {.rest = row->input, .next_line = 10};
    size_t i = 0;
    for (; i < 4 && row->lines[i]; i++) {
        expect_true(source_next_line(&cursor));
        expect_text_n(cursor.record.ptr, cursor.record.len, row->lines[i]);
        expect_int((int64_t)cursor.line, 10 + (int64_t)i);
        expect_int((int64_t)cursor.next_line, 11 + (int64_t)i);
    }
    expect_false(source_next_line(&cursor));
    expect_int((int64_t)cursor.next_line, 10 + (int64_t)i);
}

static void next_line_of_the_null_string_is_none(void **state)
{
    (void)state;
    struct source_cursor cursor = {0};
    expect_false(source_next_line(&cursor));
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, next_line_takes, line_rows);
    SUITE_TEST(&suite, next_line_of_the_null_string_is_none);
    return suite_run(&suite, "line");
}
