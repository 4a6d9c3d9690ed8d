/* SPDX-License-Identifier: MIT */
#include "sampler/node_sample.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sampler/sampler.h"

void node_sample_init(struct node_sample *look, int64_t time)
{
    *look = (struct node_sample){.time = time};
}

void node_sample_release(struct node_sample *look)
{
    free(look->processes);
    free(look->troubles);
    sampler_close(look->watch);
    arena_release(&look->arena);
    *look = (struct node_sample){0};
}

void node_sample_trouble(struct node_sample *look, const char *format, ...)
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

struct process *node_sample_add_process(struct node_sample *look)
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

struct process *node_sample_find(struct node_sample *look, int64_t pid)
{
    const struct process key = {.values = {.at = {[PROCESS_pid] = pid}}};
    return look->process_count ? bsearch(&key, look->processes, look->process_count,
                                         sizeof(*look->processes), by_pid)
                               : NULL;
}

static struct process *parent_of(struct node_sample *look, const struct process *process)
{
    return look_has(&process->values, PROCESS_ppid)
               ? node_sample_find(look, process->values.at[PROCESS_ppid])
               : NULL;
}

/* Containers are what runs below containerd, itself a child of the first process. */
static bool is_contained(struct node_sample *look, const struct process *process)
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

void node_sample_find_containers(struct node_sample *look)
{
    for (size_t i = 0; i < look->process_count; i++) {
        look->processes[i].in_container = is_contained(look, &look->processes[i]);
    }
}

int node_sample_at(struct node_sample *look, const char *root, int64_t ticks, struct error *err)
{
    int failed = sampler_open(root, ticks, &look->watch, err);
    if (!failed) {
        sampler_look(look->watch, look);
        /* nothing was added up yet: looks of one process after the other can be compared */
        SAMPLE_CLEAR(&look->counters, energy_generation);
    }
    return failed;
}

void node_sample_add_unassigned(struct node_sample *look)
{
    const size_t known = look->process_count;
    for (size_t i = 0; i < look->gpus.use_count; i++) {
        const int64_t pid = look->gpus.uses[i].values.at[GPU_USE_pid];
        bool seen = node_sample_find(look, pid) != NULL;
        for (size_t k = known; k < look->process_count && !seen; k++) {
            seen = look->processes[k].values.at[PROCESS_pid] == pid;
        }
        if (!seen) {
            struct process *process = node_sample_add_process(look);
            look_set(&process->values, PROCESS_pid, pid);
            process->user = STR(NODE_SAMPLE_USER_UNKNOWN);
            process->cmd = STR(NODE_SAMPLE_CMD_UNKNOWN);
        }
    }
    if (look->process_count > known) {
        qsort(look->processes, look->process_count, sizeof(*look->processes), by_pid);
    }
}
