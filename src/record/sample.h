/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A sample: what one process, or some that were rolled up into one, had and used on one node at
 * one moment, as a sampler (sonar, our own agent) saw it; or a job, a node or a GPU.
 *
 * SAMPLE_FIELDS is the one description of what a sample carries, as RUN_FIELDS is of a run: the
 * struct, the columns of the facts, appending, what `stint samples` shows and filters by, and
 * the docs page are made from it. To add a field: a row here, the column in a new migration of
 * sql/facts/schema (a test compares them), and the drivers that know the value set it.
 *
 * `kind` says what a sample is of. Without it, of a process. Our agent has besides: `job`, all
 * processes of a job by the counters of its control group, those included that came and went
 * between two looks; `jobs`, the control group that holds those of all jobs, whose counters
 * include jobs that came and went between two looks; `node`, the node as a whole; `gpu`, a
 * card, whose `command` is its UUID.
 *
 * Counters begin at zero again when a node boots or a control group is created: then
 * `generation` differs, so that a reset is seen even where the new value is the higher one.
 *
 * Absent is absent, as in a run. Counters that only grow (cpu time, bytes read) are kept as
 * they were reported, also when they shrink; what follows from two samples is worked out when
 * it is asked for (report/queries/sample_listing.h).
 *
 * Identity: two samples with equal FIELD_KEY fields are the same one; where the process has no
 * number, the SAMPLE_KEY_ROLLED fields have to be equal, too. Absent equals absent. The first
 * one reported stays, unless the same line of the same file is read again (facts/samples.h).
 *
 * Ownership: text fields are views into the input or an arena of the caller; a sample owns
 * nothing and may be copied. Shares of cpus and GPUs are whole millionths, so that they stay
 * exact.
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
    X(kind, "kind", TEXT, NONE, FIELD_KEY | SAMPLE_STREAM, "Kind",                             \
      "what it is of: job (all processes of its control group), jobs (the control group of "   \
      "all jobs), node, gpu (a card); absent: a process")                                      \
    X(pid, "pid", INT, NONE, FIELD_KEY | SAMPLE_STREAM, "PID",                                 \
      "process id; absent if several processes were rolled up")                                \
    X(ppid, "ppid", INT, NONE, SAMPLE_KEY_ROLLED, "Parent", "process id of the parent")        \
    X(job, "job", INT, NONE, SAMPLE_KEY_ROLLED | SAMPLE_STREAM, "Job",                         \
      "the scheduler's job number, or the process group if there is none")                     \
    X(task, "task", INT, NONE, SAMPLE_KEY_ROLLED | SAMPLE_STREAM, "Task",                      \
      "array task, if the job number does not include it")                                     \
    X(scope, "scope", TEXT, NONE, SAMPLE_KEY_ROLLED | SAMPLE_STREAM, "Scope",                  \
      "control group without a job number: an allocation of Nomad, a slot of HTCondor, a "     \
      "user, all jobs")                                                                        \
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
      "part of these that was cancelled before it reached a disk")                             \
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
      "1 if the sampler reports a failed card on the node")                                    \
    /* of jobs by their control groups, of nodes and of cards */                               \
    X(cpus, "cpus", INT, COUNT, 0, "CPUs", "cpus of the node")                                 \
    X(cpu_user_us, "cpu_user", INT, SECONDS, SAMPLE_COUNTER, "CPU user",                       \
      "part of cpu_time in user mode")                                                         \
    X(cpu_system_us, "cpu_system", INT, SECONDS, SAMPLE_COUNTER, "CPU system",                 \
      "part of cpu_time in system mode")                                                       \
    X(throttled_us, "throttled", INT, SECONDS, SAMPLE_COUNTER, "Throttled",                    \
      "time during which it was throttled because its cpu quota was used up")                  \
    X(iowait_us, "iowait", INT, SECONDS, SAMPLE_COUNTER, "I/O wait",                           \
      "time during which cpus were idle while processes waited for disks")                     \
    X(mem_total_bytes, "mem_total", INT, BYTES, 0, "Memory size",                              \
      "memory of the node or card, or the limit of the group")                                 \
    X(mem_used_bytes, "mem_used", INT, BYTES, 0, "Memory used",                                \
      "memory in use, cache included for a group")                                             \
    X(mem_peak_bytes, "mem_peak", INT, BYTES, 0, "Memory peak",                                \
      "highest memory use since it began, cache included")                                     \
    X(mem_file_bytes, "mem_file", INT, BYTES, 0, "Cache",                                      \
      "part of mem_used that is file cache and can be reclaimed")                              \
    X(mem_shmem_bytes, "mem_shmem", INT, BYTES, 0, "Shared",                                   \
      "part of the file cache that is shared memory and cannot be reclaimed")                  \
    X(swap_bytes, "swap", INT, BYTES, 0, "Swap", "memory that is swapped out")                 \
    X(oom_kills, "oom_kills", INT, COUNT, SAMPLE_COUNTER, "OOM kills",                         \
      "processes that were killed because the memory was used up")                             \
    X(cpu_stall_us, "cpu_stall", INT, SECONDS, SAMPLE_COUNTER, "CPU stall",                    \
      "time during which a process waited for a cpu (pressure)")                               \
    X(mem_stall_us, "mem_stall", INT, SECONDS, SAMPLE_COUNTER, "Memory stall",                 \
      "the same for memory")                                                                   \
    X(io_stall_us, "io_stall", INT, SECONDS, SAMPLE_COUNTER, "I/O stall",                      \
      "the same for disks")                                                                    \
    X(received_bytes, "received", INT, BYTES, SAMPLE_COUNTER, "Received",                      \
      "bytes received by network cards since boot")                                            \
    X(sent_bytes, "sent", INT, BYTES, SAMPLE_COUNTER, "Sent",                                  \
      "bytes sent by network cards since boot")                                                \
    X(ib_received_bytes, "ib_received", INT, BYTES, SAMPLE_COUNTER, "IB received",             \
      "bytes received over InfiniBand")                                                        \
    X(ib_sent_bytes, "ib_sent", INT, BYTES, SAMPLE_COUNTER, "IB sent",                         \
      "bytes sent over InfiniBand")                                                            \
    X(remote_read_bytes, "remote_read", INT, BYTES, SAMPLE_COUNTER, "Remote read",             \
      "bytes read from NFS and Lustre")                                                        \
    X(remote_written_bytes, "remote_written", INT, BYTES, SAMPLE_COUNTER, "Remote written",    \
      "bytes written to NFS and Lustre")                                                       \
    X(energy_j, "energy", INT, JOULES, SAMPLE_COUNTER, "Energy",                               \
      "energy counter of the processors (RAPL) or of the card")                                \
    X(power_mw, "power", INT, NONE, 0, "Power", "power draw of a card in milliwatts")          \
    X(temperature_c, "temperature", INT, NONE, 0, "Temperature",                               \
      "temperature of the hottest part, in degrees Celsius")                                   \
    X(clock_mhz, "clock", INT, NONE, 0, "Clock",                                               \
      "clock of the compute units of a card, in MHz")                                          \
    X(gpu_errors, "gpu_errors", INT, COUNT, SAMPLE_COUNTER, "GPU errors",                      \
      "uncorrectable memory errors (ECC)")                                                     \
    X(gpu_throttle, "gpu_throttle", TEXT, NONE, 0, "GPU throttled",                            \
      "why a card runs slower than it could: power, heat, ...; none")                          \
    X(gpu_xids, "gpu_xids", TEXT, NONE, 0, "XIDs",                                             \
      "XID error numbers that the driver reported since the agent started; none")              \
    X(energy_mem_j, "energy_mem", INT, JOULES, SAMPLE_COUNTER, "Energy memory",                \
      "part of energy that memory used, where the processors measure it (RAPL dram)")          \
    X(generation, "generation", INT, NONE, SAMPLE_STREAM, "Generation",                        \
      "identifies one life of the counters: it differs after a boot of the node, and for a "   \
      "control group that was created again; absent: not known")                               \
    X(energy_generation, "energy_generation", INT, NONE, 0, "Energy generation",               \
      "the same for the energy counter of a node: it differs also after a start of the "       \
      "agent, "                                                                                \
      "which does not know how often the processors' counters began again before")             \
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
    uint64_t has[(SAMPLE_FIELD_COUNT + 63) / 64]; /* bit per field, see SAMPLE_HAS */
#define X(member, id, type, unit, flags, label, doc) RUN_TYPE_##type member;
    SAMPLE_FIELDS(X)
#undef X
};

#define SAMPLE_SET(sample, member_, value)                                                     \
    ((sample)->member_ = (value),                                                              \
     (sample)->has[SAMPLE_##member_ / 64] |= UINT64_C(1) << SAMPLE_##member_ % 64)
#define SAMPLE_CLEAR(sample, member_)                                                          \
    ((sample)->has[SAMPLE_##member_ / 64] &= ~(UINT64_C(1) << SAMPLE_##member_ % 64))
#define SAMPLE_HAS(sample, member_) sample_has((sample), SAMPLE_##member_)

static inline bool sample_has(const struct sample *sample, enum sample_field field)
{
    return sample->has[(unsigned)field / 64] >> (unsigned)field % 64 & 1;
}

/* Whether it has any field. */
bool sample_any(const struct sample *sample);

/* By number of the field: for drivers whose formats are tables. */
void sample_set_int(struct sample *sample, enum sample_field field, int64_t value);
void sample_set_text(struct sample *sample, enum sample_field field, struct str text);
int64_t sample_int(const struct sample *sample, enum sample_field field);
struct str sample_text(const struct sample *sample, enum sample_field field);

/*
 * A value of `generation`: of the counters of this thing (0: the node itself) in this boot. A
 * count that JSON readers keep exactly.
 */
int64_t sample_generation(uint64_t boot, uint64_t thing);

/* The table, indexed by enum sample_field; offsets are those of struct sample. */
extern const struct field sample_fields[SAMPLE_FIELD_COUNT];

/* The field with this id, or NULL. */
const struct field *sample_field_find(struct str id);

/* Most processes a sample may stand for, and most whole cpus or cards it may use. */
#define SAMPLE_COUNT_MAX (INT64_C(1) << 24)

/*
 * What holds for every source, after a driver filled the sample: refuses (ERROR_INPUT, with the
 * reason) one without cluster, node, time or, of a process, command, with a time outside [0,
 * INSTANT_MAX), with a text beyond LIMIT_TEXT_FIELD, or with an amount that nothing can have. A
 * process or job of number 0 does not exist.
 */
int sample_check(struct sample *sample, struct error *err) MUST_CHECK;
