/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Grid Engine accounting rows for tests, made from a few numbers.
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Seconds since 1970 at which a toy's log begins: 2024-01-01. */
#define TOY_EPOCH INT64_C(1704067200)

/* What a row says; text members are borrowed, NULL is what the scheduler writes for nothing. */
struct toy_row {
    int64_t job, task;          /* task 0 is none */
    int64_t submit, start, end; /* seconds; 0 is never */
    int64_t slots;
    int64_t failed, exit_status;
    int64_t user_us, system_us, cpu_us; /* cpu as the scheduler sums it */
    int64_t vmem;                       /* bytes */
    const char *user, *host, *name;
    const char *part; /* a slave task's id */
    size_t pad;       /* this many bytes more in the request, to make a row long */
};

static inline void toy_seconds(struct buf *out, int64_t us)
{
    buf_addf(out, "%" PRId64 ".%06" PRId64 ":", us / 1000000, us % 1000000);
}

/* One row and its line end. */
static inline void toy_row_add(struct buf *out, const struct toy_row *row)
{
    const char *user = row->user ? row->user : "ann";
    int64_t wall = row->start > 0 && row->end > row->start ? row->end - row->start : 0;
    buf_addf(out, "all.q:%s:staff:%s:%s:%" PRId64 ":sge:0:", row->host ? row->host : "n01",
             user, row->name ? row->name : "job", row->job);
    buf_addf(out, "%" PRId64 ":%" PRId64 ":%" PRId64 ":%" PRId64 ":%" PRId64 ":%" PRId64 ":",
             row->submit, row->start, row->end, row->failed, row->exit_status, wall);
    toy_seconds(out, row->user_us);
    toy_seconds(out, row->system_us);
    buf_addz(out, "1024.000000:0:0:0:0:0:0:0:0.000000:0:0:0:0:0:0:NONE:defaultdepartment:");
    buf_addf(out, "%s:%" PRId64 ":%" PRId64 ":", row->slots > 1 ? "mpi" : "NONE", row->slots,
             row->task);
    toy_seconds(out, row->cpu_us);
    buf_addz(out, "0.500000:0.000000:-l h_rt=864000");
    if (row->pad > 0) {
        buf_addz(out, ",note=");
        buf_fill(out, 'x', row->pad);
    }
    buf_addf(out, ":0.000000:%s:%" PRId64 ".000000:0:0\n", row->part ? row->part : "NONE",
             row->vmem);
}

#define TOY_HEADER                                                                             \
    "# Version: 8.1.9\n"                                                                       \
    "# \n"                                                                                     \
    "# DO NOT MODIFY THIS FILE MANUALLY!\n"                                                    \
    "# \n"

/* `count` plain rows of an hour each, one cpu, one an hour, for jobs from `first` on. */
static inline void toy_rows_add(struct buf *out, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t at = TOY_EPOCH + (first + i) * 3600;
        toy_row_add(out, &(struct toy_row){
                             .job = first + i,
                             .submit = at - 60,
                             .start = at,
                             .end = at + 3600,
                             .slots = 1,
                             .user_us = 3000000000,
                             .system_us = 100000000,
                             .cpu_us = 3100000000,
                             .vmem = 1 << 20,
                         });
    }
}
