/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Streams of looks at runs, in SQL: which samples are of which run, which interval each look
 * stands for, whether that is covered, and how far counters rose in it. use_looks.h defines
 * these. Inside report/use only.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "facts/facts.h"
#include "facts/statement.h"
#include "report/use/use_looks.h"

/* What looks are at. */
enum use_stream { USE_STREAM_NODES, USE_STREAM_CARDS };

/*
 * The table of the runs that use_streams_add joins samples with, and from when to when they
 * reach; *any is false, and nothing made, if no run can have samples.
 */
int use_streams_load(struct facts *facts, const struct use_span *spans, size_t count,
                     struct period *reach, bool *any, struct error *err) MUST_CHECK;

/*
 * "WITH ... spans AS (...)": a row for each look of a stream. Columns of all: run, node,
 * stream, moment; the interval before the look (since, gap), how long they usually are (usual),
 * whether it is covered (joined), and whether what counters rose by is known to have been in it
 * (dated): it is not where a clock that was set put looks out of order. Of nodes: kind, mem,
 * kept, cache, and the counters with their rises (cpu, cpu_up, bytes_in, bytes_in_up, ...). Of
 * cards: place, busy, mem, size.
 */
void use_streams_add(struct statement *sql, enum use_stream of, struct period reach);

/* Cells of what such statements answer: below 0, 0 or without text where they are absent. */
double use_streams_number(const struct table *table, size_t column, size_t row);
int64_t use_streams_whole(const struct table *table, size_t column, size_t row);
struct str use_streams_text(const struct table *table, size_t column, size_t row);
