/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The name of a run that lasts: text made from its identity (the FIELD_KEY fields of
 * record/run.h) and nothing else. Two runs have the same name if and only if they are the same
 * run, on every machine and engine that reads the same records. It is computed, never stored.
 *
 *     CLUSTER:JOB[.TASK][+COMPONENT][@ATTEMPT]
 *
 *     birch:336698                       a job
 *     birch:336698.4@1759167225          task 4 of it, of the attempt that this instant distinguishes
 *     birch:336698+1@1759167225.25       component 1; an instant below the second
 *     cedar:~3f2b9c10-77ab               a job that has no number: its own id (job_key) behind a tilde
 *     fir:12@-7                          an attempt below zero is no instant: the number as it is
 *
 * Absent fields are absent. An attempt from zero up is printed in seconds since 1970, with as
 * many decimals as it has. In the cluster and the id every byte but letters, digits, `_`, `-`
 * and (in the cluster) `.` is written as `=` and two hexadecimal digits, so that the text needs
 * no escaping in a URL path, a comma list, a glob or a shell, and is plain ASCII.
 *
 * There is one way to write each name: run_id_parse refuses all others.
 */

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "record/run.h"

/* Adds the name to `out`. The run has a cluster, and a job or a job_key (run_check). */
void run_id_print(const struct run *run, struct buf *out);

/*
 * Sets the FIELD_KEY fields of `run`, absent ones included, and no others; text is the arena's.
 * False, with `run` in any state, if it is not a name as run_id_print writes them.
 */
bool run_id_parse(struct str text, struct arena *arena, struct run *run);
