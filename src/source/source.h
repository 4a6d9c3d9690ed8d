/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A source driver turns the bytes of one scheduler's format into runs, or those of a sampler
 * into samples of processes. Differences between schedulers end here: nothing above knows which
 * one a record came from.
 *
 * A driver sees bytes in slices that begin and end at record boundaries and may be parsed by
 * several threads at once, in any order. It keeps no state between records except the `format`
 * that `open` read from the head of the file, which is immutable.
 *
 * To add a scheduler: a folder here with a file that ends with its `const struct
 * source_driver`, a row in source_drivers.c, a page docs/sources/<name>.md, fixtures and a fuzz
 * target; see "Add a scheduler" in ARCHITECTURE.md. The checks fail until all of these exist.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "record/inventory_item.h"
#include "record/owner.h"
#include "record/run.h"
#include "record/sample.h"

/* A worker's position in its slice. */
struct source_cursor {
    struct str rest;   /* not yet parsed */
    struct str record; /* bytes of the record last returned or rejected, without its line end */
    uint64_t line;     /* number of that record's first line in the file, from 1 */
    uint64_t next_line;  /* number of the line at `rest` */
    struct arena *arena; /* for text that must be decoded; lives until the slice is done */
    /* for the driver, from one record of a slice to the next; null at the start of the slice */
    struct str context;
    struct owner owner; /* what the record just returned says about its owner; null: nothing */
    int64_t alive;      /* when the node was up, according to what was just skipped; else 0 */
    /*
     * when the document was made that was just skipped to or ended, as it says itself; else 0
     */
    int64_t as_of;
};

/* What only the user knows about a file. Texts are borrowed. */
struct source_options {
    struct str columns;      /* names of the columns, for a file without a header; else empty */
    struct str delimiter;    /* between columns; empty: detected */
    struct str map;          /* which column is which field, for csv; null: no map */
    const struct zone *zone; /* of times without a zone; NULL is UTC */
    struct str path;         /* of the file, for formats that have the time in its name */
    /*
     * keys that hold the owner of a job, of which the first present one counts; empty: the
     * driver's own
     */
    struct str owner_keys[OWNER_PARTS];
    /* when a live source was queried, for records of the present state; 0: not from a query */
    int64_t seen;
};

enum source_step {
    SOURCE_END,    /* the slice is finished */
    SOURCE_RECORD, /* *run is filled */
    SOURCE_SKIP,   /* a comment, a blank line, a header: not a record */
    SOURCE_REJECT, /* not a record: *err says why, cursor->record is what to quarantine */
};

/*
 * A table that a program of the scheduler prints for people: it is no source, but there is one.
 */
struct source_table {
    const char *words; /* those that one of its first lines begins with, a blank between them */
    const char *printed_by; /* "squeue" */
    const char *instead;    /* what to do, as the end of a sentence */
};

struct source_driver {
    const char *name;    /* as in `stint import NAME` */
    const char *summary; /* one line for --help */
    unsigned version;    /* raise when parsing changes: makes import --again replace runs */
    bool by_name;        /* never detected, only used by name */
    /* OWNER_PARTS keys, used if the user gives none; NULL: the format has no owners */
    const char *const *owner_keys;

    /*
     * How well the head of a file (its first bytes, up to 64 KiB, cut anywhere) matches this
     * format: 0 is "certainly not", 100 "certainly". Must return 0 for the formats of other
     * drivers.
     */
    int (*recognise)(struct str head);

    /*
     * Reads what the head and the user say about the rest (columns, version). NULL: there is
     * nothing to read. *format is released with `close`; the zone must outlive it.
     */
    int (*open)(struct str head, const struct source_options *options, void **format,
                struct error *err) MUST_CHECK;
    void (*close)(void *format);

    /*
     * The length of the longest prefix of `data` that ends at a record boundary; 0 if there is
     * none. `last`: nothing follows these bytes. NULL: records are lines.
     */
    size_t (*cut)(const void *format, struct str data, bool last);

    /*
     * Whether a record that is too large for any slice ends in `data`; *used is how many bytes
     * of `data` belong to it. Called with one piece after the other from the beginning of the
     * record; *state is 0 at first and then the driver's. NULL: it ends with the next line
     * feed.
     */
    bool (*skip)(const void *format, uint64_t *state, struct str data, size_t *used);

    /*
     * Takes the next record off cursor->rest. Sets every field it knows except source, file,
     * line, batch and digest, which the caller sets; at least a job (`job` or `job_key`),
     * attempt, class and flags. A cluster that it sets is used if the user names none. *run is
     * zeroed by the caller. Never reads outside the slice, whatever the bytes.
     */
    enum source_step (*next)(const void *format, struct source_cursor *cursor, struct run *run,
                             struct error *err);

    /*
     * The same for a driver of samples, which has no `next`: one record may give several
     * samples, one per call. Sets all fields except source, file, line and batch.
     */
    enum source_step (*next_sample)(const void *format, struct source_cursor *cursor,
                                    struct sample *sample, struct error *err);

    /*
     * If the file is the complete list of what waited and ran at an instant, that instant, as
     * `open` found it; else 0. `tail`, unless it is null, is the end of what was read: 0 also
     * if the list does not end there. Its runs have that instant as `seen`; runs missing from
     * it ended at their last sighting (facts/listings.h). NULL: no file of this format is such
     * a list.
     */
    int64_t (*listed)(const void *format, struct str tail);

    /* Ended by a row without words; NULL: none is known. */
    const struct source_table *tables;

    /*
     * Files that hold what a cluster had at a moment instead of runs; NULL: the format has
     * none.
     */
    const struct source_things *things;
};

struct source_things {
    /* Whether the head is that of such a file, and what it lists. */
    bool (*recognise)(struct str head, enum inventory_item_kind *kind);

    /*
     * Reads a whole file and adds its content to `out`; texts are in the arena. An incomplete
     * file, or one with a thing without a name, is an error: what is missing from a listing
     * would be taken to be gone.
     */
    int (*read)(enum inventory_item_kind kind, struct str text, const struct zone *zone,
                struct arena *arena, struct inventory_item_list *out,
                struct error *err) MUST_CHECK;
};

/* All drivers, NULL-terminated, in the order they are shown. */
extern const struct source_driver *const source_drivers[];

/* The driver of this name, or NULL. */
const struct source_driver *source_find(struct str name);

/* The driver whose `recognise` returns most for `head`, or NULL if all return 0. */
const struct source_driver *source_recognise(struct str head);

/* The table for people that `head` is, of any driver; NULL if it is not one that is known. */
const struct source_table *source_table_of(struct str head);

/*
 * For drivers whose records are lines: takes one line off the cursor (without \n or \r\n) and
 * keeps the line numbers. Returns false at the end of the slice.
 */
bool source_next_line(struct source_cursor *cursor);
