/* SPDX-License-Identifier: MIT */
#include "record/precedence.h"

/* Where the flags of a field (run.h) do not say it, and it is not PRECEDENCE_VALUE. */
static const struct {
    enum run_field field;
    enum precedence precedence;
} exceptions[] = {
    {RUN_nodes, PRECEDENCE_USE},
    {RUN_node_count, PRECEDENCE_USE},
    {RUN_mem_basis, PRECEDENCE_USE},
    {RUN_end, PRECEDENCE_STANDING},
    {RUN_state, PRECEDENCE_STANDING},
    {RUN_class, PRECEDENCE_STANDING},
    {RUN_reason, PRECEDENCE_STANDING},
    {RUN_task_count, PRECEDENCE_STANDING},
    {RUN_part, PRECEDENCE_RECORD},
    {RUN_whole, PRECEDENCE_RECORD},
    {RUN_source, PRECEDENCE_RECORD},
    {RUN_file, PRECEDENCE_RECORD},
    {RUN_line, PRECEDENCE_RECORD},
    {RUN_digest, PRECEDENCE_RECORD},
    {RUN_origin, PRECEDENCE_RECORD},
    {RUN_start, PRECEDENCE_DERIVED},
    {RUN_until, PRECEDENCE_DERIVED},
    {RUN_seen, PRECEDENCE_DERIVED},
    {RUN_flags, PRECEDENCE_DERIVED},
    {RUN_batch, PRECEDENCE_DERIVED},
    {RUN_field_origins, PRECEDENCE_DERIVED},
};

enum precedence precedence_of(enum run_field field)
{
    for (size_t i = 0; i < COUNT_OF(exceptions); i++) {
        if (exceptions[i].field == field) {
            return exceptions[i].precedence;
        }
    }
    const unsigned flags = run_fields[field].flags;
    if (flags & FIELD_KEY) {
        return PRECEDENCE_IDENTITY;
    }
    return flags & (FIELD_MEASURED | FIELD_PEAK) ? PRECEDENCE_USE : PRECEDENCE_VALUE;
}
