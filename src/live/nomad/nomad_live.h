/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Nomad, by its HTTP API. A pull asks for the jobs, all allocations and the nodes. Allocations
 * that wait or run and jobs that wait for one are the listing; those that changed since the
 * last pull, which Nomad counts (ModifyIndex), are asked for one by one and are the history:
 * their documents have the job with them.
 *
 * Nomad forgets what has ended after some hours. As long as a pull comes before that, nothing
 * is missed, however short it was. With `wait`, an answer is held back until something changes,
 * so that pulls follow each other as things happen.
 */

#include "live/live.h"

extern const struct live_driver nomad_live;
