/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What must hold of any driver and any bytes, for fuzz targets. Beside what the sanitizers see: every
 * byte is consumed and in order, a record lies inside the slice, what is refused has a reason, a run's
 * texts are UTF-8 and of bearable length, and cutting the bytes where the driver says changes no
 * record.
 *
 * A target may define FUZZ_ALSO(run), which holds of every run of its driver besides.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "source/source.h"

#ifndef FUZZ_ALSO
#    define FUZZ_ALSO(run) true
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define must(condition) must_at((condition), #condition)

static inline void must_at(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "does not hold: %s\n", what);
        abort();
    }
}

static inline void check_texts(const struct run *run)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].type == FIELD_TEXT && run_has(run, i)) {
            struct str text;
            memcpy(&text, (const char *)run + run_fields[i].offset, sizeof(text));
            must(text.len > 0 || i == RUN_resources); /* empty: there were none */
            must(text.len <= LIMIT_TEXT_FIELD && str_is_utf8(text));
        }
    }
}

static inline void check_run(struct run *run)
{
    must(RUN_HAS(run, job) || RUN_HAS(run, job_key));
    must(RUN_HAS(run, attempt) && RUN_HAS(run, class) && RUN_HAS(run, flags));
    must(FUZZ_ALSO(run));
    must(!RUN_HAS(run, mem_peak_bytes) || (run->mem_peak_bytes > 0 && RUN_HAS(run, mem_basis)));
    must(!RUN_HAS(run, cpus) || RUN_HAS(run, start));
    check_texts(run);
    struct error err = {0};
    RUN_SET(run, cluster, STR("c"));
    if (run_check(run, &err)) {
        must(err.text[0] != '\0');
    }
}

/* What was read: a hash of the records in their order, and the number of the line that follows. */
struct reading {
    uint64_t hash, next_line;
};

/* Reads a slice on from what came before it. */
static inline void read_slice(const struct source_driver *driver, const void *format,
                              struct str slice, struct reading *reading)
{
    struct arena arena = {0};
    struct source_cursor cursor = {
        .rest = slice, .next_line = reading->next_line, .arena = &arena};
    for (;;) {
        struct run run = {0};
        struct error err = {0};
        size_t before = cursor.rest.len;
        enum source_step step = driver->next(format, &cursor, &run, &err);
        if (step == SOURCE_END) {
            break;
        }
        must(cursor.rest.len < before);
        must(cursor.record.ptr >= slice.ptr &&
             cursor.record.ptr + cursor.record.len <= slice.ptr + slice.len);
        must((step == SOURCE_REJECT) == (err.text[0] != '\0'));
        if (step == SOURCE_RECORD) {
            check_run(&run);
            reading->hash = str_hash(cursor.record, reading->hash);
        }
    }
    must(cursor.rest.len == 0);
    reading->next_line = cursor.next_line;
    arena_release(&arena);
}

/* As the slicer cuts: where the driver says, else after a line. */
static inline size_t cut_slice(const struct source_driver *driver, const void *format,
                               struct str data)
{
    if (driver->cut) {
        return driver->cut(format, data, false);
    }
    const char *feed = data.len > 0 ? memrchr(data.ptr, '\n', data.len) : NULL;
    return feed ? (size_t)(feed - data.ptr) + 1 : 0;
}

static inline void check_slices(const struct source_driver *driver, const void *format,
                                struct str all)
{
    struct reading whole = {.next_line = 1}, parts = whole;
    struct str half = {all.ptr, all.len / 2};
    must(!driver->cut || driver->cut(format, all, true) <= all.len);
    size_t cut = cut_slice(driver, format, half);
    must(cut <= half.len);
    read_slice(driver, format, all, &whole);
    read_slice(driver, format, (struct str){all.ptr, cut}, &parts);
    read_slice(driver, format, (struct str){all.ptr + cut, all.len - cut}, &parts);
    must(parts.hash == whole.hash && parts.next_line == whole.next_line);
}

/* The bytes as a file, opened with what a user says of it, if that is possible. */
static inline int fuzz_driver_with(const struct source_driver *driver,
                                   const struct source_options *options, const void *data,
                                   size_t size)
{
    /* On the heap, so that reading past either end is seen. */
    char *copy = mem_alloc(size ? size : 1, 1);
    void *format = NULL;
    struct error err = {0};
    if (size > 0) {
        memcpy(copy, data, size);
    }
    struct str all = {copy, size};
    int sure = driver->recognise(all);
    must(sure >= 0 && sure <= 100);
    if (!driver->open || driver->open(all, options, &format, &err) == 0) {
        check_slices(driver, format, all);
    } else {
        must(err.text[0] != '\0');
    }
    if (driver->close && format) {
        driver->close(format);
    }
    free(copy);
    return 0;
}

/* The same where nobody says anything. */
static inline int fuzz_driver(const struct source_driver *driver, const void *data, size_t size)
{
    const struct source_options options = {0};
    return fuzz_driver_with(driver, &options, data, size);
}
