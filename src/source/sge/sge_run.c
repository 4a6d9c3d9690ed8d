/* SPDX-License-Identifier: MIT */
#include "base/zone.h"
#include "source/sge/sge_row.h"

/*
 * From the columns of a record to a run; docs/sources/sge.md has the table.
 */

enum {
    EXIT_STATUS_MAX = 65535,   /* beyond it is -1, printed without its sign */
    CLOCK_SLACK_US = 60000000, /* ru_wallclock may differ from end - start by this */
};

/* What is known of one record, on its way into the run. */
struct filling {
    const struct sge_row *row;
    struct run *run;
    struct sge_values values;
    struct sge_request request;
    bool started;
    int64_t elapsed_us; /* 0 unless it started and ended */
};

/* Columns that are fields as they stand. */
struct text_column {
    enum sge_column column;
    enum run_field field;
    size_t offset;
};

#define TEXT_COLUMN(column, member)                                                            \
    {                                                                                          \
        (column), RUN_##member, offsetof(struct run, member)                                   \
    }

static const struct text_column text_columns[] = {
    TEXT_COLUMN(SGE_QNAME, partition),
    TEXT_COLUMN(SGE_HOSTNAME, node),
    TEXT_COLUMN(SGE_GROUP, group),
    TEXT_COLUMN(SGE_OWNER, user),
    TEXT_COLUMN(SGE_JOB_NAME, name),
    TEXT_COLUMN(SGE_ACCOUNT, account),
    TEXT_COLUMN(SGE_PROJECT, project),
    TEXT_COLUMN(SGE_DEPARTMENT, department),
    TEXT_COLUMN(SGE_GRANTED_PE, parallel_env),
    TEXT_COLUMN(SGE_CATEGORY, request),
    TEXT_COLUMN(SGE_PE_TASKID, part),
    TEXT_COLUMN(SGE_SUBMIT_HOST, submit_host),
    TEXT_COLUMN(SGE_CWD, work_dir),
    TEXT_COLUMN(SGE_SUBMIT_CMD, command),
};

static void fill_texts(const struct filling *f)
{
    for (size_t i = 0; i < COUNT_OF(text_columns); i++) {
        const struct text_column *from = &text_columns[i];
        if (sge_has_text(f->row, from->column)) {
            struct str text = sge_column(f->row, from->column);
            memcpy((char *)f->run + from->offset, &text, sizeof(text));
            f->run->has[from->field / 64] |= UINT64_C(1) << from->field % 64;
        }
    }
    /* The master writes UNKNOWN for a queue or host it has forgotten. */
    if (RUN_HAS(f->run, partition) && str_eq(f->run->partition, STR("UNKNOWN"))) {
        RUN_CLEAR(f->run, partition);
    }
    if (RUN_HAS(f->run, node) && str_eq(f->run->node, STR("UNKNOWN"))) {
        RUN_CLEAR(f->run, node);
    }
}

static void fill_ids(const struct filling *f)
{
    int64_t job = f->values.count[SGE_COUNT_JOB];
    RUN_SET(f->run, job, job);
    if (f->values.count[SGE_COUNT_TASK] > 0) {
        RUN_SET(f->run, task, f->values.count[SGE_COUNT_TASK]);
        RUN_SET(f->run, array_job, job);
    }
    if (f->values.count[SGE_COUNT_RESERVATION] > 0) {
        RUN_SET(f->run, reservation, sge_column(f->row, SGE_ARID));
    }
    if (f->values.has_priority) {
        RUN_SET(f->run, priority, f->values.priority);
    }
}

/* A time as the row has it, "0" where it was taken from it. */
static struct str time_text(const struct filling *f, enum sge_count count,
                            enum sge_column column)
{
    return f->values.count[count] == 0 ? STR("0") : sge_column(f->row, column);
}

/* For a row that never started; see sge.h on what distinguishes runs. */
static int64_t attempt_of(const struct filling *f)
{
    const struct str tell[] = {
        sge_column(f->row, SGE_HOSTNAME),
        sge_column(f->row, SGE_FAILED),
        time_text(f, SGE_COUNT_SUBMIT, SGE_SUBMISSION_TIME),
        time_text(f, SGE_COUNT_END, SGE_END_TIME),
    };
    uint64_t hash = 0;
    for (size_t i = 0; i < COUNT_OF(tell); i++) {
        hash = str_hash(tell[i], hash);
    }
    return -1 - (int64_t)(hash >> 2);
}

static void fill_times(struct filling *f)
{
    struct run *run = f->run;
    const int64_t *count = f->values.count;
    if (count[SGE_COUNT_SUBMIT] != 0) {
        RUN_SET(run, submit, sge_instant(count[SGE_COUNT_SUBMIT]));
    }
    if (count[SGE_COUNT_START] != 0) {
        RUN_SET(run, start, sge_instant(count[SGE_COUNT_START]));
    }
    if (count[SGE_COUNT_END] != 0) {
        RUN_SET(run, end, sge_instant(count[SGE_COUNT_END]));
    }
    f->started = count[SGE_COUNT_START] > 0;
    bool ended = count[SGE_COUNT_END] > 0;
    f->elapsed_us = f->started && ended && run->end > run->start ? run->end - run->start : 0;
    bool given_up = sge_code_is_requeued(count[SGE_COUNT_FAILED]);
    RUN_SET(run, attempt, f->started ? run->start + given_up : attempt_of(f));
    int64_t wall_us = f->values.amount[SGE_AMOUNT_WALL];
    int64_t apart_us =
        wall_us > f->elapsed_us ? wall_us - f->elapsed_us : f->elapsed_us - wall_us;
    if (sge_knows(&f->values, SGE_AMOUNT_WALL) && f->started && ended &&
        apart_us > CLOCK_SLACK_US) {
        run->flags |= RUN_FLAG_CLOCKS_DISAGREE;
    }
}

#define FILL_AMOUNT(f, which, member)                                                          \
    do {                                                                                       \
        if (sge_knows(&(f)->values, (which))) {                                                \
            RUN_SET((f)->run, member, (f)->values.amount[which]);                              \
        }                                                                                      \
    } while (0)

/*
 * An attempt that was stopped to be run again did start, but its row has zeros for all that the
 * master has forgotten of it.
 */
static bool is_forgotten(const struct filling *f)
{
    bool any = f->started || !sge_code_is_requeued(f->values.count[SGE_COUNT_FAILED]);
    for (unsigned i = 0; !any && i < SGE_AMOUNTS; i++) {
        any = sge_knows(&f->values, (enum sge_amount)i) && f->values.amount[i] != 0;
    }
    return !any;
}

static void fill_use(const struct filling *f)
{
    if (is_forgotten(f)) {
        return;
    }
    FILL_AMOUNT(f, SGE_AMOUNT_USER, cpu_user_us);
    FILL_AMOUNT(f, SGE_AMOUNT_SYSTEM, cpu_system_us);
    FILL_AMOUNT(f, SGE_AMOUNT_CPU, cpu_used_us);
    FILL_AMOUNT(f, SGE_AMOUNT_INTEGRAL, mem_integral_gib_us);
    FILL_AMOUNT(f, SGE_AMOUNT_IO, io_bytes);
    FILL_AMOUNT(f, SGE_AMOUNT_IO_WAIT, io_wait_us);
    FILL_AMOUNT(f, SGE_AMOUNT_IO_OPS, io_ops);
}

/* A peak of 0 is that of a job too short to be looked at: unknown, as 0 says here. */
static int64_t peak_of(const struct filling *f, enum sge_amount which)
{
    return sge_knows(&f->values, which) ? f->values.amount[which] : 0;
}

static void fill_peaks(const struct filling *f)
{
    struct run *run = f->run;
    int64_t vmem = peak_of(f, SGE_AMOUNT_VMEM);
    int64_t rss = peak_of(f, SGE_AMOUNT_RSS);
    int64_t process_rss = peak_of(f, SGE_AMOUNT_PROCESS_RSS);
    if (vmem > 0) {
        RUN_SET(run, vmem_peak_bytes, vmem);
    }
    if (rss > 0) {
        RUN_SET(run, mem_peak_bytes, rss);
        RUN_SET(run, mem_basis, STR("job-rss"));
    } else if (vmem > 0) {
        RUN_SET(run, mem_peak_bytes, vmem);
        RUN_SET(run, mem_basis, STR("job-vmem"));
    } else if (process_rss > 0) {
        RUN_SET(run, mem_peak_bytes, process_rss);
        RUN_SET(run, mem_basis, STR("process-rss"));
    }
}

static void fill_slots(const struct filling *f)
{
    struct run *run = f->run;
    int64_t slots = f->values.count[SGE_COUNT_SLOTS];
    int64_t wanted = slots > 0 ? slots : 1;
    if (sge_wants(&f->request, SGE_WANT_SLOTS)) {
        wanted = f->request.value[SGE_WANT_SLOTS];
    }
    RUN_SET(run, req_cpus, wanted);
    if (!f->started) {
        return;
    }
    if (slots > 0) { /* 0: the master has forgotten how many */
        RUN_SET(run, cpus, slots);
    }
    if (RUN_HAS(run, node) &&
        slots == 1) { /* more slots may lie on more nodes: the row has one */
        RUN_SET(run, node_count, 1);
    }
}

/*
 * What was asked for a slot, for so many of them; false if it was not, or is too much for a
 * number.
 */
static bool times_slots(const struct filling *f, enum sge_want want, int64_t slots,
                        int64_t *out)
{
    return sge_wants(&f->request, want) &&
           !__builtin_mul_overflow(f->request.value[want], slots, out);
}

/* The limit on a run by what was asked for a slot: that of the slots it had. */
static bool limit_of(const struct filling *f, enum sge_want want, int64_t *out)
{
    return times_slots(f, want, RUN_HAS(f->run, cpus) ? f->run->cpus : f->run->req_cpus, out);
}

static void fill_request(const struct filling *f)
{
    const struct sge_request *request = &f->request;
    for (unsigned want = SGE_WANT_M_MEM_FREE; want <= SGE_WANT_VIRTUAL_FREE; want++) {
        int64_t bytes = 0;
        if (times_slots(f, want, f->run->req_cpus, &bytes)) {
            RUN_SET(f->run, req_mem_bytes, bytes);
            break;
        }
    }
    if (sge_wants(request, SGE_WANT_GPUS)) {
        RUN_SET(f->run, req_gpus, request->value[SGE_WANT_GPUS]);
        if (f->started) {
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

/* Time limits are enforced to the second, by clocks that do not quite agree. */
static bool is_over_time(const struct filling *f)
{
    const struct sge_request *request = &f->request;
    for (unsigned want = SGE_WANT_H_RT; want <= SGE_WANT_S_RT; want++) {
        if (sge_wants(request, want) && f->elapsed_us > 0 &&
            f->elapsed_us >= request->value[want] - SECOND_US) {
            return true;
        }
    }
    for (unsigned want = SGE_WANT_H_CPU; want <= SGE_WANT_S_CPU; want++) {
        int64_t limit = 0;
        if (limit_of(f, want, &limit) && peak_of(f, SGE_AMOUNT_CPU) > 0 &&
            f->values.amount[SGE_AMOUNT_CPU] >= limit) {
            return true;
        }
    }
    return false;
}

static bool has_reached(const struct filling *f, enum sge_want want, enum sge_amount which)
{
    int64_t limit = 0;
    int64_t peak = peak_of(f, which);
    return peak > 0 && limit_of(f, want, &limit) && peak >= limit;
}

static bool is_over_memory(const struct filling *f)
{
    return has_reached(f, SGE_WANT_H_VMEM, SGE_AMOUNT_VMEM) ||
           has_reached(f, SGE_WANT_S_VMEM, SGE_AMOUNT_VMEM) ||
           has_reached(f, SGE_WANT_M_MEM_FREE, SGE_AMOUNT_RSS) ||
           has_reached(f, SGE_WANT_H_RSS, SGE_AMOUNT_RSS) ||
           has_reached(f, SGE_WANT_S_RSS, SGE_AMOUNT_RSS);
}

static void fill_state(const struct filling *f)
{
    int64_t exit_status = f->values.count[SGE_COUNT_EXIT];
    if (exit_status >= 0 && exit_status <= EXIT_STATUS_MAX) {
        RUN_SET(f->run, exit_code, exit_status);
    }
    int64_t signal = sge_code_signal(exit_status);
    if (signal > 0) {
        RUN_SET(f->run, signal, signal);
    }
    /* "37:137" as it stands in the row, "37" when the exit status is 0. */
    struct str state = sge_column(f->row, SGE_FAILED);
    if (exit_status != 0) {
        state.len += 1 + sge_column(f->row, SGE_EXIT_STATUS).len;
    }
    RUN_SET(f->run, state, state);
}

static void fill_class(const struct filling *f)
{
    struct sge_end end = {
        .failed = f->values.count[SGE_COUNT_FAILED],
        .exit_status = f->values.count[SGE_COUNT_EXIT],
        .deleted = sge_has_text(f->row, SGE_QDEL_INFO),
    };
    if (end.failed != 0 || end.exit_status != 0) {
        end.over_time = is_over_time(f);
        end.over_memory = is_over_memory(f);
        struct str reason =
            end.deleted ? sge_column(f->row, SGE_QDEL_INFO) : sge_code_reason(end.failed);
        if (reason.len > 0) {
            RUN_SET(f->run, reason, reason);
        }
    }
    RUN_SET(f->run, class, run_class_name(sge_code_class(&end)));
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
    struct filling f;
    f.row = row;
    f.run = run;
    RUN_SET(run, flags, row->odd ? RUN_FLAG_FIELDS_ODD : 0);
    if (!sge_value_read(row, &f.values, err)) {
        return false;
    }
    if (row->reported && sge_reported_mend(&f.values)) {
        run->flags |= RUN_FLAG_USE_PARTIAL;
    }
    sge_request_parse(sge_column(row, SGE_CATEGORY), &f.request);
    fill_texts(&f);
    fill_ids(&f);
    fill_times(&f);
    fill_use(&f);
    fill_peaks(&f);
    fill_slots(&f);
    fill_request(&f);
    fill_state(&f);
    fill_class(&f);
    if (RUN_HAS(run, part)) {
        clear_resources(run);
    }
    return true;
}
