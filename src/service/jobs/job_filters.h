/* SPDX-License-Identifier: MIT */
#pragma once

/* What jobs of the queue, and their waits, can be picked by. Inside service/ only. */

#include "service/core/params.h"

#define JOB_FILTERS                                                                            \
    {"user", RUN_user}, {"group", RUN_group}, {"account", RUN_account},                        \
        {"cluster", RUN_cluster}, {"partition", RUN_partition},                                \
    {                                                                                          \
        "qos", RUN_qos                                                                         \
    }

#define JOB_FILTER_PARAMS                                                                      \
    PARAM_FILTER("user", 'u', "of these users"),                                               \
        PARAM_FILTER("group", 'g', "of these groups"),                                         \
        PARAM_FILTER("account", 'A', "of these accounts"),                                     \
        PARAM_FILTER("cluster", 'M', "on these clusters"),                                     \
        PARAM_FILTER("partition", 'r',                                                         \
                     "in these partitions or queues, or waiting for one of them"),             \
        PARAM_FILTER("qos", 'q', "with these qualities of service")
