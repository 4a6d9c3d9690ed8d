/* SPDX-License-Identifier: MIT */

/*
 * stint-agent run: looks at intervals until it is ended.
 */

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/gpu_probe.h"
#include "agent/idle_wait.h"
#include "agent/sample_output.h"
#include "base/limit.h"
#include "base/scan.h"
#include "base/stop.h"
#include "base/zone.h"
#include "sampler/clocks.h"
#include "sampler/sampler.h"

enum option {
    OPTION_ROOT,
    OPTION_CLUSTER,
    OPTION_EVERY,
    OPTION_LOOKS,
    OPTION_INTO,
    OPTION_TO,
    OPTION_TOKEN_FILE,
    OPTION_AUTHORITY,
    OPTION_SPOOL,
    OPTION_SPOOL_MAX,
    OPTION_NO_GPUS,
    OPTION_NO_PROCESSES,
    OPTION_COUNT
};

static const struct agent_option options[OPTION_COUNT] = {
    [OPTION_ROOT] = {"root", "DIR",
                     "the folder with the node's proc, sys and etc/passwd (default /)"},
    [OPTION_CLUSTER] = {"cluster", "NAME",
                        "the cluster of this node, written with each sample"},
    [OPTION_EVERY] = {"every", "TIME",
                      "time from one look to the next: 60, 30s, 5m (default 60)"},
    [OPTION_LOOKS] = {"looks", "N", "end after so many looks"},
    [OPTION_INTO] = {"into", "DIR",
                     "write files below this folder, by day and node, as sonar does"},
    [OPTION_TO] = {"to", "URL", "send to this server: https://stint.example"},
    [OPTION_TOKEN_FILE] = {"token-file", "FILE",
                           "the token to send with, from: stint token add agent-CLUSTER"},
    [OPTION_AUTHORITY] = {"authority", "FILE",
                          "certificates to trust in place of the system's"},
    [OPTION_SPOOL] = {"spool", "DIR",
                      "where looks wait to be sent (default /var/lib/stint-agent/spool)"},
    [OPTION_SPOOL_MAX] = {"spool-max", "SIZE",
                          "most that waits there; the oldest goes first (default 64M)"},
    [OPTION_NO_GPUS] = {"no-gpus", NULL, "do not look at GPUs"},
    [OPTION_NO_PROCESSES] = {"no-processes", NULL,
                             "jobs by their control groups and the node only"},
};

/* What the command line says. */
struct plan {
    const char *root;
    struct str cluster;
    int64_t every_us, looks;
    bool gpus, processes;
    struct sample_output_plan outlet;
};

enum { SPOOL_MAX = 64 << 20, SPOOL_LEAST = 1 << 20 };

#define SPOOL_FOLDER "/var/lib/stint-agent/spool"

/* Set by signals: there is nothing else that could reach a handler. */
static struct stop ending;

static void end(int number)
{
    (void)number;
    stop_ask(&ending);
}

static void listen_for_the_end(void)
{
    idle_wait_prepare(end);
    (void)signal(SIGPIPE, SIG_IGN);
}

static int read_plan(const struct agent_values *values, struct plan *plan)
{
    *plan = (struct plan){
        .root = values->at[OPTION_ROOT] ? values->at[OPTION_ROOT] : "/",
        .cluster = str_of(values->at[OPTION_CLUSTER]),
        .every_us = 60 * SECOND_US,
        .gpus = !values->at[OPTION_NO_GPUS],
        .processes = !values->at[OPTION_NO_PROCESSES],
        .outlet = {.folder = values->at[OPTION_INTO]},
    };
    const char *every = values->at[OPTION_EVERY], *looks = values->at[OPTION_LOOKS];
    if (every && (!scan_duration(str_of(every), &plan->every_us) || plan->every_us <= 0 ||
                  plan->every_us > DAY_US)) {
        agent_complain("'%s' is no time from one look to the next: 60, 30s, 5m", every);
        return AGENT_USAGE;
    }
    const char *most = values->at[OPTION_SPOOL_MAX];
    if (values->at[OPTION_TO]) {
        plan->outlet.shipping = (struct uploader_plan){
            .server = values->at[OPTION_TO],
            .token_file = values->at[OPTION_TOKEN_FILE],
            .authority = values->at[OPTION_AUTHORITY],
            .folder = values->at[OPTION_SPOOL] ? values->at[OPTION_SPOOL] : SPOOL_FOLDER,
            .limit = SPOOL_MAX};
    }
    if (most && (!scan_size(str_of(most), 1, &plan->outlet.shipping.limit) ||
                 plan->outlet.shipping.limit < SPOOL_LEAST)) {
        agent_complain("'%s' is no size for what waits to be sent: 64M, 1M at least", most);
        return AGENT_USAGE;
    }
    if (looks && (!scan_int(str_of(looks), &plan->looks) || plan->looks <= 0)) {
        agent_complain("'%s' is no number of looks", looks);
        return AGENT_USAGE;
    }
    return AGENT_DONE;
}

/* --- time --------------------------------------------------------------------------------- */

/*
 * A clock that was set is reported with the sample: times before and after it do not go
 * together.
 */
static void compare_clocks(struct clocks *clocks, struct node_sample *look)
{
    const int64_t jump = clocks_note(clocks, look->time, stop_clock());
    if (jump != 0) {
        node_sample_trouble(look, "the clock was set %s by %lld seconds since the last look",
                            jump < 0 ? "back" : "forward",
                            (long long)(jump < 0 ? -jump : jump));
    }
}

/* --- looking ------------------------------------------------------------------------------ */

/* What is said once is not said again at each look. */
struct said {
    uint64_t hashes[16];
    size_t count;
};

static void say_once(struct said *said, struct str text)
{
    const uint64_t hash = str_hash(text, 1);
    for (size_t i = 0; i < said->count; i++) {
        if (said->hashes[i] == hash) {
            return;
        }
    }
    if (said->count < COUNT_OF(said->hashes)) {
        said->hashes[said->count++] = hash;
        agent_complain("%.*s", STR_ARG(text));
    }
}

struct daemon {
    const struct plan *plan;
    struct sampler *watch;
    struct gpu_probe senses;
    struct sample_output *outlet;
    struct clocks clocks;
    struct said said;
    uint64_t node; /* a hash of its name */
};

static int look_once(struct daemon *daemon)
{
    struct node_sample look;
    struct error err;
    node_sample_init(&look, gpu_probe_now_us());
    look.cluster = daemon->plan->cluster;
    sampler_look(daemon->watch, &look);
    compare_clocks(&daemon->clocks, &look);
    if (daemon->plan->gpus) {
        gpu_probe_gpus(&daemon->senses, &look);
    }
    const int64_t lost = sample_output_lost(daemon->outlet);
    if (lost > 0) {
        node_sample_trouble(&look, "%lld looks before this one were lost: no room for them",
                            (long long)lost);
    }
    daemon->node = str_hash(look.node.name, 1);
    for (size_t i = 0; i < look.trouble_count; i++) {
        say_once(&daemon->said, look.troubles[i]);
    }
    int failed = sample_output_put(daemon->outlet, &look, &err);
    if (failed) {
        agent_complain("%s", err.text);
    }
    node_sample_release(&look);
    return failed;
}

/* After the last of the looks that were asked for. */
static int finish(struct daemon *daemon)
{
    struct error err;
    if (sample_output_finish(daemon->outlet, &err) != 0) {
        agent_complain("%s", err.text);
        return AGENT_FAILED;
    }
    return AGENT_DONE;
}

static int look_again_and_again(struct daemon *daemon)
{
    int status = AGENT_DONE;
    for (int64_t looks = 0; !stop_is_set(&ending);) {
        status = look_once(daemon) == 0 ? status : AGENT_FAILED;
        if (++looks == daemon->plan->looks) {
            return finish(daemon) == AGENT_DONE ? status : AGENT_FAILED;
        }
        const int64_t pause = clocks_wait(&daemon->clocks, gpu_probe_now_us(),
                                          daemon->plan->every_us, daemon->node);
        if (!sample_output_work(daemon->outlet, pause, &ending) ||
            !idle_wait_for(&ending,
                           clocks_delay(&daemon->clocks, gpu_probe_now_us(), stop_clock()))) {
            break;
        }
    }
    return status;
}

static int run(const struct agent_values *values)
{
    const int64_t ticks = sysconf(_SC_CLK_TCK);
    struct plan plan;
    struct error err;
    int status = read_plan(values, &plan);
    if (status != AGENT_DONE) {
        return status;
    }
    struct daemon daemon = {.plan = &plan, .senses = {.root = plan.root}};
    if (sampler_open(plan.root, ticks > 0 ? ticks : 100, &daemon.watch, &err) != 0 ||
        sample_output_open(&plan.outlet, &daemon.outlet, &err) != 0) {
        agent_complain("%s", err.text);
        sampler_close(daemon.watch);
        return AGENT_FAILED;
    }
    if (!plan.processes) {
        sampler_leave_processes(daemon.watch);
    }
    listen_for_the_end();
    status = look_again_and_again(&daemon);
    sample_output_close(daemon.outlet);
    gpu_probe_release(&daemon.senses);
    sampler_close(daemon.watch);
    return status;
}

const struct agent_command run_command = {
    .name = "run",
    .summary = "look at this node again and again",
    .description =
        "Looks at intervals until it is ended (SIGTERM), and prints each look as `sample` "
        "does,\n"
        "writes it into files, or sends it to `stint serve`. What cannot be sent waits on "
        "disk.\n"
        "Files of the kernel stay open, so that a look costs a fraction of the first.",
    .example =
        "stint-agent run --cluster mycluster --to https://stint.example --token-file FILE",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = run,
};
