/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Inside of the HTCondor driver: what its files share. Read docs/sources/htcondor.md first.
 *
 * An ad is a list of attributes, whatever it is written in. A value is a literal or an
 * expression; expressions are not evaluated, and what has one instead of a value is not known.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "record/run.h"
#include "source/source.h"

/* X(attribute, name): those we read. Names are the same in any case. */
#define AD_ATTRIBUTES(X)                                                                       \
    X(CLUSTER_ID, "ClusterId")                                                                 \
    X(PROC_ID, "ProcId")                                                                       \
    X(GLOBAL_JOB_ID, "GlobalJobId")                                                            \
    X(OWNER, "Owner")                                                                          \
    X(ACCT_GROUP, "AcctGroup")                                                                 \
    X(PROJECT_NAME, "ProjectName")                                                             \
    X(JOB_BATCH_NAME, "JobBatchName")                                                          \
    X(JOB_UNIVERSE, "JobUniverse")                                                             \
    X(JOB_PRIO, "JobPrio")                                                                     \
    X(CMD, "Cmd")                                                                              \
    X(ARGS, "Args")                                                                            \
    X(ARGUMENTS, "Arguments")                                                                  \
    X(IWD, "Iwd")                                                                              \
    X(TOTAL_SUBMIT_PROCS, "TotalSubmitProcs")                                                  \
    X(QDATE, "QDate")                                                                          \
    X(JOB_START_DATE, "JobStartDate")                                                          \
    X(JOB_CURRENT_START_DATE, "JobCurrentStartDate")                                           \
    X(COMPLETION_DATE, "CompletionDate")                                                       \
    X(ENTERED_CURRENT_STATUS, "EnteredCurrentStatus")                                          \
    X(EPOCH_WRITE_DATE, "EpochWriteDate")                                                      \
    X(REMOTE_WALL_CLOCK_TIME, "RemoteWallClockTime")                                           \
    X(LAST_REMOTE_WALL_CLOCK_TIME, "LastRemoteWallClockTime")                                  \
    X(CUMULATIVE_SUSPENSION_TIME, "CumulativeSuspensionTime")                                  \
    X(REMOTE_USER_CPU, "RemoteUserCpu")                                                        \
    X(REMOTE_SYS_CPU, "RemoteSysCpu")                                                          \
    X(CUMULATIVE_USER_CPU, "CumulativeRemoteUserCpu")                                          \
    X(CUMULATIVE_SYS_CPU, "CumulativeRemoteSysCpu")                                            \
    X(REQUEST_CPUS, "RequestCpus")                                                             \
    X(REQUEST_MEMORY, "RequestMemory")                                                         \
    X(REQUEST_GPUS, "RequestGPUs")                                                             \
    X(CPUS_PROVISIONED, "CpusProvisioned")                                                     \
    X(MEMORY_PROVISIONED, "MemoryProvisioned")                                                 \
    X(DISK_PROVISIONED, "DiskProvisioned")                                                     \
    X(GPUS_PROVISIONED, "GPUsProvisioned")                                                     \
    X(MACHINE_CPUS, "MachineAttrCpus0")                                                        \
    X(GPU_NAME, "GPUs_DeviceName")                                                             \
    X(CUDA_NAME, "CUDADeviceName")                                                             \
    X(MIN_HOSTS, "MinHosts")                                                                   \
    X(ALLOWED_EXECUTE_DURATION, "AllowedExecuteDuration")                                      \
    X(ALLOWED_JOB_DURATION, "AllowedJobDuration")                                              \
    X(REQUEST_WALLTIME, "RequestWalltime")                                                     \
    X(RESIDENT_SET_SIZE_RAW, "ResidentSetSize_RAW")                                            \
    X(RESIDENT_SET_SIZE, "ResidentSetSize")                                                    \
    X(MEMORY_USAGE, "MemoryUsage")                                                             \
    X(IMAGE_SIZE_RAW, "ImageSize_RAW")                                                         \
    X(IMAGE_SIZE, "ImageSize")                                                                 \
    X(BLOCK_READ_KBYTES, "BlockReadKbytes")                                                    \
    X(BLOCK_WRITE_KBYTES, "BlockWriteKbytes")                                                  \
    X(BLOCK_READS, "BlockReads")                                                               \
    X(BLOCK_WRITES, "BlockWrites")                                                             \
    X(LAST_REMOTE_HOST, "LastRemoteHost")                                                      \
    X(REMOTE_HOST, "RemoteHost")                                                               \
    X(JOB_STATUS, "JobStatus")                                                                 \
    X(EXIT_CODE, "ExitCode")                                                                   \
    X(EXIT_BY_SIGNAL, "ExitBySignal")                                                          \
    X(EXIT_SIGNAL, "ExitSignal")                                                               \
    X(REMOVE_REASON, "RemoveReason")                                                           \
    X(HOLD_REASON, "HoldReason")                                                               \
    X(HOLD_REASON_CODE, "HoldReasonCode")                                                      \
    X(LAST_HOLD_REASON_CODE, "LastHoldReasonCode")                                             \
    X(VACATE_REASON, "VacateReason")

enum ad_attribute {

#define X(attribute, name) AD_##attribute,
    AD_ATTRIBUTES(X)
#undef X
        AD_ATTRIBUTE_COUNT,
};

enum ad_kind {
    AD_ABSENT,
    AD_EXPRESSION, /* also undefined, lists, ads: nothing we can use */
    AD_NUMBER,     /* text that may be one */
    AD_TEXT,
    AD_TRUE,
    AD_FALSE,
};

struct ad_value {
    enum ad_kind kind;
    struct str text;
};

struct ad {
    struct ad_value values[AD_ATTRIBUTE_COUNT];
    int count;  /* attributes in all, known or not */
    bool epoch; /* one attempt, not the whole job */
    bool other; /* an ad that is no job's: of a transfer, say */
};

/* What the attributes are found by, and what the file is written in: the driver's format. */
enum ad_language { AD_LONG, AD_JSON, AD_XML, AD_BARS };

enum { AD_BUCKETS = 128 };

/*
 * Whose ads they are: of jobs that have left the queue, of those that are in it, of attempts.
 */
enum ad_of { AD_HISTORY, AD_QUEUE, AD_EPOCHS };

struct ad_format {
    enum ad_language language;
    enum ad_of of;
    int64_t seen;                     /* when the queue was asked */
    uint8_t first[AD_BUCKETS];        /* attribute + 1 */
    uint8_t next[AD_ATTRIBUTE_COUNT]; /* the same */
};

/* --- htcondor_ad.c ------------------------------------------------------------------------ */

void ad_format_init(struct ad_format *format, enum ad_language language);

/* Sets an attribute, if it is one of ours; the last one of a name is the one that counts. */
void ad_set(struct ad *ad, const struct ad_format *format, struct str name,
            struct ad_value value);

bool ad_int(const struct ad *ad, enum ad_attribute attribute, int64_t *out);
bool ad_micro(const struct ad *ad, enum ad_attribute attribute, int64_t *out); /* x 10^6 */
struct str ad_text(const struct ad *ad, enum ad_attribute attribute); /* null if not a text */

/* --- one file for each way to write ads --------------------------------------------------- */

/*
 * Take the next ad off the cursor. SOURCE_RECORD is an ad, which may be none of a job; a cut is
 * the length of the longest prefix that ends between ads.
 */
enum source_step ad_next_long(const struct ad_format *format, struct source_cursor *cursor,
                              struct ad *ad, struct error *err);
enum source_step ad_next_json(const struct ad_format *format, struct source_cursor *cursor,
                              struct ad *ad, struct error *err);
enum source_step ad_next_xml(const struct ad_format *format, struct source_cursor *cursor,
                             struct ad *ad, struct error *err);
enum source_step ad_next_bars(const struct ad_format *format, struct source_cursor *cursor,
                              struct ad *ad, struct error *err);
size_t ad_cut_long(struct str data);
size_t ad_cut_json(struct str data);
size_t ad_cut_xml(struct str data);

/*
 * Whether a line is one of APEL's: ten or eleven fields with bars between, numbers from the
 * third.
 */
bool ad_is_bars(struct str line);

/* Takes bytes off the cursor that hold any number of lines; they become its record. */
void ad_take(struct source_cursor *cursor, size_t length);

/* --- htcondor_run.c ----------------------------------------------------------------------- */

/* Fills a zeroed run. False if the ad does not say which job it is of. */
bool ad_run_fill(const struct ad *ad, struct arena *arena, struct run *run, struct error *err);

/* The same of a job in the queue; *is_open is false of one that is about to leave it. */
bool ad_run_listed(const struct ad *ad, struct arena *arena, bool *is_open, struct run *run,
                   struct error *err);
