/* SPDX-License-Identifier: MIT */

/*
 * What jobs waited for, by hand: listings of the queue, minute by minute, and the stretches they leave. A listing is
 * "MINUTE: JOB REASON PRIORITY EXPECTED[ xTASKS], ...": the expected start in minutes, "-" where nothing is said; a job that
 * has started is "JOB run START". Stretches are printed as "JOB FROM-UNTIL REASON PRIORITY..LAST EXPECTED@SAID..LAST xTASKS".
 */
#include "report/queries/wait_causes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/inventory.h"
#include "facts/live_jobs.h"
#include "facts/pull_state.h"
#include "facts/waits.h"
#include "support/expect.h"
#include "unit/report/ask.h"

enum { LISTINGS_MAX = 8, RUNS_MAX = 8 };

#define EPOCH  (INT64_C(1742472000) * SECOND_US)
#define MINUTE (60 * SECOND_US)

static struct runs_store store;

struct listing {
    struct run runs[RUNS_MAX];
    size_t count, given;
};

static void *begin(void *context)
{
    return context;
}

static void end(void *worker)
{
    (void)worker;
}

static int next(void *worker, struct run *runs, size_t max, size_t *count, struct error *err)
{
    struct listing *listing = worker;
    (void)err;
    *count = 0;
    while (*count < max && listing->given < listing->count) {
        runs[(*count)++] = listing->runs[listing->given++];
    }
    return 0;
}

static int64_t number_of(struct str text)
{
    return text.ptr ? strtoll(text.ptr, NULL, 10) : 0;
}

static void read_run(struct str text, int64_t at, size_t line, struct run *run)
{
    struct error err = {0};
    const int64_t job = number_of(str_cut(&text, ' '));
    const struct str reason = str_cut(&text, ' ');
    const bool runs = str_eq(reason, STR("run"));
    const struct str priority = str_cut(&text, ' '), expected = str_cut(&text, ' ');
    RUN_SET(run, cluster, STR("toy"));
    RUN_SET(run, source, STR("toy"));
    RUN_SET(run, job, job);
    RUN_SET(run, attempt, EPOCH);
    RUN_SET(run, submit, EPOCH);
    RUN_SET(run, user, job % 2 ? STR("ann") : STR("bo"));
    RUN_SET(run, partition, STR("gpu"));
    RUN_SET(run, class, runs ? STR("running") : STR("pending"));
    RUN_SET(run, seen, at);
    RUN_SET(run, file, 1);
    RUN_SET(run, line, (int64_t)line);
    RUN_SET(run, batch, store.batch);
    RUN_SET(run, digest, (int64_t)line + at);
    RUN_SET(run, flags, 0);
    if (runs) {
        RUN_SET(run, start, EPOCH + number_of(priority) * MINUTE);
    } else {
        RUN_SET(run, priority, number_of(priority));
    }
    if (!runs && !str_eq(reason, STR("-"))) {
        RUN_SET(run, reason, reason);
    }
    if (expected.ptr && !str_eq(expected, STR("-"))) {
        run->start_expected = EPOCH + number_of(expected) * MINUTE;
    }
    if (text.ptr) {
        RUN_SET(run, task_count, number_of((struct str){text.ptr + 1, text.len - 1}));
    }
    expect_int(run_check(run, &err), 0);
}

/* One listing, in a transaction with its mark. */
static void take_listing(const char *text)
{
    struct str rest = str_of(text);
    const int64_t at = EPOCH + number_of(str_cut(&rest, ':')) * MINUTE;
    struct listing listing = {0};
    const struct run_feed feed = {
        .context = &listing, .worker_new = begin, .worker_free = end, .next = next};
    struct append_counts counts;
    struct error err = {0};
    store.batch++;
    rest = str_trim(rest);
    for (rest = rest.len ? rest : (struct str){0}; rest.ptr; listing.count++) {
        read_run(str_trim(str_cut(&rest, ',')), at, listing.count + 1,
                 &listing.runs[listing.count]);
    }
    int failed = facts_begin(store.facts, &err);
    if (!failed) {
        failed = live_jobs_take(store.facts, &feed, STR("toy"), at, &counts, &err);
    }
    if (!failed) {
        failed = pull_state_put(store.facts, STR("toy"), STR("queue"),
                                (struct pull_state){at, 0}, &err);
    }
    if (failed || facts_commit(store.facts, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static void add_minute(struct buf *out, const struct table *table, size_t column, size_t row)
{
    const int64_t at =
        table_has(table, column, row) ? (int64_t)table_wide(table, column, row) : -1;
    if (at < 0 || at == STRETCH_NOT_ENDED) {
        buf_addc(out, '-');
    } else {
        buf_addf(out, "%" PRId64, (at - EPOCH) / MINUTE);
    }
}

static void print_stretches(struct buf *out)
{
    struct table table = {0};
    struct error err = {0};
    if (facts_query(
            store.facts,
            "SELECT job, \"from\", \"until\", coalesce(reason, '-'), priority_first, "
            "priority_last, expected_first, expected_at, expected_last, tasks FROM waits "
            "ORDER BY job, \"from\"",
            (struct facts_values){0}, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (size_t row = 0; row < table.row_count; row++) {
        buf_addf(out, "%d ", (int)table_wide(&table, 0, row));
        add_minute(out, &table, 1, row);
        buf_addc(out, '-');
        add_minute(out, &table, 2, row);
        buf_addf(out, " %.*s %d..%d ", STR_ARG(table.columns[3].cells[row].text),
                 (int)table_wide(&table, 4, row), (int)table_wide(&table, 5, row));
        add_minute(out, &table, 6, row);
        buf_addc(out, '@');
        add_minute(out, &table, 7, row);
        buf_addz(out, "..");
        add_minute(out, &table, 8, row);
        buf_addf(out, " x%d\n", (int)table_wide(&table, 9, row));
    }
    table_release(&table);
}

struct waits_row {
    const char *name;
    const char *listings[LISTINGS_MAX];
    const char *want;
};

static const struct waits_row waits_rows[] = {
    {"one reason, a priority that grows",
     {"1: 7 Priority 10 -", "2: 7 Priority 11 -", "3: 7 Priority 12 -"},
     "7 1-- Priority 10..12 -@-..- x1\n"},
    {"another reason, then it starts",
     {"1: 7 Priority 10 -", "2: 7 Resources 11 -", "4: 7 run 3"},
     "7 1-2 Priority 10..10 -@-..- x1\n7 2-4 Resources 11..11 -@-..- x1\n"},
    {"a start is expected, and then not named again",
     {"1: 7 Priority 10 -", "2: 7 Priority 10 60", "3: 7 Priority 10 70", "4: 7 Priority 10 -"},
     "7 1-- Priority 10..10 60@2..70 x1\n"},
    /* it moves by 10 minutes, which is little, then by 20 from the first */
    {"an expected start that moves",
     {"1: 7 Priority 10 60", "2: 7 Priority 10 70", "3: 7 Priority 10 80"},
     "7 1-3 Priority 10..10 60@1..70 x1\n7 3-- Priority 10..10 80@3..80 x1\n"},
    /* 10 hours ahead, an hour is little */
    {"one that is far away",
     {"1: 7 Priority 10 600", "2: 7 Priority 10 660"},
     "7 1-- Priority 10..10 600@1..660 x1\n"},
    {"tasks that leave their array",
     {"1: 7 Priority 10 - x50", "2: 7 Priority 10 - x48"},
     "7 1-- Priority 10..10 -@-..- x48\n"},
    {"nothing waits any more",
     {"1: 7 Priority 10 -", "2:"},
     "7 1-2 Priority 10..10 -@-..- x1\n"},
    {"a listing that is taken again",
     {"1: 7 Priority 10 -", "1: 7 Resources 10 -"},
     "7 1-- Priority 10..10 -@-..- x1\n"},
    /* nobody asked for two hours: what it waited for meanwhile is not known */
    {"a pause",
     {"1: 7 Priority 10 -", "2: 7 Priority 10 -", "130: 7 Priority 10 -"},
     "7 1-2 Priority 10..10 -@-..- x1\n7 130-- Priority 10..10 -@-..- x1\n"},
    {"two jobs, and no reason",
     {"1: 7 - 10 -, 8 Priority 5 -", "2: 8 Priority 5 -"},
     "7 1-2 - 10..10 -@-..- x1\n8 1-- Priority 5..5 -@-..- x1\n"},
};

static void stage(const char *const *listings)
{
    struct error err = {0};
    runs_clear(&store);
    runs_clear_things(&store);
    expect_int(
        facts_execute(store.facts, "DELETE FROM waits", (struct facts_values){0}, NULL, &err),
        0);
    for (size_t i = 0; i < LISTINGS_MAX && listings[i]; i++) {
        take_listing(listings[i]);
    }
}

static void listings_leave_stretches(void **state)
{
    const struct waits_row *row = *state;
    struct buf got;
    buf_init(&got, 1 << 16);
    stage(row->listings);
    print_stretches(&got);
    char *text = buf_take(&got);
    buf_release(&got);
    expect_text(text, row->want);
    free(text);
}

static const char *const story[LISTINGS_MAX] = {"10: 7 Priority 1 90, 8 Resources 1 - x3",
                                                "70: 7 Resources 1 90, 8 Resources 1 - x3",
                                                "100: 7 run 100, 8 Resources 1 - x3"};

static void ask_and_expect(int (*answer)(struct facts *, const struct wait_causes_question *,
                                         struct table *, struct error *),
                           const char *key, const char *want)
{
    struct zone *utc = ask_zone("UTC");
    const struct wait_causes_question question = {.period = {EPOCH, EPOCH + DAY_US},
                                                  .now = EPOCH + DAY_US,
                                                  .zone = utc,
                                                  .keys = {key},
                                                  .key_count = 1};
    struct table table = {0};
    struct error err = {0};
    struct buf got;
    buf_init(&got, 1 << 16);
    if (answer(store.facts, &question, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    ask_print(&table, &got);
    table_release(&table);
    zone_close(utc);
    expect_contains(got.ptr, want);
    buf_release(&got);
}

/*
 * Job 7 waited for Priority from 10 to 70 and for Resources to 100; three tasks of 8 for Resources from 10 to 100, when they
 * were last seen: 60 and 30 + 3 x 90 minutes are 1 h and 5 h.
 */
static void waits_add_up_by_cause(void **state)
{
    (void)state;
    stage(story);
    ask_and_expect(wait_causes_ask, "reason", "Resources 4 5h 0.8333 5400000000\n");
    ask_and_expect(wait_causes_ask, "reason", "Priority 1 1h 0.1667 3600000000\n");
    ask_and_expect(wait_causes_ask, "user", "bo 3 4.50h 0.7500 5400000000\n");
}

static int64_t waited_for(const char *reason)
{
    enum { WAITED = 2 }; /* the column behind the reason and the number of jobs */

    struct zone *utc = ask_zone("UTC");
    const struct wait_causes_question question = {.period = {EPOCH, EPOCH + DAY_US},
                                                  .now = EPOCH + DAY_US,
                                                  .zone = utc,
                                                  .keys = {"reason"},
                                                  .key_count = 1};
    struct table table = {0};
    struct error err = {0};
    int64_t waited = 0;
    expect_int(wait_causes_ask(store.facts, &question, &table, &err), 0);
    for (size_t row = 0; row < table.row_count; row++) {
        if (str_eq(table.columns[0].cells[row].text, str_of(reason))) {
            waited = (int64_t)table_wide(&table, WAITED, row);
        }
    }
    table_release(&table);
    zone_close(utc);
    return waited;
}

/*
 * Random jobs with random reasons, listed at random times: between two listings a job waited for what the first one said,
 * unless they are more than an hour apart, when nobody knows.
 */
static void any_listings_add_up_by_cause(void **state)
{
    enum { ROUNDS = 6, JOBS = 5, REASONS = 3, TIMES = LISTINGS_MAX };

    static const char *const reasons[REASONS] = {"Priority", "Resources", "Dependency"};
    (void)state;
    unsigned seed = 7;
    for (int round = 0; round < ROUNDS; round++) {
        char texts[TIMES][256];
        const char *listings[TIMES];
        int waits[TIMES][JOBS], times[TIMES];
        int64_t minutes[REASONS] = {0};
        for (int t = 0; t < TIMES; t++) {
            times[t] = (t > 0 ? times[t - 1] : 0) + 1 + rand_r(&seed) % 75;
            int length = snprintf(texts[t], sizeof texts[t], "%d:", times[t]);
            bool any = false;
            for (int job = 0; job < JOBS; job++) {
                waits[t][job] = rand_r(&seed) % (REASONS + 1);
                if (waits[t][job] < REASONS) {
                    length += snprintf(texts[t] + length, sizeof texts[t] - (size_t)length,
                                       "%s %d %s 1 -", any ? "," : "", job + 1,
                                       reasons[waits[t][job]]);
                    any = true;
                }
                if (t > 0 && waits[t - 1][job] < REASONS && times[t] - times[t - 1] <= 60) {
                    minutes[waits[t - 1][job]] += times[t] - times[t - 1];
                }
            }
            listings[t] = texts[t];
        }
        stage(listings);
        for (int reason = 0; reason < REASONS; reason++) {
            expect_int(waited_for(reasons[reason]), minutes[reason] * MINUTE);
        }
    }
}

static void what_ended_long_ago_can_be_forgotten(void **state)
{
    (void)state;
    struct error err = {0};
    struct buf got;
    int64_t removed = 0;
    buf_init(&got, 1 << 16);
    stage(story);
    expect_int(waits_forget(store.facts, EPOCH + 71 * MINUTE, &removed, &err), 0);
    expect_int(removed, 1);
    print_stretches(&got);
    expect_text(got.ptr, "7 70-100 Resources 1..1 90@70..90 x1\n"
                         "8 10-- Resources 1..1 -@-..- x3\n");
    buf_release(&got);
}

static void periods_are_listed_as_they_are_kept(void **state)
{
    (void)state;
    stage(story);
    ask_and_expect(wait_causes_periods, "reason", "toy 7 --- --- ann --- --- gpu ---");
    ask_and_expect(wait_causes_periods, "reason", " Resources 1 1 --- --- ---\n");
}

/* It was said at 10 that 7 would start at 90; it started at 100, 10 minutes late and foretold 80 ahead. */
static void expectations_are_compared_with_what_happened(void **state)
{
    (void)state;
    stage(story);
    ask_and_expect(wait_causes_estimates, "partition", "gpu 1 ");
    ask_and_expect(wait_causes_estimates, "partition", " 600000000 600000000 4800000000");
}

static void a_run_has_what_it_waited_for(void **state)
{
    (void)state;
    const struct wait_causes_run run = {.cluster = STR("toy"),
                                        .job = 7,
                                        .task = -1,
                                        .het = -1,
                                        .submit = EPOCH,
                                        .until = EPOCH + 95 * MINUTE};
    struct table table = {0};
    struct error err = {0};
    stage(story);
    expect_int(wait_causes_of_run(store.facts, &run, &table, &err), 0);
    expect_uint(table.row_count, 2);
    expect_int((int64_t)table_wide(&table, WAIT_CAUSES_UNTIL, 0), EPOCH + 70 * MINUTE);
    expect_int((int64_t)table_wide(&table, WAIT_CAUSES_UNTIL, 1), EPOCH + 95 * MINUTE);
    expect_true(str_eq(table.columns[WAIT_CAUSES_REASON].cells[1].text, STR("Resources")));
    table_release(&table);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, listings_leave_stretches, waits_rows);
    SUITE_TEST(&suite, waits_add_up_by_cause);
    SUITE_TEST(&suite, any_listings_add_up_by_cause);
    SUITE_TEST(&suite, what_ended_long_ago_can_be_forgotten);
    SUITE_TEST(&suite, periods_are_listed_as_they_are_kept);
    SUITE_TEST(&suite, expectations_are_compared_with_what_happened);
    SUITE_TEST(&suite, a_run_has_what_it_waited_for);
    return runs_suite(&suite, &store, "waits");
}
