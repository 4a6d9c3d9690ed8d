/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who somebody is that a server has to believe by what they bring: a token, a name and
 * password, a log-in from before, or the word of a proxy. What they may do is in the books,
 * kinds `token` and `user`.
 */

#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "service/access/sodium.h"
#include "service/core/caller.h"
#include "service/core/service.h"

enum { ACCESS_PASSWORD_MIN = 10, ACCESS_PASSWORD_MAX = 1024 };

/*
 * Each fills `out`, with text in the arena; ERROR_DENIED: not believed, in words that tell
 * nothing.
 */
int access_by_token(const struct service *service, struct str token, struct arena *arena,
                    struct caller *out, struct error *err) MUST_CHECK;
int access_by_session(const struct service *service, struct str session, struct arena *arena,
                      struct caller *out, struct error *err) MUST_CHECK;

/*
 * A name and groups that are known to be true; a name that the books do not have is a user with
 * that login.
 */
int access_by_name(const struct service *service, struct str name, struct str groups,
                   struct arena *arena, struct caller *out, struct error *err) MUST_CHECK;

/*
 * Adds to a caller of this machine what the rules of stint.conf give the user and the Unix
 * groups they are in.
 */
void access_local(const struct config *config, unsigned uid, struct arena *arena,
                  struct caller *caller);

/*
 * Logs in: a session, good until `until`, for a cookie. ERROR_DENIED: name or password are not
 * right, which the caller notes (serve/auth/refusals.h).
 */
int access_log_in(const struct service *service, struct str name, struct str password,
                  const char *from, int64_t until, struct arena *arena, struct str *session,
                  struct error *err) MUST_CHECK;
/*
 * The same for somebody whom a provider vouches for: no password, and groups (with commas
 * between) that hold for as long as the session, whose text has them.
 */
int access_let_in(const struct service *service, struct str name, struct str groups,
                  const char *from, int64_t until, struct arena *arena, struct str *session,
                  struct error *err) MUST_CHECK;
int access_log_out(const struct service *service, struct str session,
                   struct error *err) MUST_CHECK;

/* Whether somebody logs in here with a password; false also where that is not known. */
bool access_has_password(const struct service *service, struct str name);

/*
 * The secret from which form tokens of callers without a session are computed: the same after a
 * restart.
 */
int access_form_key(const struct service *service, char out[SODIUM_SECRET_MAX],
                    struct error *err) MUST_CHECK;

/* What forms of a session must repeat. */
int access_form_token(struct str session, struct arena *arena, struct str *out,
                      struct error *err) MUST_CHECK;

/* Writes a line of the audit log. What cannot be written is not said: the request continues. */
void access_audit(const struct service *service, const char *who, const char *from,
                  const char *what);
