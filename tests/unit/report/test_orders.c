/* SPDX-License-Identifier: MIT */

/*
 * Runs of every class, with and without an end, a start and a sighting, recorded by one source or by three: whatever the
 * order in which the sources are imported, reports have the same figures, and recomputing them run by run gives the same.
 * The recomputation goes by start, end, class and sighting of a run; the store's `until`, by which SQL goes, is none of it.
 */

#include "base/limit.h"
#include "report/verify/recompute.h"
#include "report/verify/row_sums.h"
#include "support/expect.h"
#include "unit/report/ask.h"

enum {
    CLASSES = CLASS_COUNT + 1, /* and none at all */
    COMBINATIONS = CLASSES * 2 * 2 * 2,
    JOBS = COMBINATIONS * 2, /* known to one source, and to all of them */
    SOURCES = 3,
    ORDERS = 6,
};

static struct runs_store store;
static struct zone *utc;
static int64_t noon; /* when all of them were submitted, a minute apart */

static const int orders[ORDERS][SOURCES] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                            {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static struct run begin_record(size_t job, enum run_origin origin)
{
    const int64_t submit = noon + (int64_t)job * 60 * SECOND_US;
    struct run run = {0};
    RUN_SET(&run, job, (int64_t)job + 1);
    RUN_SET(&run, attempt, submit);
    RUN_SET(&run, submit, submit);
    RUN_SET(&run, cpus, 1 + (int64_t)job % 7);
    RUN_SET(&run, origin, origin);
    RUN_SET(&run, file, (int64_t)origin);
    RUN_SET(&run, digest, (int64_t)(job * 10 + origin));
    return run;
}

/* The database: each combination, twice. */
static struct run of_database(size_t job)
{
    struct run run = begin_record(job, ORIGIN_DATABASE);
    const size_t which = job % COMBINATIONS, class = which / 8;
    RUN_SET(&run, user, job % 2 ? STR("ann") : STR("bob"));
    RUN_SET(&run, cpu_used_us, HOUR_US);
    if (class < CLASS_COUNT) {
        RUN_SET(&run, class, run_class_name((enum run_class) class));
    }
    if (which & 1) {
        RUN_SET(&run, start, run.submit + HOUR_US);
    }
    if (which & 2) {
        RUN_SET(&run, end, run.submit + 5 * HOUR_US);
    }
    if (which & 4) {
        RUN_SET(&run, seen, run.submit + 4 * HOUR_US);
    }
    return run;
}

/* The log has the start of a job, and a listing has seen it run, or wait before that. */
static struct run of_log(size_t job)
{
    struct run run = begin_record(job, ORIGIN_LOG);
    RUN_SET(&run, start, run.submit + HOUR_US);
    RUN_SET(&run, class, STR("running"));
    RUN_SET(&run, gpus, 2);
    return run;
}

static struct run of_listing(size_t job)
{
    struct run run = begin_record(job, ORIGIN_LISTING);
    const bool runs = job % 3 > 0;
    RUN_SET(&run, class, runs ? STR("running") : STR("pending"));
    if (runs) {
        RUN_SET(&run, start, run.submit + HOUR_US);
    }
    RUN_SET(&run, seen, run.submit + (runs ? 3 * HOUR_US : HOUR_US / 2));
    RUN_SET(&run, partition, STR("long"));
    return run;
}

static void import(int source)
{
    static struct run (*const record_of[SOURCES])(size_t) = {of_listing, of_log, of_database};
    static struct run records[JOBS];
    struct append_counts counts;
    size_t count = 0;
    for (size_t job = 0; job < JOBS; job++) {
        if (job >= COMBINATIONS || source == 2) {
            records[count++] = record_of[source](job);
        }
    }
    runs_put(&store, records, count, &counts);
}

/* Every measure that can be recomputed, in all and by class and day. */
static void print_figures(struct period period, const char *by, enum bucket bucket,
                          struct buf *out)
{
    struct question question = {
        .period = period, .zone = utc, .now = period.to, .bucket = bucket};
    struct table table;
    for (size_t i = 0; i < ROW_SUMS_MEASURES; i++) {
        question.measures[question.measure_count++] = row_sums_measure(i);
    }
    if (by) {
        ask_by(&question, by);
        question.sort = by;
    }
    ask(store.facts, &question, &table);
    for (size_t row = 0; row < table.row_count; row++) {
        for (size_t c = 0; c < table.column_count; c++) {
            const struct column *column = &table.columns[c];
            if (!table_has(&table, c, row)) {
                buf_addz(out, "--- ");
            } else if (column->type == CELL_TEXT) {
                buf_addf(out, "%.*s ", STR_ARG(column->cells[row].text));
            } else if (column->type == CELL_REAL) {
                buf_addf(out, "%.12g ", column->cells[row].real);
            } else {
                buf_addf(out, "%lld ", (long long)table_wide(&table, c, row));
            }
        }
        buf_addc(out, '\n');
    }
    table_release(&table);
}

static void on_difference(void *watcher, const struct recompute_difference *d)
{
    (void)watcher;
    expect_fail("%s of '%.*s' %s: %s and %s differ", d->measure ? d->measure->id : "a row",
                STR_ARG(d->row), d->cut->name, d->sides[0], d->sides[1]);
}

static void on_comparison(void *watcher, const struct recompute_comparison *c)
{
    *(size_t *)watcher += c->rows;
}

static void expect_recomputed(struct period period, int64_t now)
{
    size_t rows = 0;
    struct error err = {0};
    const struct recompute with = {.facts = store.facts,
                                   .zone = utc,
                                   .period = period,
                                   .now = now,
                                   .watcher = &rows,
                                   .differs = on_difference,
                                   .compared = on_comparison};
    if (recompute(&with, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_true(rows > 0);
}

static void every_order_of_import_gives_the_same_figures(void **state)
{
    (void)state;
    struct buf first, figures;
    const struct period all = ask_period(utc, "2024-03-01", "2024-03-04");
    noon = ask_instant(utc, "2024-03-01T12:00");
    const struct period part = {noon + 2 * HOUR_US, noon + 6 * HOUR_US};
    buf_init(&first, LIMIT_OUTPUT);
    buf_init(&figures, LIMIT_OUTPUT);
    for (size_t o = 0; o < ORDERS; o++) {
        struct buf *out = o ? &figures : &first;
        runs_clear(&store);
        for (size_t s = 0; s < SOURCES; s++) {
            import(orders[o][s]);
        }
        buf_clear(out);
        print_figures(all, NULL, BUCKET_NONE, out);
        print_figures(all, "class", BUCKET_NONE, out);
        print_figures(all, NULL, BUCKET_DAY, out);
        print_figures(part, "user", BUCKET_NONE, out);
        expect_text(out->ptr, first.ptr);
        if (o == 0 || o == ORDERS - 1) { /* the others have the same figures */
            expect_recomputed(all, all.to);
            expect_recomputed(part, noon + 5 * HOUR_US);
        }
    }
    buf_release(&figures);
    buf_release(&first);
}

static int open_zone(void **state)
{
    (void)state;
    utc = ask_zone("UTC");
    return 0;
}

static int close_zone(void **state)
{
    (void)state;
    zone_close(utc);
    return 0;
}

int main(void)
{
    struct suite suite = {0};
    suite_test_with(&suite, "every_order_of_import_gives_the_same_figures",
                    every_order_of_import_gives_the_same_figures, open_zone, close_zone, NULL);
    return runs_suite(&suite, &store, "orders");
}
