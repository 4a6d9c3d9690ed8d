/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a provider of log-ins says of somebody: an ID token (OpenID Connect Core 1.0, 2), a
 * signed text with claims. Nothing of it is believed before its signature was checked with a
 * key of the provider, and nothing that was not meant for us.
 */

#include <jansson.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

enum { ID_TOKEN_MAX = 64 << 10, ID_TOKEN_SKEW_S = 60, ID_TOKEN_GROUPS_MAX = 1024 };

struct id_token_wish {
    struct str issuer, client; /* who must have said it, and to whom */
    struct str nonce;          /* that we gave the provider with the question */
    int64_t now_s;             /* seconds since 1970 */
    struct str user_claim, groups_claim;
};

struct id_token_claims {
    struct str user;
    const struct str *groups;
    size_t group_count;
};

/*
 * Reads a token with the provider's keys (a JWK set). ERROR_DENIED says why it is not believed;
 * ERROR_MISSING: it is signed with a key that is not among them, so that they may be out of
 * date. Texts are in the arena.
 */
int id_token_read(struct str token, const json_t *keys, const struct id_token_wish *wish,
                  struct arena *arena, struct id_token_claims *out,
                  struct error *err) MUST_CHECK;
