/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Clusters whose size is not known for all of the time, so that utilization is unknown. Inside
 * service/ only.
 */

#include "report/question.h"
#include "service/core/service.h"

/*
 * Notes below the answer to a question if something in it is unknown for want of a size: of
 * which clusters, for how much of the time, and how to tell it.
 */
int unknown_capacity_note(const struct service *service, struct facts *facts,
                          const struct question *question, struct answer *answer,
                          struct error *err) MUST_CHECK;
