/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * From when to when there are data: the first and the last instant that imports have brought of each
 * cluster. Told by the journal of imports, so no run is looked at.
 */

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/zone.h"
#include "facts/facts.h"
#include "report/filter.h"
#include "table/table.h"

enum extent_column { EXTENT_CLUSTER, EXTENT_FIRST, EXTENT_LAST };

/*
 * A row for each cluster, as named at import, that passes the filter's conditions on clusters; of all, if
 * none does, since one may count under another name. No row where nothing was imported.
 */
int extent_read(struct facts *facts, const struct filter *filter, const struct zone *zone,
                struct table *out, struct error *err) MUST_CHECK;

/* From the first to the last of all; from == to where there is none. */
struct period extent_span(const struct table *extent);
