/* SPDX-License-Identifier: MIT */
#include "ingest/parse_worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"

void *intake_worker_new(void *context)
{
    struct intake_worker *worker = mem_alloc(1, sizeof(*worker));
    worker->intake = context;
    worker->slice.data = mem_alloc(1, LIMIT_SLICE);
    worker->slice.room = LIMIT_SLICE;
    return worker;
}

void intake_worker_free(void *data)
{
    struct intake_worker *worker = data;
    free(worker->slice.data);
    arena_release(&worker->arena);
    extent_set_release(&worker->extents);
    free(worker);
}

/* Keeps a bad record aside. Fails only where the user wants the first one to end the import. */
static int reject(struct intake *intake, uint64_t line, uint64_t byte, struct str record,
                  const struct error *why, struct error *err)
{
    int failed = 0;
    pthread_mutex_lock(&intake->lock);
    struct ingest_summary *summary = intake->summary;
    intake->rejected++;
    if (!intake->first_reject_line || line < intake->first_reject_line) {
        intake->first_reject_line = line;
        error_set(&summary->first_reject, ERROR_INPUT, "line %" PRIu64 ": %s", line, why->text);
    }
    if (intake->options->on_error == INGEST_STOP) {
        failed = error_set(err, ERROR_INPUT, "'%s' line %" PRIu64 ": %s", intake->options->path,
                           line, why->text);
    } else if (intake->kept < INGEST_REJECTS_MAX &&
               intake->kept_bytes < LIMIT_QUARANTINE_FILE) {
        intake->rejects = mem_grow(intake->rejects, intake->reject_count, &intake->reject_room,
                                   sizeof(*intake->rejects));
        if (record.len > LIMIT_QUARANTINE_KEEP) {
            record.len = LIMIT_QUARANTINE_KEEP;
        }
        intake->rejects[intake->reject_count++] = (struct journal_reject){
            .line = line,
            .byte = byte,
            .reason = arena_text(&intake->reject_arena, str_of(why->text)),
            .record = arena_copy(&intake->reject_arena, record),
        };
        intake->kept++;
        intake->kept_bytes += record.len + strlen(why->text);
    }
    pthread_mutex_unlock(&intake->lock);
    return failed;
}

static void report_progress(struct intake *intake)
{
    const struct ingest_options *options = intake->options;
    if (options->progress) {
        struct ingest_progress progress = {0};
        slicer_progress(&intake->slicer, &progress.done, &progress.total);
        pthread_mutex_lock(&intake->lock);
        progress.records = intake->summary->records + intake->records;
        options->progress(options->watcher, &progress);
        pthread_mutex_unlock(&intake->lock);
    }
}

static int interrupted(struct error *err)
{
    return error_set(err, ERROR_STOPPED,
                     "interrupted; what was committed is kept: run it again to continue");
}

/* Takes the next slice; an oversize record is rejected on the spot. */
static int next_slice(struct intake_worker *worker, bool *more, struct error *err)
{
    struct intake *intake = worker->intake;
    struct slice *slice = &worker->slice;
    if (stop_is_set(intake->options->stop)) {
        return interrupted(err);
    }
    for (;;) {
        int failed = slicer_next(&intake->slicer, slice, more, err);
        if (failed == ERROR_STOPPED) { /* while it waited for what it reads */
            return interrupted(err);
        }
        if (failed || !*more) {
            return failed;
        }
        if (slice->kind != SLICE_OVERSIZE) {
            break;
        }
        struct error why;
        error_set(&why, ERROR_LIMIT, "longer than %zu bytes", slice->length);
        failed = reject(intake, slice->first_line, slice->first_byte,
                        (struct str){slice->data, slice->length}, &why, err);
        if (failed) {
            return failed;
        }
    }
    arena_reset(&worker->arena);
    worker->cursor = (struct source_cursor){
        .rest = {slice->data, slice->length},
        .next_line = slice->first_line,
        .arena = &worker->arena,
    };
    worker->in_slice = true;
    report_progress(intake);
    return 0;
}

static void add_provenance(const struct intake *intake, const struct source_cursor *cursor,
                           struct run *run)
{
    if (!intake->options->cluster_of_records || !RUN_HAS(run, cluster)) {
        RUN_SET(run, cluster, intake->file.cluster);
    }
    if (intake->options->listing) {
        RUN_SET(run, origin, ORIGIN_LISTING);
    }
    if (intake->options->listing && !RUN_HAS(run, end)) {
        RUN_SET(run, seen, intake->options->source.seen);
    } else if (intake->options->opened) {
        /*
         * what a scheduler says of the past is no sighting: sacct lets jobs that were lost run
         * on for ever
         */
        RUN_CLEAR(run, seen);
        run->flags &= ~(int64_t)RUN_FLAG_SEEN_RECORDED;
    }
    RUN_SET(run, source, intake->file.source);
    RUN_SET(run, file, intake->file.file);
    RUN_SET(run, line, (int64_t)cursor->line);
    RUN_SET(run, batch, intake->batch);
    RUN_SET(run, digest, (int64_t)str_hash(cursor->record, intake->digest_seed));
}

/* What a record says of its owner besides the login. */
static void note_owner(struct intake *intake, struct owner owner, const struct run *run)
{
    if (!owner.parts[OWNER_LOGIN].ptr || intake->options->dry_run) {
        return;
    }
    owner.cluster = run->cluster;
    owner.reported_at = RUN_HAS(run, submit) ? run->submit : 0;
    pthread_mutex_lock(&intake->lock);
    const bool full = owner_set_add(&intake->owners, &owner);
    pthread_mutex_unlock(&intake->lock);
    if (full && !intake->options->listing) { /* which is one batch, whatever its size */
        slicer_end_batch(&intake->slicer);
    }
}

/* A sign of life says how far a source reaches, though it is no record. */
static void note_alive(struct intake *intake, int64_t instant)
{
    if (instant == 0) {
        return;
    }
    pthread_mutex_lock(&intake->lock);
    intake->alive++;
    if (!intake->first_alive || instant < intake->first_alive) {
        intake->first_alive = instant;
    }
    if (instant > intake->last_alive) {
        intake->last_alive = instant;
    }
    pthread_mutex_unlock(&intake->lock);
}

/*
 * Of several documents in one file the earliest: whatever it is that runs without a time of
 * their own are part of.
 */
static void note_as_of(struct intake *intake, int64_t instant)
{
    if (instant == 0) {
        return;
    }
    pthread_mutex_lock(&intake->lock);
    if (!intake->as_of || instant < intake->as_of) {
        intake->as_of = instant;
    }
    pthread_mutex_unlock(&intake->lock);
}

/* A bad record is quarantined, unless it is the file's last and may not be finished yet. */
static int on_reject(struct intake_worker *worker, const struct error *why, struct error *err)
{
    const struct source_cursor *cursor = &worker->cursor;
    if (worker->slice.kind == SLICE_UNFINISHED) {
        pthread_mutex_lock(&worker->intake->lock);
        worker->intake->summary->unfinished = true;
        pthread_mutex_unlock(&worker->intake->lock);
        return 0;
    }
    uint64_t byte =
        worker->slice.first_byte + (uint64_t)(cursor->record.ptr - worker->slice.data);
    return reject(worker->intake, cursor->line, byte, cursor->record, why, err);
}

/* Of a job in a listing that waits: it is no field of a run. */
static void note_expected(struct intake *intake, const struct run *run)
{
    if (run->start_expected <= 0 || intake->options->opened || intake->options->dry_run) {
        return;
    }
    pthread_mutex_lock(&intake->lock);
    intake->expected = mem_grow(intake->expected, intake->expected_count,
                                &intake->expected_room, sizeof(*intake->expected));
    intake->expected[intake->expected_count++] =
        (struct waits_expected){run->digest, run->start_expected};
    pthread_mutex_unlock(&intake->lock);
}

/* One step of the driver: *got says whether *run is a run to be kept. */
static int next_run(struct intake_worker *worker, struct run *run, bool *got, struct error *err)
{
    struct intake *intake = worker->intake;
    struct error why;
    memset(run, 0, sizeof(*run));
    worker->cursor.owner = (struct owner){0};
    worker->cursor.as_of = 0;
    *got = false;
    switch (intake->driver->next(intake->format, &worker->cursor, run, &why)) {
    case SOURCE_END:
        worker->in_slice = false;
        return 0;
    case SOURCE_SKIP:
        note_as_of(intake, worker->cursor.as_of);
        return 0;
    case SOURCE_REJECT:
        return on_reject(worker, &why, err);
    case SOURCE_RECORD:
        break;
    }
    add_provenance(intake, &worker->cursor, run);
    if (run_check(run, &why) != 0) {
        return on_reject(worker, &why, err);
    }
    note_owner(intake, worker->cursor.owner, run);
    note_expected(intake, run);
    worker->lists |= run->origin == ORIGIN_LISTING;
    (void)extent_set_add_run(&worker->extents, run);
    *got = true;
    return 0;
}

/* The same of a driver of samples. */
static int next_sample(struct intake_worker *worker, struct sample *sample, bool *got,
                       struct error *err)
{
    struct intake *intake = worker->intake;
    struct source_cursor *cursor = &worker->cursor;
    struct error why;
    memset(sample, 0, sizeof(*sample));
    cursor->alive = 0;
    *got = false;
    switch (intake->driver->next_sample(intake->format, cursor, sample, &why)) {
    case SOURCE_END:
        worker->in_slice = false;
        return 0;
    case SOURCE_SKIP:
        note_alive(intake, cursor->alive);
        return 0;
    case SOURCE_REJECT:
        return on_reject(worker, &why, err);
    case SOURCE_RECORD:
        break;
    }
    if (!intake->options->cluster_of_records || !SAMPLE_HAS(sample, cluster)) {
        SAMPLE_SET(sample, cluster, intake->file.cluster);
    }
    SAMPLE_SET(sample, source, intake->file.source);
    SAMPLE_SET(sample, file, intake->file.file);
    SAMPLE_SET(sample, line, (int64_t)cursor->line);
    SAMPLE_SET(sample, batch, intake->batch);
    if (sample_check(sample, &why) != 0) {
        return on_reject(worker, &why, err);
    }
    *got = true;
    return 0;
}

/*
 * Makes sure that there is a slice to read from; *ready is false when there is none, or not
 * yet.
 */
static inline int ready_slice(struct intake_worker *worker, size_t count, bool *ready,
                              struct error *err)
{
    *ready = worker->in_slice;
    return worker->in_slice ||
                   count > 0 /* what was read still points into the one that is done */
               ? 0
               : next_slice(worker, ready, err);
}

static void count_records(struct intake_worker *worker, size_t count)
{
    struct intake *intake = worker->intake;
    bool full = false;
    pthread_mutex_lock(&intake->lock);
    intake->records += (int64_t)count;
    intake->lists |= worker->lists;
    for (size_t i = 0; i < worker->extents.count; i++) {
        const struct journal_extent *row = &worker->extents.rows[i];
        full |= extent_set_add(&intake->extents, row->cluster, row->first_time, row->last_time);
    }
    pthread_mutex_unlock(&intake->lock);
    extent_set_clear(&worker->extents);
    if (full && !intake->options->listing && !intake->options->dry_run) {
        slicer_end_batch(&intake->slicer);
    }
}

int intake_next_runs(void *data, struct run *runs, size_t max, size_t *count, struct error *err)
{
    struct intake_worker *worker = data;
    *count = 0;
    while (*count < max) {
        bool ready, got;
        int failed = ready_slice(worker, *count, &ready, err);
        if (!failed && !ready) {
            break;
        }
        if (failed || (failed = next_run(worker, &runs[*count], &got, err)) != 0) {
            return failed;
        }
        *count += got;
    }
    count_records(worker, *count);
    return 0;
}

int intake_next_samples(void *data, struct sample *samples, size_t max, size_t *count,
                        struct error *err)
{
    struct intake_worker *worker = data;
    *count = 0;
    while (*count < max) {
        bool ready, got;
        int failed = ready_slice(worker, *count, &ready, err);
        if (!failed && !ready) {
            break;
        }
        if (failed || (failed = next_sample(worker, &samples[*count], &got, err)) != 0) {
            return failed;
        }
        *count += got;
    }
    count_records(worker, *count);
    return 0;
}
