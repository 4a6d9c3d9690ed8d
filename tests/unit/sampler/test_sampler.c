/* SPDX-License-Identifier: MIT */

/*
 * A node made of files that change between two looks: jobs by their control groups, and what stays open.
 */
#include "sampler/sampler.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "sampler/groups.h"
#include "support/expect.h"

enum { TICKS = 100, PATH_LEN = 512 };

/* A folder of a node that is removed at the end. */
struct node_folder {
    char root[64];
};

static void put(const struct node_folder *folder, const char *path, const char *text)
{
    char whole[PATH_LEN], above[PATH_LEN];
    struct error err;
    (void)snprintf(whole, sizeof(whole), "%s/%s", folder->root, path);
    (void)snprintf(above, sizeof(above), "%s", whole);
    *strrchr(above, '/') = '\0';
    if (file_make_folder(above, &err) != 0) {
        expect_fail("%s", err.text);
    }
    /* In place, as the kernel does: a file that is open shows the new text. */
    FILE *file = fopen(whole, "w");
    expect_true(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void make_node(struct node_folder *folder)
{
    static const char *const files[][2] = {
        {"proc/sys/kernel/hostname", "n1\n"},
        {"proc/uptime", "1000.00 900.00\n"},
        {"proc/stat",
         "cpu  100 0 50 800 7 0 0 0\ncpu0 100 0 50 800 7 0 0 0\nbtime 1767225600\n"},
        {"proc/meminfo", "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 400 kB\n"},
        {"proc/loadavg", "0.10 0.20 0.30 1/100 5\n"},
        {"proc/diskstats", "8 0 sda 1 2 30 4 5 6 7 8\n"},
        {"etc/passwd", "ann:x:1000:1000::/:/bin/sh\n"},
    };
    (void)snprintf(folder->root, sizeof(folder->root), "/tmp/stint-watch-XXXXXX");
    expect_true(mkdtemp(folder->root) != NULL);
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        put(folder, files[i][0], files[i][1]);
    }
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

static void remove_below(const char *path)
{
    (void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static struct sampler *open_watch(const struct node_folder *folder)
{
    struct sampler *watch = NULL;
    struct error err;
    if (sampler_open(folder->root, TICKS, &watch, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return watch;
}

static void look(struct sampler *watch, struct node_sample *out)
{
    node_sample_init(out, INT64_C(1767325600000000));
    sampler_look(watch, out);
}

static size_t open_files(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder)) {
        count++;
    }
    closedir(folder);
    return count;
}

#define V2_JOB "sys/fs/cgroup/system.slice/slurmstepd.scope/job_4711"

static void make_v2_job(const struct node_folder *folder)
{
    put(folder, "sys/fs/cgroup/cgroup.controllers", "cpu memory io pids\n");
    put(folder, V2_JOB "/cpu.stat",
        "usage_usec 5000000\nuser_usec 4000000\nsystem_usec 1000000\nthrottled_usec 20\n");
    put(folder, V2_JOB "/memory.current", "9000\n");
    put(folder, V2_JOB "/memory.peak", "12000\n");
    put(folder, V2_JOB "/memory.max", "max\n");
    put(folder, V2_JOB "/memory.stat", "anon 6000\nfile 3000\nshmem 1000\n");
    put(folder, V2_JOB "/memory.swap.current", "0\n");
    put(folder, V2_JOB "/memory.events", "low 0\noom 1\noom_kill 1\n");
    put(folder, V2_JOB "/io.stat", "8:0 rbytes=100 wbytes=200\n");
    put(folder, V2_JOB "/pids.current", "17\n");
    put(folder, V2_JOB "/cpu.pressure", "some avg10=0.00 total=30\n");
    put(folder, V2_JOB "/step_0/cpu.stat", "usage_usec 1\n");
}

static void a_job_of_version_2_is_read_as_a_whole(void **state)
{
    (void)state;
    struct node_folder folder;
    struct node_sample seen;
    make_node(&folder);
    make_v2_job(&folder);
    struct sampler *watch = open_watch(&folder);
    look(watch, &seen);
    expect_uint(seen.group_count, 1); /* and not its steps */
    const struct node_sample_group *group = &seen.groups[0];
    const struct sample *values = &group->values;
    expect_int(group->job.number, 4711);
    expect_int(values->cpu_time_us, 5000000);
    expect_int(values->cpu_user_us, 4000000);
    expect_int(values->throttled_us, 20);
    expect_int(values->rss_bytes, 6000);
    expect_int(values->mem_file_bytes, 3000);
    expect_int(values->mem_shmem_bytes, 1000);
    expect_int(values->mem_used_bytes, 9000);
    expect_int(values->mem_peak_bytes, 12000);
    expect_false(SAMPLE_HAS(values, mem_total_bytes));
    expect_true(SAMPLE_HAS(values, swap_bytes));
    expect_int(values->oom_kills, 1);
    expect_int(values->read_bytes, 100);
    expect_int(values->written_bytes, 200);
    expect_int(values->processes, 17);
    expect_int(values->cpu_stall_us, 30);
    expect_false(SAMPLE_HAS(values, io_stall_us));
    node_sample_release(&seen);
    sampler_close(watch);
    remove_below(folder.root);
}

static void a_job_of_version_1_is_put_together_from_its_controllers(void **state)
{
    (void)state;
    struct node_folder folder;
    struct node_sample seen;
    make_node(&folder);
    put(&folder, "sys/fs/cgroup/cpuacct/cpuacct.usage", "1\n");
    put(&folder, "sys/fs/cgroup/cpuacct/slurm/uid_1000/job_7/cpuacct.usage", "3000000\n");
    put(&folder, "sys/fs/cgroup/cpuacct/slurm/uid_1000/job_7/cpuacct.stat",
        "user 20\nsystem 5\n");
    put(&folder, "sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n");
    put(&folder, "sys/fs/cgroup/memory/slurm/uid_1000/job_7/memory.usage_in_bytes", "77\n");
    put(&folder, "sys/fs/cgroup/memory/slurm/uid_1000/job_7/memory.limit_in_bytes", "4096\n");
    put(&folder, "sys/fs/cgroup/memory/slurm/uid_1000/job_7/memory.stat",
        "cache 1\nrss 2\ntotal_cache 30\ntotal_rss 40\n");
    struct sampler *watch = open_watch(&folder);
    look(watch, &seen);
    expect_uint(seen.group_count, 1);
    const struct sample *values = &seen.groups[0].values;
    expect_text_n(seen.groups[0].user.ptr, seen.groups[0].user.len, "ann");
    expect_int(values->cpu_time_us, 3000);
    expect_int(values->cpu_user_us, 200000);
    expect_int(values->cpu_system_us, 50000);
    expect_int(values->mem_used_bytes, 77);
    expect_int(values->mem_total_bytes, 4096);
    expect_int(values->rss_bytes, 40);
    expect_int(values->mem_file_bytes, 30);
    node_sample_release(&seen);
    sampler_close(watch);
    remove_below(folder.root);
}

static void what_holds_the_jobs_counts_those_that_are_gone(void **state)
{
    (void)state;
    struct node_folder folder;
    struct node_sample seen;
    make_node(&folder);
    make_v2_job(&folder);
    put(&folder, "sys/fs/cgroup/system.slice/slurmstepd.scope/cpu.stat",
        "usage_usec 9000000\n");
    put(&folder, "sys/fs/cgroup/cpuacct/cpuacct.usage", "1\n");
    put(&folder, "sys/fs/cgroup/cpuacct/slurm_c1/cpuacct.usage", "7000000\n");
    put(&folder, "sys/fs/cgroup/cpuacct/system.slice/slurmd.service/cpuacct.usage", "5\n");
    struct sampler *watch = open_watch(&folder);
    look(watch, &seen);
    expect_uint(seen.group_count, 3);
    expect_int(seen.groups[1].job.number, 4711);
    expect_false(SAMPLE_HAS(&seen.groups[1].values, kind));
    static const char *const scopes[] = {"/system.slice/slurmstepd.scope", "/slurm_c1"};
    static const int64_t used[] = {9000000, 7000};
    for (size_t i = 0; i < 2; i++) {
        const struct node_sample_group *group = &seen.groups[i * 2];
        expect_text_n(group->name.ptr, group->name.len, scopes[i]);
        expect_text_n(group->values.kind.ptr, group->values.kind.len, "jobs");
        expect_false(group->job.known);
        expect_int(group->values.cpu_time_us, used[i]);
        /* numbers of folders say nothing where no kernel gave them */
        expect_false(SAMPLE_HAS(&group->values, generation));
    }
    node_sample_release(&seen);
    sampler_close(watch);
    remove_below(folder.root);
}

static void a_job_whose_group_is_named_by_sluid_has_the_number_of_its_daemon(void **state)
{
    (void)state;
    struct node_folder folder;
    struct node_sample seen;
    make_node(&folder);
#define SCOPE "/system.slice/slurmstepd.scope/"
    put(&folder, "sys/fs/cgroup/cgroup.controllers", "cpu\n");
    put(&folder, "sys/fs/cgroup" SCOPE "sEKNKTV3WPV500/cpu.stat", "usage_usec 5000000\n");
    put(&folder, "sys/fs/cgroup" SCOPE "sEKNKTV3WPV500/step_0/cpu.stat", "usage_usec 1\n");
    put(&folder, "sys/fs/cgroup" SCOPE "sEKNKTV3WPV5ZZ/cpu.stat", "usage_usec 7\n");
    put(&folder, "proc/70/stat",
        "70 (slurmstepd) S 1 70 70 0 0 0 0 0 0 0 10 0 0 0 20 0 1 0 50 0 0\n");
    put(&folder, "proc/70/status", "Uid:\t0\t0\t0\t0\n");
    put(&folder, "proc/70/cmdline", "slurmstepd: [4711.0]");
    put(&folder, "proc/70/cgroup", "0::" SCOPE "sEKNKTV3WPV500/step_0/slurm\n");
    put(&folder, "proc/71/stat",
        "71 (work) R 70 71 71 0 0 0 0 0 0 0 10 0 0 0 20 0 1 0 50 0 0\n");
    put(&folder, "proc/71/status", "Uid:\t1000\t1000\t1000\t1000\n");
    put(&folder, "proc/71/cgroup", "0::" SCOPE "sEKNKTV3WPV500/step_0/user/task_0\n");
    struct sampler *watch = open_watch(&folder);
    for (int i = 0; i < 2; i++) { /* at the second look nothing is read again */
        look(watch, &seen);
        expect_uint(seen.group_count, 2);
        for (size_t k = 0; k < seen.group_count; k++) {
            const struct node_sample_group *group = &seen.groups[k];
            const bool known = group->values.cpu_time_us == 5000000;
            expect_int(group->job.number, known ? 4711 : 0);
            expect_text_n(known ? group->user.ptr : group->name.ptr,
                          known ? group->user.len : group->name.len,
                          known ? "ann" : "sEKNKTV3WPV5ZZ");
        }
        expect_int(node_sample_find(&seen, 70)->job.number, 4711);
        expect_int(node_sample_find(&seen, 71)->job.number, 4711);
        node_sample_release(&seen);
    }
    sampler_close(watch);
    remove_below(folder.root);
}

static int64_t generation_of(const struct node_folder *folder)
{
    struct node_sample seen;
    struct sampler *watch = open_watch(folder);
    look(watch, &seen);
    const int64_t found =
        SAMPLE_HAS(&seen.counters, generation) ? seen.counters.generation : -1;
    node_sample_release(&seen);
    sampler_close(watch);
    return found;
}

static void another_boot_is_another_generation_of_the_counters(void **state)
{
    (void)state;
    struct node_folder folder;
    make_node(&folder);
    expect_int(generation_of(&folder), -1);
    put(&folder, "proc/sys/kernel/random/boot_id", "5f1e6a0c-1d3b-4a59-9d6c-0a4b8f8f0a01\n");
    const int64_t first = generation_of(&folder);
    expect_true(first >= 0);
    /* the clock was set, and the agent started again: it is the same boot */
    put(&folder, "proc/stat", "cpu0 100 0 50 800 7 0 0 0\nbtime 1767225999\n");
    expect_int(generation_of(&folder), first);
    put(&folder, "proc/sys/kernel/random/boot_id", "5f1e6a0c-1d3b-4a59-9d6c-0a4b8f8f0a02\n");
    expect_true(generation_of(&folder) != first);
    remove_below(folder.root);
}

static void a_node_has_one_time_of_boot_while_it_is_watched(void **state)
{
    (void)state;
    struct node_folder folder;
    struct node_sample seen;
    make_node(&folder);
    struct sampler *watch = open_watch(&folder);
    look(watch, &seen);
    expect_int(seen.node.boot, 1767225600);
    node_sample_release(&seen);
    put(&folder, "proc/stat", "cpu0 100 0 50 800 7 0 0 0\nbtime 1767225601\n");
    look(watch, &seen);
    expect_int(seen.node.boot, 1767225600);
    node_sample_release(&seen);
    sampler_close(watch);
    watch = open_watch(&folder); /* after it was started again, as after a boot */
    look(watch, &seen);
    expect_int(seen.node.boot, 1767225601);
    node_sample_release(&seen);
    sampler_close(watch);
    remove_below(folder.root);
}

struct owner_row {
    const char *name, *path, *want; /* NULL: nobody's */
    int64_t job, uid;
};

static const struct owner_row owner_rows[] = {
    {"a job", "/system.slice/slurmstepd.scope/job_5", "", 5, -1},
    {"a step is not the whole of a job", "/system.slice/slurmstepd.scope/job_5/step_0", NULL, 0,
     -1},
    {"whose a job of version 1 is", "/slurm/uid_1000/job_5", "", 5, 1000},
    {"Grid Engine", "/sge/88.2", "", 88, -1},
    {"a user", "/user.slice/user-1000.slice", "user-1000.slice", 0, 1000},
    {"what is below a user is his", "/user.slice/user-1000.slice/session-1.scope", NULL, 0, -1},
    {"Nomad", "/nomad.slice/share.slice/0a1b2c3d-0000-1111-2222-333344445555.web.scope",
     "0a1b2c3d-0000-1111-2222-333344445555.web", 0, -1},
    {"Nomad, version 1", "/nomad/0a1b2c3d-0000-1111-2222-333344445555.web",
     "0a1b2c3d-0000-1111-2222-333344445555.web", 0, -1},
    {"HTCondor", "/system.slice/condor.service/condor_var_lib_execute_slot1_2@n1", "slot1_2@n1",
     0, -1},
    {"a service", "/system.slice/sshd.service", NULL, 0, -1},
    {"the root", "/", NULL, 0, -1},
};

static void a_group_is_the_whole_of_somebodys(void **state)
{
    const struct owner_row *row = *state;
    struct cgroup_owner owner;
    expect_int(cgroup_owner(str_of(row->path), &owner), row->want != NULL);
    expect_int(owner.job.number, row->job);
    expect_int(owner.uid, row->uid);
    if (row->want && row->want[0]) {
        expect_text_n(owner.name.ptr, owner.name.len, row->want);
    }
}

struct holder_row {
    const char *name, *path;
    bool holds;
};

static const struct holder_row holder_rows[] = {
    {"Slurm, version 2", "/system.slice/slurmstepd.scope", true},
    {"Slurm, several on a machine", "/system.slice/n1_slurmstepd.scope", true},
    {"Slurm, version 1", "/slurm", true},
    {"Slurm, version 1, several on a machine", "/slurm_n1", true},
    {"Grid Engine", "/sge", true},
    {"PBS", "/pbs_jobs.service/jobid", true},
    {"PBS, version 2", "/pbspro.service/jobs", true},
    {"a slice of PBS", "/pbs_jobs.slice", true},
    {"the jobs of one user", "/slurm/uid_1000", false},
    {"a service of the scheduler", "/system.slice/slurmd.service", false},
    {"a job", "/system.slice/slurmstepd.scope/job_5", false},
    {"a name below a job", "/system.slice/slurmstepd.scope/job_5/sge", false},
    {"the user's own", "/user.slice/user-1000.slice/slurmstepd.scope", false},
    {"jobs of something else", "/other.service/jobs", false},
    {"the root", "/", false},
};

static void a_group_holds_all_jobs(void **state)
{
    const struct holder_row *row = *state;
    expect_int(cgroup_holds_jobs(str_of(row->path)), row->holds);
}

static void what_changes_is_seen_and_what_is_gone_is_closed(void **state)
{
    (void)state;
    struct node_folder folder;
    struct node_sample seen;
    char path[PATH_LEN];
    make_node(&folder);
    make_v2_job(&folder);
    const size_t before = open_files();
    struct sampler *watch = open_watch(&folder);
    look(watch, &seen);
    node_sample_release(&seen);
    const size_t during = open_files();
    put(&folder, V2_JOB "/cpu.stat", "usage_usec 6000000\n");
    put(&folder, "proc/uptime", "1060.00 900.00\n");
    look(watch, &seen);
    expect_int(seen.groups[0].values.cpu_time_us, 6000000);
    expect_int(seen.node.uptime_ticks, 106000);
    node_sample_release(&seen);
    expect_uint(open_files(), during);
    (void)snprintf(path, sizeof(path), "%s/%s", folder.root, V2_JOB);
    remove_below(path);
    look(watch, &seen);
    expect_uint(seen.group_count, 0);
    node_sample_release(&seen);
    expect_true(open_files() < during);
    sampler_close(watch);
    expect_uint(open_files(), before);
    remove_below(folder.root);
}

static void processes_that_come_go_and_change_are_followed(void **state)
{
    (void)state;
    struct node_folder folder;
    struct node_sample seen;
    char path[PATH_LEN];
    make_node(&folder);
    put(&folder, "proc/7/stat", "7 (sh) S 1 7 7 0 0 0 0 0 0 0 10 0 0 0 20 0 1 0 50 0 0\n");
    put(&folder, "proc/7/status", "Uid:\t1000\t1000\t1000\t1000\nRssAnon:\t 50 kB\n");
    put(&folder, "proc/9/stat",
        "9 (kworker) S 2 0 0 0 0 2097152 0 0 0 0 1 0 0 0 20 0 1 0 50 0 0\n");
    struct sampler *watch = open_watch(&folder);
    look(watch, &seen);
    expect_uint(seen.process_count, 1);
    expect_int(seen.processes[0].values.at[PROCESS_cpu_time], 0);
    expect_int(seen.processes[0].values.at[PROCESS_resident_memory], 50);
    node_sample_release(&seen);
    /* Nothing else is read of one that has not worked. */
    put(&folder, "proc/7/status", "Uid:\t1000\t1000\t1000\t1000\nRssAnon:\t 60 kB\n");
    look(watch, &seen);
    expect_int(seen.processes[0].values.at[PROCESS_resident_memory], 50);
    expect_int(seen.processes[0].values.at[PROCESS_num_threads], 0);
    node_sample_release(&seen);
    put(&folder, "proc/7/stat", "7 (awk) R 1 7 7 0 0 0 0 0 0 0 310 0 0 0 20 0 1 0 50 0 0\n");
    put(&folder, "proc/8/stat", "8 (new) S 1 8 8 0 0 0 0 0 0 0 10 0 0 0 20 0 1 0 900 0 0\n");
    look(watch, &seen);
    expect_uint(seen.process_count, 2);
    expect_text_n(seen.processes[0].cmd.ptr, seen.processes[0].cmd.len, "awk");
    expect_int(seen.processes[0].values.at[PROCESS_cpu_time], 3);
    expect_int(seen.processes[0].values.at[PROCESS_resident_memory], 60);
    expect_text_n(seen.processes[1].cmd.ptr, seen.processes[1].cmd.len, "new");
    node_sample_release(&seen);
    (void)snprintf(path, sizeof(path), "%s/proc/7", folder.root);
    remove_below(path);
    look(watch, &seen);
    expect_uint(seen.process_count, 1);
    node_sample_release(&seen);
    sampler_close(watch);
    remove_below(folder.root);
}

static void the_nodes_counters_are_added_up(void **state)
{
    (void)state;
    struct node_folder folder;
    struct node_sample seen;
    make_node(&folder);
    put(&folder, "proc/net/dev",
        "h\nh\n eth0: 100 1 0 0 0 0 0 0 40 1\n lo: 5 1 0 0 0 0 0 0 5 1\n");
    put(&folder, "proc/self/mountstats", "device a mounted\n\tbytes:\t1 2 3 4 9 9 7 8\n");
    /* a is mounted at two places, b has the same numbers by chance, and is reached in another way */
    put(&folder, "proc/1/mountstats",
        "device tmpfs mounted on /tmp with fstype tmpfs\n"
        "device s:/a mounted on /a with fstype nfs4\n\topts:\tx\n\tbytes:\t1 2 3 4 20 25 7 8\n"
        "\tevents:\t5\n"
        "device s:/a mounted on /home with fstype nfs4\n\topts:\tx\n\tbytes:\t1 2 3 4 20 25 7 "
        "8\n"
        "device s:/b mounted on /b with fstype nfs4\n\topts:\tx\n\tbytes:\t1 2 3 4 20 25 7 8\n"
        "device s:/a mounted on /c with fstype nfs\n\topts:\ty\n\tbytes:\t1 2 3 4 10 10 7 8\n");
    put(&folder, "sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "10\n");
    put(&folder, "sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_data", "5\n");
    put(&folder, "sys/class/hwmon/hwmon0/temp1_input", "41000\n");
    put(&folder, "sys/class/hwmon/hwmon1/temp2_input", "67500\n");
    put(&folder, "sys/class/powercap/intel-rapl:0/energy_uj", "9000000\n");
    put(&folder, "sys/class/powercap/intel-rapl:0/max_energy_range_uj", "10000000\n");
    put(&folder, "sys/class/powercap/intel-rapl:1/energy_uj", "2000000\n");
    put(&folder, "sys/class/powercap/intel-rapl:0/name", "package-0\n");
    put(&folder, "sys/class/powercap/intel-rapl:0:0/energy_uj", "7000000\n");
    put(&folder, "sys/class/powercap/intel-rapl:0:0/name", "core\n");
    put(&folder, "sys/class/powercap/intel-rapl:0:1/energy_uj", "3000000\n");
    put(&folder, "sys/class/powercap/intel-rapl:0:1/name", "dram\n");
    put(&folder, "sys/class/powercap/intel-rapl:2/energy_uj", "50000000\n");
    put(&folder, "sys/class/powercap/intel-rapl:2/name", "psys\n");
    struct sampler *watch = open_watch(&folder);
    look(watch, &seen);
    expect_int(seen.counters.cpu_time_us, 1500000);
    expect_int(seen.counters.iowait_us, 70000);
    expect_int(seen.counters.cpus, 1);
    expect_int(seen.counters.mem_total_bytes, 1000 * 1024);
    expect_int(seen.counters.mem_used_bytes, 600 * 1024);
    expect_int(seen.counters.read_bytes, 30 * 512);
    expect_int(seen.counters.written_bytes, 7 * 512);
    expect_int(seen.counters.received_bytes, 100);
    expect_int(seen.counters.sent_bytes, 40);
    expect_int(seen.counters.remote_read_bytes, 50);
    expect_int(seen.counters.remote_written_bytes, 60);
    expect_int(seen.counters.ib_received_bytes, 60);
    expect_false(SAMPLE_HAS(&seen.counters, ib_sent_bytes));
    expect_int(seen.counters.temperature_c, 67);
    expect_int(seen.counters.energy_j, 14); /* two packages and the memory of one */
    node_sample_release(&seen);
    /* It begins anew after 10 joules, and the sum goes on. */
    put(&folder, "sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n");
    look(watch, &seen);
    expect_int(seen.counters.energy_j, 16);
    node_sample_release(&seen);
    sampler_close(watch);
    remove_below(folder.root);
}

/* Of the energy counter; -1: none. */
static int64_t energy_life(struct sampler *watch)
{
    struct node_sample seen;
    look(watch, &seen);
    const int64_t life =
        SAMPLE_HAS(&seen.counters, energy_generation) ? seen.counters.energy_generation : -1;
    node_sample_release(&seen);
    return life;
}

/* What the agent added up is lost when it ends, and a package that cannot be read is missing from the sum. */
static void energy_is_compared_only_while_one_agent_counts_the_same_packages(void **state)
{
    (void)state;
    struct node_folder folder;
    struct node_sample once;
    struct error err = {0};
    make_node(&folder);
    struct sampler *watch = open_watch(&folder);
    expect_int(energy_life(watch), -1);
    sampler_close(watch);
    put(&folder, "sys/class/powercap/intel-rapl:0/energy_uj", "9000000\n");
    put(&folder, "sys/class/powercap/intel-rapl:0/max_energy_range_uj", "10000000\n");
    put(&folder, "sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw", "1000\n");
    put(&folder, "sys/class/powercap/intel-rapl:1/energy_uj", "2000000\n");
    watch = open_watch(&folder);
    const int64_t first = energy_life(watch);
    expect_true(first >= 0);
    put(&folder, "sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n");
    expect_int(energy_life(watch), first); /* it began again, and the sum went on */
    put(&folder, "sys/class/powercap/intel-rapl:1/energy_uj", "nothing\n");
    const int64_t without = energy_life(watch);
    put(&folder, "sys/class/powercap/intel-rapl:1/energy_uj", "3000000\n");
    const int64_t again = energy_life(watch);
    expect_true(without != first && again != without && again != first);
    sampler_close(watch);
    watch = open_watch(&folder);
    const int64_t restarted = energy_life(watch);
    expect_true(restarted >= 0 && restarted != again && restarted != first);
    sampler_close(watch);
    node_sample_init(&once, 0);
    expect_int(node_sample_at(&once, folder.root, 100, &err), 0);
    expect_true(SAMPLE_HAS(&once.counters, energy_j));
    expect_false(SAMPLE_HAS(&once.counters, energy_generation));
    node_sample_release(&once);
    remove_below(folder.root);
}

/* A package of a gigawatt may have begun again any number of times between two looks; one of a milliwatt has not. */
static void energy_is_not_compared_over_a_time_in_which_it_may_have_begun_again(void **state)
{
    (void)state;
    static const char *const limits[] = {"constraint_0_power_limit_uw",
                                         "constraint_0_max_power_uw"};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct node_folder folder;
        char limit[128];
        (void)snprintf(limit, sizeof(limit), "sys/class/powercap/intel-rapl:0/%s", limits[i]);
        make_node(&folder);
        put(&folder, "sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n");
        put(&folder, "sys/class/powercap/intel-rapl:0/max_energy_range_uj", "10000\n");
        put(&folder, limit, "1000000000000000\n");
        struct sampler *watch = open_watch(&folder);
        const int64_t first = energy_life(watch);
        put(&folder, "sys/class/powercap/intel-rapl:0/energy_uj", "1000001\n");
        const int64_t second = energy_life(watch);
        expect_true(first >= 0 && second >= 0 && second != first);
        sampler_close(watch);
        put(&folder, limit, "1\n");
        watch = open_watch(&folder);
        const int64_t slow = energy_life(watch);
        put(&folder, "sys/class/powercap/intel-rapl:0/energy_uj", "1000002\n");
        expect_int(energy_life(watch), slow);
        sampler_close(watch);
        remove_below(folder.root);
    }
}

/* Nobody knows what it counted before it fell. */
static void energy_is_not_compared_where_it_fell_and_its_range_is_not_known(void **state)
{
    (void)state;
    struct node_folder folder;
    make_node(&folder);
    put(&folder, "sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n");
    struct sampler *watch = open_watch(&folder);
    const int64_t first = energy_life(watch);
    put(&folder, "sys/class/powercap/intel-rapl:0/energy_uj", "1000001\n");
    expect_int(energy_life(watch), first);
    put(&folder, "sys/class/powercap/intel-rapl:0/energy_uj", "5\n");
    expect_true(energy_life(watch) != first);
    sampler_close(watch);
    remove_below(folder.root);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_job_of_version_2_is_read_as_a_whole);
    SUITE_TEST(&suite, what_holds_the_jobs_counts_those_that_are_gone);
    SUITE_TEST(&suite, a_job_whose_group_is_named_by_sluid_has_the_number_of_its_daemon);
    SUITE_TEST(&suite, another_boot_is_another_generation_of_the_counters);
    SUITE_TEST(&suite, a_node_has_one_time_of_boot_while_it_is_watched);
    SUITE_TEST(&suite, a_job_of_version_1_is_put_together_from_its_controllers);
    SUITE_ROWS(&suite, a_group_is_the_whole_of_somebodys, owner_rows);
    SUITE_ROWS(&suite, a_group_holds_all_jobs, holder_rows);
    SUITE_TEST(&suite, what_changes_is_seen_and_what_is_gone_is_closed);
    SUITE_TEST(&suite, processes_that_come_go_and_change_are_followed);
    SUITE_TEST(&suite, the_nodes_counters_are_added_up);
    SUITE_TEST(&suite, energy_is_compared_only_while_one_agent_counts_the_same_packages);
    SUITE_TEST(&suite, energy_is_not_compared_over_a_time_in_which_it_may_have_begun_again);
    SUITE_TEST(&suite, energy_is_not_compared_where_it_fell_and_its_range_is_not_known);
    return suite_run(&suite, "watch");
}
