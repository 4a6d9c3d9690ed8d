/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Any bytes as a slice of a file of one driver. Beside what the sanitizers see: every byte is
 * consumed and in order, a record lies inside the slice, what is refused has a reason, a cut is a
 * boundary, and a run's texts are UTF-8 and of bearable length.
 */

#include <stdint.h>
#include <stdlib.h>

#include "base/limit.h"
#include "source/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static inline void check_texts(const struct run *run)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].type == FIELD_TEXT && run_has(run, i)) {
            struct str text;
            memcpy(&text, (const char *)run + run_fields[i].offset, sizeof(text));
            must(text.len > 0 && text.len <= LIMIT_TEXT_FIELD && str_is_utf8(text));
        }
    }
}

static inline void check_run(struct run *run)
{
    must(RUN_HAS(run, job) || RUN_HAS(run, job_key));
    must(RUN_HAS(run, attempt) && RUN_HAS(run, class) && RUN_HAS(run, flags));
    must(!RUN_HAS(run, mem_peak_bytes) || (run->mem_peak_bytes > 0 && RUN_HAS(run, mem_basis)));
    must(!RUN_HAS(run, cpus) || RUN_HAS(run, start));
    check_texts(run);
    struct error err = {0};
    RUN_SET(run, cluster, STR("c"));
    if (run_check(run, &err)) {
        must(err.text[0] != '\0');
    }
}

static inline void check_slice(const struct source_driver *driver, const void *format,
                               struct str slice)
{
    struct arena arena = {0};
    struct source_cursor cursor = {.rest = slice, .next_line = 1, .arena = &arena};
    for (;;) {
        struct run run = {0};
        struct error err = {0};
        size_t before = cursor.rest.len;
        enum source_step step = driver->next(format, &cursor, &run, &err);
        if (step == SOURCE_END) {
            break;
        }
        must(cursor.rest.len < before);
        must(cursor.record.ptr >= slice.ptr && cursor.record.len <= before);
        must((step == SOURCE_REJECT) == (err.text[0] != '\0'));
        if (step == SOURCE_RECORD) {
            check_run(&run);
        }
    }
    must(cursor.rest.len == 0);
    arena_release(&arena);
}

static inline int fuzz_driver_with(const struct source_driver *driver,
                                   const struct source_options *options, struct str slice)
{
    const size_t size = slice.len;
    struct error err = {0};
    void *format = NULL;
    int sure = driver->recognise(slice);
    must(sure >= 0 && sure <= 100);
    if (driver->open && driver->open(slice, options, &format, &err)) {
        must(err.text[0] != '\0');
        return 0;
    }
    check_slice(driver, format, slice);
    if (driver->cut) {
        size_t cut = driver->cut(format, slice, false);
        must(cut <= size);
        check_slice(driver, format, (struct str){slice.ptr, cut});
        check_slice(driver, format, (struct str){slice.ptr + cut, size - cut});
    }
    if (driver->close) {
        driver->close(format);
    }
    return 0;
}

static inline int fuzz_driver(const struct source_driver *driver, const uint8_t *data,
                              size_t size)
{
    const struct source_options options = {0};
    return fuzz_driver_with(driver, &options, (struct str){(const char *)data, size});
}
