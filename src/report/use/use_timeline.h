/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One run over time. Inside report/use; others call use_rows_timeline.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/use/use_looks.h"
#include "table/table.h"

/*
 * At most `slots` stretches of equal length from span->from to `until`: columns time,
 * cpus_at_work, memory, gpus_at_work, gpu_memory, read_rate, write_rate. Of each node it shows
 * the streams that `looks`, which are those of this run, have chosen. What rose in an interval
 * is spread evenly over it, so that the stretches add up to what was counted. A stretch of
 * which nothing is covered is left out.
 */
int use_timeline_read(struct facts *facts, const struct use_span *span,
                      const struct use_looks *looks, int64_t until, size_t slots,
                      struct table *out, struct error *err) MUST_CHECK;
