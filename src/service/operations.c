/* SPDX-License-Identifier: MIT */
#include "service/operations.h"

const struct operation *const operations[] = {
    &operation_import,     &operation_report, &operation_measures,
    &operation_dimensions, &operation_jobs,   &operation_job,
    &operation_metagroup,  &operation_member, &operation_people,
    &operation_cluster,    &operation_name,   &operation_capacity,
    &operation_gap,        &operation_target, &operation_books,
    &operation_rollup,     &operation_check,  &operation_doctor,
    &operation_quarantine, &operation_demo,   NULL,
};
