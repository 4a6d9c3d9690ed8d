/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the audit log says of those who are refused: anyone can be refused as often as they
 * like, so they are counted, and written line by line only up to a rate. The first refusal of a
 * client in a minute is a line; the further ones are one line with their number when the minute
 * is over. Beyond REFUSALS_LINES lines a minute, those of all other clients are one line. Any
 * thread.
 */

#include <stdint.h>

#include "service/core/service.h"

enum { REFUSALS_LINES = 30 };

struct refusals;

struct refusals *refusals_new(void);
void refusals_free(struct refusals *refusals); /* accepts NULL */

/* Notes that somebody who says they are `who` was refused; `from` is the client's address. */
void refusals_add(struct refusals *refusals, const struct service *service, const char *who,
                  const char *from, const char *what);

/* Writes what was counted in a minute that is over; with `all`, also of this one. */
void refusals_flush(struct refusals *refusals, const struct service *service, bool all);

/* All since the server began. */
uint64_t refusals_count(struct refusals *refusals);
