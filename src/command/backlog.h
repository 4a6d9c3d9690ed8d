/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Standard output that never waits: what its reader (a pager, a slow pipe) does not take at
 * once is kept in a temporary file, and follows in order. So the store is free as soon as the
 * last row was found, whenever it is read.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "base/spool.h"
#include "base/str.h"

struct backlog {
    struct spool spool; /* open once something had to be put aside */
    uint64_t sent;      /* bytes of it that have gone out */
};

#define BACKLOG_NONE ((struct backlog){.spool = SPOOL_NONE})

/* Writes what goes without waiting, and puts the rest aside. */
int backlog_add(struct backlog *backlog, struct str bytes, struct error *err) MUST_CHECK;

/* Writes all that is left, for as long as it takes. */
int backlog_drain(struct backlog *backlog, struct error *err) MUST_CHECK;

void backlog_release(struct backlog *backlog);
