/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Where in a file to begin: what the journal knows of its content.
 *
 * Content is identified by its first and last imported bytes, not by its name or inode: a file
 * that begins with what was read before, up to its last byte, is that file, wherever it lies
 * now and whether it is compressed since.
 *
 * What is remembered is taken from the bytes as they are read, never from the file's name: by
 * the end of an import that may stand for another file.
 */

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/stream.h"
#include "facts/journal.h"
#include "ingest/ingest.h"
#include "ingest/slicer.h"

/* How many first and last bytes are hashed. */
enum { LOCATE_BYTES = SLICER_TAIL };

/* What is being imported. */
struct content {
    const struct ingest_options *options;
    const struct input *input;
    struct stream *stream; /* of it, at its beginning */
    struct str head;       /* its first bytes, as stream_peek gave them */
    /* the instant it is a listing of (source.h): the same bytes of another are new */
    int64_t listed;
};

/*
 * Fills *file with the journal's row for the content (number 0 for a new one) and says how it
 * is related. The stream is not moved: if need be the input is read a second time. `facts` may
 * be NULL: then everything is new.
 */
int locate_file(struct facts *facts, const struct content *content, struct arena *arena,
                struct journal_file *file, enum ingest_verdict *verdict,
                struct error *err) MUST_CHECK;

/*
 * Moves the stream to file->read_to and gives the bytes just before it, which live in `arena`.
 * If they are not those of the journal, the file was changed since locate_file: ERROR_INPUT.
 */
int locate_resume(const struct content *content, const struct journal_file *file,
                  struct arena *arena, struct str *tail, struct error *err) MUST_CHECK;

/*
 * Updates the row's hashes for content imported up to file->read_to, which `tail` lies before.
 */
void locate_remember(const struct content *content, struct str tail, struct journal_file *file);
