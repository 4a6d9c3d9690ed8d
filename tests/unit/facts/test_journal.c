/* SPDX-License-Identifier: MIT */
#include "facts/journal.h"

#include <inttypes.h>

#include "base/limit.h"
#include "base/zone.h"
#include "unit/ingest/own_toy.h"
#include "unit/ingest/toy_log.h"

static void import_text(const char *name, const char *cluster, const struct buf *text)
{
    struct ingest_options options = toy_options(&toy, name);
    toy_write(&toy, name, buf_str(text));
    options.cluster = cluster;
    (void)toy_import_as(&toy, &options);
}

/* The first text of a column, as a string of its own. */
static const char *text_at(const struct table *table, size_t row, size_t column)
{
    static char text[4][256];
    static unsigned turn;
    char *copy = text[turn++ % 4];
    snprintf(copy, sizeof(text[0]), "%.*s", STR_ARG(table->columns[column].cells[row].text));
    return copy;
}

/* --- files ------------------------------------------------------------------------------------ */

static void a_file_comes_back_as_it_was_put(void **state)
{
    (void)state;
    struct journal_file file = {
        .cluster = STR("toy"),
        .source = STR("sge"),
        .path = STR("/var/lib/gridengine/acc\xc3\xb6unting"),
        .device = 1,
        .inode = INT64_MAX,
        .size = 3,
        .raw_hash = INT64_MIN,
        .head_length = 5,
        .head_hash = -1,
        .read_to = 7,
        .tail_hash = 8,
        .lines = 9,
        .first_read = 10,
        .last_read = 11,
    };
    struct error err = {0};
    expect_int(journal_put_file(toy.facts, &file, &err), 0);
    expect_int(file.file, 1);
    struct journal_file other = file;
    other.file = 0;
    other.last_read = 12;
    expect_int(journal_put_file(toy.facts, &other, &err), 0);
    expect_int(other.file, 2);
    file.read_to = 77; /* the same row again */
    expect_int(journal_put_file(toy.facts, &file, &err), 0);
    expect_int(file.file, 1);

    struct arena arena = {0};
    struct journal_file *files = NULL;
    size_t count = 0;
    expect_int(journal_files(toy.facts, STR("toy"), STR("sge"), &arena, &files, &count, &err),
               0);
    expect_int((int64_t)count, 2);
    expect_int(files[0].file, 2); /* the latest read comes first */
    const struct journal_file *got = &files[1];
    expect_int(got->file, 1);
    expect_true(str_eq(got->cluster, file.cluster) && str_eq(got->source, file.source) &&
                str_eq(got->path, file.path));
    expect_int(got->device, 1);
    expect_int(got->inode, INT64_MAX);
    expect_int(got->size, 3);
    expect_int(got->raw_hash, INT64_MIN);
    expect_int(got->head_length, 5);
    expect_int(got->head_hash, -1);
    expect_int(got->read_to, 77);
    expect_int(got->tail_hash, 8);
    expect_int(got->lines, 9);
    expect_int(got->first_read, 10);
    expect_int(got->last_read, 11);
    expect_int(journal_files(toy.facts, STR("toy"), STR("slurm"), &arena, &files, &count, &err),
               0);
    expect_int((int64_t)count, 0);
    expect_int(journal_files(toy.facts, STR("other"), STR("sge"), &arena, &files, &count, &err),
               0);
    expect_int((int64_t)count, 0);
    arena_release(&arena);
}

static void batches_are_numbered_upwards(void **state)
{
    (void)state;
    struct error err = {0};
    int64_t number = 0;
    for (int64_t i = 1; i <= 3; i++) {
        expect_int(journal_next_batch(toy.facts, &number, &err), 0);
        expect_int(number, i);
        struct journal_batch batch = {.batch = number,
                                      .file = 1,
                                      .at = 5,
                                      .first_time = i == 1 ? 0 : i,
                                      .last_time = i == 1 ? 0 : i};
        expect_int(journal_put_batch(toy.facts, &batch, &err), 0);
    }
    toy_expect(&toy, "SELECT batch, first_time, last_time FROM batches ORDER BY batch",
               "1|---|---\n2|2|2\n3|3|3\n");
}

/* --- quarantine ------------------------------------------------------------------------------- */

static void fill_quarantine(void)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    toy_rows_add(&text, 1, 1);
    buf_addz(&text, "bad one\nbad two\n");
    import_text("a", "east", &text);
    buf_addz(&text, "bad three\n");
    import_text("b", "west", &text);
    buf_release(&text);
}

static void quarantine_is_listed_with_its_places(void **state)
{
    (void)state;
    struct table table = {0};
    const struct table_sink into = {&table, table_collect};
    struct error err = {0};
    fill_quarantine();
    expect_int(journal_quarantine(toy.facts, STR(""), 100, &into, &err), 0);
    static const char *const ids[] = {"cluster", "path",   "line",     "byte",
                                      "reason",  "record", "committed"};
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        expect_text(table.columns[i].id, ids[i]);
    }
    expect_int((int64_t)table.row_count, 5);
    expect_text(text_at(&table, 0, 0), "west"); /* the latest import first, by lines */
    expect_text(text_at(&table, 0, 5), "bad one");
    expect_text(text_at(&table, 2, 5), "bad three");
    expect_int(table.columns[2].cells[2].integer, 4);
    expect_contains(text_at(&table, 2, 1), "/b");
    expect_text(text_at(&table, 4, 0), "east");
    expect_int(table.columns[6].cells[4].integer, TOY_NOW);
    table_release(&table);
    expect_int(journal_quarantine(toy.facts, STR("east"), 100, &into, &err), 0);
    expect_int((int64_t)table.row_count, 2);
    table_release(&table);
    expect_int(journal_quarantine(toy.facts, STR("nowhere"), 100, &into, &err), 0);
    expect_int((int64_t)table.row_count, 0);
    table_release(&table);
    expect_int(journal_quarantine(toy.facts, STR(""), 3, &into, &err), 0);
    expect_int((int64_t)table.row_count, 3);
    table_release(&table);
}

static void quarantine_is_forgotten_by_cluster(void **state)
{
    (void)state;
    int64_t count = 0;
    struct error err = {0};
    fill_quarantine();
    expect_int(journal_quarantine_clear(toy.facts, STR("west"), &count, &err), 0);
    expect_int(count, 3);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 2);
    expect_int(journal_quarantine_clear(toy.facts, STR(""), &count, &err), 0);
    expect_int(count, 2);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 0);
}

static int64_t dropped_of(const char *cluster)
{
    int64_t count = -1;
    struct error err = {0};
    expect_int(journal_quarantine_dropped(toy.facts, str_of(cluster), &count, &err), 0);
    return count;
}

/* The oldest go first and are counted by cluster; clearing forgets the count as well. */
static void quarantine_is_bounded(void **state)
{
    (void)state;
    int64_t count = 0;
    struct error err = {0};
    fill_quarantine();
    expect_int(journal_quarantine_bound(toy.facts, 9, 5, 1 << 20, &err), 0);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 5);
    expect_int(dropped_of(""), 0);
    expect_int(journal_quarantine_bound(toy.facts, 9, 4, 1 << 20, &err), 0);
    toy_expect(&toy,
               "SELECT cluster, record FROM quarantine JOIN files USING (file) ORDER BY ALL",
               "east|bad one\nwest|bad one\nwest|bad three\nwest|bad two\n");
    expect_int(dropped_of("east"), 1);
    const int64_t bytes = toy_number(&toy, "SELECT sum(octet_length(record) + strlen(reason)) "
                                           "FROM quarantine");
    expect_int(journal_quarantine_bound(toy.facts, 10, 100, bytes, &err), 0);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 4);
    expect_int(journal_quarantine_bound(toy.facts, 10, 100, bytes - 1, &err), 0);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 3);
    expect_int(dropped_of("east"), 2);
    expect_int(journal_quarantine_bound(toy.facts, 11, 100, 1, &err), 0);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 0);
    expect_int(dropped_of("west"), 3);
    expect_int(dropped_of(""), 5);
    expect_int(journal_quarantine_clear(toy.facts, STR("east"), &count, &err), 0);
    expect_int(dropped_of(""), 3);
}

/* What an import adds to a full quarantine takes the place of the oldest. */
static void an_import_keeps_the_bound(void **state)
{
    (void)state;
    struct buf text;
    buf_init(&text, 1 << 20);
    fill_quarantine();
    toy_expect(&toy,
               "INSERT INTO quarantine SELECT 1, 0, range, 0, 'why', 'old' FROM range(999995)",
               "999995\n");
    toy_rows_add(&text, 5, 1);
    buf_addz(&text, "bad four\n");
    import_text("c", "east", &text);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 900000);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine WHERE batch > 0"), 6);
    expect_int(dropped_of("east"), 100001);
    expect_int(dropped_of("west"), 0);
    buf_release(&text);
}

/* With as many long records as a store keeps, one more takes no more memory than their places. */
static void a_full_quarantine_is_bounded_in_little_memory(void **state)
{
    (void)state;
    const int64_t rows = LIMIT_QUARANTINE_BYTES / LIMIT_QUARANTINE_KEEP;
    const struct journal_reject last = {
        .line = 1, .byte = 1, .reason = "why", .record = STR("new")};
    struct error err = {0};
    char sql[256];
    fill_quarantine();
    snprintf(sql, sizeof(sql),
             "INSERT INTO quarantine SELECT 1, 0, range, 0, 'why', "
             "rpad(range::VARCHAR, %d, 'x')::BLOB FROM range(%" PRId64 ")",
             LIMIT_QUARANTINE_KEEP, rows);
    toy_number(&toy, sql);
    toy_number(&toy, "SET memory_limit = '48MB'");
    expect_int(journal_put_rejects(toy.facts, 1, 9, &last, 1, 0, &err), 0);
    expect_text(err.text, "");
    const int64_t left = toy_number(&toy, "SELECT count(*) FROM quarantine");
    expect_true(left < rows && left > rows * 8 / 10);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine WHERE batch > 0"), 6);
    expect_int(dropped_of("east"), rows + 6 - left);
}

/* --- overview --------------------------------------------------------------------------------- */

static void the_overview_counts_by_cluster(void **state)
{
    (void)state;
    struct table table = {0};
    struct error err = {0};
    struct buf text;
    expect_int(journal_overview(toy.facts, &table, &err), 0);
    expect_int((int64_t)table.row_count, 0);
    table_release(&table);

    fill_quarantine();
    buf_init(&text, 1 << 20);
    toy_row_add(&text, &(struct toy_row){.job = 50,
                                         .submit = TOY_EPOCH,
                                         .start = TOY_EPOCH,
                                         .end = TOY_EPOCH + 5,
                                         .part = "1.n02"});
    toy_rows_add(&text, 70, 2);
    import_text("c", "west", &text);
    buf_clear(&text);
    buf_addz(&text, TOY_HEADER); /* a file without a run */
    import_text("d", "north", &text);
    expect_int(journal_overview(toy.facts, &table, &err), 0);
    static const char *const ids[] = {"cluster",    "source",    "files",
                                      "runs",       "rejected",  "waiting_parts",
                                      "first_time", "last_time", "last_read"};
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        expect_text(table.columns[i].id, ids[i]);
    }

    static const struct {
        const char *cluster;
        int64_t files, runs, rejected, waiting;
    } want[] = {{"east", 1, 1, 2, 0}, {"north", 1, 0, 0, 0}, {"west", 2, 3, 3, 1}};

    expect_int((int64_t)table.row_count, (int64_t)COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        expect_text(text_at(&table, i, 0), want[i].cluster);
        expect_text(text_at(&table, i, 1), "sge");
        expect_int((int64_t)table_wide(&table, 2, i), want[i].files);
        expect_int((int64_t)table_wide(&table, 3, i), want[i].runs);
        expect_int((int64_t)table_wide(&table, 4, i), want[i].rejected);
        expect_int((int64_t)table_wide(&table, 5, i), want[i].waiting);
        expect_int((int64_t)table_wide(&table, 8, i), TOY_NOW);
    }
    expect_false(table_has(&table, 6, 1)); /* nothing is known of when north did nothing */
    expect_int((int64_t)table_wide(&table, 6, 2), (TOY_EPOCH + 3600) * SECOND_US);
    expect_int((int64_t)table_wide(&table, 7, 2), (TOY_EPOCH + 72 * 3600) * SECOND_US);
    table_release(&table);
    buf_release(&text);
}

static void gaps_are_days_without_an_end(void **state)
{
    (void)state;
    struct table table = {0};
    struct error err = {0};
    struct buf text;
    buf_init(&text, 1 << 20);
    static const int64_t days[] = {0, 1, 4, 14}; /* 2 days free, then 9 */
    for (size_t i = 0; i < COUNT_OF(days); i++) {
        int64_t at = TOY_EPOCH + days[i] * 86400 + 3600;
        toy_row_add(
            &text,
            &(struct toy_row){
                .job = (int64_t)i + 1, .submit = at, .start = at, .end = at + 60, .slots = 1});
    }
    import_text("a", "east", &text);
    expect_int(journal_gaps(toy.facts, 3, &table, &err), 0);
    expect_int((int64_t)table.row_count, 1);
    expect_text(text_at(&table, 0, 0), "east");
    expect_int((int64_t)table_wide(&table, 1, 0), (TOY_EPOCH + 5 * 86400) * SECOND_US);
    expect_int((int64_t)table_wide(&table, 2, 0), (TOY_EPOCH + 14 * 86400) * SECOND_US);
    table_release(&table);
    expect_int(journal_gaps(toy.facts, 2, &table, &err), 0);
    expect_int((int64_t)table.row_count, 2);
    table_release(&table);
    expect_int(journal_gaps(toy.facts, 10, &table, &err), 0);
    expect_int((int64_t)table.row_count, 0);
    table_release(&table);
    buf_release(&text);
}

#define ADD(function) suite_test_with(&suite, #function, function, open_toy, close_toy, NULL)

int main(void)
{
    struct suite suite = {0};
    ADD(a_file_comes_back_as_it_was_put);
    ADD(batches_are_numbered_upwards);
    ADD(quarantine_is_listed_with_its_places);
    ADD(quarantine_is_forgotten_by_cluster);
    ADD(quarantine_is_bounded);
    ADD(an_import_keeps_the_bound);
    ADD(a_full_quarantine_is_bounded_in_little_memory);
    ADD(the_overview_counts_by_cluster);
    ADD(gaps_are_days_without_an_end);
    return suite_run(&suite, "journal");
}
