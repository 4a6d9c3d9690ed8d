/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Roll-ups after an import or a pull. What was taken is safe already, so that a failure is only worth a note: reports go
 * by the runs themselves until it works.
 */

#include <stdint.h>

#include "service/service.h"

/* Brings them up to date after `changed` runs were written, or notes how to. */
void rolling_follow(const struct service *service, int64_t changed, struct answer *answer);
