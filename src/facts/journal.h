/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What was read, when, from where, and what could not be read: the store's memory of its
 * imports. Written in the same transaction as the runs it speaks of.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "facts/facts.h"

/*
 * A content that was imported, whatever it was called. It is recognised by its first and last
 * bytes, so that a growing file continues where it ended, a renamed one is not read again, and
 * a replaced or truncated one is.
 */
struct journal_file {
    int64_t file; /* 0: not in the journal yet */
    struct str cluster, source, path;
    int64_t device, inode, size; /* of the file on disk when last seen */
    /* first and last bytes on disk: an unchanged compressed file has the same */
    int64_t raw_hash;
    int64_t head_length, head_hash; /* first bytes of the content */
    int64_t read_to;                /* content imported up to here */
    int64_t tail_hash;              /* last bytes before read_to */
    int64_t lines;                  /* lines before read_to */
    int64_t first_read, last_read;  /* instants */
};

/*
 * All files of a cluster and source, latest read first. Text lives in `arena`, as does the
 * list.
 */
int journal_files(struct facts *facts, struct str cluster, struct str source,
                  struct arena *arena, struct journal_file **files, size_t *count,
                  struct error *err) MUST_CHECK;

/* Writes the file's row; one with number 0 gets the next number. */
int journal_put_file(struct facts *facts, struct journal_file *file,
                     struct error *err) MUST_CHECK;

struct journal_batch {
    int64_t batch, file, at;
    int64_t from_byte, to_byte;
    int64_t records, added, replaced, unchanged, rejected, parts;
    int64_t first_time, last_time; /* 0: none */
    /*
     * newest event, at which the file's runs without an end were still running; 0: it does not
     * show that
     */
    int64_t witnessed;
    const char *what; /* its records are: "run" or "sample" */
};

int journal_next_batch(struct facts *facts, int64_t *batch, struct error *err) MUST_CHECK;
/* Into *out, one column: the clusters of the runs of this batch and later ones. */
int journal_clusters_since(struct facts *facts, int64_t batch, struct table *out,
                           struct error *err) MUST_CHECK;
int journal_put_batch(struct facts *facts, const struct journal_batch *batch,
                      struct error *err) MUST_CHECK;

/* From when to when the records of a batch have data of a cluster. */
struct journal_extent {
    struct str cluster;
    int64_t first_time, last_time;
};

int journal_put_extents(struct facts *facts, int64_t batch,
                        const struct journal_extent *extents, size_t count,
                        struct error *err) MUST_CHECK;

struct journal_reject {
    uint64_t line, byte;
    const char *reason;
    struct str record; /* first bytes of what was rejected */
};

/*
 * Keeps rejected records of a file whose row is written; `not_kept` says how many more the
 * batch had. The same record on the same line of a file of this name is kept once. Where the
 * quarantine is larger than LIMIT_QUARANTINE_ROWS or LIMIT_QUARANTINE_BYTES then, the oldest
 * go.
 */
int journal_put_rejects(struct facts *facts, int64_t file, int64_t batch,
                        const struct journal_reject *rejects, size_t count, int64_t not_kept,
                        struct error *err) MUST_CHECK;

/*
 * Removes the oldest records from a quarantine that is larger than `rows` or `bytes`, down to
 * nine tenths of these, so that this is not to be done with every batch. They are counted as
 * dropped by `batch`.
 */
int journal_quarantine_bound(struct facts *facts, int64_t batch, int64_t rows, int64_t bytes,
                             struct error *err) MUST_CHECK;

/*
 * How many rejected records of a cluster ("" is all) are not in quarantine, since it was last
 * cleared: not kept, or removed later. A file that is read again is counted again.
 */
int journal_quarantine_dropped(struct facts *facts, struct str cluster, int64_t *count,
                               struct error *err) MUST_CHECK;

/*
 * Rejected records, latest import first: cluster, path, line, byte, reason, record, committed.
 */
int journal_quarantine(struct facts *facts, struct str cluster, int64_t limit,
                       const struct table_sink *sink, struct error *err) MUST_CHECK;

/* Forgets the rejected records of a cluster ("" is all); *count says how many. */
int journal_quarantine_clear(struct facts *facts, struct str cluster, int64_t *count,
                             struct error *err) MUST_CHECK;

/*
 * Per cluster and source: files, runs, rejected, waiting_parts, first_time, last_time,
 * last_read.
 */
int journal_overview(struct facts *facts, struct table *out, struct error *err) MUST_CHECK;

/*
 * Days in a row without a single run that ended, at least `days` long: cluster, from, to
 * (instants).
 */
int journal_gaps(struct facts *facts, int64_t days, struct table *out,
                 struct error *err) MUST_CHECK;

/*
 * The last `limit` batches, newest first: at, cluster, source, path, bytes, records, added,
 * replaced, unchanged, rejected.
 */
int journal_last(struct facts *facts, int64_t limit, struct table *out,
                 struct error *err) MUST_CHECK;
