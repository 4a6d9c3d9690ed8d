/* SPDX-License-Identifier: MIT */

/*
 * One row a run: which runs a period shows, in which order, and what is worked out from them.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "report/queries/listing.h"
#include "support/expect.h"
#include "unit/report/ask.h"

static struct runs_store store;
static struct zone *utc;

struct listed_run {
    const char *submit, *start, *end, *class; /* NULL: absent */
};

/* Jobs 1, 2, ... around 10 March. */
static const struct listed_run listed_runs[] = {
    {"2025-03-09T10:00", "2025-03-09T11:00", "2025-03-09T12:00", "completed"}, /* before */
    {"2025-03-09T10:00", "2025-03-09T23:00", "2025-03-10T01:00", "failed"},    /* ends in it */
    {"2025-03-10T10:00", "2025-03-10T11:00", "2025-03-10T12:00", "completed"}, /* inside */
    {"2025-03-10T10:00", NULL, "2025-03-10T12:00", "cancelled"}, /* never started */
    {"2025-03-10T23:00", "2025-03-11T01:00", "2025-03-11T02:00", "completed"}, /* waits in it */
    {"2025-03-09T10:00", "2025-03-09T11:00", "2025-03-11T12:00", "completed"}, /* around it */
    {"2025-03-11T00:00", "2025-03-11T01:00", "2025-03-11T02:00", "completed"}, /* after */
    {"2025-03-08T00:00", NULL, NULL, "pending"},                               /* still waits */
    {"2025-03-08T00:00", "2025-03-08T01:00", NULL, "running"},                 /* still runs */
    {NULL, "2025-03-10T08:00", "2025-03-10T08:00", "completed"}, /* no submission */
    {"2025-03-09T22:00", "2025-03-09T23:00", "2025-03-10T00:00",
     "completed"}, /* ends on the edge */
    {"2025-03-10T12:00", "2025-03-10T11:00", "2025-03-10T10:00", "completed"}, /* backwards */
};

static void opens_a_store(void **state)
{
    (void)state;
    struct run runs[COUNT_OF(listed_runs)] = {0};
    utc = ask_zone("UTC");
    for (size_t i = 0; i < COUNT_OF(listed_runs); i++) {
        const struct listed_run *from = &listed_runs[i];
        if (from->submit) {
            RUN_SET(&runs[i], submit, ask_instant(utc, from->submit));
        }
        if (from->start) {
            RUN_SET(&runs[i], start, ask_instant(utc, from->start));
        }
        if (from->end) {
            RUN_SET(&runs[i], end, ask_instant(utc, from->end));
        }
        RUN_SET(&runs[i], class, str_of(from->class));
        if (run_class_is_open(runs[i].class)) {
            runs_always_seen(&runs[i]);
        }
        RUN_SET(&runs[i], cpus, 4);
        RUN_SET(&runs[i], cpu_used_us, HOUR_US);
    }
    RUN_SET(&runs[2], task, 7);
    RUN_CLEAR(&runs[4], cpus);
    RUN_SET(&runs[5], suspended_us, 9 * HOUR_US);
    runs_open(&store);
    runs_add(&store, runs, COUNT_OF(runs));
}

static struct listing listing_of(const char *ids, const char *from, const char *to)
{
    struct listing listing = {
        .zone = utc,
        .now = ask_instant(utc, "2025-03-20"),
        .sort = &run_fields[RUN_job],
        .ascending = true,
    };
    if (from) {
        listing.period = ask_period(utc, from, to);
    }
    for (struct str rest = str_of(ids); rest.ptr;) {
        const struct field *field = column_find(str_cut(&rest, ','));
        expect_true(field != NULL);
        listing.fields[listing.field_count++] = field;
    }
    return listing;
}

static void expect_listed(const struct listing *listing, const char *want)
{
    struct error err = {0};
    struct table table = {0};
    struct buf got;
    if (listing_ask(store.facts, listing, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    buf_init(&got, 1 << 20);
    ask_print(&table, &got);
    expect_text(got.ptr, want);
    buf_release(&got);
    table_release(&table);
}

static void a_period_shows_what_waited_or_ran_in_it(void **state)
{
    (void)state;
    struct listing listing = listing_of("job", "2025-03-10", "2025-03-10");
    expect_listed(&listing, "2\n3\n4\n5\n6\n8\n9\n10\n11\n12\n");
}

static void no_period_shows_all(void **state)
{
    (void)state;
    struct listing listing = listing_of("job", NULL, NULL);
    expect_listed(&listing, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
}

static void what_goes_on_is_shown_up_to_now(void **state)
{
    (void)state;
    struct listing listing = listing_of("job,class", "2025-03-15", "2025-03-15");
    expect_listed(&listing, "8 pending\n9 running\n");
    listing = listing_of("job,class", "2025-03-21", "2025-03-21");
    expect_listed(&listing, "");
}

static void columns_are_worked_out(void **state)
{
    (void)state;
    struct listing listing = listing_of("id,wait,wall,cpu_hours,cpu_efficiency", NULL, NULL);
    expect_listed(&listing, "1 3600000000 3600000000 4h 0.2500\n"
                            "2 46800000000 7200000000 8h 0.1250\n"
                            "3.7 3600000000 3600000000 4h 0.2500\n"
                            "4 --- --- --- ---\n"                     /* never started */
                            "5 7200000000 3600000000 --- ---\n"       /* cpus unknown */
                            "6 3600000000 176400000000 160h 0.0063\n" /* stopped for 9 hours */
                            "7 3600000000 3600000000 4h 0.2500\n"
                            "8 --- --- --- ---\n"
                            "9 3600000000 --- --- ---\n" /* goes on: not known yet, and not 0 */
                            "10 --- 0 0h ---\n"
                            "11 3600000000 3600000000 4h 0.2500\n"
                            "12 -3600000000 -3600000000 0h ---\n"); /* as told; amounts clamp */
}

static void rows_are_sorted_and_limited(void **state)
{
    (void)state;
    struct listing listing = listing_of("job", NULL, NULL);
    listing.limit = 3;
    listing.ascending = false;
    expect_listed(&listing, "12\n11\n10\n");
    listing.sort = column_find(STR("wall"));
    expect_listed(&listing, "6\n2\n1\n"); /* longest first, the first of equals by number */
    listing.ascending = true;
    listing.limit = 2;
    expect_listed(&listing, "12\n10\n"); /* what has none comes last */
    listing.sort = NULL;                 /* by start */
    expect_listed(&listing, "9\n1\n");
}

static void an_answer_has_units(void **state)
{
    (void)state;
    struct listing listing =
        listing_of("job,start,wall,cpu_hours,cpu_efficiency,class", NULL, NULL);
    struct error err = {0};
    struct table table = {0};

    static const enum unit want[] = {UNIT_NONE,  UNIT_INSTANT, UNIT_SECONDS,
                                     UNIT_HOURS, UNIT_RATIO,   UNIT_NONE};

    if (listing_ask(store.facts, &listing, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        expect_int(table.columns[i].unit, want[i]);
    }
    table_release(&table);
}

static void every_column_can_be_listed(void **state)
{
    (void)state;
    struct listing listing = {.zone = utc};
    struct error err = {0};
    struct table table = {0};
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        listing.fields[listing.field_count++] = &run_fields[i];
    }
    for (size_t i = 0; i < derived_field_count; i++) {
        expect_true(listing.field_count < COUNT_OF(listing.fields));
        listing.fields[listing.field_count++] = &derived_fields[i];
    }
    if (listing_ask(store.facts, &listing, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_uint(table.row_count, COUNT_OF(listed_runs));
    expect_uint(table.column_count, RUN_FIELD_COUNT + derived_field_count);
    table_release(&table);
}

static void the_span_of_all_runs(void **state)
{
    (void)state;
    struct period span = {0};
    struct error err = {0};
    bool any = false;
    expect_int(listing_span(store.facts, &span, &any, &err), 0);
    expect_true(any);
    expect_int(span.from, ask_instant(utc, "2025-03-08"));
    expect_int(span.to, ask_instant(utc, "2025-03-11T12:00"));
    runs_clear(&store);
    expect_int(listing_span(store.facts, &span, &any, &err), 0);
    expect_false(any);
}

/* --- a listing so long that it is asked for in parts ------------------------------------------------- */

enum { MANY = 70000, UNSTARTED_EACH = 1000 };

/* In any order but that of time; every thousandth never started. */
static void there_are_many_runs(void **state)
{
    (void)state;
    struct run *runs = mem_alloc(MANY, sizeof(*runs));
    const int64_t noon = ask_instant(utc, "2024-03-10T12:00");
    for (size_t i = 0; i < MANY; i++) {
        const int64_t at = noon + (int64_t)(i * 7919 % MANY) * 11 * SECOND_US;
        RUN_SET(&runs[i], submit, at - SECOND_US);
        if (i % UNSTARTED_EACH != 0) {
            RUN_SET(&runs[i], start, at);
        }
        RUN_SET(&runs[i], end, at + SECOND_US);
    }
    runs_add(&store, runs, MANY);
    free(runs);
}

static void a_long_listing_is_in_one_order(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        struct listing listing = listing_of("start,submit", "2024-01-01", "2024-12-31");
        struct table table = {0};
        struct error err = {0};
        size_t unordered = 0, absent = 0;
        listing.sort = NULL;
        listing.ascending = !turned;
        expect_int(listing_ask(store.facts, &listing, &table, &err), 0);
        expect_uint(table.row_count, MANY);
        for (size_t row = 0; row < table.row_count; row++) {
            const bool has = table_has(&table, 0, row);
            absent += !has;
            unordered += has && absent > 0; /* what never started is last */
            if (has && row > 0) {
                const wide_int a = table_wide(&table, 0, row - 1),
                               b = table_wide(&table, 0, row);
                unordered += turned ? a < b : a > b;
            }
        }
        expect_uint(unordered, 0);
        expect_uint(absent, MANY / UNSTARTED_EACH);
        table_release(&table);
    }
}

static void a_limit_holds_over_parts(void **state)
{
    (void)state;
    struct listing listing = listing_of("start", "2024-01-01", "2024-12-31");
    struct table table = {0};
    struct error err = {0};
    listing.sort = NULL;
    listing.limit = 50001;
    expect_int(listing_ask(store.facts, &listing, &table, &err), 0);
    expect_uint(table.row_count, 50001);
    table_release(&table);
}

/* A sink that has had enough. */
static int refuse_second(void *context, const struct table *chunk, struct error *err)
{
    size_t *rows = context;
    *rows += chunk->row_count;
    return *rows > 0 ? error_set(err, ERROR_IO, "full") : 0;
}

static void a_sink_that_fails_ends_the_listing(void **state)
{
    (void)state;
    struct listing listing = listing_of("start", "2024-01-01", "2024-12-31");
    struct error err = {0};
    size_t rows = 0;
    listing.sort = NULL;
    expect_int(
        listing_each(store.facts, &listing, &(struct table_sink){&rows, refuse_second}, &err),
        ERROR_IO);
    expect_text(err.text, "full");
    expect_true(rows > 0 && rows < 10000);
}

static void closes_the_store(void **state)
{
    (void)state;
    zone_close(utc);
    runs_close(&store);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_a_store);
    SUITE_TEST(&suite, a_period_shows_what_waited_or_ran_in_it);
    SUITE_TEST(&suite, no_period_shows_all);
    SUITE_TEST(&suite, what_goes_on_is_shown_up_to_now);
    SUITE_TEST(&suite, columns_are_worked_out);
    SUITE_TEST(&suite, rows_are_sorted_and_limited);
    SUITE_TEST(&suite, an_answer_has_units);
    SUITE_TEST(&suite, every_column_can_be_listed);
    SUITE_TEST(&suite, the_span_of_all_runs);
    SUITE_TEST(&suite, there_are_many_runs);
    SUITE_TEST(&suite, a_long_listing_is_in_one_order);
    SUITE_TEST(&suite, a_limit_holds_over_parts);
    SUITE_TEST(&suite, a_sink_that_fails_ends_the_listing);
    SUITE_TEST(&suite, closes_the_store);
    return suite_run(&suite, "listing");
}
