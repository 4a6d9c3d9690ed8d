/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Secrets: made by chance, kept as hashes. libsodium does the work, known in sodium.c only; it
 * is loaded when it is first needed, so that no other command pays for it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

enum {
    SODIUM_SECRET_MAX = 64,    /* bytes of a secret as text, with its NUL */
    SODIUM_HASH_MAX = 128 + 1, /* of a hash as text */
};

/* 256 bits of chance in letters, digits, - and _, after `prefix`. */
int sodium_secret(const char *prefix, char out[SODIUM_SECRET_MAX],
                  struct error *err) MUST_CHECK;

/*
 * The hash of a secret that nobody can guess (BLAKE2b, in hexadecimal); `use` distinguishes
 * what it is for.
 */
int sodium_hash(const char *use, struct str secret, char out[SODIUM_HASH_MAX],
                struct error *err) MUST_CHECK;

/* The hash of a password, slow to make on purpose (argon2id). */
int sodium_password(struct str password, char out[SODIUM_HASH_MAX],
                    struct error *err) MUST_CHECK;

/*
 * Whether that is the password; takes as long either way. A null hash is nobody's: false, after
 * as long.
 */
int sodium_verify(struct str hash, struct str password, bool *same,
                  struct error *err) MUST_CHECK;

/* Compares in a time that does not depend on where they differ. */
bool sodium_same(struct str a, struct str b);
