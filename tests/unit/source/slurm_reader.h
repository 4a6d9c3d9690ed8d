/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * For the tests of the Slurm driver: a whole file in, its runs out.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "source/slurm/slurm.h"
#include "support/expect.h"

enum { SLURM_READ_MAX = 5000 };

/* What the driver made of one record. */
struct slurm_read_item {
    enum source_step step; /* SOURCE_RECORD or SOURCE_REJECT */
    uint64_t line;
    struct run run;
    char *error; /* owned; NULL unless rejected */
};

/* Texts live until slurm_reading_release. */
struct slurm_reading {
    int failed; /* of open */
    struct error err;
    struct slurm_read_item *items;
    size_t count, records, rejects, skips;
    struct arena arena;
    char *text; /* owned, of the exact size, so that a byte too far is seen */
};

static inline void slurm_read_all(struct slurm_reading *reading, void *format, struct str text)
{
    struct source_cursor cursor = {.rest = text, .next_line = 1, .arena = &reading->arena};
    for (;;) {
        struct error err = {0};
        struct run run = {0};
        enum source_step step = slurm_driver.next(format, &cursor, &run, &err);
        if (step == SOURCE_END) {
            break;
        }
        if (step == SOURCE_SKIP) {
            reading->skips++;
            continue;
        }
        expect_true(reading->count < SLURM_READ_MAX);
        struct slurm_read_item *item = &reading->items[reading->count++];
        *item = (struct slurm_read_item){.step = step, .line = cursor.line, .run = run};
        reading->records += step == SOURCE_RECORD;
        reading->rejects += step == SOURCE_REJECT;
        item->error = step == SOURCE_REJECT ? mem_text(err.text) : NULL;
    }
}

static inline void slurm_read_with(struct slurm_reading *reading, struct str text,
                                   const struct source_options *options)
{
    *reading = (struct slurm_reading){0};
    void *format = NULL;
    reading->text = mem_alloc(text.len > 0 ? text.len : 1, 1);
    memcpy(reading->text, text.ptr, text.len);
    struct str copy = {reading->text, text.len};
    reading->items = mem_alloc(SLURM_READ_MAX, sizeof(*reading->items));
    reading->failed = slurm_driver.open(copy, options, &format, &reading->err);
    if (!reading->failed) {
        slurm_read_all(reading, format, copy);
        slurm_driver.close(format);
    }
}

/* A file in UTC that has a header. */
static inline void slurm_read(struct slurm_reading *reading, const char *text)
{
    const struct source_options options = {0};
    slurm_read_with(reading, str_of(text), &options);
    if (reading->failed) {
        expect_fail("%s", reading->err.text);
    }
}

static inline void slurm_reading_release(struct slurm_reading *reading)
{
    for (size_t i = 0; i < reading->count; i++) {
        free(reading->items[i].error);
    }
    free(reading->items);
    free(reading->text);
    arena_release(&reading->arena);
}

/* The run of record `index`; anything else fails the test. */
static inline const struct run *slurm_run_at(const struct slurm_reading *reading, size_t index)
{
    if (index >= reading->count || reading->items[index].step != SOURCE_RECORD) {
        expect_fail("record %zu: %s", index,
                    index < reading->count ? reading->items[index].error : "there is none");
    }
    return &reading->items[index].run;
}

#define expect_run_text(run, member, want)                                                     \
    do {                                                                                       \
        expect_true(RUN_HAS((run), member));                                                   \
        expect_text_n((run)->member.ptr, (run)->member.len, (want));                           \
    } while (0)

#define expect_run(run, member, want)                                                          \
    do {                                                                                       \
        expect_true(RUN_HAS((run), member));                                                   \
        expect_int((run)->member, (want));                                                     \
    } while (0)

#define expect_run_absent(run, member) expect_false(RUN_HAS((run), member))
