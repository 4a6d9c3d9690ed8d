/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What nodes, cards and jobs did over time, by samples: a row for each stretch of time and
 * name, in stretches of equal length that begin at round times of the zone. A stretch without a
 * look has no row.
 */

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/zone.h"
#include "facts/facts.h"
#include "report/filter.h"
#include "table/table.h"

/* What can be asked for, and by what names: those of the options. */
const char *timeline_measure_at(size_t index); /* NULL after the last */
const char *timeline_name_at(size_t index);

struct timeline {
    struct str of; /* one of timeline_measure_at */
    struct str by; /* one of timeline_name_at */
    struct filter filter;
    struct period period;
    size_t points; /* stretches at most */
    const struct zone *zone;
    int64_t now;
};

/*
 * Columns: time, the name (but by `all`), the measure. What a look says is of the interval
 * since the look before it, over which a counter's rise is spread evenly: a stretch has the
 * mean by time of the intervals that overlap it, and none after the last look. Of a counter's
 * first look, and after a gap (report/use/use_looks.h), nothing is known.
 */
int timeline_ask(struct facts *facts, const struct timeline *question, struct table *out,
                 struct error *err) MUST_CHECK;
