/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * For the tests of the Grid Engine driver: one record in, its run out; and rows made of a usual one
 * by changing columns.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/sge/sge.h"
#include "source/sge/sge_row.h"
#include "unit/source/reader.h"

/* What the driver made of one record; texts live until sge_reading_release. */
struct sge_reading {
    enum source_step step;
    struct run run;
    struct error err;
    struct arena arena;
    char *line; /* owned, of the exact size, so that a byte too far is seen */
};

static inline void sge_read(struct sge_reading *reading, struct str line)
{
    *reading = (struct sge_reading){0};
    reading->line = malloc(line.len > 0 ? line.len : 1);
    if (!reading->line) {
        abort();
    }
    memcpy(reading->line, line.ptr, line.len);
    struct source_cursor cursor = {
        .rest = {reading->line, line.len},
        .next_line = 1,
        .arena = &reading->arena,
    };
    reading->step = sge_driver.next(NULL, &cursor, &reading->run, &reading->err);
}

static inline void sge_reading_release(struct sge_reading *reading)
{
    arena_release(&reading->arena);
    free(reading->line);
}

/* One column of a row, replaced. */
struct sge_change {
    int column; /* enum sge_column; -1 ends the list */
    const char *text;
};

#define SGE_USUAL_ROW                                                                          \
    "long.q:node07:chem:bob:relax:1234:sge:0:1700000000:1700000600:1700007800:0:0:7200:"       \
    "6900.500000:120.250000:204800.000000:0:0:0:0:5000:3:0:16.000000:808:0:0:0:4500:27:"       \
    "NONE:defaultdepartment:mpi:16:0:110000.125000:88000.500000:1.250000:"                     \
    "-q long.q -l h_rt=10800,h_vmem=2G -pe mpi 16:0.000000:NONE:2147483648.000000:0:0"

/* A usual row with some columns changed, in `out`; columns after 45 are filled with NONE. */
static inline struct str sge_row_with(const struct sge_change *changes, char *out, size_t size)
{
    const char *texts[SGE_COLUMN_COUNT];
    char usual[] = SGE_USUAL_ROW;
    unsigned count = 0;
    for (char *at = usual; at; count++) {
        texts[count] = at;
        at = strchr(at, ':');
        if (at) {
            *at++ = '\0';
        }
    }
    for (; changes && changes->column >= 0; changes++) {
        for (; count <= (unsigned)changes->column; count++) {
            texts[count] = "NONE";
        }
        texts[changes->column] = changes->text;
    }
    size_t len = 0;
    for (unsigned i = 0; i < count; i++) {
        len += (size_t)snprintf(out + len, size - len, "%s%s", i > 0 ? ":" : "", texts[i]);
    }
    return (struct str){out, len};
}

/* Reads a usual row with some columns changed. */
#define SGE_READ_WITH(reading, ...)                                                            \
    do {                                                                                       \
        char row_text_[4096];                                                                  \
        const struct sge_change changes_[] = {__VA_ARGS__, {-1, NULL}};                        \
        sge_read((reading), sge_row_with(changes_, row_text_, sizeof(row_text_)));             \
    } while (0)
