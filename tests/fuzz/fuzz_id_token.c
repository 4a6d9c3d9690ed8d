/* SPDX-License-Identifier: MIT */

/* Whatever comes as an ID token, with whatever keys before a line break: none of it is believed, since nobody signed it. */
#include <stdint.h>
#include <stdlib.h>

#include "serve/auth/id_token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str token = {(const char *)data, size};
    const struct str keys = str_cut(&token, '\n');
    const struct id_token_wish wish = {
        .issuer = STR("https://issuer.example"),
        .client = STR("stint"),
        .nonce = STR("a nonce that nobody can guess"),
        .now_s = 1700000000,
        .user_claim = STR("preferred_username"),
        .groups_claim = STR("groups"),
    };
    struct id_token_claims claims = {0};
    struct arena arena = {0};
    struct error err = {0};
    json_error_t why;
    json_t *set = keys.len > 0 ? json_loadb(keys.ptr, keys.len, 0, &why) : NULL;
    if (token.ptr && id_token_read(token, set, &wish, &arena, &claims, &err) == 0) {
        abort();
    }
    json_decref(set);
    arena_release(&arena);
    return 0;
}
