/* SPDX-License-Identifier: MIT */
#include "source/common/record_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "support/expect.h"

static void utf8_stays_and_latin1_is_recoded(void **state)
{
    (void)state;
    struct arena arena = {0};
    bool recoded = true;
    struct str text = source_utf8(STR("J\xc3\xbcrgen"), &arena, &recoded);
    expect_false(recoded);
    expect_text_n(text.ptr, text.len, "J\xc3\xbcrgen");
    text = source_utf8(STR("J\xfcrgen\xff"), &arena, &recoded);
    expect_true(recoded);
    expect_text_n(text.ptr, text.len, "J\xc3\xbcrgen\xc3\xbf");
    arena_release(&arena);
}

static void texts_of_a_run_are_recoded_each(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct run run = {0};
    RUN_SET(&run, user, STR("ann"));
    expect_false(source_recode_texts(&run, &arena));
    RUN_SET(&run, name, STR("\xe4"));
    expect_true(source_recode_texts(&run, &arena));
    expect_text_n(run.name.ptr, run.name.len, "\xc3\xa4");
    expect_text_n(run.user.ptr, run.user.len, "ann");
    arena_release(&arena);
}

static void long_text_is_refused_by_name(void **state)
{
    (void)state;
    struct error err = {0};
    struct run run = {0};
    char *text = malloc(LIMIT_TEXT_FIELD + 1);
    assert_non_null(text);
    memset(text, 'x', LIMIT_TEXT_FIELD + 1);
    RUN_SET(&run, command, ((struct str){text, LIMIT_TEXT_FIELD}));
    expect_int(source_check_texts(&run, &err), 0);
    run.command.len++;
    expect_int(source_check_texts(&run, &err), ERROR_LIMIT);
    expect_contains(err.text, "command");
    free(text);
}

struct head_row {
    const char *name;
    size_t whole;
};

static const struct head_row head_rows[] = {
    {"", 0}, {"a", 1}, {"a\n", 2}, {"a\nb", 2}, {"\n", 1}};

static void head_is_cut_at_its_last_line_end(void **state)
{
    const struct head_row *row = *state;
    expect_int((int64_t)source_whole_lines(str_of(row->name)).len, (int64_t)row->whole);
}

static void line_is_whole_with_its_end(void **state)
{
    (void)state;
    struct source_cursor cursor = {.rest = STR("a\nb"), .next_line = 1};
    expect_true(source_next_line(&cursor));
    expect_true(source_line_is_whole(&cursor));
    expect_true(source_next_line(&cursor));
    expect_false(source_line_is_whole(&cursor));
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, utf8_stays_and_latin1_is_recoded);
    SUITE_TEST(&suite, texts_of_a_run_are_recoded_each);
    SUITE_TEST(&suite, long_text_is_refused_by_name);
    SUITE_ROWS(&suite, head_is_cut_at_its_last_line_end, head_rows);
    SUITE_TEST(&suite, line_is_whole_with_its_end);
    return suite_run(&suite, "text");
}
