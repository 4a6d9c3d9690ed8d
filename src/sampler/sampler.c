/* SPDX-License-Identifier: MIT */
#include "sampler/sampler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/mem.h"
#include "sampler/counters.h"
#include "sampler/groups.h"
#include "sampler/open_file.h"
#include "sampler/steps.h"
#include "sampler/users.h"

enum {
    CMD_MAX = 64,       /* bytes of a command's name; the kernel has 16, its threads more */
    FILES_SPARED = 256, /* descriptors that are left for everything else */
    GROUP_AGAIN = 16,   /* looks after which a process is asked for its control group again */
    NODE_FILES = 6,
    SLUID_MAX = 16,
    ENVIRONMENT_MAX = 256 << 10, /* bytes that are read of one */
};

/* A process that was there at the last look. */
struct watched {
    struct process process; /* as it was last read */
    char cmd[CMD_MAX];
    int folder; /* one more than the descriptor; 0: not kept */
    struct open_file stat;
    uint64_t stat_hash;
    int64_t looks;
    int64_t claims;   /* the job that its environment names; 0: none */
    int64_t asked_at; /* the look at which it was asked for that; 0: it was not */
    char sluid[SLUID_MAX];
    /* a thread of the kernel: not reported, and looked at again only now and then */
    bool is_kernel;
};

struct sampler {
    int root, proc; /* folders */
    DIR *listing;   /* of proc */
    int64_t ticks;
    bool leave_processes;
    bool has_boot;
    int64_t boot; /* as the first look read it */
    struct open_file node_files[NODE_FILES];
    struct groups groups;
    struct counters counters;
    struct users users;
    struct arena arena;     /* names of users */
    struct watched **known; /* by number, ascending */
    size_t known_count;
    size_t kept_count, kept_max; /* processes whose files stay open */
    struct buf text;             /* of the file at hand */

    /* of the look at hand */
    struct node_sample *look;
    struct watched **fresh;
    size_t fresh_count, fresh_room;
    size_t unread; /* processes of which a file could not be read, for a reason that is odd */
    int unread_reason; /* the errno of the first */
};

/* --- the node ----------------------------------------------------------------------------- */

static bool read_hostname(struct sampler *watch)
{
    watch->look->node.name = arena_copy(&watch->look->arena, str_trim(buf_str(&watch->text)));
    return watch->look->node.name.len > 0;
}

/*
 * The time of boot follows from the clock: it may differ by a second from look to look, and
 * changes when the clock is set. The node did not boot while it is watched, so the first one
 * counts, and with it what distinguishes process groups of one boot from those of another.
 */
static bool read_stat(struct sampler *watch)
{
    struct node *node = &watch->look->node;
    const bool made_sense =
        node_read_stat(node, buf_str(&watch->text), watch->ticks, &watch->look->arena);
    if (node->has_boot && !watch->has_boot) {
        watch->has_boot = true;
        watch->boot = node->boot;
    }
    if (node->has_boot) {
        node->boot = watch->boot;
    }
    return made_sense;
}

static bool read_meminfo(struct sampler *watch)
{
    return node_read_meminfo(&watch->look->node, buf_str(&watch->text));
}

static bool read_loadavg(struct sampler *watch)
{
    return node_read_loadavg(&watch->look->node, buf_str(&watch->text));
}

static bool read_uptime(struct sampler *watch)
{
    return node_read_uptime(&watch->look->node, buf_str(&watch->text), watch->ticks);
}

static bool read_diskstats(struct sampler *watch)
{
    return node_read_diskstats(&watch->look->node, buf_str(&watch->text), &watch->look->arena);
}

static void look_at_node(struct sampler *watch)
{
    static const struct {
        const char *name;
        bool (*read)(struct sampler *watch);
    } files[NODE_FILES] = {
        {"sys/kernel/hostname", read_hostname},
        {"uptime", read_uptime},
        {"stat", read_stat},
        {"meminfo", read_meminfo},
        {"loadavg", read_loadavg},
        {"diskstats", read_diskstats},
    };

    for (size_t i = 0; i < NODE_FILES; i++) {
        int wrong = open_file_read(&watch->node_files[i], watch->proc, files[i].name, false,
                                   &watch->text);
        if (wrong) {
            node_sample_trouble(watch->look, "cannot read /proc/%s: %s", files[i].name,
                                strerror(wrong));
        } else if (!files[i].read(watch)) {
            node_sample_trouble(watch->look, "cannot make sense of all of /proc/%s",
                                files[i].name);
        }
    }
}

/*
 * Which boot this is, by the kernel's own id: unlike the time of boot it does not follow the
 * clock.
 */
static void read_boot_id(struct sampler *watch)
{
    struct open_file once = {0};
    if (open_file_read(&once, watch->proc, "sys/kernel/random/boot_id", true, &watch->text) ==
        0) {
        const struct str id = str_trim(buf_str(&watch->text));
        watch->groups.boot = id.len > 0 ? str_hash(id, 1) : 0;
    }
    open_file_close(&once);
}

/* --- one process -------------------------------------------------------------------------- */

static bool is_gone(int wrong)
{
    return wrong == ENOENT || wrong == ESRCH;
}

static void note_unread(struct sampler *watch, int wrong)
{
    /* What may not be read is usual; another reason is reported. */
    if (wrong && !is_gone(wrong) && wrong != EACCES && wrong != EPERM) {
        watch->unread_reason = watch->unread++ ? watch->unread_reason : wrong;
    }
}

static int read_part(struct sampler *watch, const struct watched *watched, const char *name)
{
    struct open_file once = {0};
    const int wrong = open_file_read(&once, watched->folder - 1, name, true, &watch->text);
    open_file_close(&once);
    note_unread(watch, wrong);
    return wrong;
}

static void read_group(struct sampler *watch, struct watched *watched)
{
    if (read_part(watch, watched, "cgroup") != 0) {
        return;
    }
    const struct str sluid = cgroup_sluid(buf_str(&watch->text));
    watched->process.job = cgroup_job(buf_str(&watch->text));
    watched->process.sluid = (struct str){0};
    if (sluid.ptr && sluid.len < SLUID_MAX) {
        memcpy(watched->sluid, sluid.ptr, sluid.len);
        watched->process.sluid = (struct str){watched->sluid, sluid.len};
    }
}

/* The title of a step's daemon is set by itself, some time after it began. */
static void read_title(struct sampler *watch, struct watched *watched)
{
    watched->process.daemon_of = 0;
    if (steps_may_be_daemon(&watched->process) && read_part(watch, watched, "cmdline") == 0) {
        watched->process.daemon_of = steps_title_job(buf_str(&watch->text));
    }
}

/* All but `stat`, which has just been read. */
static void read_rest(struct sampler *watch, struct watched *watched)
{
    struct process *process = &watched->process;
    struct stat info;
    if (read_part(watch, watched, "status") == 0) {
        process_read_status(process, buf_str(&watch->text));
    }
    if (read_part(watch, watched, "io") == 0) {
        process_read_io(process, buf_str(&watch->text));
    }
    if (!look_has(&process->values, PROCESS_uid) && fstat(watched->folder - 1, &info) == 0) {
        look_set(&process->values, PROCESS_uid, info.st_uid);
    }
    process->user =
        look_has(&process->values, PROCESS_uid)
            ? users_name(&watch->users, process->values.at[PROCESS_uid], &watch->arena)
            : STR(NODE_SAMPLE_USER_UNKNOWN);
}

static void read_new_stat(struct sampler *watch, struct watched *watched)
{
    struct process *process = &watched->process;
    const int64_t pid = process->values.at[PROCESS_pid];
    struct arena passing = {0};
    *process = (struct process){
        .job = process->job, .sluid = process->sluid, .daemon_of = process->daemon_of};
    look_set(&process->values, PROCESS_pid, pid);
    process_read_stat(process, buf_str(&watch->text), &passing);
    if (process->cmd.ptr) {
        const size_t length = process->cmd.len < CMD_MAX ? process->cmd.len : CMD_MAX;
        memcpy(watched->cmd, process->cmd.ptr, length);
        process->cmd = (struct str){watched->cmd, length};
    }
    arena_release(&passing);
}

/* Brings what is known of a process up to date; false if it is not one to report. */
static bool refresh(struct sampler *watch, struct watched *watched)
{
    const int wrong =
        open_file_read(&watched->stat, watched->folder - 1, "stat", true, &watch->text);
    note_unread(watch, wrong);
    if (is_gone(wrong)) {
        return false;
    }
    const uint64_t hash = wrong ? 0 : str_hash(buf_str(&watch->text), 1);
    const bool changed = watched->looks == 0 || hash != watched->stat_hash;
    if (changed) {
        watched->stat_hash = hash;
        if (!wrong) {
            read_new_stat(watch, watched);
        }
        watched->is_kernel = process_is_kernel(&watched->process);
        if (watched->is_kernel || process_is_dead(&watched->process)) {
            return watched->is_kernel;
        }
        read_rest(watch, watched);
        read_title(watch, watched);
    }
    /* One that does not work is not moved either, but for those that are waiting to begin. */
    if (changed ||
        (watched->looks + watched->process.values.at[PROCESS_pid]) % GROUP_AGAIN == 0) {
        read_group(watch, watched);
    }
    return true;
}

/* --- all processes ------------------------------------------------------------------------ */

static void drop_files(struct sampler *watch, struct watched *watched)
{
    if (open_file_is_open(&watched->stat)) {
        open_file_close(&watched->stat);
    }
    if (watched->folder > 0) {
        close(watched->folder - 1);
        watched->folder = 0;
        watch->kept_count--;
    }
}

static void forget(struct sampler *watch, struct watched *watched)
{
    drop_files(watch, watched);
    free(watched);
}

/*
 * By way of the open folder, all files are those of one process, even if its number is given to
 * another.
 */
static bool open_folder(struct sampler *watch, struct watched *watched, const char *name)
{
    if (watched->folder == 0) {
        const int folder = openat(watch->proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
        watched->folder = folder + 1;
        watch->kept_count += folder >= 0;
    }
    return watched->folder > 0;
}

static struct process *add_to_look(struct node_sample *look, const struct process *process)
{
    struct process *added = node_sample_add_process(look);
    *added = *process;
    return added;
}

static void keep(struct sampler *watch, struct watched *watched)
{
    watch->fresh = mem_grow(watch->fresh, watch->fresh_count, &watch->fresh_room,
                            sizeof(struct watched *));
    watch->fresh[watch->fresh_count++] = watched;
}

/*
 * The process with this number that was there at the last look, taken off the list; NULL: none.
 */
static struct watched *take_known(struct sampler *watch, size_t *at, int64_t pid)
{
    while (*at < watch->known_count &&
           watch->known[*at]->process.values.at[PROCESS_pid] < pid) {
        forget(watch, watch->known[(*at)++]);
    }
    if (*at < watch->known_count && watch->known[*at]->process.values.at[PROCESS_pid] == pid) {
        return watch->known[(*at)++];
    }
    return NULL;
}

static struct watched *new_watched(int64_t pid)
{
    struct watched *watched = mem_alloc(1, sizeof(*watched));
    look_set(&watched->process.values, PROCESS_pid, pid);
    return watched;
}

static void look_at_process(struct sampler *watch, const char *name, int64_t pid, size_t *at)
{
    const struct node *node = &watch->look->node;
    struct watched *watched = take_known(watch, at, pid);
    if (watched && watched->is_kernel && ++watched->looks % GROUP_AGAIN != 0) {
        keep(watch, watched);
        return;
    }
    /*
     * One whose files are not kept may be another of the same number, and so may one that has
     * ended.
     */
    if (watched && (watched->is_kernel || watched->folder == 0 || !refresh(watch, watched))) {
        forget(watch, watched);
        watched = NULL;
    }
    if (!watched) {
        watched = new_watched(pid);
        if (!open_folder(watch, watched, name) || !refresh(watch, watched)) {
            forget(watch, watched);
            return;
        }
    }
    watched->looks++;
    if (watched->is_kernel) {
        drop_files(watch, watched);
        keep(watch, watched);
        return;
    }
    struct process *process = add_to_look(watch->look, &watched->process);
    process_settle(process, watch->ticks, node->has_uptime ? node->uptime_ticks : -1);
    if (watch->kept_count > watch->kept_max) {
        drop_files(watch, watched);
    }
    keep(watch, watched);
}

static int by_number(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The numbers of all processes, ascending; the caller frees them. */
static int64_t *list_processes(struct sampler *watch, size_t *count)
{
    const struct dirent *entry;
    int64_t *pids = NULL, pid = 0;
    size_t room = 0;
    *count = 0;
    rewinddir(watch->listing);
    while (*count < LIMIT_PROCESSES && (entry = readdir(watch->listing))) {
        if (!look_count(str_of(entry->d_name), &pid)) {
            continue;
        }
        pids = mem_grow(pids, *count, &room, sizeof(*pids));
        pids[(*count)++] = pid;
    }
    if (*count > 0) {
        qsort(pids, *count, sizeof(*pids), by_number);
    }
    return pids;
}

static void say_troubles(struct sampler *watch)
{
    if (watch->unread > 0) {
        node_sample_trouble(watch->look, "%zu files of processes could not be read: %s",
                            watch->unread, strerror(watch->unread_reason));
    }
    if (watch->look->process_count >= LIMIT_PROCESSES) {
        node_sample_trouble(watch->look,
                            "there are more processes than the %d that are looked at",
                            LIMIT_PROCESSES);
    }
    if (watch->groups.cut) {
        node_sample_trouble(
            watch->look, "there are more control groups of jobs than the %d that are looked at",
            LIMIT_GROUPS);
    }
}

static int by_watched(const void *key, const void *entry)
{
    const int64_t a = *(const int64_t *)key;
    const int64_t b = (*(struct watched *const *)entry)->process.values.at[PROCESS_pid];
    return (a > b) - (a < b);
}

/* steps_ask: an environment is that of the last exec, so it is read again only now and then. */
static int64_t ask_environment(void *context, const struct process *process)
{
    struct sampler *watch = context;
    struct watched **found = bsearch(&process->values.at[PROCESS_pid], watch->known,
                                     watch->known_count, sizeof(*watch->known), by_watched);
    struct watched *watched = found ? *found : NULL;
    char name[64];
    if (!watched) {
        return 0;
    }
    if (watched->asked_at == 0 || watched->looks - watched->asked_at >= GROUP_AGAIN) {
        struct open_file once = {0};
        struct buf text;
        buf_init(&text, ENVIRONMENT_MAX);
        (void)snprintf(name, sizeof(name), "%lld/environ",
                       (long long)process->values.at[PROCESS_pid]);
        watched->asked_at = watched->looks;
        watched->claims = 0;
        /* what may not be read, or is longer, names no job */
        if (open_file_read(&once, watch->proc, name, false, &text) == 0) {
            watched->claims =
                steps_environment_job(buf_str(&text), process->values.at[PROCESS_uid]);
        }
        open_file_close(&once);
        buf_release(&text);
    }
    return watched->claims;
}

static void look_at_processes(struct sampler *watch)
{
    size_t count = 0, at = 0;
    int64_t *pids = list_processes(watch, &count);
    char name[32];
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(name, sizeof(name), "%lld", (long long)pids[i]);
        look_at_process(watch, name, pids[i], &at);
    }
    while (at < watch->known_count) {
        forget(watch, watch->known[at++]);
    }
    free(watch->known);
    watch->known = watch->fresh;
    watch->known_count = watch->fresh_count;
    watch->fresh = NULL;
    watch->fresh_count = watch->fresh_room = 0;
    free(pids);
    node_sample_find_containers(watch->look);
    steps_assign(watch->look, ask_environment, watch);
}

/* --- jobs and the node by counters -------------------------------------------------------- */

static struct batch_job job_of(const struct sampler *watch, const struct group *group)
{
    const int64_t number =
        group->by_sluid ? steps_sluid_job(watch->look, str_of(group->name)) : 0;
    return number > 0 ? (struct batch_job){.number = number, .known = true} : group->job;
}

/*
 * Whose the group is, by its number or by the first of its processes; those of root are the
 * scheduler's, unless there are no others.
 */
static struct str user_of(struct sampler *watch, const struct group *group,
                          const struct batch_job *own)
{
    const struct node_sample *look = watch->look;
    if (group->uid >= 0) {
        return users_name(&watch->users, group->uid, &watch->arena);
    }
    struct str user = {0};
    for (size_t i = 0; own->known && i < look->process_count; i++) {
        const struct process *process = &look->processes[i];
        const struct batch_job *job = &process->job;
        if (!job->known || job->number != own->number || job->has_task != own->has_task ||
            job->task != own->task) {
            continue;
        }
        user = user.ptr ? user : process->user;
        if (look_has(&process->values, PROCESS_uid) && process->values.at[PROCESS_uid] != 0) {
            return process->user;
        }
    }
    return user;
}

static void look_at_groups(struct sampler *watch)
{
    struct node_sample *look = watch->look;
    groups_look(&watch->groups, &watch->text);
    look->groups = arena_alloc(&look->arena, (watch->groups.count + 1) * sizeof(*look->groups));
    look->group_count = 0;
    for (size_t i = 0; i < watch->groups.count; i++) {
        const struct group *group = &watch->groups.rows[i];
        if (group->holds_jobs && !SAMPLE_HAS(&group->values, cpu_time_us)) {
            continue; /* it says nothing of jobs that were not seen */
        }
        struct node_sample_group *out = &look->groups[look->group_count++];
        *out = (struct node_sample_group){.job = job_of(watch, group), .values = group->values};
        out->name = out->job.known ? (struct str){0} : str_of(group->name);
        out->user = user_of(watch, group, &out->job);
    }
}

/* --- all of it ---------------------------------------------------------------------------- */

void sampler_look(struct sampler *watch, struct node_sample *look)
{
    watch->look = look;
    watch->unread = 0;
    watch->unread_reason = 0;
    look_at_node(watch);
    if (!watch->leave_processes) {
        look_at_processes(watch);
    }
    look_at_groups(watch);
    counters_look(&watch->counters, &look->counters, &watch->text);
    if (watch->groups.boot && sample_any(&look->counters)) {
        SAMPLE_SET(&look->counters, generation, sample_generation(watch->groups.boot, 0));
    }
    int64_t cpus = 0;
    for (size_t i = 0; i < look->node.cpu_count; i++) {
        cpus += look->node.cpus[i].known;
    }
    if (cpus > 0) {
        SAMPLE_SET(&look->counters, cpus, cpus);
    }
    if (look_has(&look->node.values, SYSTEM_used_memory)) {
        SAMPLE_SET(&look->counters, mem_used_bytes,
                   look->node.values.at[SYSTEM_used_memory] * 1024);
    }
    say_troubles(watch);
    watch->look = NULL;
}

/* As many files as the system allows, less those that everything else needs. */
static size_t processes_to_keep(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    const size_t most = limit.rlim_cur > LIMIT_PROCESSES ? LIMIT_PROCESSES : limit.rlim_cur;
    return most > 2 * FILES_SPARED ? (most - FILES_SPARED) / 2 : 0;
}

int sampler_open(const char *root, int64_t ticks, struct sampler **out, struct error *err)
{
    struct sampler *watch = mem_alloc(1, sizeof(*watch));
    watch->ticks = ticks;
    watch->proc = -1;
    watch->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (watch->root >= 0) {
        watch->proc = openat(watch->root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    watch->listing = watch->proc >= 0 ? fdopendir(watch->proc) : NULL;
    const int reason = errno;
    buf_init(&watch->text, LIMIT_PROC_FILE);
    users_open(&watch->users, watch->root, strcmp(root, "/") == 0);
    groups_init(&watch->groups, watch->root);
    counters_init(&watch->counters, root);
    watch->kept_max = processes_to_keep();
    if (!watch->listing) {
        errno = reason;
        int failed = error_errno(err, "cannot read the folder 'proc' below '%s'", root);
        if (watch->proc >= 0) {
            close(watch->proc);
        }
        sampler_close(watch);
        return failed;
    }
    read_boot_id(watch);
    *out = watch;
    return 0;
}

void sampler_leave_processes(struct sampler *watch)
{
    watch->leave_processes = true;
}

void sampler_close(struct sampler *watch)
{
    if (!watch) {
        return;
    }
    for (size_t i = 0; i < watch->known_count; i++) {
        forget(watch, watch->known[i]);
    }
    for (size_t i = 0; i < NODE_FILES; i++) {
        open_file_close(&watch->node_files[i]);
    }
    free(watch->known);
    free(watch->fresh);
    groups_release(&watch->groups);
    counters_release(&watch->counters);
    users_close(&watch->users);
    buf_release(&watch->text);
    arena_release(&watch->arena);
    if (watch->listing) {
        closedir(watch->listing); /* and proc with it */
    }
    if (watch->root >= 0) {
        close(watch->root);
    }
    free(watch);
}
