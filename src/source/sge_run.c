/* SPDX-License-Identifier: MIT */
#include "base/limit.h"
#include "base/scan.h"
#include "base/zone.h"
#include "source/sge_row.h"

/*
 * From columns to a run. Counts, times and the numbers beside them must be what they should, for
 * they also prove that the columns are where we think (see sge_align.c). What was measured may be
 * unknown: nan, or a number no machine can have reached, is absent.
 */

enum {
    FAILED_MAX = 999,
    EXIT_STATUS_MAX = 65535, /* beyond it is -1, printed without its sign */
    CLOCK_SLACK_S = 60,      /* ru_wallclock may differ from end - start by this */
    SHOW_MAX = 60,           /* bytes of a bad value that are shown */
};

const struct sge_column_info sge_columns[SGE_COLUMN_COUNT] = {
#define X(column, key_, kind_, words_)                                                           \
    [SGE_##column] = {.key = (key_), .words = (words_), .kind = SGE_##kind_},
    SGE_COLUMNS(X)
#undef X
};

/* What the columns say of one record, on its way into the run. */
struct filling {
    const struct sge_row *row;
    struct run *run;
    struct error *err;
    int64_t slots;
    struct sge_request request;
    struct sge_end end;
    int64_t elapsed_us; /* 0 unless it started and ended */
};

static bool bad(const struct filling *f, enum sge_column column)
{
    static const char *const kinds[] = {
        [SGE_TEXT] = "text",
        [SGE_COUNT] = "whole number",
        [SGE_TIME] = "time",
        [SGE_AMOUNT] = "number",
    };
    const struct sge_column_info *info = &sge_columns[column];
    struct str text = sge_column(f->row, column);
    if (text.len > SHOW_MAX) {
        text.len = SHOW_MAX;
        while (text.len > 0 && ((unsigned char)text.ptr[text.len] & 0xc0) == 0x80) {
            text.len--;
        }
    }
    error_set(f->err, ERROR_INPUT, "%s '%.*s' is not a %s", info->words, STR_ARG(text),
              kinds[info->kind]);
    return false;
}

static bool count_of(const struct filling *f, enum sge_column column, int64_t *out)
{
    return scan_int(sge_column(f->row, column), out) || bad(f, column);
}

/* An instant; *known is false for 0. Seconds, milliseconds, microseconds differ in size enough. */
static bool instant_of(const struct filling *f, enum sge_column column, int64_t *out, bool *known)
{
    int64_t value = 0;
    if (!count_of(f, column, &value)) {
        return false;
    }
    *known = value != 0;
    if (value > INT64_C(100000000000000)) {
        *out = value;
    } else if (value > INT64_C(100000000000)) {
        *out = value * 1000;
    } else {
        /* A time before 1970 is impossible in any unit. */
        *out = value >= 0 ? value * SECOND_US : -1;
    }
    return true;
}

/* Whether it is made of what numbers are made of, or says that it is none. */
static bool is_numeric(struct str text)
{
    if (str_eq(text, STR("nan")) || str_eq(text, STR("-nan")) || str_eq(text, STR("inf")) ||
        str_eq(text, STR("-inf"))) {
        return true;
    }
    bool digits = false;
    for (size_t i = 0; i < text.len; i++) {
        bool digit = text.ptr[i] >= '0' && text.ptr[i] <= '9';
        if (!digit && !memchr(".+-eE", text.ptr[i], 5)) {
            return false;
        }
        digits |= digit;
    }
    return digits;
}

/* A measured number times 10^scale; *known is false if it is none, or negative. */
static bool amount_of(const struct filling *f, enum sge_column column, int scale, int64_t *out,
                      bool *known)
{
    struct str text = sge_column(f->row, column);
    *known = scan_decimal(text, scale, out) && *out >= 0;
    return *known || is_numeric(text) || bad(f, column);
}

/* The same for a number in larger units. */
static bool bytes_of(const struct filling *f, enum sge_column column, int64_t unit, int64_t *out,
                     bool *known)
{
    struct str text = sge_column(f->row, column);
    bool numeric = is_numeric(text);
    *known = numeric && scan_size(text, unit, out);
    return numeric || bad(f, column);
}

#define FILL_TEXT(f, column, member)                                                             \
    do {                                                                                         \
        if (sge_has_text((f)->row, (column))) {                                                  \
            RUN_SET((f)->run, member, sge_column((f)->row, (column)));                           \
        }                                                                                        \
    } while (0)

/* The master writes UNKNOWN for a queue or host it has forgotten. */
static bool is_place(const struct filling *f, enum sge_column column)
{
    return sge_has_text(f->row, column) && !str_eq(sge_column(f->row, column), STR("UNKNOWN"));
}

static void fill_texts(const struct filling *f)
{
    if (is_place(f, SGE_QNAME)) {
        RUN_SET(f->run, partition, sge_column(f->row, SGE_QNAME));
    }
    if (is_place(f, SGE_HOSTNAME)) {
        RUN_SET(f->run, node, sge_column(f->row, SGE_HOSTNAME));
    }
    FILL_TEXT(f, SGE_GROUP, group);
    FILL_TEXT(f, SGE_OWNER, user);
    FILL_TEXT(f, SGE_JOB_NAME, name);
    FILL_TEXT(f, SGE_ACCOUNT, account);
    FILL_TEXT(f, SGE_PROJECT, project);
    FILL_TEXT(f, SGE_DEPARTMENT, department);
    FILL_TEXT(f, SGE_GRANTED_PE, parallel_env);
    FILL_TEXT(f, SGE_CATEGORY, request);
    FILL_TEXT(f, SGE_PE_TASKID, part);
    FILL_TEXT(f, SGE_SUBMIT_HOST, submit_host);
    FILL_TEXT(f, SGE_CWD, work_dir);
    FILL_TEXT(f, SGE_SUBMIT_CMD, command);
}

static bool fill_ids(struct filling *f)
{
    int64_t job = 0;
    int64_t task = 0;
    int64_t priority = 0;
    int64_t reservation = 0;
    bool known = false;
    if (!count_of(f, SGE_JOB_NUMBER, &job) || !count_of(f, SGE_TASK_NUMBER, &task) ||
        !amount_of(f, SGE_PRIORITY, 0, &priority, &known) || !count_of(f, SGE_SLOTS, &f->slots)) {
        return false;
    }
    if (job < 0) {
        return bad(f, SGE_JOB_NUMBER);
    }
    RUN_SET(f->run, job, job);
    if (task > 0) {
        RUN_SET(f->run, task, task);
        RUN_SET(f->run, array_job, job);
    }
    if (known) {
        RUN_SET(f->run, priority, priority);
    }
    if (f->row->count > SGE_ARID) {
        if (!count_of(f, SGE_ARID, &reservation)) {
            return false;
        }
        if (reservation > 0) {
            RUN_SET(f->run, reservation, sge_column(f->row, SGE_ARID));
        }
    }
    return true;
}

/* See sge.h on what tells runs apart. */
static int64_t attempt_of(const struct filling *f)
{
    static const enum sge_column tell[] = {SGE_HOSTNAME, SGE_FAILED, SGE_SUBMISSION_TIME,
                                           SGE_END_TIME};
    uint64_t hash = 0;
    for (size_t i = 0; i < COUNT_OF(tell); i++) {
        hash = str_hash(sge_column(f->row, tell[i]), hash);
    }
    return -1 - (int64_t)(hash >> 2);
}

static bool fill_times(struct filling *f)
{
    int64_t submit = 0;
    int64_t start = 0;
    int64_t end = 0;
    bool has_submit = false;
    bool has_start = false;
    bool has_end = false;
    if (!instant_of(f, SGE_SUBMISSION_TIME, &submit, &has_submit) ||
        !instant_of(f, SGE_START_TIME, &start, &has_start) ||
        !instant_of(f, SGE_END_TIME, &end, &has_end)) {
        return false;
    }
    if (has_submit) {
        RUN_SET(f->run, submit, submit);
    }
    if (has_start) {
        RUN_SET(f->run, start, start);
    }
    if (has_end) {
        RUN_SET(f->run, end, end);
    }
    bool started = has_start && start > 0;
    RUN_SET(f->run, attempt, started ? start : attempt_of(f));
    f->elapsed_us = started && has_end && end > start ? end - start : 0;
    return true;
}

static bool fill_clocks(const struct filling *f)
{
    int64_t wall_us = 0;
    bool known = false;
    if (!amount_of(f, SGE_RU_WALLCLOCK, 6, &wall_us, &known)) {
        return false;
    }
    bool ran = RUN_HAS(f->run, start) && f->run->start > 0 && RUN_HAS(f->run, end);
    int64_t apart_us = wall_us > f->elapsed_us ? wall_us - f->elapsed_us : f->elapsed_us - wall_us;
    if (known && ran && apart_us > CLOCK_SLACK_S * SECOND_US) {
        f->run->flags |= RUN_FLAG_CLOCKS_DISAGREE;
    }
    return true;
}

static bool fill_cpu(const struct filling *f)
{
    int64_t user = 0;
    int64_t system = 0;
    int64_t used = 0;
    bool has_user = false;
    bool has_system = false;
    bool has_used = false;
    if (!amount_of(f, SGE_RU_UTIME, 6, &user, &has_user) ||
        !amount_of(f, SGE_RU_STIME, 6, &system, &has_system) ||
        !amount_of(f, SGE_CPU, 6, &used, &has_used)) {
        return false;
    }
    if (has_user) {
        RUN_SET(f->run, cpu_user_us, user);
    }
    if (has_system) {
        RUN_SET(f->run, cpu_system_us, system);
    }
    if (has_used) {
        RUN_SET(f->run, cpu_used_us, used);
    }
    return true;
}

/* Peaks of 0 are those of jobs too short to be looked at: unknown. */
static bool fill_memory(const struct filling *f)
{
    int64_t process_rss = 0;
    int64_t vmem = 0;
    int64_t rss = 0;
    int64_t integral = 0;
    bool has_process_rss = false;
    bool has_vmem = false;
    bool has_rss = false;
    bool has_integral = false;
    if (!bytes_of(f, SGE_RU_MAXRSS, 1024, &process_rss, &has_process_rss) ||
        !amount_of(f, SGE_MAXVMEM, 0, &vmem, &has_vmem) ||
        !amount_of(f, SGE_MEM, 6, &integral, &has_integral)) {
        return false;
    }
    if (f->row->count > SGE_MAXRSS) {
        has_rss = scan_decimal(sge_column(f->row, SGE_MAXRSS), 0, &rss);
    }
    if (has_integral) {
        RUN_SET(f->run, mem_integral_gib_us, integral);
    }
    if (has_vmem && vmem > 0) {
        RUN_SET(f->run, vmem_peak_bytes, vmem);
    }
    if (has_rss && rss > 0) {
        RUN_SET(f->run, mem_peak_bytes, rss);
        RUN_SET(f->run, mem_basis, STR("job-rss"));
    } else if (has_vmem && vmem > 0) {
        RUN_SET(f->run, mem_peak_bytes, vmem);
        RUN_SET(f->run, mem_basis, STR("job-vmem"));
    } else if (has_process_rss && process_rss > 0) {
        RUN_SET(f->run, mem_peak_bytes, process_rss);
        RUN_SET(f->run, mem_basis, STR("process-rss"));
    }
    return true;
}

static bool fill_io(const struct filling *f)
{
    int64_t bytes = 0;
    int64_t wait = 0;
    int64_t ops = 0;
    bool has_bytes = false;
    bool has_wait = false;
    if (!bytes_of(f, SGE_IO, INT64_C(1) << 30, &bytes, &has_bytes) ||
        !amount_of(f, SGE_IOW, 6, &wait, &has_wait)) {
        return false;
    }
    if (has_bytes) {
        RUN_SET(f->run, io_bytes, bytes);
    }
    if (has_wait) {
        RUN_SET(f->run, io_wait_us, wait);
    }
    if (f->row->count > SGE_IOOPS && scan_decimal(sge_column(f->row, SGE_IOOPS), 0, &ops) &&
        ops >= 0) {
        RUN_SET(f->run, io_ops, ops);
    }
    return true;
}

/* The requested value for all slots, if it fits. */
static bool total_of(const struct filling *f, enum sge_want want, int64_t *out)
{
    int64_t slots = RUN_HAS(f->run, cpus) ? f->run->cpus : f->run->req_cpus;
    return sge_wants(&f->request, want) &&
           !__builtin_mul_overflow(f->request.value[want], slots, out);
}

static void fill_request(struct filling *f)
{
    const struct sge_request *request = &f->request;
    bool started = RUN_HAS(f->run, start) && f->run->start > 0;
    if (started) {
        RUN_SET(f->run, cpus, f->slots);
    }
    int64_t slots = f->slots > 0 ? f->slots : 1;
    RUN_SET(f->run, req_cpus,
            sge_wants(request, SGE_WANT_SLOTS) ? request->value[SGE_WANT_SLOTS] : slots);
    for (unsigned want = SGE_WANT_M_MEM_FREE; want <= SGE_WANT_VIRTUAL_FREE; want++) {
        int64_t bytes = 0;
        if (total_of(f, want, &bytes)) {
            RUN_SET(f->run, req_mem_bytes, bytes);
            break;
        }
    }
    if (sge_wants(request, SGE_WANT_GPUS)) {
        RUN_SET(f->run, req_gpus, request->value[SGE_WANT_GPUS]);
        if (started) {
            RUN_SET(f->run, gpus, request->value[SGE_WANT_GPUS]);
        }
        if (request->gpu_type.len > 0) {
            RUN_SET(f->run, gpu_type, request->gpu_type);
        }
    }
    if (sge_wants(request, SGE_WANT_H_RT)) {
        RUN_SET(f->run, req_wall_us, request->value[SGE_WANT_H_RT]);
    } else if (sge_wants(request, SGE_WANT_S_RT)) {
        RUN_SET(f->run, req_wall_us, request->value[SGE_WANT_S_RT]);
    }
}

static void fill_nodes(const struct filling *f)
{
    if (RUN_HAS(f->run, node) && RUN_HAS(f->run, cpus)) {
        RUN_SET(f->run, nodes, f->run->node);
        if (f->slots == 1) {
            RUN_SET(f->run, node_count, 1);
        }
    }
}

static bool reached(int64_t value, int64_t limit)
{
    return value > 0 && value >= limit;
}

/* Time limits are enforced to the second, in clocks that do not quite agree. */
static void judge_limits(struct filling *f)
{
    const struct sge_request *request = &f->request;
    const struct run *run = f->run;
    int64_t limit = 0;
    int64_t elapsed_us = f->elapsed_us + SECOND_US;
    for (unsigned want = SGE_WANT_H_RT; want <= SGE_WANT_S_RT; want++) {
        f->end.over_time |=
            sge_wants(request, want) && reached(elapsed_us, request->value[want]);
    }
    for (unsigned want = SGE_WANT_H_CPU; want <= SGE_WANT_S_CPU; want++) {
        f->end.over_time |= RUN_HAS(run, cpu_used_us) && total_of(f, want, &limit) &&
                            reached(run->cpu_used_us, limit);
    }
    for (unsigned want = SGE_WANT_H_VMEM; want <= SGE_WANT_S_VMEM; want += 2) {
        f->end.over_memory |= RUN_HAS(run, vmem_peak_bytes) && total_of(f, want, &limit) &&
                              reached(run->vmem_peak_bytes, limit);
    }
    bool has_rss = RUN_HAS(run, mem_basis) && str_eq(run->mem_basis, STR("job-rss"));
    static const enum sge_want resident[] = {SGE_WANT_M_MEM_FREE, SGE_WANT_H_RSS, SGE_WANT_S_RSS};
    for (size_t i = 0; i < COUNT_OF(resident) && has_rss; i++) {
        f->end.over_memory |=
            total_of(f, resident[i], &limit) && reached(run->mem_peak_bytes, limit);
    }
}

static bool fill_end(struct filling *f)
{
    struct sge_end *end = &f->end;
    if (!count_of(f, SGE_FAILED, &end->failed) ||
        !count_of(f, SGE_EXIT_STATUS, &end->exit_status)) {
        return false;
    }
    if (end->failed < 0 || end->failed > FAILED_MAX) {
        return bad(f, SGE_FAILED);
    }
    if (end->exit_status >= 0 && end->exit_status <= EXIT_STATUS_MAX) {
        RUN_SET(f->run, exit_code, end->exit_status);
    }
    int64_t signal = sge_code_signal(end->exit_status);
    if (signal > 0) {
        RUN_SET(f->run, signal, signal);
    }
    /* "37:137" as it stands in the row, "37" when the exit status is 0. */
    struct str state = sge_column(f->row, SGE_FAILED);
    if (end->exit_status != 0) {
        state.len += 1 + sge_column(f->row, SGE_EXIT_STATUS).len;
    }
    RUN_SET(f->run, state, state);
    return true;
}

static void fill_class(struct filling *f)
{
    struct sge_end *end = &f->end;
    end->deleted = sge_has_text(f->row, SGE_QDEL_INFO);
    if (end->failed != 0 || end->exit_status != 0) {
        judge_limits(f);
        struct str reason =
            end->deleted ? sge_column(f->row, SGE_QDEL_INFO) : sge_code_reason(end->failed);
        if (reason.len > 0) {
            RUN_SET(f->run, reason, reason);
        }
    }
    RUN_SET(f->run, class, run_class_name(sge_code_class(end)));
}

/* A slave task holds none of the job's resources: they are in the master's row. */
static void clear_resources(struct run *run)
{
    RUN_CLEAR(run, cpus);
    RUN_CLEAR(run, gpus);
    RUN_CLEAR(run, req_cpus);
    RUN_CLEAR(run, req_gpus);
    RUN_CLEAR(run, req_mem_bytes);
    RUN_CLEAR(run, node_count);
}

bool sge_run_fill(const struct sge_row *row, struct run *run, struct error *err)
{
    struct filling f = {.row = row, .run = run, .err = err};
    RUN_SET(run, flags, row->odd ? RUN_FLAG_FIELDS_ODD : 0);
    if (!fill_ids(&f) || !fill_times(&f) || !fill_end(&f) || !fill_clocks(&f) || !fill_cpu(&f) ||
        !fill_memory(&f) || !fill_io(&f)) {
        return false;
    }
    fill_texts(&f);
    struct str category = sge_column(row, SGE_CATEGORY);
    sge_request_parse(category, &f.request);
    fill_request(&f);
    fill_nodes(&f);
    fill_class(&f);
    if (RUN_HAS(run, part)) {
        clear_resources(run);
    }
    return true;
}
