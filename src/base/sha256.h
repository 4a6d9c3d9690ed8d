/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * SHA-256 (FIPS 180-4), for what has to be recognised later by anybody: the chain of the
 * ledger.
 *
 *     struct sha256 sha;
 *     sha256_begin(&sha);
 *     sha256_add(&sha, bytes);
 *     sha256_end(&sha, text);
 */

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { SHA256_TEXT = 64 }; /* hexadecimal digits */

struct sha256 {
    uint32_t state[8];
    uint64_t length; /* in bytes */
    unsigned char block[64];
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, struct str bytes);

/* The digest in hexadecimal digits, ended by a zero. */
void sha256_end(struct sha256 *sha, char out[SHA256_TEXT + 1]);
