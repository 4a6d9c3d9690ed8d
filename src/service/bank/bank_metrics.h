/* SPDX-License-Identifier: MIT */
#pragma once

/* What Prometheus is to know of the bank. Inside service/ only. */

#include "service/core/service.h"
#include "view/metrics/openmetrics.h"

/* Writes nothing where there is no bank. */
int bank_metrics(struct service *service, enum openmetrics_form form, struct buf *out,
                 struct error *err) MUST_CHECK;
