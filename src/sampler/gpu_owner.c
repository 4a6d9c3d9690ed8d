/* SPDX-License-Identifier: MIT */
#include "sampler/gpu_owner.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "sampler/open_file.h"

/* What the scheduler says which cards a job has. */
static const struct {
    struct str name;
    bool by_number; /* numbers are those of the node */
} variables[] = {
    {{"SLURM_JOB_GPUS=", 15}, true},
    {{"SLURM_STEP_GPUS=", 16}, true},
    {{"CUDA_VISIBLE_DEVICES=", 21}, false},
    {{"ROCR_VISIBLE_DEVICES=", 21}, false},
};

bool gpu_owner_names(struct str list, int64_t index, struct str uuid)
{
    while (list.ptr) {
        struct str item = str_trim(str_cut(&list, ','));
        int64_t first = 0, last = 0;
        /* AMD's are written there with letters before what the card says itself */
        struct str bare = item;
        bare = str_starts(bare, STR("GPU-")) ? (struct str){bare.ptr + 4, bare.len - 4} : bare;
        if (uuid.len > 0 && (str_eq(item, uuid) || str_eq(bare, uuid))) {
            return true;
        }
        struct str end = item;
        const struct str begin = str_cut(&end, '-');
        if (look_count(begin, &first) && look_count(end.ptr ? end : begin, &last) &&
            index >= first && index <= last) {
            return true;
        }
    }
    return false;
}

static bool same_job(const struct process *a, const struct process *b)
{
    return a->job.known && b->job.known && a->job.number == b->job.number &&
           a->job.has_task == b->job.has_task && a->job.task == b->job.task;
}

/* What holds a card; `several` when more than one job does. */
struct claim {
    const struct process *process;
    bool several;
};

static void add_claim(struct claim *claim, const struct process *process)
{
    claim->several = claim->several || (claim->process && !same_job(claim->process, process));
    claim->process = claim->process ? claim->process : process;
}

static void claim_by_use(struct node_sample *look, struct claim *claims)
{
    const struct gpu_list *gpus = &look->gpus;
    for (size_t i = 0; i < gpus->use_count; i++) {
        const struct gpu_use *use = &gpus->uses[i];
        const struct process *process = node_sample_find(look, use->values.at[GPU_USE_pid]);
        for (size_t k = 0; process && process->job.known && k < gpus->count; k++) {
            if (str_eq(gpus->cards[k].uuid, use->uuid)) {
                add_claim(&claims[k], process);
            }
        }
    }
}

static void claim_by_environment(const struct gpu_list *gpus, const struct process *process,
                                 struct str environment, struct claim *claims)
{
    while (environment.ptr) {
        struct str entry = str_cut(&environment, '\0');
        for (size_t v = 0; v < COUNT_OF(variables); v++) {
            if (!str_starts(entry, variables[v].name)) {
                continue;
            }
            const struct str list = {entry.ptr + variables[v].name.len,
                                     entry.len - variables[v].name.len};
            for (size_t k = 0; k < gpus->count; k++) {
                const struct gpu *card = &gpus->cards[k];
                const int64_t index =
                    variables[v].by_number && look_has(&card->values, GPU_index)
                        ? card->values.at[GPU_index]
                        : -1;
                if (gpu_owner_names(list, index, card->uuid)) {
                    add_claim(&claims[k], process);
                }
            }
        }
    }
}

/*
 * Of each job some processes are asked: the first is often the scheduler's own and does not
 * say.
 */
static bool is_asked(const struct node_sample *look, size_t at)
{
    enum { ASKED_MAX = 4 };

    size_t earlier = 0;
    for (size_t i = 0; i < at && earlier < ASKED_MAX; i++) {
        earlier += same_job(&look->processes[i], &look->processes[at]);
    }
    return look->processes[at].job.known && earlier < ASKED_MAX;
}

static void claim_by_environments(struct node_sample *look, const char *root,
                                  struct claim *claims)
{
    struct buf path, text;
    buf_init(&path, LIMIT_ARGUMENT);
    buf_init(&text, LIMIT_PROC_FILE);
    for (size_t i = 0; i < look->process_count; i++) {
        struct open_file once = {0};
        if (!is_asked(look, i)) {
            continue;
        }
        buf_clear(&path);
        buf_addf(&path, "%s/proc/%lld/environ", root,
                 (long long)look->processes[i].values.at[PROCESS_pid]);
        if (open_file_read(&once, AT_FDCWD, path.ptr, false, &text) == 0) {
            claim_by_environment(&look->gpus, &look->processes[i], buf_str(&text), claims);
        }
        open_file_close(&once);
    }
    buf_release(&path);
    buf_release(&text);
}

static void note_holder(struct gpu *card, const struct process *process)
{
    SAMPLE_SET(&card->counters, job, process->job.number);
    if (process->job.has_task) {
        SAMPLE_SET(&card->counters, task, process->job.task);
    }
    if (process->user.ptr) {
        SAMPLE_SET(&card->counters, user, process->user);
    }
}

void gpu_owner_find(struct node_sample *look, const char *root)
{
    struct gpu_list *gpus = &look->gpus;
    if (gpus->count == 0) {
        return;
    }
    struct claim *claims = mem_alloc(gpus->count, sizeof(*claims));
    claim_by_use(look, claims);
    claim_by_environments(look, root, claims);
    for (size_t k = 0; k < gpus->count; k++) {
        if (claims[k].process && !claims[k].several) {
            note_holder(&gpus->cards[k], claims[k].process);
        }
    }
    free(claims);
}
