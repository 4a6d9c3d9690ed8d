/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/mem.h"
#include "source/slurm/slurm_row.h"

/*
 * Every column that `sacct --helpformat` has had from 2.2 to 26.05. Those we make nothing of
 * are here, too: what they must look like helps to find the others when a text holds
 * delimiters.
 */

#define USED(name, kind, target, likely)                                                       \
    {                                                                                          \
        SLURM_##kind, SLURM_##target, (likely), (name)                                         \
    }
#define PLAIN(name, kind)                                                                      \
    {                                                                                          \
        SLURM_##kind, SLURM_UNUSED, 0, (name)                                                  \
    }

static const struct slurm_slot columns[] = {
    USED("JobID", ID, UNUSED, 0),
    USED("JobIDRaw", RAW_ID, RAW_JOB, 0),
    USED("Cluster", WORD, CLUSTER, 0),
    USED("Partition", WORD, PARTITION, 0),
    USED("QOS", WORD, QOS, 0),
    USED("Account", WORD, ACCOUNT, 0),
    USED("Group", WORD, GROUP, 0),
    USED("GID", COUNT, GID, 0),
    USED("User", WORD, USER, 0),
    USED("UID", COUNT, UID, 0),
    USED("Submit", TIME, SUBMIT, 0),
    USED("Eligible", TIME, ELIGIBLE, 0),
    USED("Start", TIME, START, 0),
    USED("End", TIME, END, 0),
    USED("Elapsed", DURATION, ELAPSED, 0),
    USED("ElapsedRaw", DURATION, ELAPSED, 0),
    USED("Suspended", DURATION, SUSPENDED, 0),
    USED("Timelimit", MINUTES, LIMIT, 0),
    USED("TimelimitRaw", MINUTES, LIMIT, 0),
    USED("ExitCode", EXIT_PAIR, EXIT, 0),
    USED("State", STATE_WORD, STATE, 0),
    USED("NNodes", COUNT, NODES, 0),
    USED("AllocNodes", COUNT, NODES, 0),
    USED("NCPUS", COUNT, CPUS, 0),
    USED("AllocCPUS", COUNT, CPUS, 0),
    USED("NTasks", COUNT, TASKS, 0),
    USED("ReqCPUS", COUNT, REQ_CPUS, 0),
    USED("ReqNodes", COUNT, REQ_NODES, 0),
    USED("ReqMem", MEM, REQ_MEM, 0),
    USED("ReqTRES", TRES_WANT, REQUEST, 0),
    USED("AllocTRES", TRES_ALLOC, UNUSED, 0),
    USED("ReqGRES", GRES, WANT_GRES_GPUS, 0),
    USED("AllocGRES", GRES, GRES_GPUS, 0),
    USED("NodeList", LOOSE, NODE_LIST, 0),
    USED("Priority", COUNT, PRIORITY, 0),
    USED("Reservation", LOOSE, RESERVATION, 0),
    USED("Reason", LOOSE, REASON, 0),
    USED("WCKey", LOOSE, WCKEY, 0),
    USED("UserCPU", DURATION, CPU_USER, 0),
    USED("SystemCPU", DURATION, CPU_SYSTEM, 0),
    USED("TotalCPU", DURATION, CPU_TOTAL, 0),
    USED("MaxRSS", BYTES, RSS_MAX, 0),
    USED("AveRSS", BYTES, RSS_AVE, 0),
    USED("MaxVMSize", BYTES, VMEM_MAX, 0),
    USED("AveDiskRead", BYTES, READ_AVE, 0),
    USED("AveDiskWrite", BYTES, WRITE_AVE, 0),
    USED("ConsumedEnergyRaw", COUNT, ENERGY, 0),
    USED("TRESUsageInTot", TRES_IN, UNUSED, 0),
    USED("TRESUsageOutTot", TRES_OUT, UNUSED, 0),
    USED("SubmitLine", FREE, COMMAND, 9),
    USED("JobName", FREE, NAME, 7),
    USED("WorkDir", FREE, WORK_DIR, 1),
    {SLURM_FREE, SLURM_UNUSED, 8, "Comment"},
    {SLURM_FREE, SLURM_UNUSED, 6, "AdminComment"},
    {SLURM_FREE, SLURM_UNUSED, 5, "SystemComment"},
    {SLURM_FREE, SLURM_UNUSED, 4, "Constraints"},
    {SLURM_FREE, SLURM_UNUSED, 3, "Extra"},
    {SLURM_FREE, SLURM_UNUSED, 2, "StdOut"},
    {SLURM_FREE, SLURM_UNUSED, 2, "StdErr"},
    {SLURM_FREE, SLURM_UNUSED, 2, "StdIn"},
    PLAIN("Container", LOOSE),
    PLAIN("AssocID", COUNT),
    PLAIN("AveCPU", DURATION),
    PLAIN("AveCPUFreq", LOOSE),
    PLAIN("AvePages", LOOSE),
    PLAIN("AveVMSize", BYTES),
    PLAIN("BlockID", LOOSE),
    PLAIN("ConsumedEnergy", LOOSE),
    PLAIN("CPUTime", DURATION),
    PLAIN("CPUTimeRAW", DURATION),
    PLAIN("DBIndex", COUNT),
    PLAIN("DerivedExitCode", LOOSE),
    PLAIN("FailedNode", LOOSE),
    PLAIN("Exclusive", LOOSE),
    PLAIN("Flags", LOOSE),
    PLAIN("Layout", LOOSE),
    PLAIN("Licenses", LOOSE),
    PLAIN("MaxDiskRead", BYTES),
    PLAIN("MaxDiskReadNode", WORD),
    PLAIN("MaxDiskReadTask", LOOSE),
    PLAIN("MaxDiskWrite", BYTES),
    PLAIN("MaxDiskWriteNode", WORD),
    PLAIN("MaxDiskWriteTask", LOOSE),
    PLAIN("MaxPages", LOOSE),
    PLAIN("MaxPagesNode", WORD),
    PLAIN("MaxPagesTask", LOOSE),
    PLAIN("MaxRSSNode", WORD),
    PLAIN("MaxRSSTask", LOOSE),
    PLAIN("MaxVMSizeNode", WORD),
    PLAIN("MaxVMSizeTask", LOOSE),
    PLAIN("McsLabel", LOOSE),
    PLAIN("MinCPU", DURATION),
    PLAIN("MinCPUNode", WORD),
    PLAIN("MinCPUTask", LOOSE),
    PLAIN("OriginalSLUID", WORD),
    PLAIN("OverSubscribe", LOOSE),
    PLAIN("Planned", DURATION),
    PLAIN("PlannedCPU", DURATION),
    PLAIN("PlannedCPURAW", DURATION),
    PLAIN("QOSRAW", LOOSE),
    PLAIN("QOSREQ", LOOSE),
    PLAIN("ReqCPUFreq", LOOSE),
    PLAIN("ReqCPUFreqGov", LOOSE),
    PLAIN("ReqCPUFreqMax", LOOSE),
    PLAIN("ReqCPUFreqMin", LOOSE),
    PLAIN("ReqReservation", LOOSE),
    PLAIN("ReservationId", LOOSE),
    PLAIN("Reserved", DURATION),
    PLAIN("ResvCPU", DURATION),
    PLAIN("ResvCPURAW", DURATION),
    PLAIN("Restarts", COUNT),
    PLAIN("SegmentSize", LOOSE),
    PLAIN("SLUID", WORD),
    PLAIN("TRESUsageInAve", LOOSE),
    PLAIN("TRESUsageInMax", LOOSE),
    PLAIN("TRESUsageInMaxNode", LOOSE),
    PLAIN("TRESUsageInMaxTask", LOOSE),
    PLAIN("TRESUsageInMin", LOOSE),
    PLAIN("TRESUsageInMinNode", LOOSE),
    PLAIN("TRESUsageInMinTask", LOOSE),
    PLAIN("TRESUsageOutAve", LOOSE),
    PLAIN("TRESUsageOutMax", LOOSE),
    PLAIN("TRESUsageOutMaxNode", LOOSE),
    PLAIN("TRESUsageOutMaxTask", LOOSE),
    PLAIN("TRESUsageOutMin", LOOSE),
    PLAIN("TRESUsageOutMinNode", LOOSE),
    PLAIN("TRESUsageOutMinTask", LOOSE),
    PLAIN("WCKeyID", LOOSE),
};

static const struct slurm_slot *find_column(struct str name)
{
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        if (str_eq_nocase(name, str_of(columns[i].name))) {
            return &columns[i];
        }
    }
    return NULL;
}

/* A column that is there twice is read once. */
static bool is_double(const struct slurm_format *format, const struct slurm_slot *slot)
{
    for (unsigned i = 0; i < format->count; i++) {
        if (format->slots[i].kind == slot->kind && format->slots[i].target == slot->target) {
            return true;
        }
    }
    return false;
}

static bool add_column(struct slurm_format *format, const struct slurm_slot *slot)
{
    if (format->count == SLURM_SLOTS_MAX) {
        return false;
    }
    if (slot->kind == SLURM_BYTES || slot->kind == SLURM_TRES_IN) {
        format->measures = true;
    }
    struct slurm_slot *at = &format->slots[format->count];
    *at = *slot;
    if (slot->target != SLURM_UNUSED && is_double(format, slot)) {
        at->target = SLURM_UNUSED;
    }
    format->count++;
    return true;
}

/* The column that distinguishes a job from its steps: JobID, else JobIDRaw. */
static bool find_id(struct slurm_format *format)
{
    for (unsigned kind = SLURM_ID; kind <= SLURM_RAW_ID; kind++) {
        format->id_moves = false;
        for (unsigned i = 0; i < format->count; i++) {
            if (format->slots[i].kind == kind) {
                format->id_slot = i;
                return true;
            }
            format->id_moves |= format->slots[i].kind == SLURM_FREE;
        }
    }
    return false;
}

static bool is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9');
}

static struct str take_name(struct str *rest)
{
    size_t len = 0;
    while (len < rest->len && is_name_byte(rest->ptr[len])) {
        len++;
    }
    struct str name = {rest->ptr, len};
    rest->ptr += len;
    rest->len -= len;
    return name;
}

/* What stands between the first two names, unless the user has said it. */
static bool find_delimiter(struct str rest, struct slurm_format *format)
{
    if (format->delimiter_len > 0) {
        return true;
    }
    size_t len = 0;
    while (len < rest.len && !is_name_byte(rest.ptr[len])) {
        len++;
    }
    if (len == 0 || len > SLURM_DELIMITER_MAX || rest.ptr[0] == ' ') {
        return false;
    }
    memcpy(format->delimiter, rest.ptr, len);
    format->delimiter_len = len;
    return true;
}

/*
 * A Slurm of tomorrow has columns that nobody here knows: they are passed over. A line is a
 * header nevertheless if it has an id, and four known columns for each unknown one.
 */
static const struct slurm_slot unknown_column = PLAIN("", LOOSE);

enum { KNOWN_FOR_EACH_UNKNOWN = 4 };

bool slurm_column_header(struct str line, struct slurm_format *format)
{
    struct str rest = line;
    unsigned unknown = 0;
    format->count = 0;
    for (;;) {
        const struct str name = take_name(&rest);
        const struct slurm_slot *slot = find_column(name);
        unknown += !slot;
        if (name.len == 0 || !add_column(format, slot ? slot : &unknown_column)) {
            return false;
        }
        if (format->count == 1 && !find_delimiter(rest, format)) {
            return false;
        }
        if (rest.len == 0) {
            break;
        }
        struct str delimiter = {format->delimiter, format->delimiter_len};
        if (!str_starts(rest, delimiter)) {
            return false;
        }
        rest.ptr += delimiter.len;
        rest.len -= delimiter.len;
        if (rest.len == 0) {
            format->trailing = true;
            break;
        }
    }
    return format->count > 1 && format->count - unknown >= KNOWN_FOR_EACH_UNKNOWN * unknown &&
           find_id(format);
}

int slurm_column_names(struct str names, struct slurm_format *format, struct error *err)
{
    format->count = 0;
    while (names.ptr) {
        struct str name = str_trim(str_cut(&names, ','));
        /* As sacct takes them: a width may follow. */
        const char *width = str_byte(name, '%');
        name.len = width ? (size_t)(width - name.ptr) : name.len;
        const struct slurm_slot *slot = find_column(name);
        if (!slot) {
            return error_set(
                err, ERROR_USAGE,
                "--columns has '%.*s', which is not a column of sacct; see: sacct --helpformat",
                STR_ARG(name));
        }
        if (!add_column(format, slot)) {
            return error_set(err, ERROR_LIMIT, "--columns names more than %d columns",
                             SLURM_SLOTS_MAX);
        }
    }
    return find_id(format) ? 0
                           : error_set(err, ERROR_USAGE,
                                       "--columns must include JobID or JobIDRaw: without it a "
                                       "job cannot be distinguished from its steps");
}
