/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The inside of the Grid Engine driver; nothing but source/sge*.c includes this.
 *
 * A record, colon row or JSON line, becomes a `struct sge_row`: where each column's text lies.
 * The run is filled from that, so both kinds are understood by the same code.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "record/run.h"

/*
 * X(COLUMN, key, kind, words): the columns in their order, accounting(5). From JOB_CLASS on
 * they are Univa's. `key` is also the JSON key, `words` is what messages call it.
 */
#define SGE_COLUMNS(X)                                                                         \
    X(QNAME, "qname", TEXT, "queue")                                                           \
    X(HOSTNAME, "hostname", TEXT, "host")                                                      \
    X(GROUP, "group", TEXT, "group")                                                           \
    X(OWNER, "owner", TEXT, "owner")                                                           \
    X(JOB_NAME, "job_name", TEXT, "job name")                                                  \
    X(JOB_NUMBER, "job_number", COUNT, "job number")                                           \
    X(ACCOUNT, "account", TEXT, "account")                                                     \
    X(PRIORITY, "priority", AMOUNT, "priority")                                                \
    X(SUBMISSION_TIME, "submission_time", TIME, "submission time")                             \
    X(START_TIME, "start_time", TIME, "start time")                                            \
    X(END_TIME, "end_time", TIME, "end time")                                                  \
    X(FAILED, "failed", COUNT, "failure code")                                                 \
    X(EXIT_STATUS, "exit_status", COUNT, "exit status")                                        \
    X(RU_WALLCLOCK, "ru_wallclock", AMOUNT, "wall clock time")                                 \
    X(RU_UTIME, "ru_utime", AMOUNT, "user time")                                               \
    X(RU_STIME, "ru_stime", AMOUNT, "system time")                                             \
    X(RU_MAXRSS, "ru_maxrss", AMOUNT, "maximum rss")                                           \
    X(RU_IXRSS, "ru_ixrss", AMOUNT, "ru_ixrss")                                                \
    X(RU_ISMRSS, "ru_ismrss", AMOUNT, "ru_ismrss")                                             \
    X(RU_IDRSS, "ru_idrss", AMOUNT, "ru_idrss")                                                \
    X(RU_ISRSS, "ru_isrss", AMOUNT, "ru_isrss")                                                \
    X(RU_MINFLT, "ru_minflt", AMOUNT, "ru_minflt")                                             \
    X(RU_MAJFLT, "ru_majflt", AMOUNT, "ru_majflt")                                             \
    X(RU_NSWAP, "ru_nswap", AMOUNT, "ru_nswap")                                                \
    X(RU_INBLOCK, "ru_inblock", AMOUNT, "ru_inblock")                                          \
    X(RU_OUBLOCK, "ru_oublock", AMOUNT, "ru_oublock")                                          \
    X(RU_MSGSND, "ru_msgsnd", AMOUNT, "ru_msgsnd")                                             \
    X(RU_MSGRCV, "ru_msgrcv", AMOUNT, "ru_msgrcv")                                             \
    X(RU_NSIGNALS, "ru_nsignals", AMOUNT, "ru_nsignals")                                       \
    X(RU_NVCSW, "ru_nvcsw", AMOUNT, "ru_nvcsw")                                                \
    X(RU_NIVCSW, "ru_nivcsw", AMOUNT, "ru_nivcsw")                                             \
    X(PROJECT, "project", TEXT, "project")                                                     \
    X(DEPARTMENT, "department", TEXT, "department")                                            \
    X(GRANTED_PE, "granted_pe", TEXT, "parallel environment")                                  \
    X(SLOTS, "slots", COUNT, "number of slots")                                                \
    X(TASK_NUMBER, "task_number", COUNT, "task number")                                        \
    X(CPU, "cpu", AMOUNT, "cpu time")                                                          \
    X(MEM, "mem", AMOUNT, "memory use")                                                        \
    X(IO, "io", AMOUNT, "I/O amount")                                                          \
    X(CATEGORY, "category", TEXT, "category")                                                  \
    X(IOW, "iow", AMOUNT, "I/O wait")                                                          \
    X(PE_TASKID, "pe_taskid", TEXT, "slave task")                                              \
    X(MAXVMEM, "maxvmem", AMOUNT, "maximum virtual memory")                                    \
    X(ARID, "arid", COUNT, "reservation")                                                      \
    X(AR_SUBMISSION_TIME, "ar_submission_time", TIME, "reservation's submission time")         \
    X(JOB_CLASS, "job_class", TEXT, "job class")                                               \
    X(QDEL_INFO, "qdel_info", TEXT, "deleted by")                                              \
    X(MAXRSS, "maxrss", AMOUNT, "maximum resident memory")                                     \
    X(MAXPSS, "maxpss", AMOUNT, "maximum proportional memory")                                 \
    X(SUBMIT_HOST, "submit_host", TEXT, "submit host")                                         \
    X(CWD, "cwd", TEXT, "working folder")                                                      \
    X(SUBMIT_CMD, "submit_cmd", TEXT, "submit command")                                        \
    X(WALLCLOCK, "wallclock", AMOUNT, "wall clock time")                                       \
    X(IOOPS, "ioops", AMOUNT, "I/O operations")

enum sge_column {

#define X(column, key, kind, words) SGE_##column,
    SGE_COLUMNS(X)
#undef X
        SGE_COLUMN_COUNT,
};

/* The fewest columns any version writes: up to and including maxvmem. */
enum { SGE_COLUMN_LEAST = SGE_MAXVMEM + 1 };

enum sge_kind {
    SGE_TEXT,   /* NONE or nothing is absent */
    SGE_COUNT,  /* an integer */
    SGE_TIME,   /* seconds, milliseconds or microseconds since 1970, 0 is never */
    SGE_AMOUNT, /* a decimal number, perhaps nan */
};

struct sge_column_info {
    const char *key;
    const char *words;
    enum sge_kind kind;
};

extern const struct sge_column_info sge_columns[SGE_COLUMN_COUNT];

/* Where the columns of one record lie. Column i ends one byte before column i + 1 begins. */
enum { SGE_SPLIT_SLACK = 64 }; /* the splitter may write this far beyond the last column */

struct sge_row {
    const char *text;
    uint32_t at[SGE_COLUMN_COUNT + 1 + SGE_SPLIT_SLACK];
    unsigned count; /* columns known, at most SGE_COLUMN_COUNT */
    bool odd;       /* separators inside text were found and joined again */
    bool reported;  /* it is one of the reporting file: see sge_reported.c */
};

static inline struct str sge_column(const struct sge_row *row, enum sge_column column)
{
    uint32_t start = row->at[column];
    return (struct str){row->text + start, row->at[column + 1] - start - 1};
}

/* Whether the row has the column and it says something. Only for SGE_TEXT. */
static inline bool sge_has_text(const struct sge_row *row, enum sge_column column)
{
    if ((unsigned)column >= row->count) {
        return false;
    }
    struct str text = sge_column(row, column);
    return text.len > 0 && !(text.len == 4 && memcmp(text.ptr, "NONE", 4) == 0);
}

/* --- sge_row.c: rows of what is no colon row ---------------------------------------------- */

/*
 * Makes a row of texts, one a column; a null one says that nothing is known. The row is in the
 * arena.
 */
void sge_row_write(struct str texts[SGE_COLUMN_COUNT], struct arena *arena,
                   struct sge_row *row);

/* --- sge_text.c, sge_align.c: colon rows -------------------------------------------------- */

enum sge_bytes {
    SGE_BYTES_ASCII,
    SGE_BYTES_HIGH, /* some byte is not ASCII */
    SGE_BYTES_NUL,  /* some byte is 0: no text at all */
};

/*
 * Finds the columns of a colon row, taking every colon for a separator; *fields is how many
 * there are, and row->count of them are known. Says what bytes it saw.
 */
enum sge_bytes sge_text_split(struct str line, struct sge_row *row, unsigned *fields);

/*
 * Finds the columns of a row that has colons inside its texts, by what must be numbers. False
 * if there is no such reading, or no single one; the error says which, if it is more than "no".
 */
bool sge_align(struct str line, struct sge_row *row, struct error *err);

/* The same for colons in the submit command alone, where all columns before it are right. */
void sge_align_command(struct str line, struct sge_row *row);

/* --- sge_json.c --------------------------------------------------------------------------- */

/* Makes a row of a JSON line; its text is in the arena. */
int sge_json_row(struct str line, struct arena *arena, struct sge_row *row,
                 struct error *err) MUST_CHECK;

/* --- sge_value.c -------------------------------------------------------------------------- */

/* The columns that must be whole numbers. */
enum sge_count {
    SGE_COUNT_JOB,
    SGE_COUNT_SUBMIT, /* times as they stand: seconds, milliseconds or microseconds */
    SGE_COUNT_START,
    SGE_COUNT_END,
    SGE_COUNT_FAILED,
    SGE_COUNT_EXIT,
    SGE_COUNT_SLOTS,
    SGE_COUNT_TASK,
    SGE_COUNT_RESERVATION, /* 0 in the oldest rows, which have no such column */
    SGE_COUNTS,
};

/*
 * The columns that may be any number: times in microseconds, sizes in bytes, mem in GiB x us.
 */
enum sge_amount {
    SGE_AMOUNT_WALL,
    SGE_AMOUNT_USER,
    SGE_AMOUNT_SYSTEM,
    SGE_AMOUNT_PROCESS_RSS,
    SGE_AMOUNT_CPU,
    SGE_AMOUNT_INTEGRAL,
    SGE_AMOUNT_IO,
    SGE_AMOUNT_IO_WAIT,
    SGE_AMOUNT_VMEM,
    SGE_AMOUNT_RSS, /* this and the next in Univa's rows and JSON lines */
    SGE_AMOUNT_IO_OPS,
    SGE_AMOUNTS,
};

struct sge_values {
    int64_t count[SGE_COUNTS];
    int64_t amount[SGE_AMOUNTS];
    unsigned known; /* bit per amount */
    int64_t priority;
    bool has_priority;
};

static inline bool sge_knows(const struct sge_values *values, enum sge_amount which)
{
    return values->known >> (unsigned)which & 1;
}

/*
 * Reads the numbers of a row. False if a column does not hold what it should; the error names
 * it.
 */
bool sge_value_read(const struct sge_row *row, struct sge_values *out, struct error *err);

/* Seconds, milliseconds and microseconds, as microseconds: their sizes distinguish them. */
static inline int64_t sge_instant(int64_t value)
{
    if (value > INT64_C(100000000000000)) {
        return value;
    }
    if (value > INT64_C(100000000000)) {
        return value * 1000;
    }
    return value >= 0 ? value * 1000000 : -1; /* before 1970: impossible in any unit */
}

/* --- sge_reported.c ----------------------------------------------------------------------- */

/* Whether it is a line of the reporting file; then its type and what follows. */
bool sge_reported_cut(struct str line, struct str *type, struct str *row);

/* Whether a row, whose columns are right, is of a job that is not over. */
bool sge_reported_continues(const struct sge_row *row);

/*
 * Makes of the numbers of a row what the accounting file has in its place, as far as they tell.
 */
bool sge_reported_mend(struct sge_values *values);

/* --- sge_request.c ------------------------------------------------------------------------ */

/*
 * What a job asked for that bounds it. Those of memory in the order in which we believe them.
 */
enum sge_want {
    SGE_WANT_H_RT, /* microseconds */
    SGE_WANT_S_RT,
    SGE_WANT_H_CPU,
    SGE_WANT_S_CPU,
    SGE_WANT_M_MEM_FREE, /* bytes, a slot */
    SGE_WANT_H_VMEM,
    SGE_WANT_H_RSS,
    SGE_WANT_S_VMEM,
    SGE_WANT_S_RSS,
    SGE_WANT_MEM_FREE,
    SGE_WANT_VIRTUAL_FREE,
    SGE_WANT_GPUS,
    SGE_WANT_SLOTS, /* the fewest that would do */
    SGE_WANT_COUNT,
};

struct sge_request {
    unsigned has; /* bit per enum sge_want */
    int64_t value[SGE_WANT_COUNT];
    struct str gpu_type; /* null if not asked for */
};

static inline bool sge_wants(const struct sge_request *request, enum sge_want want)
{
    return request->has >> (unsigned)want & 1;
}

/*
 * Reads a category: "-q long.q -l h_rt=3600,h_vmem=2G -pe mpi 4-8". What it cannot read it
 * skips.
 */
void sge_request_parse(struct str category, struct sge_request *out);

/* --- sge_code.c --------------------------------------------------------------------------- */

/* What is known of how a run ended, beside the failure code. */
struct sge_end {
    int64_t failed;
    int64_t exit_status;
    bool deleted;   /* the record names who deleted it */
    bool over_time; /* it reached a limit on time it had asked for */
    bool over_memory;
};

/* The signal that an exit status stands for, or 0. */
int64_t sge_code_signal(int64_t exit_status);
bool sge_code_is_requeued(int64_t failed); /* the attempt ended so that another one may begin */
enum run_class sge_code_class(const struct sge_end *end);

/* What a failure code means; for code 0 the null string. */
struct str sge_code_reason(int64_t failed);

/* --- sge_run.c ---------------------------------------------------------------------------- */

/* Fills a zeroed run. False if a column does not hold what it should; the error names it. */
bool sge_run_fill(const struct sge_row *row, struct run *run, struct error *err);
