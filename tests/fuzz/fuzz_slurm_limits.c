/* SPDX-License-Identifier: MIT */
#include "enforce/sge/sge_quotas.h"
#include "enforce/slurm/slurm_limits.h"
#include "fuzz/driver.h"

/* Any bytes as an answer of a scheduler about its limits: the first says of which program. */

static void check_states(const struct enforce_states *states)
{
    for (size_t i = 0; i < states->count; i++) {
        const struct enforce_state *state = &states->rows[i];
        must(state->target.kind < ENFORCE_KINDS && state->target.name.len > 0);
        must(state->used_s >= 0 && state->running_min >= 0);
        must(i == 0 ||
             enforce_target_compare(&states->rows[i - 1].target, &state->target) <= 0);
        for (unsigned mode = 0; mode < ENFORCE_MODES; mode++) {
            must(state->values[mode].n >= 0);
            must(state->marks[mode].set >= 0 && state->marks[mode].before.n >= 0);
        }
    }
}

static int read(uint8_t which, struct str text, struct enforce_states *states,
                struct error *err)
{
    static const char some[] = "root||||||||||\nchem|||root|||||||\nchem|ann|||||||||a\n";
    switch (which % 6) {
    case 0:
        return slurm_limits_assocs(text, states, err);
    case 1:
        must(slurm_limits_assocs(str_of(some), states, err) == 0);
        return slurm_limits_shares(text, states, err);
    case 2:
        return sge_quotas_read(text, states, err);
    case 3:
        return slurm_limits_qos(text, states, err);
    case 4:
        must(slurm_limits_qos(STR("a||billing=3|||1\n"), states, err) == 0);
        must(slurm_limits_assocs(str_of(some), states, err) == 0);
        return slurm_limits_partitions(text, states, err);
    default:
        return slurm_limits_config(text, ENFORCE_LIMIT, false, &states->safe, err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct enforce_states states = {0};
    struct error err = {0};
    if (size == 0) {
        return 0;
    }
    if (read(data[0], (struct str){(const char *)data + 1, size - 1}, &states, &err)) {
        must(err.text[0] != '\0');
    } else {
        check_states(&states);
    }
    enforce_states_release(&states);
    return 0;
}
