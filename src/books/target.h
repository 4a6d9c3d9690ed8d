/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Targets: how much of a measure was promised, granted or hoped for, to be drawn as a line and
 * shown as a percentage.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/bucket.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"

struct books;
struct kind;
struct kind_row;

/*
 * What a target can be about; a null string is "all of them". The order of target_filter_ids.
 */
enum target_filter {
    TARGET_CLUSTER,
    TARGET_USER,
    TARGET_GROUP,
    TARGET_ACCOUNT,
    TARGET_METAGROUP,
    TARGET_FILTERS
};

extern const char *const target_filter_ids[TARGET_FILTERS]; /* dimensions: "cluster", ... */

struct target {
    struct str name, measure;
    int64_t amount_micro; /* millionths of the measure's unit: hours, jobs, ... */
    enum bucket per; /* the amount is for each of these; BUCKET_NONE: for all of `period` */
    struct period period; /* when it holds */
    struct str filters[TARGET_FILTERS];
};

struct target_list {
    struct target *rows; /* in the order they were made */
    size_t count;
    struct arena arena;
};

/*
 * What a target is asked for: one measure over a period, of runs with just these filters. A
 * target of cluster alder is for the question about alder, not for one about all clusters, nor
 * for alder's user ann. For a report by cluster, ask for each row with its cluster.
 */
struct target_question {
    struct str measure;
    struct period period;
    struct str filters[TARGET_FILTERS];
};

/* All there are. `out` is released also when it fails. */
int books_all_targets(struct books *books, const struct zone *zone, struct target_list *out,
                      struct error *err) MUST_CHECK;

/* Whether a target is for a question. */
bool target_is_for(const struct target *target, const struct target_question *question);

/* The targets for a question. `out` is released also when it fails. */
int books_targets(struct books *books, const struct zone *zone,
                  const struct target_question *question, struct target_list *out,
                  struct error *err) MUST_CHECK;
void target_list_release(struct target_list *list);

/*
 * What a target asks for in a period, in millionths: its amount for each of its buckets, in
 * proportion for those that lie partly in the period. *any is false when the target does not
 * hold there.
 */
int target_amount(const struct target *target, const struct zone *zone, struct period period,
                  int64_t *micro, bool *any, struct error *err) MUST_CHECK;

/* An amount for no bucket needs both ends. For kind.c. */
int target_check(const struct kind *kind, const struct kind_row *row,
                 struct error *err) MUST_CHECK;
