/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "source/common/instant.h"
#include "source/common/members.h"
#include "source/common/record_text.h"
#include "source/sonar/sonar_record.h"

/*
 * Envelopes, one after the other. Their borders are found by counting braces outside texts; one
 * that is broken ends where a line begins with a brace. jansson reads one envelope at a time;
 * its processes are worked out at once and then given away one a call, from the cursor's
 * context.
 */

/* What an envelope says of all its processes, and what of one was worked out. */
struct process {
    struct sample sample;
    const char *refused; /* why, if it is no sample */
};

struct pending {
    struct process *processes; /* room for the largest envelope so far, in the slice's arena */
    size_t room, count, given;
};

/* --- borders ------------------------------------------------------------------------------ */

/*
 * The length of what is at the start, an envelope or something else, and whether it is an
 * envelope and whole. 0 if it may go on after this text.
 */
static size_t piece_length(struct str text, bool *whole)
{
    *whole = false;
    if (text.ptr[0] != '{') {
        const char *feed = str_byte(text, '\n');
        return feed ? (size_t)(feed - text.ptr) + 1 : 0;
    }
    return members_piece(text, whole);
}

size_t sonar_json_cut(struct str data)
{
    size_t cut = 0;
    for (;;) {
        struct str rest = {data.ptr + cut, data.len - cut};
        const size_t gap = members_between(rest);
        bool whole;
        if (gap == rest.len) {
            return data.len;
        }
        const size_t length =
            piece_length((struct str){rest.ptr + gap, rest.len - gap}, &whole);
        if (length == 0) {
            return cut;
        }
        cut += gap + length;
    }
}

/* Up to a line that begins with a brace; *state is whether a line has just ended. */
bool sonar_json_skip(uint64_t *state, struct str data, size_t *used)
{
    if (data.len > 0 && *state && data.ptr[0] == '{') {
        *used = 0;
        return true;
    }
    const char *next = data.len > 0 ? memmem(data.ptr, data.len, "\n{", 2) : NULL;
    *used = next ? (size_t)(next - data.ptr) + 1 : data.len;
    *state = data.len > 0 && data.ptr[data.len - 1] == '\n';
    return next != NULL;
}

/* --- values ------------------------------------------------------------------------------- */

/* How an envelope is written: see read_dialect. */
struct dialect {
    bool absent_unknown; /* what is left out is not known, rather than 0 */
    bool old_util; /* `cpu_util` is in another unit than it says, so that is nothing to go by */
};

enum key_kind { KEY_TEXT, KEY_COUNT, KEY_KIB, KEY_PERCENT, KEY_SECONDS, KEY_TRUTH, KEY_OTHERS };

struct key {
    const char *name;
    enum key_kind kind;
    enum sample_field field;
    bool zero; /* it is 0 where sonar leaves it out */
};

/* Of a process. */
static const struct key keys[] = {
    {"cmd", KEY_TEXT, SAMPLE_command, false},
    {"pid", KEY_COUNT, SAMPLE_pid, false},
    {"ppid", KEY_COUNT, SAMPLE_ppid, false},
    {"rolledup", KEY_OTHERS, SAMPLE_processes, true},
    {"cpu_avg", KEY_PERCENT, SAMPLE_cpu_avg_ppm, true},
    {"cpu_util", KEY_PERCENT, SAMPLE_cpu_now_ppm, true},
    {"cpu_time", KEY_SECONDS, SAMPLE_cpu_time_us, true},
    {"resident_memory", KEY_KIB, SAMPLE_rss_bytes, true},
    {"virtual_memory", KEY_KIB, SAMPLE_vmem_bytes, true},
    {"num_threads", KEY_OTHERS, SAMPLE_threads, false},
    {"data_read", KEY_KIB, SAMPLE_read_bytes, false},
    {"data_written", KEY_KIB, SAMPLE_written_bytes, false},
    {"data_cancelled", KEY_KIB, SAMPLE_cancelled_bytes, false},
    {"in_container", KEY_TRUTH, SAMPLE_in_container, false},
};

/* Of a job. */
static const struct key job_keys[] = {
    {"job", KEY_COUNT, SAMPLE_job, false},    {"epoch", KEY_COUNT, SAMPLE_epoch, true},
    {"user", KEY_TEXT, SAMPLE_user, false},   {"task", KEY_COUNT, SAMPLE_task, false},
    {"scope", KEY_TEXT, SAMPLE_scope, false},
};

/* Of a card of the node. */
static const struct key gpu_keys[] = {
    {"uuid", KEY_TEXT, SAMPLE_gpu_uuids, false},
    {"ce_util", KEY_PERCENT, SAMPLE_gpu_util_ppm, false},
    {"memory", KEY_KIB, SAMPLE_gpu_mem_bytes, false},
    {"temperature", KEY_COUNT, SAMPLE_temperature_c, false},
    {"ce_clock", KEY_COUNT, SAMPLE_clock_mhz, false},
    {"failing", KEY_COUNT, SAMPLE_gpu_fail, false},
};

static bool whole_number(const json_t *value, int64_t scale, int64_t *out)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           !__builtin_mul_overflow(json_integer_value(value), scale, out);
}

/* Percent as millionths; JSON knows neither inf nor nan. */
static bool percent(const json_t *value, int64_t *out)
{
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= 0) || number > (double)SAMPLE_COUNT_MAX * 100) {
        return false;
    }
    *out = llround(number * 1e4);
    return true;
}

static bool read_number(const json_t *value, enum key_kind kind, int64_t *out)
{
    switch (kind) {
    case KEY_COUNT:
        return whole_number(value, 1, out);
    case KEY_KIB:
        return whole_number(value, 1024, out);
    case KEY_SECONDS:
        return whole_number(value, 1000000, out);
    case KEY_PERCENT:
        return percent(value, out);
    case KEY_TRUTH:
        *out = json_is_true(value);
        return json_is_boolean(value);
    case KEY_OTHERS:
        return whole_number(value, 1, out) && *out < SAMPLE_COUNT_MAX && ++*out > 0;
    case KEY_TEXT:
        break;
    }
    return false;
}

static struct str copy_text(const json_t *text, struct arena *arena)
{
    return arena_copy(arena, (struct str){json_string_value(text), json_string_length(text)});
}

static bool read_key(const json_t *object, const struct key *key, const struct dialect *dialect,
                     struct sample *sample, struct arena *arena)
{
    const json_t *value = json_object_get(object, key->name);
    int64_t number = 0;
    if (!value) {
        const bool others = key->kind == KEY_OTHERS; /* a process without others is one */
        if (key->zero && (others || !dialect->absent_unknown)) {
            sample_set_int(sample, key->field, others);
        }
        return true;
    }
    if (key->kind == KEY_TEXT) {
        if (json_string_length(value) > 0) {
            sample_set_text(sample, key->field, copy_text(value, arena));
        }
        return json_is_string(value);
    }
    if (!read_number(value, key->kind, &number)) {
        return false;
    }
    sample_set_int(sample, key->field, number);
    return true;
}

/* The name of the first key that cannot be read; NULL if all can. */
static const char *read_keys(const json_t *object, const struct key *list, size_t count,
                             const struct dialect *dialect, struct sample *sample,
                             struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        if (!read_key(object, &list[i], dialect, sample, arena)) {
            return list[i].name;
        }
    }
    return NULL;
}

/*
 * What the envelope says of all its samples: nothing inside it is of another node, cluster or
 * time.
 */
static bool is_of_envelope(unsigned field)
{
    return field == SAMPLE_cluster || field == SAMPLE_node || field == SAMPLE_time ||
           field == SAMPLE_version || field == SAMPLE_source;
}

/*
 * What stint-agent says beyond the format: keys are members of struct sample. What is not one
 * is passed over.
 */
static const char *read_members(const json_t *object, struct sample *sample,
                                struct arena *arena)
{
    for (unsigned i = 0; i < SAMPLE_file; i++) {
        const json_t *value = json_object_get(object, sample_fields[i].member);
        int64_t number = 0;
        if (!value || is_of_envelope(i)) {
            continue;
        }
        if (sample_fields[i].type == FIELD_TEXT && json_is_string(value)) {
            sample_set_text(sample, i, copy_text(value, arena));
        } else if (sample_fields[i].type == FIELD_INT && whole_number(value, 1, &number)) {
            sample_set_int(sample, i, number);
        } else {
            return sample_fields[i].member;
        }
    }
    return NULL;
}

/* --- cards -------------------------------------------------------------------------------- */

/* What a process does on its cards, added up. */
enum card_sum { SUM_UTIL, SUM_MEM, SUM_MEM_UTIL, SUM_COUNT };

static const struct {
    const char *name;
    enum key_kind kind;
    enum sample_field field;
} card_sums[SUM_COUNT] = {
    [SUM_UTIL] = {"gpu_util", KEY_PERCENT, SAMPLE_gpu_util_ppm},
    [SUM_MEM] = {"gpu_memory", KEY_KIB, SAMPLE_gpu_mem_bytes},
    [SUM_MEM_UTIL] = {"gpu_memory_util", KEY_PERCENT, SAMPLE_gpu_mem_util_ppm},
};

struct cards {
    struct sonar_cards numbers;
    int64_t sums[SUM_COUNT];
    bool unknown[SUM_COUNT]; /* of one card, and so of all */
    size_t count;
    const json_t *uuids[SONAR_CARDS_MAX]; /* by number; those without one are the last */
    int64_t index[SONAR_CARDS_MAX];       /* of each of these */
};

/*
 * 0 where sonar leaves it out; *known is false where it is not known then. False if it cannot
 * be read.
 */
static bool card_number(const json_t *card, const char *name, enum key_kind kind,
                        const struct dialect *dialect, bool *known, int64_t *out)
{
    const json_t *value = json_object_get(card, name);
    *out = 0;
    *known = value || !dialect->absent_unknown;
    return !value || read_number(value, kind, out);
}

static void insert_uuid(struct cards *cards, int64_t index, const json_t *uuid)
{
    size_t at = cards->count++;
    for (; at > 0 && cards->index[at - 1] > index; at--) {
        cards->index[at] = cards->index[at - 1];
        cards->uuids[at] = cards->uuids[at - 1];
    }
    cards->index[at] = index;
    cards->uuids[at] = uuid;
}

static bool add_card(const json_t *card, const struct dialect *dialect, struct cards *cards)
{
    int64_t index, value;
    bool known;
    if (!json_is_object(card) ||
        !card_number(card, "index", KEY_COUNT, dialect, &known, &index) ||
        index >= SONAR_CARDS_MAX) {
        return false;
    }
    if (known) {
        cards->numbers.bits |= UINT64_C(1) << index;
    } else {
        cards->numbers.known = false;
        index = SONAR_CARDS_MAX;
    }
    insert_uuid(cards, index, json_object_get(card, "uuid"));
    for (unsigned i = 0; i < SUM_COUNT; i++) {
        if (!card_number(card, card_sums[i].name, card_sums[i].kind, dialect, &known, &value) ||
            __builtin_add_overflow(cards->sums[i], value, &cards->sums[i])) {
            return false;
        }
        cards->unknown[i] = cards->unknown[i] || !known;
    }
    return true;
}

/* Their UUIDs in the order of their numbers, as far as they are recorded. */
static void set_uuids(const struct cards *cards, struct sample *sample, struct arena *arena)
{
    size_t room = 0, length = 0;
    for (size_t i = 0; i < cards->count; i++) {
        room += json_string_length(cards->uuids[i]) + 1;
    }
    char *text = arena_alloc(arena, room);
    for (size_t i = 0; i < cards->count; i++) {
        const size_t own = json_string_length(cards->uuids[i]);
        if (own > 0 && length > 0) {
            text[length++] = ',';
        }
        if (own > 0) {
            memcpy(text + length, json_string_value(cards->uuids[i]), own);
        }
        length += own;
    }
    if (length > 0) {
        SAMPLE_SET(sample, gpu_uuids, ((struct str){text, length}));
    }
}

/* All cards of a process, added up; a sum is known where it is known of each card. */
static bool read_cards(const json_t *list, const struct dialect *dialect, struct sample *sample,
                       struct arena *arena)
{
    struct cards cards = {.numbers = {.known = true}};
    size_t i;
    const json_t *card;
    if (!list && dialect->absent_unknown) {
        return true;
    }
    if (list && (!json_is_array(list) || json_array_size(list) > SONAR_CARDS_MAX)) {
        return false;
    }
    json_array_foreach(list, i, card)
    {
        if (!add_card(card, dialect, &cards)) {
            return false;
        }
    }
    sonar_set_cards(sample, cards.numbers, arena);
    for (unsigned sum = 0; sum < SUM_COUNT; sum++) {
        if (!cards.unknown[sum]) {
            sample_set_int(sample, card_sums[sum].field, cards.sums[sum]);
        }
    }
    if (cards.count > 0) {
        set_uuids(&cards, sample, arena);
    }
    return true;
}

/*
 * Whether a card of the node is said to fail; absent where nothing is said of the node, or of
 * one of its cards.
 */
static void read_failing(const json_t *system, const struct dialect *dialect,
                         struct sample *common)
{
    const json_t *card;
    size_t i;
    if (!json_is_object(system) ||
        (dialect->absent_unknown && !json_object_get(system, "gpus"))) {
        return;
    }
    bool fails = false;
    bool unknown = false;
    json_array_foreach(json_object_get(system, "gpus"), i, card)
    {
        const json_t *failing = json_object_get(card, "failing");
        fails = fails || json_integer_value(failing) != 0 || json_is_true(failing);
        unknown = unknown || (!failing && dialect->absent_unknown);
    }
    if (fails || !unknown) {
        SAMPLE_SET(common, gpu_fail, fails);
    }
}

/* --- envelopes ---------------------------------------------------------------------------- */

/* What else sonar says, by the type of the message. */
static const struct {
    const char *type, *about;
} others[] = {
    {"sysinfo", "the hardware of a node"},
    {"job", "Slurm jobs (import them from sacct: stint help import)"},
    {"jobs", "Slurm jobs (import them from sacct: stint help import)"},
    {"cluster", "partitions and nodes of Slurm (see stint pull)"},
};

static int refuse_type(const json_t *type, struct error *err)
{
    for (size_t i = 0; json_is_string(type) && i < COUNT_OF(others); i++) {
        if (strcmp(json_string_value(type), others[i].type) == 0) {
            return error_set(err, ERROR_INPUT,
                             "a sonar message of type '%s', about %s; only samples are read",
                             others[i].type, others[i].about);
        }
    }
    return error_set(err, ERROR_INPUT, "a sonar message of unknown type");
}

/* What there is in place of samples. */
static int refuse_envelope(const json_t *envelope, struct error *err)
{
    if (json_object_get(envelope, "hostname") && json_object_get(envelope, "cpu_cores")) {
        return error_set(err, ERROR_INPUT,
                         "node information of an old sonar ('sysinfo'); only samples are read");
    }
    if (json_array_size(json_object_get(envelope, "errors")) > 0) {
        return error_set(err, ERROR_INPUT, "sonar reports an error instead of samples");
    }
    return error_set(err, ERROR_INPUT, "has no data");
}

/* What holds for all samples of an envelope: version, time, cluster, node. */
static int read_common(const json_t *envelope, const struct dialect *dialect,
                       struct arena *arena, struct sample *common, const json_t **attributes,
                       struct error *err)
{
    const json_t *meta = json_object_get(envelope, "meta");
    const json_t *data = json_object_get(envelope, "data");
    const json_t *type = json_object_get(data, "type");
    int64_t time;
    if (!json_is_object(data)) {
        return refuse_envelope(envelope, err);
    }
    if (json_integer_value(json_object_get(meta, "format")) != 0) {
        return error_set(err, ERROR_INPUT,
                         "format %" JSON_INTEGER_FORMAT " of sonar, of which only 0 is known",
                         json_integer_value(json_object_get(meta, "format")));
    }
    if (!json_is_string(type) || strcmp(json_string_value(type), "sample") != 0) {
        return refuse_type(type, err);
    }
    *attributes = json_object_get(data, "attributes");
    if (!instant_read(str_of(json_string_value(json_object_get(*attributes, "time"))), &time)) {
        return error_set(err, ERROR_INPUT, "has no time that can be read");
    }
    SAMPLE_SET(common, time, time);
    static const struct key names[] = {{"node", KEY_TEXT, SAMPLE_node, false},
                                       {"cluster", KEY_TEXT, SAMPLE_cluster, false}};
    const struct key version = {"version", KEY_TEXT, SAMPLE_version, false};
    const char *bad = read_keys(*attributes, names, COUNT_OF(names), dialect, common, arena);
    bad = bad ? bad : read_keys(meta, &version, 1, dialect, common, arena);
    if (bad || !SAMPLE_HAS(common, node)) {
        return error_set(err, ERROR_INPUT, "cannot read %s", bad ? bad : "node");
    }
    read_failing(json_object_get(*attributes, "system"), dialect, common);
    return 0;
}

/* One process into *process. */
static void read_process(const json_t *object, const struct sample *job,
                         const struct dialect *dialect, struct arena *arena,
                         struct process *process)
{
    *process = (struct process){.sample = *job};
    const char *bad = json_is_object(object) ? read_keys(object, keys, COUNT_OF(keys), dialect,
                                                         &process->sample, arena)
                                             : "process";
    if (!bad &&
        !read_cards(json_object_get(object, "gpus"), dialect, &process->sample, arena)) {
        bad = "gpus";
    }
    if (!bad && !SAMPLE_HAS(&process->sample, command)) {
        bad = "cmd";
    }
    if (dialect->old_util) {
        SAMPLE_CLEAR(&process->sample, cpu_now_ppm);
    }
    process->refused = bad;
}

/* A list, or nothing, which is an empty one. */
static bool are_processes(const json_t *job)
{
    const json_t *processes = json_object_get(job, "processes");
    return json_is_object(job) && (!processes || json_is_array(processes));
}

/* Samples that are not of processes: of jobs by their control groups, of cards, of the node. */
static size_t count_others(const json_t *jobs, const json_t *system)
{
    const json_t *job;
    size_t i, count = json_is_object(json_object_get(system, "counters"));
    json_array_foreach(jobs, i, job)
    {
        count += json_is_object(json_object_get(job, "cgroup"));
    }
    return count + (count > 0 ? json_array_size(json_object_get(system, "gpus")) : 0);
}

static size_t count_processes(const json_t *jobs)
{
    size_t count = 0, i;
    const json_t *job;
    json_array_foreach(jobs, i, job)
    {
        count += json_array_size(json_object_get(job, "processes"));
        count += !are_processes(job); /* one that is refused */
    }
    return count;
}

static void read_job(const json_t *job, const struct sample *common,
                     const struct dialect *dialect, struct arena *arena,
                     struct pending *pending)
{
    struct sample own = *common;
    const json_t *processes = json_object_get(job, "processes"), *process;
    const char *bad = read_keys(job, job_keys, COUNT_OF(job_keys), dialect, &own, arena);
    size_t i;
    if (!are_processes(job)) {
        pending->processes[pending->count++] = (struct process){.refused = "processes"};
    }
    if (json_is_object(json_object_get(job, "cgroup"))) {
        struct process *next = &pending->processes[pending->count++];
        *next = (struct process){.sample = own, .refused = bad};
        SAMPLE_SET(&next->sample, kind, STR("job"));
        next->refused =
            bad ? bad : read_members(json_object_get(job, "cgroup"), &next->sample, arena);
    }
    json_array_foreach(processes, i, process)
    {
        struct process *next = &pending->processes[pending->count++];
        read_process(process, &own, dialect, arena, next);
        next->refused = bad ? bad : next->refused;
    }
}

/*
 * A card of the node: its number is `gpus`, and what identifies it, its UUID or else that
 * number, is also the `command`.
 */
static void read_card(const json_t *card, const struct sample *common,
                      const struct dialect *dialect, struct arena *arena, struct process *out)
{
    int64_t index = 0;
    *out = (struct process){.sample = *common};
    struct sample *sample = &out->sample;
    SAMPLE_SET(sample, kind, STR("gpu"));
    SAMPLE_CLEAR(sample, gpu_fail);
    out->refused = read_keys(card, gpu_keys, COUNT_OF(gpu_keys), dialect, sample, arena);
    if (!out->refused) {
        out->refused = read_members(json_object_get(card, "counters"), sample, arena);
    }
    if (whole_number(json_object_get(card, "index"), 1, &index)) {
        SAMPLE_SET(sample, gpus, str_of(arena_printf(arena, "%lld", (long long)index)));
    }
    if (!out->refused && !SAMPLE_HAS(sample, gpu_uuids) && !SAMPLE_HAS(sample, gpus)) {
        out->refused = "uuid";
    }
    if (!SAMPLE_HAS(sample, power_mw) &&
        whole_number(json_object_get(card, "power"), 1000, &index)) {
        SAMPLE_SET(sample, power_mw, index);
    }
    SAMPLE_SET(sample, command,
               SAMPLE_HAS(sample, gpu_uuids) ? sample->gpu_uuids : sample->gpus);
}

/* The node and its cards, where our agent wrote the envelope. */
static void read_node(const json_t *system, const struct sample *common,
                      const struct dialect *dialect, struct arena *arena,
                      struct pending *pending)
{
    const json_t *counters = json_object_get(system, "counters"), *card;
    size_t i;
    if (!json_is_object(counters)) {
        return;
    }
    struct process *node = &pending->processes[pending->count++];
    *node = (struct process){.sample = *common};
    SAMPLE_SET(&node->sample, kind, STR("node"));
    node->refused = read_members(counters, &node->sample, arena);
    json_array_foreach(json_object_get(system, "gpus"), i, card)
    {
        read_card(card, common, dialect, arena, &pending->processes[pending->count++]);
    }
}

/* All processes of an envelope, for the calls to come. */
static int read_jobs(const json_t *jobs, const json_t *system, const struct sample *common,
                     const struct dialect *dialect, struct arena *arena,
                     struct pending *pending, struct error *err)
{
    const size_t count = count_processes(jobs) + count_others(jobs, system);
    const json_t *job;
    size_t i;
    if ((jobs && !json_is_array(jobs)) || count > SONAR_PROCESSES_MAX) {
        return error_set(err, ERROR_LIMIT,
                         "jobs are not a list, or have more than %d processes",
                         SONAR_PROCESSES_MAX);
    }
    if (count > pending->room) {
        pending->room = count;
        pending->processes = arena_alloc(arena, count * sizeof(*pending->processes));
    }
    json_array_foreach(jobs, i, job)
    {
        read_job(job, common, dialect, arena, pending);
    }
    read_node(system, common, dialect, arena, pending);
    return 0;
}

/* Whether an attribute of the envelope has this value. */
static bool says(const json_t *meta, const char *key, const char *value)
{
    const json_t *attr;
    size_t i;
    json_array_foreach(json_object_get(meta, "attrs"), i, attr)
    {
        const char *own = json_string_value(json_object_get(attr, "key"));
        const char *text = json_string_value(json_object_get(attr, "value"));
        if (own && text && strcmp(own, key) == 0 && strcmp(text, value) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * By what the envelope says of itself, as stint-agent's does, and by who wrote it: sonar,
 * before 0.16.
 */
static struct dialect read_dialect(const json_t *meta)
{
    const char *producer = json_string_value(json_object_get(meta, "producer"));
    const char *version = json_string_value(json_object_get(meta, "version"));
    return (struct dialect){
        .absent_unknown = says(meta, "absent", "unknown"),
        .old_util = producer && strcmp(producer, "sonar") == 0 &&
                    !sonar_version_from(str_of(version ? version : ""), 0, 16),
    };
}

static int read_envelope(struct source_cursor *cursor, struct pending *pending,
                         struct error *err)
{
    struct sample common = {0};
    const json_t *attributes = NULL;
    struct arena *arena = cursor->arena;
    bool recoded;
    const struct str text = source_utf8(cursor->record, arena, &recoded);
    json_t *envelope = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
    pending->count = pending->given = 0;
    if (!envelope) {
        return error_set(err, ERROR_INPUT, "no valid JSON");
    }
    const struct dialect dialect = read_dialect(json_object_get(envelope, "meta"));
    int failed = read_common(envelope, &dialect, arena, &common, &attributes, err);
    if (!failed) {
        failed = read_jobs(json_object_get(attributes, "jobs"),
                           json_object_get(attributes, "system"), &common, &dialect, arena,
                           pending, err);
    }
    cursor->alive = !failed && pending->count == 0 ? common.time : 0;
    json_decref(envelope);
    return failed;
}

/* --- one after the other ------------------------------------------------------------------ */

static void consume(struct source_cursor *cursor, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        cursor->next_line += cursor->rest.ptr[i] == '\n';
    }
    cursor->rest.ptr += length;
    cursor->rest.len -= length;
}

static enum source_step give(struct pending *pending, struct sample *sample, struct error *err)
{
    const struct process *process = &pending->processes[pending->given++];
    *sample = process->sample;
    if (process->refused) {
        error_set(err, ERROR_INPUT, "process %zu: cannot read %s", pending->given,
                  process->refused);
        return SOURCE_REJECT;
    }
    return SOURCE_RECORD;
}

/* Takes what is next off the cursor; false if it is no whole envelope. */
static bool take_piece(struct source_cursor *cursor)
{
    bool whole;
    const size_t length = piece_length(cursor->rest, &whole);
    cursor->record = (struct str){cursor->rest.ptr, length ? length : cursor->rest.len};
    cursor->line = cursor->next_line;
    consume(cursor, cursor->record.len);
    return whole;
}

enum source_step sonar_json_next(struct source_cursor *cursor, struct sample *sample,
                                 struct error *err)
{
    struct pending *pending = NULL;
    memcpy(&pending, &cursor->context.ptr, sizeof(pending));
    if (pending && pending->given < pending->count) {
        return give(pending, sample, err);
    }
    const size_t gap = members_between(cursor->rest);
    cursor->record = (struct str){cursor->rest.ptr, gap};
    consume(cursor, gap);
    if (cursor->rest.len == 0) {
        return gap ? SOURCE_SKIP : SOURCE_END;
    }
    if (!pending) {
        pending = arena_alloc(cursor->arena, sizeof(*pending));
        cursor->context = (struct str){(const char *)pending, sizeof(*pending)};
    }
    if (!take_piece(cursor)) {
        error_set(err, ERROR_INPUT, "no whole JSON object");
        return SOURCE_REJECT;
    }
    if (read_envelope(cursor, pending, err)) {
        return SOURCE_REJECT;
    }
    return pending->count > 0 ? give(pending, sample, err) : SOURCE_SKIP;
}

/* --- recognising -------------------------------------------------------------------------- */

static bool contains(struct str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

int sonar_json_recognise(struct str head)
{
    const size_t gap = members_between(head);
    if (gap == head.len || head.ptr[gap] != '{') {
        return 0;
    }
    const bool old = contains(head, "\"hostname\"") && contains(head, "\"cpu_cores\"") &&
                     contains(head, "\"timestamp\"");
    const bool envelope = contains(head, "\"meta\"") && contains(head, "\"producer\"") &&
                          (contains(head, "\"attributes\"") || contains(head, "\"errors\""));
    return envelope || old ? SONAR_LIKELY : 0;
}
