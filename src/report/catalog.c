/* SPDX-License-Identifier: MIT */
#include "report/catalog.h"

#include "base/zone.h"

/* A derived column is a field without a member: X(derived, id, type, unit, label, doc) */
#define DERIVED_FIELDS(X)                                                                      \
    X(ID, "id", TEXT, NONE, "Id", "job and array task, as stint job takes it: 4711, 4711.3")   \
    X(RUN_ID, "run_id", TEXT, NONE, "Run",                                                     \
      "permanent unique id of the run: cluster:job.task@attempt")                              \
    X(WALL, "wall", INT, SECONDS, "Wall", "time from start to end")                            \
    X(WAIT, "wait", INT, SECONDS, "Wait", "time from submission to start")                     \
    X(CPU_HOURS, "cpu_hours", INT, HOURS, "CPU hours",                                         \
      "allocated cpus x time from start to end, without suspension")                           \
    X(CPU_EFFICIENCY, "cpu_efficiency", INT, RATIO, "CPU eff",                                 \
      "cpu time used / cpu time allocated")                                                    \
    X(MEM_EFFICIENCY, "mem_efficiency", INT, RATIO, "Mem eff",                                 \
      "peak memory / memory allocated, or else requested")                                     \
    X(GPU_EFFICIENCY, "gpu_efficiency", INT, RATIO, "GPU eff",                                 \
      "GPU time used / GPU time allocated")                                                    \
    X(TIME_EFFICIENCY, "time_efficiency", INT, RATIO, "Time eff",                              \
      "time from start to end / time limit")                                                   \
    X(CPU_BASIS, "cpu_basis", TEXT, NONE, "CPU basis",                                         \
      "what cpu_used is based on: scheduler, cgroup, processes")                               \
    X(GPU_BASIS, "gpu_basis", TEXT, NONE, "GPU basis",                                         \
      "what gpu_used is based on: scheduler, GPU")                                             \
    X(IO_BASIS, "io_basis", TEXT, NONE, "I/O basis",                                           \
      "what io, io_read and io_written are based on: scheduler, cgroup (block devices only), " \
      "processes")                                                                             \
    X(ENERGY_BASIS, "energy_basis", TEXT, NONE, "Energy basis",                                \
      "what energy is based on: scheduler, sampled")                                           \
    X(IO_READ, "io_read", INT, BYTES, "Read", "bytes read, by samples")                        \
    X(IO_WRITTEN, "io_written", INT, BYTES, "Written", "bytes written, by samples")            \
    X(CPU_SAMPLED, "cpu_sampled", INT, RATIO, "CPU sampled",                                   \
      "share of its node time in which samples have its cpu time")                             \
    X(MEM_SAMPLED, "mem_sampled", INT, RATIO, "Mem sampled",                                   \
      "share of its node time in which samples have its memory")                               \
    X(GPU_SAMPLED, "gpu_sampled", INT, RATIO, "GPU sampled",                                   \
      "share of the time of its GPUs in which samples have their use")                         \
    X(IO_SAMPLED, "io_sampled", INT, RATIO, "I/O sampled",                                     \
      "share of its node time in which samples have its I/O")                                  \
    X(ENERGY_SAMPLED, "energy_sampled", INT, RATIO, "Energy sampled",                          \
      "share of the time of its nodes and GPUs in which samples have their energy")

/*
 * A derived dimension: X(derived, id, type, label, doc, fold, names, joined). Its numbers sort
 * as they should. Those that are joined are columns that runs have only as runs_source.h gives
 * them.
 */
#define DERIVED_DIMENSIONS(X)                                                                  \
    X(METAGROUP, "metagroup", TEXT, "Metagroup",                                               \
      "metagroup of the user, account or group, see stint metagroup", NONE, NULL, MOVES)       \
    X(METAGROUP_TOP, "metagroup_top", TEXT, "Top metagroup",                                   \
      "outermost metagroup that contains it", NONE, NULL, MOVES)                               \
    X(PERSON, "person", TEXT, "Person",                                                        \
      "person the login belongs to, see stint people; the login itself if none is defined",    \
      NONE, NULL, PEOPLE)                                                                      \
    X(SIZE, "size", INT, "Size", "number of cpus: 1, 2-3, 4-7, 8-15 and so on", NONE,          \
      size_names, NOT)                                                                         \
    X(SHAPE, "shape", INT, "Shape", "serial, parallel on one node, parallel on several", NONE, \
      shape_names, NOT)                                                                        \
    X(WEEKDAY, "weekday", INT, "Weekday",                                                      \
      "day of the week; a run counts on each day that it overlaps", WEEKDAY, weekday_names,    \
      NOT)                                                                                     \
    X(HOUR_OF_DAY, "hour_of_day", INT, "Hour",                                                 \
      "hour of the day; a run counts in each hour that it overlaps", HOUR, NULL, NOT)

static const char *const size_names[] = {
    "1",       "2-3",      "4-7",          "8-15",     "16-31",   "32-63",
    "64-127",  "128-255",  "256-511",      "512-1023", "1k-2047", "2k-4095",
    "4k-8191", "8k-16383", "16k and more", NULL,
};
static const char *const shape_names[] = {"serial", "one node", "several nodes",
                                          "parallel, nodes unknown", NULL};
static const char *const weekday_names[] = {"Mon", "Tue", "Wed", "Thu",
                                            "Fri", "Sat", "Sun", NULL};

const struct field derived_fields[] = {
#define X(derived, id_, type_, unit_, label_, doc_)                                            \
    {.id = id_, .label = label_, .doc = doc_, .type = FIELD_##type_, .unit = UNIT_##unit_},
    DERIVED_FIELDS(X)
#undef X
};

const size_t derived_field_count = COUNT_OF(derived_fields);

/* Places in the table below. */
enum {

#define X(derived, id_, type_, label_, doc_, fold_, names_, joined_) derived,
    DERIVED_DIMENSIONS(X)
#undef X
};

static const struct field derived_dimensions[] = {
#define X(derived, id_, type_, label_, doc_, fold_, names_, joined_)                           \
    {.id = id_, .label = label_, .doc = doc_, .type = FIELD_##type_, .unit = UNIT_NONE},
    DERIVED_DIMENSIONS(X)
#undef X
};

static const struct {
    enum derived derived;
    enum fold fold;
    const char *const *names;
    enum joined joined;
} derived_dimension_rows[] = {

#define X(derived, id_, type_, label_, doc_, fold_, names_, joined_)                           \
    {DERIVED_##derived, FOLD_##fold_, names_, JOINED_##joined_},
    DERIVED_DIMENSIONS(X)
#undef X
};

/* --- measures ----------------------------------------------------------------------------- */

#define COUNT_ROW(id_, label_, doc_, kind_, detail_)                                           \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_COUNT, .kind = kind_,            \
        .aggregate = AGGREGATE_RUNS, .additive = true, .detail = detail_                       \
    }
#define TASKS_ROW(id_, label_, doc_, kind_, detail_)                                           \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_COUNT, .kind = kind_,            \
        .aggregate = AGGREGATE_TASKS, .additive = true, .detail = detail_                      \
    }
#define CLASS_ROW(id_, label_, doc_, class_, detail_)                                          \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_COUNT, .kind = MEASURE_AT_END,   \
        .aggregate = AGGREGATE_CLASS, .class = CLASS_##class_, .additive = true,               \
        .detail = detail_                                                                      \
    }
/* An amount that belongs to the time of runs: a rate x time, or what they used. */
#define AMOUNT_ROW(id_, label_, doc_, unit_, kind_, quantity_, detail_)                        \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = unit_, .kind = kind_,                 \
        .quantity = QUANTITY_##quantity_, .additive = true, .detail = detail_                  \
    }
#define PAUSED_ROW(id_, label_, doc_, quantity_, detail_)                                      \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_HOURS, .kind = MEASURE_OVERLAP,  \
        .quantity = QUANTITY_##quantity_, .additive = true, .pauses = true, .detail = detail_  \
    }
#define SUM_ROW(id_, label_, doc_, quantity_, detail_)                                         \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_HOURS, .kind = MEASURE_AT_START, \
        .quantity = QUANTITY_##quantity_, .aggregate = AGGREGATE_SUM, .additive = true,        \
        .detail = detail_                                                                      \
    }
#define VALUE_ROW(id_, label_, doc_, unit_, kind_, aggregate_, quantity_, detail_)             \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = unit_, .kind = kind_,                 \
        .quantity = QUANTITY_##quantity_, .aggregate = AGGREGATE_##aggregate_,                 \
        .real = AGGREGATE_##aggregate_ == AGGREGATE_MEAN, .detail = detail_                    \
    }
#define QUANTILE_ROW(id_, label_, doc_, kind_, percent_, quantity_, detail_)                   \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_SECONDS, .kind = kind_,          \
        .quantity = QUANTITY_##quantity_, .aggregate = AGGREGATE_QUANTILE,                     \
        .percent = percent_, .detail = detail_                                                 \
    }
#define DISTINCT_ROW(id_, label_, doc_, value_, detail_)                                       \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_COUNT, .kind = MEASURE_DISTINCT, \
        .value = value_, .detail = detail_                                                     \
    }
#define SHARE_ROW(id_, label_, doc_, aggregate_, quantity_, whole_, detail_)                   \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_RATIO, .kind = MEASURE_AT_END,   \
        .quantity = QUANTITY_##quantity_, .aggregate = AGGREGATE_##aggregate_,                 \
        .whole = QUANTITY_##whole_, .real = true, .detail = detail_                            \
    }
#define PER_ROW(id_, label_, doc_, unit_, quantity_, per_, detail_)                            \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = unit_, .kind = MEASURE_OVERLAP,       \
        .quantity = QUANTITY_##quantity_, .per = per_, .real = true,                           \
        .pauses = (per_) != PER_GPUS, .detail = detail_                                        \
    }

#define SIZE_ROW(id_, label_, doc_, per_, part_)                                               \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_HOURS, .kind = MEASURE_SIZE,     \
        .per = per_, .part = part_, .additive = true, .detail = "cluster"                      \
    }
#define LEFT_ROW(id_, label_, doc_, quantity_, per_)                                           \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_HOURS, .kind = MEASURE_OVERLAP,  \
        .quantity = QUANTITY_##quantity_, .per = per_, .part = SIZE_LEFT, .additive = true,    \
        .pauses = (per_) != PER_GPUS, .detail = "cluster"                                      \
    }

const struct measure measures[] = {
    /* how many */
    COUNT_ROW("jobs", "Jobs", "runs that ended in the period after having started",
              MEASURE_AT_END, "user"),
    TASKS_ROW("jobs_submitted", "Submitted",
              "runs that were submitted in the period, of arrays each task", MEASURE_AT_SUBMIT,
              "user"),
    COUNT_ROW("jobs_started", "Started", "runs that started in the period", MEASURE_AT_START,
              "partition"),
    {
        .id = "jobs_active",
        .label = "Active",
        .doc = "runs that overlapped the period; one of zero length overlaps the moment it ran",
        .unit = UNIT_COUNT,
        .kind = MEASURE_ACTIVE,
        .detail = "user",
    },
    TASKS_ROW("jobs_never_started", "Never started",
              "runs that were cancelled in the period before they started, of arrays each task",
              MEASURE_AT_WITHDRAWAL, "partition"),
    CLASS_ROW("jobs_completed", "Completed", "jobs whose class is completed", COMPLETED,
              "user"),
    CLASS_ROW("jobs_failed", "Failed", "jobs that ended with an error", FAILED, "user"),
    CLASS_ROW("jobs_cancelled", "Cancelled", "jobs that were cancelled while they ran",
              CANCELLED, "user"),
    CLASS_ROW("jobs_timeout", "Timeout", "jobs that reached their time limit", TIMEOUT,
              "partition"),
    CLASS_ROW("jobs_oom", "Out of mem", "jobs that ran out of memory", OOM, "user"),
    CLASS_ROW("jobs_node_fail", "Node fail", "jobs that ended because a node failed", NODE_FAIL,
              "node"),
    CLASS_ROW("jobs_requeued", "Requeued", "runs that were stopped to be run again", REQUEUED,
              "partition"),
    {
        .id = "success_rate",
        .label = "Success",
        .doc = "jobs_completed / jobs",
        .unit = UNIT_RATIO,
        .kind = MEASURE_AT_END,
        .aggregate = AGGREGATE_RATE,
        .class = CLASS_COMPLETED,
        .real = true,
        .detail = "user",
    },
    /* how much was allotted */
    PAUSED_ROW(
        "cpu_hours", "CPU hours",
        "allocated cpus x time within the period, without suspension; runs without an end "
        "count up to when they were last seen",
        CPUS, "user"),
    AMOUNT_ROW("gpu_hours", "GPU hours", "allocated GPUs x time within the period", UNIT_HOURS,
               MEASURE_OVERLAP, GPUS, "user"),
    AMOUNT_ROW("node_hours", "Node hours", "number of nodes x time within the period",
               UNIT_HOURS, MEASURE_OVERLAP, NODES, "user"),
    PAUSED_ROW("wall_hours", "Wall hours",
               "run time within the period, without suspension, regardless of size", ONE,
               "user"),
    AMOUNT_ROW("mem_gib_hours", "Memory GiB h", "allocated memory x time within the period",
               UNIT_GIB_HOURS, MEASURE_OVERLAP, MEMORY, "user"),
    AMOUNT_ROW("disk_gib_hours", "Disk GiB h", "allocated local disk x time within the period",
               UNIT_GIB_HOURS, MEASURE_OVERLAP, DISK, "user"),
    AMOUNT_ROW("billing_hours", "Billing h",
               "billing units of the scheduler x time within the period", UNIT_HOURS,
               MEASURE_OVERLAP, BILLING, "account"),
    /* how much was used */
    AMOUNT_ROW(
        "cpu_used_hours", "CPU used h",
        "cpu time used; a run that lies partly within the period counts in proportion to time",
        UNIT_HOURS, MEASURE_USED, CPU_USED, "user"),
    AMOUNT_ROW("cpu_user_hours", "CPU user h", "cpu time in user mode, likewise", UNIT_HOURS,
               MEASURE_USED, CPU_USER, "user"),
    AMOUNT_ROW("cpu_system_hours", "CPU system h", "cpu time in system mode, likewise",
               UNIT_HOURS, MEASURE_USED, CPU_SYSTEM, "user"),
    AMOUNT_ROW("gpu_used_hours", "GPU used h", "GPU time used, likewise", UNIT_HOURS,
               MEASURE_USED, GPU_USED, "user"),
    AMOUNT_ROW("energy", "Energy", "energy used, likewise", UNIT_MILLIJOULES, MEASURE_USED,
               ENERGY, "user"),
    /* what it costs */
    AMOUNT_ROW(
        "su", "SU",
        "price of runs by the current rates (stint rate), in proportion to time within the "
        "period",
        UNIT_SU, MEASURE_USED, SU, "account"),
    AMOUNT_ROW("cost", "Cost",
               "the same in a currency, by the rates that have one, else by the price of an SU",
               UNIT_MONEY, MEASURE_USED, COST, "account"),
    /* waiting */
    SUM_ROW("wait_hours", "Wait hours",
            "time from submission to start of the runs that started in the period", WAIT,
            "partition"),
    VALUE_ROW("wait_avg", "Wait mean", "mean wait of the runs that started in the period",
              UNIT_SECONDS, MEASURE_AT_START, MEAN, WAIT, "partition"),
    QUANTILE_ROW("wait_median", "Wait median",
                 "median wait of the runs that started in the period", MEASURE_AT_START, 50,
                 WAIT, "partition"),
    QUANTILE_ROW("wait_p90", "Wait p90", "90th percentile of the wait of these runs",
                 MEASURE_AT_START, 90, WAIT, "partition"),
    QUANTILE_ROW("wait_p99", "Wait p99", "99th percentile of the wait of these runs",
                 MEASURE_AT_START, 99, WAIT, "partition"),
    VALUE_ROW("wait_max", "Wait max", "longest wait of these runs", UNIT_SECONDS,
              MEASURE_AT_START, MAX, WAIT, "partition"),
    SUM_ROW("wait_eligible_hours", "Eligible h",
            "time from when a run could have started to its start", WAIT_ELIGIBLE, "partition"),
    VALUE_ROW("wait_eligible_avg", "Eligible mean", "mean of that time", UNIT_SECONDS,
              MEASURE_AT_START, MEAN, WAIT_ELIGIBLE, "partition"),
    QUANTILE_ROW("wait_eligible_median", "Eligible median", "median of that time",
                 MEASURE_AT_START, 50, WAIT_ELIGIBLE, "partition"),
    QUANTILE_ROW("wait_eligible_p90", "Eligible p90", "90th percentile of that time",
                 MEASURE_AT_START, 90, WAIT_ELIGIBLE, "partition"),
    QUANTILE_ROW("wait_eligible_p99", "Eligible p99", "99th percentile of that time",
                 MEASURE_AT_START, 99, WAIT_ELIGIBLE, "partition"),
    VALUE_ROW("wait_eligible_max", "Eligible max", "longest of that time", UNIT_SECONDS,
              MEASURE_AT_START, MAX, WAIT_ELIGIBLE, "partition"),
    /* running */
    VALUE_ROW("wall_min", "Wall min", "shortest run time of jobs, without suspension",
              UNIT_SECONDS, MEASURE_AT_END, MIN, WALL, "partition"),
    VALUE_ROW("wall_max", "Wall max", "longest run time", UNIT_SECONDS, MEASURE_AT_END, MAX,
              WALL, "partition"),
    VALUE_ROW("wall_avg", "Wall mean", "mean run time", UNIT_SECONDS, MEASURE_AT_END, MEAN,
              WALL, "partition"),
    QUANTILE_ROW("wall_median", "Wall median", "median run time", MEASURE_AT_END, 50, WALL,
                 "partition"),
    VALUE_ROW("mem_peak_avg", "Peak mem mean", "mean peak memory of jobs", UNIT_BYTES,
              MEASURE_AT_END, MEAN, MEMORY_PEAK, "user"),
    VALUE_ROW("mem_peak_max", "Peak mem max", "largest peak memory of a job", UNIT_BYTES,
              MEASURE_AT_END, MAX, MEMORY_PEAK, "user"),
    {
        .id = "cpus_avg",
        .label = "CPUs mean",
        .doc = "mean number of cpus of the jobs",
        .unit = UNIT_COUNT,
        .kind = MEASURE_AT_END,
        .quantity = QUANTITY_CPUS,
        .aggregate = AGGREGATE_MEAN,
        .real = true,
        .detail = "user",
    },
    VALUE_ROW("cpus_max", "CPUs max", "largest number of cpus of a job", UNIT_COUNT,
              MEASURE_AT_END, MAX, CPUS, "user"),
    VALUE_ROW("cpus_min", "CPUs min", "smallest number of cpus of a job", UNIT_COUNT,
              MEASURE_AT_END, MIN, CPUS, "user"),
    /* how well */
    SHARE_ROW("cpu_efficiency", "CPU eff",
              "cpu time used / cpu time allocated, for jobs with both recorded", SHARE,
              CPU_USED, CPU_TIME, "user"),
    SHARE_ROW("cpu_coverage", "CPU known",
              "share of the allocated cpu time for which cpu use is recorded (coverage of "
              "cpu_efficiency)",
              KNOWN, CPU_USED, CPU_TIME, "cluster"),
    SHARE_ROW("mem_efficiency", "Mem eff",
              "peak memory / memory allocated, or else requested, for jobs with both recorded",
              SHARE, MEMORY_WHOLE, MEMORY_ASKED, "user"),
    SHARE_ROW("mem_coverage", "Mem known",
              "share of that memory for which peak use is recorded", KNOWN, MEMORY_WHOLE,
              MEMORY_ASKED, "cluster"),
    SHARE_ROW("gpu_efficiency", "GPU eff",
              "GPU time used / GPU time allocated, for jobs with both recorded", SHARE,
              GPU_USED, GPU_TIME, "user"),
    SHARE_ROW("gpu_coverage", "GPU known",
              "share of the allocated GPU time for which GPU use is recorded", KNOWN, GPU_USED,
              GPU_TIME, "cluster"),
    SHARE_ROW("time_efficiency", "Time eff",
              "run time / time limit, for jobs with a time limit", SHARE, WALL, TIME_LIMIT,
              "user"),
    SHARE_ROW("time_coverage", "Limit known", "share of the run time that had a time limit",
              KNOWN, TIME_LIMIT, WALL, "partition"),
    SHARE_ROW("system_ratio", "System",
              "cpu time in system mode / total of user and system mode", SHARE, CPU_SYSTEM,
              CPU_BOTH, "user"),
    /* how many different */
    DISTINCT_ROW("users", "Users",
                 "distinct users with a run that overlapped the period; must not be summed",
                 &run_fields[RUN_user], "user"),
    DISTINCT_ROW("people", "People",
                 "distinct people these users belong to (stint people), likewise",
                 &derived_dimensions[PERSON], "person"),
    DISTINCT_ROW("accounts", "Accounts", "distinct accounts, likewise",
                 &run_fields[RUN_account], "account"),
    DISTINCT_ROW("nodes", "Nodes", "distinct nodes that runs were on, likewise",
                 &run_fields[RUN_node], "partition"),
    /* at once */
    PER_ROW("utilization", "Utilization",
            "allocated cpu time / cpu capacity of the clusters over the period", UNIT_RATIO,
            CPUS, PER_CPUS, "cluster"),
    PER_ROW("gpu_utilization", "GPU util",
            "allocated GPU time / GPU capacity of the clusters, likewise", UNIT_RATIO, GPUS,
            PER_GPUS, "cluster"),
    SIZE_ROW("cpu_hours_capacity", "Capacity h",
             "cpus of the clusters x time, from stint capacity, else from their nodes",
             PER_CPUS, SIZE_ALL),
    SIZE_ROW("cpu_hours_down", "Down h", "of these, on nodes that were down or failed",
             PER_CPUS, SIZE_DOWN),
    SIZE_ROW("cpu_hours_planned", "Planned down h",
             "of these, on nodes that were drained or under maintenance", PER_CPUS,
             SIZE_PLANNED),
    SIZE_ROW("cpu_hours_reserved", "Reserved h",
             "of these, on nodes held by a reservation and not in use", PER_CPUS,
             SIZE_RESERVED),
    SIZE_ROW("cpu_hours_unknown", "Unknown h", "of these, on nodes whose state is unknown",
             PER_CPUS, SIZE_UNKNOWN),
    LEFT_ROW("cpu_hours_idle", "Idle CPU h",
             "the rest of these after subtracting cpu_hours; negative if more was allocated",
             CPUS, PER_CPUS),
    SIZE_ROW("gpu_hours_capacity", "GPU capacity h", "GPUs of the clusters x time, likewise",
             PER_GPUS, SIZE_ALL),
    SIZE_ROW("gpu_hours_down", "GPU down h", "of these, on nodes that were down or failed",
             PER_GPUS, SIZE_DOWN),
    SIZE_ROW("gpu_hours_planned", "GPU planned h",
             "of these, on nodes that were drained or under maintenance", PER_GPUS,
             SIZE_PLANNED),
    SIZE_ROW("gpu_hours_reserved", "GPU reserved h",
             "of these, on nodes held by a reservation and not in use", PER_GPUS,
             SIZE_RESERVED),
    SIZE_ROW("gpu_hours_unknown", "GPU unknown h", "of these, on nodes whose state is unknown",
             PER_GPUS, SIZE_UNKNOWN),
    LEFT_ROW("gpu_hours_idle", "Idle GPU h",
             "the rest of these after subtracting gpu_hours; negative if more was allocated",
             GPUS, PER_GPUS),
    PER_ROW("running_avg", "Running mean", "mean number of runs at the same time", UNIT_COUNT,
            ONE, PER_TIME, "cluster"),
    PER_ROW("cpus_running_avg", "CPUs at once", "mean number of allocated cpus", UNIT_COUNT,
            CPUS, PER_TIME, "cluster"),
    VALUE_ROW("running_peak", "Running peak", "largest number of runs at the same time",
              UNIT_COUNT, MEASURE_PEAK, NONE, ONE, "cluster"),
    VALUE_ROW("cpus_running_peak", "CPUs peak",
              "largest number of allocated cpus at the same time", UNIT_COUNT, MEASURE_PEAK,
              NONE, CPUS, "cluster"),
};

const size_t measure_count = COUNT_OF(measures);

const struct measure *measure_find(struct str id)
{
    for (size_t i = 0; i < measure_count; i++) {
        if (str_eq(id, str_of(measures[i].id))) {
            return &measures[i];
        }
    }
    return NULL;
}

enum { QUANTITY_FIELDS_MAX = 3 };

/*
 * Suspension is no part of it: where nobody says, there was none. Time at an end has a start
 * and an end.
 */
static const enum run_field fields_of_quantity[QUANTITY_COUNT][QUANTITY_FIELDS_MAX] = {

#define NEEDS1(quantity, a)    [QUANTITY_##quantity] = {RUN_##a, RUN_FIELD_COUNT}
#define NEEDS2(quantity, a, b) [QUANTITY_##quantity] = {RUN_##a, RUN_##b, RUN_FIELD_COUNT}
    [QUANTITY_NONE] = {RUN_FIELD_COUNT},
    [QUANTITY_ONE] = {RUN_FIELD_COUNT},
    NEEDS1(CPUS, cpus),
    NEEDS1(GPUS, gpus),
    NEEDS1(NODES, node_count),
    NEEDS1(MEMORY, mem_bytes),
    NEEDS1(DISK, disk_bytes),
    NEEDS1(BILLING, billing),
    NEEDS1(CPU_USED, cpu_used_us),
    NEEDS1(CPU_USER, cpu_user_us),
    NEEDS1(CPU_SYSTEM, cpu_system_us),
    NEEDS2(CPU_BOTH, cpu_user_us, cpu_system_us),
    NEEDS1(GPU_USED, gpu_used_us),
    NEEDS1(ENERGY, energy_mj),
    NEEDS1(MEMORY_PEAK, mem_peak_bytes),
    NEEDS1(MEMORY_WHOLE, mem_peak_bytes),
    NEEDS1(WAIT, submit),
    NEEDS1(WAIT_ELIGIBLE, eligible),
    [QUANTITY_WALL] = {RUN_FIELD_COUNT},
    NEEDS1(CPU_TIME, cpus),
    NEEDS1(GPU_TIME, gpus),
    NEEDS2(MEMORY_ASKED, mem_bytes, req_mem_bytes),
    NEEDS1(TIME_LIMIT, req_wall_us),
    [QUANTITY_SU] = {RUN_FIELD_COUNT},
    [QUANTITY_COST] = {RUN_FIELD_COUNT},
#undef NEEDS1
#undef NEEDS2
};

const enum run_field *quantity_fields(enum quantity quantity)
{
    return fields_of_quantity[quantity];
}

const struct measure *measure_coverage(const struct measure *measure)
{
    static const struct str suffixes[] = {{"_efficiency", 11}, {"_coverage", 9}};
    const struct str id = str_of(measure->id);
    for (size_t i = 0; str_ends(id, suffixes[0]) && i < measure_count; i++) {
        const struct str stem = {id.ptr, id.len - suffixes[0].len};
        const struct str other = str_of(measures[i].id);
        if (str_starts(other, stem) && other.len == stem.len + suffixes[1].len &&
            str_ends(other, suffixes[1])) {
            return &measures[i];
        }
    }
    return NULL;
}

int64_t measure_scale(const struct measure *measure)
{
    switch (measure->unit) {
    case UNIT_COUNT:
    case UNIT_JOULES:
        return 1;
    case UNIT_MILLIJOULES:
        return 1000;
    case UNIT_HOURS:
        return HOUR_US;
    case UNIT_GIB_HOURS:
        return HOUR_US << 30;
    case UNIT_NONE:
    case UNIT_SECONDS:
    case UNIT_BYTES:
    case UNIT_GIB_SECONDS:
    case UNIT_INSTANT:
    case UNIT_RATIO:
    case UNIT_TRUTH:
    case UNIT_SU:
    case UNIT_MONEY:
    case UNIT_COUNT_OF:
        break;
    }
    return 0;
}

bool measure_adds_up(const struct measure *measure, const struct field *dimension)
{
    return measure->additive &&
           (!dimension_is_spread(dimension) || measure->kind == MEASURE_SIZE ||
            quantity_is_shared(measure->quantity));
}

bool measure_is_of_size(const struct measure *measure)
{
    return measure->per == PER_CPUS || measure->per == PER_GPUS;
}

bool measure_is_zero_of_nothing(const struct measure *measure)
{
    return measure->additive || measure->kind == MEASURE_ACTIVE ||
           measure->kind == MEASURE_DISTINCT || measure->kind == MEASURE_PEAK ||
           measure->per != PER_NOTHING;
}

static bool is_derived_dimension(const struct field *field)
{
    return field >= derived_dimensions &&
           field < derived_dimensions + COUNT_OF(derived_dimensions);
}

enum derived column_derived(const struct field *field)
{
    static const enum derived fields[] = {

#define X(derived, id_, type_, unit_, label_, doc_) DERIVED_##derived,
        DERIVED_FIELDS(X)
#undef X
    };
    return is_derived_dimension(field)
               ? derived_dimension_rows[field - derived_dimensions].derived
               : fields[field - derived_fields];
}

bool column_is_of_samples(const struct field *field)
{
    const bool derived =
        field >= derived_fields && field < derived_fields + COUNT_OF(derived_fields);
    return derived && column_derived(field) >= DERIVED_CPU_BASIS &&
           column_derived(field) <= DERIVED_ENERGY_SAMPLED;
}

const struct field *column_find(struct str id)
{
    for (size_t i = 0; i < derived_field_count; i++) {
        if (str_eq(id, str_of(derived_fields[i].id))) {
            return &derived_fields[i];
        }
    }
    return run_field_find(id);
}

bool dimension_is(const struct field *field)
{
    return field->member && !(field->flags & FIELD_INTERNAL);
}

const struct field *dimension_at(size_t index)
{
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (dimension_is(&run_fields[i]) && index-- == 0) {
            return &run_fields[i];
        }
    }
    return index < COUNT_OF(derived_dimensions) ? &derived_dimensions[index] : NULL;
}

const struct field *dimension_find(struct str id)
{
    const struct field *field;
    for (size_t i = 0; (field = dimension_at(i)) != NULL; i++) {
        if (str_eq(id, str_of(field->id))) {
            return field;
        }
    }
    return NULL;
}

enum fold dimension_fold(const struct field *field)
{
    return is_derived_dimension(field) ? derived_dimension_rows[field - derived_dimensions].fold
                                       : FOLD_NONE;
}

const char *dimension_name(const struct field *field, int64_t number)
{
    if (!is_derived_dimension(field)) {
        return NULL;
    }
    const char *const *names = derived_dimension_rows[field - derived_dimensions].names;
    for (int64_t i = 0; names && names[i]; i++) {
        if (i == number) {
            return names[i];
        }
    }
    return NULL;
}

enum joined dimension_joined(const struct field *field)
{
    return is_derived_dimension(field)
               ? derived_dimension_rows[field - derived_dimensions].joined
               : JOINED_NOT;
}

enum joined measure_joined(const struct measure *measure)
{
    return measure->kind == MEASURE_DISTINCT ? dimension_joined(measure->value) : JOINED_NOT;
}

bool dimension_is_of_books(const struct field *field)
{
    return dimension_joined(field) != JOINED_NOT;
}
