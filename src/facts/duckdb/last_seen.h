/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Up to when runs without an end were last seen, where no listing says it: a file that has the
 * record of one shows that it was still running at the file's newest event (`witnessed` of its
 * batches), or until its time limit if that came first. A record that says itself up to when
 * its run had run (RUN_FLAG_SEEN_RECORDED) is left alone; one of a listing that says when it
 * was made only at its end was seen then. Inside facts/ only.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"

/* Whether the file has runs without an end, this batch included. */
int last_seen_any(struct facts *facts, int64_t file, bool *any, struct error *err) MUST_CHECK;

/*
 * Sets `seen` of the runs without an end of a committed batch's file. Inside a transaction of
 * the caller.
 */
int last_seen_note(struct facts *facts, int64_t batch, struct error *err) MUST_CHECK;
