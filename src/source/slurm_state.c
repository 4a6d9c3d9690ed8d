/* SPDX-License-Identifier: MIT */
#include "source/slurm_row.h"

/*
 * Slurm's states, and what they mean in the words for all schedulers. A state has a base and may
 * have flags; JSON lists all of them, sacct prints the most telling. docs/sources/slurm.md gives
 * the reasons.
 */

struct state {
    const char *name;
    enum run_class class;
};

static const struct state states[] = {
    {"COMPLETED", CLASS_COMPLETED},     {"FAILED", CLASS_FAILED},
    {"CANCELLED", CLASS_CANCELLED},     {"TIMEOUT", CLASS_TIMEOUT},
    {"OUT_OF_MEMORY", CLASS_OOM},       {"NODE_FAIL", CLASS_NODE_FAIL},
    {"RUNNING", CLASS_RUNNING},         {"PENDING", CLASS_PENDING},
    {"PREEMPTED", CLASS_REQUEUED},      {"REQUEUED", CLASS_REQUEUED},
    {"RESIZING", CLASS_REQUEUED},       {"SUSPENDED", CLASS_SUSPENDED},
    {"DEADLINE", CLASS_TIMEOUT},        {"BOOT_FAIL", CLASS_NODE_FAIL},
    {"LAUNCH_FAILED", CLASS_NODE_FAIL}, {"RECONFIG_FAIL", CLASS_NODE_FAIL},
    {"REVOKED", CLASS_CANCELLED},       {"SPECIAL_EXIT", CLASS_FAILED},
    {"CONFIGURING", CLASS_RUNNING},     {"COMPLETING", CLASS_RUNNING},
    {"SIGNALING", CLASS_RUNNING},       {"STAGE_OUT", CLASS_RUNNING},
    {"POWER_UP_NODE", CLASS_RUNNING},   {"EXPEDITING", CLASS_PENDING},
    {"REQUEUE_FED", CLASS_PENDING},     {"REQUEUE_HOLD", CLASS_PENDING},
    {"RESV_DEL_HOLD", CLASS_PENDING},   {"STOPPED", CLASS_SUSPENDED},
};

enum run_class slurm_state_class(struct str state)
{
    struct str base = str_cut(&state, '+');
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        if (str_eq(base, str_of(states[i].name))) {
            return states[i].class;
        }
    }
    return CLASS_OTHER;
}
