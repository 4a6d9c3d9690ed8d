/* SPDX-License-Identifier: MIT */
#include "record/precedence.h"

/* Where the flags of a field (run.h) do not say it, and it is not PRECEDENCE_VALUE. */
static const struct {
    bool set;
    enum precedence precedence;
} exceptions[RUN_FIELD_COUNT] = {
    [RUN_nodes] = {true, PRECEDENCE_USE},
    [RUN_node_count] = {true, PRECEDENCE_USE},
    [RUN_mem_basis] = {true, PRECEDENCE_USE},
    [RUN_end] = {true, PRECEDENCE_STANDING},
    [RUN_state] = {true, PRECEDENCE_STANDING},
    [RUN_class] = {true, PRECEDENCE_STANDING},
    [RUN_reason] = {true, PRECEDENCE_STANDING},
    [RUN_task_count] = {true, PRECEDENCE_STANDING},
    [RUN_part] = {true, PRECEDENCE_RECORD},
    [RUN_whole] = {true, PRECEDENCE_RECORD},
    [RUN_source] = {true, PRECEDENCE_RECORD},
    [RUN_file] = {true, PRECEDENCE_RECORD},
    [RUN_line] = {true, PRECEDENCE_RECORD},
    [RUN_digest] = {true, PRECEDENCE_RECORD},
    [RUN_origin] = {true, PRECEDENCE_RECORD},
    [RUN_start] = {true, PRECEDENCE_DERIVED},
    [RUN_until] = {true, PRECEDENCE_DERIVED},
    [RUN_seen] = {true, PRECEDENCE_DERIVED},
    [RUN_flags] = {true, PRECEDENCE_DERIVED},
    [RUN_batch] = {true, PRECEDENCE_DERIVED},
    [RUN_field_origins] = {true, PRECEDENCE_DERIVED},
};

enum precedence precedence_of(enum run_field field)
{
    if (exceptions[field].set) {
        return exceptions[field].precedence;
    }
    const unsigned flags = run_fields[field].flags;
    if (flags & FIELD_KEY) {
        return PRECEDENCE_IDENTITY;
    }
    return flags & (FIELD_MEASURED | FIELD_PEAK) ? PRECEDENCE_USE : PRECEDENCE_VALUE;
}
