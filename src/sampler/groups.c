/* SPDX-License-Identifier: MIT */
#include "sampler/groups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "base/mem.h"
#include "sampler/counter.h"
#include "sampler/open_file.h"

/* Where groups may be mounted; a folder of version 2 has the file `sign`. */
static const struct hierarchy {
    const char *name; /* what the rows below call it */
    const char *folder;
    const char *sign;
} hierarchies[] = {
    {"v2", "sys/fs/cgroup", "cgroup.controllers"},
    {"v2", "sys/fs/cgroup/unified", "cgroup.controllers"},
    {"cpuacct", "sys/fs/cgroup/cpuacct", "cpuacct.usage"},
    {"cpu", "sys/fs/cgroup/cpu", "cpu.shares"},
    {"memory", "sys/fs/cgroup/memory", "memory.usage_in_bytes"},
    {"blkio", "sys/fs/cgroup/blkio", "blkio.throttle.io_service_bytes"},
    {"pids", "sys/fs/cgroup/pids", "cgroup.procs"},
};

enum { HIERARCHIES = COUNT_OF(hierarchies), DEPTH_MAX = 8, USER_HZ = 100, PATH_ROOM = 4096 };

#define MICRO 1000000

/* File systems of control groups: only there the number of a folder says which group it is. */
#define TYPE_OF_VERSION_1 0x27e0eb
#define TYPE_OF_VERSION_2 0x63677270

/* Rows of one file stand together. Of a field the first row that has it counts. */
static const struct counter rows[] = {
    {"v2", "cpu.stat", COUNTER_WORDS, "usage_usec 1", SAMPLE_cpu_time_us, 1, 1, COUNTER_SUM},
    {"v2", "cpu.stat", COUNTER_WORDS, "user_usec 1", SAMPLE_cpu_user_us, 1, 1, COUNTER_SUM},
    {"v2", "cpu.stat", COUNTER_WORDS, "system_usec 1", SAMPLE_cpu_system_us, 1, 1, COUNTER_SUM},
    {"v2", "cpu.stat", COUNTER_WORDS, "throttled_usec 1", SAMPLE_throttled_us, 1, 1,
     COUNTER_SUM},
    {"v2", "memory.current", COUNTER_WHOLE, NULL, SAMPLE_mem_used_bytes, 1, 1, COUNTER_SUM},
    {"v2", "memory.peak", COUNTER_WHOLE, NULL, SAMPLE_mem_peak_bytes, 1, 1, COUNTER_SUM},
    {"v2", "memory.max", COUNTER_WHOLE, NULL, SAMPLE_mem_total_bytes, 1, 1, COUNTER_SUM},
    {"v2", "memory.stat", COUNTER_WORDS, "anon 1", SAMPLE_rss_bytes, 1, 1, COUNTER_SUM},
    {"v2", "memory.stat", COUNTER_WORDS, "file 1", SAMPLE_mem_file_bytes, 1, 1, COUNTER_SUM},
    {"v2", "memory.stat", COUNTER_WORDS, "shmem 1", SAMPLE_mem_shmem_bytes, 1, 1, COUNTER_SUM},
    {"v2", "memory.swap.current", COUNTER_WHOLE, NULL, SAMPLE_swap_bytes, 1, 1, COUNTER_SUM},
    {"v2", "memory.events", COUNTER_WORDS, "oom_kill 1", SAMPLE_oom_kills, 1, 1, COUNTER_SUM},
    {"v2", "io.stat", COUNTER_PAIRS, "rbytes", SAMPLE_read_bytes, 1, 1, COUNTER_SUM},
    {"v2", "io.stat", COUNTER_PAIRS, "wbytes", SAMPLE_written_bytes, 1, 1, COUNTER_SUM},
    {"v2", "pids.current", COUNTER_WHOLE, NULL, SAMPLE_processes, 1, 1, COUNTER_SUM},
    {"v2", "cpu.pressure", COUNTER_PAIRS, "some total", SAMPLE_cpu_stall_us, 1, 1, COUNTER_SUM},
    {"v2", "memory.pressure", COUNTER_PAIRS, "some total", SAMPLE_mem_stall_us, 1, 1,
     COUNTER_SUM},
    {"v2", "io.pressure", COUNTER_PAIRS, "some total", SAMPLE_io_stall_us, 1, 1, COUNTER_SUM},

    {"cpuacct", "cpuacct.usage", COUNTER_WHOLE, NULL, SAMPLE_cpu_time_us, 1, 1000, COUNTER_SUM},
    {"cpuacct", "cpuacct.stat", COUNTER_WORDS, "user 1", SAMPLE_cpu_user_us, MICRO / USER_HZ, 1,
     COUNTER_SUM},
    {"cpuacct", "cpuacct.stat", COUNTER_WORDS, "system 1", SAMPLE_cpu_system_us,
     MICRO / USER_HZ, 1, COUNTER_SUM},
    {"cpu", "cpu.stat", COUNTER_WORDS, "throttled_time 1", SAMPLE_throttled_us, 1, 1000,
     COUNTER_SUM},
    {"memory", "memory.usage_in_bytes", COUNTER_WHOLE, NULL, SAMPLE_mem_used_bytes, 1, 1,
     COUNTER_SUM},
    {"memory", "memory.max_usage_in_bytes", COUNTER_WHOLE, NULL, SAMPLE_mem_peak_bytes, 1, 1,
     COUNTER_SUM},
    {"memory", "memory.limit_in_bytes", COUNTER_WHOLE, NULL, SAMPLE_mem_total_bytes, 1, 1,
     COUNTER_SUM},
    {"memory", "memory.stat", COUNTER_WORDS, "total_rss 1", SAMPLE_rss_bytes, 1, 1,
     COUNTER_SUM},
    {"memory", "memory.stat", COUNTER_WORDS, "total_cache 1", SAMPLE_mem_file_bytes, 1, 1,
     COUNTER_SUM},
    {"memory", "memory.stat", COUNTER_WORDS, "total_shmem 1", SAMPLE_mem_shmem_bytes, 1, 1,
     COUNTER_SUM},
    {"memory", "memory.stat", COUNTER_WORDS, "total_swap 1", SAMPLE_swap_bytes, 1, 1,
     COUNTER_SUM},
    {"memory", "memory.oom_control", COUNTER_WORDS, "oom_kill 1", SAMPLE_oom_kills, 1, 1,
     COUNTER_SUM},
    {"blkio", "blkio.throttle.io_service_bytes_recursive", COUNTER_NAMED, "Read",
     SAMPLE_read_bytes, 1, 1, COUNTER_SUM},
    /*
     * What is written there is not read: version 1 charges what goes through the cache, nearly
     * all of it, to nobody.
     */
    {"pids", "pids.current", COUNTER_WHOLE, NULL, SAMPLE_processes, 1, 1, COUNTER_SUM},
};

/* Where a group is in each hierarchy, and its files by the first of their rows. */
struct group_files {
    char *paths[HIERARCHIES]; /* below the root; NULL: it is not there */
    struct open_file kept[COUNT_OF(rows)];
    /*
     * of its folder, in the first hierarchy that has it; the kernel gives none twice; 0: not
     * known
     */
    uint64_t number;
    bool seen;
};

void groups_init(struct groups *groups, int root)
{
    *groups = (struct groups){.root = root};
}

static void release_group(struct group *group)
{
    for (size_t i = 0; i < HIERARCHIES; i++) {
        free(group->files->paths[i]);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        open_file_close(&group->files->kept[i]);
    }
    free(group->files);
    free(group->name);
}

void groups_release(struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        release_group(&groups->rows[i]);
    }
    free(groups->rows);
    groups_init(groups, -1);
}

/* --- finding them ------------------------------------------------------------------------- */

static bool is_owned_by(const struct group *group, const struct cgroup_owner *owner)
{
    if (owner->job.known) {
        return group->job.known && group->job.number == owner->job.number &&
               group->job.has_task == owner->job.has_task && group->job.task == owner->job.task;
    }
    return group->name && str_eq(owner->name, str_of(group->name));
}

static char *copy_text(struct str text)
{
    char *copy = mem_alloc(text.len + 1, 1);
    memcpy(copy, text.ptr, text.len);
    return copy;
}

static struct group *add_group(struct groups *groups, const struct cgroup_owner *owner,
                               bool holds_jobs)
{
    if (groups->count == LIMIT_GROUPS) {
        groups->cut = true;
        return NULL;
    }
    groups->rows = mem_grow(groups->rows, groups->count, &groups->room, sizeof(*groups->rows));
    struct group *group = &groups->rows[groups->count++];
    *group = (struct group){.job = owner->job,
                            .uid = owner->uid,
                            .holds_jobs = holds_jobs,
                            .by_sluid = owner->by_sluid};
    group->name = owner->name.ptr ? copy_text(owner->name) : NULL;
    group->files = mem_alloc(1, sizeof(*group->files));
    return group;
}

/*
 * Where the search stands. `path` is that of the folder, below the root; `mount` how much of it
 * is where groups are mounted.
 */
struct search {
    struct groups *groups;
    size_t hierarchy, mount;
    bool numbered; /* numbers of folders are those of groups */
    struct buf path;
};

static void note_group(struct search *search, const struct cgroup_owner *owner, bool holds_jobs,
                       uint64_t number)
{
    struct groups *groups = search->groups;
    struct group *group = NULL;
    for (size_t i = 0; i < groups->count && !group; i++) {
        group = is_owned_by(&groups->rows[i], owner) ? &groups->rows[i] : NULL;
    }
    group = group ? group : add_group(groups, owner, holds_jobs);
    if (!group) {
        return;
    }
    if (!group->files->seen) {
        group->files->number = search->numbered ? number : 0;
    }
    group->files->seen = true;
    group->uid = owner->uid >= 0 ? owner->uid : group->uid;
    if (!group->files->paths[search->hierarchy]) {
        group->files->paths[search->hierarchy] = copy_text(buf_str(&search->path));
    }
}

static void search_folder(struct search *search, int parent, const char *name, int depth);

static void search_entries(struct search *search, DIR *folder, int depth)
{
    const struct dirent *entry;
    while (search->groups->folders < LIMIT_GROUP_FOLDERS && (entry = readdir(folder))) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.') {
            continue;
        }
        const size_t length = search->path.len;
        struct cgroup_owner owner;
        buf_addc(&search->path, '/');
        buf_addz(&search->path, entry->d_name);
        if (!search->path.overflow) {
            const struct str path = {search->path.ptr + search->mount,
                                     search->path.len - search->mount};
            if (cgroup_owner(path, &owner)) {
                note_group(search, &owner, false, entry->d_ino);
            } else if (depth < DEPTH_MAX && !str_eq(path, STR("/unified"))) {
                if (cgroup_holds_jobs(path)) {
                    owner = (struct cgroup_owner){.name = path, .uid = -1};
                    note_group(search, &owner, true, entry->d_ino);
                }
                search_folder(search, dirfd(folder), entry->d_name, depth + 1);
            }
        }
        search->path.overflow = false;
        search->path.len = length;
        search->path.ptr[length] = '\0';
    }
}

static void search_folder(struct search *search, int parent, const char *name, int depth)
{
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder) {
        search->groups->folders++;
        search_entries(search, folder, depth);
        closedir(folder);
    } else if (fd >= 0) {
        close(fd);
    }
}

static bool is_numbered(int root, const char *folder)
{
    struct statfs info;
    const int fd = openat(root, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is = fd >= 0 && fstatfs(fd, &info) == 0 &&
                    (info.f_type == TYPE_OF_VERSION_1 || info.f_type == TYPE_OF_VERSION_2);
    if (fd >= 0) {
        close(fd);
    }
    return is;
}

static bool is_mounted(int root, const struct hierarchy *hierarchy)
{
    char path[PATH_ROOM];
    struct buf text;
    buf_init(&text, sizeof(path));
    buf_addf(&text, "%s/%s", hierarchy->folder, hierarchy->sign);
    const bool is = faccessat(root, text.ptr, F_OK, 0) == 0;
    buf_release(&text);
    return is;
}

static void search_all(struct groups *groups)
{
    struct search search = {.groups = groups};
    buf_init(&search.path, PATH_ROOM);
    groups->folders = 0;
    groups->cut = false;
    for (size_t i = 0; i < HIERARCHIES; i++) {
        if (is_mounted(groups->root, &hierarchies[i])) {
            buf_clear(&search.path);
            buf_addz(&search.path, hierarchies[i].folder);
            search.hierarchy = i;
            search.mount = search.path.len;
            search.numbered = is_numbered(groups->root, hierarchies[i].folder);
            search_folder(&search, groups->root, search.path.ptr, 0);
        }
    }
    buf_release(&search.path);
}

/* --- reading them ------------------------------------------------------------------------- */

/* Where the group is in a hierarchy of this name; NULL: it is not there. */
static const char *path_in(const struct group *group, const char *name)
{
    for (size_t i = 0; i < HIERARCHIES; i++) {
        if (group->files->paths[i] && strcmp(hierarchies[i].name, name) == 0) {
            return group->files->paths[i];
        }
    }
    return NULL;
}

/* Reads the file of a row; one that was made again in the meantime is opened again. */
static int read_file(const struct groups *groups, struct group *group, size_t row,
                     const char *path, struct buf *text)
{
    struct open_file *kept = &group->files->kept[row];
    const bool was_open = open_file_is_open(kept);
    struct buf name;
    buf_init(&name, PATH_ROOM);
    if (!was_open) {
        buf_addf(&name, "%s/%s", path, rows[row].file);
    }
    int wrong = open_file_read(kept, groups->root, name.ptr, true, text);
    if (wrong == ENODEV && was_open) {
        buf_addf(&name, "%s/%s", path, rows[row].file);
        wrong = open_file_read(kept, groups->root, name.ptr, true, text);
    }
    buf_release(&name);
    return wrong;
}

static void read_group(const struct groups *groups, struct group *group, struct buf *text)
{
    int wrong = 0;
    group->values = (struct sample){0};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *path = path_in(group, rows[i].where);
        const bool same_file =
            i > 0 && rows[i].where == rows[i - 1].where && rows[i].file == rows[i - 1].file;
        int64_t value = 0;
        if (!path) {
            continue;
        }
        wrong = same_file ? wrong : read_file(groups, group, i, path, text);
        if (!wrong && !sample_has(&group->values, rows[i].field) &&
            counter_read(&rows[i], buf_str(text), &value)) {
            sample_set_int(&group->values, rows[i].field, value);
        }
    }
    if (group->holds_jobs && sample_any(&group->values)) {
        SAMPLE_SET(&group->values, kind, STR("jobs"));
    }
    if (groups->boot && group->files->number) {
        SAMPLE_SET(&group->values, generation,
                   sample_generation(groups->boot, group->files->number));
    }
}

/* Those of jobs first: between a job and what holds it, time passes. */
static void read_groups(struct groups *groups, bool holds_jobs, struct buf *text)
{
    for (size_t i = 0; i < groups->count; i++) {
        if (groups->rows[i].holds_jobs == holds_jobs) {
            read_group(groups, &groups->rows[i], text);
        }
    }
}

void groups_look(struct groups *groups, struct buf *text)
{
    for (size_t i = 0; i < groups->count; i++) {
        groups->rows[i].files->seen = false;
    }
    search_all(groups);
    size_t kept = 0;
    for (size_t i = 0; i < groups->count; i++) {
        struct group *group = &groups->rows[i];
        if (group->files->seen) {
            groups->rows[kept++] = *group;
        } else {
            release_group(group);
        }
    }
    groups->count = kept;
    read_groups(groups, false, text);
    read_groups(groups, true, text);
}

bool groups_describe(int root, struct buf *out)
{
    bool any = false;
    for (size_t i = 0; i < HIERARCHIES; i++) {
        if (is_mounted(root, &hierarchies[i])) {
            buf_addf(out, "%s%s at /%s", any ? ", " : "", hierarchies[i].name,
                     hierarchies[i].folder);
            any = true;
        }
    }
    return any;
}
