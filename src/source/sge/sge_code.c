/* SPDX-License-Identifier: MIT */
#include "source/sge/sge_row.h"

/*
 * The `failed` column, as sge_diagnostics(1) and the accounting pages of the several Grid
 * Engines list it. Two ideas decide the class: what went wrong between the job and the
 * machine's own programs (shepherd, prolog, epilog, start procedures) is the machine's doing,
 * what the job brought along (its shell, its folder, its output file) is the job's.
 */

struct failure {
    const char *reason;
    enum run_class class;
};

enum {
    FAILED_MIGRATING = 24,
    FAILED_AGAIN = 25,
    FAILED_LIMIT = 37,
    FAILED_AFTER_JOB = 100,
    FAILURE_COUNT = 39,
    SIGNAL_XCPU = 24,
};

static const struct failure failures[FAILURE_COUNT] = {
    [1] = {"could not be started", CLASS_FAILED},
    [2] = {"the shepherd could not be run", CLASS_NODE_FAIL},
    [3] = {"the shepherd's configuration could not be written", CLASS_NODE_FAIL},
    [4] = {"the shepherd left no process id", CLASS_NODE_FAIL},
    [5] = {"the shepherd could not read its configuration", CLASS_NODE_FAIL},
    [6] = {"no processor set could be made", CLASS_NODE_FAIL},
    [7] = {"the prolog could not be started", CLASS_NODE_FAIL},
    [8] = {"the prolog failed", CLASS_NODE_FAIL},
    [9] = {"the parallel start procedure could not be started", CLASS_NODE_FAIL},
    [10] = {"the parallel start procedure failed", CLASS_NODE_FAIL},
    [11] = {"the shepherd could not start the job", CLASS_NODE_FAIL},
    [12] = {"the parallel stop procedure could not be started", CLASS_NODE_FAIL},
    [13] = {"the parallel stop procedure failed", CLASS_NODE_FAIL},
    [14] = {"the epilog could not be started", CLASS_NODE_FAIL},
    [15] = {"the epilog failed", CLASS_NODE_FAIL},
    [16] = {"the processor set could not be given back", CLASS_NODE_FAIL},
    [17] = {"ended by a signal", CLASS_FAILED},
    [18] = {"the shepherd ended with an error", CLASS_NODE_FAIL},
    [19] = {"the shepherd left no exit status", CLASS_NODE_FAIL},
    [20] = {"the shepherd's error file could not be read", CLASS_NODE_FAIL},
    [21] = {"the execution daemon did not know the job", CLASS_NODE_FAIL},
    [22] = {"the execution daemon lost the running job", CLASS_NODE_FAIL},
    [23] = {"the job's processes could not be found", CLASS_NODE_FAIL},
    [FAILED_MIGRATING] = {"stopped to be moved to another host", CLASS_REQUEUED},
    [FAILED_AGAIN] = {"stopped to be run again", CLASS_REQUEUED},
    [26] = {"its input, output or error file could not be opened", CLASS_FAILED},
    [27] = {"the shell it asked for was not found", CLASS_FAILED},
    [28] = {"its working folder could not be entered", CLASS_FAILED},
    [29] = {"AFS could not be set up", CLASS_NODE_FAIL},
    [30] = {"the application reported an error (exit status 100)", CLASS_FAILED},
    [31] = {"the password file could not be read", CLASS_NODE_FAIL},
    [32] = {"the owner is not in the password file", CLASS_FAILED},
    [33] = {"the owner's password is wrong", CLASS_FAILED},
    [34] = {"the helper service did not answer", CLASS_NODE_FAIL},
    [35] = {"the helper service failed before the job", CLASS_NODE_FAIL},
    [36] = {"a daemon for interactive jobs is not there", CLASS_NODE_FAIL},
    [FAILED_LIMIT] = {"ended for exceeding a limit on time, cpu time or memory", CLASS_TIMEOUT},
    [38] = {"the group that marks its processes could not be set", CLASS_NODE_FAIL},
};

struct str sge_code_reason(int64_t failed)
{
    if (failed == 0) {
        return (struct str){0};
    }
    if (failed > 0 && failed < FAILURE_COUNT && failures[failed].reason) {
        return str_of(failures[failed].reason);
    }
    if (failed == FAILED_AFTER_JOB) {
        return STR("ended by a signal, or its usage was not reported");
    }
    return STR("a failure code that is not documented");
}

int64_t sge_code_signal(int64_t exit_status)
{
    return exit_status > 128 && exit_status <= 128 + 64 ? exit_status - 128 : 0;
}

/* A job that reached a limit is often just killed: code 100 or 0, and a signal. */
static enum run_class class_of_killed(const struct sge_end *end)
{
    if (end->over_time) {
        return CLASS_TIMEOUT;
    }
    if (end->over_memory) {
        return CLASS_OOM;
    }
    bool by_soft_cpu_limit = end->exit_status == 128 + SIGNAL_XCPU;
    return end->failed == FAILED_LIMIT || by_soft_cpu_limit ? CLASS_TIMEOUT : CLASS_FAILED;
}

bool sge_code_is_requeued(int64_t failed)
{
    return failed == FAILED_MIGRATING || failed == FAILED_AGAIN;
}

enum run_class sge_code_class(const struct sge_end *end)
{
    if (end->failed == 0 && end->exit_status == 0) {
        return CLASS_COMPLETED;
    }
    if (sge_code_is_requeued(end->failed)) {
        return CLASS_REQUEUED;
    }
    if (end->deleted) {
        return CLASS_CANCELLED;
    }
    if (end->failed == FAILED_LIMIT || end->failed == FAILED_AFTER_JOB ||
        (end->failed == 0 && sge_code_signal(end->exit_status) != 0)) {
        return class_of_killed(end);
    }
    if (end->failed == 0) {
        return CLASS_FAILED;
    }
    if (end->failed > 0 && end->failed < FAILURE_COUNT && failures[end->failed].reason) {
        return failures[end->failed].class;
    }
    return CLASS_OTHER;
}
