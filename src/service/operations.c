/* SPDX-License-Identifier: MIT */
#include "service/operations.h"

const struct operation *const operations[] = {
    &operation_import,
    &operation_pull,
    /* the everyday questions */
    &operation_usage,
    &operation_summary,
    &operation_top,
    &operation_efficiency,
    &operation_waste,
    &operation_compare,
    &operation_history,
    &operation_sizes,
    &operation_when,
    &operation_forecast,
    /* any question */
    &operation_report,
    &operation_measures,
    &operation_dimensions,
    &operation_nodes,
    &operation_queue,
    &operation_reservations,
    &operation_metrics,
    &operation_jobs,
    &operation_job,
    &operation_samples,
    /* what people decided */
    &operation_metagroup,
    &operation_member,
    &operation_people,
    &operation_cluster,
    &operation_name,
    &operation_capacity,
    &operation_gap,
    &operation_target,
    &operation_books,
    /* the bank */
    &operation_balance,
    &operation_bank,
    &operation_rate,
    /* the store */
    &operation_serve,
    &operation_token,
    &operation_user,
    &operation_rollup,
    &operation_check,
    &operation_doctor,
    &operation_quarantine,
    &operation_config,
    &operation_demo,
    NULL,
};
