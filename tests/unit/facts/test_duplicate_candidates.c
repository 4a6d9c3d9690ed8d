/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/duplicate_candidates.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "support/expect.h"

static const enum run_field keys[] = {RUN_cluster, RUN_job, RUN_job_key, RUN_task};

static struct run run_of(const char *cluster, int64_t job, int64_t line)
{
    struct run run = {0};
    RUN_SET(&run, cluster, str_of(cluster));
    RUN_SET(&run, job, job);
    RUN_SET(&run, line, line);
    return run;
}

static void note(struct duplicate_list *list, struct run run)
{
    duplicate_note(list, &run, 1, keys, COUNT_OF(keys));
}

static int by_number(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* The lines in order, as "3 17 ". */
static const char *lines_of(struct duplicate_list *lists)
{
    static char text[256];
    size_t count = 0, length = 0;
    int64_t *lines = duplicate_lines(lists, &count);
    qsort(lines, count, sizeof(*lines), by_number);
    text[0] = '\0';
    for (size_t i = 0; i < count && length < sizeof(text) - 24; i++) {
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%d ", (int)lines[i]);
    }
    free(lines);
    return text;
}

static void nothing(void **state)
{
    (void)state;
    struct duplicate_list *list = mem_alloc(1, sizeof(*list));
    expect_text(lines_of(NULL), "");
    expect_text(lines_of(list), "");
    duplicate_free(list);
    duplicate_free(NULL);
}

/* Two threads saw a hundred thousand runs, and three of them again. */
static void few_among_many(void **state)
{
    (void)state;
    struct duplicate_list *first = mem_alloc(1, sizeof(*first));
    struct duplicate_list *second = mem_alloc(1, sizeof(*second));
    first->next = second;
    for (int64_t i = 0; i < 100000; i++) {
        note(i % 3 ? first : second, run_of("rowan", i, i));
    }
    note(first, run_of("rowan", 7, 100007));
    note(second, run_of("rowan", 99999, 100008));
    note(second, run_of("rowan", 99999, 100009));
    expect_text(lines_of(first), "7 99999 100007 100008 100009 ");
    expect_text(lines_of(first), ""); /* they are empty now */
    duplicate_free(first);
}

/* The identity is all of its fields, and absent is neither empty nor zero. */
static void what_tells_apart(void **state)
{
    (void)state;
    struct duplicate_list *list = mem_alloc(1, sizeof(*list));
    note(list, run_of("rowan", 1, 1));
    note(list, run_of("larch", 1, 2));
    struct run run = run_of("rowan", 1, 3);
    RUN_SET(&run, task, 0);
    note(list, run);
    run = run_of("rowan", 1, 4);
    RUN_SET(&run, job_key, STR(""));
    note(list, run);
    run = run_of("rowan", 0, 5);
    RUN_CLEAR(&run, job);
    note(list, run);
    note(list, run_of("rowan", 0, 6));
    expect_text(lines_of(list), "");
    duplicate_free(list);
}

/* A file that says one thing over and over. */
static void all_the_same(void **state)
{
    (void)state;
    struct duplicate_list *list = mem_alloc(1, sizeof(*list));
    for (int64_t i = 0; i < 5000; i++) {
        note(list, run_of("rowan", 1, i));
    }
    size_t count = 0;
    free(duplicate_lines(list, &count));
    expect_int((int64_t)count, 5000);
    duplicate_free(list);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, nothing);
    SUITE_TEST(&suite, few_among_many);
    SUITE_TEST(&suite, what_tells_apart);
    SUITE_TEST(&suite, all_the_same);
    return suite_run(&suite, "suspect");
}
