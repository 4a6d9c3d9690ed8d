/* SPDX-License-Identifier: MIT */
#include "sampler/steps.h"

#include "support/expect.h"

/* --- texts ------------------------------------------------------------------------------------------ */

struct title_row {
    const char *name, *cmdline;
    int64_t job;
};

static const struct title_row title_rows[] = {
    {"of a batch script", "slurmstepd: [4711.batch]", 4711},
    {"of a step", "slurmstepd: [4711.0]", 4711},
    {"of what was not started by Slurm", "slurmstepd: [4711.extern]", 4711},
    {"before it is set", "slurmstepd", 0},
    {"its path", "/usr/sbin/slurmstepd", 0},
    {"half of it", "slurmstepd: [47", 0},
    {"no number", "slurmstepd: [x.batch]", 0},
    {"less than a number", "slurmstepd: [-1.batch]", 0},
    {"a number beyond all", "slurmstepd: [99999999999999999999.0]", 0},
    {"nothing", "", 0},
    {"another program", "stepd: [4711.batch]", 0},
};

static void the_job_is_read_from_the_title(void **state)
{
    const struct title_row *row = *state;
    expect_int(steps_title_job(str_of(row->cmdline)), row->job);
}

struct environment_row {
    const char *name;
    struct str text;
    int64_t job;
};

#define TEXT(text)                                                                             \
    {                                                                                          \
        (text), sizeof(text) - 1                                                               \
    }

static const struct environment_row environment_rows[] = {
    {"a job", TEXT("HOME=/\0SLURM_JOB_ID=4711\0SLURM_JOB_UID=1000\0"), 4711},
    {"without a user", TEXT("SLURM_JOB_ID=4711\0"), 4711},
    {"the last byte is missing", TEXT("A=1\0SLURM_JOB_ID=4711"), 4711},
    {"of another user", TEXT("SLURM_JOB_ID=4711\0SLURM_JOB_UID=1001\0"), 0},
    {"of a user without a number", TEXT("SLURM_JOB_ID=4711\0SLURM_JOB_UID=ann\0"), 0},
    {"a longer name", TEXT("SLURM_JOB_ID_OLD=4711\0"), 0},
    {"inside a value", TEXT("X=SLURM_JOB_ID=4711\0"), 0},
    {"no number", TEXT("SLURM_JOB_ID=4711x\0"), 0},
    {"nothing after it", TEXT("SLURM_JOB_ID=\0"), 0},
    {"nothing", TEXT(""), 0},
};

static void the_job_is_read_from_the_environment(void **state)
{
    const struct environment_row *row = *state;
    expect_int(steps_environment_job(row->text, 1000), row->job);
}

/* --- a node ----------------------------------------------------------------------------------------- */

enum { ANN = 1000, BEN = 1001 };

/* A process; `claims` is what its environment names. */
struct made {
    int64_t pid, ppid, uid, daemon_of, claims;
    const char *sluid;
    int64_t want; /* its job */
};

/* Ann's job 10 and Ben's job 20, both with a process that has left its parents. */
static const struct made made[] = {
    {1, 0, 0, 0, 0, NULL, 0},
    {100, 1, 0, 10, 0, NULL, 0},      /* the daemon of job 10 */
    {101, 100, ANN, 0, 0, NULL, 10},  /* its script */
    {102, 101, ANN, 0, 20, NULL, 10}, /* below it, whatever it says */
    {103, 1, ANN, 0, 10, NULL, 10},   /* left its parents */
    {104, 1, ANN, 0, 0, NULL, 0},     /* is of no job */
    {105, 1, ANN, 0, 20, NULL, 0},    /* says that it is of Ben's */
    {106, 1, ANN, 0, 99, NULL, 0},    /* says that it is of one that does not run here */
    {107, 102, BEN, 0, 0, NULL, 10},  /* has become another user, in the job */
    {200, 1, 0, 20, 0, NULL, 0},
    {201, 200, BEN, 0, 0, NULL, 20},
    {202, 200, 0, 0, 0, NULL, 20},  /* root's, below the daemon */
    {203, 1, 1002, 0, 20, NULL, 0}, /* of a user without a job here: is not even asked */
    {204, 1, 0, 0, 20, NULL, 0},    /* nor is root */
    {300, 1, 0, 30, 0, "sEKNKTV3WPV500", 30}, /* a daemon in the group of its job */
    {301, 1, ANN, 0, 0, "sEKNKTV3WPV500", 30},
    {302, 1, ANN, 0, 0, "sEKNKTV3WPV501", 0},
};

static int64_t ask(void *context, const struct process *process)
{
    for (size_t i = 0; i < COUNT_OF(made); i++) {
        if (made[i].pid == process->values.at[PROCESS_pid]) {
            ++*(int *)context;
            expect_true(made[i].uid == ANN || made[i].uid == BEN);
            return made[i].claims;
        }
    }
    return 0;
}

static void processes_get_the_job_of_their_step_and_no_other(void **state)
{
    (void)state;
    struct node_sample look;
    int asked = 0;
    node_sample_init(&look, 0);
    for (size_t i = 0; i < COUNT_OF(made); i++) {
        struct process *process = node_sample_add_process(&look);
        look_set(&process->values, PROCESS_pid, made[i].pid);
        look_set(&process->values, PROCESS_ppid, made[i].ppid);
        look_set(&process->values, PROCESS_uid, made[i].uid);
        process->daemon_of = made[i].daemon_of;
        process->sluid = str_of(made[i].sluid);
    }
    steps_assign(&look, ask, &asked);
    for (size_t i = 0; i < COUNT_OF(made); i++) {
        expect_int(look.processes[i].job.number, made[i].want);
        expect_int(look.processes[i].job.known, made[i].want != 0);
    }
    expect_int(asked, 5);
    expect_int(steps_sluid_job(&look, STR("sEKNKTV3WPV500")), 30);
    expect_int(steps_sluid_job(&look, STR("sEKNKTV3WPV501")), 0);
    node_sample_release(&look);
}

static void without_steps_nobody_is_asked(void **state)
{
    (void)state;
    struct node_sample look;
    int asked = 0;
    node_sample_init(&look, 0);
    struct process *process = node_sample_add_process(&look);
    look_set(&process->values, PROCESS_pid, 103);
    look_set(&process->values, PROCESS_uid, ANN);
    steps_assign(&look, ask, &asked);
    expect_int(asked, 0);
    expect_false(look.processes[0].job.known);
    node_sample_release(&look);
}

static void only_a_program_of_root_is_a_daemon(void **state)
{
    (void)state;
    struct process process = {.cmd = STR("slurmstepd")};
    expect_false(steps_may_be_daemon(&process)); /* whose it is is not known */
    look_set(&process.values, PROCESS_real_uid, ANN);
    look_set(&process.values, PROCESS_uid, 0); /* has the rights of root */
    expect_false(steps_may_be_daemon(&process));
    look_set(&process.values, PROCESS_real_uid, 0);
    look_set(&process.values, PROCESS_uid, ANN); /* as it opens files of the user */
    expect_true(steps_may_be_daemon(&process));
    process.cmd = STR("slurmd");
    expect_false(steps_may_be_daemon(&process));
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, the_job_is_read_from_the_title, title_rows);
    SUITE_ROWS(&suite, the_job_is_read_from_the_environment, environment_rows);
    SUITE_TEST(&suite, processes_get_the_job_of_their_step_and_no_other);
    SUITE_TEST(&suite, without_steps_nobody_is_asked);
    SUITE_TEST(&suite, only_a_program_of_root_is_a_daemon);
    return suite_run(&suite, "steps");
}
