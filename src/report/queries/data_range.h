/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * From when to when there are data of each cluster: the first and the last instant of its
 * records, as imports and listings brought them, or, where that is later, up to when its
 * scheduler was asked. Said by the journals of imports and pulls, so no run is looked at. What
 * of it counts as covered is in report/coverage.h.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/coverage.h"
#include "table/table.h"

enum data_range_column { DATA_RANGE_CLUSTER, DATA_RANGE_FIRST, DATA_RANGE_LAST };

/*
 * A row for each cluster, by the name that its records have. No row where nothing was imported.
 */
int data_range_read(struct facts *facts, struct table *out, struct error *err) MUST_CHECK;

/*
 * The names among those of stretches that pass the filter's conditions on clusters: one column.
 */
int data_range_pick(struct facts *facts, const struct coverage_stretch *stretches, size_t count,
                    const struct filter *filter, const struct zone *zone, struct table *out,
                    struct error *err) MUST_CHECK;
