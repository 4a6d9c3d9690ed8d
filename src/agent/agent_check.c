/* SPDX-License-Identifier: MIT */

/*
 * stint-agent check: what can be seen here, what cannot, and why.
 */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/gpu_probe.h"
#include "agent/nvml.h"
#include "base/limit.h"
#include "sampler/amd.h"
#include "sampler/counters.h"
#include "sampler/groups.h"
#include "sampler/sampler.h"

enum option { OPTION_ROOT, OPTION_COUNT };

static const struct agent_option options[OPTION_COUNT] = {
    [OPTION_ROOT] = {"root", "DIR",
                     "the folder with the node's proc, sys and etc/passwd (default /)"},
};

/* "yes  memory", "no   InfiniBand: why" */
static void add_line(struct buf *out, bool seen, const char *what, const char *why)
{
    buf_addf(out, "%-4s %s%s%s\n", seen ? "yes" : "no", what, why && why[0] ? ": " : "",
             why ? why : "");
}

static void add_processes(struct buf *out, const struct node_sample *look)
{
    size_t others = 0, readable = 0, jobs = 0;
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    for (size_t i = 0; i < look->process_count; i++) {
        others += 1;
        readable += look_has(&look->processes[i].values, PROCESS_data_read);
        jobs += look->processes[i].job.known;
    }
    buf_addf(&text, "%zu, of which %zu belong to a job of a batch system", others, jobs);
    add_line(out, others > 0, "processes", text.ptr);
    buf_clear(&text);
    buf_addf(&text, "of %zu of %zu processes%s", readable, others,
             readable < others ? "; of those of others only root, or who has CAP_SYS_PTRACE, "
                                 "may see it"
                               : "");
    add_line(out, readable > 0, "what processes read and write", text.ptr);
    buf_release(&text);
}

static void add_groups(struct buf *out, const struct node_sample *look, const char *root)
{
    struct buf text;
    const int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    buf_init(&text, LIMIT_ARGUMENT);
    const bool mounted = folder >= 0 && groups_describe(folder, &text);
    if (folder >= 0) {
        close(folder);
    }
    add_line(out, mounted, "control groups", mounted ? text.ptr : "none is mounted");
    buf_clear(&text);
    size_t jobs = 0, memory = 0;
    for (size_t i = 0; i < look->group_count; i++) {
        jobs += look->groups[i].job.known;
        memory +=
            look->groups[i].job.known && SAMPLE_HAS(&look->groups[i].values, mem_used_bytes);
    }
    buf_addf(&text, "%zu now, %zu of them with memory, and %zu of users and others", jobs,
             memory, look->group_count - jobs);
    add_line(out, jobs > 0, "jobs by their control groups",
             look->group_count > 0 ? text.ptr
                                   : "no job runs here now, or the scheduler makes no groups");
    buf_release(&text);
}

static void add_nvidia(struct buf *out)
{
    struct nvml *nvml = NULL;
    struct error err;
    struct buf text;
    const int failed = nvml_open(&nvml, &err);
    buf_init(&text, LIMIT_ARGUMENT);
    if (!failed) {
        buf_addf(&text, "%zu", nvml_count(nvml));
    }
    add_line(out, !failed, "NVIDIA GPUs", failed ? err.text : text.ptr);
    nvml_close(nvml);
    buf_release(&text);
}

/* AMD's have files of their own; where there are none, nothing is said. */
static void add_amd(struct buf *out, struct node_sample *look, const char *root)
{
    struct buf text;
    const size_t before = look->gpus.count;
    amd_look(look, root);
    buf_init(&text, LIMIT_ARGUMENT);
    buf_addf(&text, "%zu", look->gpus.count - before);
    if (look->gpus.count > before) {
        add_line(out, true, "AMD GPUs", text.ptr);
    }
    buf_release(&text);
}

static void describe(struct buf *out, struct node_sample *look, const char *root)
{
    add_processes(out, look);
    add_groups(out, look, root);
    for (size_t i = 0; i < counters_part_count; i++) {
        struct buf why;
        const bool seen = sample_has(&look->counters, counters_parts[i].field);
        buf_init(&why, LIMIT_ARGUMENT);
        if (!seen) {
            counters_why(root, &counters_parts[i], &why);
        }
        add_line(out, seen, counters_parts[i].name, seen ? NULL : why.ptr);
        buf_release(&why);
    }
    if (strcmp(root, "/") == 0) {
        add_nvidia(out);
    }
    add_amd(out, look, root);
    for (size_t i = 0; i < look->trouble_count; i++) {
        buf_addf(out, "     %.*s\n", STR_ARG(look->troubles[i]));
    }
}

static int check(const struct agent_values *values)
{
    const char *root = values->at[OPTION_ROOT] ? values->at[OPTION_ROOT] : "/";
    const int64_t ticks = sysconf(_SC_CLK_TCK);
    struct node_sample look;
    struct error err;
    struct buf out;
    node_sample_init(&look, gpu_probe_now_us());
    if (node_sample_at(&look, root, ticks > 0 ? ticks : 100, &err) != 0) {
        agent_complain("%s", err.text);
        node_sample_release(&look);
        return AGENT_FAILED;
    }
    buf_init(&out, LIMIT_OUTPUT);
    describe(&out, &look, root);
    const int status = agent_print(buf_str(&out));
    buf_release(&out);
    node_sample_release(&look);
    return status;
}

const struct agent_command check_command = {
    .name = "check",
    .summary = "say what can be seen of this node, what cannot, and why",
    .description =
        "Looks once, with the rights it is started with, and lists what there is to be "
        "seen:\nprocesses, control groups of jobs, counters of the node, GPUs.",
    .example = "stint-agent check",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = check,
};
