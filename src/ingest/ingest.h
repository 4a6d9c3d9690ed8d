/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * From a file into the facts.
 *
 * A file is read in slices by as many workers as there are cores, up to four
 * (facts/duckdb/run_feed.c), and written in batches of about INGEST_BATCH bytes, each with its
 * place in the journal in one transaction. So an import that is killed has lost nothing that
 * was said to be done, and the next one continues from there; a file imported before is read
 * only from where it ended.
 *
 * Bad records do not stop an import: they go into quarantine with their place and reason. But a
 * file that is not what it is said to be is refused as a whole.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/input.h"
#include "base/stop.h"
#include "base/str.h"
#include "facts/facts.h"
#include "record/inventory_item.h"
#include "source/source.h"

/* Content bytes between two commits. */
#define INGEST_BATCH (UINT64_C(1) << 30)

/* The same of samples, which are held in memory until they are written. */
#define INGEST_BATCH_SAMPLES (UINT64_C(32) << 20)

/*
 * Rejected records kept for one file, with LIMIT_QUARANTINE_FILE bytes at most; beyond it they
 * are only counted.
 */
enum { INGEST_REJECTS_MAX = 100000 };

enum ingest_on_error {
    INGEST_QUARANTINE, /* quarantine bad records and continue */
    INGEST_STOP,       /* the first bad record ends the import; batches before it stay */
};

/* How the file relates to what was imported before. */
enum ingest_verdict {
    INGEST_NEW,
    INGEST_UNCHANGED, /* nothing to read */
    INGEST_GROWN,     /* read from where it ended */
    INGEST_RENAMED,   /* known content under another name; read from where it ended */
    INGEST_REPLACED,  /* this name held other content before; read from the start */
    INGEST_AGAIN,     /* known, but read from the start because it was asked for */
    INGEST_TRUNCATED, /* shorter than what was read of it; read from the start */
};

const char *ingest_verdict_name(enum ingest_verdict verdict);

struct ingest_progress {
    uint64_t done, total; /* bytes of the file; total 0 if unknown */
    int64_t records;
};

struct ingest_summary;

struct ingest_options {
    const struct source_driver *driver; /* NULL: found out from the content */
    struct source_options source;       /* for the driver */
    const char *path; /* what it is called, and for ingest_file where it lies */
    bool opened;      /* it is an answer that a pull has got */
    bool listing; /* not a history but how things are at source.seen: see facts/live_jobs.h */
    const char *cluster;
    bool cluster_of_records; /* records that name their cluster are of that one */
    enum ingest_on_error on_error;
    bool again;   /* read a known file from the start: after a driver was mended */
    bool dry_run; /* parse and count only; `facts` may be NULL then */
    int64_t now;  /* instant written into the journal */
    /* when a listing of nodes and such was taken; 0: see ingest/inventory_files.h */
    int64_t at;
    uint64_t batch_bytes; /* 0 is INGEST_BATCH, or INGEST_BATCH_SAMPLES */
    void *companion;      /* given back to `committing` */
    /* called in the transaction that ends the file, before its commit; may be NULL */
    int (*committing)(void *companion, struct facts *facts,
                      const struct ingest_summary *summary, struct error *err);
    const struct stop *stop; /* when set, the import ends before its next slice; may be NULL */
    void *watcher;           /* given back to `progress` */
    void (*progress)(void *watcher,
                     const struct ingest_progress *progress); /* may be NULL; any thread */
};

struct ingest_summary {
    const struct source_driver *driver;
    enum ingest_verdict verdict;
    int64_t records; /* read this time: runs and parts, or samples; not comments */
    int64_t added, replaced, unchanged, parts, rejected;
    int64_t doubled;               /* samples that are left out: see facts/samples.h */
    int64_t alive;                 /* signs of life of nodes that reported no process */
    int64_t rejects_kept;          /* of `rejected`, how many are in quarantine */
    int64_t first_time, last_time; /* instants among the records; 0 if none */
    uint64_t bytes;                /* of content, read this time */
    const struct inventory_item_description
        *things;      /* it had no runs but these, as of first_time; NULL: runs */
    int64_t gone;     /* of these, how many it does not have that were there before */
    bool unfinished;  /* the file ends inside a record, which is left for the next time */
    struct error odd; /* of things: see thing_list */
    struct error first_reject; /* "line 7: has 3 fields ..." when rejected > 0 */
};

/* Imports what an input holds. `facts` is open for writing and outside a transaction. */
int ingest_input(struct facts *facts, const struct input *input,
                 const struct ingest_options *options, struct ingest_summary *summary,
                 struct error *err) MUST_CHECK;

/* The same of the file that options->path names. */
int ingest_file(struct facts *facts, const struct ingest_options *options,
                struct ingest_summary *summary, struct error *err) MUST_CHECK;
