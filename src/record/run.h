/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A run: one attempt of one job on one cluster, the unit of accounting.
 *
 * RUN_FIELDS is the one description of what a run carries. The struct, the enum of fields, the
 * columns of the facts, bulk appending, CSV and JSON columns, the docs page and the fuzz checks
 * are all made from it. To add a field: add a row at its end (field_origins goes by the order),
 * add the column in a new migration of sql/facts/schema (a test compares the two), and let the
 * drivers that know the value set it.
 *
 * Absent is absent: a field that a source does not have has its bit in `has` clear, whatever
 * the member holds; it becomes NULL and prints as `---`. Use RUN_SET, RUN_HAS and RUN_CLEAR.
 *
 * Identity: two records with equal FIELD_KEY fields (absent equals absent) are the same run.
 * Those of several sources are merged (record/precedence.h); of one file, the later one
 * replaces the earlier, unless only the earlier one has the end. `attempt` is what the source
 * offers to tell apart runs that share an id: job numbers wrap and jobs restart. Its meaning
 * belongs to the driver; a time where there is one, which lets the store skip what is far away,
 * and below zero where there is no time.
 *
 * A part: some schedulers write several records for one run (the slave tasks of a parallel
 * job). Such a record has `part` set. The facts add its measured use to the run it belongs to
 * and keep it aside; it never counts as a run.
 *
 * Ownership: text fields are views into the input or an arena of the caller; a run owns nothing
 * and may be copied. Instants are microseconds since 1970 UTC.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "record/unit.h"

enum field_type {
    FIELD_TEXT, /* struct str, UTF-8 */
    FIELD_INT,  /* int64_t; what it counts is the unit's business */
};

enum field_flags {
    FIELD_KEY = 1,        /* part of the identity */
    FIELD_INTERNAL = 2,   /* bookkeeping: stored, not shown unless asked for by name */
    FIELD_MEASURED = 4,   /* use measured while running: summed over parts */
    FIELD_PEAK = 8,       /* a measured peak: summed over parts as an upper bound, see docs */
    FIELD_DIMENSION = 16, /* reports may group and filter by it */
    /*
     * of several that a run may have; the first, where a run has one value. Reports look at
     * each of them
     */
    FIELD_SPREAD = 32,
};

/* X(member, id, type, unit, flags, label, doc) */
#define RUN_FIELDS(X)                                                                          \
    /* which */                                                                                \
    X(cluster, "cluster", TEXT, NONE, FIELD_KEY | FIELD_DIMENSION, "Cluster",                  \
      "cluster the run was on, as named at import")                                            \
    X(job, "job", INT, NONE, FIELD_KEY, "Job", "the source's job number")                      \
    X(job_key, "job_key", TEXT, NONE, FIELD_KEY, "Job key",                                    \
      "the source's job id if it is not a number")                                             \
    X(task, "task", INT, NONE, FIELD_KEY, "Task", "index of the array task")                   \
    X(het, "het", INT, NONE, FIELD_KEY, "Component", "component of a heterogeneous job")       \
    X(attempt, "attempt", INT, NONE, FIELD_KEY | FIELD_INTERNAL, "Attempt",                    \
      "distinguishes runs with the same job id; its meaning depends on the source")            \
    X(array_job, "array_job", INT, NONE, 0, "Array job",                                       \
      "id of the array the task belongs to")                                                   \
    X(part, "part", TEXT, NONE, FIELD_INTERNAL, "Part", "name of a part of a run")             \
    X(whole, "whole", INT, NONE, FIELD_INTERNAL, "Whole",                                      \
      "for a run with parts: which parts were added to its own record")                        \
    X(name, "name", TEXT, NONE, FIELD_DIMENSION, "Name", "job name")                           \
    /* whose */                                                                                \
    X(user, "user", TEXT, NONE, FIELD_DIMENSION, "User", "login of the owner")                 \
    X(uid, "uid", INT, NONE, 0, "UID", "numeric user id")                                      \
    X(group, "group", TEXT, NONE, FIELD_DIMENSION, "Group", "Unix group of the owner")         \
    X(gid, "gid", INT, NONE, 0, "GID", "numeric group id")                                     \
    X(account, "account", TEXT, NONE, FIELD_DIMENSION, "Account", "account charged")           \
    X(project, "project", TEXT, NONE, FIELD_DIMENSION, "Project", "project of the job")        \
    X(department, "department", TEXT, NONE, FIELD_DIMENSION, "Department",                     \
      "department of the owner, as recorded by the scheduler")                                 \
    X(wckey, "wckey", TEXT, NONE, FIELD_DIMENSION, "Wckey", "workload characterization key")   \
    /* where */                                                                                \
    X(partition, "partition", TEXT, NONE, FIELD_DIMENSION, "Partition", "partition or queue")  \
    X(qos, "qos", TEXT, NONE, FIELD_DIMENSION, "QOS", "quality of service")                    \
    X(reservation, "reservation", TEXT, NONE, FIELD_DIMENSION, "Reservation",                  \
      "reservation the run used")                                                              \
    X(parallel_env, "parallel_env", TEXT, NONE, FIELD_DIMENSION, "Parallel env",               \
      "parallel environment granted")                                                          \
    X(nodes, "nodes", TEXT, NONE, 0, "Nodes",                                                  \
      "nodes of the run, each followed by *CPUS where these differ")                           \
    X(node, "node", TEXT, NONE, FIELD_DIMENSION | FIELD_SPREAD, "Node",                        \
      "first node, where the job script ran; filters and --by use every node")                 \
    X(node_count, "node_count", INT, COUNT, 0, "Node count", "number of nodes")                \
    X(submit_host, "submit_host", TEXT, NONE, FIELD_DIMENSION, "Submit host",                  \
      "host the job was submitted from")                                                       \
    X(work_dir, "work_dir", TEXT, NONE, 0, "Folder", "working folder")                         \
    X(command, "command", TEXT, NONE, 0, "Command", "the submit command line")                 \
    X(priority, "priority", INT, NONE, 0, "Priority", "priority given at submission")          \
    /* asked for */                                                                            \
    X(request, "request", TEXT, NONE, 0, "Request",                                            \
      "resource request, as recorded by the source")                                           \
    X(req_cpus, "req_cpus", INT, COUNT, 0, "Req cpus", "cpus or slots requested")              \
    X(req_nodes, "req_nodes", INT, COUNT, 0, "Req nodes", "nodes requested")                   \
    X(req_mem_bytes, "req_mem", INT, BYTES, 0, "Req memory",                                   \
      "memory requested, for the whole run")                                                   \
    X(req_gpus, "req_gpus", INT, COUNT, 0, "Req GPUs", "GPUs requested, for the whole run")    \
    X(req_wall_us, "time_limit", INT, SECONDS, 0, "Time limit", "longest run time allowed")    \
    /* given */                                                                                \
    X(cpus, "cpus", INT, COUNT, 0, "CPUs", "cpus or slots allocated")                          \
    X(mem_bytes, "mem", INT, BYTES, 0, "Memory", "memory allocated, for the whole run")        \
    X(disk_bytes, "disk", INT, BYTES, 0, "Disk", "local disk allocated")                       \
    X(gpus, "gpus", INT, COUNT, 0, "GPUs", "GPUs allocated")                                   \
    X(gpu_type, "gpu_type", TEXT, NONE, FIELD_DIMENSION, "GPU type", "model of the GPUs")      \
    X(billing, "billing", INT, COUNT, 0, "Billing", "billing units per second, as recorded")   \
    /* when */                                                                                 \
    X(submit, "submit", INT, INSTANT, 0, "Submitted", "when the job was submitted")            \
    X(eligible, "eligible", INT, INSTANT, 0, "Eligible", "when it could first have started")   \
    X(start, "start", INT, INSTANT, 0, "Started", "when it started; absent if it never did")   \
    X(end, "end", INT, INSTANT, 0, "Ended", "when it ended; absent while it is running")       \
    X(suspended_us, "suspended", INT, SECONDS, 0, "Suspended", "time spent suspended")         \
    /* how it went */                                                                          \
    X(state, "state", TEXT, NONE, FIELD_DIMENSION, "State", "state as reported by the source") \
    X(class, "class", TEXT, NONE, FIELD_DIMENSION, "Class",                                    \
      "how it ended, in terms common to all sources")                                          \
    X(exit_code, "exit_code", INT, NONE, 0, "Exit", "exit status of the job")                  \
    X(signal, "signal", INT, NONE, 0, "Signal", "signal that ended it")                        \
    X(reason, "reason", TEXT, NONE, 0, "Reason",                                               \
      "reason reported by the source, such as for a failure")                                  \
    /* what it used */                                                                         \
    X(cpu_user_us, "cpu_user", INT, SECONDS, FIELD_MEASURED, "CPU user",                       \
      "cpu time in user mode")                                                                 \
    X(cpu_system_us, "cpu_system", INT, SECONDS, FIELD_MEASURED, "CPU system",                 \
      "cpu time in system mode")                                                               \
    X(cpu_used_us, "cpu_used", INT, SECONDS, FIELD_MEASURED, "CPU used", "total cpu time")     \
    X(mem_peak_bytes, "mem_peak", INT, BYTES, FIELD_PEAK, "Peak memory",                       \
      "highest memory use; see mem_basis for what is measured")                                \
    X(mem_basis, "mem_basis", TEXT, NONE, 0, "Memory basis",                                   \
      "what mem_peak measures: job-rss, job-peak, process-rss, ...")                           \
    X(vmem_peak_bytes, "vmem_peak", INT, BYTES, FIELD_PEAK, "Peak virtual",                    \
      "highest virtual memory size")                                                           \
    X(mem_integral_gib_us, "mem_integral", INT, GIB_SECONDS, FIELD_MEASURED, "Memory GiB x s", \
      "memory use summed over time")                                                           \
    X(io_bytes, "io", INT, BYTES, FIELD_MEASURED, "I/O", "bytes read and written")             \
    X(io_ops, "io_ops", INT, COUNT, FIELD_MEASURED, "I/O ops", "I/O operations")               \
    X(io_wait_us, "io_wait", INT, SECONDS, FIELD_MEASURED, "I/O wait", "time waiting for I/O") \
    X(energy_mj, "energy", INT, MILLIJOULES, FIELD_MEASURED, "Energy", "energy used")          \
    /* how we know */                                                                          \
    X(flags, "flags", INT, NONE, 0, "Flags", "anomalies found in the record, one bit each")    \
    X(source, "source", TEXT, NONE, FIELD_DIMENSION, "Source", "driver that read the record")  \
    X(file, "file", INT, NONE, FIELD_INTERNAL, "File", "file it came from, in table files")    \
    X(line, "line", INT, NONE, FIELD_INTERNAL, "Line", "line in that file")                    \
    X(batch, "batch", INT, NONE, FIELD_INTERNAL, "Batch", "import step that wrote it")         \
    X(digest, "digest", INT, NONE, FIELD_INTERNAL, "Digest", "hash of the record as read")     \
    X(until, "until", INT, NONE, FIELD_INTERNAL, "Until",                                      \
      "when it released its resources; far in the future while it is running")                 \
    X(gpu_used_us, "gpu_used", INT, SECONDS, FIELD_MEASURED, "GPU used", "GPU time used")      \
    X(job_raw, "job_raw", INT, NONE, 0, "Raw job",                                             \
      "separate number of a task or component, if the source has one")                         \
    X(task_count, "task_count", INT, COUNT, 0, "Tasks",                                        \
      "number of waiting array tasks that the record represents")                              \
    X(seen, "seen", INT, INSTANT, 0, "Seen",                                                   \
      "for a run without an end: when it was last seen")                                       \
    X(origin, "origin", INT, NONE, FIELD_INTERNAL, "Origin",                                   \
      "kind of source of the record: 1 a listing, 2 a log, 3 a database")                      \
    X(field_origins, "field_origins", TEXT, NONE, FIELD_INTERNAL, "Field origins",             \
      "of a run merged from several records: the origin of each field, a digit a field")       \
    X(resources, "resources", TEXT, NONE, 0, "Resources",                                      \
      "other resources allocated, such as gres/shard=2,license/matlab=1; empty: none")

enum run_field {

#define X(member, id, type, unit, flags, label, doc) RUN_##member,
    RUN_FIELDS(X)
#undef X
        RUN_FIELD_COUNT,
};

struct run {
    uint64_t has[(RUN_FIELD_COUNT + 63) / 64]; /* bit per field, see RUN_HAS */
#define RUN_TYPE_TEXT                                struct str
#define RUN_TYPE_INT                                 int64_t
#define X(member, id, type, unit, flags, label, doc) RUN_TYPE_##type member;
    RUN_FIELDS(X)
#undef X
    /*
     * Start that the scheduler expects of a run that waits, by a listing; 0: it says none. It
     * is no field of the run, but kept with why the run waited.
     */
    int64_t start_expected;
};

#define RUN_SET(run, member, value)                                                            \
    ((run)->member = (value), (run)->has[RUN_##member / 64] |= UINT64_C(1) << RUN_##member % 64)
#define RUN_CLEAR(run, member)                                                                 \
    ((run)->has[RUN_##member / 64] &= ~(UINT64_C(1) << RUN_##member % 64))
#define RUN_HAS(run, member) run_has((run), RUN_##member)

static inline bool run_has(const struct run *run, enum run_field field)
{
    return run->has[(unsigned)field / 64] >> (unsigned)field % 64 & 1;
}

struct field {
    const char *member; /* name in the struct and column in the facts: unit in the name */
    const char *id;     /* name in outputs and filters */
    const char *label;  /* heading of a column */
    const char *doc;    /* one line */
    enum field_type type;
    enum unit unit;
    unsigned flags; /* of enum field_flags */
    size_t offset;  /* of the member in struct run */
};

/* The table, indexed by enum run_field. */
extern const struct field run_fields[RUN_FIELD_COUNT];

/* The field with this id, or NULL. */
const struct field *run_field_find(struct str id);

/* What became of a run, in words that hold for every scheduler. */
enum run_class {
    CLASS_PENDING,
    CLASS_RUNNING,
    CLASS_SUSPENDED,
    CLASS_COMPLETED,
    CLASS_FAILED,    /* ended with an error of its own */
    CLASS_CANCELLED, /* by its owner or an administrator */
    CLASS_TIMEOUT,   /* ran into its time limit */
    CLASS_OOM,       /* ran into its memory limit */
    CLASS_NODE_FAIL, /* the machine failed it */
    CLASS_REQUEUED,  /* this attempt was ended to be run again */
    CLASS_OTHER,     /* an unknown state: kept, never dropped */
    CLASS_COUNT,
};
struct str run_class_name(enum run_class class);
/*
 * Whether a run of the class of this name has ended, or is known to wait or run. Neither is
 * said of "other" and of no class at all: nobody knows.
 */
bool run_class_is_over(struct str name);
bool run_class_is_open(struct str name);

/* Kind of source that a record is from. */
enum run_origin {
    ORIGIN_LISTING = 1, /* of what waits and runs at a moment */
    ORIGIN_LOG = 2,     /* written as things happen */
    ORIGIN_DATABASE = 3,
};

/* Oddities, or-ed in `flags`. The values are kept as the source has them; sums clamp. */
enum run_flags {
    RUN_FLAG_END_BEFORE_START = 1,
    RUN_FLAG_START_BEFORE_SUBMIT = 2,
    RUN_FLAG_TIME_IMPOSSIBLE =
        4,                 /* a negative time, or one beyond the clock: taken as absent */
    RUN_FLAG_MERGED = 8,   /* measured use includes that of parts */
    RUN_FLAG_RECODED = 16, /* text was not UTF-8 and was read as latin-1 */
    RUN_FLAG_CLOCKS_DISAGREE = 32, /* the source's own wall time is not end - start */
    RUN_FLAG_FIELDS_ODD = 64, /* separators inside text: fields were found from both ends */
    RUN_FLAG_STEP_UNREADABLE = 128, /* a step of the job was left out: it could not be read */
    RUN_FLAG_AMOUNT_IMPOSSIBLE =
        256, /* an amount below zero, or beyond any machine: taken as absent */
    RUN_FLAG_USE_TOO_LARGE =
        512,                  /* more cpu time than its cpus had, or suspended for too long */
    RUN_FLAG_VANISHED = 1024, /* a live source no longer had it: over since it was last seen */
    RUN_FLAG_USE_PARTIAL =
        2048, /* the record does not have use that another of the same run may tell: it gives way to that */
    RUN_FLAG_SEEN_RECORDED =
        4096, /* of a run without an end: the record itself says up to when it had run */
};

enum { RUN_FLAG_BITS = 13 };

const char *run_flag_name(unsigned bit); /* of 1 << bit: "end-before-start", ...; NULL beyond */

/* Most resources one run may hold: what lies beyond is a broken record. */
#define RUN_CPUS_MAX (INT64_C(1) << 24)

/* More of these than any machine has: a sentinel, or a counter gone wrong. */
#define RUN_AMOUNT_MAX   (INT64_C(1) << 60) /* bytes of all kinds, and operations */
#define RUN_USE_US_MAX   (INT64_C(1) << 60) /* cpu and GPU time: a large machine's of a day */
#define RUN_INTEGRAL_MAX (INT64_C(1) << 62) /* GiB x us */
#define RUN_ENERGY_MAX   (INT64_C(1) << 50) /* joules: 30 MW for a year */
#define RUN_MILLIJOULE   INT64_C(1000)      /* of them to a joule */

/*
 * Cpu time may exceed what the cpus had, by clocks, threads and sampling: up to this it is no
 * oddity.
 */
#define RUN_USE_PERCENT  120
#define RUN_USE_SLACK_US INT64_C(60000000)

/*
 * `until`: what sums over time go by. The end, but never before the start; RUN_NOT_ENDED of a
 * run without an end that is said to wait or run, or that was in a listing of those that do; a
 * microsecond before the start of any other without an end: whether and since when it is over
 * is not recorded, so that it takes no time, and its amounts are unknown. Absent when a run
 * that never started has no end either.
 */
#define RUN_NOT_ENDED INT64_MAX

/*
 * Applies the rules that hold for every source, after a driver filled the run: sets the flags
 * on times and amounts, drops instants outside [0, INSTANT_MAX) and amounts that nothing can
 * have, and refuses (ERROR_INPUT, with the reason) a record without cluster or job, with a
 * negative or absurd resource, or with cpus x time beyond what an int64_t of microseconds can
 * hold. Sets `until`, and `origin` where the driver did not: a record that was seen at a moment
 * is of a listing, any other of a log.
 */
int run_check(struct run *run, struct error *err) MUST_CHECK;
