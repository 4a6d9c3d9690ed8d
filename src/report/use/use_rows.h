/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What runs of a listing used: `struct use` of each row, by two statements for all of them. The
 * table has the columns USE_FIELDS, in any order, beside any others.
 */

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/use/use.h"
#include "report/use/use_looks.h"
#include "table/table.h"

/* Fields that a listing has to have, for a list of fields: "id,user," USE_FIELDS. */
#define USE_FIELDS                                                                             \
    "run_id,cluster,job,job_raw,task,start,end,seen,suspended,class,node_count,mem,cpus,gpus," \
    "cpu_used,mem_peak,mem_basis,gpu_used,io,energy,het"

/* `out` has room for table->row_count. `now` bounds runs without an end. */
int use_rows_read(struct facts *facts, const struct table *table, int64_t now, struct use *out,
                  struct error *err) MUST_CHECK;

/*
 * Which samples are of each row; their texts live in the arena and the table. `out` has room
 * for table->row_count.
 */
void use_rows_spans(const struct table *table, int64_t now, struct arena *arena,
                    struct use_span *out);

/*
 * One row of them, with its nodes and cards, which the caller releases (use_looks_release),
 * also when it fails.
 */
int use_rows_read_one(struct facts *facts, const struct table *table, size_t row, int64_t now,
                      struct use *out, struct use_looks *looks, struct error *err) MUST_CHECK;

/*
 * What it used over time, up to use->until, after use_rows_read_one: columns as in
 * use_timeline.h. Without looks there are neither columns nor rows.
 */
int use_rows_timeline(struct facts *facts, const struct table *table, size_t row, int64_t now,
                      const struct use *use, const struct use_looks *looks, size_t slots,
                      struct table *out, struct error *err) MUST_CHECK;

/*
 * Puts what was resolved into the row's fields, where the table has them: cpu_used, gpu_used,
 * io and energy where they conclude, mem_peak, what each is based on (cpu_basis, ...) and
 * covered by samples (cpu_sampled, ...), and the efficiencies that follow; of a run without an
 * end also wall and time_efficiency. A figure that concludes nothing is absent, or what the
 * scheduler recorded, and has no efficiency.
 */
void use_rows_apply(const struct use *use, struct table *table, size_t row);

/* Whether use_rows_apply knows a field of this id by samples. */
bool use_rows_resolves(struct str id);
