/* SPDX-License-Identifier: MIT */
#include "ingest/ingest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "facts/append.h"
#include "facts/journal.h"
#include "facts/listings.h"
#include "facts/live_jobs.h"
#include "facts/owners.h"
#include "facts/samples.h"
#include "ingest/inventory_files.h"
#include "ingest/parse_worker.h"

const char *ingest_verdict_name(enum ingest_verdict verdict)
{
    static const char *const names[] = {
        [INGEST_NEW] = "new",           [INGEST_UNCHANGED] = "unchanged",
        [INGEST_GROWN] = "grown",       [INGEST_RENAMED] = "renamed",
        [INGEST_REPLACED] = "replaced", [INGEST_TRUNCATED] = "truncated",
        [INGEST_AGAIN] = "again",
    };
    return names[verdict];
}

static void end_batch_early(void *context)
{
    struct intake *intake = context;
    slicer_end_batch(&intake->slicer);
}

static void widen(struct ingest_summary *summary, int64_t first, int64_t last)
{
    if (last && (!summary->last_time || first < summary->first_time)) {
        summary->first_time = first;
    }
    if (last > summary->last_time) {
        summary->last_time = last;
    }
}

/*
 * A file of which nothing at all could be read is not of this kind, whatever its head looked
 * like.
 */
static int check_any_read(const struct intake *intake, struct error *err)
{
    const struct ingest_summary *summary = intake->summary;
    if (intake->records == 0 && intake->rejected > 0 && summary->records == 0 &&
        intake->file.read_to == 0) {
        return error_set(
            err, ERROR_INPUT,
            "nothing in '%s' could be read as %s, so nothing was imported; %s (%" PRId64
            " rejected)",
            intake->options->path, intake->driver->name, summary->first_reject.text,
            intake->rejected);
    }
    return 0;
}

/*
 * A file shows its runs without an end running up to its newest event, which cannot lie ahead;
 * a listing, up to when it was made, if it says so. The history that a scheduler was asked for
 * does not: its listing does.
 */
static int64_t witnessed(const struct intake *intake, const struct append_counts *counts)
{
    const int64_t now = intake->options->now;
    const bool is_witness = !intake->options->opened && intake->content.listed == 0;
    const int64_t at = intake->lists ? intake->as_of : counts->last_time;
    return !is_witness ? 0 : at < now ? at : now;
}

/* The journal's side of a batch: the file's new place, the counts, the rejects. */
static int write_journal(struct facts *facts, struct intake *intake,
                         const struct append_counts *counts, uint64_t from, struct error *err)
{
    struct journal_file *file = &intake->file;
    const struct slicer *slicer = &intake->slicer;
    file->read_to = (int64_t)slicer->whole_to;
    file->lines = (int64_t)slicer->whole_line - 1;
    if (stream_is_file(slicer->stream)) {
        locate_remember(&intake->content, (struct str){slicer->tail, slicer->tail_length},
                        file);
    }
    struct journal_file row = *file;
    if (!slicer->at_end) {
        row.raw_hash = 0; /* a compressed file with these bytes was not read to its end yet */
    }
    const struct journal_batch batch = {
        .batch = intake->batch,
        .file = file->file,
        .at = intake->options->now,
        .from_byte = (int64_t)from,
        .to_byte = file->read_to,
        .records = intake->records,
        .added = counts->added,
        .replaced = counts->replaced,
        .unchanged = counts->unchanged,
        .rejected = intake->rejected,
        .parts = counts->parts,
        .first_time = counts->first_time,
        .last_time = counts->last_time,
        .what = intake->driver->next_sample ? "sample" : "run",
        .witnessed = witnessed(intake, counts),
    };
    int failed;
    (void)((failed = journal_put_file(facts, &row, err)) ||
           (failed = journal_put_batch(facts, &batch, err)) ||
           (failed = journal_put_extents(facts, batch.batch, intake->extents.rows,
                                         intake->extents.count, err)) ||
           (failed = journal_put_rejects(
                facts, file->file, intake->batch, intake->rejects, intake->reject_count,
                intake->rejected - (int64_t)intake->reject_count, err)));
    return failed;
}

/* How much content goes into one batch, unless somebody says so. */
static uint64_t usual_batch(const struct source_driver *driver)
{
    return driver->next_sample ? INGEST_BATCH_SAMPLES : INGEST_BATCH;
}

static void begin_batch(struct intake *intake)
{
    const uint64_t bytes = intake->options->batch_bytes;
    intake->records = 0;
    intake->alive = intake->first_alive = intake->last_alive = intake->doubled = 0;
    intake->rejected = 0;
    intake->reject_count = 0;
    arena_reset(&intake->reject_arena);
    intake->expected_count = 0;
    owner_set_clear(&intake->owners);
    extent_set_clear(&intake->extents);
    slicer_begin_batch(&intake->slicer, bytes ? bytes : usual_batch(intake->driver));
}

static void end_batch(struct intake *intake, const struct append_counts *counts, uint64_t from)
{
    struct ingest_summary *summary = intake->summary;
    summary->records += intake->records;
    summary->rejected += intake->rejected;
    summary->rejects_kept = intake->kept;
    summary->added += counts->added;
    summary->replaced += counts->replaced;
    summary->unchanged += counts->unchanged;
    summary->parts += counts->parts;
    summary->doubled += intake->doubled;
    summary->alive += intake->alive;
    summary->bytes += intake->slicer.offset - from;
    widen(summary, counts->first_time, counts->last_time);
}

/* What a sign of life says of the time that is covered goes with the samples. */
static void cover_alive(const struct intake *intake, struct append_counts *counts)
{
    if (intake->alive == 0) {
        return;
    }
    if (!counts->last_time || intake->first_alive < counts->first_time) {
        counts->first_time = intake->first_alive;
    }
    if (intake->last_alive > counts->last_time) {
        counts->last_time = intake->last_alive;
    }
}

static int append_samples(struct facts *facts, struct intake *intake,
                          struct append_counts *counts, struct error *err)
{
    struct intake_worker *worker = intake_worker_new(intake);
    const struct sample_feed feed = {.context = worker, .next = intake_next_samples};
    struct samples_counts samples;
    int failed = samples_append(facts, &feed, &samples, err);
    intake_worker_free(worker);
    *counts = (struct append_counts){
        .added = samples.added,
        .replaced = samples.replaced,
        .unchanged = samples.unchanged,
        .first_time = samples.first_time,
        .last_time = samples.last_time,
    };
    intake->doubled = samples.doubled;
    cover_alive(intake, counts);
    return failed;
}

static int append_records(struct facts *facts, struct intake *intake,
                          const struct run_feed *feed, struct append_counts *counts,
                          struct error *err)
{
    const struct ingest_options *options = intake->options;
    if (intake->driver->next_sample) {
        return append_samples(facts, intake, counts, err);
    }
    return options->listing ? live_jobs_take(facts, feed, str_of(options->cluster),
                                             options->source.seen, counts, err)
                            : facts_append(facts, feed, intake->batch, counts, err);
}

/* What the caller wants to go with the last of the runs; by then the summary has them all. */
static int call_companion(struct facts *facts, struct intake *intake,
                          const struct append_counts *counts, uint64_t from, struct error *err)
{
    const struct ingest_options *options = intake->options;
    if (!options->committing || !intake->slicer.at_end) {
        return 0;
    }
    struct ingest_summary before = *intake->summary, *summary = intake->summary;
    end_batch(intake, counts, from);
    int failed = options->committing(options->companion, facts, summary, err);
    *summary = before;
    return failed;
}

/* Whether everything that the file is a listing of was read. */
static bool is_whole(const struct intake *intake)
{
    const struct slicer *slicer = &intake->slicer;
    return intake->content.listed > 0 && !intake->summary->unfinished &&
           !intake->first_reject_line &&
           intake->driver->listed(intake->format,
                                  (struct str){slicer->tail, slicer->tail_length}) > 0;
}

/* A file that is a whole listing, read to its end, is noted: what it does not have is over. */
static int note_listing(struct facts *facts, const struct intake *intake, struct error *err)
{
    return intake->slicer.at_end && is_whole(intake)
               ? listings_note(facts, intake->file.cluster, intake->content.listed,
                               intake->summary->records + intake->records, err)
               : 0;
}

/*
 * What the file says of jobs that wait. Files of which some are listings of one instant have
 * nothing to say if they are none.
 */
static int take_waits(struct facts *facts, struct intake *intake, struct error *err)
{
    const bool whole = is_whole(intake), may = !intake->driver->listed || whole;
    const struct waits_batch batch = {intake->batch, !intake->gathered, intake->expected,
                                      intake->expected_count};
    const struct waits_file file = {intake->file.cluster, whole ? intake->content.listed : 0,
                                    intake->options->now};
    if ((!intake->lists && !whole) || intake->options->opened || !intake->driver->next) {
        return 0;
    }
    int failed = waits_gather(facts, &batch, err);
    intake->gathered = true;
    return failed || !intake->slicer.at_end || !may ? failed : waits_see(facts, &file, err);
}

static int import_batch(struct facts *facts, struct intake *intake, struct error *err)
{
    const struct run_feed feed = {
        .context = intake,
        .worker_new = intake_worker_new,
        .worker_free = intake_worker_free,
        .next = intake_next_runs,
        .enough = end_batch_early,
    };
    struct append_counts counts;
    const uint64_t from = intake->slicer.offset;
    begin_batch(intake);
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = journal_next_batch(facts, &intake->batch, err)) ||
           (intake->file.file == 0 && (failed = journal_put_file(facts, &intake->file, err))) ||
           (failed = append_records(facts, intake, &feed, &counts, err)) ||
           (failed = take_waits(facts, intake, err)) ||
           (failed = check_any_read(intake, err)) ||
           (failed = write_journal(facts, intake, &counts, from, err)) ||
           (failed = owners_put(facts, intake->owners.owners, intake->owners.count, err)) ||
           (failed = note_listing(facts, intake, err)) ||
           (failed = call_companion(facts, intake, &counts, from, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
        return failed;
    }
    end_batch(intake, &counts, from);
    return facts_settle(facts, err);
}

/* Reads one run without a store; *count is 0 at the end. */
static int try_run(struct intake_worker *worker, struct append_counts *seen, size_t *count,
                   struct error *err)
{
    struct run run;
    int failed = intake_next_runs(worker, &run, 1, count, err);
    if (!failed && *count > 0) {
        int64_t first = RUN_HAS(&run, start)    ? run.start
                        : RUN_HAS(&run, submit) ? run.submit
                                                : 0;
        widen(worker->intake->summary, first, RUN_HAS(&run, end) ? run.end : first);
        seen->parts += RUN_HAS(&run, part);
    }
    return failed;
}

static int try_sample(struct intake_worker *worker, size_t *count, struct error *err)
{
    struct sample sample;
    int failed = intake_next_samples(worker, &sample, 1, count, err);
    if (!failed && *count > 0) {
        widen(worker->intake->summary, sample.time, sample.time);
    }
    return failed;
}

/* Without a store: everything is read and checked, nothing is written. */
static int dry_run(struct intake *intake, struct error *err)
{
    struct append_counts seen = {0};
    struct intake_worker *worker = intake_worker_new(intake);
    size_t count = 1;
    int failed = 0;
    begin_batch(intake);
    intake->slicer.batch_end = UINT64_MAX;
    while (!failed && count > 0) {
        failed = intake->driver->next_sample ? try_sample(worker, &count, err)
                                             : try_run(worker, &seen, &count, err);
    }
    intake_worker_free(worker);
    if (!failed) {
        failed = check_any_read(intake, err);
        cover_alive(intake, &seen);
        end_batch(intake, &seen, 0);
    }
    return failed;
}

/* Whether the first record reaches beyond the head, so that nothing can be recognised by it. */
static bool is_cut_off(struct str head)
{
    enum { LONG = 32 << 10 };

    const char *feed = head.len > 0 ? memrchr(head.ptr, '\n', head.len) : NULL;
    return head.len - (feed ? (size_t)(feed - head.ptr) : 0) > LONG;
}

/* Reads the head and settles which driver it is for. */
static int choose_driver(const struct ingest_options *options, struct str head,
                         const struct source_driver **driver, struct error *err)
{
    if (head.len == 0) {
        return error_set(err, ERROR_INPUT, "'%s' is empty: there is nothing to import",
                         options->path);
    }
    const struct source_driver *likely = source_recognise(head);
    const bool described = options->source.map.ptr || /* by the user */
                           (options->source.columns.len > 0 && !likely);
    const bool unknown =
        options->driver && !likely && (options->driver->by_name || is_cut_off(head));
    if (options->driver && (described || unknown || options->driver->recognise(head) > 0)) {
        *driver = options->driver;
        return 0;
    }
    if (!options->driver && likely) {
        *driver = likely;
        return 0;
    }
    if (likely) {
        return error_set(err, ERROR_INPUT,
                         "'%s' does not look like %s; it looks like %s: stint import %s %s",
                         options->path, options->driver->name, likely->name, likely->name,
                         options->path);
    }
    const struct source_table *table = source_table_of(head);
    if (table) {
        return error_set(err, ERROR_INPUT,
                         "'%s' is a table that %s prints for people, without whole records; %s",
                         options->path, table->printed_by, table->instead);
    }
    return error_set(
        err, ERROR_INPUT, "'%s' does not look like %s: no known record in its first %zu bytes",
        options->path,
        options->driver ? options->driver->name : "any accounting file stint knows", head.len);
}

/*
 * Files of lines bring so many rows at once; in others a record is large, and its reading the
 * work.
 */
static bool is_bulk(const struct intake *intake)
{
    enum { BULK_BYTES = 64 << 20 };

    uint64_t done = 0, total = 0;
    stream_progress(intake->content.stream, &done, &total);
    return !intake->driver->cut && total > done && total - done >= BULK_BYTES;
}

static int import_batches(struct facts *facts, struct intake *intake, struct error *err)
{
    int failed = facts && is_bulk(intake) ? facts_prepare_bulk(facts, err) : 0;
    if (failed) {
        return failed;
    }
    do {
        failed =
            intake->options->dry_run ? dry_run(intake, err) : import_batch(facts, intake, err);
    } while (!failed && !intake->slicer.at_end);
    return failed;
}

/* Columns read by other names make other runs: the digest must tell. */
static uint64_t digest_seed(const struct ingest_options *options)
{
    uint64_t seed = options->driver->version;
    if (options->source.columns.len > 0) {
        seed = str_hash(options->source.columns, seed);
    }
    if (options->source.delimiter.len > 0) {
        seed = str_hash(options->source.delimiter, seed);
    }
    for (size_t i = 0; i < OWNER_PARTS; i++) {
        if (options->source.owner_keys[i].len > 0) {
            seed = str_hash(options->source.owner_keys[i], seed + i);
        }
    }
    return options->source.map.len > 0 ? str_hash(options->source.map, seed) : seed;
}

/* Opens the file, and finds out whose it is. */
static int open_content(struct intake *intake, const struct input *input,
                        struct ingest_options *options, struct error *err)
{
    struct content *content = &intake->content;
    content->options = options;
    content->input = input;
    int failed = stream_open_input(input, &content->stream, err);
    if (failed || (failed = stream_peek(content->stream, &content->head, err)) != 0 ||
        (failed = choose_driver(options, content->head, &options->driver, err)) != 0) {
        return failed;
    }
    intake->driver = intake->summary->driver = options->driver;
    return 0;
}

static int open_driver(struct intake *intake, struct ingest_options *options, struct error *err)
{
    struct content *content = &intake->content;
    int failed = 0;
    options->source.path = str_of(options->path);
    intake->digest_seed = digest_seed(options);
    if (intake->driver->open) {
        failed = intake->driver->open(content->head, &options->source, &intake->format, err);
    }
    if (!failed && intake->driver->listed) {
        content->listed = intake->driver->listed(intake->format, (struct str){0});
    }
    return failed;
}

/* Finds out where in it to begin. */
static int locate_content(struct facts *facts, struct intake *intake, struct arena *arena,
                          struct error *err)
{
    struct ingest_summary *summary = intake->summary;
    int failed = locate_file(intake->options->dry_run ? NULL : facts, &intake->content, arena,
                             &intake->file, &summary->verdict, err);
    if (!failed && intake->options->again && summary->verdict != INGEST_NEW) {
        summary->verdict = INGEST_AGAIN;
        intake->file.read_to = 0;
        intake->file.lines = 0;
    }
    return failed;
}

/* Reads it from there on. */
static int import_rest(struct facts *facts, struct intake *intake, struct arena *arena,
                       struct error *err)
{
    struct str tail = {0};
    if (intake->summary->verdict == INGEST_UNCHANGED) {
        return 0;
    }
    int failed = locate_resume(&intake->content, &intake->file, arena, &tail, err);
    if (failed) {
        return failed;
    }
    slicer_init(&intake->slicer, intake->content.stream, intake->driver, intake->format,
                (uint64_t)intake->file.lines + 1, tail);
    return import_batches(facts, intake, err);
}

/*
 * A file that is read again, with another zone say, may make other runs of its records: those
 * of before go.
 */
static int drop_outdated(struct facts *facts, struct intake *intake, struct error *err)
{
    struct ingest_summary *summary = intake->summary;
    int64_t removed = 0;
    if (summary->verdict != INGEST_AGAIN || intake->options->dry_run || !intake->driver->next) {
        return 0;
    }
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    failed = facts_drop_outdated(facts, intake->file.file, &removed, err);
    failed = failed ? failed : facts_commit(facts, err);
    if (failed) {
        facts_rollback(facts);
        return failed;
    }
    const int64_t moved = removed < summary->added ? removed : summary->added;
    summary->added -= moved;
    summary->replaced += moved;
    return 0;
}

/* Of a listing that is known, too: it may be that we were killed just here. */
static int conclude_listing(struct facts *facts, const struct intake *intake, struct error *err)
{
    return intake->driver->listed && !intake->options->opened && !intake->options->dry_run
               ? listings_conclude(facts, intake->file.cluster, intake->file.source, err)
               : 0;
}

static void release_intake(struct intake *intake)
{
    if (intake->format && intake->driver->close) {
        intake->driver->close(intake->format);
    }
    slicer_release(&intake->slicer);
    stream_close(intake->content.stream);
    arena_release(&intake->reject_arena);
    owner_set_release(&intake->owners);
    extent_set_release(&intake->extents);
    free(intake->expected);
    free(intake->rejects);
}

static int import_runs(struct facts *facts, struct intake *intake,
                       struct ingest_options *options, struct error *err)
{
    struct arena arena = {0};
    int failed;
    if (options->at > 0) {
        return error_set(err, ERROR_USAGE,
                         "--at is for listings of nodes, partitions and reservations; '%s' "
                         "contains %s with their times",
                         options->path, intake->driver->next ? "runs" : "samples");
    }
    (void)((failed = open_driver(intake, options, err)) ||
           (failed = locate_content(facts, intake, &arena, err)) ||
           (failed = import_rest(facts, intake, &arena, err)) ||
           (failed = drop_outdated(facts, intake, err)) ||
           (failed = conclude_listing(facts, intake, err)));
    arena_release(&arena);
    return failed;
}

int ingest_input(struct facts *facts, const struct input *input,
                 const struct ingest_options *given, struct ingest_summary *summary,
                 struct error *err)
{
    struct ingest_options options = *given;
    struct intake intake = {
        .options = &options, .summary = summary, .lock = PTHREAD_MUTEX_INITIALIZER};
    enum inventory_item_kind kind;
    *summary = (struct ingest_summary){0};
    if (!str_is_utf8(str_of(options.cluster))) {
        return error_set(err, ERROR_USAGE, "the name of the cluster is not UTF-8");
    }
    int failed = open_content(&intake, input, &options, err);
    if (!failed) {
        const struct source_things *things = intake.driver->things;
        failed = things && things->recognise(intake.content.head, &kind)
                     ? inventory_files_import(facts, &options, intake.content.stream, kind,
                                              summary, err)
                     : import_runs(facts, &intake, &options, err);
    }
    release_intake(&intake);
    return failed;
}

int ingest_file(struct facts *facts, const struct ingest_options *options,
                struct ingest_summary *summary, struct error *err)
{
    struct input *input = NULL;
    int failed = input_open(options->path, &input, err);
    failed = failed ? failed : ingest_input(facts, input, options, summary, err);
    input_close(input);
    return failed;
}
