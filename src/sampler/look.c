/* SPDX-License-Identifier: MIT */
#include "sampler/look.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/mem.h"
#include "sampler/users.h"

enum { PAGE = 4096 };

#define USER_UNKNOWN "_user_unknown"
#define CMD_UNKNOWN  "_unknown_"

void look_init(struct look *look, int64_t time)
{
    *look = (struct look){.time = time};
}

void look_release(struct look *look)
{
    free(look->processes);
    free(look->troubles);
    arena_release(&look->arena);
    *look = (struct look){0};
}

void look_trouble(struct look *look, const char *format, ...)
{
    va_list args;
    struct buf text;
    buf_init(&text, ERROR_TEXT_MAX);
    va_start(args, format);
    buf_addv(&text, format, args);
    va_end(args);
    if (look->trouble_count == look->trouble_room) {
        look->trouble_room = look->trouble_room ? 2 * look->trouble_room : 4;
        look->troubles =
            mem_resize(look->troubles, look->trouble_room, sizeof(*look->troubles));
    }
    look->troubles[look->trouble_count++] = arena_copy(&look->arena, buf_str(&text));
    buf_release(&text);
}

/* --- files -------------------------------------------------------------------------------------- */

/*
 * A whole file in place of what `out` had. Returns 0 or an errno. With `at_once`, for the files of a
 * process: the kernel prints them in one go, so a read that did not fill its room has seen the end, and
 * the second that would say so is saved.
 */
static int read_file(int folder, const char *name, struct buf *out, bool at_once)
{
    ssize_t got = 0;
    size_t room = 0;
    buf_clear(out);
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return errno;
    }
    do {
        buf_reserve(out, PAGE);
        if (out->overflow) {
            close(fd);
            return EFBIG;
        }
        room = out->room - out->len - 1;
        got = read(fd, out->ptr + out->len, room);
        out->len += got > 0 ? (size_t)got : 0;
    } while (at_once ? got == (ssize_t)room : got > 0);
    int wrong = got < 0 ? errno : 0;
    out->ptr[out->len] = '\0';
    close(fd);
    return wrong;
}

/* --- the node ----------------------------------------------------------------------------------- */

/* What look_at works with. */
struct viewer {
    struct look *look;
    int root, proc; /* folders */
    int64_t ticks;
    struct users users;
    struct buf text; /* of the file at hand */
    size_t unread;   /* processes of which a file could not be read, for a reason that is odd */
    int unread_reason; /* the errno of the first */
};

static bool read_hostname(struct viewer *viewer)
{
    viewer->look->node.name =
        arena_copy(&viewer->look->arena, str_trim(buf_str(&viewer->text)));
    return viewer->look->node.name.len > 0;
}

static bool read_stat(struct viewer *viewer)
{
    return node_read_stat(&viewer->look->node, buf_str(&viewer->text), viewer->ticks,
                          &viewer->look->arena);
}

static bool read_meminfo(struct viewer *viewer)
{
    return node_read_meminfo(&viewer->look->node, buf_str(&viewer->text));
}

static bool read_loadavg(struct viewer *viewer)
{
    return node_read_loadavg(&viewer->look->node, buf_str(&viewer->text));
}

static bool read_uptime(struct viewer *viewer)
{
    return node_read_uptime(&viewer->look->node, buf_str(&viewer->text), viewer->ticks);
}

static bool read_diskstats(struct viewer *viewer)
{
    return node_read_diskstats(&viewer->look->node, buf_str(&viewer->text),
                               &viewer->look->arena);
}

static void look_at_node(struct viewer *viewer)
{
    static const struct {
        const char *name;
        bool (*read)(struct viewer *viewer);
    } files[] = {
        {"sys/kernel/hostname", read_hostname},
        {"uptime", read_uptime},
        {"stat", read_stat},
        {"meminfo", read_meminfo},
        {"loadavg", read_loadavg},
        {"diskstats", read_diskstats},
    };

    for (size_t i = 0; i < COUNT_OF(files); i++) {
        int wrong = read_file(viewer->proc, files[i].name, &viewer->text, false);
        if (wrong) {
            look_trouble(viewer->look, "cannot read /proc/%s: %s", files[i].name,
                         strerror(wrong));
        } else if (!files[i].read(viewer)) {
            look_trouble(viewer->look, "cannot make sense of all of /proc/%s", files[i].name);
        }
    }
}

/* --- processes ---------------------------------------------------------------------------------- */

static bool is_gone(int wrong)
{
    return wrong == ENOENT || wrong == ESRCH;
}

/* Reads a file of the process at hand. What may not be read is usual; another reason is reported. */
static int read_part(struct viewer *viewer, int folder, const char *name)
{
    int wrong = read_file(folder, name, &viewer->text, true);
    if (wrong && !is_gone(wrong) && wrong != EACCES && wrong != EPERM) {
        viewer->unread_reason = viewer->unread++ ? viewer->unread_reason : wrong;
    }
    return wrong;
}

/* Fills a process from its folder; false if it is none to tell of. */
static bool read_process(struct viewer *viewer, int folder, struct process *process)
{
    struct arena *arena = &viewer->look->arena;
    const struct buf *text = &viewer->text;
    struct stat info;
    int wrong = read_part(viewer, folder, "stat");
    if (is_gone(wrong)) {
        return false;
    }
    if (!wrong) {
        process_read_stat(process, buf_str(text), arena);
        if (process_is_dead(process) || process_is_kernel(process)) {
            return false;
        }
    }
    if (read_part(viewer, folder, "status") == 0) {
        process_read_status(process, buf_str(text));
    }
    if (read_part(viewer, folder, "io") == 0) {
        process_read_io(process, buf_str(text));
    }
    if (read_part(viewer, folder, "cgroup") == 0) {
        process->job = cgroup_job(buf_str(text));
    }
    if (!look_has(&process->values, PROCESS_uid) && fstat(folder, &info) == 0) {
        look_set(&process->values, PROCESS_uid, info.st_uid);
    }
    return true;
}

static struct process *add_process(struct look *look)
{
    if (look->process_count == look->process_room) {
        look->process_room = look->process_room ? 2 * look->process_room : 256;
        look->processes =
            mem_resize(look->processes, look->process_room, sizeof(*look->processes));
    }
    struct process *process = &look->processes[look->process_count++];
    *process = (struct process){0};
    return process;
}

static void look_at_process(struct viewer *viewer, const char *name, int64_t pid)
{
    struct look *look = viewer->look;
    const int64_t uptime = look->node.has_uptime ? look->node.uptime_ticks : -1;
    /* By way of the open folder, all files are those of one process, even if its number is given anew. */
    int folder = openat(viewer->proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        return; /* it is gone, or hidden from us altogether */
    }
    struct process *process = add_process(look);
    look_set(&process->values, PROCESS_pid, pid);
    if (read_process(viewer, folder, process)) {
        process_settle(process, viewer->ticks, uptime);
        process->user =
            look_has(&process->values, PROCESS_uid)
                ? users_name(&viewer->users, process->values.at[PROCESS_uid], &look->arena)
                : STR(USER_UNKNOWN);
    } else {
        look->process_count--;
    }
    close(folder);
}

static int by_pid(const void *left, const void *right)
{
    const int64_t a = ((const struct process *)left)->values.at[PROCESS_pid];
    const int64_t b = ((const struct process *)right)->values.at[PROCESS_pid];
    return (a > b) - (a < b);
}

struct process *look_find(struct look *look, int64_t pid)
{
    const struct process key = {.values = {.at = {[PROCESS_pid] = pid}}};
    return look->process_count ? bsearch(&key, look->processes, look->process_count,
                                         sizeof(*look->processes), by_pid)
                               : NULL;
}

static struct process *parent_of(struct look *look, const struct process *process)
{
    return look_has(&process->values, PROCESS_ppid)
               ? look_find(look, process->values.at[PROCESS_ppid])
               : NULL;
}

/* Containers are what runs below containerd, itself a child of the first process. */
static bool is_contained(struct look *look, const struct process *process)
{
    const struct process *above = parent_of(look, process);
    for (size_t steps = 0; above && steps < look->process_count; steps++) {
        const bool is_top =
            look_has(&above->values, PROCESS_ppid) && above->values.at[PROCESS_ppid] == 1;
        if (is_top || above->in_container) {
            return above->in_container || str_starts(above->cmd, STR("containerd"));
        }
        above = parent_of(look, above);
    }
    return false;
}

static void look_at_processes(struct viewer *viewer, DIR *folder)
{
    struct look *look = viewer->look;
    const struct dirent *entry;
    int64_t pid = 0;
    while (look->process_count < LIMIT_PROCESSES && (entry = readdir(folder))) {
        if (look_count(str_of(entry->d_name), &pid)) {
            look_at_process(viewer, entry->d_name, pid);
        }
    }
    if (look->process_count > 0) {
        qsort(look->processes, look->process_count, sizeof(*look->processes), by_pid);
    }
    for (size_t i = 0; i < look->process_count; i++) {
        look->processes[i].in_container = is_contained(look, &look->processes[i]);
    }
    if (viewer->unread > 0) {
        look_trouble(look, "%zu files of processes could not be read: %s", viewer->unread,
                     strerror(viewer->unread_reason));
    }
    if (look->process_count == LIMIT_PROCESSES) {
        look_trouble(look, "there are more processes than the %d that are looked at",
                     LIMIT_PROCESSES);
    }
}

/* --- all of it ---------------------------------------------------------------------------------- */

static void look_with(struct viewer *viewer, DIR *folder, bool is_system)
{
    buf_init(&viewer->text, LIMIT_PROC_FILE);
    users_open(&viewer->users, viewer->root, is_system);
    look_at_node(viewer);
    look_at_processes(viewer, folder);
    users_close(&viewer->users);
    buf_release(&viewer->text);
}

int look_at(struct look *look, const char *root, int64_t ticks, struct error *err)
{
    struct viewer viewer = {.look = look, .proc = -1, .ticks = ticks};
    viewer.root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (viewer.root >= 0) {
        viewer.proc = openat(viewer.root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    DIR *folder = viewer.proc >= 0 ? fdopendir(viewer.proc) : NULL;
    int failed = 0;
    if (folder) {
        look_with(&viewer, folder, strcmp(root, "/") == 0);
        closedir(folder); /* and viewer.proc with it */
    } else {
        failed = error_errno(err, "cannot read the folder 'proc' below '%s'", root);
        if (viewer.proc >= 0) {
            close(viewer.proc);
        }
    }
    if (viewer.root >= 0) {
        close(viewer.root);
    }
    return failed;
}

void look_add_strangers(struct look *look)
{
    const size_t known = look->process_count;
    for (size_t i = 0; i < look->gpus.use_count; i++) {
        const int64_t pid = look->gpus.uses[i].values.at[GPU_USE_pid];
        bool seen = look_find(look, pid) != NULL;
        for (size_t k = known; k < look->process_count && !seen; k++) {
            seen = look->processes[k].values.at[PROCESS_pid] == pid;
        }
        if (!seen) {
            struct process *process = add_process(look);
            look_set(&process->values, PROCESS_pid, pid);
            process->user = STR(USER_UNKNOWN);
            process->cmd = STR(CMD_UNKNOWN);
        }
    }
    if (look->process_count > known) {
        qsort(look->processes, look->process_count, sizeof(*look->processes), by_pid);
    }
}
