/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Inside of the SWF driver: what its files share. Read docs/sources/swf.md first.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "record/run.h"
#include "source/source.h"

enum swf_column {
    SWF_JOB,
    SWF_SUBMIT,
    SWF_WAIT,
    SWF_RUN,
    SWF_PROCESSORS,
    SWF_CPU, /* on average, a processor */
    SWF_MEMORY,
    SWF_ASKED_PROCESSORS,
    SWF_ASKED_TIME,
    SWF_ASKED_MEMORY,
    SWF_STATUS,
    SWF_USER,
    SWF_GROUP,
    SWF_EXECUTABLE,
    SWF_QUEUE,
    SWF_PARTITION,
    SWF_PRECEDING,
    SWF_THINK,
    SWF_COLUMNS,
};

/* A row, cut and read: numbers are millionths. */
struct swf_row {
    struct str text[SWF_COLUMNS];
    int64_t micro[SWF_COLUMNS];
};

/* The name the head gives to a number. */
struct swf_name {
    int64_t number;
    struct str name;
};

struct swf_names {
    struct swf_name *list;
    size_t count;
};

/* What the head says: the driver's format. */
struct swf_format {
    int64_t origin; /* the instant from which submissions are counted */
    struct swf_names queues;
    struct swf_names partitions;
    struct arena arena; /* holds the names */
};

/* --- swf_head.c --------------------------------------------------------------------------- */

/* Reads the comments of a head; *format is released with swf_format_free. */
int swf_format_read(struct str head, const struct source_options *options,
                    struct swf_format **format, struct error *err) MUST_CHECK;
void swf_format_free(void *format);

/* --- swf_run.c ---------------------------------------------------------------------------- */

/* Cuts a line and reads its numbers; false, with *bad the column, if it is no row. */
bool swf_row_read(struct str line, struct swf_row *row, enum swf_column *bad);

/*
 * Fills a zeroed run; false if the row has no submission: every time in it counts from there.
 */
bool swf_run_fill(const struct swf_row *row, const struct swf_format *format, struct run *run);
