/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One run from two records of it, field by field: record/precedence.h says which of them a
 * field is taken from, and `field_origins` of the merged run keeps the origin of each field, so
 * that a third record is weighed against each of them, and the order in which they come does
 * not matter.
 *
 * Whether and how a run ended is taken from one record as a whole. One that has its end wins,
 * of two such the one with more weight. Then one of a log or a database that says it is over;
 * then the latest observation of a run that has not ended: a listing's is of the moment it was
 * made, that of a log or database of the run's start, or else of its submission, since an
 * accounting database may lag behind. So no listing takes the end of a run away, and no lagging
 * database its start. What vanished (RUN_FLAG_VANISHED) is an observation of when it was last
 * seen, rather than an end.
 *
 * The start is a value like others; but a run that was started again, as two listings show,
 * holds its resources since the first start, and one that a listing shows to wait again has
 * none: the start that a log or a database has is set aside (PRECEDENCE_ASIDE) until the run is
 * known to run again or to have ended.
 *
 * Records of one file and origin are versions of one record: the later one takes the place of
 * the earlier, and what it does not have any more is gone.
 */

#include <stdbool.h>

#include "base/arena.h"
#include "record/run.h"

/* How the merged run relates to the two records. */
struct run_merge {
    bool is_old; /* it says just what the older one does (but for the batch) */
    bool is_new; /* the newer one */
    bool ends;   /* the older one has no end, and the merged run has */
    bool moves;  /* end, class, start or number of tasks are not those of the older one */
};

/*
 * `older` is what is stored, which may itself have been merged; `newer` is one record. Texts of
 * *merged are views of theirs; that of field_origins is in the arena.
 */
struct run_merge run_merge(const struct run *older, const struct run *newer,
                           struct arena *arena, struct run *merged);
