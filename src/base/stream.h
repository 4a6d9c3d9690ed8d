/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A file read from front to back, plain or compressed: gzip and zstd are recognised by their
 * first bytes, not by the name, several concatenated members included. "-" is standard input,
 * which may be compressed too.
 *
 * Offsets are positions in the *uncompressed* content. Not thread-safe: one reader at a time.
 * Memory is bounded whatever the content claims: a zstd frame whose window is above 128 MiB
 * (zstd --long=28 and beyond) is ERROR_LIMIT.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/input.h"
#include "base/str.h"

struct stream;

/*
 * Opens a file, a pipe or "-" and looks at its first bytes (waiting for them if need be). A
 * folder is ERROR_INPUT. The caller closes it, which leaves standard input itself open.
 */
int stream_open(const char *path, struct stream **out, struct error *err) MUST_CHECK;

/*
 * The same of an input, which outlives the stream. Several streams may read one that can be
 * read more than once.
 */
int stream_open_input(const struct input *input, struct stream **out,
                      struct error *err) MUST_CHECK;
void stream_close(struct stream *stream);

/*
 * Reads up to `size` bytes; *got is less only at the end of the content (short reads of pipes
 * are joined). A broken or truncated compressed stream is ERROR_INPUT and names the offset;
 * *got then still counts the good bytes before the damage. An interrupt (EINTR) is retried.
 */
int stream_read(struct stream *stream, void *data, size_t size, size_t *got,
                struct error *err) MUST_CHECK;

/*
 * Looks at the first bytes of the content, up to STREAM_PEEK of them, without taking them:
 * reading begins at offset 0 all the same. Once, before anything is read; *head lives until the
 * close.
 */
enum { STREAM_PEEK = 64 << 10 };

int stream_peek(struct stream *stream, struct str *head, struct error *err) MUST_CHECK;

/*
 * Moves forward to an offset of the content (seeks a plain file, reads through the others).
 * Content that ends before it is ERROR_INPUT. An offset behind the present one is a bug.
 */
int stream_skip_to(struct stream *stream, uint64_t offset, struct error *err) MUST_CHECK;

/* Of the next byte that stream_read gives. */
uint64_t stream_offset(const struct stream *stream);

/*
 * Whether it is a regular file opened by name, so that it can be opened again and its offsets
 * mean the same; plain if it is uncompressed as well. False for pipes and for "-", whatever is
 * there.
 */
bool stream_is_file(const struct stream *stream);
bool stream_is_plain(const struct stream *stream);

const struct input_about *stream_about(const struct stream *stream);
const char *stream_encoding(const struct stream *stream); /* "plain", "gzip", "zstd" */

/*
 * Bytes taken from the file itself so far and its size (0 if unknown): the measure of progress.
 */
void stream_progress(const struct stream *stream, uint64_t *done, uint64_t *total);
