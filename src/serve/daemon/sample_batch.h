/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Looks at nodes, as agents send them: packed lines of JSON, which come from elsewhere. A few
 * packed bytes can be many: a batch is unpacked up to SAMPLE_BATCH_MAX, its lines are parsed
 * one at a time, and of each the length, the depth and the number of values are limited before
 * it is parsed. So a batch needs SAMPLE_BATCH_MAX and the tree of one line at most, some 80 MB.
 */

#include <stddef.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

enum { SAMPLE_BATCH_MAX = 16 << 20 }; /* bytes of a batch once it is unpacked */

/*
 * Adds the lines of a batch to `out`, of SAMPLE_BATCH_MAX. ERROR_LIMIT: it is larger than that;
 * ERROR_INPUT: it is no batch.
 */
int sample_batch_unpack(struct str packed, struct buf *out, struct error *err) MUST_CHECK;

/* Asked for each look of a batch: of which node it is, and its bytes. */
typedef int sample_batch_admit(void *owner, struct str node, size_t bytes, struct error *err);

/*
 * Whether each line is a look or empty. What is in the inbox is imported together: one batch of
 * something else would keep out all that comes after it. ERROR_LIMIT: a line is larger than a
 * look; ERROR_INPUT: it is not one; or what `admit` says.
 */
int sample_batch_check(struct str looks, sample_batch_admit *admit, void *owner,
                       struct error *err) MUST_CHECK;
