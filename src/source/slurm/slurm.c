/* SPDX-License-Identifier: MIT */
#include "source/slurm/slurm.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "source/slurm/slurm_row.h"
#include "source/slurm/slurm_things.h"

/*
 * Formats: sacct(1) with --parsable2, --parsable or --json; the OpenAPI plugins dbv0.0.37 to
 * 0.0.38 and data_parser v0.0.39 to v0.0.46. docs/sources/slurm.md says how columns become
 * fields.
 *
 *   slurm_column.c    knows the columns of sacct and reads headers
 *   slurm_text.c      finds rows and records in text
 *   slurm_align.c     finds the columns of rows with delimiters too many
 *   slurm_value.c     reads the values of a row
 *   slurm_tres.c      reads lists of resources
 *   slurm_state.c     knows what states mean
 *   slurm_json.c      finds the jobs in a JSON document
 *   slurm_json_job.c  makes rows of a JSON job of the database
 *   slurm_json_listed.c  and of one of the controller
 *   slurm_json_value.c   values in JSON of all versions
 *   slurm_jobcomp.c   reads what jobcomp/kafka and jobcomp/elasticsearch send
 *   slurm_run.c       makes a run of a job and its steps
 *   slurm_things.c    reads nodes, partitions and reservations
 *   slurm_groups.c    and nodes in groups, as sinfo has them
 */

enum { SURE_OF_THINGS = 90 };

static int slurm_recognise(struct str head)
{
    enum inventory_item_kind kind;
    int json = slurm_json_recognise(head);
    const int jobcomp = json > 0 ? 0 : slurm_jobcomp_recognise(head);
    return json > 0                              ? json
           : jobcomp > 0                         ? jobcomp
           : slurm_things.recognise(head, &kind) ? SURE_OF_THINGS
                                                 : slurm_text_recognise(head);
}

static void slurm_close(void *data)
{
    struct slurm_format *format = data;
    if (format) {
        free(format->header_text);
        free(format);
    }
}

static int slurm_open(struct str head, const struct source_options *options, void **out,
                      struct error *err)
{
    struct slurm_format *format = mem_alloc(1, sizeof(*format));
    format->zone = options->zone;
    format->seen = options->seen;
    format->is_json = slurm_json_recognise(head) > 0;
    format->is_jobcomp = !format->is_json && slurm_jobcomp_recognise(head) > 0;
    int failed = format->is_json      ? slurm_json_open(head, err)
                 : format->is_jobcomp ? 0
                                      : slurm_text_open(head, options, format, err);
    if (failed) {
        slurm_close(format);
        return failed;
    }
    *out = format;
    return 0;
}

static size_t cut_lines(struct str bytes, bool last)
{
    const char *feed = bytes.len > 0 ? memrchr(bytes.ptr, '\n', bytes.len) : NULL;
    return last ? bytes.len : feed ? (size_t)(feed - bytes.ptr) + 1 : 0;
}

static size_t slurm_cut(const void *data, struct str bytes, bool last)
{
    const struct slurm_format *format = data;
    if (format->is_jobcomp) {
        return cut_lines(bytes, last);
    }
    return format->is_json ? slurm_json_cut(bytes) : slurm_text_cut(format, bytes, last);
}

static bool slurm_skip(const void *data, uint64_t *state, struct str bytes, size_t *used)
{
    const struct slurm_format *format = data;
    if (format->is_json) {
        return slurm_json_skip(state, bytes, used);
    }
    const char *feed = str_byte(bytes, '\n');
    *used = feed ? (size_t)(feed - bytes.ptr) + 1 : bytes.len;
    return feed != NULL;
}

static enum source_step slurm_next(const void *data, struct source_cursor *cursor,
                                   struct run *run, struct error *err)
{
    const struct slurm_format *format = data;
    return format->is_json      ? slurm_json_next(format, cursor, run, err)
           : format->is_jobcomp ? slurm_jobcomp_next(format, cursor, run, err)
                                : slurm_text_next(format, cursor, run, err);
}

/* What people have before them when they look for the jobs. */
static const struct source_table tables[] = {
    {"JobID JobName", "sacct",
     "give stint what sacct prints with -P: sacct -aDP -S 2026-01-01 | stint import slurm -"},
    {"JobID", "sacct",
     "give stint what sacct prints with -P: sacct -aDP -S 2026-01-01 | stint import slurm -"},
    {"JOBID PARTITION NAME", "squeue",
     "jobs that have ended: sacct -aDP -S 2026-01-01 | stint import slurm -; jobs that wait "
     "and run: stint pull, or squeue --json"},
    {0},
};

const struct source_driver slurm_driver = {
    .name = "slurm",
    .summary = "Slurm: sacct -P with any columns, sacct --json, squeue --json, job lists of "
               "slurmrestd; records of jobcomp/kafka and jobcomp/elasticsearch; nodes of sinfo "
               "--json and scontrol show",
    .version = 6,
    .recognise = slurm_recognise,
    .open = slurm_open,
    .close = slurm_close,
    .cut = slurm_cut,
    .skip = slurm_skip,
    .next = slurm_next,
    .things = &slurm_things,
    .tables = tables,
};
