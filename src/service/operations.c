/* SPDX-License-Identifier: MIT */
#include "service/operations.h"

const struct operation *const operations[] = {
    &operation_import, &operation_report,     &operation_measures, &operation_dimensions,
    &operation_jobs,   &operation_job,        &operation_rollup,   &operation_doctor,
    &operation_check,  &operation_quarantine, &operation_demo,     NULL,
};
