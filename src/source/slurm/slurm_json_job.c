/* SPDX-License-Identifier: MIT */
#include "base/limit.h"
#include "source/common/record_text.h"
#include "source/slurm/slurm_json.h"

/*
 * A job of the database in JSON becomes the same rows as one of text. Between 21.08 and 25.11
 * step ids went from "batch" to "123.batch", cancellers from numbers to names;
 * source/slurm/slurm_json.h has the rest.
 */

/* --- what is where ------------------------------------------------------------------------ */

static const struct slurm_number_path number_paths[] = {
    {"job_id", SLURM_RAW_JOB, SLURM_UNIT_AS_IS},
    {"time.submission", SLURM_SUBMIT, SLURM_UNIT_INSTANT_S},
    {"time.eligible", SLURM_ELIGIBLE, SLURM_UNIT_INSTANT_S},
    {"time.start", SLURM_START, SLURM_UNIT_INSTANT_S},
    {"time.end", SLURM_END, SLURM_UNIT_INSTANT_S},
    {"time.elapsed", SLURM_ELAPSED, SLURM_UNIT_SECOND},
    {"time.suspended", SLURM_SUSPENDED, SLURM_UNIT_SECOND},
    {"time.limit", SLURM_LIMIT, SLURM_UNIT_MINUTE},
    {"exit_code.return_code", SLURM_EXIT, SLURM_UNIT_SMALL},
    {"exit_code.signal.id", SLURM_SIGNAL, SLURM_UNIT_SMALL},
    {"exit_code.signal.signal_id", SLURM_SIGNAL, SLURM_UNIT_SMALL},
    {"allocation_nodes", SLURM_NODES, SLURM_UNIT_AS_IS},
    {"tasks.count", SLURM_TASKS, SLURM_UNIT_SMALL},
    {"required.CPUs", SLURM_REQ_CPUS, SLURM_UNIT_SMALL},
    {"priority", SLURM_PRIORITY, SLURM_UNIT_AS_IS},
    {"statistics.energy.consumed", SLURM_ENERGY, SLURM_UNIT_AS_IS},
};

static const struct slurm_text_path text_paths[] = {
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

/* --- time, resources, state --------------------------------------------------------------- */

static void read_cpu(const json_t *object, const char *name, enum slurm_number target,
                     struct slurm_row *row)
{
    const json_t *pair = json_object_get(json_object_get(object, "time"), name);
    int64_t seconds = 0, micros = 0;
    if (slurm_json_number_at(pair, "seconds", &seconds) && seconds < SLURM_NO_VAL_LEAST &&
        slurm_json_number_at(pair, "microseconds", &micros) && micros < SLURM_NO_VAL_LEAST &&
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
    struct slurm_tres gpus = {.arena = arena};
    size_t i;
    const json_t *item;
    if (json_array_size(list) == 0) {
        return;
    }
    json_array_foreach(list, i, item)
    {
        struct str type = {0}, name = {0};
        int64_t count = 0;
        if (!slurm_json_text(json_object_get(item, "type"), ',', arena, &type) ||
            !slurm_json_number_at(item, "count", &count)) {
            continue;
        }
        if (slurm_json_text(json_object_get(item, "name"), ',', arena, &name) &&
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
    if (slurm_json_text(value, '+', arena, &text)) {
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
    if (slurm_json_text(who, ',', arena, &name)) {
        slurm_set_text(row, SLURM_CANCELLER,
                       str_of(arena_printf(arena, "by %.*s", STR_ARG(name))));
    } else if (slurm_json_number(who, &uid) && uid < SLURM_NO_VAL_LEAST) {
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
        if (slurm_json_number_at(object, places[i].path, &mib) && mib > 0 &&
            mib < INT64_C(1) << 40) {
            slurm_set(row, SLURM_REQ_MEM, mib << 20);
            row->mem_per = places[i].per;
            return;
        }
    }
}

/* --- ids ---------------------------------------------------------------------------------- */

static bool read_array(const json_t *object, struct arena *arena, struct slurm_id *id)
{
    int64_t array = 0, task = 0;
    struct str tasks;
    if (!slurm_json_number_at(object, "array.job_id", &array) || array == 0) {
        return true;
    }
    id->job = array;
    id->is_array = true;
    if (slurm_json_text(slurm_json_find(object, "array.task"), ',', arena, &tasks)) {
        struct str text =
            str_of(arena_printf(arena, "%lld_[%.*s]", (long long)array, STR_ARG(tasks)));
        return slurm_value_id(text, id);
    }
    if (slurm_json_number_at(object, "array.task_id", &task) && task < SLURM_NO_VAL_LEAST) {
        id->has_task = true;
        id->task = task;
    }
    return true;
}

static bool read_id(const json_t *object, struct arena *arena, struct slurm_row *row)
{
    int64_t job = 0, leader = 0, offset = 0;
    if (!slurm_json_number_at(object, "job_id", &job) || job > UINT32_MAX) {
        return false;
    }
    row->id = (struct slurm_id){.job = job};
    if (!read_array(object, arena, &row->id)) {
        return false;
    }
    if (slurm_json_number_at(object, "het.job_id", &leader) && leader > 0 &&
        slurm_json_number_at(object, "het.job_offset", &offset) &&
        offset < SLURM_NO_VAL_LEAST) {
        row->id.job = leader;
        row->id.is_het = true;
        row->id.het = offset;
    }
    return true;
}

/* "batch", "123.batch", {"job_id": 123, "step_id": "batch"}: what is after the last dot. */
static void read_step_id(const json_t *object, struct arena *arena, struct slurm_row *row)
{
    const json_t *id = slurm_json_find(object, "step.id");
    struct str text;
    if (json_is_object(id)) {
        id = json_object_get(id, "step_id");
    }
    if (slurm_json_text(id, ',', arena, &text)) {
        const char *dot = memrchr(text.ptr, '.', text.len);
        row->id.step =
            dot ? (struct str){dot + 1, text.len - (size_t)(dot + 1 - text.ptr)} : text;
    }
}

/* --- the whole ---------------------------------------------------------------------------- */

static void read_step(const json_t *object, struct arena *arena, struct slurm_use *use)
{
    struct slurm_row step;
    slurm_row_clear(&step);
    read_step_id(object, arena, &step);
    slurm_json_numbers(object, number_paths, COUNT_OF(number_paths), &step);
    read_cpus(object, &step);
    read_tres(slurm_json_find(object, "tres.requested.total"), SLURM_LIST_IN, arena, &step);
    read_tres(slurm_json_find(object, "tres.consumed.total"), SLURM_LIST_OUT, arena, &step);
    slurm_use_add(use, &step);
}

/* What the database says of a job, besides its id. */
static void read_recorded(const json_t *object, struct arena *arena, struct slurm_row *job)
{
    slurm_json_numbers(object, number_paths, COUNT_OF(number_paths), job);
    slurm_json_texts(object, text_paths, COUNT_OF(text_paths), arena, job);
    read_cpus(object, job);
    read_state(slurm_json_find(object, "state.current"), arena, job);
    read_exit(job);
    read_canceller(object, arena, job);
    read_memory(object, job);
    read_tres(slurm_json_find(object, "tres.allocated"), SLURM_LIST_ALLOC, arena, job);
    read_tres(slurm_json_find(object, "tres.requested"), SLURM_LIST_WANT, arena, job);
}

static int read_job(const json_t *object, struct arena *arena, struct slurm_row *job,
                    struct error *err)
{
    bool listed = slurm_json_is_listed(object);
    slurm_row_clear(job);
    if (!json_is_object(object) ||
        !(listed ? slurm_json_listed(object, arena, job) : read_id(object, arena, job))) {
        return error_set(err, ERROR_INPUT, "is a job without a readable 'job_id'");
    }
    if (!listed && !json_is_object(json_object_get(object, "time"))) {
        return error_set(
            err, ERROR_INPUT,
            "is a job of neither the database nor the controller: it has no 'time' "
            "and no 'job_state'; import what sacct --json or squeue --json prints");
    }
    if (!listed) {
        read_recorded(object, arena, job);
    }
    for (unsigned i = 0; i < SLURM_TEXT_COUNT; i++) {
        if (slurm_has(job, i) && job->text[i].len > LIMIT_TEXT_FIELD) {
            return error_set(err, ERROR_LIMIT, "has a text of more than %d KiB",
                             LIMIT_TEXT_FIELD >> 10);
        }
    }
    return 0;
}

static int make_run(const struct slurm_format *format, const json_t *object,
                    struct arena *arena, struct run *run, struct error *err)
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
    if (slurm_json_is_listed(object)) {
        RUN_SET(run, origin, ORIGIN_LISTING);
    }
    /*
     * sacct reports a job that nobody has any more as running: only the controller has seen it.
     */
    if (format->seen > 0 && slurm_json_is_listed(object) && !RUN_HAS(run, end)) {
        RUN_SET(run, seen, format->seen);
    }
    return 0;
}

int slurm_json_run(const struct slurm_format *format, struct str object, struct arena *arena,
                   struct run *run, struct error *err)
{
    json_error_t where;
    bool recoded;
    struct str text = source_utf8(object, arena, &recoded);
    json_t *job = json_loadb(text.ptr, text.len, 0, &where);
    if (!job) {
        return error_set(err, ERROR_INPUT, "is not JSON: %s at byte %d", where.text,
                         where.position);
    }
    int failed = make_run(format, job, arena, run, err);
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
    if (json_integer_value(json_object_get(first, "error_number")) == SLURM_NOTHING_FOUND) {
        json_decref(list);
        return 0;
    }
    const char *what = json_string_value(json_object_get(first, "error"));
    const char *more = json_string_value(json_object_get(first, "description"));
    what = what ? what : more;
    more = more && more != what ? more : "";
    error_set(err, ERROR_INPUT, "Slurm returned an error instead of jobs: %.200s%s%.200s",
              what ? what : "it does not say which", more[0] ? ": " : "", more);
    json_decref(list);
    return ERROR_INPUT;
}
