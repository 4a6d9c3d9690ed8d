/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Signatures of others, checked by their public keys (RFC 7518): RS256 and ES256, and nothing
 * else. GnuTLS does the work, known in signature.c only; it is loaded when it is first needed.
 * libmicrohttpd brings it along.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

enum signature_algorithm { SIGNATURE_NONE, SIGNATURE_RS256, SIGNATURE_ES256 };

/* "RS256", "ES256"; SIGNATURE_NONE for every other name, "none" included. */
enum signature_algorithm signature_algorithm_of(struct str name);

/*
 * A public key as big-endian numbers: modulus and exponent of RSA, x and y of a point of P-256.
 */
struct signature_key {
    enum signature_algorithm algorithm;
    struct str first, second;
};

/* ERROR_DENIED: it is not the signature of that text by that key, or the key is too weak. */
int signature_check(const struct signature_key *key, struct str text, struct str signature,
                    struct error *err) MUST_CHECK;

enum { SIGNATURE_HASH = 32 };

int signature_sha256(struct str text, char out[SIGNATURE_HASH], struct error *err) MUST_CHECK;
