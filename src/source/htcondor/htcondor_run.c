/* SPDX-License-Identifier: MIT */
#include "base/limit.h"
#include "base/scan.h"
#include "base/zone.h"
#include "source/common/record_text.h"
#include "source/htcondor/htcondor_ad.h"

/*
 * From the attributes of an ad to a run; docs/sources/htcondor.md has the table.
 *
 * Hours. RemoteWallClockTime adds up all attempts of a job, those that were evicted too, and is
 * what the job had of the pool. The ad says when the last attempt began, not when the others
 * did. So a run ends when the job ended, and where its wall time is not that of the last
 * attempt it begins that much earlier: hours are right, and the time from submission to start
 * is what it did not run.
 */

#define CLOCK_SLACK_US (60 * SECOND_US)

enum {
    STATUS_IDLE = 1,
    STATUS_RUNNING = 2,
    STATUS_REMOVED = 3,
    STATUS_COMPLETED = 4,
    STATUS_HELD = 5,
    STATUS_TRANSFERRING = 6, /* its output */
    STATUS_SUSPENDED = 7,
    UNIVERSE_SCHEDULER = 7,
    UNIVERSE_PARALLEL = 11,
    UNIVERSE_LOCAL = 12,
};

/* What is known of one ad, on its way into the run. */
struct filling {
    const struct ad *ad;
    struct run *run;
    struct arena *arena;
    int64_t status; /* JobStatus; 0 if it does not say */
    int64_t universe;
    bool started;
};

/* --- which, whose ------------------------------------------------------------------------- */

/* "schedd#12.0#1700000000": what stands between the marks. */
static bool scan_global_id(struct str id, int64_t *cluster, int64_t *proc)
{
    (void)str_cut(&id, '#');
    struct str number = id.ptr ? str_cut(&id, '#') : id;
    struct str dotted = number;
    struct str first = number.ptr ? str_cut(&dotted, '.') : number;
    return dotted.ptr && scan_int(first, cluster) && scan_int(dotted, proc);
}

static bool fill_ids(const struct filling *f)
{
    const struct ad *ad = f->ad;
    struct str global = ad_text(ad, AD_GLOBAL_JOB_ID);
    int64_t cluster = 0;
    int64_t proc = 0;
    int64_t procs = 0;
    bool has_cluster = ad_int(ad, AD_CLUSTER_ID, &cluster);
    bool has_proc = ad_int(ad, AD_PROC_ID, &proc);
    if (!has_cluster && scan_global_id(global, &cluster, &proc)) {
        has_cluster = has_proc = true;
    }
    if (!has_cluster && scan_int(global, &cluster)) {
        global = (struct str){0};
        has_cluster = true;
    }
    if (has_cluster && cluster >= 0) {
        RUN_SET(f->run, job, cluster);
    }
    if (has_proc && proc >= 0) {
        RUN_SET(f->run, task, proc);
    }
    if (ad_int(ad, AD_TOTAL_SUBMIT_PROCS, &procs) && procs > 1 && has_cluster) {
        RUN_SET(f->run, array_job, cluster);
    }
    SOURCE_SET_TEXT(f->run, job_key, global);
    const char *mark = str_byte(global, '#');
    if (mark) {
        SOURCE_SET_TEXT(f->run, submit_host,
                        ((struct str){global.ptr, (size_t)(mark - global.ptr)}));
    }
    return RUN_HAS(f->run, job) || RUN_HAS(f->run, job_key);
}

/* The command with its arguments, if both are there and not too long. */
static struct str command_of(const struct filling *f)
{
    struct str command = ad_text(f->ad, AD_CMD);
    struct str arguments = ad_text(f->ad, AD_ARGS);
    if (arguments.len == 0) {
        arguments = ad_text(f->ad, AD_ARGUMENTS);
    }
    if (command.len == 0 || command.len > LIMIT_TEXT_FIELD) {
        return (struct str){0};
    }
    size_t size = command.len + 1 + arguments.len;
    if (arguments.len == 0 || size > LIMIT_TEXT_FIELD) {
        return command;
    }
    char *text = arena_alloc(f->arena, size);
    memcpy(text, command.ptr, command.len);
    text[command.len] = ' ';
    memcpy(text + command.len + 1, arguments.ptr, arguments.len);
    return (struct str){text, size};
}

static struct str universe_name(int64_t universe)
{
    static const char *const names[] = {
        [1] = "standard", [5] = "vanilla",   [7] = "scheduler", [8] = "mpi", [9] = "grid",
        [10] = "java",    [11] = "parallel", [12] = "local",    [13] = "vm",
    };
    bool known = universe > 0 && universe < (int64_t)COUNT_OF(names) && names[universe];
    return known ? str_of(names[universe]) : (struct str){0};
}

static void fill_texts(const struct filling *f)
{
    const struct ad *ad = f->ad;
    int64_t priority = 0;
    SOURCE_SET_TEXT(f->run, user, ad_text(ad, AD_OWNER));
    SOURCE_SET_TEXT(f->run, account, ad_text(ad, AD_ACCT_GROUP));
    SOURCE_SET_TEXT(f->run, project, ad_text(ad, AD_PROJECT_NAME));
    SOURCE_SET_TEXT(f->run, name, ad_text(ad, AD_JOB_BATCH_NAME));
    SOURCE_SET_TEXT(f->run, work_dir, ad_text(ad, AD_IWD));
    SOURCE_SET_TEXT(f->run, command, command_of(f));
    SOURCE_SET_TEXT(f->run, partition, universe_name(f->universe));
    if (ad_int(ad, AD_JOB_PRIO, &priority)) {
        RUN_SET(f->run, priority, priority);
    }
}

/* --- when --------------------------------------------------------------------------------- */

/* An instant of the ad; 0 means none. */
static bool time_of(const struct ad *ad, enum ad_attribute attribute, int64_t *out)
{
    return ad_micro(ad, attribute, out) && *out > 0 && *out < INSTANT_MAX;
}

static bool wall_of(const struct ad *ad, enum ad_attribute attribute, int64_t *out)
{
    return ad_micro(ad, attribute, out) && *out >= 0 && *out < INSTANT_MAX;
}

/* When the job left, or the attempt was over. */
static bool find_end(const struct filling *f, int64_t start, int64_t *end)
{
    const struct ad *ad = f->ad;
    int64_t wall = 0;
    if (ad->epoch) {
        return time_of(ad, AD_EPOCH_WRITE_DATE, end);
    }
    if (f->status != STATUS_REMOVED && time_of(ad, AD_COMPLETION_DATE, end)) {
        return true;
    }
    if (!time_of(ad, AD_ENTERED_CURRENT_STATUS, end) && !time_of(ad, AD_COMPLETION_DATE, end)) {
        return false;
    }
    /* Removed while held or idle: the last attempt had been over for a while. */
    bool known = wall_of(ad, AD_LAST_REMOTE_WALL_CLOCK_TIME, &wall) && wall > 0;
    if (start > 0 && f->status != STATUS_COMPLETED && known &&
        start + wall < *end - CLOCK_SLACK_US) {
        *end = start + wall;
    }
    return true;
}

static int64_t attempt_of(const struct ad *ad)
{
    uint64_t hash = str_hash(ad->values[AD_QDATE].text, 0);
    hash = str_hash(ad->values[AD_ENTERED_CURRENT_STATUS].text, hash);
    return -1 - (int64_t)(hash >> 2);
}

static void fill_times(struct filling *f)
{
    const struct ad *ad = f->ad;
    struct run *run = f->run;
    int64_t at = 0;
    int64_t end = 0;
    int64_t wall = 0;
    if (time_of(ad, AD_QDATE, &at)) {
        RUN_SET(run, submit, at);
    }
    int64_t start = 0;
    if (!time_of(ad, AD_JOB_CURRENT_START_DATE, &start) &&
        !time_of(ad, AD_JOB_START_DATE, &start)) {
        start = 0;
    }
    bool ended = find_end(f, start, &end);
    bool walled = !ad->epoch && wall_of(ad, AD_REMOTE_WALL_CLOCK_TIME, &wall);
    f->started = start > 0;
    RUN_SET(run, attempt, f->started ? start : attempt_of(ad));
    if (f->started && ended && walled && end > wall) {
        int64_t apart = end - start - wall;
        if (apart > CLOCK_SLACK_US || -apart > CLOCK_SLACK_US) {
            start = end - wall;
            run->flags |= RUN_FLAG_CLOCKS_DISAGREE;
        }
    }
    if (f->started) {
        RUN_SET(run, start, start);
    }
    if (ended) {
        RUN_SET(run, end, end);
    }
    if (wall_of(ad, AD_CUMULATIVE_SUSPENSION_TIME, &at) && f->started) {
        RUN_SET(run, suspended_us, at);
    }
}

/* --- what it asked for and got ------------------------------------------------------------ */

static bool count_of(const struct ad *ad, enum ad_attribute attribute, int64_t *out)
{
    return ad_int(ad, attribute, out) && *out >= 0;
}

/* A size in bytes, of an attribute in `unit`. */
static bool size_of(const struct ad *ad, enum ad_attribute attribute, int64_t unit,
                    int64_t *out)
{
    return count_of(ad, attribute, out) && !__builtin_mul_overflow(*out, unit, out);
}

/*
 * How many slots a job has: those of the parallel universe have several, and their ads say of
 * each what it is.
 */
static int64_t slots_of(const struct filling *f)
{
    int64_t hosts = 0;
    return f->universe == UNIVERSE_PARALLEL && count_of(f->ad, AD_MIN_HOSTS, &hosts) &&
                   hosts > 1
               ? hosts
               : 1;
}

/* An attribute for all slots. */
static bool total_of(const struct filling *f, enum ad_attribute attribute, int64_t unit,
                     int64_t *out)
{
    return size_of(f->ad, attribute, unit, out) &&
           !__builtin_mul_overflow(*out, slots_of(f), out);
}

/* Cpus given; those asked for where the ad does not say, as in old versions. */
static bool given_cpus(const struct filling *f, int64_t *cpus)
{
    if (f->universe == UNIVERSE_SCHEDULER || f->universe == UNIVERSE_LOCAL) {
        *cpus = 0; /* it ran beside the schedd and had no slot */
        return true;
    }
    return total_of(f, AD_CPUS_PROVISIONED, 1, cpus) || total_of(f, AD_MACHINE_CPUS, 1, cpus) ||
           total_of(f, AD_REQUEST_CPUS, 1, cpus);
}

static void fill_given(const struct filling *f)
{
    struct run *run = f->run;
    int64_t value = 0;
    if (given_cpus(f, &value)) {
        RUN_SET(run, cpus, value);
    }
    if (total_of(f, AD_MEMORY_PROVISIONED, INT64_C(1) << 20, &value)) {
        RUN_SET(run, mem_bytes, value);
    }
    if (total_of(f, AD_DISK_PROVISIONED, 1024, &value)) {
        RUN_SET(run, disk_bytes, value);
    }
    if (total_of(f, AD_GPUS_PROVISIONED, 1, &value) ||
        total_of(f, AD_REQUEST_GPUS, 1, &value)) {
        RUN_SET(run, gpus, value);
    }
    SOURCE_SET_TEXT(run, gpu_type, ad_text(f->ad, AD_CUDA_NAME));
    SOURCE_SET_TEXT(run, gpu_type, ad_text(f->ad, AD_GPU_NAME));
    struct str host = ad_text(f->ad, AD_REMOTE_HOST);
    if (host.len == 0) {
        host = ad_text(f->ad, AD_LAST_REMOTE_HOST);
    }
    struct str node = host;
    (void)str_cut(&node, '@'); /* slot1_3@node7 */
    node = node.ptr ? node : host;
    SOURCE_SET_TEXT(run, node, node);
    if (f->universe == UNIVERSE_PARALLEL) {
        if (count_of(f->ad, AD_MIN_HOSTS, &value)) {
            RUN_SET(run, node_count, value);
        }
    } else if (node.len > 0) {
        RUN_SET(run, nodes, node);
        RUN_SET(run, node_count, 1);
    }
}

static void fill_request(const struct filling *f)
{
    static const enum ad_attribute limits[] = {AD_ALLOWED_EXECUTE_DURATION,
                                               AD_ALLOWED_JOB_DURATION, AD_REQUEST_WALLTIME};
    struct run *run = f->run;
    int64_t value = 0;
    if (total_of(f, AD_REQUEST_CPUS, 1, &value)) {
        RUN_SET(run, req_cpus, value);
    }
    if (total_of(f, AD_REQUEST_MEMORY, INT64_C(1) << 20, &value)) {
        RUN_SET(run, req_mem_bytes, value);
    }
    if (total_of(f, AD_REQUEST_GPUS, 1, &value)) {
        RUN_SET(run, req_gpus, value);
    }
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        if (wall_of(f->ad, limits[i], &value) && value > 0) {
            RUN_SET(run, req_wall_us, value);
            break;
        }
    }
}

/* --- what it used ------------------------------------------------------------------------- */

/* Of a job, what all attempts used; of an attempt, its own. */
static bool cpu_of(const struct ad *ad, enum ad_attribute all, enum ad_attribute last,
                   int64_t *out)
{
    int64_t cumulative = 0;
    bool has_last = wall_of(ad, last, out);
    if (!ad->epoch && wall_of(ad, all, &cumulative) && (!has_last || cumulative > *out)) {
        *out = cumulative;
        return true;
    }
    return has_last;
}

static bool sum_of(const struct ad *ad, enum ad_attribute a, enum ad_attribute b, int64_t unit,
                   int64_t *out)
{
    int64_t other = 0;
    return size_of(ad, a, unit, out) && size_of(ad, b, unit, &other) &&
           !__builtin_add_overflow(*out, other, out);
}

static void fill_use(const struct filling *f)
{
    struct run *run = f->run;
    int64_t user = 0;
    int64_t system = 0;
    int64_t value = 0;
    bool has_user = cpu_of(f->ad, AD_CUMULATIVE_USER_CPU, AD_REMOTE_USER_CPU, &user);
    bool has_system = cpu_of(f->ad, AD_CUMULATIVE_SYS_CPU, AD_REMOTE_SYS_CPU, &system);
    if (has_user) {
        RUN_SET(run, cpu_user_us, user);
    }
    if (has_system) {
        RUN_SET(run, cpu_system_us, system);
    }
    if (has_user && has_system) {
        RUN_SET(run, cpu_used_us, user + system);
    }
    if (sum_of(f->ad, AD_BLOCK_READ_KBYTES, AD_BLOCK_WRITE_KBYTES, 1024, &value)) {
        RUN_SET(run, io_bytes, value);
    }
    if (sum_of(f->ad, AD_BLOCK_READS, AD_BLOCK_WRITES, 1, &value)) {
        RUN_SET(run, io_ops, value);
    }
}

static void fill_peaks(const struct filling *f)
{
    struct run *run = f->run;
    int64_t bytes = 0;
    if ((size_of(f->ad, AD_RESIDENT_SET_SIZE_RAW, 1024, &bytes) ||
         size_of(f->ad, AD_RESIDENT_SET_SIZE, 1024, &bytes) ||
         size_of(f->ad, AD_MEMORY_USAGE, INT64_C(1) << 20, &bytes)) &&
        bytes > 0) {
        RUN_SET(run, mem_peak_bytes, bytes);
        RUN_SET(run, mem_basis, STR("job-rss"));
    }
    if ((size_of(f->ad, AD_IMAGE_SIZE_RAW, 1024, &bytes) ||
         size_of(f->ad, AD_IMAGE_SIZE, 1024, &bytes)) &&
        bytes > 0) {
        RUN_SET(run, vmem_peak_bytes, bytes);
    }
}

/* --- how it went -------------------------------------------------------------------------- */

/* Codes of a hold that say which limit was passed. */
static enum run_class held_class(const struct ad *ad, enum run_class otherwise)
{
    int64_t code = 0;
    if (!ad_int(ad, AD_HOLD_REASON_CODE, &code) &&
        !ad_int(ad, AD_LAST_HOLD_REASON_CODE, &code)) {
        return otherwise;
    }
    return code == 34 ? CLASS_OOM : code == 46 || code == 47 ? CLASS_TIMEOUT : otherwise;
}

static enum run_class class_of(const struct filling *f)
{
    bool failed = (RUN_HAS(f->run, exit_code) && f->run->exit_code != 0) ||
                  f->ad->values[AD_EXIT_BY_SIGNAL].kind == AD_TRUE;
    switch (f->status) {
    case STATUS_COMPLETED:
        return failed ? CLASS_FAILED : CLASS_COMPLETED;
    case STATUS_REMOVED:
        return held_class(f->ad, CLASS_CANCELLED);
    case STATUS_HELD:
        return held_class(f->ad, CLASS_FAILED);
    default:
        if (!f->ad->epoch) { /* APEL's lines are of completed jobs, and do not say so */
            return f->status == 0 ? CLASS_COMPLETED : CLASS_OTHER;
        }
        /* An attempt that ended by itself has an exit, whatever the job's status is by then. */
        return RUN_HAS(f->run, exit_code) || RUN_HAS(f->run, signal)
                   ? (failed ? CLASS_FAILED : CLASS_COMPLETED)
                   : CLASS_REQUEUED;
    }
}

static void fill_state(const struct filling *f)
{
    static const char *const states[] = {
        "",          "idle", "running", "removed", "completed", "held", "transferring_output",
        "suspended",
    };
    struct run *run = f->run;
    int64_t value = 0;
    bool signalled = f->ad->values[AD_EXIT_BY_SIGNAL].kind == AD_TRUE;
    if (signalled && ad_int(f->ad, AD_EXIT_SIGNAL, &value) && value > 0) {
        RUN_SET(run, signal, value);
    } else if (!signalled && f->status != STATUS_REMOVED &&
               ad_int(f->ad, AD_EXIT_CODE, &value)) {
        RUN_SET(run, exit_code, value);
    }
    if (f->status > 0 && f->status < (int64_t)COUNT_OF(states)) {
        RUN_SET(run, state, str_of(states[f->status]));
    } else {
        SOURCE_SET_TEXT(run, state, f->ad->values[AD_JOB_STATUS].text);
    }
    RUN_SET(run, class, run_class_name(class_of(f)));
    SOURCE_SET_TEXT(run, reason, ad_text(f->ad, AD_VACATE_REASON));
    if (f->status == STATUS_REMOVED) {
        SOURCE_SET_TEXT(run, reason, ad_text(f->ad, AD_REMOVE_REASON));
    }
}

/*
 * Whether the ad is condor_q's: in a history jobs have left the queue, and attempts are over
 * whatever it says of their job.
 */
static bool is_queued(const struct filling *f)
{
    return !f->ad->epoch && (f->status == STATUS_IDLE || f->status == STATUS_RUNNING ||
                             f->status == STATUS_TRANSFERRING || f->status == STATUS_SUSPENDED);
}

/*
 * A job that waits is the same run as long as it waits, held or not; one that runs is its
 * attempt, as in the epochs.
 */
static void fill_listed_times(struct filling *f)
{
    struct run *run = f->run;
    int64_t at = 0;
    if (time_of(f->ad, AD_QDATE, &at)) {
        RUN_SET(run, submit, at);
    }
    const bool runs = f->status == STATUS_RUNNING || f->status == STATUS_TRANSFERRING ||
                      f->status == STATUS_SUSPENDED;
    f->started = runs && (time_of(f->ad, AD_JOB_CURRENT_START_DATE, &at) ||
                          time_of(f->ad, AD_JOB_START_DATE, &at));
    if (f->started) {
        RUN_SET(run, start, at);
        RUN_SET(run, attempt, at);
    } else {
        const uint64_t hash = str_hash(f->ad->values[AD_QDATE].text, 0);
        RUN_SET(run, attempt, -1 - (int64_t)(hash >> 2));
    }
}

static void fill_listed_state(const struct filling *f)
{
    static const char *const states[] = {
        [STATUS_IDLE] = "idle",           [STATUS_RUNNING] = "running",
        [STATUS_HELD] = "held",           [STATUS_TRANSFERRING] = "transferring_output",
        [STATUS_SUSPENDED] = "suspended",
    };
    const enum run_class class = !f->started                     ? CLASS_PENDING
                                 : f->status == STATUS_SUSPENDED ? CLASS_SUSPENDED
                                                                 : CLASS_RUNNING;
    RUN_SET(f->run, state, str_of(states[f->status]));
    RUN_SET(f->run, class, run_class_name(class));
    if (f->status == STATUS_HELD) {
        const struct str reason = ad_text(f->ad, AD_HOLD_REASON);
        RUN_SET(f->run, reason, reason.len > 0 ? reason : STR("hold"));
    }
}

bool ad_run_listed(const struct ad *ad, struct arena *arena, bool *is_open, struct run *run,
                   struct error *err)
{
    struct filling f = {.ad = ad, .run = run, .arena = arena};
    RUN_SET(run, flags, 0);
    (void)ad_int(ad, AD_JOB_UNIVERSE, &f.universe);
    if (!fill_ids(&f)) {
        error_set(err, ERROR_INPUT, "is an ad without ClusterId or GlobalJobId");
        return false;
    }
    if (!ad_int(ad, AD_JOB_STATUS, &f.status) || f.status < STATUS_IDLE ||
        f.status > STATUS_SUSPENDED) {
        error_set(err, ERROR_INPUT, "is an ad without a JobStatus that is known");
        return false;
    }
    *is_open = f.status != STATUS_REMOVED && f.status != STATUS_COMPLETED;
    if (!*is_open) {
        return true;
    }
    fill_texts(&f);
    fill_listed_times(&f);
    fill_request(&f);
    if (f.started) {
        fill_given(&f);
    }
    fill_listed_state(&f);
    return true;
}

bool ad_run_fill(const struct ad *ad, struct arena *arena, struct run *run, struct error *err)
{
    struct filling f = {.ad = ad, .run = run, .arena = arena};
    RUN_SET(run, flags, 0);
    (void)ad_int(ad, AD_JOB_STATUS, &f.status);
    (void)ad_int(ad, AD_JOB_UNIVERSE, &f.universe);
    if (!fill_ids(&f)) {
        error_set(err, ERROR_INPUT, "is an ad without ClusterId or GlobalJobId");
        return false;
    }
    if (is_queued(&f)) {
        error_set(err, ERROR_INPUT,
                  "is of a job that is still in the queue; import what condor_history prints");
        return false;
    }
    fill_texts(&f);
    fill_times(&f);
    fill_request(&f);
    fill_use(&f);
    fill_peaks(&f);
    if (f.started) {
        fill_given(&f);
    }
    fill_state(&f);
    return true;
}
