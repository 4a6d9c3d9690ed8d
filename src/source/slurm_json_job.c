/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>

#include "base/limit.h"
#include "base/scan.h"
#include "source/slurm_row.h"
#include "source/text.h"

/*
 * A job of JSON becomes the same rows as one of text. What changed from 21.08 to 25.11: numbers became
 * {"set": true, "infinite": false, "number": 5}, states became lists, "no value" went from null
 * and 4294967294 over -2 to {"set": false}, step ids from "batch" to "123.batch". All of these are
 * taken, whatever the version claims to be.
 */

enum { PATH_DEPTH = 4 };

/* What slurmrestd calls an error up to 23.02 though it is an answer. */
enum { NOTHING_FOUND = 9003 };

/* 32-bit NO_VAL and INFINITE, as old versions leak them into numbers that cannot be so large. */
#define NO_VAL_LEAST INT64_C(4294967294)

/* "time.user.seconds" in an object, or NULL. */
static json_t *find_path(const json_t *object, const char *path)
{
    struct str rest = str_of(path);
    json_t *value = NULL;
    while (rest.ptr) {
        struct str key = str_cut(&rest, '.');
        value = json_object_getn(object, key.ptr, key.len);
        object = value;
    }
    return value;
}

/* A number in any of its guises; false if there is none. */
static bool number_of(const json_t *value, int64_t *out)
{
    if (json_is_object(value)) {
        const json_t *set = json_object_get(value, "set");
        if ((set && !json_is_true(set)) || json_is_true(json_object_get(value, "infinite"))) {
            return false;
        }
        value = json_object_get(value, "number");
    }
    if (json_is_integer(value)) {
        *out = json_integer_value(value);
        return *out >= 0;
    }
    if (json_is_real(value)) {
        double real = json_real_value(value);
        if (!(real >= 0) || real >= 9.2e18) {
            return false;
        }
        *out = (int64_t)real;
        return true;
    }
    return json_is_string(value) &&
           scan_int((struct str){json_string_value(value), json_string_length(value)}, out) &&
           *out >= 0;
}

static bool number_at(const json_t *object, const char *path, int64_t *out)
{
    return number_of(find_path(object, path), out);
}

/* The text of a string, or of a list of them with `between`; copied, since the document goes. */
static bool text_of(const json_t *value, char between, struct arena *arena, struct str *out)
{
    if (json_is_string(value)) {
        *out = arena_copy(arena,
                          (struct str){json_string_value(value), json_string_length(value)});
        return out->len > 0;
    }
    size_t size = 0;
    size_t i;
    const json_t *item;
    json_array_foreach(value, i, item)
    {
        size += json_string_length(item) + 1;
    }
    if (size == 0) {
        return false;
    }
    char *text = arena_alloc(arena, size);
    size_t len = 0;
    json_array_foreach(value, i, item)
    {
        size_t more = json_string_length(item);
        if (more > 0) {
            text[len] = between;
            len += len > 0;
            memcpy(text + len, json_string_value(item), more);
            len += more;
        }
    }
    *out = (struct str){text, len};
    return len > 0;
}

/* --- what is where ---------------------------------------------------------------------------- */

enum unit_of { UNIT_AS_IS, UNIT_SECOND, UNIT_INSTANT_S, UNIT_MINUTE, UNIT_SMALL };

struct number_path {
    const char *path;
    enum slurm_number target;
    enum unit_of unit;
};

static const struct number_path number_paths[] = {
    {"job_id", SLURM_RAW_JOB, UNIT_AS_IS},
    {"time.submission", SLURM_SUBMIT, UNIT_INSTANT_S},
    {"time.eligible", SLURM_ELIGIBLE, UNIT_INSTANT_S},
    {"time.start", SLURM_START, UNIT_INSTANT_S},
    {"time.end", SLURM_END, UNIT_INSTANT_S},
    {"time.elapsed", SLURM_ELAPSED, UNIT_SECOND},
    {"time.suspended", SLURM_SUSPENDED, UNIT_SECOND},
    {"time.limit", SLURM_LIMIT, UNIT_MINUTE},
    {"exit_code.return_code", SLURM_EXIT, UNIT_SMALL},
    {"exit_code.signal.id", SLURM_SIGNAL, UNIT_SMALL},
    {"exit_code.signal.signal_id", SLURM_SIGNAL, UNIT_SMALL},
    {"allocation_nodes", SLURM_NODES, UNIT_AS_IS},
    {"tasks.count", SLURM_TASKS, UNIT_SMALL},
    {"required.CPUs", SLURM_REQ_CPUS, UNIT_SMALL},
    {"priority", SLURM_PRIORITY, UNIT_AS_IS},
    {"statistics.energy.consumed", SLURM_ENERGY, UNIT_AS_IS},
};

struct text_path {
    const char *path;
    enum slurm_text target;
};

static const struct text_path text_paths[] = {
    {"cluster", SLURM_CLUSTER},
    {"partition", SLURM_PARTITION},
    {"qos", SLURM_QOS},
    {"account", SLURM_ACCOUNT},
    {"group", SLURM_GROUP},
    {"user", SLURM_USER},
    {"association.user", SLURM_USER},
    {"nodes", SLURM_NODE_LIST},
    {"name", SLURM_NAME},
    {"working_directory", SLURM_WORK_DIR},
    {"submit_line", SLURM_COMMAND},
    {"reservation.name", SLURM_RESERVATION},
    {"state.reason", SLURM_REASON},
    {"wckey.wckey", SLURM_WCKEY},
};

/* In our units; false if it cannot be. */
static bool scale(enum unit_of unit, int64_t *value)
{
    switch (unit) {
    case UNIT_AS_IS:
        return true;
    case UNIT_SMALL:
        return *value < NO_VAL_LEAST;
    case UNIT_INSTANT_S:
        return *value > 0 && *value < NO_VAL_LEAST &&
               !__builtin_mul_overflow(*value, SECOND_US, value);
    case UNIT_SECOND:
        return *value < NO_VAL_LEAST && !__builtin_mul_overflow(*value, SECOND_US, value);
    case UNIT_MINUTE:
        return *value < NO_VAL_LEAST && !__builtin_mul_overflow(*value, 60 * SECOND_US, value);
    }
    return false;
}

static void read_numbers(const json_t *object, struct slurm_row *row)
{
    for (size_t i = 0; i < COUNT_OF(number_paths); i++) {
        const struct number_path *from = &number_paths[i];
        int64_t value = 0;
        if (!slurm_knows(row, from->target) && number_at(object, from->path, &value) &&
            scale(from->unit, &value)) {
            slurm_set(row, from->target, value);
        }
    }
}

/* As sacct prints it: a job ended by a signal has status 0 beside it. */
static void read_exit(struct slurm_row *row)
{
    bool signalled = slurm_knows(row, SLURM_SIGNAL) && row->number[SLURM_SIGNAL] > 0;
    if (!signalled) {
        row->known &= ~(UINT64_C(1) << SLURM_SIGNAL);
    } else if (!slurm_knows(row, SLURM_EXIT)) {
        slurm_set(row, SLURM_EXIT, 0);
    }
    /* 22.05 says 0 of all jobs that exited by themselves. */
    struct str state = slurm_has(row, SLURM_STATE) ? row->text[SLURM_STATE] : STR("");
    if (!signalled && slurm_knows(row, SLURM_EXIT) && row->number[SLURM_EXIT] == 0 &&
        (str_eq(state, STR("FAILED")) || str_eq(state, STR("DEADLINE")))) {
        row->known &= ~(UINT64_C(1) << SLURM_EXIT);
    }
}

static void read_texts(const json_t *object, struct arena *arena, struct slurm_row *row)
{
    for (size_t i = 0; i < COUNT_OF(text_paths); i++) {
        const struct text_path *from = &text_paths[i];
        struct str text;
        if (!slurm_has(row, from->target) &&
            text_of(find_path(object, from->path), ',', arena, &text) &&
            !str_eq(text, STR("(null)"))) {
            slurm_set_text(row, from->target, text);
        }
    }
}

/* --- time, resources, state ------------------------------------------------------------------- */

static void read_cpu(const json_t *object, const char *name, enum slurm_number target,
                     struct slurm_row *row)
{
    const json_t *pair = json_object_get(json_object_get(object, "time"), name);
    int64_t seconds = 0, micros = 0;
    if (number_at(pair, "seconds", &seconds) && seconds < NO_VAL_LEAST &&
        number_at(pair, "microseconds", &micros) && micros < NO_VAL_LEAST &&
        !__builtin_mul_overflow(seconds, SECOND_US, &seconds)) {
        slurm_set(row, target, seconds + micros);
    }
}

static void read_cpus(const json_t *object, struct slurm_row *row)
{
    read_cpu(object, "user", SLURM_CPU_USER, row);
    read_cpu(object, "system", SLURM_CPU_SYSTEM, row);
    read_cpu(object, "total", SLURM_CPU_TOTAL, row);
}

/* [{"type":"gres","name":"gpu:a100","id":1002,"count":4}, ...] */
static void read_tres(const json_t *list, enum slurm_tres_list which, struct arena *arena,
                      struct slurm_row *row)
{
    struct slurm_gpus gpus = {.arena = arena};
    size_t i;
    const json_t *item;
    if (json_array_size(list) == 0) {
        return;
    }
    json_array_foreach(list, i, item)
    {
        struct str type = {0}, name = {0};
        int64_t count = 0;
        if (!text_of(json_object_get(item, "type"), ',', arena, &type) ||
            !number_at(item, "count", &count)) {
            continue;
        }
        if (text_of(json_object_get(item, "name"), ',', arena, &name) &&
            str_eq(type, STR("fs")) && str_eq(name, STR("disk"))) {
            type = STR("fs/disk");
        }
        slurm_tres_put(which, type, name, count, &gpus, row);
    }
    slurm_tres_end(which, &gpus, row);
}

/* "RUNNING", or ["RUNNING", "COMPLETING"]: the base first, then flags. */
static void read_state(const json_t *value, struct arena *arena, struct slurm_row *row)
{
    struct str text;
    if (text_of(value, '+', arena, &text)) {
        slurm_set_text(row, SLURM_STATE, text);
    }
}

/* Who cancelled it: a name, or in some versions a number; written as sacct does. */
static void read_canceller(const json_t *object, struct arena *arena, struct slurm_row *row)
{
    const json_t *who = json_object_get(object, "kill_request_user");
    struct str name;
    int64_t uid = 0;
    if (!slurm_has(row, SLURM_STATE) || !str_starts(row->text[SLURM_STATE], STR("CANCELLED"))) {
        return;
    }
    if (text_of(who, ',', arena, &name)) {
        slurm_set_text(row, SLURM_CANCELLER,
                       str_of(arena_printf(arena, "by %.*s", STR_ARG(name))));
    } else if (number_of(who, &uid) && uid < NO_VAL_LEAST) {
        slurm_set_text(row, SLURM_CANCELLER,
                       str_of(arena_printf(arena, "by %lld", (long long)uid)));
    }
}

/* Asked for a cpu, a node, or (before 23.02) one of the two with nothing to tell which. */
static void read_memory(const json_t *object, struct slurm_row *row)
{
    static const struct {
        const char *path;
        enum slurm_mem_per per;
    } places[] = {
        {"required.memory_per_cpu", SLURM_MEM_CPU},
        {"required.memory_per_node", SLURM_MEM_NODE},
    };

    int64_t mib = 0;
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        if (number_at(object, places[i].path, &mib) && mib > 0 && mib < INT64_C(1) << 40) {
            slurm_set(row, SLURM_REQ_MEM, mib << 20);
            row->mem_per = places[i].per;
            return;
        }
    }
}

/* --- ids -------------------------------------------------------------------------------------- */

static bool read_array(const json_t *object, struct arena *arena, struct slurm_id *id)
{
    int64_t array = 0, task = 0;
    struct str tasks;
    if (!number_at(object, "array.job_id", &array) || array == 0) {
        return true;
    }
    if (text_of(find_path(object, "array.task"), ',', arena, &tasks)) {
        struct str text =
            str_of(arena_printf(arena, "%lld_[%.*s]", (long long)array, STR_ARG(tasks)));
        return slurm_value_id(text, id);
    }
    id->job = array;
    id->is_array = true;
    if (number_at(object, "array.task_id", &task) && task < NO_VAL_LEAST) {
        id->has_task = true;
        id->task = task;
    }
    return true;
}

static bool read_id(const json_t *object, struct arena *arena, struct slurm_row *row)
{
    int64_t job = 0, leader = 0, offset = 0;
    if (!number_at(object, "job_id", &job) || job > UINT32_MAX) {
        return false;
    }
    row->id = (struct slurm_id){.job = job};
    if (!read_array(object, arena, &row->id)) {
        return false;
    }
    if (number_at(object, "het.job_id", &leader) && leader > 0 &&
        number_at(object, "het.job_offset", &offset) && offset < NO_VAL_LEAST) {
        row->id.job = leader;
        row->id.is_het = true;
        row->id.het = offset;
    }
    return true;
}

/* "batch", "123.batch", {"job_id": 123, "step_id": "batch"}: what is after the last dot. */
static void read_step_id(const json_t *object, struct arena *arena, struct slurm_row *row)
{
    const json_t *id = find_path(object, "step.id");
    struct str text;
    if (json_is_object(id)) {
        id = json_object_get(id, "step_id");
    }
    if (text_of(id, ',', arena, &text)) {
        const char *dot = memrchr(text.ptr, '.', text.len);
        row->id.step =
            dot ? (struct str){dot + 1, text.len - (size_t)(dot + 1 - text.ptr)} : text;
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

static void read_step(const json_t *object, struct arena *arena, struct slurm_use *use)
{
    struct slurm_row step;
    slurm_row_clear(&step);
    read_step_id(object, arena, &step);
    read_numbers(object, &step);
    read_cpus(object, &step);
    read_tres(find_path(object, "tres.requested.total"), SLURM_LIST_IN, arena, &step);
    read_tres(find_path(object, "tres.consumed.total"), SLURM_LIST_OUT, arena, &step);
    slurm_use_add(use, &step);
}

static int read_job(const json_t *object, struct arena *arena, struct slurm_row *job,
                    struct error *err)
{
    slurm_row_clear(job);
    if (!json_is_object(object) || !read_id(object, arena, job)) {
        return error_set(err, ERROR_INPUT, "is a job without a readable 'job_id'");
    }
    if (!json_is_object(json_object_get(object, "time"))) {
        return error_set(err, ERROR_INPUT,
                         "is no job of the database: it has no 'time'; import what sacct "
                         "--json prints");
    }
    read_numbers(object, job);
    read_texts(object, arena, job);
    read_cpus(object, job);
    read_state(find_path(object, "state.current"), arena, job);
    read_exit(job);
    read_canceller(object, arena, job);
    read_memory(object, job);
    read_tres(find_path(object, "tres.allocated"), SLURM_LIST_ALLOC, arena, job);
    read_tres(find_path(object, "tres.requested"), SLURM_LIST_WANT, arena, job);
    for (unsigned i = 0; i < SLURM_TEXT_COUNT; i++) {
        if (slurm_has(job, i) && job->text[i].len > LIMIT_TEXT_FIELD) {
            return error_set(err, ERROR_LIMIT, "has a text of more than %d KiB",
                             LIMIT_TEXT_FIELD >> 10);
        }
    }
    return 0;
}

static int make_run(const json_t *object, struct arena *arena, struct run *run,
                    struct error *err)
{
    struct slurm_row job;
    struct slurm_use use = {0};
    int failed = read_job(object, arena, &job, err);
    if (failed) {
        return failed;
    }
    size_t i;
    const json_t *step;
    const json_t *steps = json_object_get(object, "steps");
    json_array_foreach(steps, i, step)
    {
        read_step(step, arena, &use);
    }
    slurm_run_fill(&job, &use, arena, run);
    return 0;
}

int slurm_json_run(struct str object, struct arena *arena, struct run *run, struct error *err)
{
    json_error_t where;
    bool recoded;
    struct str text = source_utf8(object, arena, &recoded);
    json_t *job = json_loadb(text.ptr, text.len, 0, &where);
    if (!job) {
        return error_set(err, ERROR_INPUT, "is not JSON: %s at byte %d", where.text,
                         where.position);
    }
    int failed = make_run(job, arena, run, err);
    if (!failed && recoded) {
        run->flags |= RUN_FLAG_RECODED;
    }
    json_decref(job);
    return failed;
}

int slurm_json_error(struct str errors, struct error *err)
{
    json_t *list = json_loadb(errors.ptr, errors.len, 0, NULL);
    const json_t *first = json_array_get(list, 0);
    if (json_integer_value(json_object_get(first, "error_number")) == NOTHING_FOUND) {
        json_decref(list);
        return 0;
    }
    const char *what = json_string_value(json_object_get(first, "error"));
    const char *more = json_string_value(json_object_get(first, "description"));
    what = what ? what : more;
    more = more && more != what ? more : "";
    error_set(err, ERROR_INPUT, "Slurm gave no jobs but an error: %.200s%s%.200s",
              what ? what : "it does not say which", more[0] ? ": " : "", more);
    json_decref(list);
    return ERROR_INPUT;
}
