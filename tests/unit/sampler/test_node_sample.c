/* SPDX-License-Identifier: MIT */
#include "sampler/node_sample.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/zone.h"
#include "sampler/sonar_writer.h"
#include "support/expect.h"

enum { TICKS = 100, TEXT_MAX = 1 << 20, PATH_LEN = 512, NOBODY = 65534 };

/* --- the made-up node ----------------------------------------------------------------------------- */

static void read_fixture(const char *name, struct buf *out)
{
    struct error err;
    char path[PATH_LEN];
    (void)snprintf(path, sizeof(path), "%s/sampler/%s", TEST_FIXTURES, name);
    buf_init(out, TEXT_MAX);
    if (file_read(path, out, &err)) {
        expect_fail("%s", err.text);
    }
}

static void look_at_fixture(struct node_sample *look)
{
    struct error err;
    char root[PATH_LEN];
    (void)snprintf(root, sizeof(root), "%s/sampler/node", TEST_FIXTURES);
    node_sample_init(look, INT64_C(1767325600999999)); /* the second counts */
    look->cluster = STR("c1");
    if (node_sample_at(look, root, TICKS, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static char *written(const struct node_sample *look)
{
    struct buf text;
    buf_init(&text, TEXT_MAX);
    struct json json = {.out = &text};
    sonar_write(&json, look);
    buf_addc(&text, '\n');
    char *taken = buf_take(&text);
    buf_release(&text);
    return taken;
}

static void a_node_is_told_as_sonar_would(void **state)
{
    (void)state;
    struct node_sample look;
    struct buf want;
    look_at_fixture(&look);
    char *got = written(&look);
    read_fixture("node.json", &want);
    expect_text(got, want.ptr);
    buf_release(&want);
    free(got);
    node_sample_release(&look);
}

static void uses_of_gpus_stand_with_their_processes(void **state)
{
    (void)state;
    struct node_sample look;
    struct buf text;
    struct error err;
    look_at_fixture(&look);
    read_fixture("nvidia/cards.csv", &text);
    expect_int(gpu_read_cards(&look.gpus, buf_str(&text), &look.arena, &err), 0);
    buf_release(&text);
    read_fixture("nvidia/uses.csv", &text);
    expect_int(gpu_read_uses(&look.gpus, buf_str(&text), &look.arena, &err), 0);
    buf_release(&text);
    read_fixture("nvidia/pmon.txt", &text);
    expect_int(gpu_read_pmon(&look.gpus, buf_str(&text), &err), 0);
    buf_release(&text);
    node_sample_add_unassigned(&look);
    char *got = written(&look);
    expect_contains(
        got, "\"gpus\":[{\"uuid\":\"GPU-11111111-aaaa-bbbb-cccc-000000000000\",\"index\":0,"
             "\"gpu_util\":64,\"gpu_memory\":5017600},"
             "{\"uuid\":\"GPU-11111111-aaaa-bbbb-cccc-000000000002\",\"index\":2}]}");
    expect_contains(
        got,
        "{\"job\":0,\"user\":\"_user_unknown\",\"epoch\":189388800,\"processes\":[{\"cmd\":"
        "\"_unknown_\",\"pid\":77777,\"gpus\":[{\"uuid\":\"MIG-22222222");
    expect_contains(
        got,
        "{\"uuid\":\"GPU-11111111-aaaa-bbbb-cccc-000000000003\",\"index\":3,\"failing\":1}");
    free(got);
    node_sample_release(&look);
}

/* --- nodes that are made for a test ----------------------------------------------------------------- */

struct folder {
    char path[PATH_LEN];
};

static void make(const struct folder *folder, const char *name, const char *text)
{
    struct error err;
    char path[2 * PATH_LEN];
    (void)snprintf(path, sizeof(path), "%s/%s", folder->path, name);
    *strrchr(path, '/') = '\0';
    expect_int(file_make_folder(path, &err), 0);
    (void)snprintf(path, sizeof(path), "%s/%s", folder->path, name);
    expect_int(file_write(path, str_of(text), &err), 0);
}

static void open_up(const struct folder *folder)
{
    char command[2 * PATH_LEN];
    (void)snprintf(command, sizeof(command), "%s/proc", folder->path);
    expect_int(chmod(folder->path, 0755), 0);
    expect_int(chmod(command, 0755), 0);
}

static void make_folder(struct folder *folder)
{
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(folder->path, sizeof(folder->path), "%s/stint-look.XXXXXX",
                   tmp ? tmp : "/tmp");
    expect_true(mkdtemp(folder->path) != NULL);
}

static int remove_one(int at, const char *name)
{
    return unlinkat(at, name, 0) == 0 ? 0 : unlinkat(at, name, AT_REMOVEDIR);
}

static void remove_folder(const struct folder *folder)
{
    static const char *const names[] = {
        "proc/5/stat", "proc/5/status", "proc/5/io",    "proc/5/cgroup", "proc/5",
        "proc/6/stat", "proc/6",        "proc/loadavg", "proc",          "",
    };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char path[2 * PATH_LEN];
        (void)snprintf(path, sizeof(path), "%s/%s", folder->path, names[i]);
        (void)remove_one(AT_FDCWD, path);
    }
    expect_int(access(folder->path, F_OK), -1);
}

#define STAT "5 (x) S 1 5 5 0 -1 4194304 1 2 3 4 150 50 30 20 20 0 3 0 9 1 1\n"

static void look_at_folder(const struct folder *folder, struct node_sample *look)
{
    struct error err;
    node_sample_init(look, 0);
    if (node_sample_at(look, folder->path, TICKS, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static void what_may_not_be_read_is_absent(void **state)
{
    (void)state;
    static const char *const closed[] = {"proc/5/stat", "proc/5/io", "proc/5/status",
                                         "proc/5/cgroup"};
    struct folder folder;
    struct node_sample look;
    char path[2 * PATH_LEN];
    make_folder(&folder);
    make(&folder, "proc/5/stat", STAT);
    make(&folder, "proc/5/status", "Uid:\t1\t2\t3\t4\nRssAnon: 7 kB\n");
    make(&folder, "proc/5/io", "read_bytes: 4096\n");
    make(&folder, "proc/5/cgroup", "0::/system.slice/slurmstepd.scope/job_3\n");
    for (size_t i = 0; i < COUNT_OF(closed); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder.path, closed[i]);
        expect_int(chmod(path, 0), 0);
    }
    (void)snprintf(path, sizeof(path), "%s/proc/5", folder.path);
    expect_int(chmod(path, 0755), 0);
    open_up(&folder);
    const bool is_root = geteuid() == 0; /* who may read everything */
    expect_int(is_root ? seteuid(NOBODY) : 0, 0);
    look_at_folder(&folder, &look);
    expect_int(is_root ? seteuid(0) : 0, 0);
    expect_uint(look.process_count, 1);
    const struct process *process = &look.processes[0];
    expect_uint(process->values.has, UINT32_C(1) << PROCESS_pid | UINT32_C(1) << PROCESS_uid);
    expect_int(process->values.at[PROCESS_uid], geteuid()); /* whose folder it is */
    expect_false(process->job.known);
    expect_true(process->cmd.ptr == NULL);
    for (size_t i = 0; i < look.trouble_count; i++) { /* that is usual, and not told */
        expect_true(memmem(look.troubles[i].ptr, look.troubles[i].len, "processes", 9) == NULL);
    }
    node_sample_release(&look);
    remove_folder(&folder);
}

static void what_cannot_be_read_is_told(void **state)
{
    (void)state;
    struct folder folder;
    struct node_sample look;
    char path[2 * PATH_LEN];
    make_folder(&folder);
    make(&folder, "proc/5/stat", STAT);
    make(&folder, "proc/loadavg", "1 2 3\n");
    (void)snprintf(path, sizeof(path), "%s/proc/5/io", folder.path);
    expect_int(mkdir(path, 0700), 0); /* reading that is EISDIR */
    look_at_folder(&folder, &look);
    expect_uint(look.process_count, 1);
    expect_int(look.processes[0].values.at[PROCESS_cpu_time], 3);
    char *got = written(&look);
    expect_contains(got,
                    "\"detail\":\"1 files of processes could not be read: Is a directory\"");
    expect_contains(got, "\"detail\":\"cannot read /proc/meminfo: No such file or directory\"");
    expect_contains(got, "\"detail\":\"cannot make sense of all of /proc/loadavg\"");
    expect_contains(got, "\"system\":{},\"jobs\":[{\"job\":5,");
    expect_contains(
        got, "\"epoch\":1,"); /* when it was booted is not known; a batch job it is not */
    free(got);
    node_sample_release(&look);
    remove_folder(&folder);
}

static void a_file_without_end_is_not_read_to_its_end(void **state)
{
    (void)state;
    struct folder folder;
    struct node_sample look;
    char path[2 * PATH_LEN];
    make_folder(&folder);
    make(&folder, "proc/5/stat", STAT);
    (void)snprintf(path, sizeof(path), "%s/proc/5/io", folder.path);
    expect_int(symlink("/dev/zero", path), 0);
    make(&folder, "proc/6/stat", "");
    look_at_folder(&folder, &look);
    expect_uint(look.process_count, 2);
    expect_true(look.processes[1].cmd.ptr == NULL);
    char *got = written(&look);
    expect_contains(got,
                    "\"detail\":\"1 files of processes could not be read: File too large\"");
    free(got);
    node_sample_release(&look);
    remove_folder(&folder);
}

static void without_a_proc_there_is_no_look(void **state)
{
    (void)state;
    static const char *const roots[] = {"/nonexistent", TEST_FIXTURES, "/dev/null"};
    for (size_t i = 0; i < COUNT_OF(roots); i++) {
        struct node_sample look;
        struct error err = {0};
        node_sample_init(&look, 0);
        expect_true(node_sample_at(&look, roots[i], TICKS, &err) != 0);
        expect_contains(err.text, roots[i]);
        node_sample_release(&look);
    }
}

/* --- this machine ----------------------------------------------------------------------------------- */

static void this_process_is_found_as_it_is(void **state)
{
    (void)state;
    struct node_sample look;
    struct error err;
    node_sample_init(&look, 0);
    expect_int(node_sample_at(&look, "/", sysconf(_SC_CLK_TCK), &err), 0);
    const struct process *own = node_sample_find(&look, getpid());
    expect_true(own != NULL);
    expect_int(own->values.at[PROCESS_ppid], getppid());
    expect_int(own->values.at[PROCESS_group], getpgrp());
    expect_int(own->values.at[PROCESS_uid], geteuid());
    /* as much of its name as the kernel keeps */
    expect_text_n(own->cmd.ptr, own->cmd.len, "test_node_sampl");
    expect_true(own->values.at[PROCESS_resident_memory] > 0);
    expect_true(look_has(&own->values, PROCESS_data_read));
    expect_true(node_sample_find(&look, 0) == NULL);
    node_sample_release(&look);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_node_is_told_as_sonar_would);
    SUITE_TEST(&suite, uses_of_gpus_stand_with_their_processes);
    SUITE_TEST(&suite, what_may_not_be_read_is_absent);
    SUITE_TEST(&suite, what_cannot_be_read_is_told);
    SUITE_TEST(&suite, a_file_without_end_is_not_read_to_its_end);
    SUITE_TEST(&suite, without_a_proc_there_is_no_look);
    SUITE_TEST(&suite, this_process_is_found_as_it_is);
    return suite_run(&suite, "look");
}
