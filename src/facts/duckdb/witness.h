/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Up to when runs without an end were seen, where no listing says it: a file that tells of one has seen it go on up to
 * its own newest event (`witnessed` of its batches). Inside facts/ only.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"

/* Whether the file has runs without an end, this batch included. */
int witness_any(struct facts *facts, int64_t file, bool *any, struct error *err) MUST_CHECK;

/* Sets `seen` of the runs of a committed batch's file that go on. Inside a transaction of the caller. */
int witness_note(struct facts *facts, int64_t batch, struct error *err) MUST_CHECK;
