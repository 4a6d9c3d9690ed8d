/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The change feed: which runs changed since a sequence number, for those who keep something
 * that follows from runs (roll-ups, charges, caches, copies, event streams).
 *
 * A reader keeps its place: the sequence number up to which it has read, 0 in the beginning,
 * with a digest (changes_position). It asks for what comes after, looks at the runs these
 * changes are about as they are now, and keeps the place of the last. It then knows all that
 * had changed, for a change is written in the transaction that makes it. A change says which
 * runs to look at, not what they were: a run may have changed again since, which a later row
 * says, and one that is not there any more is gone.
 *
 *     kind      which runs
 *     all       those of every batch up to `batch`: the first row, where older ones were pruned
 *               or never written
 *     added     those of `batch`: new ones, and those that took the place of a run, which have
 *               a row besides
 *     replaced  the one of this identity: its record is another now
 *     ended     the one of this identity: it had no end before
 *     removed   the one of this identity: it is gone
 *     seen      those of `cluster` whose `seen` is this instant: a listing showed them unchanged
 *
 * So bulk stays bulk: an import costs a row a batch, and a listing a row; only what replaces,
 * ends or removes costs a row a run. Every run's batch is in the feed, so that a reader that
 * begins at 0 gets all runs.
 *
 * Old rows are pruned when they become many (CHANGES_KEPT): the newest stay, and what came
 * before is one row of kind `all`. A reader that had not come so far begins again.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"

enum change_kind {
    CHANGE_ALL,
    CHANGE_ADDED,
    CHANGE_REPLACED,
    CHANGE_ENDED,
    CHANGE_REMOVED,
    CHANGE_SEEN,
    CHANGE_KINDS,
};

/*
 * Rows that are kept at least; of a large store an eighth of the number of its runs, if that is
 * more.
 */
enum { CHANGES_KEPT = 100000 };

/*
 * Columns of changes_since; from CHANGES_CLUSTER on those of the identity (FIELD_KEY), in their
 * order.
 */
enum { CHANGES_SEQ, CHANGES_KIND, CHANGES_BATCH, CHANGES_SEEN, CHANGES_CLUSTER };

/* Characters of a digest. */
enum { CHANGES_DIGEST = 64 };

/* The number of the last change; 0: none. */
int changes_latest(struct facts *facts, int64_t *seq, struct error *err) MUST_CHECK;

/*
 * A place in the feed, as a reader keeps it: the number of the last change that it has read,
 * and a digest of that change, of those before it and of the identity of the facts. Facts that
 * were made again from files, or restored from an older backup, have another change of that
 * number, or none.
 */
struct changes_position {
    int64_t seq;                     /* 0: nothing was read */
    char digest[CHANGES_DIGEST + 1]; /* empty if there is no such change */
};

/* The place after change `seq`. */
int changes_position(struct facts *facts, int64_t seq, struct changes_position *out,
                     struct error *err) MUST_CHECK;

/* Whether these facts have the change that was read last: else the reader begins again at 0. */
int changes_is_known(struct facts *facts, const struct changes_position *position, bool *known,
                     struct error *err) MUST_CHECK;

/*
 * The changes after `since`, the first `limit` of them in their order, into an empty table;
 * fewer than `limit` are all there are. ERROR_MISSING if some of them were pruned: the reader
 * then forgets what it has and begins at 0.
 */
int changes_since(struct facts *facts, int64_t since, int64_t limit, struct table *out,
                  struct error *err) MUST_CHECK;

/* Forgets the changes up to `seq`. Inside a transaction of the caller. */
int changes_prune(struct facts *facts, int64_t seq, struct error *err) MUST_CHECK;
