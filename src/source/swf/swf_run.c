/* SPDX-License-Identifier: MIT */
#include "base/attribute.h"
#include "base/scan.h"
#include "base/zone.h"
#include "source/common/record_text.h"
#include "source/swf/swf_row.h"

/*
 * From a row to a run; docs/sources/swf.md has the table.
 */

__extension__ typedef unsigned __int128 uint128;

enum {
    STATUS_FAILED = 0,
    STATUS_COMPLETED = 1,
    STATUS_CANCELLED = 5,
};

bool swf_row_read(struct str line, struct swf_row *row, enum swf_column *bad)
{
    for (unsigned i = 0; i < SWF_COLUMNS; i++) {
        while (line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t')) {
            line.ptr++;
            line.len--;
        }
        size_t len = 0;
        while (len < line.len && line.ptr[len] != ' ' && line.ptr[len] != '\t') {
            len++;
        }
        row->text[i] = (struct str){line.ptr, len};
        if (!scan_decimal(row->text[i], 6, &row->micro[i])) {
            *bad = i;
            return false;
        }
        line.ptr += len;
        line.len -= len;
    }
    return true;
}

static bool knows(const struct swf_row *row, enum swf_column column)
{
    return row->micro[column] >= 0;
}

/* A column of whole numbers. */
static int64_t whole(const struct swf_row *row, enum swf_column column)
{
    return row->micro[column] / 1000000;
}

static struct str swf_row_name(const struct swf_names *names, const struct swf_row *row,
                               enum swf_column column)
{
    int64_t number = whole(row, column);
    for (size_t i = 0; i < names->count; i++) {
        if (names->list[i].number == number) {
            return names->list[i].name;
        }
    }
    return row->text[column];
}

static void fill_who(const struct swf_row *row, const struct swf_format *format,
                     struct run *run)
{
    RUN_SET(run, job, whole(row, SWF_JOB));
    if (knows(row, SWF_USER)) {
        RUN_SET(run, uid, whole(row, SWF_USER));
        RUN_SET(run, user, row->text[SWF_USER]);
    }
    if (knows(row, SWF_GROUP)) {
        RUN_SET(run, gid, whole(row, SWF_GROUP));
        RUN_SET(run, group, row->text[SWF_GROUP]);
    }
    if (knows(row, SWF_EXECUTABLE)) {
        RUN_SET(run, name, row->text[SWF_EXECUTABLE]);
    }
    if (knows(row, SWF_QUEUE)) {
        SOURCE_SET_TEXT(run, partition, swf_row_name(&format->queues, row, SWF_QUEUE));
    } else if (knows(row, SWF_PARTITION)) {
        SOURCE_SET_TEXT(run, partition, swf_row_name(&format->partitions, row, SWF_PARTITION));
    }
}

/* Sums of times that do not fit an instant are absent. */
static bool add_time(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out) && *out < INSTANT_MAX;
}

static bool fill_times(const struct swf_row *row, const struct swf_format *format,
                       struct run *run)
{
    int64_t submit = 0;
    int64_t start = 0;
    int64_t end = 0;
    const int64_t status = whole(row, SWF_STATUS);
    const bool cancelled = status == STATUS_CANCELLED && row->micro[SWF_RUN] <= 0;
    if (!knows(row, SWF_SUBMIT) || !add_time(format->origin, row->micro[SWF_SUBMIT], &submit)) {
        return false;
    }
    bool waited = knows(row, SWF_WAIT) && add_time(submit, row->micro[SWF_WAIT], &start);
    RUN_SET(run, submit, submit);
    if (cancelled) {
        if (waited) {
            RUN_SET(run, end, start);
        }
    } else if (waited) {
        RUN_SET(run, start, start);
    } else if (knows(row, SWF_RUN) || status == STATUS_COMPLETED) {
        /* It ran, and nobody says when: from its submission, so that the wait stays unknown. */
        RUN_SET(run, start, submit);
        RUN_CLEAR(run, submit);
    }
    if (RUN_HAS(run, start) && knows(row, SWF_RUN) &&
        add_time(run->start, row->micro[SWF_RUN], &end)) {
        RUN_SET(run, end, end);
    }
    uint64_t hash = str_hash(row->text[SWF_SUBMIT], 0);
    RUN_SET(run, attempt, RUN_HAS(run, start) ? run->start : -1 - (int64_t)(hash >> 2));
    return true;
}

/* KiB a processor, for all of them. */
static bool total_of(int64_t micro_kib, int64_t processors, int64_t *bytes)
{
    uint128 total = (uint128)(uint64_t)micro_kib * (uint64_t)processors * 1024 / 1000000;
    *bytes = (int64_t)total;
    return total <= INT64_MAX;
}

static void fill_asked(const struct swf_row *row, struct run *run)
{
    int64_t bytes = 0;
    int64_t processors = whole(row, SWF_ASKED_PROCESSORS);
    if (processors > 0) {
        RUN_SET(run, req_cpus, processors);
    }
    if (knows(row, SWF_ASKED_TIME)) {
        RUN_SET(run, req_wall_us, row->micro[SWF_ASKED_TIME]);
    }
    if (processors <= 0) {
        processors = whole(row, SWF_PROCESSORS);
    }
    if (knows(row, SWF_ASKED_MEMORY) && processors > 0 &&
        total_of(row->micro[SWF_ASKED_MEMORY], processors, &bytes)) {
        RUN_SET(run, req_mem_bytes, bytes);
    }
}

/* The columns are averages a processor: times all of these, and memory times the time. */
static void fill_used(const struct swf_row *row, int64_t processors, struct run *run)
{
    int64_t value = 0;
    if (knows(row, SWF_CPU) &&
        !__builtin_mul_overflow(row->micro[SWF_CPU], processors, &value)) {
        RUN_SET(run, cpu_used_us, value);
    }
    if (knows(row, SWF_MEMORY) && knows(row, SWF_RUN) &&
        total_of(row->micro[SWF_MEMORY], processors, &value)) {
        uint128 integral = (uint128)(uint64_t)value * (uint64_t)row->micro[SWF_RUN] >> 30;
        if (integral <= INT64_MAX) {
            RUN_SET(run, mem_integral_gib_us, (int64_t)integral);
        }
    }
}

static void fill_state(const struct swf_row *row, struct run *run)
{
    enum run_class class = CLASS_OTHER;
    switch (whole(row, SWF_STATUS)) {
    case STATUS_COMPLETED:
        class = CLASS_COMPLETED;
        break;
    case STATUS_FAILED:
        class = knows(row, SWF_STATUS) ? CLASS_FAILED : CLASS_OTHER;
        break;
    case STATUS_CANCELLED:
        class = CLASS_CANCELLED;
        break;
    default:
        break;
    }
    RUN_SET(run, class, run_class_name(class));
    if (knows(row, SWF_STATUS)) {
        RUN_SET(run, state, row->text[SWF_STATUS]);
    }
}

bool swf_run_fill(const struct swf_row *row, const struct swf_format *format, struct run *run)
{
    RUN_SET(run, flags, 0);
    fill_who(row, format, run);
    if (!fill_times(row, format, run)) {
        return false;
    }
    fill_asked(row, run);
    int64_t processors = whole(row, SWF_PROCESSORS);
    if (processors <= 0) {
        processors = whole(row, SWF_ASKED_PROCESSORS);
    }
    if (RUN_HAS(run, start) && processors > 0) {
        RUN_SET(run, cpus, processors);
        fill_used(row, processors, run);
    }
    fill_state(row, run);
    return true;
}
