/* SPDX-License-Identifier: MIT */

/*
 * stint-agent sample: one look at the node, printed.
 */

#include <unistd.h>

#include "agent/agent.h"
#include "agent/gpu_probe.h"
#include "base/limit.h"
#include "base/zone.h"
#include "sampler/sonar_writer.h"

enum option { OPTION_ROOT, OPTION_CLUSTER, OPTION_NO_GPUS, OPTION_COUNT };

static const struct agent_option options[OPTION_COUNT] = {
    [OPTION_ROOT] = {"root", "DIR",
                     "the folder with the node's proc and etc/passwd (default /)"},
    [OPTION_CLUSTER] = {"cluster", "NAME", "the cluster of this node, written with the sample"},
    [OPTION_NO_GPUS] = {"no-gpus", NULL, "do not look at GPUs"},
};

static int print_look(const struct node_sample *look)
{
    struct buf text;
    buf_init(&text, LIMIT_OUTPUT);
    struct json json = {.out = &text};
    sonar_write(&json, look);
    buf_addc(&text, '\n');
    int status = AGENT_FAILED;
    if (text.overflow) {
        agent_complain("the sample is larger than %d bytes", LIMIT_OUTPUT);
    } else {
        status = agent_print(buf_str(&text));
    }
    buf_release(&text);
    return status;
}

static int sample(const struct agent_values *values)
{
    const char *root = values->at[OPTION_ROOT] ? values->at[OPTION_ROOT] : "/";
    const int64_t ticks = sysconf(_SC_CLK_TCK);
    struct node_sample look;
    struct error err;
    if (ticks <= 0) {
        agent_complain("the system does not say how many ticks make a second");
        return AGENT_FAILED;
    }
    node_sample_init(&look, gpu_probe_now_us());
    look.cluster = str_of(values->at[OPTION_CLUSTER]);
    int status = AGENT_FAILED;
    if (node_sample_at(&look, root, ticks, &err) != 0) {
        agent_complain("%s", err.text);
    } else {
        if (!values->at[OPTION_NO_GPUS]) {
            struct gpu_probe senses = {.root = root, .may_run_tools = true};
            gpu_probe_gpus(&senses, &look);
            gpu_probe_release(&senses);
        }
        status = print_look(&look);
        for (size_t i = 0; i < look.trouble_count; i++) {
            agent_complain("%.*s", STR_ARG(look.troubles[i]));
            status = AGENT_FAILED;
        }
    }
    node_sample_release(&look);
    return status;
}

const struct agent_command sample_command = {
    .name = "sample",
    .summary = "take one look at this node and print it as JSON",
    .description =
        "Tells what the node does as a whole, and every process with its user, the job it "
        "belongs\n"
        "to, cpu time, memory, what it read and wrote, and the GPUs it uses, in sonar's format "
        "0.\n"
        "What is not known is left out. Without root, some details of other users' processes "
        "are missing.",
    .example = "stint-agent sample --cluster mycluster",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = sample,
};
