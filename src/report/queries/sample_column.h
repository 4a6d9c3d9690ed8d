/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Columns of `stint samples`: the fields of a sample (record/sample.h), and what is worked out
 * from a sample and those around it when it is asked for. All of them have the shape of a
 * field, and filters (report/filter.h) take them as they take those of a run.
 */

#include <stdbool.h>
#include <stddef.h>

#include "record/sample.h"

/* What is worked out. */
extern const struct field sample_derived[];
extern const size_t sample_derived_count;

/* All but bookkeeping, the fields first; NULL beyond the last. */
const struct field *sample_column_at(size_t index);

/* The one with this id, bookkeeping included, or NULL. */
const struct field *sample_column_find(struct str id);

/* Whether it is a column of samples at all, and one that is worked out. */
bool sample_column_is(const struct field *field);
bool sample_column_is_derived(const struct field *field);
