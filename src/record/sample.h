/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A sample: what one process, or some that were rolled up into one, had and used on one node at one
 * moment, as a sampler (sonar, our own agent) saw it.
 *
 * SAMPLE_FIELDS is the one description of what a sample carries, as RUN_FIELDS is of a run: the struct,
 * the columns of the facts, appending, what `stint samples` shows and filters by, and the docs page are
 * made from it. To add a field: a row here, the column in a new sql/ migration (a test compares them), and
 * the drivers that know the value set it. What a node as a whole had at that moment is no sample of a
 * process and has no place here: it would be a list and a table beside this one.
 *
 * Absent is absent, as in a run. Counters that only grow (cpu time, bytes read) are kept as they were
 * told, also when they shrink; what follows from two samples is worked out when it is asked for
 * (report/tables/sample_listing.h).
 *
 * Identity: two samples with equal FIELD_KEY fields are the same one; where the process has no number,
 * the SAMPLE_KEY_ROLLED fields have to be equal, too. Absent equals absent. The first one told stays,
 * unless the same line of the same file is read again (facts/samples.h).
 *
 * Ownership: text fields are views into the input or an arena of the caller; a sample owns nothing and
 * may be copied. Shares of cpus and GPUs are whole millionths, so that they stay exact.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "record/run.h"
#include "record/unit.h"

/* Beside enum field_flags. */
enum sample_flags {
    SAMPLE_KEY_ROLLED = 1 << 8, /* part of the identity of what has no process number */
    SAMPLE_STREAM =
        1 << 9, /* the same in all samples of one process: its counters are compared */
    SAMPLE_COUNTER = 1 << 10, /* grows as long as the process lives */
};

/* X(member, id, type, unit, flags, label, doc) */
#define SAMPLE_FIELDS(X)                                                                       \
    /* which */                                                                                \
    X(cluster, "cluster", TEXT, NONE, FIELD_KEY | SAMPLE_STREAM, "Cluster",                    \
      "cluster it was taken on, as named in the sample or at import")                          \
    X(node, "node", TEXT, NONE, FIELD_KEY | SAMPLE_STREAM, "Node",                             \
      "node it was taken on, as named by the sampler")                                         \
    X(time, "time", INT, INSTANT, FIELD_KEY, "Time", "when it was taken")                      \
    X(pid, "pid", INT, NONE, FIELD_KEY | SAMPLE_STREAM, "PID",                                 \
      "process id; absent if several processes were rolled up")                                \
    X(ppid, "ppid", INT, NONE, SAMPLE_KEY_ROLLED, "Parent", "process id of the parent")        \
    X(job, "job", INT, NONE, SAMPLE_KEY_ROLLED | SAMPLE_STREAM, "Job",                         \
      "the scheduler's job number, or the process group if there is none")                     \
    X(epoch, "epoch", INT, NONE, SAMPLE_STREAM, "Epoch",                                       \
      "0 if job is the scheduler's; otherwise it increases with each boot of the node")        \
    X(user, "user", TEXT, NONE, SAMPLE_KEY_ROLLED, "User", "login of the owner")               \
    X(command, "command", TEXT, NONE, SAMPLE_KEY_ROLLED | SAMPLE_STREAM, "Command",            \
      "name of the program, without arguments")                                                \
    X(processes, "processes", INT, COUNT, 0, "Processes",                                      \
      "number of processes it represents: 1, or those rolled up")                              \
    X(in_container, "in_container", INT, TRUTH, 0, "Container",                                \
      "whether it runs in a container")                                                        \
    /* what it used */                                                                         \
    X(threads, "threads", INT, COUNT, 0, "Threads", "number of threads")                       \
    X(cpu_avg_ppm, "cpu_avg", INT, RATIO, 0, "CPU life",                                       \
      "mean cpu use since it started; 100% is one cpu")                                        \
    X(cpu_now_ppm, "cpu_now", INT, RATIO, 0, "CPU now",                                        \
      "cpu use during the sample, a tenth of a second; 100% is one cpu")                       \
    X(cpu_time_us, "cpu_time", INT, SECONDS, SAMPLE_COUNTER, "CPU time",                       \
      "cpu time used since it started, including children that ended")                         \
    X(rss_bytes, "rss", INT, BYTES, 0, "Resident", "private resident memory (RssAnon)")        \
    X(vmem_bytes, "vmem", INT, BYTES, 0, "Virtual", "virtual memory of data and stack")        \
    X(read_bytes, "read", INT, BYTES, SAMPLE_COUNTER, "Read",                                  \
      "bytes read from disks since it started")                                                \
    X(written_bytes, "written", INT, BYTES, SAMPLE_COUNTER, "Written",                         \
      "bytes written to disks since it started")                                               \
    X(cancelled_bytes, "cancelled", INT, BYTES, SAMPLE_COUNTER, "Cancelled",                   \
      "of these, bytes that were cancelled before they reached a disk")                        \
    X(gpus, "gpus", TEXT, NONE, 0, "GPUs",                                                     \
      "GPUs it uses, by index; none if it uses none; absent if not known")                     \
    X(gpu_uuids, "gpu_uuids", TEXT, NONE, 0, "GPU ids", "the same by UUID")                    \
    X(gpu_util_ppm, "gpu_util", INT, RATIO, 0, "GPU",                                          \
      "GPU use during the sample, over all its GPUs; 100% is one GPU")                         \
    X(gpu_mem_bytes, "gpu_mem", INT, BYTES, 0, "GPU memory",                                   \
      "GPU memory used, over all its GPUs")                                                    \
    X(gpu_mem_util_ppm, "gpu_mem_util", INT, RATIO, 0, "GPU mem share",                        \
      "the same as a share; 100% is the memory of one GPU")                                    \
    X(gpu_fail, "gpu_fail", INT, NONE, 0, "GPU fails",                                         \
      "1: the sampler reports a failing GPU on the node")                                      \
    /* how we know */                                                                          \
    X(version, "sampler_version", TEXT, NONE, 0, "Sampler", "version of the sampler")          \
    X(source, "source", TEXT, NONE, 0, "Source", "driver that read the sample")                \
    X(file, "file", INT, NONE, FIELD_INTERNAL, "File", "file it came from, in table files")    \
    X(line, "line", INT, NONE, FIELD_INTERNAL, "Line", "line in that file")                    \
    X(batch, "batch", INT, NONE, FIELD_INTERNAL, "Batch", "import step that wrote it")

enum sample_field {

#define X(member, id, type, unit, flags, label, doc) SAMPLE_##member,
    SAMPLE_FIELDS(X)
#undef X
        SAMPLE_FIELD_COUNT,
};

struct sample {
    uint64_t has; /* bit per field, see SAMPLE_HAS */
#define X(member, id, type, unit, flags, label, doc) RUN_TYPE_##type member;
    SAMPLE_FIELDS(X)
#undef X
};

_Static_assert(SAMPLE_FIELD_COUNT <= 64, "a bit for each field");

#define SAMPLE_SET(sample, member_, value)                                                     \
    ((sample)->member_ = (value), (sample)->has |= UINT64_C(1) << SAMPLE_##member_)
#define SAMPLE_CLEAR(sample, member_) ((sample)->has &= ~(UINT64_C(1) << SAMPLE_##member_))
#define SAMPLE_HAS(sample, member_)   sample_has((sample), SAMPLE_##member_)

static inline bool sample_has(const struct sample *sample, enum sample_field field)
{
    return sample->has >> (unsigned)field & 1;
}

/* By number of the field: for drivers whose formats are tables. */
void sample_set_int(struct sample *sample, enum sample_field field, int64_t value);
void sample_set_text(struct sample *sample, enum sample_field field, struct str text);
int64_t sample_int(const struct sample *sample, enum sample_field field);
struct str sample_text(const struct sample *sample, enum sample_field field);

/* The table, indexed by enum sample_field; offsets are those of struct sample. */
extern const struct field sample_fields[SAMPLE_FIELD_COUNT];

/* The field with this id, or NULL. */
const struct field *sample_field_find(struct str id);

/* Most processes a sample may stand for, and most whole cpus or cards it may use. */
#define SAMPLE_COUNT_MAX (INT64_C(1) << 24)

/*
 * What holds for every source, after a driver filled the sample: refuses (ERROR_INPUT, with the reason)
 * one without cluster, node, time or command, with a time outside [0, INSTANT_MAX), with a text beyond
 * LIMIT_TEXT_FIELD, or with an amount that nothing can have. A process or job of number 0 is none.
 */
int sample_check(struct sample *sample, struct error *err) MUST_CHECK;
