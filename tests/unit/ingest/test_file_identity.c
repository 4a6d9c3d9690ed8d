/* SPDX-License-Identifier: MIT */

/*
 * What an import remembers of a file: that each byte is read once, whatever happens to the file in
 * between, and that nothing is missed.
 */

#include "ingest/file_identity.h"

#define TOY_FOLLOWS_LATE
#include "unit/ingest/toy_log.h"
#include "unit/ingest/toy_pack.h"
#include "unit/ingest/toy_store.h"

enum { MOST = 64 << 20, LONG_ROW = 30000 };

/* A text of rows for jobs `first` .. `first + count - 1`. */
static struct buf rows_of(int64_t first, int64_t count)
{
    struct buf text;
    buf_init(&text, MOST);
    toy_rows_add(&text, first, count);
    return text;
}

/* Rows so long that `count` of them do not fit one slice: a file of several batches. */
static struct buf long_rows_of(int64_t first, int64_t count)
{
    struct buf text;
    buf_init(&text, MOST);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = TOY_EPOCH + (first + i) * 3600;
        toy_row_add(&text, &(struct toy_row){.job = first + i,
                                             .submit = at,
                                             .start = at,
                                             .end = at + 10,
                                             .slots = 1,
                                             .pad = LONG_ROW});
    }
    return text;
}

static void expect_verdict(enum ingest_verdict got, enum ingest_verdict want)
{
    expect_text(ingest_verdict_name(got), ingest_verdict_name(want));
}

/* Imports `name` and expects the verdict and how many runs were added. */
static struct ingest_summary import(struct toy *toy, const char *name,
                                    enum ingest_verdict verdict, int64_t added)
{
    struct ingest_summary summary = toy_import(toy, name);
    expect_verdict(summary.verdict, verdict);
    expect_int(summary.added, added);
    expect_int(summary.replaced, 0);
    expect_int(summary.rejected, 0);
    return summary;
}

/* Jobs 1 .. count are there, each once, each with its hour. */
static void expect_jobs(struct toy *toy, int64_t count)
{
    expect_int(toy_number(toy, "SELECT count(*) FROM runs"), count);
    expect_int(toy_number(toy, "SELECT count(DISTINCT job) FROM runs WHERE job >= 1"), count);
    expect_int(toy_number(toy, "SELECT coalesce(max(job), 0) FROM runs"), count);
}

static void a_file_is_read_once(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 10);
    toy_write(&toy, "accounting", buf_str(&rows));
    struct ingest_summary first = import(&toy, "accounting", INGEST_NEW, 10);
    expect_int(first.records, 10);
    expect_uint(first.bytes, rows.len);
    struct ingest_summary second = import(&toy, "accounting", INGEST_UNCHANGED, 0);
    expect_int(second.records, 0);
    expect_uint(second.bytes, 0);
    expect_jobs(&toy, 10);
    buf_release(&rows);
    toy_close(&toy);
}

static void a_growing_file_is_read_from_where_it_ended(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    int64_t there = 0;
    /* from less than the bytes that are hashed to far more */
    static const int64_t steps[] = {1, 1, 2, 5, 9, 40, 1, 200, 3};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        struct buf rows = rows_of(there + 1, steps[i]);
        toy_append(&toy, "accounting", buf_str(&rows));
        struct ingest_summary summary =
            import(&toy, "accounting", i == 0 ? INGEST_NEW : INGEST_GROWN, steps[i]);
        expect_int(summary.records, steps[i]);
        expect_uint(summary.bytes, rows.len);
        there += steps[i];
        buf_release(&rows);
    }
    expect_jobs(&toy, there);
    expect_int(toy_number(&toy, "SELECT count(*) FROM files"), 1);
    expect_int(toy_number(&toy, "SELECT lines FROM files"), there);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs WHERE line <> job"), 0);
    toy_close(&toy);
}

static void a_renamed_file_is_known(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 30);
    toy_write(&toy, "accounting", buf_str(&rows));
    import(&toy, "accounting", INGEST_NEW, 30);
    toy_rename(&toy, "accounting", "accounting.old");
    expect_int(import(&toy, "accounting.old", INGEST_UNCHANGED, 0).records, 0);
    struct buf more = rows_of(31, 1);
    toy_append(&toy, "accounting.old", buf_str(&more));
    expect_int(import(&toy, "accounting.old", INGEST_RENAMED, 1).records, 1);
    import(&toy, "accounting.old", INGEST_UNCHANGED, 0);
    expect_jobs(&toy, 31);
    buf_release(&more);
    buf_release(&rows);
    toy_close(&toy);
}

static void a_rotated_file_is_two_files(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf old = rows_of(1, 30), last = rows_of(31, 2), new = rows_of(33, 5);
    toy_write(&toy, "accounting", buf_str(&old));
    import(&toy, "accounting", INGEST_NEW, 30);
    /* two rows came between the last import and the rotation */
    toy_append(&toy, "accounting", buf_str(&last));
    toy_rename(&toy, "accounting", "accounting.1");
    toy_write(&toy, "accounting", buf_str(&new));
    import(&toy, "accounting", INGEST_REPLACED, 5);
    import(&toy, "accounting.1", INGEST_RENAMED, 2);
    expect_jobs(&toy, 37);
    import(&toy, "accounting", INGEST_UNCHANGED, 0);
    import(&toy, "accounting.1", INGEST_UNCHANGED, 0);
    expect_int(toy_number(&toy, "SELECT count(*) FROM files"), 2);
    buf_release(&old);
    buf_release(&last);
    buf_release(&new);
    toy_close(&toy);
}

/* cp accounting accounting.1; : >accounting, as logrotate's copytruncate does */
static void a_copied_and_truncated_file_is_two_files(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf old = rows_of(1, 30), new = rows_of(31, 4);
    toy_write(&toy, "accounting", buf_str(&old));
    import(&toy, "accounting", INGEST_NEW, 30);
    toy_write(&toy, "accounting.1", buf_str(&old));
    toy_write(&toy, "accounting", buf_str(&new));
    import(&toy, "accounting", INGEST_TRUNCATED, 4);
    import(&toy, "accounting.1", INGEST_UNCHANGED, 0);
    expect_jobs(&toy, 34);
    buf_release(&old);
    buf_release(&new);
    toy_close(&toy);
}

static void a_truncated_file_is_read_from_the_start(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 30), fewer = rows_of(1, 12);
    toy_write(&toy, "accounting", buf_str(&rows));
    import(&toy, "accounting", INGEST_NEW, 30);
    toy_write(&toy, "accounting", buf_str(&fewer));
    struct ingest_summary summary = import(&toy, "accounting", INGEST_TRUNCATED, 0);
    expect_int(summary.unchanged, 12);
    expect_jobs(&toy, 30);
    buf_release(&rows);
    buf_release(&fewer);
    toy_close(&toy);
}

static void other_content_under_the_same_name_is_read(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 30), other = rows_of(31, 30);
    toy_write(&toy, "accounting", buf_str(&rows));
    import(&toy, "accounting", INGEST_NEW, 30);
    /* the same size, the same inode, the same second */
    toy_write(&toy, "accounting", buf_str(&other));
    import(&toy, "accounting", INGEST_REPLACED, 30);
    expect_jobs(&toy, 60);
    buf_release(&rows);
    buf_release(&other);
    toy_close(&toy);
}

struct pack_row {
    const char *name;
    toy_pack_fn *pack;
};

static const struct pack_row pack_rows[] = {
    {"gzip", toy_gzip},
    {"zstd", toy_zstd},
};

static const struct pack_row encoding_rows[] = {
    {"plain", toy_plain},
    {"gzip", toy_gzip},
    {"zstd", toy_zstd},
};

static void write_packed(const struct toy *toy, const char *name, toy_pack_fn *pack,
                         struct str text)
{
    struct buf packed;
    buf_init(&packed, MOST);
    pack(&packed, text);
    toy_write(toy, name, buf_str(&packed));
    buf_release(&packed);
}

static void a_file_compressed_since_is_known(void **state)
{
    const struct pack_row *row = *state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 100);
    toy_write(&toy, "accounting.1", buf_str(&rows));
    import(&toy, "accounting.1", INGEST_NEW, 100);
    expect_int(unlink(toy_path(&toy, "accounting.1")), 0);
    write_packed(&toy, "accounting.1.z", row->pack, buf_str(&rows));
    struct ingest_summary summary = import(&toy, "accounting.1.z", INGEST_RENAMED, 0);
    expect_int(summary.records, 0);
    import(&toy, "accounting.1.z", INGEST_UNCHANGED, 0);
    /* and unpacked again */
    toy_write(&toy, "accounting.1", buf_str(&rows));
    import(&toy, "accounting.1", INGEST_UNCHANGED, 0);
    expect_jobs(&toy, 100);
    expect_int(toy_number(&toy, "SELECT count(*) FROM files"), 1);
    buf_release(&rows);
    toy_close(&toy);
}

static void rows_written_before_the_compression_are_read(void **state)
{
    const struct pack_row *row = *state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 100);
    toy_write(&toy, "accounting", buf_str(&rows));
    import(&toy, "accounting", INGEST_NEW, 100);
    toy_rows_add(&rows, 101, 3);
    write_packed(&toy, "accounting.z", row->pack, buf_str(&rows));
    struct ingest_summary summary = import(&toy, "accounting.z", INGEST_RENAMED, 3);
    expect_int(summary.records, 3);
    expect_jobs(&toy, 103);
    buf_release(&rows);
    toy_close(&toy);
}

/* gzip -c >> accounting.gz: members one after the other */
static void a_growing_compressed_file_is_read_from_where_it_ended(void **state)
{
    const struct pack_row *row = *state;
    struct toy toy;
    struct buf packed;
    toy_open(&toy);
    buf_init(&packed, MOST);
    for (int64_t i = 0; i < 4; i++) {
        struct buf rows = rows_of(1 + i * 50, 50);
        row->pack(&packed, buf_str(&rows));
        toy_write(&toy, "accounting.z", buf_str(&packed));
        struct ingest_summary summary =
            import(&toy, "accounting.z", i == 0 ? INGEST_NEW : INGEST_GROWN, 50);
        expect_int(summary.records, 50);
        buf_release(&rows);
    }
    expect_jobs(&toy, 200);
    buf_release(&packed);
    toy_close(&toy);
}

/* --- ends of files ---------------------------------------------------------------------------- */

static void an_unfinished_row_is_left_for_the_next_time(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 5);
    struct buf four = rows_of(1, 4);
    for (size_t cut = four.len + 2; cut < four.len + 200; cut += 66) {
        toy_empty(&toy);
        toy_write(&toy, "accounting", (struct str){rows.ptr, cut});
        struct ingest_summary summary = import(&toy, "accounting", INGEST_NEW, 4);
        expect_true(summary.unfinished);
        expect_jobs(&toy, 4);
        summary = import(&toy, "accounting", INGEST_GROWN, 0); /* still the same half */
        expect_true(summary.unfinished);
        toy_append(&toy, "accounting", (struct str){rows.ptr + cut, rows.len - cut});
        summary = import(&toy, "accounting", INGEST_GROWN, 1);
        expect_false(summary.unfinished);
        expect_int(summary.records, 1);
        expect_jobs(&toy, 5);
    }
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 0);
    buf_release(&rows);
    buf_release(&four);
    toy_close(&toy);
}

static void a_whole_row_without_line_end_counts_once(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 5);
    toy_write(&toy, "accounting", (struct str){rows.ptr, rows.len - 1});
    struct ingest_summary summary = import(&toy, "accounting", INGEST_NEW, 5);
    expect_false(summary.unfinished);
    summary = toy_import(&toy, "accounting");
    expect_int(summary.added, 0);
    expect_int(summary.unchanged, 1);
    toy_rows_add(&rows, 6, 2);
    toy_write(&toy, "accounting", buf_str(&rows));
    summary = toy_import(&toy, "accounting");
    expect_verdict(summary.verdict, INGEST_GROWN);
    expect_int(summary.added, 2);
    expect_int(summary.unchanged, 1);
    expect_jobs(&toy, 7);
    buf_release(&rows);
    toy_close(&toy);
}

static void a_first_row_without_line_end_is_one_file(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 1);
    toy_write(&toy, "accounting", (struct str){rows.ptr, rows.len - 1});
    import(&toy, "accounting", INGEST_NEW, 1);
    expect_int(import(&toy, "accounting", INGEST_NEW, 0).unchanged, 1);
    toy_rows_add(&rows, 2, 1);
    toy_write(&toy, "accounting", buf_str(&rows));
    import(&toy, "accounting", INGEST_NEW, 1);
    import(&toy, "accounting", INGEST_UNCHANGED, 0);
    expect_jobs(&toy, 2);
    expect_int(toy_number(&toy, "SELECT count(*) FROM files"), 1);
    buf_release(&rows);
    toy_close(&toy);
}

/* A number cut in two is a number, too: what was read of it must not stay. */
static void a_row_cut_inside_its_last_numbers_is_put_right(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 3);
    size_t cut = rows.len - sizeof("576.000000:0:0"); /* vmem is 1048576 */
    toy_write(&toy, "accounting", (struct str){rows.ptr, cut});
    (void)toy_import(&toy, "accounting");
    toy_write(&toy, "accounting", buf_str(&rows));
    (void)toy_import(&toy, "accounting");
    toy_expect(&toy, "SELECT job, vmem_peak_bytes FROM runs ORDER BY job",
               "1|1048576\n2|1048576\n3|1048576\n");
    buf_release(&rows);
    toy_close(&toy);
}

static void half_a_row_alone_is_no_content(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 1);
    toy_write(&toy, "accounting", (struct str){rows.ptr, rows.len - 60});
    struct error err;
    toy_refuse(&toy, "accounting", &err);
    expect_contains(err.text, "does not look like sge");
    toy_write(&toy, "accounting", buf_str(&rows));
    import(&toy, "accounting", INGEST_NEW, 1);
    buf_release(&rows);
    toy_close(&toy);
}

static void a_header_alone_may_grow(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    toy_write(&toy, "accounting", STR(TOY_HEADER));
    import(&toy, "accounting", INGEST_NEW, 0);
    import(&toy, "accounting", INGEST_UNCHANGED, 0);
    struct buf rows = rows_of(1, 7);
    toy_append(&toy, "accounting", buf_str(&rows));
    import(&toy, "accounting", INGEST_GROWN, 7);
    expect_jobs(&toy, 7);
    buf_release(&rows);
    toy_close(&toy);
}

static void files_with_the_same_header_are_told_apart(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf a = rows_of(1, 5), b = rows_of(6, 5), c = rows_of(11, 5);
    /* a knows its header only, then b comes, then both grow */
    toy_write(&toy, "a", STR(TOY_HEADER));
    (void)toy_import(&toy, "a");
    toy_write(&toy, "b", STR(TOY_HEADER));
    toy_append(&toy, "b", buf_str(&b));
    (void)toy_import(&toy, "b");
    toy_append(&toy, "a", buf_str(&a));
    (void)toy_import(&toy, "a");
    toy_append(&toy, "b", buf_str(&c));
    (void)toy_import(&toy, "b");
    expect_jobs(&toy, 15);
    expect_int(import(&toy, "a", INGEST_UNCHANGED, 0).records, 0);
    expect_int(import(&toy, "b", INGEST_UNCHANGED, 0).records, 0);
    buf_release(&a);
    buf_release(&b);
    buf_release(&c);
    toy_close(&toy);
}

static void clusters_are_kept_apart(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 9);
    toy_write(&toy, "accounting", buf_str(&rows));
    import(&toy, "accounting", INGEST_NEW, 9);
    struct ingest_options options = toy_options(&toy, "accounting");
    options.cluster = "other";
    struct ingest_summary summary = toy_import_as(&toy, &options);
    expect_verdict(summary.verdict, INGEST_NEW);
    expect_int(summary.added, 9);
    toy_expect(&toy, "SELECT cluster, count(*) FROM runs GROUP BY ALL ORDER BY ALL",
               "other|9\ntoy|9\n");
    buf_release(&rows);
    toy_close(&toy);
}

static void a_copy_is_the_same_content(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 50);
    toy_write(&toy, "a", buf_str(&rows));
    toy_write(&toy, "b", buf_str(&rows));
    import(&toy, "a", INGEST_NEW, 50);
    import(&toy, "b", INGEST_UNCHANGED, 0);
    toy_rows_add(&rows, 51, 5);
    toy_write(&toy, "b", buf_str(&rows));
    import(&toy, "b", INGEST_RENAMED, 5);
    /* a is a shorter version of what is known as b now */
    struct ingest_summary summary = toy_import(&toy, "a");
    expect_int(summary.added, 0);
    expect_jobs(&toy, 55);
    buf_release(&rows);
    toy_close(&toy);
}

/* --- what happens while a file is read -------------------------------------------------------- */

/* Does something to the files when the reading has begun, or ends it before its n-th slice. */
struct meddler {
    struct toy *toy;
    void (*act)(struct toy *toy);
    int slices, stop_at;
    struct stop stop;
};

static void meddle(void *watcher, const struct ingest_progress *progress)
{
    struct meddler *meddler = watcher;
    (void)progress;
    if (meddler->slices++ == 0 && meddler->act) {
        meddler->act(meddler->toy);
    }
    meddler->stop.asked = meddler->slices == meddler->stop_at;
}

static void swap_for_a_larger_file(struct toy *toy)
{
    struct buf other = rows_of(1001, 500);
    toy_write(toy, "other", buf_str(&other));
    toy_rename(toy, "accounting", "accounting.1");
    toy_rename(toy, "other", "accounting");
    buf_release(&other);
}

static void rotate_without_a_new_file(struct toy *toy)
{
    toy_rename(toy, "accounting", "accounting.1");
}

static void truncate_and_write_more(struct toy *toy)
{
    struct buf other = rows_of(1001, 500);
    toy_write(toy, "accounting", buf_str(&other));
    buf_release(&other);
}

static struct ingest_summary import_meddled(struct toy *toy, void (*act)(struct toy *toy))
{
    struct meddler meddler = {.toy = toy, .act = act};
    struct ingest_options options = toy_options(toy, "accounting");
    options.watcher = &meddler;
    options.progress = meddle;
    struct ingest_summary summary = toy_import_as(toy, &options);
    expect_true(meddler.slices > 0);
    return summary;
}

static void a_file_replaced_while_it_is_read_is_read_afterwards(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 200);
    toy_write(&toy, "accounting", buf_str(&rows));
    expect_int(import_meddled(&toy, swap_for_a_larger_file).added, 200);
    struct ingest_summary summary = toy_import(&toy, "accounting");
    expect_int(summary.added, 500);
    summary = toy_import(&toy, "accounting.1");
    expect_verdict(summary.verdict, INGEST_UNCHANGED);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs"), 700);
    buf_release(&rows);
    toy_close(&toy);
}

static void a_file_rotated_while_it_is_read_is_known_afterwards(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 200);
    toy_write(&toy, "accounting", buf_str(&rows));
    expect_int(import_meddled(&toy, rotate_without_a_new_file).added, 200);
    import(&toy, "accounting.1", INGEST_UNCHANGED, 0);
    expect_jobs(&toy, 200);
    buf_release(&rows);
    toy_close(&toy);
}

/* The first slice is in memory by then, as all of a small file is. */
static void a_file_truncated_while_it_is_read_is_read_afterwards(void **state)
{
    (void)state;
    struct toy toy;
    toy_open(&toy);
    struct buf rows = rows_of(1, 200);
    toy_write(&toy, "accounting", buf_str(&rows));
    (void)import_meddled(&toy, truncate_and_write_more);
    (void)toy_import(&toy, "accounting");
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs WHERE job BETWEEN 1001 AND 1500"),
               500);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs WHERE job BETWEEN 1 AND 200"), 200);
    buf_release(&rows);
    toy_close(&toy);
}

/* A batch is committed, the next is not: what was compressed must not count as read to its end. */
static void an_import_that_was_ended_goes_on(void **state)
{
    const struct pack_row *row = *state;

    enum { ROWS = 500 }; /* 15 MB: four slices */
    struct toy toy;
    toy_open(&toy);
    struct buf rows = long_rows_of(1, ROWS);
    write_packed(&toy, "accounting", row->pack, buf_str(&rows));
    int64_t there = 0;
    for (int stop_at = 2; stop_at <= 3; stop_at++) {
        struct meddler meddler = {.toy = &toy, .stop_at = 2};
        struct ingest_options options = toy_options(&toy, "accounting");
        struct ingest_summary summary;
        struct error err = {0};
        options.batch_bytes = 1;
        options.watcher = &meddler;
        options.progress = meddle;
        options.stop = &meddler.stop;
        expect_int(ingest_file(toy.facts, &options, &summary, &err), ERROR_STOPPED);
        int64_t now = toy_number(&toy, "SELECT count(*) FROM runs");
        expect_true(now > there && now < ROWS);
        there = now;
    }
    struct ingest_summary summary = toy_import(&toy, "accounting");
    expect_verdict(summary.verdict, INGEST_GROWN);
    expect_int(summary.added, ROWS - there);
    expect_int(summary.unchanged, 0);
    expect_jobs(&toy, ROWS);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs WHERE line <> job"), 0);
    import(&toy, "accounting", INGEST_UNCHANGED, 0);
    buf_release(&rows);
    toy_close(&toy);
}

/* From the start, though it is known; ended in between, it goes on like any other. */
static void a_known_file_is_read_again_when_asked(void **state)
{
    const struct pack_row *row = *state;

    enum { ROWS = 300 }; /* 9 MB: three slices */
    struct toy toy;
    toy_open(&toy);
    struct buf rows = long_rows_of(1, ROWS);
    buf_addz(&rows, "bad:row\n");
    write_packed(&toy, "accounting", row->pack, buf_str(&rows));
    expect_int(toy_import(&toy, "accounting").added, ROWS);
    char *facts = toy_facts(&toy);

    struct meddler meddler = {.toy = &toy, .stop_at = 2};
    struct ingest_options options = toy_options(&toy, "accounting");
    struct ingest_summary summary;
    struct error err = {0};
    options.again = true;
    summary = toy_import_as(&toy, &options);
    expect_verdict(summary.verdict, INGEST_AGAIN);
    expect_int(summary.unchanged, ROWS);
    options.batch_bytes = 1;
    options.watcher = &meddler;
    options.progress = meddle;
    options.stop = &meddler.stop;
    expect_int(ingest_file(toy.facts, &options, &summary, &err), ERROR_STOPPED);
    summary = toy_import(&toy, "accounting");
    expect_verdict(summary.verdict, INGEST_GROWN);
    expect_true(summary.unchanged > 0 && summary.unchanged < ROWS);
    expect_verdict(toy_import(&toy, "accounting").verdict, INGEST_UNCHANGED);
    char *after = toy_facts(&toy);
    expect_text(after, facts);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 1);
    expect_int(toy_number(&toy, "SELECT count(*) FROM files"), 1);
    free(after);
    free(facts);
    buf_release(&rows);
    toy_close(&toy);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_file_is_read_once);
    SUITE_TEST(&suite, a_growing_file_is_read_from_where_it_ended);
    SUITE_TEST(&suite, a_renamed_file_is_known);
    SUITE_TEST(&suite, a_rotated_file_is_two_files);
    SUITE_TEST(&suite, a_copied_and_truncated_file_is_two_files);
    SUITE_TEST(&suite, a_truncated_file_is_read_from_the_start);
    SUITE_TEST(&suite, other_content_under_the_same_name_is_read);
    SUITE_ROWS(&suite, a_file_compressed_since_is_known, pack_rows);
    SUITE_ROWS(&suite, rows_written_before_the_compression_are_read, pack_rows);
    SUITE_ROWS(&suite, a_growing_compressed_file_is_read_from_where_it_ended, pack_rows);
    SUITE_TEST(&suite, an_unfinished_row_is_left_for_the_next_time);
    SUITE_TEST(&suite, a_whole_row_without_line_end_counts_once);
    SUITE_TEST(&suite, a_first_row_without_line_end_is_one_file);
    SUITE_TEST(&suite, a_row_cut_inside_its_last_numbers_is_put_right);
    SUITE_TEST(&suite, half_a_row_alone_is_no_content);
    SUITE_TEST(&suite, a_header_alone_may_grow);
    SUITE_TEST(&suite, files_with_the_same_header_are_told_apart);
    SUITE_TEST(&suite, clusters_are_kept_apart);
    SUITE_TEST(&suite, a_copy_is_the_same_content);
    SUITE_TEST(&suite, a_file_replaced_while_it_is_read_is_read_afterwards);
    SUITE_TEST(&suite, a_file_rotated_while_it_is_read_is_known_afterwards);
    SUITE_TEST(&suite, a_file_truncated_while_it_is_read_is_read_afterwards);
    SUITE_ROWS(&suite, an_import_that_was_ended_goes_on, encoding_rows);
    SUITE_ROWS(&suite, a_known_file_is_read_again_when_asked, encoding_rows);
    return suite_run(&suite, "locate");
}
