/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A source driver turns the bytes of one scheduler's format into runs, or those of a sampler into
 * samples of processes. What differs between schedulers ends here: nothing beyond the record knows
 * where it came from.
 *
 * A driver sees bytes in slices that begin and end at record boundaries and may be parsed by
 * several threads at once, in any order. It keeps no state between records but the `format` that
 * `open` read from the head of the file, which is immutable.
 *
 * To add a scheduler: a folder here with a file that ends with its `const struct source_driver`,
 * a row in registry.c, a page docs/sources/<name>.md, fixtures and a fuzz target. The checks
 * complain until all of these exist.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "record/owner.h"
#include "record/run.h"
#include "record/sample.h"
#include "record/thing.h"

/* Where a worker stands in its slice. */
struct source_cursor {
    struct str rest;   /* what is not parsed yet */
    struct str record; /* bytes of the record last returned or rejected, without its line end */
    uint64_t line;     /* number of that record's first line in the file, from 1 */
    uint64_t next_line;  /* number of the line at `rest` */
    struct arena *arena; /* for text that must be decoded; lives until the slice is done */
    /* the driver's, from one record of a slice to the next; null at its start */
    struct str context;
    struct owner owner; /* what the record just returned says of its owner; null: nothing */
    int64_t alive; /* when what was just skipped says that its node lived, if it does; else 0 */
};

/* What a user can say about a file that the file itself does not. Texts are borrowed. */
struct source_options {
    struct str columns;      /* names of the columns, for a file without a header; else empty */
    struct str delimiter;    /* between columns; empty: found out */
    struct str map;          /* which column is which field, for csv; null if there is none */
    const struct zone *zone; /* of times without a zone; NULL is UTC */
    struct str path;         /* what the file is called, for formats whose time is in it */
    struct str owner_keys[OWNER_PARTS]; /* under which names a job has its owner, the first
                                           that is there counts; empty: the driver's own */
    /* when a live source was asked, for records of how things are; 0: not asked */
    int64_t seen;
};

enum source_step {
    SOURCE_END,    /* the slice is finished */
    SOURCE_RECORD, /* *run is filled */
    SOURCE_SKIP,   /* a comment, a blank line, a header: nothing to account */
    SOURCE_REJECT, /* not a record: *err says why, cursor->record is what to quarantine */
};

struct source_driver {
    const char *name;    /* as in `stint import NAME` */
    const char *summary; /* one line for --help */
    unsigned version;    /* raise when parsing changes: makes import --again replace runs */
    bool by_name;        /* used only when it is named: its `recognise` cannot know */
    /* OWNER_PARTS of them: the names where the user says none; NULL: has none */
    const char *const *owner_keys;

    /*
     * How well the head of a file (its first bytes, up to 64 KiB, cut anywhere) looks like this
     * format: 0 is "certainly not", 100 "certainly". Must not be fooled into more than 0 by other
     * drivers' formats.
     */
    int (*recognise)(struct str head);

    /*
     * Reads what the head and the user say about the rest (columns, version). May be NULL when
     * there is nothing to know. *format is released with `close`; the zone must outlive it.
     */
    int (*open)(struct str head, const struct source_options *options, void **format,
                struct error *err) MUST_CHECK;
    void (*close)(void *format);

    /*
     * The length of the longest prefix of `data` that ends at a record boundary; 0 if it holds no
     * boundary. `last` says that nothing follows these bytes. NULL means records are lines.
     */
    size_t (*cut)(const void *format, struct str data, bool last);

    /*
     * Whether a record that is too large for any slice ends in `data`, and how many bytes of it
     * belong to it. Called with one piece after the other from the beginning of the record; *state
     * is 0 at first and then the driver's. NULL: it ends with the next line feed.
     */
    bool (*skip)(const void *format, uint64_t *state, struct str data, size_t *used);

    /*
     * Takes the next record off cursor->rest. Fills every field it knows but source, file, line,
     * batch and digest, which the caller sets; at least a job (`job` or `job_key`), attempt, class and
     * flags. A cluster it fills counts where the user names none. *run is zeroed by the caller. Never
     * reads outside the slice, whatever the bytes.
     */
    enum source_step (*next)(const void *format, struct source_cursor *cursor, struct run *run,
                             struct error *err);

    /*
     * The same for a driver of samples, which has no `next`: the bytes of a record may give several
     * samples, one a call. Fills all but source, file, line and batch.
     */
    enum source_step (*next_sample)(const void *format, struct source_cursor *cursor,
                                    struct sample *sample, struct error *err);

    /*
     * The instant at which a file was the whole list of what waited and ran, as `open` found it; 0 if this
     * one is no such list. `tail`, unless it is null, is the last of what was read: 0 also if the list does
     * not end there. Runs of it carry that instant as `seen`; those missing from it are over since their last
     * sighting (facts/sighting.h). NULL: files of this kind never are.
     */
    int64_t (*listed)(const void *format, struct str tail);

    /* Files that have no runs but what a cluster had at a moment; NULL: it knows none. */
    const struct source_things *things;
};

struct source_things {
    /* Whether the head is that of such a file, and what it lists. */
    bool (*recognise)(struct str head, enum thing_kind *kind);

    /*
     * Reads all of a file and adds what it has to `out`; texts are in the arena. A file that is not whole, or has a
     * thing without a name, is an error: what is missing from a listing would be taken to be gone.
     */
    int (*read)(enum thing_kind kind, struct str text, const struct zone *zone,
                struct arena *arena, struct thing_list *out, struct error *err) MUST_CHECK;
};

/* All drivers, NULL-terminated, in the order they are shown. */
extern const struct source_driver *const source_drivers[];

/* The driver of this name, or NULL. */
const struct source_driver *source_find(struct str name);

/* The driver whose `recognise` is surest of `head`, or NULL if none is. */
const struct source_driver *source_recognise(struct str head);

/*
 * For drivers whose records are lines: takes one line off the cursor (without \n or \r\n), keeps
 * the counts. Returns false at the end of the slice.
 */
bool source_next_line(struct source_cursor *cursor);
