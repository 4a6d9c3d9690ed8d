/* SPDX-License-Identifier: MIT */
#include "advice/wait.h"

#include <math.h>
#include <stdio.h>

#include "base/attribute.h"

#define SECOND 1e6
#define GIB    (1024.0 * 1024 * 1024)

/* --- what the scheduler says -------------------------------------------------------------- */

/* A reason of a scheduler, or a state. The first row that matches decides. */
struct said {
    const char *source;
    const char *reason; /* with * and ?; NULL: any */
    const char *state;  /* the same */
    enum wait_verdict verdict;
    const char *text; /* %id stands for the job */
};

/*
 * Reasons of Slurm 20 to 25. Limits of associations (accounts) and QOS are named alike, and
 * many: by pattern.
 */
static const struct said all_said[] = {
    {"slurm", "JobHeldUser", NULL, WAIT_HELD,
     "its owner holds it: scontrol release %id lets it start"},
    {"slurm", "JobHeldAdmin", NULL, WAIT_HELD, "the operators hold it: ask them why"},
    {"slurm", "JobHoldMaxRequeue", NULL, WAIT_HELD,
     "it was started and requeued too often, and is held: see why it did not run, then "
     "scontrol release %id"},
    {"slurm", "*launch*fail*", NULL, WAIT_HELD,
     "it could not be started on its nodes, and is held: tell the operators, or try again with "
     "scontrol release %id"},
    {"slurm", "JobLaunchFailure*", NULL, WAIT_HELD,
     "it could not be started on its nodes: tell the operators"},
    {"slurm", NULL, "SPECIAL_EXIT", WAIT_HELD,
     "it ended in a way that holds it: scontrol release %id lets it run again"},
    {"slurm", "DependencyNeverSatisfied", NULL, WAIT_NEVER,
     "a job that it depends on ended otherwise than it requires: cancel it, and submit it "
     "again without that dependency"},
    {"slurm", "Dependency", NULL, WAIT_GOES_ON, "jobs that it depends on have not ended"},
    {"slurm", "BeginTime", NULL, WAIT_GOES_ON, "it was submitted to start later"},
    {"slurm", "Priority", NULL, WAIT_GOES_ON, "jobs with a higher priority are ahead of it"},
    {"slurm", "Resources", NULL, WAIT_GOES_ON, "what it requests is not free"},
    {"slurm", "Licenses", NULL, WAIT_GOES_ON, "the licences that it requests are in use"},
    {"slurm", "JobArrayTaskLimit", NULL, WAIT_GOES_ON,
     "as many tasks of its array run as it allows at once"},
    {"slurm", "Reservation", NULL, WAIT_GOES_ON, "its reservation has not begun, or is full"},
    {"slurm", "ReservationDeleted", NULL, WAIT_HELD,
     "its reservation no longer exists, and it is held: scontrol update jobid=%id "
     "reservation=, "
     "then scontrol release %id"},
    {"slurm", "PartitionTimeLimit", NULL, WAIT_NEVER,
     "its time limit is longer than its partition allows: request less time, or another "
     "partition"},
    {"slurm", "PartitionNodeLimit", NULL, WAIT_HELD,
     "it requests more or fewer nodes than its partition allows, or nodes that are down"},
    {"slurm", "PartitionDown", NULL, WAIT_HELD,
     "its partition is down: it starts once the operators have it up again"},
    {"slurm", "PartitionInactive", NULL, WAIT_HELD,
     "its partition starts no jobs: it starts once the operators have it up again"},
    {"slurm", "ReqNodeNotAvail*", NULL, WAIT_GOES_ON,
     "nodes that it requires are down, drained or reserved"},
    {"slurm", "Nodes?required?for?job?are?DOWN*", NULL, WAIT_GOES_ON,
     "nodes that it requires are down, drained, or kept for jobs of other partitions"},
    {"slurm", "NodeDown", NULL, WAIT_GOES_ON, "a node that it requires is down"},
    {"slurm", "BadConstraints", NULL, WAIT_NEVER,
     "no node has what it requests: change its constraints"},
    {"slurm", "DeadLine", NULL, WAIT_NEVER, "its deadline cannot be met"},
    {"slurm", "MaxMemPerLimit", NULL, WAIT_NEVER,
     "it requests more memory for a cpu or a node than is allowed"},
    {"slurm", "InvalidAccount", NULL, WAIT_HELD, "its account is not valid for it"},
    {"slurm", "InvalidQOS", NULL, WAIT_HELD, "its QOS is not valid for it"},
    {"slurm", "AccountNotAllowed", NULL, WAIT_HELD,
     "its account may not use its partition: choose another partition or account"},
    {"slurm", "QOSNotAllowed", NULL, WAIT_HELD,
     "its QOS may not be used in its partition: choose another partition or QOS"},
    {"slurm", "QOSUsageThreshold", NULL, WAIT_HELD,
     "its account has used more than its QOS allows for new jobs"},
    {"slurm", "QOSMin*", NULL, WAIT_NEVER, "it requests less than its QOS requires"},
    {"slurm", "Assoc*Wall*PerJob*", NULL, WAIT_NEVER,
     "its time limit is longer than its account allows for one job"},
    {"slurm", "QOS*Wall*PerJob*", NULL, WAIT_NEVER,
     "its time limit is longer than its QOS allows for one job"},
    {"slurm", "AssociationTimeLimit", NULL, WAIT_NEVER,
     "its time limit is longer than its account allows"},
    {"slurm", "QOSTimeLimit", NULL, WAIT_NEVER, "its time limit is longer than its QOS allows"},
    {"slurm", "Assoc*PerJob*", NULL, WAIT_NEVER,
     "it requests more than its account allows for one job"},
    {"slurm", "QOS*PerJob*", NULL, WAIT_NEVER,
     "it requests more than its QOS allows for one job"},
    {"slurm", "Assoc*RunMin*", NULL, WAIT_GOES_ON,
     "jobs of its account that run have as much time before them as it allows at once"},
    {"slurm", "QOS*RunMin*", NULL, WAIT_GOES_ON,
     "jobs of its QOS that run have as much time before them as it allows at once"},
    {"slurm", "AssocGrp*Minutes*", NULL, WAIT_HELD,
     "its account has used up its allocation: use another account, or ask for more"},
    {"slurm", "AssocGrpWall*", NULL, WAIT_HELD,
     "its account has used up its allocation: use another account, or ask for more"},
    {"slurm", "QOSGrp*Minutes*", NULL, WAIT_HELD,
     "its QOS has used up its allocation: use another QOS, or ask for more"},
    {"slurm", "QOSGrpWall*", NULL, WAIT_HELD,
     "its QOS has used up its allocation: use another QOS, or ask for more"},
    {"slurm", "Assoc*", NULL, WAIT_GOES_ON,
     "jobs of its account that run hold as much as it allows at once"},
    {"slurm", "QOSMax*PerUser*", NULL, WAIT_GOES_ON,
     "jobs of its owner that run hold as much as its QOS allows one person"},
    {"slurm", "QOSMax*PerAccount*", NULL, WAIT_GOES_ON,
     "jobs of its account that run hold as much as its QOS allows one account"},
    {"slurm", "QOSGrp*", NULL, WAIT_GOES_ON,
     "jobs of its QOS that run hold as much as it allows at once"},
    {"slurm", "QOSJobLimit", NULL, WAIT_GOES_ON, "as many jobs run as its QOS allows at once"},
    {"slurm", "QOSResourceLimit", NULL, WAIT_GOES_ON,
     "jobs that run hold as much as its QOS allows at once"},
    {"sge", NULL, "*E*", WAIT_HELD,
     "it is in error, and waits until that is cleared: qstat -j %id says why, qmod -cj %id "
     "clears it"},
    {"sge", NULL, "*h*", WAIT_HELD,
     "it is held by its owner, by the operators or by a job that it waits for: qstat -j %id "
     "says which"},
    {"htcondor", NULL, "held", WAIT_HELD,
     "it is held: condor_q -hold %id says why, condor_release %id lets it run"},
};

static bool matches(const char *pattern, struct str text)
{
    return !pattern || (text.ptr && str_glob(str_of(pattern), text));
}

/* The text of a row, with the job's id in it. */
static void copy_text(const char *from, struct str id, char text[WAIT_TEXT_MAX])
{
    const struct str place = STR("%id");
    size_t length = 0;
    for (struct str rest = str_of(from); rest.len > 0;) {
        const bool at_id = str_starts(rest, place);
        const struct str piece = at_id ? id : (struct str){rest.ptr, 1};
        if (length + piece.len >= WAIT_TEXT_MAX) {
            break;
        }
        for (size_t i = 0; i < piece.len; i++) {
            text[length++] = piece.ptr[i];
        }
        rest.ptr += at_id ? place.len : 1;
        rest.len -= at_id ? place.len : 1;
    }
    text[length] = '\0';
}

enum wait_verdict wait_explain(const struct wait_job *job, char text[WAIT_TEXT_MAX])
{
    text[0] = '\0';
    for (size_t i = 0; i < COUNT_OF(all_said); i++) {
        const struct said *said = &all_said[i];
        if (str_eq(job->source, str_of(said->source)) && matches(said->reason, job->reason) &&
            matches(said->state, job->state)) {
            copy_text(said->text, job->id, text);
            return said->verdict;
        }
    }
    return WAIT_UNKNOWN;
}

/* --- what its partitions have ------------------------------------------------------------- */

/* A member of all nodes, added up; below 0: not known of each of them. */
static double sum_of(const struct wait_place *place, size_t member)
{
    double sum = 0;
    for (size_t i = 0; i < place->node_count; i++) {
        const char *node = (const char *)&place->nodes[i];
        const double one = *(const double *)(const void *)(node + member);
        if (one < 0) {
            return -1;
        }
        sum += one;
    }
    return sum;
}

/* So much memory on each of its nodes. */
static bool fits_by_node(const struct wait_job *job, const struct wait_place *place)
{
    const double each = job->mem / fmax(1, job->nodes);
    double enough = 0;
    for (size_t i = 0; i < place->node_count; i++) {
        enough += place->nodes[i].mem >= each;
    }
    return enough >= fmax(1, job->nodes);
}

/* So much memory for each of its cpus, on as many nodes as that takes. */
static bool fits_by_cpu(const struct wait_job *job, const struct wait_place *place)
{
    const double each = job->mem / fmax(1, job->cpus);
    double cpus = 0;
    for (size_t i = 0; i < place->node_count; i++) {
        cpus += fmin(place->nodes[i].cpus, floor(place->nodes[i].mem / each + 1e-9));
    }
    return cpus >= fmax(1, job->cpus);
}

static bool memory_fits(const struct wait_job *job, const struct wait_place *place,
                        struct str where, char text[WAIT_TEXT_MAX])
{
    const double all = sum_of(place, offsetof(struct wait_node, mem));
    double largest = 0;
    if (job->mem <= 0 || all < 0 || sum_of(place, offsetof(struct wait_node, cpus)) < 0 ||
        fits_by_node(job, place) || fits_by_cpu(job, place)) {
        return true;
    }
    for (size_t i = 0; i < place->node_count; i++) {
        largest = fmax(largest, place->nodes[i].mem);
    }
    (void)snprintf(
        text, WAIT_TEXT_MAX,
        "it requests %.1f GiB of memory; partition %.*s has %zu node%s of %.1f GiB at most",
        job->mem / GIB, STR_ARG(where), place->node_count, place->node_count == 1 ? "" : "s",
        largest / GIB);
    return false;
}

static bool time_fits(const struct wait_job *job, const struct wait_place *place,
                      struct str where, char text[WAIT_TEXT_MAX])
{
    const long long asked = (long long)(job->time_limit / SECOND),
                    longest = (long long)(place->longest / SECOND);
    if (place->longest <= 0 || job->time_limit <= place->longest) {
        return true;
    }
    (void)snprintf(
        text, WAIT_TEXT_MAX,
        "its time limit is %02lld:%02lld:%02lld; partition %.*s allows %02lld:%02lld:%02lld, "
        "unless its QOS has other limits",
        asked / 3600, asked / 60 % 60, asked % 60, STR_ARG(where), longest / 3600,
        longest / 60 % 60, longest % 60);
    return false;
}

/* A number that it requests and that all nodes together do not have. */
static bool number_fits(double asked, double all, const char *what, struct str where,
                        char text[WAIT_TEXT_MAX])
{
    if (asked <= 0 || all < 0 || asked <= all) {
        return true;
    }
    (void)snprintf(text, WAIT_TEXT_MAX, "it requests %.0f %s%s; partition %.*s has %.0f", asked,
                   what, asked == 1 ? "" : "s", STR_ARG(where), all);
    return false;
}

static bool fits(const struct wait_job *job, const struct wait_place *place,
                 char text[WAIT_TEXT_MAX])
{
    const struct str where = place->partition;
    if (place->node_count > 0 &&
        (!number_fits(job->nodes, (double)place->node_count, "node", where, text) ||
         !number_fits(job->cpus, sum_of(place, offsetof(struct wait_node, cpus)), "cpu", where,
                      text) ||
         !number_fits(job->gpus, sum_of(place, offsetof(struct wait_node, gpus)), "GPU", where,
                      text) ||
         !memory_fits(job, place, where, text))) {
        return false;
    }
    return time_fits(job, place, where, text);
}

bool wait_never_fits(const struct wait_job *job, const struct wait_place *places, size_t count,
                     char text[WAIT_TEXT_MAX])
{
    char of_others[WAIT_TEXT_MAX];
    text[0] = '\0';
    if (!str_eq(job->source, STR("slurm"))) { /* slots of others may be more than cpus */
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (fits(job, &places[i], i == 0 ? text : of_others)) {
            text[0] = '\0';
            return false;
        }
    }
    return count > 0;
}
