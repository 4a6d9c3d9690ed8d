/* SPDX-License-Identifier: MIT */
#include "books/gap.h"

#include "unit/books/some_books.h"

struct gap_row {
    const char *name, *from, *to;
    const char *want; /* the first letters of what lacks */
};

static const struct gap_row gap_rows[] = {
    {"before all", "2024-01-01", "2024-12-31", ""},
    {"a last day is included", "2025-03-04", "2025-03-04", "a"},
    {"the day after is not", "2025-03-05", "2025-03-09", ""},
    {"up to an instant", "2025-03-10T11:59", "2025-03-10T12:00", "b"},
    {"from that instant on", "2025-03-10T12:00", "2025-03-10T13:00", ""},
    {"one that still lasts", "2030", "2031", "c"},
    {"all of them", "2025", "2026", "abc"},
};

static void a_period_has_the_gaps_that_touch_it(void **state)
{
    const struct gap_row *row = *state;
    struct some_books some;
    struct period period;
    struct gap_list list;
    struct error err = {0};
    char got[8] = "";
    some_open(&some, "UTC");
    some_add(&some, "gap", "cluster=alder|from=2025-03-02|to=2025-03-04|what=a");
    some_add(&some, "gap", "from=2025-03-10|to=2025-03-10T12:00|what=b");
    some_add(&some, "gap", "from=2025-06|what=c");
    expect_int(calendar_period(str_of(row->from), str_of(row->to), some.zone, 0, &period, &err),
               0);
    expect_int(books_gaps(some.books, some.zone, period, &list, &err), 0);
    for (size_t i = 0; i < list.count; i++) {
        got[i] = list.rows[i].what.ptr[0];
        expect_true((list.rows[i].cluster.ptr != NULL) == (got[i] == 'a'));
    }
    expect_text(got, row->want);
    gap_list_release(&list);
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_period_has_the_gaps_that_touch_it, gap_rows);
    return suite_run(&suite, "gap");
}
