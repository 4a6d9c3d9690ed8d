/* SPDX-License-Identifier: MIT */
#include "record/teller.h"

/* From the field on, up to the next of these: fields stand in groups (run.h). */
static const struct {
    enum run_field first;
    enum field_group group;
} groups[] = {
    {RUN_cluster, GROUP_NONE},        {RUN_array_job, GROUP_IDENTITY},
    {RUN_part, GROUP_NONE},           {RUN_name, GROUP_IDENTITY},
    {RUN_nodes, GROUP_ALLOCATION},    {RUN_submit_host, GROUP_IDENTITY},
    {RUN_request, GROUP_REQUEST},     {RUN_cpus, GROUP_ALLOCATION},
    {RUN_submit, GROUP_TIMES},        {RUN_end, GROUP_STANDING},
    {RUN_suspended_us, GROUP_TIMES},  {RUN_state, GROUP_STANDING},
    {RUN_exit_code, GROUP_END},       {RUN_reason, GROUP_STANDING},
    {RUN_cpu_user_us, GROUP_USE},     {RUN_flags, GROUP_NONE},
    {RUN_gpu_used_us, GROUP_USE},     {RUN_job_raw, GROUP_IDENTITY},
    {RUN_task_count, GROUP_STANDING}, {RUN_seen, GROUP_NONE},
};

enum field_group teller_group(enum run_field field)
{
    enum field_group group = GROUP_NONE;
    for (size_t i = 0; i < COUNT_OF(groups) && groups[i].first <= field; i++) {
        group = groups[i].group;
    }
    return group;
}

int teller_weight(enum field_group group, enum run_teller teller)
{
    static const int weights[GROUP_COUNT][TELLER_DATABASE + 1] = {
        /* listing, log, database */
        [GROUP_IDENTITY] = {0, 1, 2, 3}, [GROUP_TIMES] = {0, 1, 2, 3},
        [GROUP_REQUEST] = {0, 1, 2, 3},  [GROUP_ALLOCATION] = {0, 1, 2, 3},
        [GROUP_USE] = {0, 1, 2, 3},      [GROUP_END] = {0, 1, 2, 3},
    };
    return weights[group][teller];
}
