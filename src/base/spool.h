/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What arrives from elsewhere (an answer of a scheduler, a pipe), on disk until it is taken in:
 * it may be larger than memory, nothing of it counts before all of it has arrived, and nobody
 * holds the store while it does. A spool is a file without a name in the folder for temporary
 * files ($TMPDIR, else /tmp, else /var/tmp), gone when it is closed or the program ends,
 * however it ends.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"

struct spool {
    int fd;
    uint64_t size;
};

#define SPOOL_NONE ((struct spool){.fd = -1})

int spool_open(struct spool *out, struct error *err) MUST_CHECK;
int spool_add(struct spool *spool, struct str bytes, struct error *err) MUST_CHECK;

/*
 * Adds all that can be read from a descriptor, to its end; ends early with ERROR_STOPPED when
 * `stop` is set. `progress` (may be NULL) is called now and then with the bytes so far.
 */
int spool_fill(struct spool *spool, int fd, const struct stop *stop,
               void (*progress)(void *watcher, uint64_t done), void *watcher,
               struct error *err) MUST_CHECK;
/* Adds all of `from` to the end of `to`, and closes `from`, also on failure. */
int spool_join(struct spool *to, struct spool *from, struct error *err) MUST_CHECK;
int spool_rewind(struct spool *spool, struct error *err) MUST_CHECK;
int spool_text(struct spool *spool, struct buf *out,
               struct error *err) MUST_CHECK; /* all of it, within the buf's limit */
int spool_map(const struct spool *spool, struct str *out,
              struct error *err) MUST_CHECK; /* all of it as text, until spool_unmap */
void spool_unmap(struct str text);
void spool_close(struct spool *spool); /* also of one that is closed or SPOOL_NONE */
