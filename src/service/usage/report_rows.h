/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The rows of a report for a program that asks many: without notes, totals and targets, each of
 * which takes questions of its own to find. Inside service/ only.
 */

#include "service/core/service.h"

/* Takes what the operation `report` takes. */
int report_rows(struct service *service, const struct request *request, struct answer *answer,
                struct error *err) MUST_CHECK;

/*
 * How many runs the measures of it, which are over time, could not take in, by cluster: see
 * omitted_by_cluster.
 */
int report_omitted(struct service *service, const struct request *request,
                   struct answer *answer, struct error *err) MUST_CHECK;
