/* SPDX-License-Identifier: MIT */
#include "sampler/look.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sampler/watch.h"

void look_init(struct look *look, int64_t time)
{
    *look = (struct look){.time = time};
}

void look_release(struct look *look)
{
    free(look->processes);
    free(look->troubles);
    watch_close(look->watch);
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
    look->troubles = mem_grow(look->troubles, look->trouble_count, &look->trouble_room,
                              sizeof(*look->troubles));
    look->troubles[look->trouble_count++] = arena_copy(&look->arena, buf_str(&text));
    buf_release(&text);
}

struct process *look_add_process(struct look *look)
{
    look->processes = mem_grow(look->processes, look->process_count, &look->process_room,
                               sizeof(*look->processes));
    struct process *process = &look->processes[look->process_count++];
    *process = (struct process){0};
    return process;
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

void look_find_containers(struct look *look)
{
    for (size_t i = 0; i < look->process_count; i++) {
        look->processes[i].in_container = is_contained(look, &look->processes[i]);
    }
}

int look_at(struct look *look, const char *root, int64_t ticks, struct error *err)
{
    int failed = watch_open(root, ticks, &look->watch, err);
    if (!failed) {
        watch_look(look->watch, look);
        /* nothing was added up yet: looks of one process after the other can be compared */
        SAMPLE_CLEAR(&look->counters, energy_generation);
    }
    return failed;
}

void look_add_unassigned(struct look *look)
{
    const size_t known = look->process_count;
    for (size_t i = 0; i < look->gpus.use_count; i++) {
        const int64_t pid = look->gpus.uses[i].values.at[GPU_USE_pid];
        bool seen = look_find(look, pid) != NULL;
        for (size_t k = known; k < look->process_count && !seen; k++) {
            seen = look->processes[k].values.at[PROCESS_pid] == pid;
        }
        if (!seen) {
            struct process *process = look_add_process(look);
            look_set(&process->values, PROCESS_pid, pid);
            process->user = STR(LOOK_USER_UNKNOWN);
            process->cmd = STR(LOOK_CMD_UNKNOWN);
        }
    }
    if (look->process_count > known) {
        qsort(look->processes, look->process_count, sizeof(*look->processes), by_pid);
    }
}
