/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Looks on their way to `stint serve`: put into an outbox on disk, and sent from there in
 * packed batches by HTTPS with a token. A batch that arrived, or can never be taken, is
 * removed; all else stays and is sent again. So each look arrives at least once, and the store
 * keeps one of two of the same moment.
 *
 * After a failure the next attempt waits, twice as long each time, up to a quarter of an hour,
 * by a part of that which is random, so that nodes which lost the server at one moment do not
 * come back at one moment.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"

/* Texts are borrowed. */
struct uploader_plan {
    const char *server;     /* https://stint.example/prefix */
    const char *token_file; /* or NULL */
    const char *authority;  /* certificates to trust in place of the system's; or NULL */
    const char *folder;     /* of the outbox */
    int64_t limit;          /* its bytes */
};

struct uploader;

int uploader_open(const struct uploader_plan *plan, struct uploader **out,
                  struct error *err) MUST_CHECK;
void uploader_close(struct uploader *shipping); /* accepts NULL */

int uploader_put(struct uploader *shipping, struct str look, struct error *err) MUST_CHECK;

/* Looks that were lost since this was last asked. */
int64_t uploader_lost(struct uploader *shipping);

/* Sends what waits, if the time has come, for as long as there is time; false: it is to end. */
bool uploader_work(struct uploader *shipping, int64_t pause_us, const struct stop *stop);

/*
 * Sends what waits, once, without regard to earlier failures; for the end and for `stint-agent
 * check`.
 */
int uploader_send(struct uploader *shipping, const struct stop *stop,
                  struct error *err) MUST_CHECK;

/* How long to wait after so many failures in a row; `chance` is any number. */
int64_t uploader_backoff(unsigned failures, uint64_t chance);
