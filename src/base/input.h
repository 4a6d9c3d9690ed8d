/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Something to be read, by a name: a file, what arrived by a pipe, or either of them in another
 * process. The code that opens it decides what that is; the code that reads it cannot tell.
 *
 * Bytes at any place can be read any number of times, so that content can be recognised by its
 * ends before it is read from where it ended. The exception is a pipe that was not put aside
 * (`once`), which is read in order. Not thread-safe: one reader at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/spool.h"

/* What is known of it, as of when it was opened. */
struct input_about {
    /*
     * a regular file opened by its name: it may be met again, and its numbers say which it is
     */
    bool is_file;
    bool once; /* can be read in order only, and only once */
    int64_t device, inode;
    int64_t size;        /* in bytes as it lies there; 0 where that is not known */
    int64_t modified_us; /* instant of the last change */
};

/*
 * Made by input_open and its like, or by input_new for readers of another kind; ended by
 * input_close.
 */
struct input {
    char *name; /* as it was given */
    char *path; /* where it lies, absolute, if it is a file; else its name */
    struct input_about about;
    void *context;

    /* Reads at `offset` into `data`; *got is 0 at the end only. */
    int (*read)(void *context, const struct input *input, uint64_t offset, void *data,
                size_t size, size_t *got, struct error *err);
    void (*close)(void *context);
};

/*
 * Opens a file, or standard input for "-", which stays open when the input is closed. A folder
 * is ERROR_INPUT.
 */
int input_open(const char *path, struct input **out, struct error *err) MUST_CHECK;

/* What a spool holds. The spool stays the caller's, and is closed after the input. */
struct input *input_of_spool(const struct spool *spool, const char *name);

/*
 * One without a reader yet; the caller sets the rest. Name and path are copied; `path` may be
 * NULL.
 */
struct input *input_new(const char *name, const char *path, const struct input_about *about);

int input_read(const struct input *input, uint64_t offset, void *data, size_t size, size_t *got,
               struct error *err) MUST_CHECK;

/*
 * All that comes by a pipe, to its end: for inputs that can be read once. `progress` as
 * spool_fill has it.
 */
int input_keep(const struct input *input, struct spool *out, const struct stop *stop,
               void (*progress)(void *watcher, uint64_t done), void *watcher,
               struct error *err) MUST_CHECK;

void input_close(struct input *input); /* NULL is allowed */
