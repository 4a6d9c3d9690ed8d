/* SPDX-License-Identifier: MIT */
#include "sampler/steps.h"

#include <stdlib.h>

#include "base/mem.h"

#define DAEMON "slurmstepd"

enum { ROOT = 0, STEPS_MAX = 1 << 14 };

/* --- texts -------------------------------------------------------------------------------- */

int64_t steps_title_job(struct str cmdline)
{
    static const struct str title = {DAEMON ": [", sizeof(DAEMON ": [") - 1};
    int64_t job = 0;
    if (!str_starts(cmdline, title)) {
        return 0;
    }
    cmdline.ptr += title.len;
    cmdline.len -= title.len;
    if (!str_byte(cmdline, '.')) {
        return 0;
    }
    return look_count(str_cut(&cmdline, '.'), &job) ? job : 0;
}

/* What follows NAME= in an environment; the null string if it is not there. */
static struct str variable(struct str environment, struct str name)
{
    while (environment.ptr) {
        const struct str entry = str_cut(&environment, '\0');
        if (entry.len > name.len && str_starts(entry, name) && entry.ptr[name.len] == '=') {
            return (struct str){entry.ptr + name.len + 1, entry.len - name.len - 1};
        }
    }
    return (struct str){0};
}

int64_t steps_environment_job(struct str environment, int64_t uid)
{
    const struct str user = variable(environment, STR("SLURM_JOB_UID"));
    int64_t job = 0, owner = 0;
    if (user.ptr && (!look_count(user, &owner) || owner != uid)) {
        return 0;
    }
    return look_count(variable(environment, STR("SLURM_JOB_ID")), &job) ? job : 0;
}

bool steps_may_be_daemon(const struct process *process)
{
    return str_eq(process->cmd, STR(DAEMON)) && look_has(&process->values, PROCESS_real_uid) &&
           process->values.at[PROCESS_real_uid] == ROOT;
}

/* --- steps on the node -------------------------------------------------------------------- */

struct step {
    int64_t pid, job;
    int64_t uid; /* of what runs below it; -1: nothing does, or only root's */
    struct str sluid;
};

struct steps {
    struct step *rows; /* by the numbers of their daemons, ascending */
    size_t count, room;
};

static void find_steps(const struct node_sample *look, struct steps *out)
{
    for (size_t i = 0; i < look->process_count && out->count < STEPS_MAX; i++) {
        const struct process *process = &look->processes[i];
        if (process->daemon_of > 0) {
            out->rows = mem_grow(out->rows, out->count, &out->room, sizeof(*out->rows));
            out->rows[out->count++] = (struct step){process->values.at[PROCESS_pid],
                                                    process->daemon_of, -1, process->sluid};
        }
    }
}

static int by_pid(const void *left, const void *right)
{
    const int64_t a = ((const struct step *)left)->pid, b = ((const struct step *)right)->pid;
    return (a > b) - (a < b);
}

static struct step *step_of(const struct steps *steps, int64_t pid)
{
    const struct step key = {.pid = pid};
    return bsearch(&key, steps->rows, steps->count, sizeof(*steps->rows), by_pid);
}

static int64_t uid_of(const struct process *process)
{
    return look_has(&process->values, PROCESS_uid) ? process->values.at[PROCESS_uid] : -1;
}

/* Whose a step is: its daemon is root's, what it started is the user's. */
static void find_users(const struct node_sample *look, const struct steps *steps)
{
    for (size_t i = 0; i < look->process_count; i++) {
        const struct process *process = &look->processes[i];
        struct step *step = process->daemon_of == 0 && look_has(&process->values, PROCESS_ppid)
                                ? step_of(steps, process->values.at[PROCESS_ppid])
                                : NULL;
        if (step && uid_of(process) > ROOT) {
            step->uid = uid_of(process);
        }
    }
}

/* The step that started the process, directly or not. */
static const struct step *step_above(struct node_sample *look, const struct steps *steps,
                                     const struct process *process)
{
    for (size_t i = 0; process && i < look->process_count; i++) {
        if (!look_has(&process->values, PROCESS_ppid)) {
            return NULL;
        }
        const int64_t above = process->values.at[PROCESS_ppid];
        const struct step *step = step_of(steps, above);
        if (step) {
            return step;
        }
        process = node_sample_find(look, above);
    }
    return NULL;
}

static const struct step *step_by_user(const struct steps *steps, int64_t uid, int64_t job)
{
    for (size_t i = 0; uid > ROOT && i < steps->count; i++) {
        const struct step *step = &steps->rows[i];
        if (step->uid == uid && (job == 0 || step->job == job)) {
            return step;
        }
    }
    return NULL;
}

/* A process without such parents, of a user who has a job here. */
static const struct step *step_by_environment(const struct steps *steps,
                                              const struct process *process, steps_ask *ask,
                                              void *context)
{
    const int64_t uid = uid_of(process);
    const int64_t job = step_by_user(steps, uid, 0) ? ask(context, process) : 0;
    return job > 0 ? step_by_user(steps, uid, job) : NULL;
}

static const struct step *step_by_sluid(const struct steps *steps, struct str sluid)
{
    for (size_t i = 0; sluid.ptr && i < steps->count; i++) {
        if (steps->rows[i].sluid.ptr && str_eq(steps->rows[i].sluid, sluid)) {
            return &steps->rows[i];
        }
    }
    return NULL;
}

static int64_t job_of(struct node_sample *look, const struct steps *steps,
                      const struct process *process, steps_ask *ask, void *context)
{
    const struct step *step = step_by_sluid(steps, process->sluid);
    step = step ? step : step_above(look, steps, process);
    step = step ? step : step_by_environment(steps, process, ask, context);
    return step ? step->job : 0;
}

void steps_assign(struct node_sample *look, steps_ask *ask, void *context)
{
    struct steps steps = {0};
    find_steps(look, &steps);
    if (steps.count > 0) {
        find_users(look, &steps);
        for (size_t i = 0; i < look->process_count; i++) {
            struct process *process = &look->processes[i];
            const bool asked =
                !process->job.known && (process->daemon_of == 0 || process->sluid.ptr);
            const int64_t job = asked ? job_of(look, &steps, process, ask, context) : 0;
            if (job > 0) {
                process->job = (struct batch_job){.number = job, .known = true};
            }
        }
    }
    free(steps.rows);
}

int64_t steps_sluid_job(const struct node_sample *look, struct str sluid)
{
    for (size_t i = 0; i < look->process_count; i++) {
        const struct process *process = &look->processes[i];
        if (process->daemon_of > 0 && process->sluid.ptr && str_eq(process->sluid, sluid)) {
            return process->daemon_of;
        }
    }
    return 0;
}
