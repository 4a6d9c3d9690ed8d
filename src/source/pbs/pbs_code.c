/* SPDX-License-Identifier: MIT */
#include "base/attribute.h"
#include "source/pbs/pbs_record.h"

/*
 * What exit statuses mean. Those of the job are 0 to 255; 256 + n and 10000 + n are signal n;
 * what is below zero was said by the server or the node. The two makers agree down to -7 and
 * went their own ways from there: Torque says at -10 to -12 which limit was passed, PBS Pro at
 * -24 to -29.
 */

struct code {
    int64_t status;
    enum run_class class;
    const char *reason;
};

static const struct code common_codes[] = {
    {-1, CLASS_FAILED, "could not be executed; before its files were there"},
    {-2, CLASS_FAILED, "could not be executed; after its files were there"},
    {-3, CLASS_REQUEUED, "could not be executed and will be retried"},
    {-4, CLASS_NODE_FAIL, "aborted when its node restarted"},
    {-5, CLASS_REQUEUED, "aborted when its node restarted; has a checkpoint there"},
    {-6, CLASS_REQUEUED, "aborted when its node restarted; has a checkpoint"},
    {-7, CLASS_FAILED, "could not be restarted from its checkpoint"},
};

static const struct code torque_codes[] = {
    {-8, CLASS_FAILED, "its command could not be run"},
    {-9, CLASS_FAILED, "its output file could not be opened"},
    {-10, CLASS_OOM, "passed its memory limit"},
    {-11, CLASS_TIMEOUT, "passed its wall time limit"},
    {-12, CLASS_TIMEOUT, "passed its cpu time limit"},
    {-13, CLASS_REQUEUED, "its control group could not be created; to be retried"},
    {-14, CLASS_REQUEUED, "its prologue failed; to be retried"},
};

static const struct code pro_codes[] = {
    {-10, CLASS_FAILED, "its user or group is not valid on the node"},
    {-11, CLASS_REQUEUED, "was rerun"},
    {-12, CLASS_REQUEUED, "was checkpointed and held"},
    {-13, CLASS_FAILED, "its password was refused"},
    {-14, CLASS_REQUEUED, "could not begin on all of its nodes, and was requeued"},
    {-15, CLASS_REQUEUED, "was requeued at the restart of its node"},
    {-16, CLASS_REQUEUED, "a hook failed and it was requeued"},
    {-17, CLASS_CANCELLED, "a hook failed and it was deleted"},
    {-18, CLASS_REQUEUED, "a hook requeued it"},
    {-19, CLASS_CANCELLED, "a hook deleted it"},
    {-20, CLASS_NODE_FAIL, "its first node was lost, and it was requeued"},
    {-21, CLASS_FAILED, "failed a security check"},
    {-22, CLASS_NODE_FAIL, "a hook had an error"},
    {-23, CLASS_FAILED, "its Kerberos ticket could not be used"},
    {-24, CLASS_FAILED, "passed its limit of cpus at one time"},
    {-25, CLASS_FAILED, "passed its limit of cpus on average"},
    {-26, CLASS_OOM, "passed its virtual memory limit"},
    {-27, CLASS_OOM, "passed its memory limit"},
    {-28, CLASS_TIMEOUT, "passed its cpu time limit"},
    {-29, CLASS_TIMEOUT, "passed its wall time limit"},
    {-30, CLASS_NODE_FAIL, "its nodes could not be joined"},
};

static const struct code *find_in(const struct code *codes, size_t count, int64_t status)
{
    for (size_t i = 0; i < count; i++) {
        if (codes[i].status == status) {
            return &codes[i];
        }
    }
    return NULL;
}

static const struct code *find_code(const struct pbs_end *end)
{
    const struct code *code = find_in(common_codes, COUNT_OF(common_codes), end->exit_status);
    if (code) {
        return code;
    }
    return end->torque ? find_in(torque_codes, COUNT_OF(torque_codes), end->exit_status)
                       : find_in(pro_codes, COUNT_OF(pro_codes), end->exit_status);
}

int64_t pbs_code_signal(int64_t exit_status)
{
    if (exit_status > 256 && exit_status <= 256 + 64) {
        return exit_status - 256;
    }
    if (exit_status > 10000 && exit_status <= 10000 + 64) {
        return exit_status - 10000;
    }
    return 0;
}

enum run_class pbs_code_class(const struct pbs_end *end)
{
    if (end->exit_status == 0) {
        return CLASS_COMPLETED;
    }
    if (end->exit_status < 0) {
        const struct code *code = find_code(end);
        return code ? code->class : CLASS_OTHER;
    }
    return end->over_time ? CLASS_TIMEOUT : end->over_memory ? CLASS_OOM : CLASS_FAILED;
}

struct str pbs_code_reason(const struct pbs_end *end)
{
    const struct code *code = end->exit_status < 0 ? find_code(end) : NULL;
    return code ? str_of(code->reason) : (struct str){0};
}
