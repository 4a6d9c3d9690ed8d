/* SPDX-License-Identifier: MIT */
#include "source/slurm/slurm_row.h"

/*
 * Slurm's states, and what they mean in the words for all schedulers. A state has a base and
 * may have flags; JSON lists all of them, sacct prints the most telling. docs/sources/slurm.md
 * gives the reasons.
 */

struct state {
    struct str name;
    enum run_class class;
};

#define STATE(name, class)                                                                     \
    {                                                                                          \
        {#name, sizeof(#name) - 1}, (class)                                                    \
    }

static const struct state states[] = {
    STATE(COMPLETED, CLASS_COMPLETED),     STATE(FAILED, CLASS_FAILED),
    STATE(CANCELLED, CLASS_CANCELLED),     STATE(TIMEOUT, CLASS_TIMEOUT),
    STATE(OUT_OF_MEMORY, CLASS_OOM),       STATE(NODE_FAIL, CLASS_NODE_FAIL),
    STATE(RUNNING, CLASS_RUNNING),         STATE(PENDING, CLASS_PENDING),
    STATE(PREEMPTED, CLASS_REQUEUED),      STATE(REQUEUED, CLASS_REQUEUED),
    STATE(RESIZING, CLASS_REQUEUED),       STATE(SUSPENDED, CLASS_SUSPENDED),
    STATE(DEADLINE, CLASS_TIMEOUT),        STATE(BOOT_FAIL, CLASS_NODE_FAIL),
    STATE(LAUNCH_FAILED, CLASS_NODE_FAIL), STATE(RECONFIG_FAIL, CLASS_NODE_FAIL),
    STATE(REVOKED, CLASS_CANCELLED),       STATE(SPECIAL_EXIT, CLASS_FAILED),
    STATE(CONFIGURING, CLASS_RUNNING),     STATE(COMPLETING, CLASS_RUNNING),
    STATE(SIGNALING, CLASS_RUNNING),       STATE(STAGE_OUT, CLASS_RUNNING),
    STATE(POWER_UP_NODE, CLASS_RUNNING),   STATE(EXPEDITING, CLASS_PENDING),
    STATE(REQUEUE_FED, CLASS_PENDING),     STATE(REQUEUE_HOLD, CLASS_PENDING),
    STATE(RESV_DEL_HOLD, CLASS_PENDING),   STATE(STOPPED, CLASS_SUSPENDED),
};

enum run_class slurm_state_class(struct str state)
{
    struct str base = str_cut(&state, '+');
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        if (str_eq(base, states[i].name)) {
            return states[i].class;
        }
    }
    return CLASS_OTHER;
}
