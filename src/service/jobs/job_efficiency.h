/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * stint efficiency --by job: runs one by one, what each used of what it had, the newest first.
 * What each used is that of report/use/use.h. Tasks of an array are one row, with the mean of
 * what they used, by the time they ran. Inside service/ only.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "service/core/service.h"

int job_efficiency(struct service *service, const struct request *request,
                   struct answer *answer, struct error *err) MUST_CHECK;
