/* SPDX-License-Identifier: MIT */

/*
 * What `sacct -aDP` prints with SLURM_TIME_FORMAT=%s and the columns of the header below: a row
 * for the job, one for its batch step, and one for the step that ran on its other nodes. See
 * sacct(1).
 *
 *     1234_7|birch|long|normal|chem|chem|bob|1700000000|1700000000|1700000600|1700007800|7200|...
 */

#include "demo/demo_format.h"
#include "demo/demo_text.h"

enum { UID_LEAST = 10000, EXIT_SIGNALLED = 128, HOST_ROOM = 512 };

static const char *const states[DEMO_OUTCOMES] = {
    [DEMO_DONE] = "COMPLETED",
    [DEMO_EXITED] = "FAILED",
    [DEMO_CRASHED] = "FAILED",
    [DEMO_OUT_OF_MEMORY] = "OUT_OF_MEMORY",
    [DEMO_OUT_OF_TIME] = "TIMEOUT",
    [DEMO_DELETED] = "CANCELLED by ",
    [DEMO_NOT_STARTED] = "CANCELLED by ",
    [DEMO_RESTARTED] = "NODE_FAIL",
};

static char *bar(char *at)
{
    return demo_text_char(at, '|');
}

static char *field(char *at, struct str text)
{
    return bar(demo_text_str(at, text));
}

static char *field_int(char *at, int64_t value)
{
    return bar(demo_text_int(at, value));
}

static char *id(char *at, const struct demo_run *run)
{
    at = demo_text_int(at, run->job);
    return run->task > 0 ? demo_text_int(demo_text_char(at, '_'), run->task) : at;
}

/*
 * 1-02:03:04, 02:03:04; with thousandths of a second, and then minutes first if there is no
 * hour.
 */
static char *duration(char *at, int64_t us, bool thousandths)
{
    int64_t seconds = us / 1000000;
    if (seconds >= 86400) {
        at = demo_text_char(demo_text_int(at, seconds / 86400), '-');
    }
    bool hours = seconds >= 3600 || !thousandths;
    if (hours) {
        at = demo_text_digits(at, (uint32_t)(seconds / 3600 % 24), 2);
        at = demo_text_char(at, ':');
    }
    at = demo_text_digits(at, (uint32_t)(seconds / 60 % 60), 2);
    at = demo_text_digits(demo_text_char(at, ':'), (uint32_t)(seconds % 60), 2);
    if (!hours) {
        at = demo_text_char(at, '.');
        at = demo_text_digits(at, (uint32_t)(us / 1000 % 1000), 3);
    }
    return bar(at);
}

/* A requeued job is submitted again when it is withdrawn: shortly before it starts again. */
static int64_t submitted(const struct demo_run *run)
{
    int64_t again = run->start_s - 120;
    return run->attempt > 0 && again > run->submit_s ? again : run->submit_s + run->attempt;
}

static char *times(char *at, const struct demo_run *run)
{
    bool began = run->outcome != DEMO_NOT_STARTED;
    at = field_int(at, submitted(run));
    at = field_int(at, submitted(run));
    at = began ? field_int(at, run->start_s) : demo_text_literal(at, "None|");
    at = field_int(at, began ? run->end_s : submitted(run));
    return field_int(at, run->end_s - run->start_s);
}

static char *end(char *at, const struct demo_run *run)
{
    const char *state = states[run->outcome];
    at = demo_text_str(at, str_of(state));
    if (run->outcome == DEMO_DELETED || run->outcome == DEMO_NOT_STARTED) {
        at = demo_text_int(at, UID_LEAST + (int64_t)(run->user.len * 31) % 500);
    }
    at = bar(at);
    bool signalled = run->exit_status > EXIT_SIGNALLED;
    at = demo_text_int(at, signalled ? 0 : run->exit_status);
    at = demo_text_char(at, ':');
    return field_int(at, signalled ? run->exit_status - EXIT_SIGNALLED : 0);
}

static char *tres(char *at, const struct demo_run *run)
{
    at = demo_text_int(demo_text_literal(at, "billing="), run->slots + 8 * run->gpus);
    at = demo_text_int(demo_text_literal(at, ",cpu="), run->slots);
    if (run->gpus > 0) {
        at = demo_text_int(demo_text_literal(at, ",gres/gpu="), run->gpus);
    }
    at = demo_text_int(demo_text_literal(at, ",mem="), run->slots * run->limit_vmem_mb);
    at = demo_text_int(demo_text_literal(at, "M,node="), 1 + (int64_t)run->part_count);
    return bar(at);
}

/* As many names as have room: sacct would fold them into ranges. */
static char *node_list(char *at, const struct demo_run *run)
{
    const char *last = at + HOST_ROOM;
    if (run->outcome == DEMO_NOT_STARTED) {
        return demo_text_literal(at, "None assigned|");
    }
    at = demo_text_str(at, run->host);
    for (size_t i = 0; i < run->part_count && at < last; i++) {
        at = demo_text_str(demo_text_char(at, ','), run->parts[i].host);
    }
    return bar(at);
}

static char *cpu(char *at, int64_t user_us, int64_t system_us)
{
    at = duration(at, user_us + system_us, true);
    at = duration(at, user_us, true);
    return duration(at, system_us, true);
}

/* What the whole run used, its parts included. */
static struct demo_use total_use(const struct demo_run *run)
{
    struct demo_use use = run->use;
    for (size_t i = 0; run->split && i < run->part_count; i++) {
        use.user_us += run->parts[i].use.user_us;
        use.system_us += run->parts[i].use.system_us;
    }
    return use;
}

/* The site names its queues as Grid Engine does: long.q */
static struct str partition(const struct demo_run *run)
{
    bool queue = str_ends(run->queue, STR(".q"));
    return (struct str){run->queue.ptr, run->queue.len - (queue ? 2 : 0)};
}

static char *job_row(char *at, const struct demo_run *run)
{
    struct demo_use use = total_use(run);
    at = bar(id(at, run));
    at = field(at, run->cluster);
    at = field(at, partition(run));
    at = demo_text_literal(at, "normal|");
    at = field(at, run->project.len > 0 ? run->project : run->group);
    at = field(at, run->group);
    at = field(at, run->user);
    at = times(at, run);
    at = end(at, run);
    at = field_int(at, 1 + (int64_t)run->part_count);
    at = field_int(at, run->slots);
    at = demo_text_literal(at, "|"); /* tasks are of steps */
    at = demo_text_int(at, run->slots * run->limit_vmem_mb);
    at = tres(demo_text_literal(at, "M|"), run);
    at = run->outcome == DEMO_NOT_STARTED ? bar(at) : tres(at, run);
    at = duration(at, run->limit_s * 1000000, false);
    at = cpu(at, use.user_us, use.system_us);
    at = demo_text_literal(at, "||"); /* memory is measured in steps */
    at = node_list(at, run);
    return demo_text_char(demo_text_str(at, run->name), '\n');
}

/* A step on `nodes` nodes with as many tasks, each with the same peak of memory. */
static char *step_row(char *at, const struct demo_run *run, const char *name, int64_t nodes,
                      const struct demo_use *use)
{
    at = demo_text_str(demo_text_char(id(at, run), '.'), str_of(name));
    at = field(bar(at), run->cluster);
    at = demo_text_literal(at, "||");
    at = field(at, run->project.len > 0 ? run->project : run->group);
    at = demo_text_literal(at, "||");
    at = field_int(at, run->start_s);
    at = field_int(at, run->start_s);
    at = field_int(at, run->start_s);
    at = field_int(at, run->end_s);
    at = field_int(at, run->end_s - run->start_s);
    at = end(at, run);
    at = field_int(at, nodes);
    at = field_int(at, run->slots);
    at = field_int(at, nodes);
    at = demo_text_literal(at, "||||"); /* requests and limits are the job's */
    at = cpu(at, use->user_us, use->system_us);
    at = bar(demo_text_char(demo_text_int(at, use->rss_kb), 'K'));
    at = bar(demo_text_char(demo_text_int(at, use->rss_kb), 'K'));
    at = field(at, run->host);
    return demo_text_char(demo_text_str(at, str_of(name)), '\n');
}

static bool has_inner_step(const struct demo_run *run)
{
    return run->split && run->part_count > 0;
}

static char *append(char *at, const struct demo_run *run)
{
    at = job_row(at, run);
    if (run->outcome == DEMO_NOT_STARTED) {
        return at;
    }
    at = step_row(at, run, "batch", 1, &run->use);
    if (has_inner_step(run)) {
        struct demo_use use = total_use(run);
        use.user_us -= run->use.user_us;
        use.system_us -= run->use.system_us;
        at = step_row(at, run, "0", (int64_t)run->part_count, &use);
    }
    return at;
}

static int64_t rows(const struct demo_run *run)
{
    return run->outcome == DEMO_NOT_STARTED ? 1 : has_inner_step(run) ? 3 : 2;
}

const struct demo_format demo_as_slurm = {
    .name = "slurm",
    .file = "sacct",
    .header =
        "JobID|Cluster|Partition|QOS|Account|Group|User|Submit|Eligible|Start|End|ElapsedRaw|"
        "State|ExitCode|NNodes|NCPUS|NTasks|ReqMem|ReqTRES|AllocTRES|Timelimit|TotalCPU|"
        "UserCPU|SystemCPU|MaxRSS|AveRSS|NodeList|JobName\n",
    .append = append,
    .rows = rows,
};
