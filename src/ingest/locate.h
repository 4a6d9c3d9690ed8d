/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Where in a file to begin: what the journal knows of its content.
 *
 * Content is told by its first and last imported bytes, not by its name or inode: a file that
 * begins with what was read before, up to its last byte, is that file, wherever it lies now and
 * whether it is compressed since.
 */

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/stream.h"
#include "facts/journal.h"
#include "ingest/ingest.h"

/* How many first and last bytes are hashed. */
enum { LOCATE_BYTES = 4096 };

/*
 * Fills *file with the journal's row for the content of `stream` (number 0 for a new one) and says
 * how it is related. The stream itself is not moved: the file is opened a second time. `facts` may
 * be NULL: then everything is new.
 */
int locate_file(struct facts *facts, const struct ingest_options *options, const struct stream *stream,
                struct arena *arena, struct journal_file *file, enum ingest_verdict *verdict,
                struct error *err) MUST_CHECK;

/* Updates the row's hashes for content imported up to file->read_to, reading them from the file. */
int locate_remember(const struct ingest_options *options, struct journal_file *file,
                    struct error *err) MUST_CHECK;
