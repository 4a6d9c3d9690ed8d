/* SPDX-License-Identifier: MIT */
#include "advice/wait.h"

#include <string.h>

#include "base/attribute.h"
#include "support/expect.h"

#define HOUR 3600e6
#define GIB  (1024.0 * 1024 * 1024)

/* --- what the scheduler says ------------------------------------------------------------------------- */

struct said_case {
    const char *name;
    const char *source, *state, *reason;
    enum wait_verdict verdict;
    const char *has; /* in the text */
};

static const struct said_case said_cases[] = {
    {"slurm PENDING JobHeldUser", "slurm", "PENDING", "JobHeldUser", WAIT_HELD,
     "scontrol release 47 lets"},
    {"slurm PENDING JobHeldAdmin", "slurm", "PENDING", "JobHeldAdmin", WAIT_HELD,
     "operators hold it"},
    {"slurm PENDING Dependency", "slurm", "PENDING", "Dependency", WAIT_GOES_ON, "depends on"},
    {"slurm PENDING DependencyNeverSatisfied", "slurm", "PENDING", "DependencyNeverSatisfied",
     WAIT_NEVER, "cancel it"},
    {"slurm PENDING Priority", "slurm", "PENDING", "Priority", WAIT_GOES_ON, "higher priority"},
    {"slurm PENDING Resources", "slurm", "PENDING", "Resources", WAIT_GOES_ON, "not free"},
    {"slurm PENDING BeginTime", "slurm", "PENDING", "BeginTime", WAIT_GOES_ON, "start later"},
    {"slurm PENDING PartitionTimeLimit", "slurm", "PENDING", "PartitionTimeLimit", WAIT_NEVER,
     "time limit"},
    {"slurm PENDING ReqNodeNotAvail", "slurm", "PENDING", "ReqNodeNotAvail", WAIT_GOES_ON,
     "down"},
    {"slurm PENDING ReqNodeNotAvail, UnavailableNodes:c[1-3]", "slurm", "PENDING",
     "ReqNodeNotAvail, UnavailableNodes:c[1-3]", WAIT_GOES_ON, "down"},
    {"nodes down, as a sentence", "slurm", "PENDING",
     "Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_"
     "partitions",
     WAIT_GOES_ON, "kept for jobs"},
    {"slurm PENDING launch_failed_requeued_held", "slurm", "PENDING",
     "launch_failed_requeued_held", WAIT_HELD, "could not be started"},
    {"slurm PENDING AssocGrpCpuLimit", "slurm", "PENDING", "AssocGrpCpuLimit", WAIT_GOES_ON,
     "its account"},
    {"slurm PENDING AssocGrpGRES", "slurm", "PENDING", "AssocGrpGRES", WAIT_GOES_ON,
     "its account"},
    {"slurm PENDING AssocMaxJobsLimit", "slurm", "PENDING", "AssocMaxJobsLimit", WAIT_GOES_ON,
     "its account"},
    {"slurm PENDING AssocGrpCPUMinutesLimit", "slurm", "PENDING", "AssocGrpCPUMinutesLimit",
     WAIT_HELD, "used up"},
    {"slurm PENDING AssocGrpBillingMinutes", "slurm", "PENDING", "AssocGrpBillingMinutes",
     WAIT_HELD, "used up"},
    {"slurm PENDING AssocGrpGRESMinutes", "slurm", "PENDING", "AssocGrpGRESMinutes", WAIT_HELD,
     "used up"},
    {"slurm PENDING AssocGrpCPURunMinutesLimit", "slurm", "PENDING",
     "AssocGrpCPURunMinutesLimit", WAIT_GOES_ON, "time before them"},
    {"slurm PENDING AssocMaxWallDurationPerJobLimit", "slurm", "PENDING",
     "AssocMaxWallDurationPerJobLimit", WAIT_NEVER, "time limit"},
    {"slurm PENDING AssocMaxCpuPerJobLimit", "slurm", "PENDING", "AssocMaxCpuPerJobLimit",
     WAIT_NEVER, "for one job"},
    {"slurm PENDING QOSMaxCpuPerUserLimit", "slurm", "PENDING", "QOSMaxCpuPerUserLimit",
     WAIT_GOES_ON, "one person"},
    {"slurm PENDING QOSMaxGRESPerJob", "slurm", "PENDING", "QOSMaxGRESPerJob", WAIT_NEVER,
     "its QOS"},
    {"slurm PENDING QOSMinCpuNotSatisfied", "slurm", "PENDING", "QOSMinCpuNotSatisfied",
     WAIT_NEVER, "less than"},
    {"slurm PENDING QOSGrpCpuLimit", "slurm", "PENDING", "QOSGrpCpuLimit", WAIT_GOES_ON,
     "its QOS"},
    {"slurm PENDING JobHoldMaxRequeue", "slurm", "PENDING", "JobHoldMaxRequeue", WAIT_HELD,
     "requeued too often"},
    {"slurm PENDING JobLaunchFailure", "slurm", "PENDING", "JobLaunchFailure", WAIT_HELD,
     "on its nodes: tell"},
    {"slurm PENDING Licenses", "slurm", "PENDING", "Licenses", WAIT_GOES_ON, "licences"},
    {"slurm PENDING JobArrayTaskLimit", "slurm", "PENDING", "JobArrayTaskLimit", WAIT_GOES_ON,
     "tasks of its array"},
    {"slurm PENDING Reservation", "slurm", "PENDING", "Reservation", WAIT_GOES_ON,
     "has not begun"},
    {"slurm PENDING ReservationDeleted", "slurm", "PENDING", "ReservationDeleted", WAIT_HELD,
     "jobid=47 reservation=, then scontrol release 47"},
    {"slurm PENDING PartitionNodeLimit", "slurm", "PENDING", "PartitionNodeLimit", WAIT_HELD,
     "more or fewer nodes"},
    {"slurm PENDING PartitionDown", "slurm", "PENDING", "PartitionDown", WAIT_HELD,
     "partition is down"},
    {"slurm PENDING PartitionInactive", "slurm", "PENDING", "PartitionInactive", WAIT_HELD,
     "starts no jobs"},
    {"slurm PENDING NodeDown", "slurm", "PENDING", "NodeDown", WAIT_GOES_ON,
     "a node that it requires"},
    {"slurm PENDING BadConstraints", "slurm", "PENDING", "BadConstraints", WAIT_NEVER,
     "no node has"},
    {"slurm PENDING DeadLine", "slurm", "PENDING", "DeadLine", WAIT_NEVER, "deadline"},
    {"slurm PENDING MaxMemPerLimit", "slurm", "PENDING", "MaxMemPerLimit", WAIT_NEVER,
     "more memory for a cpu or a node"},
    {"slurm PENDING InvalidAccount", "slurm", "PENDING", "InvalidAccount", WAIT_HELD,
     "account is not valid"},
    {"slurm PENDING InvalidQOS", "slurm", "PENDING", "InvalidQOS", WAIT_HELD,
     "QOS is not valid"},
    {"slurm PENDING AccountNotAllowed", "slurm", "PENDING", "AccountNotAllowed", WAIT_HELD,
     "another partition or account"},
    {"slurm PENDING QOSNotAllowed", "slurm", "PENDING", "QOSNotAllowed", WAIT_HELD,
     "another partition or QOS"},
    {"slurm PENDING QOSUsageThreshold", "slurm", "PENDING", "QOSUsageThreshold", WAIT_HELD,
     "for new jobs"},
    {"slurm PENDING QOSMaxWallDurationPerJobLimit", "slurm", "PENDING",
     "QOSMaxWallDurationPerJobLimit", WAIT_NEVER, "longer than its QOS allows for one job"},
    {"slurm PENDING AssociationTimeLimit", "slurm", "PENDING", "AssociationTimeLimit",
     WAIT_NEVER, "longer than its account allows"},
    {"slurm PENDING QOSTimeLimit", "slurm", "PENDING", "QOSTimeLimit", WAIT_NEVER,
     "longer than its QOS allows"},
    {"slurm PENDING QOSGrpCPURunMinutesLimit", "slurm", "PENDING", "QOSGrpCPURunMinutesLimit",
     WAIT_GOES_ON, "jobs of its QOS that run have as much time"},
    {"slurm PENDING AssocGrpWallLimit", "slurm", "PENDING", "AssocGrpWallLimit", WAIT_HELD,
     "its account has used up"},
    {"slurm PENDING QOSGrpCPUMinutesLimit", "slurm", "PENDING", "QOSGrpCPUMinutesLimit",
     WAIT_HELD, "its QOS has used up"},
    {"slurm PENDING QOSGrpBillingMinutes", "slurm", "PENDING", "QOSGrpBillingMinutes",
     WAIT_HELD, "its QOS has used up"},
    {"slurm PENDING QOSGrpWallLimit", "slurm", "PENDING", "QOSGrpWallLimit", WAIT_HELD,
     "its QOS has used up"},
    /* TRES=billing limits what runs at once; only its minutes can be used up. */
    {"slurm PENDING AssocGrpBilling", "slurm", "PENDING", "AssocGrpBilling", WAIT_GOES_ON,
     "its account that run hold as much"},
    {"slurm PENDING AssocGrpBillingRunMinutes", "slurm", "PENDING", "AssocGrpBillingRunMinutes",
     WAIT_GOES_ON, "as much time before them"},
    {"slurm PENDING QOSGrpBilling", "slurm", "PENDING", "QOSGrpBilling", WAIT_GOES_ON,
     "its QOS that run hold as much"},
    {"slurm PENDING QOSMaxJobsPerAccountLimit", "slurm", "PENDING", "QOSMaxJobsPerAccountLimit",
     WAIT_GOES_ON, "one account"},
    {"slurm PENDING QOSJobLimit", "slurm", "PENDING", "QOSJobLimit", WAIT_GOES_ON,
     "as many jobs run"},
    {"slurm PENDING QOSResourceLimit", "slurm", "PENDING", "QOSResourceLimit", WAIT_GOES_ON,
     "jobs that run hold as much as its QOS"},
    {"a special exit", "slurm", "SPECIAL_EXIT", NULL, WAIT_HELD,
     "scontrol release 47 lets it run again"},
    {"htcondor held", "htcondor", "held", NULL, WAIT_HELD, "condor_release 47"},
    {"htcondor idle", "htcondor", "idle", NULL, WAIT_UNKNOWN, ""},
    /* Nothing is said about a reason that is not known, none, or another scheduler's. */
    {"slurm PENDING SomethingNew", "slurm", "PENDING", "SomethingNew", WAIT_UNKNOWN, ""},
    {"slurm PENDING None", "slurm", "PENDING", "None", WAIT_UNKNOWN, ""},
    {"slurm PENDING priority", "slurm", "PENDING", "priority", WAIT_UNKNOWN, ""},
    {"slurm PENDING no reason", "slurm", "PENDING", NULL, WAIT_UNKNOWN, ""},
    {"slurm NULL no reason", "slurm", NULL, NULL, WAIT_UNKNOWN, ""},
    {"nomad pending Priority", "nomad", "pending", "Priority", WAIT_UNKNOWN, ""},
    {"sge qw no reason", "sge", "qw", NULL, WAIT_UNKNOWN, ""},
    {"sge hqw no reason", "sge", "hqw", NULL, WAIT_HELD, "qstat -j 47"},
    {"sge Eqw no reason", "sge", "Eqw", NULL, WAIT_HELD, "qmod -cj 47"},
    {"sge hEqw no reason", "sge", "hEqw", NULL, WAIT_HELD, "qmod -cj 47"},
};

static struct str text_of(const char *text)
{
    return text ? str_of(text) : (struct str){0};
}

static void reasons_are_explained_and_unknown_ones_are_not(void **state)
{
    const struct said_case *c = *state;
    const struct wait_job job = {.source = str_of(c->source),
                                 .id = STR("47"),
                                 .state = text_of(c->state),
                                 .reason = text_of(c->reason)};
    char text[WAIT_TEXT_MAX];
    expect_int(wait_explain(&job, text), c->verdict);
    expect_true(c->has[0] ? strstr(text, c->has) != NULL : text[0] == '\0');
}

static void an_id_of_any_length_overruns_nothing(void **state)
{
    (void)state;
    char id[2 * WAIT_TEXT_MAX];
    char text[WAIT_TEXT_MAX];
    memset(id, '7', sizeof(id));
    const struct wait_job job = {
        .source = STR("slurm"), .id = {id, sizeof(id)}, .reason = STR("JobHeldUser")};
    expect_int(wait_explain(&job, text), WAIT_HELD);
    expect_true(strlen(text) < WAIT_TEXT_MAX);
}

/* --- what its partitions have ------------------------------------------------------------------------ */

static const struct wait_node small[] = {
    {32, 128 * GIB, 0}, {32, 128 * GIB, 0}, {32, 128 * GIB, 0}, {32, 128 * GIB, 0}};
static const struct wait_node cards[] = {{64, 512 * GIB, 4}, {64, 512 * GIB, 4}};
static const struct wait_node unknown[] = {{32, -1, -1}, {-1, 128 * GIB, -1}};

enum { MAIN, GPU, VAGUE, EMPTY };

static const struct wait_place places[] = {
    [MAIN] = {{"main", 4}, small, COUNT_OF(small), 24 * HOUR},
    [GPU] = {{"gpu", 3}, cards, COUNT_OF(cards), 0},
    [VAGUE] = {{"vague", 5}, unknown, COUNT_OF(unknown), 0},
    [EMPTY] = {{"empty", 5}, NULL, 0, 0},
};

struct fit_case {
    const char *name;
    size_t first, count; /* of the places */
    struct wait_job job;
    const char *never; /* in the text; NULL: it fits, or nobody knows */
};

#define JOB(...)                                                                               \
    {                                                                                          \
        .source = {"slurm", 5}, __VA_ARGS__                                                    \
    }

static const struct fit_case fit_cases[] = {
    {"all of it", MAIN, 1, JOB(.nodes = 4, .cpus = 128), NULL},
    {"a node too many", MAIN, 1, JOB(.nodes = 5), "it requests 5 nodes; partition main has 4"},
    {"a cpu too many", MAIN, 1, JOB(.cpus = 129),
     "it requests 129 cpus; partition main has 128"},
    {"all GPUs", GPU, 1, JOB(.gpus = 8), NULL},
    {"a GPU too many", GPU, 1, JOB(.gpus = 9), "it requests 9 GPUs; partition gpu has 8"},
    {"a GPU where there is none", MAIN, 1, JOB(.cpus = 1, .gpus = 1), "partition main has 0"},
    /* one cpu's memory is on one node */
    {"the memory of a node", MAIN, 1, JOB(.nodes = 1, .cpus = 1, .mem = 128 * GIB), NULL},
    {"more than a node has, for one cpu", MAIN, 1, JOB(.nodes = 1, .cpus = 1, .mem = 129 * GIB),
     "4 nodes of 128.0 GiB at most"},
    /* four cpus with 64 GiB each have room on two nodes, though one node is named at least */
    {"memory for each cpu, on several nodes", MAIN, 1,
     JOB(.nodes = 1, .cpus = 4, .mem = 256 * GIB), NULL},
    /* four with 129 GiB each have none, nor has a node with all of it */
    {"too much for each cpu and each node", MAIN, 1,
     JOB(.nodes = 1, .cpus = 4, .mem = 516 * GIB), "516.0 GiB"},
    {"all memory", MAIN, 1, JOB(.nodes = 4, .cpus = 128, .mem = 512 * GIB), NULL},
    {"more than all memory", MAIN, 1, JOB(.nodes = 4, .cpus = 128, .mem = 513 * GIB),
     "513.0 GiB"},
    {"the longest time", MAIN, 1, JOB(.time_limit = 24 * HOUR), NULL},
    {"more than the longest time", MAIN, 1, JOB(.time_limit = 25 * HOUR),
     "25:00:00; partition main allows 24:00:00"},
    {"no longest time", GPU, 1, JOB(.time_limit = 1000 * HOUR), NULL},
    /* of two partitions one is enough */
    {"too much for the first of two", MAIN, 2, JOB(.cpus = 1, .mem = 200 * GIB), NULL},
    {"too much for both", MAIN, 2, JOB(.cpus = 1, .mem = 600 * GIB), "partition main"},
    {"GPUs of the second", MAIN, 2, JOB(.gpus = 8), NULL},
    {"more GPUs than the second has", MAIN, 2, JOB(.gpus = 9), "it requests 9 GPUs"},
    /* what is not known holds everything */
    {"sizes that are not known", VAGUE, 1, JOB(.cpus = 1000, .mem = 1000 * GIB, .gpus = 1000),
     NULL},
    {"nodes are counted all the same", VAGUE, 1, JOB(.nodes = 3), "it requests 3 nodes"},
    {"no nodes are known", EMPTY, 1, JOB(.nodes = 1000, .cpus = 1000), NULL},
    {"one of several is not known", MAIN, 4, JOB(.nodes = 1000, .cpus = 100000), NULL},
    {"no partition", MAIN, 0, JOB(.nodes = 1000), NULL},
    {"nothing is requested", MAIN, 1, JOB(.nodes = 0), NULL},
    /* slots of Grid Engine may be more than the cpus of a node */
    {"another scheduler", MAIN, 1, {.source = {"sge", 3}, .cpus = 1000}, NULL},
};

static void what_no_partition_can_hold_is_named(void **state)
{
    const struct fit_case *c = *state;
    char text[WAIT_TEXT_MAX];
    const bool never = wait_never_fits(&c->job, places + c->first, c->count, text);
    expect_int(never, c->never != NULL);
    expect_true(c->never ? strstr(text, c->never) != NULL : text[0] == '\0');
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, reasons_are_explained_and_unknown_ones_are_not, said_cases);
    SUITE_TEST(&suite, an_id_of_any_length_overruns_nothing);
    SUITE_ROWS(&suite, what_no_partition_can_hold_is_named, fit_cases);
    return suite_run(&suite, "wait");
}
