/* SPDX-License-Identifier: MIT */
#include "base/attribute.h"
#include "source/lsf/lsf_record.h"

/*
 * Why a job ended, as exitInfo says it; the numbers are those of lsbatch.h.
 */

struct code {
    const char *reason; /* NULL: a number without a meaning */
    enum run_class class;
};

static const struct code codes[] = {
    [1] = {"TERM_PREEMPT: killed after preemption", CLASS_REQUEUED},
    [2] = {"TERM_WINDOW: its queue's run window closed", CLASS_CANCELLED},
    [3] = {"TERM_LOAD: its host passed a load threshold", CLASS_CANCELLED},
    [4] = {"TERM_OTHER: ended by LSF", CLASS_FAILED},
    [5] = {"TERM_RUNLIMIT: reached its run limit", CLASS_TIMEOUT},
    [6] = {"TERM_DEADLINE: reached its deadline", CLASS_TIMEOUT},
    [7] = {"TERM_PROCESSLIMIT: reached its limit of processes", CLASS_FAILED},
    [8] = {"TERM_FORCE_OWNER: killed at once by its owner", CLASS_CANCELLED},
    [9] = {"TERM_FORCE_ADMIN: killed at once by an administrator", CLASS_CANCELLED},
    [10] = {"TERM_REQUEUE_OWNER: requeued by its owner", CLASS_REQUEUED},
    [11] = {"TERM_REQUEUE_ADMIN: requeued by an administrator", CLASS_REQUEUED},
    [12] = {"TERM_CPULIMIT: reached its cpu limit", CLASS_TIMEOUT},
    [13] = {"TERM_CHKPNT: killed after a checkpoint", CLASS_REQUEUED},
    [14] = {"TERM_OWNER: killed by its owner", CLASS_CANCELLED},
    [15] = {"TERM_ADMIN: killed by an administrator", CLASS_CANCELLED},
    [16] = {"TERM_MEMLIMIT: reached its memory limit", CLASS_OOM},
    [17] = {"TERM_EXTERNAL_SIGNAL: killed by a signal from outside LSF", CLASS_FAILED},
    [18] = {"TERM_RMS: ended by the resource manager", CLASS_FAILED},
    [19] = {"TERM_ZOMBIE: its host was lost", CLASS_NODE_FAIL},
    [20] = {"TERM_SWAP: reached its swap limit", CLASS_OOM},
    [21] = {"TERM_THREADLIMIT: reached its limit of threads", CLASS_FAILED},
    [22] = {"TERM_SLURM: ended by Slurm", CLASS_FAILED},
    [23] = {"TERM_BUCKET_KILL: killed with its bucket", CLASS_CANCELLED},
    [24] = {"TERM_CTRL_PID: killed by its control process", CLASS_CANCELLED},
    [25] = {"TERM_CWD_NOTEXIST: its working folder does not exist", CLASS_FAILED},
    [26] = {"TERM_REMOVE_HUNG_JOB: hung, and was removed", CLASS_NODE_FAIL},
    [27] = {"TERM_ORPHAN_SYSTEM: the job it depended on is gone", CLASS_CANCELLED},
    [28] = {"TERM_PRE_EXEC_FAIL: its pre-execution command failed", CLASS_NODE_FAIL},
    [29] = {"TERM_DATA: its data could not be fetched", CLASS_FAILED},
    [30] = {"TERM_MC_RECALL: recalled by its own cluster", CLASS_REQUEUED},
    [31] = {"TERM_RC_RECLAIM: its rented host was taken back", CLASS_NODE_FAIL},
};

static const struct code *find_code(const struct lsf_end *end)
{
    if (end->exit_info <= 0 || end->exit_info >= (int64_t)COUNT_OF(codes) ||
        !codes[end->exit_info].reason) {
        return NULL;
    }
    return &codes[end->exit_info];
}

enum run_class lsf_code_class(const struct lsf_end *end)
{
    const struct code *code = find_code(end);
    if (end->status == LSF_STATUS_DONE) {
        return CLASS_COMPLETED;
    }
    if (end->status != LSF_STATUS_EXIT) {
        return CLASS_OTHER;
    }
    return code ? code->class : CLASS_FAILED;
}

struct str lsf_code_reason(const struct lsf_end *end)
{
    const struct code *code = find_code(end);
    return code ? str_of(code->reason) : (struct str){0};
}
