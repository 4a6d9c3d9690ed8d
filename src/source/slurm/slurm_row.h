/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The inside of the Slurm driver; nothing but source/slurm*.c includes this.
 *
 * A job or a step, of text or JSON, becomes a `struct slurm_row`: numbers and texts that are
 * known, in our units. A run is made of a job's row and those of its steps, so both formats are
 * understood by the same code.
 */

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "record/run.h"
#include "source/source.h"

/* Numbers of a row. Times in microseconds, sizes in bytes. */
enum slurm_number {
    SLURM_RAW_JOB,
    SLURM_SUBMIT,
    SLURM_ELIGIBLE,
    SLURM_START,
    SLURM_END,
    SLURM_ELAPSED, /* without the time suspended */
    SLURM_SUSPENDED,
    SLURM_LIMIT,
    SLURM_EXIT,
    SLURM_SIGNAL,
    SLURM_CPUS, /* given, but asked for until it starts; so are nodes */
    SLURM_NODES,
    SLURM_TASKS,
    SLURM_REQ_CPUS,
    SLURM_REQ_NODES,
    SLURM_REQ_MEM, /* see slurm_mem_per */
    SLURM_PRIORITY,
    SLURM_UID,
    SLURM_GID,
    SLURM_CPU_USER,
    SLURM_CPU_SYSTEM,
    SLURM_CPU_TOTAL,
    SLURM_RSS_MAX, /* of the largest task of a step */
    SLURM_RSS_AVE, /* of its tasks */
    SLURM_VMEM_MAX,
    SLURM_READ_AVE,
    SLURM_WRITE_AVE,
    SLURM_ENERGY,
    SLURM_ALLOC_CPUS, /* trackable resources (TRES) allocated */
    SLURM_ALLOC_NODES,
    SLURM_ALLOC_MEM,
    SLURM_ALLOC_GPUS,
    SLURM_ALLOC_BILLING,
    SLURM_ALLOC_ENERGY,
    SLURM_WANT_CPUS, /* requested */
    SLURM_WANT_NODES,
    SLURM_WANT_MEM,
    SLURM_WANT_GPUS,
    SLURM_USED_MEM, /* of a step, summed over its tasks */
    SLURM_USED_VMEM,
    SLURM_USED_READ,
    SLURM_USED_WRITE,
    SLURM_USED_ENERGY,
    SLURM_GRES_GPUS, /* of AllocGRES, before there were TRES, and of the controller's gres_detail */
    SLURM_WANT_GRES_GPUS, /* of ReqGRES: a node */
    SLURM_NUMBER_COUNT,
};

static_assert(SLURM_NUMBER_COUNT <= 64, "known is a bit each");

enum slurm_text {
    SLURM_CLUSTER,
    SLURM_PARTITION,
    SLURM_QOS,
    SLURM_ACCOUNT,
    SLURM_GROUP,
    SLURM_USER,
    SLURM_STATE, /* without who cancelled it */
    SLURM_CANCELLER,
    SLURM_NODE_LIST,
    SLURM_NAME,
    SLURM_WORK_DIR,
    SLURM_COMMAND,
    SLURM_RESERVATION,
    SLURM_REASON,
    SLURM_WCKEY,
    SLURM_GPU_TYPE,
    SLURM_WANT_GPU_TYPE,
    SLURM_REQUEST,
    SLURM_RESOURCES, /* allocated: other than cpus, memory, nodes and energy */
    SLURM_TEXT_COUNT,
};

/* What a requested memory is for: Slurm had the same column for all three. */
enum slurm_mem_per { SLURM_MEM_JOB, SLURM_MEM_NODE, SLURM_MEM_CPU };

/* 123, 123_4, 123_[5-9%2], 123+1, and of each the steps: .batch, .0 */
struct slurm_id {
    int64_t job;
    bool is_array, has_task, has_task_count, is_het;
    int64_t task, task_count, het;
    struct str whole; /* without the step */
    struct str step;  /* the null string of a job */
};

struct slurm_row {
    struct slurm_id id;
    uint64_t known; /* bit a number */
    /* bit a time that was read in the zone of the file, having none of its own */
    uint64_t local;
    uint32_t has_text; /* bit a text */
    enum slurm_mem_per mem_per;
    bool measured; /* of a step: somebody looked at it while it ran, or could not have */
    bool has_gpus; /* the record speaks of GPUs, though its lists of resources may not */
    bool odd;      /* delimiters inside texts */
    bool recoded;  /* was not UTF-8 */
    int64_t number[SLURM_NUMBER_COUNT];
    struct str text[SLURM_TEXT_COUNT];
    /*
     * the list of nodes with the cpus of each (source/common/hosts.h) where these differ; else
     * null
     */
    struct str node_cpus;
};

static inline void slurm_row_clear(struct slurm_row *row)
{
    row->id = (struct slurm_id){0};
    row->known = 0;
    row->local = 0;
    row->has_text = 0;
    row->mem_per = SLURM_MEM_JOB;
    row->measured = false;
    row->has_gpus = false;
    row->odd = false;
    row->recoded = false;
    row->node_cpus = (struct str){0};
}

static inline bool slurm_knows(const struct slurm_row *row, enum slurm_number number)
{
    return row->known >> (unsigned)number & 1;
}

static inline void slurm_set(struct slurm_row *row, enum slurm_number number, int64_t value)
{
    row->number[number] = value;
    row->known |= UINT64_C(1) << (unsigned)number;
}

static inline bool slurm_has(const struct slurm_row *row, enum slurm_text text)
{
    return row->has_text >> (unsigned)text & 1;
}

static inline void slurm_set_text(struct slurm_row *row, enum slurm_text text, struct str value)
{
    row->text[text] = value;
    row->has_text |= UINT32_C(1) << (unsigned)text;
}

/* --- slurm_column.c: the columns of sacct ------------------------------------------------- */

enum slurm_kind {
    SLURM_FREE, /* text that may hold anything */
    SLURM_WORD, /* text without blanks */
    SLURM_ID,
    SLURM_RAW_ID,
    SLURM_TIME,
    SLURM_DURATION,
    SLURM_MINUTES, /* a duration whose plain number counts minutes */
    SLURM_COUNT,
    SLURM_BYTES,
    SLURM_MEM, /* ReqMem: MiB, with what it is for */
    SLURM_STATE_WORD,
    SLURM_EXIT_PAIR,
    SLURM_TRES_ALLOC,
    SLURM_TRES_WANT,
    SLURM_TRES_IN,
    SLURM_TRES_OUT,
    SLURM_GRES,
    SLURM_LOOSE, /* anything that is on one line: numbers with units, lists */
};

enum { SLURM_UNUSED = 255, SLURM_SLOTS_MAX = 256, SLURM_DELIMITER_MAX = 8 };

/* A column of a file: what is in it, and which number or text of the row it is. */
struct slurm_slot {
    uint8_t kind;
    uint8_t target; /* or SLURM_UNUSED */
    uint8_t likely; /* of texts side by side with delimiters in them: the one to blame first */
    const char *name;
};

/* What is known of a file; see source_driver.open. */
struct slurm_format {
    bool is_json;
    bool is_jobcomp; /* lines of slurm_jobcomp.c */
    int64_t seen;    /* when the controller was asked; 0: nobody did */
    const struct zone *zone;
    char delimiter[SLURM_DELIMITER_MAX];
    size_t delimiter_len;
    bool trailing; /* a delimiter ends each row: sacct -p */
    unsigned count;
    unsigned id_slot;
    bool id_moves;     /* a text that may hold delimiters comes before it */
    bool measures;     /* has a column that says whether a step was looked at */
    char *header_text; /* owned; NULL if there is no header */
    struct str header; /* the same, to know it again further down */
    struct slurm_slot slots[SLURM_SLOTS_MAX];
};

/* Whether a line is a header of sacct: at least a job id and one more column. */
bool slurm_column_header(struct str line, struct slurm_format *format);

/* Reads the names a user gives; ERROR_USAGE names the one that is not one. */
int slurm_column_names(struct str names, struct slurm_format *format,
                       struct error *err) MUST_CHECK;

/* --- slurm_value.c: one value of text ----------------------------------------------------- */

/* Reads the id of a job or step; false if it is not one. */
bool slurm_value_id(struct str text, struct slurm_id *id);

/* Reads a column's text into the row; false if it is not what the column must be. */
bool slurm_value_read(const struct slurm_format *format, const struct slurm_slot *slot,
                      struct str text, struct arena *arena, struct slurm_row *row);

/* Whether a text could be a column's, used or not; stricter than reading it. */
bool slurm_value_fits(const struct slurm_format *format, const struct slurm_slot *slot,
                      struct str text, struct arena *arena);

/*
 * "2025-03-01T12:00:00" in the zone, with an offset behind it without regard to that, or
 * seconds since 1970.
 */
bool slurm_value_time(const struct zone *zone, struct str text, int64_t *out);

/* --- slurm_tres.c: lists of resources ----------------------------------------------------- */

/* Which of the lists: its first number, and where GPUs are. */
enum slurm_tres_list {
    SLURM_LIST_ALLOC,
    SLURM_LIST_WANT,
    SLURM_LIST_IN,
    SLURM_LIST_OUT,
    SLURM_LIST_COUNT,
};

enum { SLURM_OTHERS_MAX = 16 };

/*
 * What is not a number of the row while a list is read. GPUs: "gres/gpu" counts all of them,
 * "gres/gpu:a100" those of a type. And other resources, of what was allocated.
 */
struct slurm_tres {
    struct arena *arena; /* for names */
    bool any, generic;
    int64_t count, typed;
    struct str type; /* of the last; all of them with commas between */

    struct slurm_other {
        struct str name; /* "gres/shard", "gres/gpu:a100", "license/matlab" */
        int64_t count;
    } others[SLURM_OTHERS_MAX];

    size_t other_count;
    bool others_unknown; /* some have a number in place of a name, or there are too many */
};

bool slurm_tres_text(struct str list, enum slurm_tres_list which, struct arena *arena,
                     struct slurm_row *row);
bool slurm_tres_gres(struct str list, enum slurm_number target, struct arena *arena,
                     struct slurm_row *row);

/*
 * Whether the command line by which a job was submitted asks for GPUs. Those asked for inside
 * of a script are not seen.
 */
bool slurm_tres_asks_gpus(struct str command, struct arena *arena);

/*
 * Whether the command line asks for a licence, or a generic resource other than GPUs, that the
 * list of what was allocated does not have: AccountingStorageTRES does not name it.
 */
bool slurm_tres_lacks(struct str command, struct str resources);

/* One resource: its type and name ("gres", "gpu:a100"), and how much, in Slurm's unit of it. */
void slurm_tres_put(enum slurm_tres_list which, struct str type, struct str name, int64_t count,
                    struct slurm_tres *gpus, struct slurm_row *row);
void slurm_tres_end(enum slurm_tres_list which, struct slurm_tres *gpus, struct slurm_row *row);

/* --- slurm_state.c ------------------------------------------------------------------------ */

enum run_class slurm_state_class(struct str state);

/* --- slurm_align.c: rows with delimiters too many ----------------------------------------- */

/*
 * Finds the columns of a row that has `extra` fields too many: texts took them in. Joins the
 * fields so that there is one a column; false if that can be done in no way, or in several.
 */
enum { SLURM_EXTRA_MAX = 63 };

bool slurm_align(const struct slurm_format *format, struct str *fields, unsigned extra);

/* --- slurm_text.c: rows of text ----------------------------------------------------------- */

int slurm_text_recognise(struct str head);
int slurm_text_open(struct str head, const struct source_options *options,
                    struct slurm_format *format, struct error *err) MUST_CHECK;
size_t slurm_text_cut(const struct slurm_format *format, struct str data, bool last);
enum source_step slurm_text_next(const struct slurm_format *format,
                                 struct source_cursor *cursor, struct run *run,
                                 struct error *err);

/* --- slurm_json.c, slurm_json_job.c ------------------------------------------------------- */

int slurm_json_recognise(struct str head);

/* Refuses a document that has errors in place of jobs. */
int slurm_json_open(struct str head, struct error *err) MUST_CHECK;
size_t slurm_json_cut(struct str data);
bool slurm_json_skip(uint64_t *state, struct str data, size_t *used);
enum source_step slurm_json_next(const struct slurm_format *format,
                                 struct source_cursor *cursor, struct run *run,
                                 struct error *err);

/*
 * ERROR_INPUT, with what the first of a document's errors says; 0 if it says that there are no
 * jobs.
 */
int slurm_json_error(struct str errors, struct error *err) MUST_CHECK;

/* Makes a run of one job's object. */
int slurm_json_run(const struct slurm_format *format, struct str object, struct arena *arena,
                   struct run *run, struct error *err) MUST_CHECK;

/* --- slurm_jobcomp.c: what jobcomp/kafka and jobcomp/elasticsearch send ------------------- */

int slurm_jobcomp_recognise(struct str head);
enum source_step slurm_jobcomp_next(const struct slurm_format *format,
                                    struct source_cursor *cursor, struct run *run,
                                    struct error *err);

/* --- slurm_run.c: a job and its steps become a run ---------------------------------------- */

/* What the steps of a job used. */
struct slurm_use {
    int64_t steps;
    bool measured;
    uint64_t known; /* of the numbers below: bits of enum slurm_number */
    int64_t user_us, system_us, total_us;
    int64_t mem_bytes, vmem_bytes, read_bytes, write_bytes, energy_j;
    struct str basis;
};

void slurm_use_add(struct slurm_use *use, const struct slurm_row *step);

/* Fills the run. `use` has no steps where the source has none. */
void slurm_run_fill(const struct slurm_row *job, const struct slurm_use *use,
                    struct arena *arena, struct run *run);

/* Whether a live source has made the job up, and will report it in a moment; see there. */
bool slurm_run_is_made_up(const struct slurm_format *format, const struct run *run);
