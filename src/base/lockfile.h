/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * At most one at a time, between processes and threads: a lock on the file FOLDER/NAME.lock,
 * for what must not be done twice at once and takes too long to hold a database for (sending
 * mail, changing a scheduler). It ends with the process, however that ends; the file stays.
 */

#include "base/attribute.h"
#include "base/error.h"

struct lockfile {
    int fd;
};

#define LOCKFILE_NONE ((struct lockfile){-1})

/* ERROR_CONFLICT if somebody has it: "another WHAT is running". */
int lockfile_take(const char *folder, const char *name, const char *what, struct lockfile *out,
                  struct error *err) MUST_CHECK;
void lockfile_release(struct lockfile *lock); /* also of LOCKFILE_NONE */
