/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What tokens, users and log-ins prove who they are with: hashes, beside the kinds `token` and
 * `user`, which say what each may do. They are in no list, dump or history. The audit log is
 * here too: who came to a server's door.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "books/books.h"

/* Kinds of secrets. */
#define SECRET_TOKEN   "token"
#define SECRET_USER    "user"
#define SECRET_SESSION "session"
#define SECRET_FORMS   "forms" /* of the server: what form tokens are computed from */

/*
 * Puts a hash in place of those of the same kind and name; a session is added. `until` 0: no
 * end.
 */
int secret_put(struct books *books, const char *kind, struct str name, struct str hash,
               int64_t until, struct error *err) MUST_CHECK;

/* Takes all of a name away, or, with a hash, one. */
int secret_remove(struct books *books, const char *kind, struct str name, struct str hash,
                  struct error *err) MUST_CHECK;

/*
 * The name that a hash belongs to; the null string if nobody has it, or its time is over at
 * `now`.
 */
int secret_owner(struct books *books, const char *kind, struct str hash, int64_t now,
                 struct arena *arena, struct str *name, struct error *err) MUST_CHECK;

/* The hash of a name; the null string if it has none. */
int secret_of(struct books *books, const char *kind, struct str name, struct arena *arena,
              struct str *hash, struct error *err) MUST_CHECK;

/* Writes a line of the audit log, which keeps its newest 200000. */
int secret_audit(struct books *books, int64_t at, struct str who, struct str from,
                 struct str what, struct error *err) MUST_CHECK;

struct secret_event {
    int64_t at;
    struct str who, from, what;
};

/*
 * The newest `limit` lines, in the order of time, in `arena`; of one who, unless that is null.
 */
int secret_events(struct books *books, struct str who, int64_t limit, struct arena *arena,
                  struct secret_event **out, size_t *count, struct error *err) MUST_CHECK;
