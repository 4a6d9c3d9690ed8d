/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A cluster's accounting file being written: under a temporary name beside it until it is
 * complete, in large pieces.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "demo/demo_format.h"

struct demo_writer {
    const struct demo_format *format;
    char *path;      /* owned */
    char *temporary; /* owned */
    int fd;
    char *buffer; /* owned */
    size_t used;
    int64_t bytes; /* written or in the buffer */
};

/* Makes folder/cluster and begins the format's file there. */
int demo_writer_open(struct demo_writer *writer, const char *folder, const char *cluster,
                     const struct demo_format *format, struct error *err) MUST_CHECK;

int demo_writer_add(struct demo_writer *writer, const struct demo_run *run,
                    struct error *err) MUST_CHECK;

/* Completes the file and gives it its name. */
int demo_writer_finish(struct demo_writer *writer, struct error *err) MUST_CHECK;

/* Releases everything; a file that was not finished is removed. Accepts a zeroed one. */
void demo_writer_close(struct demo_writer *writer);
