/* SPDX-License-Identifier: MIT */
#include "source/common/hosts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/scan.h"
#include "support/expect.h"

struct list_row {
    const char *name; /* names with blanks between, each with its cpus if it says them */
    size_t count;
    const char *text;
    int64_t cpus; /* of the run */
};

static const struct list_row list_rows[] = {
    {"n1", 1, "n1", 0},
    {"n1 n1 n1", 1, "n1", 0},
    {"n1 n2", 2, "n1,n2", 0},
    {"n1 n2 n1 n2", 2, "n1,n2", 0},
    {"n2 n1 n3 n1 n2 n3 n10", 4, "n2,n1,n3,n10", 0},
    {"n1*8 n2*4", 2, "n1*8,n2*4", 12},
    {"n1*8 n2*8", 2, "n1,n2", 16},
    {"n1*2 n2*1 n1*2", 2, "n1*4,n2*1", 5},
    {"n1*8 n2*0", 2, "n1*8,n2*0", 8},
    {"n1*8 n2*5", 2, "n1,n2", 12},
    {"n1*8 n2", 2, "n1,n2", 8},
    {"n1*8", 1, "n1", 8},
};

static void every_name_is_kept_once_with_cpus_that_differ(void **state)
{
    const struct list_row *row = *state;
    struct arena arena = {0};
    struct hosts hosts = {.arena = &arena, .most = 8};
    for (struct str rest = str_of(row->name); rest.ptr;) {
        struct str cpus = str_cut(&rest, ' ');
        const struct str name = str_cut(&cpus, '*');
        int64_t count = -1;
        expect_true(!cpus.ptr || scan_int(cpus, &count));
        hosts_add(&hosts, name, count);
    }
    struct str text = hosts_text(&hosts, row->cpus);
    expect_int((int64_t)hosts.count, (int64_t)row->count);
    expect_text_n(text.ptr, text.len, row->text);
    arena_release(&arena);
}

static void nothing_is_nothing(void **state)
{
    (void)state;
    struct hosts hosts = {0};
    expect_true(hosts_text(&hosts, 0).ptr == NULL);
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
            hosts_add(&hosts, (struct str){at, 6}, i);
        }
    }
    expect_int((int64_t)hosts.count, MANY);
    expect_true(MANY * 7 > LIMIT_TEXT_FIELD);
    expect_true(hosts_text(&hosts, 0).ptr == NULL);
    free(names);
    arena_release(&arena);
}

/* Names that fit are kept without cpus where these make the text too long. */
static void cpus_that_do_not_fit_are_left_out(void **state)
{
    (void)state;

    enum { MANY = 9000, NAME_LEN = 8 };
    struct arena arena = {0};
    struct hosts hosts = {.arena = &arena, .most = MANY};
    char *names = malloc(MANY * NAME_LEN);
    assert_non_null(names);
    for (int i = 0; i < MANY; i++) {
        char *at = names + i * NAME_LEN;
        (void)snprintf(at, NAME_LEN, "n%05d", i);
        hosts_add(&hosts, (struct str){at, 6}, 100 + (i == 0));
    }
    const struct str text = hosts_text(&hosts, MANY * 100 + 1);
    expect_uint(text.len, MANY * 7 - 1);
    expect_text_n(text.ptr, 13, "n00000,n00001");
    free(names);
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, every_name_is_kept_once_with_cpus_that_differ, list_rows);
    SUITE_TEST(&suite, nothing_is_nothing);
    SUITE_TEST(&suite, many_names_are_counted);
    SUITE_TEST(&suite, cpus_that_do_not_fit_are_left_out);
    return suite_run(&suite, "hosts");
}
