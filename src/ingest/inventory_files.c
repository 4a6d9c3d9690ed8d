/* SPDX-License-Identifier: MIT */
#include "ingest/inventory_files.h"

#include <sys/stat.h>

#include "base/buf.h"
#include "base/limit.h"
#include "facts/inventory.h"

enum { PIECE = 1 << 16 };

static int read_all(struct stream *stream, struct buf *text, struct error *err)
{
    for (;;) {
        char piece[PIECE];
        size_t got = 0;
        int failed = stream_read(stream, piece, sizeof(piece), &got, err);
        if (failed || got == 0) {
            return failed;
        }
        if (text->len + got > LIMIT_THINGS) {
            return error_set(err, ERROR_LIMIT,
                             "a listing of more than %d MiB is not of one cluster",
                             LIMIT_THINGS >> 20);
        }
        buf_add(text, (struct str){piece, got});
    }
}

static int64_t moment_of(const struct ingest_options *options, const struct stream *stream)
{
    if (options->at > 0) {
        return options->at;
    }
    return stream_is_file(stream) ? stream_about(stream)->modified_us : options->now;
}

static void sum_up(const struct inventory_counts *counts, size_t listed, int64_t at,
                   struct ingest_summary *summary)
{
    summary->records = (int64_t)listed;
    summary->added = counts->appeared;
    summary->gone = counts->gone;
    summary->replaced = counts->changed;
    summary->unchanged = summary->records - counts->appeared - counts->changed;
    summary->first_time = summary->last_time = at;
    summary->verdict = counts->seen > 0 || listed == 0 ? INGEST_NEW : INGEST_UNCHANGED;
}

static int take_inventory(struct facts *facts, const struct ingest_options *options,
                          enum inventory_item_kind kind,
                          const struct inventory_item_list *listing, int64_t at,
                          struct inventory_counts *counts, struct error *err)
{
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = inventory_see(facts, kind, str_of(options->cluster), at,
                                   INVENTORY_AROUND_US, listing, counts, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
    }
    return failed;
}

int inventory_files_import(struct facts *facts, const struct ingest_options *options,
                           struct stream *stream, enum inventory_item_kind kind,
                           struct ingest_summary *summary, struct error *err)
{
    const int64_t at = moment_of(options, stream);
    struct inventory_item_list listing = {0};
    struct inventory_counts counts = {0};
    struct arena arena = {0};
    struct buf text;
    buf_init(&text, LIMIT_THINGS);
    int failed = read_all(stream, &text, err);
    if (!failed) {
        failed = options->driver->things->read(kind, buf_str(&text), options->source.zone,
                                               &arena, &listing, err);
        failed = failed ? error_prepend(err, "'%s': ", options->path) : 0;
    }
    if (!failed && !options->dry_run) {
        failed = take_inventory(facts, options, kind, &listing, at, &counts, err);
    }
    sum_up(&counts, listing.count, at, summary);
    summary->verdict = options->dry_run ? INGEST_NEW : summary->verdict;
    summary->bytes = text.len;
    summary->things = &inventory_item_kinds[kind];
    summary->odd = listing.odd;
    inventory_item_list_release(&listing);
    arena_release(&arena);
    buf_release(&text);
    return failed;
}
