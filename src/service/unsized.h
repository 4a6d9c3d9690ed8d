/* SPDX-License-Identifier: MIT */
#pragma once

/* Clusters whose size nobody wrote down, so that utilization is unknown. Inside service/ only. */

#include "report/question.h"
#include "service/service.h"

/*
 * A note below the answer to a question if a utilization in it is unknown for want of a size: of which
 * clusters, and how to tell it.
 */
int unsized_note(const struct service *service, struct facts *facts,
                 const struct question *question, struct answer *answer,
                 struct error *err) MUST_CHECK;
