/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Libraries that are loaded when something first needs them, so that everything else works on a
 * machine without them, and starting the program does not wait for them.
 *
 *     static struct { __typeof__(foo_open) *open; } foo;
 *     static const struct library_function functions[] = {{"foo_open", offsetof(..., open)}};
 *     static const struct library library = {.names = {"libfoo.so.1"}, .what = "libfoo", ...};
 *     failed = library_load(&library, &foo, err);
 *
 * What was loaded stays: most of these libraries cannot be unloaded in good order. To load one
 * once, under a lock, is the caller's.
 */

#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"

/* A function of a library, and where in the caller's struct of pointers it goes. */
struct library_function {
    const char *name;
    size_t offset;
};

enum { LIBRARY_NAMES_MAX = 2 };

struct library {
    const char *names
        [LIBRARY_NAMES_MAX]; /* of its file, as distributions have it: the first that is there */
    const char *what;        /* "libcurl" */
    const char *needed_for;  /* "HTTP requests need libcurl" */
    const char *package;     /* that Debian has it in */
    const char *version;     /* the first that has all functions */
    const struct library_function *functions;
    size_t function_count;
};

/* Loads it and sets the pointers of `table`; ERROR_MISSING with what to install. */
int library_load(const struct library *library, void *table, struct error *err) MUST_CHECK;

/*
 * Sets the pointers of `table` from a library that is loaded; those it does not have are NULL.
 * Returns the name of the first of these; NULL if it has all of them.
 */
const char *library_find(void *handle, const struct library_function *functions, size_t count,
                         void *table);
