/* SPDX-License-Identifier: MIT */

/*
 * Several threads at one file, also under the thread sanitizer.
 *
 * The sanitizer does not see into the engine, and so not that one thing there comes after another.
 * Therefore the store is a pretended one: its functions are defined here, in the place of those in
 * src/facts, and facts_append draws from the feed with plain threads, as the engine would with its.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "facts/append.h"
#include "facts/inventory.h"
#include "facts/journal.h"
#include "facts/listings.h"
#include "facts/live_jobs.h"
#include "facts/owners.h"
#include "facts/samples.h"
#include "facts/waits.h"
#include "ingest/ingest.h"
#include "ingest/slicer.h"
#include "support/expect.h"
#include "unit/ingest/toy_log.h"

enum { THREADS = 6, MOST = 64 << 20, GROUP = 64 };

/* --- the pretended store ---------------------------------------------------------------------- */

struct facts {
    atomic_llong rows, cpu_us, lines; /* sums over what was drawn */
    int64_t batches, rejects, read_to;
    uint64_t rejected_lines; /* sum of their numbers */
    pthread_mutex_t lock;
    int failed; /* what a worker ended with */
    struct error error;
};

struct drawing {
    struct facts *facts;
    const struct run_feed *feed;
    int64_t batch;
};

static void *draw(void *data)
{
    struct drawing *drawing = data;
    struct facts *facts = drawing->facts;
    void *worker = drawing->feed->worker_new(drawing->feed->context);
    struct run *runs = mem_alloc(GROUP, sizeof(*runs));
    struct error err;
    size_t count = 1;
    int failed = 0;
    while (!failed && count > 0) {
        failed = drawing->feed->next(worker, runs, GROUP, &count, &err);
        for (size_t i = 0; !failed && i < count; i++) {
            atomic_fetch_add(&facts->rows, 1);
            atomic_fetch_add(&facts->cpu_us, runs[i].cpu_used_us);
            atomic_fetch_add(&facts->lines, runs[i].line);
            failed =
                runs[i].batch == drawing->batch && runs[i].cluster.len == 3 ? 0 : ERROR_STORE;
        }
    }
    if (failed) {
        pthread_mutex_lock(&facts->lock);
        facts->failed = failed;
        facts->error = err;
        pthread_mutex_unlock(&facts->lock);
    }
    drawing->feed->worker_free(worker);
    free(runs);
    return NULL;
}

int facts_append(struct facts *facts, const struct run_feed *feed, int64_t batch,
                 struct append_counts *counts, struct error *err)
{
    struct drawing drawing = {facts, feed, batch};
    pthread_t threads[THREADS];
    *counts = (struct append_counts){0};
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, draw, &drawing) != 0) {
            abort();
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    if (facts->failed) {
        *err = facts->error;
    }
    return facts->failed;
}

int live_jobs_take(struct facts *facts, const struct run_feed *feed, struct str cluster,
                   int64_t at, struct append_counts *counts, struct error *err)
{
    (void)facts, (void)feed, (void)cluster, (void)at, (void)counts, (void)err;
    abort(); /* files are no listings */
}

int samples_append(struct facts *facts, const struct sample_feed *feed,
                   struct samples_counts *counts, struct error *err)
{
    (void)facts, (void)feed, (void)counts, (void)err;
    abort(); /* nor samples */
}

int listings_note(struct facts *facts, struct str cluster, int64_t at, int64_t records,
                  struct error *err)
{
    (void)facts, (void)cluster, (void)at, (void)records, (void)err;
    abort();
}

int listings_conclude(struct facts *facts, struct str cluster, struct str source,
                      struct error *err)
{
    (void)facts, (void)cluster, (void)source, (void)err;
    abort();
}

int waits_gather(struct facts *facts, const struct waits_batch *batch, struct error *err)
{
    (void)facts, (void)batch, (void)err;
    abort();
}

int waits_see(struct facts *facts, const struct waits_file *file, struct error *err)
{
    (void)facts, (void)file, (void)err;
    abort();
}

int owners_put(struct facts *facts, const struct owner *owners, size_t count, struct error *err)
{
    (void)facts, (void)owners, (void)err;
    return count == 0 ? 0 : (abort(), 0); /* these rows tell of none */
}

int facts_begin(struct facts *facts, struct error *err)
{
    (void)err;
    facts->failed = 0;
    return 0;
}

int facts_commit(struct facts *facts, struct error *err)
{
    (void)err;
    facts->batches++;
    return 0;
}

void facts_rollback(struct facts *facts)
{
    (void)facts;
}

int inventory_see(struct facts *facts, enum inventory_item_kind kind, struct str cluster,
                  int64_t at, int64_t slack, const struct inventory_item_list *listing,
                  struct inventory_counts *counts, struct error *err)
{
    (void)facts, (void)kind, (void)cluster, (void)at, (void)slack, (void)listing, (void)counts;
    (void)err;
    abort(); /* these rows are runs */
}

int facts_prepare_bulk(struct facts *facts, struct error *err)
{
    (void)facts, (void)err;
    return 0;
}

int facts_settle(struct facts *facts, struct error *err)
{
    (void)facts, (void)err;
    return 0;
}

int facts_drop_outdated(struct facts *facts, int64_t file, int64_t *removed, struct error *err)
{
    (void)facts, (void)file, (void)err;
    *removed = 0;
    return 0;
}

int journal_put_extents(struct facts *facts, int64_t batch,
                        const struct journal_extent *extents, size_t count, struct error *err)
{
    (void)facts, (void)batch, (void)extents, (void)count, (void)err;
    return 0;
}

int journal_files(struct facts *facts, struct str cluster, struct str source,
                  struct arena *arena, struct journal_file **files, size_t *count,
                  struct error *err)
{
    (void)facts, (void)cluster, (void)source, (void)arena, (void)err;
    *files = NULL;
    *count = 0;
    return 0;
}

int journal_put_file(struct facts *facts, struct journal_file *file, struct error *err)
{
    (void)err;
    file->file = 1;
    facts->read_to = file->read_to;
    return 0;
}

int journal_next_batch(struct facts *facts, int64_t *batch, struct error *err)
{
    (void)err;
    *batch = facts->batches + 1;
    return 0;
}

int journal_put_batch(struct facts *facts, const struct journal_batch *batch, struct error *err)
{
    (void)facts, (void)batch, (void)err;
    return 0;
}

int journal_put_rejects(struct facts *facts, int64_t file, int64_t batch,
                        const struct journal_reject *rejects, size_t count, int64_t not_kept,
                        struct error *err)
{
    (void)file, (void)batch, (void)not_kept, (void)err;
    for (size_t i = 0; i < count; i++) {
        facts->rejected_lines += rejects[i].line;
    }
    facts->rejects += (int64_t)count;
    return 0;
}

/* --- a file ----------------------------------------------------------------------------------- */

enum { ROWS = 40000, BAD_EVERY = 50 }; /* some 12 MB: three slices */

static char path[64];
static struct buf text;
static int64_t bad;
static uint64_t bad_lines;

static void make_file(void)
{
    struct error err = {0};
    uint64_t line = 1;
    buf_init(&text, MOST);
    for (int64_t i = 1; i <= ROWS; i++, line++) {
        toy_rows_add(&text, i, 1);
        if (i % BAD_EVERY == 0) {
            buf_addz(&text, "bad:line\n");
            bad++;
            bad_lines += ++line;
        }
    }
    snprintf(path, sizeof(path), "/tmp/stint-threads-XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0 || close(fd) != 0 || file_write(path, buf_str(&text), &err) != 0) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        abort();
    }
}

struct watch {
    int calls, stop_at;
    uint64_t done;
    struct stop stop;
};

static void watch(void *watcher, const struct ingest_progress *progress)
{
    struct watch *w = watcher;
    w->calls++;
    w->done = progress->done > w->done ? progress->done : w->done;
    if (w->calls == w->stop_at) {
        stop_ask(&w->stop);
    }
}

static struct ingest_options options_with(struct watch *watcher)
{
    return (struct ingest_options){
        .driver = source_find(STR("sge")),
        .path = path,
        .cluster = "toy",
        .now = 1,
        .stop = &watcher->stop,
        .watcher = watcher,
        .progress = watch,
    };
}

/* --- tests ------------------------------------------------------------------------------------ */

static void every_row_is_drawn_once(void **state)
{
    (void)state;
    static const uint64_t batch_bytes[] = {0, 1, 5 << 20};
    for (size_t i = 0; i < COUNT_OF(batch_bytes); i++) {
        struct facts facts = {.lock = PTHREAD_MUTEX_INITIALIZER};
        struct watch watcher = {0};
        struct ingest_options options = options_with(&watcher);
        struct ingest_summary summary;
        struct error err = {0};
        options.batch_bytes = batch_bytes[i];
        if (ingest_file(&facts, &options, &summary, &err) != 0) {
            expect_fail("%s", err.text);
        }
        const int64_t lines = ROWS + bad;
        expect_int(atomic_load(&facts.rows), ROWS);
        expect_int(atomic_load(&facts.cpu_us), ROWS * INT64_C(3100000000));
        expect_int(atomic_load(&facts.lines), lines * (lines + 1) / 2 - (int64_t)bad_lines);
        expect_int(facts.rejects, bad);
        expect_uint(facts.rejected_lines, bad_lines);
        expect_int(facts.read_to, (int64_t)text.len);
        expect_int(summary.records, ROWS);
        expect_int(summary.rejected, bad);
        expect_contains(summary.first_reject.text, "line 51: ");
        expect_uint(summary.bytes, text.len);
        expect_true(watcher.calls >= 3);
        expect_true(watcher.done > 0 && watcher.done <= text.len);
    }
}

static void one_bad_row_stops_all(void **state)
{
    (void)state;
    struct facts facts = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct watch watcher = {0};
    struct ingest_options options = options_with(&watcher);
    struct ingest_summary summary;
    struct error err = {0};
    options.on_error = INGEST_STOP;
    expect_int(ingest_file(&facts, &options, &summary, &err), ERROR_INPUT);
    expect_contains(err.text, "has 2 fields");
    expect_int(facts.batches, 0);
}

static void a_stop_is_seen_by_all(void **state)
{
    (void)state;
    struct facts facts = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct watch watcher = {.stop_at = 2};
    struct ingest_options options = options_with(&watcher);
    struct ingest_summary summary;
    struct error err = {0};
    expect_int(ingest_file(&facts, &options, &summary, &err), ERROR_STOPPED);
    expect_int(facts.batches, 0);
}

/* The slicer by itself, asked by many for its progress as well. */
struct share {
    struct slicer *slicer;
    atomic_llong bytes, lines;
};

static void *take_slices(void *data)
{
    struct share *share = data;
    struct slice slice = {.data = mem_alloc(1, LIMIT_SLICE)};
    struct error err;
    bool more = true;
    while (more && slicer_next(share->slicer, &slice, &more, &err) == 0 && more) {
        uint64_t done = 0, total = 0;
        slicer_progress(share->slicer, &done, &total);
        atomic_fetch_add(&share->bytes, (long long)slice.length);
        for (size_t i = 0; i < slice.length; i++) {
            if (slice.data[i] == '\n') {
                atomic_fetch_add(&share->lines, 1);
            }
        }
    }
    free(slice.data);
    return NULL;
}

static void slices_are_handed_out_once(void **state)
{
    (void)state;
    struct slicer slicer;
    struct stream *stream = NULL;
    struct error err = {0};
    struct share share = {.slicer = &slicer};
    pthread_t threads[THREADS];
    expect_int(stream_open(path, &stream, &err), 0);
    slicer_init(&slicer, stream, source_find(STR("sge")), NULL, 1, (struct str){0});
    slicer_begin_batch(&slicer, UINT64_MAX / 2);
    for (int i = 0; i < THREADS; i++) {
        expect_int(pthread_create(&threads[i], NULL, take_slices, &share), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        expect_int(pthread_join(threads[i], NULL), 0);
    }
    expect_int(atomic_load(&share.bytes), (int64_t)text.len);
    expect_int(atomic_load(&share.lines), ROWS + bad);
    expect_uint(slicer.whole_to, text.len);
    expect_uint(slicer.whole_line, (uint64_t)(ROWS + bad + 1));
    slicer_release(&slicer);
    stream_close(stream);
}

int main(void)
{
    struct suite suite = {0};
    make_file();
    SUITE_TEST(&suite, slices_are_handed_out_once);
    SUITE_TEST(&suite, every_row_is_drawn_once);
    SUITE_TEST(&suite, one_bad_row_stops_all);
    SUITE_TEST(&suite, a_stop_is_seen_by_all);
    int status = suite_run(&suite, "import_threads");
    unlink(path);
    buf_release(&text);
    return status;
}
