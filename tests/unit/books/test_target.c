/* SPDX-License-Identifier: MIT */
#include "books/target.h"

#include "unit/books/some_books.h"

#define MICRO INT64_C(1000000)

struct ask_row {
    const char *name, *measure, *from, *to;
    const char *cluster, *user, *metagroup; /* NULL: all */
    const char *want;                       /* names */
};

static const struct ask_row ask_rows[] = {
    {"of all", "cpu_hours", "2025", "2025", NULL, NULL, NULL, "all"},
    {"of a cluster", "cpu_hours", "2025", "2025", "alder", NULL, NULL, "alder"},
    {"of another", "cpu_hours", "2025", "2025", "birch", NULL, NULL, ""},
    {"of a user on it", "cpu_hours", "2025", "2025", "alder", "ann", NULL, ""},
    {"of a metagroup", "cpu_hours", "2025", "2025", NULL, NULL, "m", "meta"},
    {"of another measure", "jobs", "2025", "2025", NULL, NULL, NULL, "jobs"},
    {"when it does not hold", "cpu_hours", "2026", "2026", "alder", NULL, NULL, ""},
    {"on its last day", "cpu_hours", "2025-12-31", "2026", "alder", NULL, NULL, "alder"},
};

static void some_targets(struct some_books *some)
{
    some_open(some, "Europe/Oslo");
    some_add(some, "metagroup", "name=m");
    some_add(some, "target", "name=all|measure=cpu_hours|amount=1200|per=year");
    some_add(some, "target",
             "name=alder|measure=cpu_hours|amount=365|from=2025|to=2025|cluster=alder");
    some_add(some, "target", "name=meta|measure=cpu_hours|amount=31|per=month|metagroup=m");
    some_add(some, "target", "name=jobs|measure=jobs|amount=7|per=week");
}

static struct period period_of(struct some_books *some, const char *from, const char *to)
{
    struct period period = {0, 0};
    struct error err = {0};
    expect_int(calendar_period(str_of(from), str_of(to), some->zone, 0, &period, &err), 0);
    return period;
}

static void a_question_has_its_targets(void **state)
{
    const struct ask_row *row = *state;
    struct some_books some;
    struct target_list list;
    struct error err = {0};
    struct target_question question = {.filters = {
                                           [TARGET_CLUSTER] = str_of(row->cluster),
                                           [TARGET_USER] = str_of(row->user),
                                           [TARGET_METAGROUP] = str_of(row->metagroup),
                                       }};
    some_targets(&some);
    question.measure = str_of(row->measure);
    question.period = period_of(&some, row->from, row->to);
    expect_int(books_targets(some.books, some.zone, &question, &list, &err), 0);
    expect_int((int64_t)list.count, *row->want != '\0');
    expect_text(list.count ? list.rows[0].name.ptr : "", row->want);
    target_list_release(&list);
    some_close(&some);
}

struct amount_row {
    const char *name, *cluster, *metagroup, *measure, *from, *to;
    int64_t want; /* millionths; -1: it does not hold */
};

/* Oslo's year 2025 has 8760 hours, March 743, October 745. */
static const struct amount_row amount_rows[] = {
    {"a whole year", NULL, NULL, "cpu_hours", "2025", "2025", 1200 * MICRO},
    {"two years", NULL, NULL, "cpu_hours", "2024", "2025", 2400 * MICRO},
    {"a January", NULL, NULL, "cpu_hours", "2025-01", "2025-01", 1200 * MICRO * 744 / 8760},
    {"three months", NULL, "m", "cpu_hours", "2025-Q2", "2025-Q2", 93 * MICRO},
    {"the day of 23 hours", NULL, "m", "cpu_hours", "2025-03-30", "2025-03-30",
     31 * MICRO * 23 / 743},
    {"two halves of months", NULL, "m", "cpu_hours", "2025-04-16", "2025-06-15",
     31 * MICRO * 2},
    {"a time of its own", "alder", NULL, "cpu_hours", "2025", "2025", 365 * MICRO},
    {"a part of it", "alder", NULL, "cpu_hours", "2025-02-01", "2025-02-10", 10 * MICRO},
    {"more than it", "alder", NULL, "cpu_hours", "2024", "2026", 365 * MICRO},
    {"a day of a week", NULL, NULL, "jobs", "2025-02-05", "2025-02-05", 1 * MICRO},
};

static void an_amount_is_in_proportion(void **state)
{
    const struct amount_row *row = *state;
    struct some_books some;
    struct target_list list;
    struct error err = {0};
    int64_t micro = 0;
    bool any = false;
    struct target_question question = {.filters = {
                                           [TARGET_CLUSTER] = str_of(row->cluster),
                                           [TARGET_METAGROUP] = str_of(row->metagroup),
                                       }};
    some_targets(&some);
    struct period period = period_of(&some, row->from, row->to);
    question.measure = str_of(row->measure);
    question.period = period;
    expect_int(books_targets(some.books, some.zone, &question, &list, &err), 0);
    expect_int((int64_t)list.count, 1);
    expect_int(target_amount(&list.rows[0], some.zone, period, &micro, &any, &err), 0);
    expect_true(any);
    expect_int(micro, row->want);
    target_list_release(&list);
    some_close(&some);
}

static void a_target_asks_for_nothing_where_it_does_not_hold(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    int64_t micro = 1;
    bool any = true;
    some_world(&some, "UTC");
    const struct target target = {.amount_micro = 5,
                                  .period = period_of(&some, "2025", "2025")};
    expect_int(
        target_amount(&target, some.zone, period_of(&some, "2026", "2026"), &micro, &any, &err),
        0);
    expect_false(any);
    some_close(&some);
}

static void the_filters_are_the_columns_that_filter(void **state)
{
    (void)state;
    const struct kind *kind = kind_find(STR("target"));
    size_t count = 0;
    for (size_t i = 0; i < kind->column_count; i++) {
        if (kind->columns[i].flags & KIND_FILTER) {
            expect_true(count < TARGET_FILTERS);
            expect_text(target_filter_ids[count++], kind->columns[i].id);
        }
    }
    expect_int((int64_t)count, TARGET_FILTERS);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_question_has_its_targets, ask_rows);
    SUITE_ROWS(&suite, an_amount_is_in_proportion, amount_rows);
    SUITE_TEST(&suite, the_filters_are_the_columns_that_filter);
    SUITE_TEST(&suite, a_target_asks_for_nothing_where_it_does_not_hold);
    return suite_run(&suite, "target");
}
