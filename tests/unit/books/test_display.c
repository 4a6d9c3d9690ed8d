/* SPDX-License-Identifier: MIT */
#include "books/display.h"

#include "unit/books/some_books.h"

struct display_row {
    const char *name, *dimension, *value, *want;
};

static const struct display_row display_rows[] = {
    {"as somebody said", "user", "ann", "Ann"},
    {"of another dimension", "cluster", "ann", "The Ann"},
    {"nobody said anything", "user", "bob", "bob"},
    {"a part of it", "user", "an", "an"},
    {"another dimension", "group", "ann", "ann"},
};

static void a_value_is_shown_as_somebody_said(void **state)
{
    const struct display_row *row = *state;
    struct some_books some;
    struct display_list list;
    struct error err = {0};
    some_open(&some, "UTC");
    some_add(&some, "name", "dimension=user|value=carl|shown=Carl");
    some_add(&some, "name", "dimension=user|value=ann|shown=Ann");
    some_add(&some, "name", "dimension=cluster|value=ann|shown=The Ann");
    expect_int(books_display_names(some.books, &list, &err), 0);
    struct str got = display_name(&list, str_of(row->dimension), str_of(row->value));
    expect_text_n(got.ptr, got.len, row->want);
    display_list_release(&list);
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_value_is_shown_as_somebody_said, display_rows);
    return suite_run(&suite, "display");
}
