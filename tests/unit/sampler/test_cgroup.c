/* SPDX-License-Identifier: MIT */
#include "sampler/cgroup.h"

#include "support/expect.h"

struct cgroup_row {
    const char *name;
    const char *text;
    int64_t number, task; /* 0: no job; -1: no task */
};

static const struct cgroup_row cgroup_rows[] = {
    {"Slurm, version 2", "0::/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0\n",
     4711, -1},
    {"Slurm, version 2, the job's own group", "0::/system.slice/slurmstepd.scope/job_4711",
     4711, -1},
    {"Slurm, several on a machine", "0::/system.slice/n1_slurmstepd.scope/job_7/step_batch", 7,
     -1},
    {"Slurm in a container", "0::/kubepods/pod1/system.slice/slurmstepd.scope/job_7/x", 7, -1},
    {"Slurm, version 1",
     "12:cpuset:/slurm/uid_1000/job_4711/step_0/task_1\n1:name=systemd:/system.slice/"
     "slurmd.service\n",
     4711, -1},
    {"Slurm, version 1, several on a machine", "4:memory:/slurm_n1/uid_0/job_8/step_extern", 8,
     -1},
    {"the first line that tells",
     "3:cpu:/\n2:cpuset:/slurm/uid_1/job_1\n1:x:/slurm/uid_1/job_2\n", 1, -1},
    {"the largest number", "0::/system.slice/slurmstepd.scope/job_4294967295/", 4294967295, -1},
    {"Grid Engine", "3:cpuset:/sge/88.2/5123\n", 88, 2},
    {"Univa Grid Engine", "3:cpuset:/UGE/88.2\n", 88, 2},
    {"Grid Engine, a job without tasks", "3:cpuset:/UGE/88\n", 88, -1},
    {"PBS", "5:cpuset:/pbs_jobs.service/jobid/4101.server.example.org\n", 4101, -1},
    {"PBS, version 2", "0::/pbs_jobs.service/jobs/4101.server\n", 4101, -1},
    {"PBS, of an array", "5:cpuset:/pbspro.service/jobid/4101[7].server\n", 4101, 7},
    {"PBS, as systemd spells it",
     "5:cpuset:/pbspro.slice/pbspro-4101\\x5b7\\x5d.server.slice\n", 4101, 7},
    {"PBS, older", "5:memory:/pbspro/12.headnode\n", 12, -1},
    {"Torque", "5:cpuset:/torque/99.server\n", 99, -1},
    {"Torque, of an array", "5:cpuset:/torque/99[3].server/4\n", 99, 3},
    {"a controller with commas", "5:cpu,cpuacct:/torque/99.server\n", 99, -1},

    {"no job", "0::/system.slice/sshd.service\n", 0, -1},
    {"the root", "0::/\n", 0, -1},
    {"nothing", "", 0, -1},
    {"no path", "0:\n5\n::\n", 0, -1},
    {"the user's own",
     "0::/user.slice/user-1000.slice/user@1000.service/slurmstepd.scope/job_1/x\n", 0, -1},
    {"the user's own, seen from a container",
     "0::/../../user.slice/user-1000.slice/slurmstepd.scope/job_1/x\n", 0, -1},
    {"a name that is like one, elsewhere", "0::/kubepods/job_5/x\n", 0, -1},
    {"uid_ that is not Slurm's", "0::/other/uid_1000/job_5/x\n", 0, -1},
    {"not a number", "0::/system.slice/slurmstepd.scope/job_x\n", 0, -1},
    {"more than a number", "0::/system.slice/slurmstepd.scope/job_5x\n", 0, -1},
    {"less than a number", "0::/system.slice/slurmstepd.scope/job_-5\n", 0, -1},
    {"none at all", "0::/system.slice/slurmstepd.scope/job_\n", 0, -1},
    {"0 is none", "0::/system.slice/slurmstepd.scope/job_0\n", 0, -1},
    {"a number beyond all", "0::/system.slice/slurmstepd.scope/job_99999999999999999999\n", 0,
     -1},
    {"Grid Engine, half a task", "3:cpuset:/UGE/88.\n", 0, -1},
    {"HTCondor tells the slot only",
     "0::/system.slice/condor.service/condor_var_execute_slot1_2@n1\n", 0, -1},
};

struct sluid_row {
    const char *name, *text, *want;
};

static const struct sluid_row sluid_rows[] = {
    {"a process of a job",
     "0::/system.slice/slurmstepd.scope/sEKNKTV3WPV500/step_0/user/task_0\n", "sEKNKTV3WPV500"},
    {"several on a machine", "0::/system.slice/n1_slurmstepd.scope/sEKNKTV3WPV500\n",
     "sEKNKTV3WPV500"},
    {"the number in place of it", "0::/system.slice/slurmstepd.scope/job_4711/step_0\n", ""},
    {"a letter that is none of these", "0::/system.slice/slurmstepd.scope/sEKNKTV3WPV5O0\n",
     ""},
    {"too short", "0::/system.slice/slurmstepd.scope/sEKNKTV3WPV50\n", ""},
    {"too long", "0::/system.slice/slurmstepd.scope/sEKNKTV3WPV5000\n", ""},
    {"not Slurm's", "0::/system.slice/sEKNKTV3WPV500\n", ""},
    {"the user's own", "0::/user.slice/slurmstepd.scope/sEKNKTV3WPV500\n", ""},
    {"the scheduler's own", "0::/system.slice/slurmstepd.scope/system\n", ""},
    {"nothing", "", ""},
};

static void the_sluid_is_read_from_the_group(void **state)
{
    const struct sluid_row *row = *state;
    const struct str sluid = cgroup_sluid(str_of(row->text));
    expect_text_n(sluid.ptr ? sluid.ptr : "", sluid.len, row->want);
}

static void the_job_is_read_from_its_group(void **state)
{
    const struct cgroup_row *row = *state;
    struct batch_job job = cgroup_job(str_of(row->text));
    expect_int(job.known, row->number != 0);
    expect_int(job.number, row->number);
    expect_int(job.has_task, row->task >= 0);
    expect_int(job.task, row->task >= 0 ? row->task : 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, the_job_is_read_from_its_group, cgroup_rows);
    SUITE_ROWS(&suite, the_sluid_is_read_from_the_group, sluid_rows);
    return suite_run(&suite, "cgroup");
}
