/* SPDX-License-Identifier: MIT */

/*
 * What an import does with what it cannot read, when it is told to stop, and what it says.
 */

#include "ingest/ingest.h"

#include <pthread.h>

#include "base/limit.h"
#include "base/zone.h"
#include "unit/ingest/own_toy.h"
#include "unit/ingest/toy_log.h"
#include "unit/ingest/toy_pack.h"

enum { MOST = 64 << 20 };

static struct buf new_text(void)
{
    struct buf text;
    buf_init(&text, MOST);
    return text;
}

static void write_text(const char *name, const struct buf *text)
{
    expect_false(text->overflow);
    toy_write(&toy, name, buf_str(text));
}

/* Nothing at all came in. */
static void expect_untouched(void)
{
    toy_expect(&toy,
               "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM parts), (SELECT "
               "count(*) FROM files), "
               "(SELECT count(*) FROM batches), (SELECT count(*) FROM quarantine)",
               "0|0|0|0|0\n");
}

/* --- bad records ------------------------------------------------------------------------------ */

static void bad_records_are_kept_aside_just_as_they_were(void **state)
{
    (void)state;
    struct buf text = new_text();
    buf_addz(&text, TOY_HEADER);
    toy_rows_add(&text, 1, 3);
    size_t first = text.len;
    buf_addz(&text, "all.q:n01:short\n");
    toy_rows_add(&text, 4, 1);
    size_t second = text.len;
    buf_addz(&text, "\xff\xfe not text \x01|\t|\\|\"|'|;\r\n");
    toy_rows_add(&text, 5, 1);
    write_text("accounting", &text);
    struct ingest_summary summary = toy_import(&toy, "accounting");
    expect_int(summary.records, 5);
    expect_int(summary.added, 5);
    expect_int(summary.rejected, 2);
    expect_int(summary.rejects_kept, 2);
    expect_contains(summary.first_reject.text, "line 8: has 3 fields");
    char *got =
        toy_query(&toy, "SELECT line, byte, record, path LIKE '%/accounting' FROM quarantine "
                        "JOIN files USING (file) ORDER BY line");
    struct buf want = new_text();
    buf_addf(&want, "8|%zu|all.q:n01:short|1\n", first);
    buf_addf(&want, "10|%zu|\xff\xfe not text \x01|\t|\\|\"|'|;|1\n", second);
    expect_text(got, want.ptr);
    free(got);
    buf_release(&want);
    buf_release(&text);
}

static void every_byte_of_a_bad_record_is_kept(void **state)
{
    (void)state;
    struct buf text = new_text();
    char bytes[255];
    size_t count = 0;
    for (int i = 0; i < 256; i++) {
        if (i != '\n') {
            bytes[count++] = (char)i;
        }
    }
    toy_rows_add(&text, 1, 1);
    buf_add(&text, (struct str){bytes, count});
    buf_addc(&text, '\n');
    write_text("accounting", &text);
    expect_int(toy_import(&toy, "accounting").rejected, 1);
    struct table table = {0};
    struct error err = {0};
    expect_int(facts_query(toy.facts, "SELECT record FROM quarantine", (struct facts_values){0},
                           &table, &err),
               0);
    struct str record = table.columns[0].cells[0].text;
    expect_uint(record.len, count);
    expect_true(memcmp(record.ptr, bytes, count) == 0);
    table_release(&table);
    buf_release(&text);
}

struct long_row {
    const char *name;
    size_t length;
    const char *reason;
};

static const struct long_row long_rows[] = {
    {"more than is kept", LIMIT_QUARANTINE_KEEP + 1, "fields"},
    {"a text field too long", LIMIT_TEXT_FIELD + 1, "fields"},
    {"a record too long", LIMIT_RECORD + 1, "longer than"},
    {"more than a slice", LIMIT_SLICE + 1, "longer than"},
    {"ten megabytes", 10 << 20, "longer than"},
};

static void a_long_line_does_not_harm_its_neighbours(void **state)
{
    const struct long_row *row = *state;
    struct buf text = new_text();
    toy_rows_add(&text, 1, 2);
    size_t at = text.len;
    buf_fill(&text, 'x', row->length);
    buf_addc(&text, '\n');
    toy_rows_add(&text, 3, 2);
    buf_addz(&text, "bad\n");
    write_text("accounting", &text);
    struct ingest_summary summary = toy_import(&toy, "accounting");
    expect_int(summary.added, 4);
    expect_int(summary.rejected, 2);
    expect_contains(summary.first_reject.text, row->reason);
    struct buf want = new_text();
    buf_addf(&want, "3|%zu|%d\n6|%zu|3\n", at, LIMIT_QUARANTINE_KEEP, text.len - sizeof("bad"));
    toy_expect(&toy, "SELECT line, byte, octet_length(record) FROM quarantine ORDER BY line",
               want.ptr);
    toy_expect(&toy, "SELECT job, line FROM runs ORDER BY job", "1|1\n2|2\n3|4\n4|5\n");
    expect_int(toy_import(&toy, "accounting").verdict, INGEST_UNCHANGED);
    buf_release(&want);
    buf_release(&text);
}

static void megabytes_without_a_line_end_are_one_bad_record(void **state)
{
    (void)state;
    struct buf text = new_text();
    toy_rows_add(&text, 1, 2);
    buf_fill(&text, 'x', 5 << 20);
    write_text("accounting", &text);
    struct ingest_summary summary = toy_import(&toy, "accounting");
    expect_int(summary.added, 2);
    expect_int(summary.rejected, 1);
    expect_false(summary.unfinished);
    expect_int(toy_import(&toy, "accounting").verdict, INGEST_UNCHANGED);
    buf_release(&text);
}

/* One row at a time would take the engine's memory, and does no harm in bulk. */
static void very_many_bad_records_are_counted_and_some_kept(void **state)
{
    (void)state;

    enum { BAD = INGEST_REJECTS_MAX + 50 };
    struct buf text = new_text();
    toy_rows_add(&text, 1, 1);
    for (int i = 0; i < BAD; i++) {
        buf_addf(&text, "bad line %d\n", i);
    }
    toy_rows_add(&text, 2, 1);
    write_text("accounting", &text);
    struct ingest_summary summary = toy_import(&toy, "accounting");
    expect_int(summary.added, 2);
    expect_int(summary.rejected, BAD);
    expect_int(summary.rejects_kept, INGEST_REJECTS_MAX);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), INGEST_REJECTS_MAX);
    expect_int(toy_number(&toy, "SELECT rejected FROM batches"), BAD);
    expect_int(toy_number(&toy, "SELECT records FROM quarantine_dropped"), 50);
    buf_release(&text);
}

/* Long ones are limited by their bytes: they are in memory until the batch is written. */
static void very_large_bad_records_are_counted_and_some_kept(void **state)
{
    (void)state;

    enum { BAD = 2 * LIMIT_QUARANTINE_FILE / LIMIT_QUARANTINE_KEEP };
    struct buf text;
    buf_init(&text, 1 << 30);
    toy_rows_add(&text, 1, 1);
    for (int i = 0; i < BAD; i++) {
        buf_addf(&text, "bad %0*d\n", LIMIT_QUARANTINE_KEEP - 4, i);
    }
    write_text("accounting", &text);
    const struct ingest_summary summary = toy_import(&toy, "accounting");
    expect_int(summary.rejected, BAD);
    expect_true(summary.rejects_kept < BAD / 2 && summary.rejects_kept > BAD / 3);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), summary.rejects_kept);
    expect_int(toy_number(&toy, "SELECT records FROM quarantine_dropped"),
               BAD - summary.rejects_kept);
    buf_release(&text);
}

/* Slices are parsed side by side; the first bad record is that of the lowest line all the same. */
static void the_first_bad_record_is_the_first_of_the_file(void **state)
{
    (void)state;
    struct buf text = new_text();
    for (int i = 0; i < 400; i++) { /* three slices */
        int64_t at = TOY_EPOCH + i * 60;
        toy_row_add(&text, &(struct toy_row){.job = i + 1,
                                             .submit = at,
                                             .start = at,
                                             .end = at + 1,
                                             .slots = 1,
                                             .pad = 30000});
        buf_addz(&text, i >= 70 ? "bad:line\n" : "");
    }
    write_text("accounting", &text);
    for (int round = 0; round < 3; round++) {
        toy_empty(&toy);
        struct ingest_summary summary = toy_import(&toy, "accounting");
        expect_int(summary.rejected, 330);
        expect_contains(summary.first_reject.text, "line 72: ");
    }
    buf_release(&text);
}

static void bad_records_met_again_are_kept_once(void **state)
{
    (void)state;
    struct buf text = new_text();
    toy_rows_add(&text, 1, 3);
    buf_addz(&text, "bad:line\n");
    write_text("accounting", &text);
    (void)toy_import(&toy, "accounting");
    /* the same name, read from the start: another first row */
    struct buf other = new_text();
    toy_rows_add(&other, 7, 1);
    toy_rows_add(&other, 2, 2);
    buf_addz(&other, "bad:line\n");
    write_text("accounting", &other);
    struct ingest_summary summary = toy_import(&toy, "accounting");
    expect_int(summary.verdict, INGEST_REPLACED);
    expect_int(summary.rejected, 1);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 1);
    /* on another line, or in another file, it is another */
    toy_append(&toy, "accounting", STR("bad:line\n"));
    (void)toy_import(&toy, "accounting");
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 2);
    buf_release(&other);
    buf_release(&text);
}

/* --- --on-error stop -------------------------------------------------------------------------- */

static void the_first_bad_record_can_end_it(void **state)
{
    (void)state;
    struct buf text = new_text();
    toy_rows_add(&text, 1, 3);
    buf_addz(&text, "bad:line\n");
    toy_rows_add(&text, 4, 3);
    write_text("accounting", &text);
    struct ingest_options options = toy_options(&toy, "accounting");
    struct ingest_summary summary;
    struct error err = {0};
    options.on_error = INGEST_STOP;
    expect_int(ingest_file(toy.facts, &options, &summary, &err), ERROR_INPUT);
    expect_contains(err.text, "/accounting' line 4: has 2 fields");
    expect_untouched();
    options.on_error = INGEST_QUARANTINE;
    expect_int(toy_import_as(&toy, &options).added, 6);
    buf_release(&text);
}

static void batches_before_the_bad_record_stay(void **state)
{
    (void)state;
    struct buf text = new_text();
    for (int i = 0; i < 400; i++) {
        int64_t at = TOY_EPOCH + i * 60;
        toy_row_add(&text, &(struct toy_row){.job = i + 1,
                                             .submit = at,
                                             .start = at,
                                             .end = at + 1,
                                             .slots = 1,
                                             .pad = 30000});
    }
    buf_addz(&text, "bad:line\n");
    write_text("accounting", &text);
    struct ingest_options options = toy_options(&toy, "accounting");
    struct ingest_summary summary;
    struct error err = {0};
    options.on_error = INGEST_STOP;
    options.batch_bytes = 1;
    expect_int(ingest_file(toy.facts, &options, &summary, &err), ERROR_INPUT);
    expect_contains(err.text, "line 401");
    int64_t there = toy_number(&toy, "SELECT count(*) FROM runs");
    expect_true(there > 0 && there < 400);
    options.on_error = INGEST_QUARANTINE;
    summary = toy_import_as(&toy, &options);
    expect_int(summary.verdict, INGEST_GROWN);
    expect_int(summary.added, 400 - there);
    expect_int(summary.rejected, 1);
    buf_release(&text);
}

/* --- files that are something else ------------------------------------------------------------ */

struct wrong_row {
    const char *name;
    struct str content;
    const char *says;
};

#define SACCT                                                                                  \
    "JobID|JobName|Partition|Account|AllocCPUS|State|ExitCode\n"                               \
    "1234|relax|long|chem|16|COMPLETED|0:0\n"                                                  \
    "1234.batch|batch||chem|16|COMPLETED|0:0\n"

#define PBS                                                                                    \
    "10/01/2024 00:00:12;E;4711.head;user=ann group=staff jobname=relax queue=long "           \
    "ctime=1727733600 "                                                                        \
    "qtime=1727733600 etime=1727733600 start=1727733612 exec_host=n01/0*4 "                    \
    "Resource_List.ncpus=4 "                                                                   \
    "session=4242 end=1727740812 Exit_status=0 resources_used.cput=01:59:00 "                  \
    "resources_used.walltime=02:00:00\n"

static const struct wrong_row wrong_rows[] = {
    {"empty", {"", 0}, "is empty"},
    {"a line end", {"\n", 1}, "does not look like sge"},
    {"prose", {"Dear all,\nthe cluster is down.\n", 31}, "does not look like sge"},
    {"sacct", {SACCT, sizeof(SACCT) - 1}, "does not look like sge"},
    {"PBS", {PBS, sizeof(PBS) - 1}, "does not look like sge"},
    {"zeros", {"\0\0\0\0\0\0\0\0\0\n\0\0\0\n", 14}, "does not look like sge"},
    {"a picture", {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01", 18}, "does not look like sge"},
    {"half a gzip header", {"\x1f\x8b\x08\0\0\0\0\0\0\x03", 10}, "cut short"},
    {"comments of something else", {"# hello\n# world\n", 16}, "does not look like sge"},
};

static void a_file_of_another_kind_is_refused(void **state)
{
    const struct wrong_row *row = *state;
    struct error err;
    toy_write(&toy, "accounting", row->content);
    toy_refuse(&toy, "accounting", &err);
    expect_int(err.kind, ERROR_INPUT);
    expect_contains(err.text, row->says);
    expect_contains(err.text, "/accounting'");
    expect_untouched();
}

/* The head is right, the rest is rubbish: bad records, but not a failure. */
static void rubbish_after_a_good_head_is_kept_aside(void **state)
{
    (void)state;
    struct buf text = new_text();
    toy_rows_add(&text, 1, 5);
    uint64_t random = 7;
    for (int i = 0; i < 20000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        buf_addc(&text, (char)(random >> 56));
    }
    buf_addc(&text, '\n');
    toy_rows_add(&text, 6, 5);
    write_text("accounting", &text);
    struct ingest_summary summary = toy_import(&toy, "accounting");
    expect_int(summary.added, 10);
    expect_true(summary.rejected > 0);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), summary.rejected);
    buf_release(&text);
}

/* 70 KiB of comments, then nothing that is a record: the head looked right, the file is not. */
static void a_file_without_any_record_is_refused_as_a_whole(void **state)
{
    (void)state;
    struct buf text = new_text();
    buf_addz(&text, "# Version: 8.1.9\n");
    while (text.len < 70000) {
        buf_addz(&text, "# nothing to see here\n");
    }
    for (int i = 0; i < 10; i++) {
        buf_addz(&text, "not:a:record\n");
    }
    write_text("accounting", &text);
    struct error err;
    toy_refuse(&toy, "accounting", &err);
    expect_contains(err.text, "nothing in ");
    expect_contains(err.text, "(10 rejected)");
    expect_untouched();
    buf_release(&text);
}

static void truncated_compression_leaves_nothing(void **state)
{
    (void)state;
    struct buf text = new_text(), packed = new_text();
    toy_rows_add(&text, 1, 5000);
    toy_gzip(&packed, buf_str(&text));
    struct error err;
    toy_write(&toy, "accounting.gz", (struct str){packed.ptr, packed.len - 100});
    toy_refuse(&toy, "accounting.gz", &err);
    expect_contains(err.text, "cut short");
    expect_untouched();
    packed.ptr[packed.len / 2] = (char)~packed.ptr[packed.len / 2];
    write_text("accounting.gz", &packed);
    toy_refuse(&toy, "accounting.gz", &err);
    expect_contains(err.text, "broken gzip data");
    expect_untouched();
    buf_release(&packed);
    buf_release(&text);
}

static void what_cannot_be_opened_is_named(void **state)
{
    (void)state;
    struct error err;
    toy_refuse(&toy, "nowhere", &err);
    expect_int(err.kind, ERROR_MISSING);
    expect_contains(err.text, "/nowhere'");
    toy_refuse(&toy, "store", &err);
    expect_contains(err.text, "it is a folder");
    expect_untouched();
}

static void names_need_not_be_utf8(void **state)
{
    (void)state;
    struct buf text = new_text();
    toy_rows_add(&text, 1, 3);
    write_text("acc\xe9nt", &text);
    expect_int(toy_import(&toy, "acc\xe9nt").added, 3);
    expect_int(toy_import(&toy, "acc\xe9nt").verdict, INGEST_UNCHANGED);
    toy_expect(&toy, "SELECT path LIKE '%/acc\\xe9nt' FROM files", "1\n");
    struct ingest_options options = toy_options(&toy, "acc\xe9nt");
    struct ingest_summary summary;
    struct error err = {0};
    options.cluster = "al\xff";
    expect_int(ingest_file(toy.facts, &options, &summary, &err), ERROR_USAGE);
    expect_contains(err.text, "cluster");
    buf_release(&text);
}

/* --- dry run, interrupts, progress ------------------------------------------------------------ */

static void a_dry_run_counts_and_writes_nothing(void **state)
{
    (void)state;
    struct buf text = new_text();
    toy_rows_add(&text, 1, 4);
    buf_addz(&text, "bad:line\n");
    toy_row_add(&text, &(struct toy_row){.job = 4,
                                         .submit = 1,
                                         .start = TOY_EPOCH,
                                         .end = TOY_EPOCH + 5,
                                         .slots = 1,
                                         .part = "1.n02"});
    buf_addz(&text, "all.q:n01:unfini");
    write_text("accounting", &text);
    struct ingest_options options = toy_options(&toy, "accounting");
    struct ingest_summary summary;
    struct error err = {0};
    options.dry_run = true;
    if (ingest_file(NULL, &options, &summary, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_int(summary.records, 5);
    expect_int(summary.parts, 1);
    expect_int(summary.rejected, 1);
    expect_true(summary.unfinished);
    expect_int(summary.first_time, TOY_EPOCH * SECOND_US);
    expect_int(summary.last_time, (TOY_EPOCH + 5 * 3600) * SECOND_US);
    expect_contains(summary.first_reject.text, "line 5");
    expect_untouched();
    /* and with a store at hand */
    (void)toy_import_as(&toy, &options);
    expect_untouched();
    options.on_error = INGEST_STOP;
    expect_int(ingest_file(NULL, &options, &summary, &err), ERROR_INPUT);
    buf_release(&text);
}

static void a_stop_before_the_beginning_leaves_nothing(void **state)
{
    (void)state;
    struct stop stop = {.asked = 1};
    struct buf text = new_text();
    toy_rows_add(&text, 1, 4);
    write_text("accounting", &text);
    struct ingest_options options = toy_options(&toy, "accounting");
    struct ingest_summary summary;
    struct error err = {0};
    options.stop = &stop;
    expect_int(ingest_file(toy.facts, &options, &summary, &err), ERROR_STOPPED);
    expect_contains(err.text, "run it again to continue");
    expect_untouched();
    stop.asked = 0;
    expect_int(toy_import_as(&toy, &options).added, 4);
    buf_release(&text);
}

struct seen {
    int calls;
    uint64_t done, total;
    int64_t records;
};

static void see(void *watcher, const struct ingest_progress *progress)
{
    struct seen *seen = watcher;
    seen->calls++;
    seen->done = progress->done;
    seen->total = progress->total;
    seen->records = progress->records;
}

static void progress_is_told_in_bytes_of_the_file(void **state)
{
    (void)state;
    struct buf text = new_text(), packed = new_text();
    for (int i = 0; i < 500; i++) {
        int64_t at = TOY_EPOCH + i * 60;
        toy_row_add(&text, &(struct toy_row){.job = i + 1,
                                             .submit = at,
                                             .start = at,
                                             .end = at + 1,
                                             .slots = 1,
                                             .pad = 30000});
    }
    toy_zstd(&packed, buf_str(&text));
    write_text("accounting", &packed);
    struct seen seen = {0};
    struct ingest_options options = toy_options(&toy, "accounting");
    options.watcher = &seen;
    options.progress = see;
    options.batch_bytes = 1;
    struct ingest_summary summary = toy_import_as(&toy, &options);
    expect_int(summary.added, 500);
    expect_uint(summary.bytes, text.len);
    expect_true(seen.calls >= 4);
    expect_uint(seen.total, packed.len);
    expect_true(seen.done <= seen.total && seen.done > 0);
    expect_true(seen.records > 0 && seen.records <= 500);
    buf_release(&packed);
    buf_release(&text);
}

/* --- the journal ------------------------------------------------------------------------------ */

static void every_batch_is_written_down(void **state)
{
    (void)state;
    struct buf text = new_text();
    for (int i = 0; i < 500; i++) {
        int64_t at = TOY_EPOCH + i * 60;
        toy_row_add(&text, &(struct toy_row){.job = i + 1,
                                             .submit = at,
                                             .start = at,
                                             .end = at + 1,
                                             .slots = 1,
                                             .pad = 30000});
    }
    write_text("accounting", &text);
    struct ingest_options options = toy_options(&toy, "accounting");
    options.batch_bytes = 1;
    struct ingest_summary summary = toy_import_as(&toy, &options);
    expect_int(toy_number(&toy, "SELECT count(*) FROM batches"), 4);
    expect_int(toy_number(&toy, "SELECT sum(added) FROM batches"), 500);
    expect_int(toy_number(&toy, "SELECT sum(records) FROM batches"), summary.records);
    expect_int(toy_number(&toy, "SELECT sum(to_byte - from_byte) FROM batches"),
               (int64_t)text.len);
    expect_int(toy_number(&toy, "SELECT min(first_time) FROM batches"), summary.first_time);
    expect_int(toy_number(&toy, "SELECT max(last_time) FROM batches"), summary.last_time);
    expect_int(summary.first_time, TOY_EPOCH * SECOND_US);
    expect_int(summary.last_time, (TOY_EPOCH + 499 * 60 + 1) * SECOND_US);
    expect_int(toy_number(&toy, "SELECT count(*) FROM batches b JOIN runs r USING (batch) "
                                "WHERE r.file <> b.file OR b.committed <> 1800000000000000"),
               0);
    buf_release(&text);
}

/* --- pipes ------------------------------------------------------------------------------------ */

struct pipe_writer {
    char path[128];
    struct str text;
};

static void *write_pipe(void *data)
{
    const struct pipe_writer *writer = data;
    struct str rest = writer->text;
    int fd = open(writer->path, O_WRONLY | O_CLOEXEC);
    while (fd >= 0 && rest.len > 0) {
        ssize_t put = write(fd, rest.ptr, rest.len < 1000 ? rest.len : 1000);
        if (put <= 0) {
            break;
        }
        rest.ptr += put;
        rest.len -= (size_t)put;
    }
    if (fd >= 0) {
        close(fd);
    }
    return NULL;
}

static struct ingest_summary import_pipe(struct str text)
{
    struct pipe_writer writer = {.text = text};
    pthread_t thread;
    snprintf(writer.path, sizeof(writer.path), "%s", toy_path(&toy, "pipe"));
    expect_int(pthread_create(&thread, NULL, write_pipe, &writer), 0);
    struct ingest_summary summary = toy_import(&toy, "pipe");
    expect_int(pthread_join(thread, NULL), 0);
    return summary;
}

static void a_pipe_is_read_to_its_end_each_time(void **state)
{
    (void)state;
    struct buf text = new_text();
    toy_rows_add(&text, 1, 100);
    buf_addz(&text, "bad:line\n");
    expect_int(mkfifo(toy_path(&toy, "pipe"), 0600), 0);
    struct ingest_summary summary = import_pipe(buf_str(&text));
    expect_int(summary.added, 100);
    expect_int(summary.rejected, 1);
    toy_rows_add(&text, 101, 5);
    summary = import_pipe(buf_str(&text));
    expect_int(summary.verdict, INGEST_NEW);
    expect_int(summary.added, 5);
    expect_int(summary.unchanged, 100);
    expect_int(toy_number(&toy, "SELECT count(*) FROM files"), 1);
    expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), 1);
    /* a file of the same content is none that we know */
    write_text("accounting", &text);
    summary = toy_import(&toy, "accounting");
    expect_int(summary.verdict, INGEST_NEW);
    expect_int(summary.unchanged, 105);
    buf_release(&text);
}

#define ADD(suite, function)                                                                   \
    suite_test_with((suite), #function, function, open_toy, close_toy, NULL)

#define ADD_ROWS(suite, function, rows)                                                        \
    for (size_t i = 0; i < COUNT_OF(rows); i++) {                                              \
        char name[256];                                                                        \
        snprintf(name, sizeof(name), "%s: %s", #function, (rows)[i].name);                     \
        suite_test_with((suite), name, function, open_toy, close_toy,                          \
                        (void *)(uintptr_t) & (rows)[i]);                                      \
    }

int main(void)
{
    struct suite suite = {0};
    ADD(&suite, bad_records_are_kept_aside_just_as_they_were);
    ADD(&suite, every_byte_of_a_bad_record_is_kept);
    ADD(&suite, megabytes_without_a_line_end_are_one_bad_record);
    ADD(&suite, very_many_bad_records_are_counted_and_some_kept);
    ADD(&suite, very_large_bad_records_are_counted_and_some_kept);
    ADD(&suite, the_first_bad_record_is_the_first_of_the_file);
    ADD(&suite, bad_records_met_again_are_kept_once);
    ADD(&suite, the_first_bad_record_can_end_it);
    ADD(&suite, batches_before_the_bad_record_stay);
    ADD(&suite, rubbish_after_a_good_head_is_kept_aside);
    ADD(&suite, a_file_without_any_record_is_refused_as_a_whole);
    ADD(&suite, truncated_compression_leaves_nothing);
    ADD(&suite, what_cannot_be_opened_is_named);
    ADD(&suite, names_need_not_be_utf8);
    ADD(&suite, a_dry_run_counts_and_writes_nothing);
    ADD(&suite, a_stop_before_the_beginning_leaves_nothing);
    ADD(&suite, progress_is_told_in_bytes_of_the_file);
    ADD(&suite, every_batch_is_written_down);
    ADD(&suite, a_pipe_is_read_to_its_end_each_time);
    ADD_ROWS(&suite, a_file_of_another_kind_is_refused, wrong_rows);
    ADD_ROWS(&suite, a_long_line_does_not_harm_its_neighbours, long_rows);
    return suite_run(&suite, "ingest");
}
