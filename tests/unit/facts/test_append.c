/* SPDX-License-Identifier: MIT */

/*
 * Runs into the store: who is who, who stays, and how they are counted. The runs are made here, not
 * read: what a source may or may not say is not the question.
 */

#include "facts/append.h"

#include "facts/journal.h"
#include "unit/ingest/own_toy.h"

static int64_t batch;

static int open_empty(void **state)
{
    batch = 0;
    return open_toy(state);
}

/* --- feeds ------------------------------------------------------------------------------------ */

/* A list of runs, given to whoever asks, a few at a time. */
struct list {
    const struct run *runs;
    size_t count;
    size_t given; /* atomic */
    int64_t batch;
    size_t fail_at; /* 0: never */
};

static void *list_worker_new(void *context)
{
    return context;
}

static void list_worker_free(void *worker)
{
    (void)worker;
}

static void list_enough(void *context)
{
    (void)context;
}

static int list_next(void *worker, struct run *runs, size_t max, size_t *count,
                     struct error *err)
{
    struct list *list = worker;

    enum { FEW = 17 };

    size_t want = max < FEW ? max : FEW;
    size_t first = __atomic_fetch_add(&list->given, want, __ATOMIC_RELAXED);
    if (list->fail_at > 0 && first + want >= list->fail_at) {
        return error_set(err, ERROR_INPUT, "the feed is poisoned");
    }
    size_t left = first < list->count ? list->count - first : 0;
    *count = left < want ? left : want;
    for (size_t i = 0; i < *count; i++) {
        runs[i] = list->runs[first + i];
        RUN_SET(&runs[i], batch, list->batch);
        RUN_SET(&runs[i], line, (int64_t)(first + i + 1));
        RUN_SET(&runs[i], file, 1);
        if (!RUN_HAS(&runs[i], cluster)) {
            RUN_SET(&runs[i], cluster, STR("toy"));
        }
        if (!RUN_HAS(&runs[i], flags)) {
            RUN_SET(&runs[i], flags, 0);
        }
        RUN_SET(&runs[i], source, STR("test"));
    }
    return 0;
}

static struct run_feed feed_of(struct list *list)
{
    return (struct run_feed){
        .context = list,
        .worker_new = list_worker_new,
        .worker_free = list_worker_free,
        .next = list_next,
        .enough = list_enough,
    };
}

static struct append_counts append(const struct run *runs, size_t count)
{
    struct list list = {.runs = runs, .count = count, .batch = ++batch};
    struct run_feed feed = feed_of(&list);
    struct append_counts counts = {0};
    struct error err = {0};
    int failed;
    (void)((failed = facts_begin(toy.facts, &err)) ||
           (failed = facts_append(toy.facts, &feed, batch, &counts, &err)) ||
           (failed = facts_commit(toy.facts, &err)) ||
           (failed = facts_settle(toy.facts, &err)));
    if (failed) {
        expect_fail("%s", err.text);
    }
    return counts;
}

static void expect_counts(struct append_counts got, int64_t added, int64_t replaced,
                          int64_t unchanged, int64_t parts)
{
    expect_int(got.added, added);
    expect_int(got.replaced, replaced);
    expect_int(got.unchanged, unchanged);
    expect_int(got.parts, parts);
}

/* A run by its identity and what it says (which is its digest, too). */
static struct run a_run(int64_t job, int64_t attempt, int64_t says)
{
    struct run run = {0};
    RUN_SET(&run, job, job);
    RUN_SET(&run, attempt, attempt);
    RUN_SET(&run, cpus, says);
    RUN_SET(&run, digest, says);
    return run;
}

/* --- tests ------------------------------------------------------------------------------------ */

static void the_same_run_is_known_by_its_key(void **state)
{
    (void)state;
    struct run runs[8];
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        runs[i] = a_run(1, 1, 1);
    }
    RUN_SET(&runs[1], job, 2);
    RUN_SET(&runs[2], attempt, 2);
    RUN_SET(&runs[3], task, 1);
    RUN_SET(&runs[4], het, 0);
    RUN_SET(&runs[5], job_key, STR("one"));
    RUN_SET(&runs[6], cluster, STR("other"));
    RUN_CLEAR(&runs[7], job);
    RUN_SET(&runs[7], job_key, STR("one"));
    expect_counts(append(runs, COUNT_OF(runs)), 8, 0, 0, 0);
    expect_counts(append(runs, COUNT_OF(runs)), 0, 0, 8, 0);
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        RUN_SET(&runs[i], digest, 2);
        RUN_SET(&runs[i], name, STR("anew")); /* not part of it */
    }
    expect_counts(append(runs, COUNT_OF(runs)), 0, 8, 0, 0);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs WHERE name = 'anew'"), 8);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs"), 8);
}

static void the_same_digest_keeps_the_older_row(void **state)
{
    (void)state;
    struct run run = a_run(1, 1, 5);
    (void)append(&run, 1);
    (void)append(&run, 1);
    expect_int(toy_number(&toy, "SELECT batch FROM runs"), 1);
    RUN_SET(&run, digest, 6);
    (void)append(&run, 1);
    expect_int(toy_number(&toy, "SELECT batch FROM runs"), 3);
}

static void of_repeats_the_later_line_stays(void **state)
{
    (void)state;
    const struct run runs[] = {a_run(1, 1, 1), a_run(2, 1, 1), a_run(1, 1, 2), a_run(1, 1, 3),
                               a_run(2, 1, 1)};
    /* job 1: two replaced within the batch; job 2: the same row again */
    expect_counts(append(runs, COUNT_OF(runs)), 2, 2, 1, 0);
    toy_expect(&toy, "SELECT job, cpus, line FROM runs ORDER BY job", "1|3|4\n2|1|5\n");
    /* and once more, against what is there */
    expect_counts(append(runs, COUNT_OF(runs)), 0, 2, 3, 0);
    toy_expect(&toy, "SELECT job, cpus, batch FROM runs ORDER BY job", "1|3|1\n2|1|1\n");
}

static void attempts_of_any_size_are_compared(void **state)
{
    (void)state;
    struct run runs[] = {a_run(1, INT64_MIN, 1), a_run(1, -1, 1), a_run(1, 0, 1),
                         a_run(1, 1, 1), a_run(1, INT64_MAX, 1)};
    expect_counts(append(runs, COUNT_OF(runs)), 5, 0, 0, 0);
    expect_counts(append(runs, COUNT_OF(runs)), 0, 0, 5, 0);
    expect_counts(append(&runs[0], 1), 0, 0, 1, 0);
    expect_counts(append(&runs[4], 1), 0, 0, 1, 0);
    for (size_t i = 0; i < COUNT_OF(runs);
         i++) { /* those that never started are negative, and have no time */
        RUN_SET(&runs[i], digest, 2);
        expect_counts(append(&runs[i], 1), 0, 1, 0, 0);
    }
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs"), 5);
}

/* Runs with times beside runs without: the ranges that older rows are looked for in hold both. */
static void runs_with_and_without_times_are_compared(void **state)
{
    (void)state;
    struct run runs[] = {a_run(1, 1000, 1), a_run(2, -77, 1), a_run(3, 5000000, 1)};
    RUN_SET(&runs[0], start, 1000);
    RUN_SET(&runs[0], end, 2000);
    RUN_SET(&runs[1], submit, 500);
    RUN_SET(&runs[2], start, 5000000);
    expect_counts(append(runs, COUNT_OF(runs)), 3, 0, 0, 0);
    expect_counts(append(runs, COUNT_OF(runs)), 0, 0, 3, 0);
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        expect_counts(append(&runs[i], 1), 0, 0, 1, 0);
        RUN_SET(&runs[i], digest, 9);
        RUN_SET(&runs[i], submit, 9000000); /* another time, the same run */
        expect_counts(append(&runs[i], 1), 0, 1, 0, 0);
    }
    expect_counts(append(runs, COUNT_OF(runs)), 0, 0, 3, 0);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs"), 3);
}

static void times_are_told(void **state)
{
    (void)state;
    struct run runs[] = {a_run(1, 1, 1), a_run(2, 1, 1), a_run(3, 1, 1)};
    struct append_counts counts = append(runs, 3);
    expect_int(counts.first_time, 0);
    expect_int(counts.last_time, 0);
    RUN_SET(&runs[1], submit, 700);
    RUN_SET(&runs[2], start, 900);
    RUN_SET(&runs[2], end, 100);
    counts = append(runs, 3);
    expect_int(counts.first_time, 100);
    expect_int(counts.last_time, 900);
}

static void absent_is_absent(void **state)
{
    (void)state;
    struct run run = a_run(1, 1, 1);
    RUN_CLEAR(&run, cpus); /* the value is still in the struct */
    RUN_SET(&run, name, STR(""));
    RUN_SET(&run, user, ((struct str){NULL, 0}));
    RUN_SET(&run, exit_code, 0);
    (void)append(&run, 1);
    toy_expect(&toy,
               "SELECT cpus IS NULL, name, \"user\", exit_code, submit IS NULL, \"group\" IS "
               "NULL FROM runs",
               "1|||0|1|1\n");
}

/* Texts around the length that the engine keeps in place, and far beyond. */
static void texts_of_every_length_arrive(void **state)
{
    (void)state;

    enum { LENGTHS = 40 };
    struct run *runs = mem_alloc(LENGTHS + 1, sizeof(*runs));
    char *letters = mem_alloc(1, 100000);
    memset(letters, 'x', 100000);
    for (int64_t i = 0; i <= LENGTHS; i++) {
        runs[i] = a_run(i, 1, i + 1);
        RUN_SET(&runs[i], name, ((struct str){letters, i == LENGTHS ? 100000 : (size_t)i}));
        RUN_SET(&runs[i], command,
                STR("gr\xc3\xbc\xc3\x9f"
                    "e | \xe6\xbc\xa2\xe5\xad\x97"));
    }
    expect_counts(append(runs, LENGTHS + 1), LENGTHS + 1, 0, 0, 0);
    expect_int(toy_number(&toy,
                          "SELECT count(*) FROM runs WHERE length(name) = CASE job WHEN 40 "
                          "THEN 100000 ELSE job END "
                          "AND replace(name, 'x', '') = '' AND command = 'gr\xc3\xbc\xc3\x9f"
                          "e | \xe6\xbc\xa2\xe5\xad\x97'"),
               LENGTHS + 1);
    free(letters);
    free(runs);
}

/* More rows than any chunk, group or worker takes at once. */
static void many_rows_arrive_whole(void **state)
{
    (void)state;

    enum { ROWS = 150000 };
    struct run *runs = mem_alloc(ROWS, sizeof(*runs));
    for (int64_t i = 0; i < ROWS; i++) {
        runs[i] = a_run(i / 3, i % 3, i);
        RUN_SET(&runs[i], start, i * 1000);
        RUN_SET(&runs[i], end, i * 1000 + 7);
        RUN_SET(&runs[i], user, i % 2 ? STR("a rather long name of a user") : STR("bob"));
    }
    struct append_counts counts = append(runs, ROWS);
    expect_counts(counts, ROWS, 0, 0, 0);
    expect_int(counts.first_time, 0);
    expect_int(counts.last_time, (ROWS - 1) * INT64_C(1000) + 7);
    expect_int(
        toy_number(
            &toy,
            "SELECT count(*) FROM runs WHERE job * 3 + attempt = cpus AND \"end\" - start = 7"),
        ROWS);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs WHERE \"user\" = 'bob'"), ROWS / 2);
    /* all again, one in ten otherwise */
    for (int64_t i = 0; i < ROWS; i += 10) {
        RUN_SET(&runs[i], digest, -1 - i);
    }
    expect_counts(append(runs, ROWS), 0, ROWS / 10, ROWS - ROWS / 10, 0);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs"), ROWS);
    free(runs);
}

static void an_empty_feed_is_fine(void **state)
{
    (void)state;
    expect_counts(append(NULL, 0), 0, 0, 0, 0);
}

static void a_failing_feed_is_heard_in_its_own_words(void **state)
{
    (void)state;

    enum { ROWS = 20000 };
    struct run *runs = mem_alloc(ROWS, sizeof(*runs));
    for (int64_t i = 0; i < ROWS; i++) {
        runs[i] = a_run(i, 1, 1);
    }
    static const size_t places[] = {1, 1000, ROWS - 1};
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        struct list list = {
            .runs = runs, .count = ROWS, .batch = ++batch, .fail_at = places[i]};
        struct run_feed feed = feed_of(&list);
        struct append_counts counts;
        struct error err = {0};
        expect_int(facts_begin(toy.facts, &err), 0);
        expect_int(facts_append(toy.facts, &feed, batch, &counts, &err), ERROR_INPUT);
        expect_text(err.text, "the feed is poisoned");
        facts_rollback(toy.facts);
        expect_int(toy_number(&toy, "SELECT count(*) FROM runs"), 0);
    }
    expect_counts(append(runs, ROWS), ROWS, 0, 0, 0);
    free(runs);
}

static void what_is_rolled_back_was_never_there(void **state)
{
    (void)state;
    struct run run = a_run(1, 1, 1), other = a_run(1, 1, 2);
    (void)append(&run, 1);
    struct list list = {.runs = &other, .count = 1, .batch = ++batch};
    struct run_feed feed = feed_of(&list);
    struct append_counts counts;
    struct error err = {0};
    expect_int(facts_begin(toy.facts, &err), 0);
    expect_int(facts_append(toy.facts, &feed, batch, &counts, &err), 0);
    expect_int(counts.replaced, 1);
    facts_rollback(toy.facts);
    toy_expect(&toy, "SELECT cpus, batch FROM runs", "1|1\n");
}

/* A part belongs to a job known by its key as well as by its number. */
static void parts_belong_to_jobs_with_keys_too(void **state)
{
    (void)state;
    struct run runs[3];
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        runs[i] = a_run(0, 1000, (int64_t)i + 1);
        RUN_CLEAR(&runs[i], job);
        RUN_SET(&runs[i], job_key, i < 2 ? STR("alpha") : STR("beta"));
        RUN_SET(&runs[i], start, 1000);
        RUN_SET(&runs[i], end, 2000);
        RUN_SET(&runs[i], cpu_used_us, 10 * ((int64_t)i + 1));
    }
    RUN_SET(&runs[1], part, STR("p"));
    expect_counts(append(runs, 3), 2, 0, 0, 1);
    toy_expect(&toy, "SELECT job_key, cpu_used_us FROM runs ORDER BY job_key",
               "alpha|30\nbeta|30\n");
    expect_counts(append(runs, 3), 0, 0, 3, 0);
    toy_expect(&toy, "SELECT job_key, cpu_used_us FROM runs ORDER BY job_key",
               "alpha|30\nbeta|30\n");
}

/* What no record tells stays unknown in the sum; what some tell is the sum of these. */
static void sums_of_the_unknown_are_unknown(void **state)
{
    (void)state;
    struct run runs[2] = {a_run(1, 1000, 1), a_run(1, 1000, 2)};
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        RUN_SET(&runs[i], start, 1000);
        RUN_SET(&runs[i], end, 2000);
    }
    RUN_SET(&runs[1], part, STR("p"));
    RUN_SET(&runs[0], io_bytes, 5);
    RUN_SET(&runs[1], cpu_used_us, 7);
    for (int order = 0; order < 2; order++) {
        toy_empty(&toy);
        batch = 0;
        if (order == 0) { /* the part is there when the run comes, or comes later */
            (void)append(&runs[1], 1);
            (void)append(&runs[0], 1);
        } else {
            const struct run both[] = {runs[1], runs[0]};
            (void)append(both, 2);
        }
        toy_expect(&toy,
                   "SELECT io_bytes, cpu_used_us, io_ops, energy_mj, nodes, node_count, flags "
                   "FROM runs",
                   "5|7|---|---|---|---|8\n");
    }
}

/* What a scheduler writes at the start of a run and what it writes at its end, in any order. */
static void a_run_that_ended_does_not_run_again(void **state)
{
    (void)state;
    struct run start = a_run(1, 100, 4);
    struct run end = a_run(1, 100, 5);
    RUN_SET(&end, end, 200);
    const struct run both[2][2] = {{start, end}, {end, start}};
    for (int order = 0; order < 2; order++) {
        toy_empty(&toy);
        batch = 0;
        expect_counts(append(both[order], 2), 1, 1, 0, 0);
        toy_expect(&toy, "SELECT cpus, \"end\" FROM runs", "5|200\n");
        toy_empty(&toy);
        batch = 0;
        (void)append(&both[order][0], 1);
        expect_counts(append(&both[order][1], 1), 0, order == 0, order == 1, 0);
        toy_expect(&toy, "SELECT cpus, \"end\" FROM runs", "5|200\n");
    }
}

#define ADD(function) suite_test_with(&suite, #function, function, open_empty, close_toy, NULL)

int main(void)
{
    struct suite suite = {0};
    ADD(the_same_run_is_known_by_its_key);
    ADD(the_same_digest_keeps_the_older_row);
    ADD(of_repeats_the_later_line_stays);
    ADD(a_run_that_ended_does_not_run_again);
    ADD(attempts_of_any_size_are_compared);
    ADD(runs_with_and_without_times_are_compared);
    ADD(times_are_told);
    ADD(absent_is_absent);
    ADD(texts_of_every_length_arrive);
    ADD(many_rows_arrive_whole);
    ADD(an_empty_feed_is_fine);
    ADD(a_failing_feed_is_heard_in_its_own_words);
    ADD(what_is_rolled_back_was_never_there);
    ADD(parts_belong_to_jobs_with_keys_too);
    ADD(sums_of_the_unknown_are_unknown);
    return suite_run(&suite, "append");
}
