/* SPDX-License-Identifier: MIT */
#include "source/common/hosts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "support/expect.h"

struct list_row {
    const char *name; /* names with blanks between */
    size_t count;
    const char *text;
};

static const struct list_row list_rows[] = {
    {"n1", 1, "n1"},
    {"n1 n1 n1", 1, "n1"},
    {"n1 n2", 2, "n1,n2"},
    {"n1 n2 n1 n2", 2, "n1,n2"},
    {"n2 n1 n3 n1 n2 n3 n10", 4, "n2,n1,n3,n10"},
};

static void every_name_is_kept_once(void **state)
{
    const struct list_row *row = *state;
    struct arena arena = {0};
    struct hosts hosts = {.arena = &arena, .most = 8};
    for (struct str rest = str_of(row->name); rest.ptr;) {
        hosts_add(&hosts, str_cut(&rest, ' '));
    }
    struct str text = hosts_text(&hosts);
    expect_int((int64_t)hosts.count, (int64_t)row->count);
    expect_text_n(text.ptr, text.len, row->text);
    arena_release(&arena);
}

static void nothing_is_nothing(void **state)
{
    (void)state;
    struct hosts hosts = {0};
    expect_true(hosts_text(&hosts).ptr == NULL);
    expect_int((int64_t)hosts.count, 0);
}

/* A list that is too long for a text is counted all the same. */
static void many_names_are_counted(void **state)
{
    (void)state;

    enum { MANY = 20000, NAME_LEN = 16 };
    struct arena arena = {0};
    struct hosts hosts = {.arena = &arena, .most = 2 * MANY};
    char *names = malloc(MANY * NAME_LEN);
    assert_non_null(names);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            char *at = names + i * NAME_LEN;
            (void)snprintf(at, NAME_LEN, "n%05d", i);
            hosts_add(&hosts, (struct str){at, 6});
        }
    }
    expect_int((int64_t)hosts.count, MANY);
    expect_true(MANY * 7 > LIMIT_TEXT_FIELD);
    expect_true(hosts_text(&hosts).ptr == NULL);
    free(names);
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, every_name_is_kept_once, list_rows);
    SUITE_TEST(&suite, nothing_is_nothing);
    SUITE_TEST(&suite, many_names_are_counted);
    return suite_run(&suite, "hosts");
}
