/* SPDX-License-Identifier: MIT */
#include "demo/demo_record.h"

#include <stdlib.h>

#include "base/mem.h"
#include "demo/demo_text.h"
#include "demo/demo_use.h"

enum { JOB_NAME_MAX = 48 };

void demo_record_hosts(struct demo_record *record, size_t pool, uint32_t nodes)
{
    int width = 2;
    for (uint32_t limit = 100; nodes >= limit && width < 9; limit *= 10) {
        width++;
    }
    record->hosts[pool] = mem_alloc(nodes, sizeof(*record->hosts[pool]));
    for (uint32_t i = 0; i < nodes; i++) {
        struct demo_host *host = &record->hosts[pool][i];
        char *end = demo_text_str(host->name, str_of(record->kind->pools[pool].prefix));
        end = demo_text_digits(end, i + 1, width);
        host->length = (size_t)(end - host->name);
    }
}

void demo_record_release(struct demo_record *record)
{
    for (size_t i = 0; i < DEMO_POOLS_MAX; i++) {
        free(record->hosts[i]);
        record->hosts[i] = NULL;
    }
}

static struct str host_name(const struct demo_record *record, size_t pool, uint32_t node)
{
    const struct demo_host *host = &record->hosts[pool][node];
    return (struct str){host->name, host->length};
}

static struct str job_name(const struct demo_request *job, const struct demo_habit *habit,
                           char text[JOB_NAME_MAX])
{
    char *end = demo_text_str(text, str_of(habit->names[job->name]));
    if (job->suffix > 0) {
        end = demo_text_int(demo_text_char(end, '_'), job->suffix);
    }
    return (struct str){text, (size_t)(end - text)};
}

/* Where it ran and what it used; in all, or node by node where slave tasks are recorded. */
static void measure(struct demo_record *record, const struct demo_running *running,
                    struct demo_random *random, struct demo_run *run)
{
    const struct demo_request *job = &running->job;
    const struct demo_habit *habit =
        &demo_site_habits[record->people->persons[job->person].habit];
    const struct demo_grant *grants = record->pools[job->pool].grants;
    bool began = running->fate.outcome != DEMO_NOT_STARTED && running->grant != DEMO_NO_GRANT;
    uint32_t grant = began ? grants[running->grant].next : DEMO_NO_GRANT;
    run->split = record->kind->parts && grant != DEMO_NO_GRANT;
    int64_t own = run->split ? grants[running->grant].slots : job->slots;
    run->use = demo_use_draw(job, habit, &running->fate, own, random);
    for (; grant != DEMO_NO_GRANT; grant = grants[grant].next) {
        struct demo_part *part = &record->parts[run->part_count++];
        *part = (struct demo_part){.slots = grants[grant].slots};
        part->host = host_name(record, job->pool, grants[grant].node);
        if (run->split) {
            part->use = demo_use_draw(job, habit, &running->fate, part->slots, random);
        }
    }
    run->parts = record->parts;
}

static void count(struct demo_cluster_summary *summary, const struct demo_format *format,
                  const struct demo_run *run)
{
    int64_t wall_us = (run->end_s - run->start_s) * SECOND_US;
    summary->runs++;
    summary->outcomes[run->outcome]++;
    int64_t parts = run->split ? (int64_t)run->part_count : 0;
    summary->parts += parts;
    summary->rows += format->rows(run);
    summary->slot_wall_us += run->slots * wall_us;
    summary->gpu_wall_us += run->gpus * wall_us;
    summary->cpu_used_us += run->use.user_us + run->use.system_us;
    for (size_t i = 0; i < run->part_count; i++) {
        summary->cpu_used_us += run->parts[i].use.user_us + run->parts[i].use.system_us;
    }
    if (run->outcome != DEMO_NOT_STARTED) {
        summary->wait_us += (run->start_s - run->submit_s) * SECOND_US;
    }
}

static struct demo_run describe(const struct demo_record *record,
                                const struct demo_running *running)
{
    const struct demo_request *job = &running->job;
    const struct demo_person *person = &record->people->persons[job->person];
    const struct demo_group *group = &record->people->groups[person->group];
    const struct demo_grant *grants = record->pools[job->pool].grants;
    const char *parallel = job->mpi ? record->kind->mpi : record->kind->smp;
    uint32_t node = running->grant == DEMO_NO_GRANT ? 0 : grants[running->grant].node;
    bool began = running->fate.outcome != DEMO_NOT_STARTED;
    return (struct demo_run){
        .cluster = str_of(record->kind->name),
        .queue = str_of(record->kind->queues[job->queue].name),
        .host = host_name(record, job->pool, node),
        .user = str_of(person->login),
        .group = str_of(group->name),
        .department = str_of(group->department),
        .project = job->project > 0 ? str_of(group->projects[job->project - 1]) : STR(""),
        .parallel = job->slots > 1 ? str_of(parallel) : STR(""),
        .job = job->job,
        .task = job->task,
        .attempt = job->attempt,
        .submit_s = job->submit_s,
        .start_s = began ? running->start_s : 0,
        .end_s = began ? running->start_s + running->fate.wall_s : 0,
        .slots = job->slots,
        .gpus = job->gpus,
        .limit_s = job->limit_s,
        .limit_vmem_mb = job->limit_mb,
        .asks_queue = job->asks_queue,
        .outcome = running->fate.outcome,
        .exit_status = running->fate.exit_status,
    };
}

int demo_record_write(struct demo_record *record, const struct demo_running *running,
                      struct demo_random *random, struct error *err)
{
    const struct demo_person *person = &record->people->persons[running->job.person];
    char name[JOB_NAME_MAX];
    struct demo_run run = describe(record, running);
    run.name = job_name(&running->job, &demo_site_habits[person->habit], name);
    measure(record, running, random, &run);
    count(record->summary, record->writer->format, &run);
    return demo_writer_add(record->writer, &run, err);
}
