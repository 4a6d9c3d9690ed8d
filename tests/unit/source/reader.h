/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * For the tests of drivers: one record in, its run out.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "source/source.h"
#include "support/expect.h"

/* What a driver made of the first record of a text; texts live until reading_release. */
struct reading {
    enum source_step step;
    struct run run;
    struct error err;
    struct arena arena;
    void *format;
    const struct source_driver *driver;
    char *text; /* owned, of the exact size, so that a byte too far is seen */
};

/* With the text as the head of its file, a line end added if it has none, and times in `zone`. */
static inline void read_first(struct reading *reading, const struct source_driver *driver,
                              struct str text, const struct zone *zone)
{
    const struct source_options options = {.zone = zone};
    *reading = (struct reading){.driver = driver};
    bool whole = text.len > 0 && text.ptr[text.len - 1] == '\n';
    reading->text = malloc(text.len + 1);
    if (!reading->text) {
        abort();
    }
    if (text.len > 0) {
        memcpy(reading->text, text.ptr, text.len);
    }
    reading->text[text.len] = '\n';
    struct str copy = {reading->text, text.len + !whole};
    if (driver->open && driver->open(copy, &options, &reading->format, &reading->err)) {
        expect_fail("%s", reading->err.text);
    }
    struct source_cursor cursor = {.rest = copy, .next_line = 1, .arena = &reading->arena};
    reading->step = driver->next(reading->format, &cursor, &reading->run, &reading->err);
}

static inline void reading_release(struct reading *reading)
{
    if (reading->driver->close) {
        reading->driver->close(reading->format);
    }
    arena_release(&reading->arena);
    free(reading->text);
}

#define expect_field_text(reading, member, want)                                               \
    do {                                                                                       \
        expect_true(RUN_HAS(&(reading)->run, member));                                         \
        expect_text_n((reading)->run.member.ptr, (reading)->run.member.len, (want));           \
    } while (0)

#define expect_field(reading, member, want)                                                    \
    do {                                                                                       \
        expect_true(RUN_HAS(&(reading)->run, member));                                         \
        expect_int((reading)->run.member, (want));                                             \
    } while (0)

#define expect_absent(reading, member) expect_false(RUN_HAS(&(reading)->run, member))

/* One field of a run by its id: "cpus" "16", "user" "ann"; NULL is absent. */
struct want {
    const char *id;
    const char *value;
};

/* A list of them, as a member of a row. */
#define WANTS(...)                                                                             \
    (const struct want[])                                                                      \
    {                                                                                          \
        __VA_ARGS__,                                                                           \
        {                                                                                      \
            NULL, NULL                                                                         \
        }                                                                                      \
    }

/* What a row of a table expects of a record's run; the list ends with a NULL id. */
static inline void expect_wants(const struct run *run, const struct want *wants)
{
    for (; wants->id; wants++) {
        const struct field *field = run_field_find(str_of(wants->id));
        if (!field) {
            expect_fail("there is no field %s", wants->id);
        }
        const char *at = (const char *)run + field->offset;
        char text[64];
        struct str got = {0};
        if (!run_has(run, (enum run_field)(field - run_fields))) {
            got = STR("---");
        } else if (field->type == FIELD_INT) {
            int64_t value = 0;
            memcpy(&value, at, sizeof(value));
            got = (struct str){text,
                               (size_t)snprintf(text, sizeof(text), "%lld", (long long)value)};
        } else {
            memcpy(&got, at, sizeof(got));
        }
        if (!str_eq(got, str_of(wants->value ? wants->value : "---"))) {
            expect_fail("%s is '%.*s', not '%s'", wants->id, STR_ARG(got),
                        wants->value ? wants->value : "---");
        }
    }
}
