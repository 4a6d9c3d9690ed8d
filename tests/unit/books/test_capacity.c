/* SPDX-License-Identifier: MIT */
#include "books/capacity.h"

#include <stdio.h>

#include "books/dump.h"
#include "unit/books/some_books.h"

struct size_row {
    const char *name, *text; /* added to the sizes below */
    int want;
    const char *part;
};

/* alder has 100 cpus until the end of 2024, then 200. */
static void some_sizes(struct some_books *some)
{
    some_open(some, "Europe/Oslo");
    some_add(some, "capacity", "cluster=alder|cpus=100|to=2024");
    some_add(some, "capacity", "cluster=alder|cpus=200|gpus=0|from=2025-01-01|to=2025-06-30");
}

static const struct size_row size_rows[] = {
    {"no cpus", "cluster=birch|cpus=0", ERROR_USAGE, "must be greater than 0"},
    {"less than a millionth of one", "cluster=birch|cpus=0.0000001", ERROR_USAGE, "cpus"},
    {"at the same time", "cluster=alder|cpus=5|from=2025-03|to=2025-04", ERROR_CONFLICT,
     "two sizes at once: 200 cpus from 2025-01-01 to 2025-06-30, number 2, and 5 cpus from "
     "2025-03-01 to 2025-04-30"},
    {"on the last day", "cluster=alder|cpus=5|from=2025-06-30", ERROR_CONFLICT,
     "5 cpus from 2025-06-30 on"},
    {"over several", "cluster=alder|cpus=5|from=2024-06", ERROR_CONFLICT,
     "100 cpus until 2024-12-31, number 1, and 5 cpus from 2024-06-01 on"},
    {"from the day after", "cluster=alder|cpus=5|from=2025-07-01", 0, NULL},
    {"another cluster", "cluster=birch|cpus=5", 0, NULL},
};

static void a_cluster_has_one_size_at_a_time(void **state)
{
    const struct size_row *row = *state;
    struct some_books some;
    struct error err = {0};
    int64_t id = 0;
    some_sizes(&some);
    expect_int(some_try(&some, "capacity", row->text, &id, &err), row->want);
    if (row->part) {
        expect_contains(err.text, row->part);
    }
    expect_int((int64_t)some_count(&some, "capacity"), row->want ? 2 : 3);
    some_close(&some);
}

static void a_size_cannot_grow_into_another(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    struct str cells[KIND_COLUMNS_MAX];
    const struct kind *kind = kind_find(STR("capacity"));
    some_sizes(&some);
    some_cells(kind, "to=2025-01-01", cells);
    expect_int(books_begin(some.books, &err), 0);
    expect_int(books_set(some.books, kind, 1, cells, &err), 0);
    expect_int(books_commit(some.books, &err), ERROR_CONFLICT);
    expect_contains(err.text, "stint capacity set 1 --to DATE");
    some_close(&some);
}

struct dump_row {
    const char *name, *sizes;
    const char *part; /* NULL: it is restored */
};

static const struct dump_row dump_rows[] = {
    {"one after the other",
     "{\"id\":1,\"cluster\":\"a\",\"cpus\":\"1\",\"to\":\"2024-12-31\"},"
     "{\"id\":2,\"cluster\":\"a\",\"cpus\":\"2\",\"from\":\"2025-01-01\"}",
     NULL},
    {"at once",
     "{\"id\":1,\"cluster\":\"a\",\"cpus\":\"1\"},"
     "{\"id\":2,\"cluster\":\"a\",\"cpus\":\"2\",\"from\":\"2025-01-01\"}",
     "two sizes at once"},
    {"of nothing", "{\"id\":1,\"cluster\":\"a\",\"cpus\":\"0\"}", "capacity, entry 1:"},
};

static void a_restore_asks_the_same(void **state)
{
    const struct dump_row *row = *state;
    struct some_books some;
    struct books_restored restored;
    struct error err = {0};
    char document[1024];
    (void)snprintf(document, sizeof document,
                   "{\"stint_books\":2,\"metagroup\":[],\"member\":[],\"person\":[],"
                   "\"cluster\":[],\"name\":[],\"capacity\":[%s],\"gap\":[],\"target\":[],"
                   "\"history\":[]}",
                   row->sizes);
    some_open(&some, "UTC");
    int failed = books_restore(some.books, str_of(document), NULL, &restored, &err);
    expect_true((failed != 0) == (row->part != NULL));
    if (row->part) {
        expect_contains(err.text, row->part);
    }
    expect_int((int64_t)some_count(&some, "capacity"), row->part ? 0 : 2);
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_cluster_has_one_size_at_a_time, size_rows);
    SUITE_TEST(&suite, a_size_cannot_grow_into_another);
    SUITE_ROWS(&suite, a_restore_asks_the_same, dump_rows);
    return suite_run(&suite, "capacity");
}
