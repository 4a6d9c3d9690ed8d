/* SPDX-License-Identifier: MIT */
#include "record/run.h"

#include "base/zone.h"
#include "record/run_resources.h"

const struct field run_fields[RUN_FIELD_COUNT] = {
#define X(member_, id_, type_, unit_, flags_, label_, doc_)                                    \
    [RUN_##member_] = {                                                                        \
        .member = #member_,                                                                    \
        .id = id_,                                                                             \
        .label = label_,                                                                       \
        .doc = doc_,                                                                           \
        .type = FIELD_##type_,                                                                 \
        .unit = UNIT_##unit_,                                                                  \
        .flags = flags_,                                                                       \
        .offset = offsetof(struct run, member_),                                               \
    },
    RUN_FIELDS(X)
#undef X
};

const struct field *run_field_find(struct str id)
{
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (str_eq(id, str_of(run_fields[i].id))) {
            return &run_fields[i];
        }
    }
    return NULL;
}

struct str run_class_name(enum run_class class)
{
    static const char *const names[CLASS_COUNT] = {
        [CLASS_PENDING] = "pending",     [CLASS_RUNNING] = "running",
        [CLASS_SUSPENDED] = "suspended", [CLASS_COMPLETED] = "completed",
        [CLASS_FAILED] = "failed",       [CLASS_CANCELLED] = "cancelled",
        [CLASS_TIMEOUT] = "timeout",     [CLASS_OOM] = "oom",
        [CLASS_NODE_FAIL] = "node_fail", [CLASS_REQUEUED] = "requeued",
        [CLASS_OTHER] = "other",
    };
    return str_of(names[class]);
}

static bool is_one_of(struct str name, const enum run_class *classes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_eq(name, run_class_name(classes[i]))) {
            return true;
        }
    }
    return false;
}

bool run_class_is_over(struct str name)
{
    static const enum run_class over[] = {CLASS_COMPLETED, CLASS_FAILED, CLASS_CANCELLED,
                                          CLASS_TIMEOUT,   CLASS_OOM,    CLASS_NODE_FAIL,
                                          CLASS_REQUEUED};

    return is_one_of(name, over, COUNT_OF(over));
}

bool run_class_is_open(struct str name)
{
    static const enum run_class open[] = {CLASS_PENDING, CLASS_RUNNING, CLASS_SUSPENDED};

    return is_one_of(name, open, COUNT_OF(open));
}

const char *run_flag_name(unsigned bit)
{
    static const char *const names[RUN_FLAG_BITS] = {
        "end-before-start",  "start-before-submit", "time-impossible", "merged",
        "recoded",           "clocks-disagree",     "fields-odd",      "step-unreadable",
        "amount-impossible", "use-too-large",       "vanished",        "use-partial",
        "seen-recorded",
    };
    return bit < RUN_FLAG_BITS ? names[bit] : NULL;
}

/* An instant nobody can have seen is no instant: it is dropped, and the flag says. */
static void check_instant(struct run *run, enum run_field field)
{
    int64_t *value = (int64_t *)(void *)((char *)run + run_fields[field].offset);
    if (run_has(run, field) && (*value < 0 || *value >= INSTANT_MAX)) {
        run->has[(unsigned)field / 64] &= ~(UINT64_C(1) << (unsigned)field % 64);
        run->flags |= RUN_FLAG_TIME_IMPOSSIBLE;
    }
}

/*
 * What lies beyond is no amount. A negative count or a "no value" of some scheduler looks like
 * that.
 */
struct bound {
    enum run_field field;
    int64_t max;
};

static const struct bound bounds[] = {
    {RUN_req_mem_bytes, RUN_AMOUNT_MAX},   {RUN_mem_bytes, RUN_AMOUNT_MAX},
    {RUN_disk_bytes, RUN_AMOUNT_MAX},      {RUN_mem_peak_bytes, RUN_AMOUNT_MAX},
    {RUN_vmem_peak_bytes, RUN_AMOUNT_MAX}, {RUN_io_bytes, RUN_AMOUNT_MAX},
    {RUN_io_ops, RUN_AMOUNT_MAX},          {RUN_mem_integral_gib_us, RUN_INTEGRAL_MAX},
    {RUN_cpu_user_us, RUN_USE_US_MAX},     {RUN_cpu_system_us, RUN_USE_US_MAX},
    {RUN_cpu_used_us, RUN_USE_US_MAX},     {RUN_gpu_used_us, RUN_USE_US_MAX},
    {RUN_io_wait_us, RUN_USE_US_MAX},      {RUN_suspended_us, INSTANT_MAX},
    {RUN_req_wall_us, INSTANT_MAX},        {RUN_energy_mj, RUN_ENERGY_MAX *RUN_MILLIJOULE},
    {RUN_billing, RUN_AMOUNT_MAX},         {RUN_task_count, UINT32_MAX},
};

static void check_bounds(struct run *run)
{
    for (size_t i = 0; i < COUNT_OF(bounds); i++) {
        unsigned field = bounds[i].field;
        int64_t value =
            *(const int64_t *)(const void *)((const char *)run + run_fields[field].offset);
        if (run_has(run, field) && (value < 0 || value > bounds[i].max)) {
            run->has[field / 64] &= ~(UINT64_C(1) << field % 64);
            run->flags |= RUN_FLAG_AMOUNT_IMPOSSIBLE;
        }
    }
    if (!RUN_HAS(run, mem_peak_bytes)) {
        RUN_CLEAR(run, mem_basis);
    }
    if (RUN_HAS(run, resources) && !run_resources_valid(run->resources)) {
        RUN_CLEAR(run, resources);
        run->flags |= RUN_FLAG_AMOUNT_IMPOSSIBLE;
    }
}

/*
 * Of a run that is over: that it used no more than it had, and was suspended no longer than it
 * took.
 */
static void check_use(struct run *run)
{
    if (!RUN_HAS(run, start) || !RUN_HAS(run, end) || run->end < run->start) {
        return;
    }
    const int64_t took = run->end - run->start;
    const int64_t paused = RUN_HAS(run, suspended_us) ? run->suspended_us : 0;
    bool odd = paused > took + RUN_USE_SLACK_US;
    if (RUN_HAS(run, cpus) && RUN_HAS(run, cpu_used_us) && run->cpus > 0) {
        const double had = (double)run->cpus * (double)(took + RUN_USE_SLACK_US);
        odd = odd || (double)run->cpu_used_us > had * RUN_USE_PERCENT / 100;
    }
    if (odd) {
        run->flags |= RUN_FLAG_USE_TOO_LARGE;
    }
}

static int check_resource(const struct run *run, enum run_field field, int64_t max,
                          struct error *err)
{
    const struct field *f = &run_fields[field];
    int64_t value = *(const int64_t *)(const void *)((const char *)run + f->offset);
    if (run_has(run, field) && (value < 0 || value > max)) {
        return error_set(err, ERROR_INPUT, "impossible number of %s: %lld", f->id,
                         (long long)value);
    }
    return 0;
}

/*
 * cpus x microseconds of one run must fit an int64_t, so that reports may multiply without
 * fear.
 */
static int check_amount(const struct run *run, struct error *err)
{
    int64_t amount;
    if (RUN_HAS(run, cpus) && RUN_HAS(run, start) && RUN_HAS(run, end) &&
        run->end > run->start &&
        __builtin_mul_overflow(run->end - run->start, run->cpus, &amount)) {
        return error_set(err, ERROR_INPUT, "impossible amount: %lld cpus for %lld days",
                         (long long)run->cpus, (long long)((run->end - run->start) / DAY_US));
    }
    return 0;
}

/* Of a run without an end. */
static bool goes_on(const struct run *run)
{
    const bool listed =
        RUN_HAS(run, seen) && !(RUN_HAS(run, class) && run_class_is_over(run->class));
    return listed || (RUN_HAS(run, class) && run_class_is_open(run->class));
}

static void set_until(struct run *run)
{
    if (RUN_HAS(run, end)) {
        RUN_SET(run, until,
                RUN_HAS(run, start) && run->start > run->end ? run->start : run->end);
    } else if (goes_on(run)) {
        RUN_SET(run, until, RUN_NOT_ENDED);
    } else if (RUN_HAS(run, start)) {
        RUN_SET(run, until, run->start - 1);
    } else {
        RUN_CLEAR(run, until);
    }
}

int run_check(struct run *run, struct error *err)
{
    if (!RUN_HAS(run, cluster) || run->cluster.len == 0) {
        return error_set(err, ERROR_INPUT, "no cluster");
    }
    if (!RUN_HAS(run, job) && !RUN_HAS(run, job_key)) {
        return error_set(err, ERROR_INPUT, "no job id");
    }
    if (!RUN_HAS(run, flags)) {
        RUN_SET(run, flags, 0);
    }
    if (!RUN_HAS(run, origin)) {
        RUN_SET(run, origin, RUN_HAS(run, seen) ? ORIGIN_LISTING : ORIGIN_LOG);
    }

    static const enum run_field instants[] = {RUN_submit, RUN_eligible, RUN_start, RUN_end};

    for (size_t i = 0; i < COUNT_OF(instants); i++) {
        check_instant(run, instants[i]);
    }

    static const enum run_field counts[] = {RUN_cpus,     RUN_req_cpus,   RUN_gpus,
                                            RUN_req_gpus, RUN_node_count, RUN_req_nodes};

    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        int failed = check_resource(run, counts[i], RUN_CPUS_MAX, err);
        if (failed) {
            return failed;
        }
    }
    if (RUN_HAS(run, start) && RUN_HAS(run, end) && run->end < run->start) {
        run->flags |= RUN_FLAG_END_BEFORE_START;
    }
    if (RUN_HAS(run, start) && RUN_HAS(run, submit) && run->start < run->submit) {
        run->flags |= RUN_FLAG_START_BEFORE_SUBMIT;
    }
    check_bounds(run);
    check_use(run);
    set_until(run);
    return check_amount(run, err);
}
