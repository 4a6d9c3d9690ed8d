/* SPDX-License-Identifier: MIT */
#include "sampler/sonar_writer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/zone.h"

#define EPOCH_BASE INT64_C(1577836800) /* sonar counts epochs from 2020-01-01 */

enum { NUMBER_MAX = 48 };

/* --- values ------------------------------------------------------------------------------- */

static void put_text(struct json *json, const char *key, struct str text)
{
    if (text.ptr) {
        json_put_key(json, key);
        json_put_text(json, text);
    }
}

static void put_int(struct json *json, const char *key, int64_t value)
{
    json_put_key(json, key);
    json_put_int(json, value);
}

/* Instants are written to the second: the format has no decimals. */
static void put_instant(struct json *json, const char *key, int64_t seconds)
{
    char text[INSTANT_TEXT_MAX];
    struct civil day = civil_of_days(seconds / (DAY_US / SECOND_US));
    const int64_t rest = seconds % (DAY_US / SECOND_US);
    (void)snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02dZ", day.year, day.month,
                   day.day, (int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60));
    put_text(json, key, str_of(text));
}

/* 17500 with 3 decimals is 17.5. */
static void put_decimal(struct json *json, int64_t value, int decimals)
{
    char digits[NUMBER_MAX];
    int64_t scale = 1;
    for (int i = 0; i < decimals; i++) {
        scale *= 10;
    }
    int len = snprintf(digits, sizeof(digits), "%lld.%0*lld", (long long)(value / scale),
                       decimals, (long long)(value % scale));
    while (len > 0 && digits[len - 1] == '0') {
        len--;
    }
    len -= digits[len - 1] == '.';
    json_put_number(json, (struct str){digits, (size_t)len});
}

static void put_values(struct json *json, const struct look_values *values,
                       const struct look_field *fields, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!look_has(values, i)) {
            continue;
        }
        json_put_key(json, fields[i].id);
        if (fields[i].decimals > 0) {
            put_decimal(json, values->at[i], fields[i].decimals);
        } else {
            json_put_int(json, values->at[i]);
        }
    }
}

/* --- the node ----------------------------------------------------------------------------- */

static void put_cpus(struct json *json, const struct node *node)
{
    json_put_key(json, "cpus");
    json_begin_array(json);
    for (size_t i = 0; i < node->cpu_count; i++) {
        if (node->cpus[i].known) {
            json_put_int(json, node->cpus[i].seconds);
        } else {
            json_put_null(json); /* offline: the others keep their places */
        }
    }
    json_end_level(json);
}

static void put_disk(struct json *json, const struct node_disk *disk)
{
    struct str digits;
    json_begin_object(json);
    put_text(json, "name", disk->name);
    put_int(json, "major", disk->major);
    put_int(json, "minor", disk->minor);
    json_put_key(json, "stats");
    json_begin_array(json);
    for (struct str rest = disk->stats; (digits = look_word(&rest)).ptr;) {
        json_put_number(json, digits);
    }
    json_end_level(json);
    json_end_level(json);
}

/*
 * What is known of a job, node or card beyond the format, under the names of our own columns
 * (record/sample.h).
 */
static void put_sample(struct json *json, const char *key, const struct sample *sample)
{
    if (!sample_any(sample)) {
        return;
    }
    json_put_key(json, key);
    json_begin_object(json);
    for (unsigned i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        if (!sample_has(sample, i)) {
            continue;
        }
        json_put_key(json, sample_fields[i].member);
        if (sample_fields[i].type == FIELD_TEXT) {
            json_put_text(json, sample_text(sample, i));
        } else {
            json_put_int(json, sample_int(sample, i));
        }
    }
    json_end_level(json);
}

static void put_cards(struct json *json, const struct gpu_list *gpus)
{
    json_put_key(json, "gpus");
    json_begin_array(json);
    for (size_t i = 0; i < gpus->count; i++) {
        const struct gpu *card = &gpus->cards[i];
        json_begin_object(json);
        put_text(json, "uuid", card->uuid);
        put_text(json, "compute_mode", card->compute_mode);
        put_values(json, &card->values, gpu_fields, GPU_FIELD_COUNT);
        put_sample(json, "counters", &card->counters);
        json_end_level(json);
    }
    json_end_level(json);
}

static void put_system(struct json *json, const struct node_sample *look)
{
    const struct node *node = &look->node;
    json_put_key(json, "system");
    json_begin_object(json);
    if (node->has_boot) {
        put_instant(json, "boot", node->boot);
    }
    if (node->cpu_count > 0) {
        put_cpus(json, node);
    }
    if (look->gpus.count > 0) {
        put_cards(json, &look->gpus);
    }
    if (node->disk_count > 0) {
        json_put_key(json, "disks");
        json_begin_array(json);
        for (size_t i = 0; i < node->disk_count; i++) {
            put_disk(json, &node->disks[i]);
        }
        json_end_level(json);
    }
    put_values(json, &node->values, system_fields, SYSTEM_FIELD_COUNT);
    put_sample(json, "counters", &look->counters);
    json_end_level(json);
}

/* --- jobs and their processes ------------------------------------------------------------- */

static bool has_use(const struct gpu_list *gpus, int64_t pid)
{
    for (size_t i = 0; i < gpus->use_count; i++) {
        if (gpus->uses[i].values.at[GPU_USE_pid] == pid) {
            return true;
        }
    }
    return false;
}

/* An empty list is of a process that uses none, no list of one of which that is not known. */
static void put_uses(struct json *json, const struct gpu_list *gpus, int64_t pid)
{
    if (!gpus->uses_known && !has_use(gpus, pid)) {
        return;
    }
    json_put_key(json, "gpus");
    json_begin_array(json);
    for (size_t i = 0; i < gpus->use_count; i++) {
        const struct gpu_use *use = &gpus->uses[i];
        if (use->values.at[GPU_USE_pid] == pid) {
            json_begin_object(json);
            put_text(json, "uuid", use->uuid);
            put_values(json, &use->values, gpu_use_fields, GPU_USE_FIELD_COUNT);
            json_end_level(json);
        }
    }
    json_end_level(json);
}

/*
 * A process that has ended and was not waited for is marked as ps marks it. The format has no
 * process without a name.
 */
static void put_cmd(struct json *json, const struct process *process)
{
    struct buf cmd;
    if (process->state != 'Z') {
        put_text(json, "cmd",
                 process->cmd.len > 0 ? process->cmd : STR(NODE_SAMPLE_CMD_UNKNOWN));
        return;
    }
    buf_init(&cmd, process->cmd.len + sizeof(" <defunct>"));
    buf_add(&cmd, process->cmd);
    buf_addz(&cmd, " <defunct>");
    put_text(json, "cmd", buf_str(&cmd));
    buf_release(&cmd);
}

static void put_process(struct json *json, const struct node_sample *look,
                        const struct process *process)
{
    json_begin_object(json);
    put_cmd(json, process);
    put_values(json, &process->values, process_fields, PROCESS_FIELD_COUNT);
    if (process->in_container) {
        json_put_key(json, "in_container");
        json_put_bool(json, true);
    }
    put_uses(json, &look->gpus, process->values.at[PROCESS_pid]);
    json_end_level(json);
}

/*
 * The number a process is grouped by: its job's, else its process group, else 0, which groups
 * nothing.
 */
static int64_t job_number(const struct process *process)
{
    if (process->job.known) {
        return process->job.number;
    }
    return look_has(&process->values, PROCESS_group) ? process->values.at[PROCESS_group] : 0;
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* 0 if two processes go under one job. */
static int compare_jobs(const struct process *a, const struct process *b)
{
    int order = compare_numbers(!a->job.known, !b->job.known);
    order = order ? order : compare_numbers(job_number(a), job_number(b));
    order = order ? order : compare_numbers(a->job.has_task, b->job.has_task);
    order = order ? order : compare_numbers(a->job.task, b->job.task);
    return order ? order : str_compare(a->user, b->user);
}

/* A process in the order in which it is written. */
struct entry {
    const struct process *process;
};

static int by_job(const void *left, const void *right)
{
    const struct process *a = ((const struct entry *)left)->process;
    const struct process *b = ((const struct entry *)right)->process;
    const int order = compare_jobs(a, b);
    return order ? order
                 : compare_numbers(a->values.at[PROCESS_pid], b->values.at[PROCESS_pid]);
}

/* Anything but 0 says that it is no batch job. */
static int64_t epoch_of(const struct node_sample *look, bool batch)
{
    const int64_t boot = look->node.has_boot ? look->node.boot - EPOCH_BASE : 1;
    return batch ? 0 : boot > 0 ? boot : 1;
}

static void begin_job(struct json *json, const struct node_sample *look,
                      const struct process *process)
{
    json_begin_object(json);
    put_int(json, "job", job_number(process));
    if (process->job.has_task) {
        put_int(json, "task", process->job.task);
    }
    put_text(json, "user", process->user);
    put_int(json, "epoch", epoch_of(look, process->job.known));
    json_put_key(json, "processes");
    json_begin_array(json);
}

/* A job by its control group: without processes, which are listed beside it. */
static void put_group(struct json *json, const struct node_sample *look,
                      const struct node_sample_group *group)
{
    json_begin_object(json);
    put_int(json, "job", group->job.number);
    if (group->job.has_task) {
        put_int(json, "task", group->job.task);
    }
    put_text(json, "user", group->user);
    put_int(json, "epoch", epoch_of(look, group->job.known));
    put_text(json, "scope", group->name);
    put_sample(json, "cgroup", &group->values);
    json_put_key(json, "processes");
    json_begin_array(json);
    json_end_level(json);
    json_end_level(json);
}

static void put_jobs(struct json *json, const struct node_sample *look)
{
    struct entry *order = mem_alloc(look->process_count + 1, sizeof(*order));
    for (size_t i = 0; i < look->process_count; i++) {
        order[i].process = &look->processes[i];
    }
    qsort(order, look->process_count, sizeof(*order), by_job);
    json_put_key(json, "jobs");
    json_begin_array(json);
    for (size_t i = 0; i < look->group_count; i++) {
        put_group(json, look, &look->groups[i]);
    }
    for (size_t i = 0; i < look->process_count; i++) {
        const bool same = i > 0 && job_number(order[i].process) != 0 &&
                          compare_jobs(order[i - 1].process, order[i].process) == 0;
        if (!same && i > 0) {
            json_end_level(json);
            json_end_level(json);
        }
        if (!same) {
            begin_job(json, look, order[i].process);
        }
        put_process(json, look, order[i].process);
    }
    if (look->process_count > 0) {
        json_end_level(json);
        json_end_level(json);
    }
    json_end_level(json);
    free(order);
}

/* --- all of it ---------------------------------------------------------------------------- */

static void put_origin(struct json *json, const struct node_sample *look)
{
    put_instant(json, "time", look->time / SECOND_US);
    put_text(json, "cluster", look->cluster);
    put_text(json, "node", look->node.name);
}

static void put_troubles(struct json *json, const struct node_sample *look)
{
    json_put_key(json, "errors");
    json_begin_array(json);
    for (size_t i = 0; i < look->trouble_count; i++) {
        json_begin_object(json);
        put_origin(json, look);
        put_text(json, "detail", look->troubles[i]);
        json_end_level(json);
    }
    json_end_level(json);
}

static void put_attr(struct json *json, struct str key, struct str value)
{
    json_begin_object(json);
    put_text(json, "key", key);
    put_text(json, "value", value);
    json_end_level(json);
}

static void put_meta(struct json *json)
{
    json_put_key(json, "meta");
    json_begin_object(json);
    put_text(json, "producer", STR("stint-agent"));
    put_text(json, "version", STR(STINT_VERSION));
    put_int(json, "format", 0);
    json_put_key(json, "attrs");
    json_begin_array(json);
    put_attr(json, STR("left_out"), STR("kernel threads"));
    put_attr(json, STR("absent"), STR("unknown")); /* sonar's is what is 0 */
    json_end_level(json);
    json_end_level(json);
}

void sonar_write(struct json *json, const struct node_sample *look)
{
    json_begin_object(json);
    put_meta(json);
    json_put_key(json, "data");
    json_begin_object(json);
    put_text(json, "type", STR("sample"));
    json_put_key(json, "attributes");
    json_begin_object(json);
    put_origin(json, look);
    put_system(json, look);
    put_jobs(json, look);
    if (look->trouble_count > 0) {
        put_troubles(json, look);
    }
    json_end_level(json);
    json_end_level(json);
    json_end_level(json);
}
