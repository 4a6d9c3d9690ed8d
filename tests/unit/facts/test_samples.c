/* SPDX-License-Identifier: MIT */

/*
 * Samples are told once: what is the same one, what stays, and what is counted.
 */
#include "facts/samples.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/scan.h"
#include "base/zone.h"
#include "support/expect.h"
#include "support/runs.h"

static struct runs_store store;

static int open_store(void **state)
{
    (void)state;
    runs_open(&store);
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    runs_close(&store);
    return 0;
}

/* A feed of lines "node second pid job user command cpu_seconds"; "-" is absent. */
struct lines {
    struct str rest;
    int64_t file, line;
    size_t most; /* at a time */
};

static int64_t number_of(struct str word)
{
    int64_t number = 0;
    expect_true(scan_int(word, &number));
    return number;
}

static void read_line(struct lines *lines, struct str words, struct sample *sample)
{
    *sample = (struct sample){0};
    SAMPLE_SET(sample, cluster, STR("toy"));
    SAMPLE_SET(sample, node, str_cut(&words, ' '));
    SAMPLE_SET(sample, time, number_of(str_cut(&words, ' ')) * SECOND_US);
    struct str pid = str_cut(&words, ' ');
    if (!str_eq(pid, STR("-"))) {
        SAMPLE_SET(sample, pid, number_of(pid));
    }
    struct str job = str_cut(&words, ' ');
    if (!str_eq(job, STR("-"))) {
        SAMPLE_SET(sample, job, number_of(job));
    }
    SAMPLE_SET(sample, user, str_cut(&words, ' '));
    SAMPLE_SET(sample, command, str_cut(&words, ' '));
    SAMPLE_SET(sample, cpu_time_us, number_of(words) * SECOND_US);
    SAMPLE_SET(sample, file, lines->file);
    SAMPLE_SET(sample, line, lines->line++);
}

static int next_lines(void *context, struct sample *samples, size_t max, size_t *count,
                      struct error *err)
{
    struct lines *lines = context;
    (void)err;
    *count = 0;
    while (*count < max && *count < lines->most && lines->rest.len > 0) {
        read_line(lines, str_trim(str_cut(&lines->rest, ',')), &samples[(*count)++]);
    }
    return 0;
}

static struct samples_counts put(int64_t file, const char *text)
{
    struct lines lines = {.rest = str_of(text), .file = file, .line = 1, .most = 2};
    const struct sample_feed feed = {.context = &lines, .next = next_lines};
    struct samples_counts counts;
    struct error err = {0};
    if (facts_begin(store.facts, &err) || samples_append(store.facts, &feed, &counts, &err) ||
        facts_commit(store.facts, &err)) {
        expect_fail("%s", err.text);
    }
    return counts;
}

/* What is there: "node second pid cpu" of each, in order. */
static void expect_stored(const char *want)
{
    struct table table = {0};
    struct error err = {0};
    struct buf got;
    buf_init(&got, 1 << 20);
    if (facts_query(
            store.facts,
            "SELECT node || ' ' || \"time\" // 1000000 || ' ' || coalesce(pid::VARCHAR, "
            "'-') || ' ' || cpu_time_us // 1000000 FROM samples ORDER BY node, "
            "\"time\", pid, cpu_time_us",
            (struct facts_values){0}, &table, &err)) {
        expect_fail("%s", err.text);
    }
    for (size_t i = 0; i < table.row_count; i++) {
        buf_addz(&got, i ? ", " : "");
        buf_add(&got, table.columns[0].cells[i].text);
    }
    expect_text(got.ptr, want);
    buf_release(&got);
    table_release(&table);
}

static void expect_counts(struct samples_counts got, int64_t added, int64_t replaced,
                          int64_t unchanged, int64_t doubled)
{
    expect_int(got.added, added);
    expect_int(got.replaced, replaced);
    expect_int(got.unchanged, unchanged);
    expect_int(got.doubled, doubled);
}

static void what_is_told_again_is_told_once(void **state)
{
    (void)state;
    static const char text[] = "n1 100 7 1 ann python 5, n1 200 7 1 ann python 6, "
                               "n2 100 7 1 ann python 9";
    struct samples_counts first = put(1, text);
    expect_counts(first, 3, 0, 0, 0);
    expect_int(first.first_time, 100 * SECOND_US);
    expect_int(first.last_time, 200 * SECOND_US);
    expect_counts(put(1, text), 0, 0, 3, 0);
    expect_counts(put(2, text), 0, 0, 3, 0);
    expect_stored("n1 100 7 5, n1 200 7 6, n2 100 7 9");
}

static void files_that_overlap_add_what_is_new(void **state)
{
    (void)state;
    expect_counts(put(1, "n1 100 7 1 ann python 5, n1 200 7 1 ann python 6"), 2, 0, 0, 0);
    expect_counts(put(2, "n1 200 7 1 ann python 6, n1 300 7 1 ann python 7"), 1, 0, 1, 0);
    expect_counts(put(3, "n1 50 7 1 ann python 4, n1 300 7 1 ann python 7"), 1, 0, 1, 0);
    expect_stored("n1 50 7 4, n1 100 7 5, n1 200 7 6, n1 300 7 7");
}

static void of_two_that_differ_the_first_stays(void **state)
{
    (void)state;
    expect_counts(put(1, "n1 100 7 1 ann python 314, n1 100 7 1 ann python 315, n1 100 7 1 ann "
                         "python 314, n1 200 7 1 ann python 316"),
                  2, 0, 1, 1);
    expect_counts(put(2, "n1 100 7 1 ann python 999"), 0, 0, 0, 1);
    expect_stored("n1 100 7 314, n1 200 7 316");
}

static void a_line_that_is_read_again_takes_its_own_place(void **state)
{
    (void)state;
    expect_counts(put(1, "n1 100 7 1 ann python 5, n1 200 7 1 ann python 6"), 2, 0, 0, 0);
    expect_counts(put(1, "n1 100 7 1 ann python 50, n1 200 7 1 ann python 6"), 0, 1, 1, 0);
    expect_stored("n1 100 7 50, n1 200 7 6");
}

static void a_process_is_its_number_whatever_it_is_called(void **state)
{
    (void)state;
    expect_counts(put(1, "n1 100 7 1 ann python 5, n1 100 7 2 ben ruby 6"), 1, 0, 0, 1);
    expect_counts(put(1, "n1 100 8 1 ann python 5"), 1, 0, 0, 0);
    expect_stored("n1 100 7 5, n1 100 8 5");
}

static void without_a_number_it_is_job_user_and_command(void **state)
{
    (void)state;
    static const char text[] =
        "n1 100 - 1 ann python 1, n1 100 - 2 ann python 2, n1 100 - 1 ben "
        "python 3, n1 100 - 1 ann ruby 4, n1 100 - - ann ruby 5";
    expect_counts(put(1, text), 5, 0, 0, 0);
    expect_counts(put(2, text), 0, 0, 5, 0);
    expect_counts(put(3, "n1 100 - - ann ruby 6"), 0, 0, 0, 1);
    expect_stored("n1 100 - 1, n1 100 - 2, n1 100 - 3, n1 100 - 4, n1 100 - 5");
}

static void many_in_one_batch_are_all_there(void **state)
{
    (void)state;

    enum { MANY = 3000 };

    struct buf text;
    buf_init(&text, 1 << 20);
    for (int i = 1; i <= MANY; i++) {
        buf_addf(&text, "%sn%d %d %d 1 ann python %d", i > 1 ? "," : "", i % 7, i, i, i);
    }
    expect_counts(put(1, text.ptr), MANY, 0, 0, 0);
    expect_counts(put(1, text.ptr), 0, 0, MANY, 0);
    buf_release(&text);
}

static int fail_next(void *context, struct sample *samples, size_t max, size_t *count,
                     struct error *err)
{
    int64_t *calls = context;
    *count = 1;
    (void)max;
    if (++*calls > 2) {
        return error_set(err, ERROR_INPUT, "the feed broke");
    }
    struct lines lines = {.file = 1, .line = *calls};
    read_line(&lines, STR("n1 100 7 1 ann python 5"), samples);
    return 0;
}

static void a_feed_that_fails_leaves_nothing(void **state)
{
    (void)state;
    int64_t calls = 0;
    const struct sample_feed feed = {.context = &calls, .next = fail_next};
    struct samples_counts counts;
    struct error err = {0};
    expect_int(facts_begin(store.facts, &err), 0);
    expect_int(samples_append(store.facts, &feed, &counts, &err), ERROR_INPUT);
    expect_text(err.text, "the feed broke");
    facts_rollback(store.facts);
    expect_stored("");
    expect_counts(put(1, "n1 100 7 1 ann python 5"), 1, 0, 0, 0);
}

static void an_empty_feed_is_no_error(void **state)
{
    (void)state;
    struct samples_counts counts = put(1, "");
    expect_counts(counts, 0, 0, 0, 0);
    expect_int(counts.first_time, 0);
}

#define STORE_TEST(suite, function)                                                            \
    suite_test_with((suite), #function, (function), open_store, close_store, NULL)

int main(void)
{
    struct suite suite = {0};
    STORE_TEST(&suite, what_is_told_again_is_told_once);
    STORE_TEST(&suite, files_that_overlap_add_what_is_new);
    STORE_TEST(&suite, of_two_that_differ_the_first_stays);
    STORE_TEST(&suite, a_line_that_is_read_again_takes_its_own_place);
    STORE_TEST(&suite, a_process_is_its_number_whatever_it_is_called);
    STORE_TEST(&suite, without_a_number_it_is_job_user_and_command);
    STORE_TEST(&suite, many_in_one_batch_are_all_there);
    STORE_TEST(&suite, a_feed_that_fails_leaves_nothing);
    STORE_TEST(&suite, an_empty_feed_is_no_error);
    return suite_run(&suite, "samples");
}
