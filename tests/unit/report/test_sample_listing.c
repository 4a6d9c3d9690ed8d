/* SPDX-License-Identifier: MIT */

/*
 * A row a sample: which a period shows, and what is worked out from two of them.
 */
#include "report/queries/sample_listing.h"

#include "base/scan.h"
#include "facts/samples.h"
#include "support/expect.h"
#include "support/runs.h"
#include "unit/report/ask.h"

static struct runs_store store;
static struct zone *utc;

static int open_store(void **state)
{
    (void)state;
    runs_open(&store);
    utc = ask_zone("UTC");
    return 0;
}

static int close_store(void **state)
{
    (void)state;
    zone_close(utc);
    runs_close(&store);
    return 0;
}

/* Samples "minute pid cpu_seconds cpu_avg_percent" of job 1 on 1 March 2025; "-" is absent. */
struct lines {
    struct str rest;
    const char *node;
};

static bool take(struct str *words, int scale, int64_t *out)
{
    struct str word = str_cut(words, ' ');
    return !str_eq(word, STR("-")) && scan_decimal(word, scale, out);
}

static int next_lines(void *context, struct sample *samples, size_t max, size_t *count,
                      struct error *err)
{
    struct lines *lines = context;
    (void)err;
    for (*count = 0; *count < max && lines->rest.len > 0; (*count)++) {
        struct str words = str_trim(str_cut(&lines->rest, ','));
        struct sample *sample = &samples[*count];
        int64_t number = 0;
        *sample = (struct sample){0};
        expect_true(take(&words, 0, &number));
        SAMPLE_SET(sample, time, ask_instant(utc, "2025-03-01") + number * 60 * SECOND_US);
        if (take(&words, 0, &number)) {
            SAMPLE_SET(sample, pid, number);
        }
        if (take(&words, 6, &number)) {
            SAMPLE_SET(sample, cpu_time_us, number);
        }
        if (take(&words, 4, &number)) {
            SAMPLE_SET(sample, cpu_avg_ppm, number);
        }
        SAMPLE_SET(sample, cluster, STR("toy"));
        SAMPLE_SET(sample, node, str_of(lines->node));
        SAMPLE_SET(sample, command, STR("fit"));
        SAMPLE_SET(sample, job, 1);
    }
    return 0;
}

static void put(const char *node, const char *text)
{
    struct lines lines = {str_of(text), node};
    const struct sample_feed feed = {&lines, next_lines};
    struct samples_counts counts;
    struct error err = {0};
    if (facts_begin(store.facts, &err) || samples_append(store.facts, &feed, &counts, &err) ||
        facts_commit(store.facts, &err)) {
        expect_fail("%s", err.text);
    }
}

static struct sample_listing listing_of(const char *ids)
{
    struct sample_listing listing = {.zone = utc, .ascending = true};
    for (struct str rest = str_of(ids); rest.ptr;) {
        const struct field *column = sample_column_find(str_cut(&rest, ','));
        expect_true(column != NULL);
        listing.columns[listing.column_count++] = column;
    }
    return listing;
}

/* The only column of the answer, in percent with one decimal, with blanks between. */
static void expect_shares(const struct sample_listing *listing, const char *want)
{
    struct table table = {0};
    struct error err = {0};
    struct buf got;
    buf_init(&got, 1 << 16);
    if (sample_listing_ask(store.facts, listing, &table, &err)) {
        expect_fail("%s", err.text);
    }
    for (size_t i = 0; i < table.row_count; i++) {
        buf_addz(&got, i ? " " : "");
        if (table_has(&table, 0, i)) {
            buf_addf(&got, "%.1f", 100 * table.columns[0].cells[i].real);
        } else {
            buf_addz(&got, "---");
        }
    }
    expect_text(got.ptr, want);
    buf_release(&got);
    table_release(&table);
}

struct counter_row {
    const char *name;
    const char *samples, *util;
};

static const struct counter_row counter_rows[] = {
    {"the first is the average of its life", "0 7 310 93.5", "93.5"},
    {"the next ones are what was used since", "0 7 310 93.5, 5 7 610 9, 10 7 610 9",
     "93.5 100.0 0.0"},
    {"a dip is passed over", "0 7 310 100, 5 7 200 50, 10 7 910 400", "100.0 --- 100.0"},
    {"a counter that begins anew does so", "0 7 310 100, 5 7 20 50, 10 7 170 9, 15 7 320 9",
     "100.0 --- 50.0 50.0"},
    {"a step back at the end is unknown", "0 7 310 100, 5 7 20 50", "100.0 ---"},
    {"two dips are two", "0 7 100 10, 5 7 50 1, 10 7 400 1, 15 7 300 1, 20 7 1000 1",
     "10.0 --- 50.0 --- 100.0"},
    {"without a counter there is the average", "0 7 - 10, 5 7 - 20", "10.0 20.0"},
    {"without both there is nothing", "0 7 - -", "---"},
    {"processes do not know of each other", "0 7 100 1, 0 8 900 2, 5 7 400 1, 5 8 900 2",
     "1.0 2.0 100.0 0.0"},
    {"what was rolled up is a stream, too", "0 - 100 1, 5 - 400 1", "1.0 100.0"},
};

static void cpu_util_is_told_by_the_counter(void **state)
{
    const struct counter_row *row = *state;
    (void)open_store(NULL);
    put("n1", row->samples);
    struct sample_listing listing = listing_of("cpu_util");
    expect_shares(&listing, row->util);
    (void)close_store(NULL);
}

static void nodes_have_processes_of_their_own(void **state)
{
    (void)state;
    put("n1", "0 7 100 1, 5 7 400 1");
    put("n2", "0 7 500 2, 5 7 800 1");
    struct sample_listing listing = listing_of("cpu_util");
    expect_shares(&listing, "1.0 2.0 100.0 100.0");
}

static void the_sample_before_the_period_is_known(void **state)
{
    (void)state;
    struct sample_listing listing = listing_of("cpu_util");
    put("n1", "0 7 100 1, 5 7 400 1, 10 7 400 1");
    listing.period.from = ask_instant(utc, "2025-03-01T00:03");
    listing.period.to = ask_instant(utc, "2025-03-01T00:10");
    expect_shares(&listing, "100.0");
}

/* The filter takes the first one away, but not what the second was set against. */
static void a_filter_tears_no_gap(void **state)
{
    (void)state;
    struct sample_listing listing = listing_of("cpu_util");
    struct error err = {0};
    put("n1", "0 7 100 1, 5 7 400 9, 10 7 700 9");
    expect_int(
        filter_add(&listing.filter, &sample_fields[SAMPLE_cpu_avg_ppm], STR(">5%"), &err), 0);
    expect_shares(&listing, "100.0 100.0");
    expect_int(filter_add(&listing.filter, &sample_fields[SAMPLE_pid], STR("7"), &err), 0);
    expect_shares(&listing, "100.0 100.0");
}

static void what_is_worked_out_can_be_asked_for(void **state)
{
    (void)state;
    struct sample_listing listing = listing_of("cpu_util");
    struct error err = {0};
    put("n1", "0 7 100 1, 5 7 400 1, 10 7 460 1");
    expect_int(filter_add(&listing.filter, &sample_derived[0], STR("10%..50%"), &err), 0);
    expect_shares(&listing, "20.0");
}

static void rows_have_an_order_and_an_end(void **state)
{
    (void)state;
    struct sample_listing listing = listing_of("cpu_avg");
    put("n1", "0 7 100 5, 5 7 400 7, 10 7 460 6");
    expect_shares(&listing, "5.0 7.0 6.0");
    listing.ascending = false;
    expect_shares(&listing, "6.0 7.0 5.0");
    listing.sort = &sample_fields[SAMPLE_cpu_avg_ppm];
    listing.limit = 2;
    expect_shares(&listing, "7.0 6.0");
}

static void every_column_can_be_asked_for(void **state)
{
    (void)state;
    put("n1", "0 7 100 1");
    const struct field *column;
    for (size_t i = 0; (column = sample_column_at(i)) != NULL; i++) {
        struct sample_listing listing = listing_of(column->id);
        struct table table = {0};
        struct error err = {0};
        listing.sort = column;
        if (sample_listing_ask(store.facts, &listing, &table, &err)) {
            expect_fail("%s: %s", column->id, err.text);
        }
        expect_uint(table.row_count, 1);
        expect_int(table.columns[0].unit, column->unit);
        expect_true(sample_column_is(column) && !sample_column_is(&run_fields[RUN_job]));
        table_release(&table);
    }
}

#define STORE_TEST(suite, function)                                                            \
    suite_test_with((suite), #function, (function), open_store, close_store, NULL)

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, cpu_util_is_told_by_the_counter, counter_rows);
    STORE_TEST(&suite, nodes_have_processes_of_their_own);
    STORE_TEST(&suite, the_sample_before_the_period_is_known);
    STORE_TEST(&suite, a_filter_tears_no_gap);
    STORE_TEST(&suite, what_is_worked_out_can_be_asked_for);
    STORE_TEST(&suite, rows_have_an_order_and_an_end);
    STORE_TEST(&suite, every_column_can_be_asked_for);
    return suite_run(&suite, "sample_listing");
}
