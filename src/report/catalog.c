/* SPDX-License-Identifier: MIT */
#include "report/catalog.h"

#include "base/zone.h"
#include "facts/run_id_sql.h"
#include "report/tables/sample_column.h"

/* Pieces of SQL that several measures are made of. */
#define WALL                                                                                   \
    "greatest(greatest(\"end\" - start, 0) - greatest(coalesce(suspended_us, 0), 0), 0)"

/* Not greatest(start - since, 0): the engine's greatest passes over NULL, and unknown would be 0. */
#define WAITED(since)                                                                          \
    "CASE WHEN start >= " since " THEN start - " since " WHEN " since " > start THEN 0 END"
#define WAIT         WAITED("submit")
#define WAIT_ALLOWED WAITED("eligible")

/* Sum over sum, of the runs that tell both; NULL when none does. */
#define SHARE(part, whole)                                                                     \
    "sum(" part ") FILTER ((" part ") IS NOT NULL AND (" whole ") IS NOT NULL)::DOUBLE / "     \
    "nullif(sum(" whole ") FILTER ((" part ") IS NOT NULL AND (" whole ") IS NOT NULL), 0)"

/* How much of the whole belongs to runs that tell the part. */
#define KNOWN(part, whole)                                                                     \
    "coalesce(sum(" whole ") FILTER ((" part ") IS NOT NULL), 0)::DOUBLE / nullif(sum(" whole  \
    "), 0)"

#define QUANTILE(value, q) "quantile_disc(" value ", " q ")"
#define MEAN(value)        "sum(" value ") // count(" value ")"

#define CPU_GIVEN  "cpus::HUGEINT * " WALL
#define GPU_GIVEN  "gpus::HUGEINT * " WALL
#define MEM_GIVEN  "coalesce(mem_bytes, req_mem_bytes)"
#define TIME_GIVEN "req_wall_us"

#define COUNT_ROW(id_, label_, doc_, kind_, sql_, detail_)                                     \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_COUNT, .kind = kind_,            \
        .sql = sql_, .additive = true, .detail = detail_                                       \
    }
#define CLASS_ROW(id_, label_, doc_, class_, detail_)                                          \
    COUNT_ROW(id_, label_, doc_, MEASURE_AT_END, "count(*) FILTER (class = '" class_ "')",     \
              detail_)
#define AMOUNT_ROW(id_, label_, doc_, unit_, kind_, sql_, detail_)                             \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = unit_, .kind = kind_, .sql = sql_,    \
        .additive = true, .detail = detail_                                                    \
    }
#define PAUSED_ROW(id_, label_, doc_, sql_, detail_)                                           \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_HOURS, .kind = MEASURE_OVERLAP,  \
        .sql = sql_, .additive = true, .pauses = true, .detail = detail_                       \
    }
#define VALUE_ROW(id_, label_, doc_, unit_, kind_, sql_, detail_)                              \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = unit_, .kind = kind_, .sql = sql_,    \
        .detail = detail_                                                                      \
    }
#define REAL_ROW(id_, label_, doc_, unit_, kind_, sql_, detail_)                               \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = unit_, .kind = kind_, .sql = sql_,    \
        .real = true, .detail = detail_                                                        \
    }
#define PER_ROW(id_, label_, doc_, unit_, sql_, per_, detail_)                                 \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = unit_, .kind = MEASURE_OVERLAP,       \
        .sql = sql_, .per = per_, .real = true, .pauses = (per_) != PER_GPUS,                  \
        .detail = detail_                                                                      \
    }

#define SIZE_ROW(id_, label_, doc_, per_, part_)                                               \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_HOURS, .kind = MEASURE_SIZE,     \
        .per = per_, .part = part_, .additive = true, .detail = "cluster"                      \
    }
#define LEFT_ROW(id_, label_, doc_, sql_, per_)                                                \
    {                                                                                          \
        .id = id_, .label = label_, .doc = doc_, .unit = UNIT_HOURS, .kind = MEASURE_OVERLAP,  \
        .sql = sql_, .per = per_, .part = SIZE_LEFT, .additive = true,                         \
        .pauses = (per_) != PER_GPUS, .detail = "cluster"                                      \
    }

const struct measure measures[] = {
    /* how many */
    COUNT_ROW("jobs", "Jobs", "runs that had started and ended in the period", MEASURE_AT_END,
              "count(*)", "user"),
    COUNT_ROW("jobs_submitted", "Submitted", "runs that were submitted in the period",
              MEASURE_AT_SUBMIT, "count(*)", "user"),
    COUNT_ROW("jobs_started", "Started", "runs that started in the period", MEASURE_AT_START,
              "count(*)", "partition"),
    {
        .id = "jobs_active",
        .label = "Active",
        .doc = "runs that overlapped the period; one that took no time overlaps its instant",
        .unit = UNIT_COUNT,
        .kind = MEASURE_ACTIVE,
        .detail = "user",
    },
    COUNT_ROW("jobs_never_started", "Never started",
              "runs that were given up in the period before they started", MEASURE_AT_GIVEUP,
              "count(*)", "partition"),
    CLASS_ROW("jobs_completed", "Completed", "jobs whose class is completed", "completed",
              "user"),
    CLASS_ROW("jobs_failed", "Failed", "jobs that ended with an error of their own", "failed",
              "user"),
    CLASS_ROW("jobs_cancelled", "Cancelled", "jobs that were cancelled while they ran",
              "cancelled", "user"),
    CLASS_ROW("jobs_timeout", "Timeout", "jobs that ran into their time limit", "timeout",
              "partition"),
    CLASS_ROW("jobs_oom", "Out of mem", "jobs that ran into their memory limit", "oom", "user"),
    CLASS_ROW("jobs_node_fail", "Node fail", "jobs that the machine failed", "node_fail",
              "node"),
    CLASS_ROW("jobs_requeued", "Requeued", "runs that were given up to be run again",
              "requeued", "partition"),
    REAL_ROW("success_rate", "Success", "jobs_completed / jobs", UNIT_RATIO, MEASURE_AT_END,
             "count(*) FILTER (class = 'completed')::DOUBLE / nullif(count(*), 0)", "user"),
    /* how much was allotted */
    PAUSED_ROW(
        "cpu_hours", "CPU hours",
        "allocated cpus x time within the period, without suspension; runs that go on count "
        "up to now",
        "cpus", "user"),
    AMOUNT_ROW("gpu_hours", "GPU hours", "allocated GPUs x time within the period", UNIT_HOURS,
               MEASURE_OVERLAP, "gpus", "user"),
    AMOUNT_ROW("node_hours", "Node hours", "number of nodes x time within the period",
               UNIT_HOURS, MEASURE_OVERLAP, "node_count", "user"),
    PAUSED_ROW("wall_hours", "Wall hours",
               "time that runs took within the period, without suspension, whatever their size",
               "1", "user"),
    AMOUNT_ROW("mem_gib_hours", "Memory GiB h", "allocated memory x time within the period",
               UNIT_GIB_HOURS, MEASURE_OVERLAP, "mem_bytes::HUGEINT", "user"),
    AMOUNT_ROW("disk_gib_hours", "Disk GiB h", "allocated local disk x time within the period",
               UNIT_GIB_HOURS, MEASURE_OVERLAP, "disk_bytes::HUGEINT", "user"),
    AMOUNT_ROW("su", "SU", "billing units of the scheduler x time within the period",
               UNIT_HOURS, MEASURE_OVERLAP, "billing", "account"),
    /* how much was used */
    AMOUNT_ROW("cpu_used_hours", "CPU used h",
               "cpu time used; of a run that crosses an edge of the period, its share by time",
               UNIT_HOURS, MEASURE_USED, "cpu_used_us", "user"),
    AMOUNT_ROW("cpu_user_hours", "CPU user h", "cpu time in user mode, likewise", UNIT_HOURS,
               MEASURE_USED, "cpu_user_us", "user"),
    AMOUNT_ROW("cpu_system_hours", "CPU system h", "cpu time in system mode, likewise",
               UNIT_HOURS, MEASURE_USED, "cpu_system_us", "user"),
    AMOUNT_ROW("gpu_used_hours", "GPU used h", "GPU time used, likewise", UNIT_HOURS,
               MEASURE_USED, "gpu_used_us", "user"),
    AMOUNT_ROW("energy", "Energy", "energy used, likewise", UNIT_JOULES, MEASURE_USED,
               "energy_j", "user"),
    /* waiting */
    AMOUNT_ROW("wait_hours", "Wait hours",
               "time from submission to start of the runs that started in the period",
               UNIT_HOURS, MEASURE_AT_START, "sum(" WAIT ")", "partition"),
    VALUE_ROW("wait_avg", "Wait mean", "mean wait of the runs that started in the period",
              UNIT_SECONDS, MEASURE_AT_START, MEAN(WAIT), "partition"),
    VALUE_ROW("wait_median", "Wait median", "half of them waited no longer", UNIT_SECONDS,
              MEASURE_AT_START, QUANTILE(WAIT, "0.5"), "partition"),
    VALUE_ROW("wait_p90", "Wait p90", "nine in ten of them waited no longer", UNIT_SECONDS,
              MEASURE_AT_START, QUANTILE(WAIT, "0.9"), "partition"),
    VALUE_ROW("wait_p99", "Wait p99", "99 in 100 of them waited no longer", UNIT_SECONDS,
              MEASURE_AT_START, QUANTILE(WAIT, "0.99"), "partition"),
    VALUE_ROW("wait_max", "Wait max", "the longest wait", UNIT_SECONDS, MEASURE_AT_START,
              "max(" WAIT ")", "partition"),
    AMOUNT_ROW("wait_eligible_hours", "Eligible h",
               "time from when a run could have started to its start", UNIT_HOURS,
               MEASURE_AT_START, "sum(" WAIT_ALLOWED ")", "partition"),
    VALUE_ROW("wait_eligible_avg", "Eligible mean", "mean of that time", UNIT_SECONDS,
              MEASURE_AT_START, MEAN(WAIT_ALLOWED), "partition"),
    VALUE_ROW("wait_eligible_median", "Eligible median", "median of that time", UNIT_SECONDS,
              MEASURE_AT_START, QUANTILE(WAIT_ALLOWED, "0.5"), "partition"),
    VALUE_ROW("wait_eligible_p90", "Eligible p90", "90th percentile of that time", UNIT_SECONDS,
              MEASURE_AT_START, QUANTILE(WAIT_ALLOWED, "0.9"), "partition"),
    VALUE_ROW("wait_eligible_p99", "Eligible p99", "99th percentile of that time", UNIT_SECONDS,
              MEASURE_AT_START, QUANTILE(WAIT_ALLOWED, "0.99"), "partition"),
    VALUE_ROW("wait_eligible_max", "Eligible max", "longest of that time", UNIT_SECONDS,
              MEASURE_AT_START, "max(" WAIT_ALLOWED ")", "partition"),
    /* running */
    VALUE_ROW("wall_min", "Wall min", "shortest time, without suspension, of jobs",
              UNIT_SECONDS, MEASURE_AT_END, "min(" WALL ")", "partition"),
    VALUE_ROW("wall_max", "Wall max", "longest time", UNIT_SECONDS, MEASURE_AT_END,
              "max(" WALL ")", "partition"),
    VALUE_ROW("wall_avg", "Wall mean", "mean time", UNIT_SECONDS, MEASURE_AT_END, MEAN(WALL),
              "partition"),
    VALUE_ROW("wall_median", "Wall median", "half of the jobs took no longer", UNIT_SECONDS,
              MEASURE_AT_END, QUANTILE(WALL, "0.5"), "partition"),
    VALUE_ROW("mem_peak_avg", "Peak mem mean", "mean of the jobs' peak memory", UNIT_BYTES,
              MEASURE_AT_END, MEAN("mem_peak_bytes"), "user"),
    VALUE_ROW("mem_peak_max", "Peak mem max", "largest peak memory of a job", UNIT_BYTES,
              MEASURE_AT_END, "max(mem_peak_bytes)", "user"),
    REAL_ROW("cpus_avg", "CPUs mean", "mean number of cpus of the jobs", UNIT_COUNT,
             MEASURE_AT_END, "sum(cpus)::DOUBLE / count(cpus)", "user"),
    VALUE_ROW("cpus_max", "CPUs max", "largest number of cpus of a job", UNIT_COUNT,
              MEASURE_AT_END, "max(cpus)", "user"),
    VALUE_ROW("cpus_min", "CPUs min", "smallest number of cpus of a job", UNIT_COUNT,
              MEASURE_AT_END, "min(cpus)", "user"),
    /* how well */
    REAL_ROW("cpu_efficiency", "CPU eff",
             "cpu time used / cpu time allocated, of the jobs that tell both", UNIT_RATIO,
             MEASURE_AT_END, SHARE("cpu_used_us", CPU_GIVEN), "user"),
    REAL_ROW("cpu_coverage", "CPU known",
             "share of the allocated cpu time whose use is known: what cpu_efficiency is of",
             UNIT_RATIO, MEASURE_AT_END, KNOWN("cpu_used_us", CPU_GIVEN), "cluster"),
    REAL_ROW("mem_efficiency", "Mem eff",
             "peak memory / memory allocated or asked for, of the jobs that tell both",
             UNIT_RATIO, MEASURE_AT_END, SHARE("mem_peak_bytes", MEM_GIVEN), "user"),
    REAL_ROW("mem_coverage", "Mem known", "share of that memory whose peak use is known",
             UNIT_RATIO, MEASURE_AT_END, KNOWN("mem_peak_bytes", MEM_GIVEN), "cluster"),
    REAL_ROW("gpu_efficiency", "GPU eff",
             "GPU time used / GPU time allocated, of the jobs that tell both", UNIT_RATIO,
             MEASURE_AT_END, SHARE("gpu_used_us", GPU_GIVEN), "user"),
    REAL_ROW("gpu_coverage", "GPU known", "share of the allocated GPU time whose use is known",
             UNIT_RATIO, MEASURE_AT_END, KNOWN("gpu_used_us", GPU_GIVEN), "cluster"),
    REAL_ROW("time_efficiency", "Time eff", "time taken / time limit, of the jobs that had one",
             UNIT_RATIO, MEASURE_AT_END, SHARE(WALL, TIME_GIVEN), "user"),
    REAL_ROW("time_coverage", "Limit known", "share of the time taken that had a limit",
             UNIT_RATIO, MEASURE_AT_END, KNOWN(TIME_GIVEN, WALL), "partition"),
    REAL_ROW("system_ratio", "System", "cpu time in system mode / in user and system mode",
             UNIT_RATIO, MEASURE_AT_END,
             SHARE("cpu_system_us", "cpu_user_us::HUGEINT + cpu_system_us"), "user"),
    /* how many different */
    VALUE_ROW("users", "Users",
              "different users with a run that overlapped the period; never to be summed",
              UNIT_COUNT, MEASURE_DISTINCT, "\"user\"", "user"),
    VALUE_ROW("people", "People",
              "different people behind these users, as the books have it, likewise", UNIT_COUNT,
              MEASURE_DISTINCT, "person", "person"),
    VALUE_ROW("accounts", "Accounts", "different accounts, likewise", UNIT_COUNT,
              MEASURE_DISTINCT, "\"account\"", "account"),
    VALUE_ROW("nodes", "Nodes", "different first nodes of runs, likewise", UNIT_COUNT,
              MEASURE_DISTINCT, "\"node\"", "partition"),
    /* at once */
    PER_ROW("utilization", "Utilization", "allocated cpus / cpus of the clusters over the time",
            UNIT_RATIO, "cpus", PER_CPUS, "cluster"),
    PER_ROW("gpu_utilization", "GPU util", "allocated GPUs / GPUs of the clusters, likewise",
            UNIT_RATIO, "gpus", PER_GPUS, "cluster"),
    SIZE_ROW("cpu_hours_capacity", "Capacity h",
             "cpus of the clusters x time, by stint capacity or else by their nodes", PER_CPUS,
             SIZE_ALL),
    SIZE_ROW("cpu_hours_down", "Down h", "of these, on nodes that were down or failed",
             PER_CPUS, SIZE_DOWN),
    SIZE_ROW("cpu_hours_planned", "Planned down h",
             "of these, on nodes that were drained or under maintenance", PER_CPUS,
             SIZE_PLANNED),
    SIZE_ROW("cpu_hours_reserved", "Reserved h",
             "of these, on nodes that were held by a reservation and not in use", PER_CPUS,
             SIZE_RESERVED),
    SIZE_ROW("cpu_hours_unknown", "Unknown h", "of these, on nodes whose state says nothing",
             PER_CPUS, SIZE_UNKNOWN),
    LEFT_ROW("cpu_hours_idle", "Idle CPU h",
             "what is left of these without cpu_hours; below zero where more was allocated",
             "cpus", PER_CPUS),
    SIZE_ROW("gpu_hours_capacity", "GPU capacity h", "GPUs of the clusters x time, likewise",
             PER_GPUS, SIZE_ALL),
    SIZE_ROW("gpu_hours_down", "GPU down h", "of these, on nodes that were down or failed",
             PER_GPUS, SIZE_DOWN),
    SIZE_ROW("gpu_hours_planned", "GPU planned h",
             "of these, on nodes that were drained or under maintenance", PER_GPUS,
             SIZE_PLANNED),
    SIZE_ROW("gpu_hours_reserved", "GPU reserved h",
             "of these, on nodes that were held by a reservation and not in use", PER_GPUS,
             SIZE_RESERVED),
    SIZE_ROW("gpu_hours_unknown", "GPU unknown h",
             "of these, on nodes whose state says nothing", PER_GPUS, SIZE_UNKNOWN),
    LEFT_ROW("gpu_hours_idle", "Idle GPU h",
             "what is left of these without gpu_hours; below zero where more was allocated",
             "gpus", PER_GPUS),
    PER_ROW("running_avg", "Running mean", "runs at once, mean over the time", UNIT_COUNT, "1",
            PER_TIME, "cluster"),
    PER_ROW("cpus_running_avg", "CPUs at once", "cpus at once, mean over the time", UNIT_COUNT,
            "cpus", PER_TIME, "cluster"),
    VALUE_ROW("running_peak", "Running peak", "most runs at one instant", UNIT_COUNT,
              MEASURE_PEAK, "1", "cluster"),
    VALUE_ROW("cpus_running_peak", "CPUs peak", "most cpus in use at one instant", UNIT_COUNT,
              MEASURE_PEAK, "cpus", "cluster"),
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
    case UNIT_COUNT_OF:
        break;
    }
    return 0;
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

/* As WALL, but absent while the end is, for greatest passes over NULL. */
#define TOOK "CASE WHEN \"end\" IS NOT NULL AND start IS NOT NULL THEN " WALL " END"

/* A derived column is a field without a member: X(id, type, unit, label, doc, sql) */
#define DERIVED_FIELDS(X)                                                                      \
    X("id", TEXT, NONE, "Id", "job and array task, as stint job takes it: 4711, 4711.3",       \
      "(coalesce(job::VARCHAR, job_key) || coalesce('.' || task, '') || coalesce('+' || het, " \
      "''))")                                                                                  \
    X("run_id", TEXT, NONE, "Run",                                                             \
      "name of the run that lasts and is unique: cluster:job.task@attempt",                    \
      RUN_ID_SQL("cluster"))                                                                   \
    X("wall", INT, SECONDS, "Wall", "time from start to end", "(\"end\" - start)")             \
    X("wait", INT, SECONDS, "Wait", "time from submission to start", "(start - submit)")       \
    X("cpu_hours", INT, HOURS, "CPU hours",                                                    \
      "allocated cpus x time from start to end, without suspension", "(cpus * " TOOK ")")      \
    X("cpu_efficiency", INT, RATIO, "CPU eff", "cpu time used / cpu time allocated",           \
      "(cpu_used_us / nullif(cpus::DOUBLE * " TOOK ", 0))")

/*
 * A derived dimension: X(id, type, label, doc, fold, names, joined, sql). Its numbers sort as they
 * should. Those that are joined are columns that runs have only as booked.h gives them.
 */
#define DERIVED_DIMENSIONS(X)                                                                  \
    X("metagroup", TEXT, "Metagroup",                                                          \
      "group of groups, users and accounts, see stint metagroup", NONE, NULL, MOVES,           \
      "metagroup")                                                                             \
    X("metagroup_top", TEXT, "Top metagroup", "the outermost metagroup that holds it", NONE,   \
      NULL, MOVES, "metagroup_top")                                                            \
    X("person", TEXT, "Person",                                                                \
      "who is behind the login, see stint people; the login itself where nobody said", NONE,   \
      NULL, PEOPLE, "person")                                                                  \
    X("size", INT, "Size", "how many cpus: 1, 2-3, 4-7, 8-15 and so on", NONE, size_names,     \
      NOT,                                                                                     \
      "(CASE WHEN cpus < 1 THEN 0 WHEN cpus < 16384 THEN floor(log2(cpus))::BIGINT WHEN cpus " \
      ">= 16384 THEN 14 END)")                                                                 \
    X("shape", INT, "Shape", "serial, parallel on one node, parallel on several", NONE,        \
      shape_names, NOT,                                                                        \
      "(CASE WHEN node_count > 1 THEN 2 WHEN cpus > 1 THEN CASE WHEN node_count = 1 THEN 1 "   \
      "ELSE 3 END WHEN cpus <= 1 THEN 0 END)")                                                 \
    X("weekday", INT, "Weekday", "day of the week: a run counts on each day that it overlaps", \
      WEEKDAY, weekday_names, NOT, "")                                                         \
    X("hour_of_day", INT, "Hour",                                                              \
      "hour of the day: a run counts in each hour that it overlaps", HOUR, NULL, NOT, "")

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
#define X(id_, type_, unit_, label_, doc_, sql_)                                               \
    {.id = id_, .label = label_, .doc = doc_, .type = FIELD_##type_, .unit = UNIT_##unit_},
    DERIVED_FIELDS(X)
#undef X
};

const size_t derived_field_count = COUNT_OF(derived_fields);

static const struct field derived_dimensions[] = {
#define X(id_, type_, label_, doc_, fold_, names_, joined_, sql_)                              \
    {.id = id_, .label = label_, .doc = doc_, .type = FIELD_##type_, .unit = UNIT_NONE},
    DERIVED_DIMENSIONS(X)
#undef X
};

static const struct {
    enum fold fold;
    const char *const *names;
    enum joined joined;
    const char *sql;
} derived_dimension_rows[] = {

#define X(id_, type_, label_, doc_, fold_, names_, joined_, sql_)                              \
    {FOLD_##fold_, names_, JOINED_##joined_, sql_},
    DERIVED_DIMENSIONS(X)
#undef X
};

static bool is_derived_dimension(const struct field *field)
{
    return field >= derived_dimensions &&
           field < derived_dimensions + COUNT_OF(derived_dimensions);
}

const char *column_sql(const struct field *field)
{
    static const char *const fields[RUN_FIELD_COUNT] = {
#define X(member, id, type, unit, flags, label, doc) "\"" #member "\"",
        RUN_FIELDS(X)
#undef X
    };
    static const char *const derived[COUNT_OF(derived_fields)] = {
#define X(id, type, unit, label, doc, sql) sql,
        DERIVED_FIELDS(X)
#undef X
    };
    if (is_derived_dimension(field)) {
        return derived_dimension_rows[field - derived_dimensions].sql;
    }
    if (sample_column_is(field)) {
        return sample_column_sql(field);
    }
    return field->member ? fields[field - run_fields] : derived[field - derived_fields];
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
    for (size_t i = 0; measure->kind == MEASURE_DISTINCT && i < COUNT_OF(derived_dimensions);
         i++) {
        if (str_eq(str_of(measure->sql), str_of(derived_dimension_rows[i].sql))) {
            return derived_dimension_rows[i].joined;
        }
    }
    return JOINED_NOT;
}

bool dimension_is_of_books(const struct field *field)
{
    return dimension_joined(field) != JOINED_NOT;
}
