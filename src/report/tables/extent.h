/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * From when to when there are data of each cluster: the first and the last instant that imports have brought, or, where
 * that is later, up to when its scheduler was asked. Said by the journals of imports and pulls, so no run is looked at.
 * What of it counts as covered is in report/coverage.h.
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
