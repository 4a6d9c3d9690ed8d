/* SPDX-License-Identifier: MIT */
#include "serve/auth/id_token.h"

#include "base/base64.h"
#include "serve/auth/signature.h"

/* A token in its parts; the caller releases `header` and `claims`. */
struct parts {
    struct str text; /* what was signed */
    struct str signature;
    json_t *header, *claims;
};

static json_t *read_object(struct str encoded, struct arena *arena)
{
    struct str text;
    json_error_t why;
    json_t *value = base64_read_url(encoded, arena, &text)
                        ? json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, &why)
                        : NULL;
    if (!json_is_object(value)) {
        json_decref(value);
        return NULL;
    }
    return value;
}

static struct str text_in(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_string(value)
               ? (struct str){json_string_value(value), json_string_length(value)}
               : (struct str){0};
}

static int take_apart(struct str token, struct arena *arena, struct parts *out,
                      struct error *err)
{
    struct str rest = token;
    const struct str header = str_cut(&rest, '.');
    const struct str claims = rest.ptr ? str_cut(&rest, '.') : (struct str){0};
    *out = (struct parts){.text = {token.ptr, header.len + 1 + claims.len}};
    if (token.len > ID_TOKEN_MAX || !claims.ptr || !rest.ptr ||
        !base64_read_url(rest, arena, &out->signature)) {
        return error_set(err, ERROR_DENIED, "the ID token is not one");
    }
    out->header = read_object(header, arena);
    out->claims = read_object(claims, arena);
    return out->header && out->claims ? 0
                                      : error_set(err, ERROR_DENIED, "the ID token is not one");
}

/* --- the signature ------------------------------------------------------------------------ */

/* A key of the set that may have made the signature. */
static bool read_key(const json_t *jwk, enum signature_algorithm algorithm, struct arena *arena,
                     struct signature_key *out)
{
    static const struct {
        const char *type, *first, *second;
    } forms[] = {[SIGNATURE_RS256] = {"RSA", "n", "e"}, [SIGNATURE_ES256] = {"EC", "x", "y"}};

    const struct str use = text_in(jwk, "use"), only = text_in(jwk, "alg");
    const bool curve =
        algorithm != SIGNATURE_ES256 || str_eq(text_in(jwk, "crv"), STR("P-256"));
    *out = (struct signature_key){.algorithm = algorithm};
    return str_eq(text_in(jwk, "kty"), str_of(forms[algorithm].type)) && curve &&
           (!use.ptr || str_eq(use, STR("sig"))) &&
           (!only.ptr || signature_algorithm_of(only) == algorithm) &&
           base64_read_url(text_in(jwk, forms[algorithm].first), arena, &out->first) &&
           base64_read_url(text_in(jwk, forms[algorithm].second), arena, &out->second);
}

static int check_signature(const struct parts *parts, const json_t *keys, struct arena *arena,
                           struct error *err)
{
    const struct str name = text_in(parts->header, "alg"), id = text_in(parts->header, "kid");
    const enum signature_algorithm algorithm = signature_algorithm_of(name);
    const json_t *list = json_object_get(keys, "keys");
    int failed = error_set(err, ERROR_MISSING, "the provider has no key that signed this");
    if (algorithm == SIGNATURE_NONE || json_object_get(parts->header, "crit")) {
        return error_set(err, ERROR_DENIED,
                         "the ID token is not signed with RS256 or ES256, but '%.32s'",
                         name.ptr ? name.ptr : "");
    }
    for (size_t i = 0; failed && i < json_array_size(list); i++) {
        const json_t *jwk = json_array_get(list, i);
        struct signature_key key;
        if ((!id.ptr || str_eq(id, text_in(jwk, "kid"))) &&
            read_key(jwk, algorithm, arena, &key)) {
            failed = signature_check(&key, parts->text, parts->signature, err);
        }
    }
    return failed;
}

/* --- the claims --------------------------------------------------------------------------- */

static bool is_for(const json_t *claims, struct str client)
{
    const json_t *audience = json_object_get(claims, "aud");
    const struct str party = text_in(claims, "azp");
    bool found = str_eq(text_in(claims, "aud"), client) && client.len > 0;
    for (size_t i = 0; i < json_array_size(audience); i++) {
        const json_t *one = json_array_get(audience, i);
        found =
            found || (json_is_string(one) && str_eq(str_of(json_string_value(one)), client));
    }
    if (json_object_get(claims, "azp") || json_array_size(audience) > 1) {
        found = found && str_eq(party, client);
    }
    return found;
}

static int check_claims(const json_t *claims, const struct id_token_wish *wish,
                        struct error *err)
{
    const json_t *until = json_object_get(claims, "exp"),
                 *from = json_object_get(claims, "nbf");
    const json_t *made = json_object_get(claims, "iat");
    const char *wrong = NULL;
    if (!str_eq(text_in(claims, "iss"), wish->issuer) || wish->issuer.len == 0) {
        wrong = "the ID token is by another issuer";
    } else if (!is_for(claims, wish->client)) {
        wrong = "the ID token is for another audience";
    } else if (!json_is_number(until) ||
               json_number_value(until) + ID_TOKEN_SKEW_S <= (double)wish->now_s) {
        wrong = "the ID token has expired";
    } else if (json_is_number(from) &&
               json_number_value(from) > (double)wish->now_s + ID_TOKEN_SKEW_S) {
        wrong = "the ID token is not valid yet";
    } else if (!json_is_number(made) ||
               json_number_value(made) > (double)wish->now_s + ID_TOKEN_SKEW_S) {
        wrong = "the ID token was issued in the future";
    } else if (wish->nonce.len == 0 || !str_eq(text_in(claims, "nonce"), wish->nonce)) {
        wrong = "the ID token is for another login (its nonce differs)";
    }
    return wrong ? error_set(err, ERROR_DENIED, "%s", wrong) : 0;
}

/* Names go into lists with commas, into cookies and logs. */
static bool is_name(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (byte <= ' ' || byte == ',' || byte == 0x7f) {
            return false;
        }
    }
    return text.len > 0 && text.len <= 256;
}

static void read_groups(const json_t *claim, struct arena *arena, struct id_token_claims *out)
{
    struct str *groups = arena_alloc(arena, ID_TOKEN_GROUPS_MAX * sizeof(*groups));
    const size_t count = json_is_string(claim) ? 1 : json_array_size(claim);
    for (size_t i = 0; i < count && out->group_count < ID_TOKEN_GROUPS_MAX; i++) {
        const char *text =
            json_string_value(json_is_string(claim) ? claim : json_array_get(claim, i));
        if (text && is_name(str_of(text))) {
            groups[out->group_count++] = arena_copy(arena, str_of(text));
        }
    }
    out->groups = groups;
}

static int read_claims(const json_t *claims, const struct id_token_wish *wish,
                       struct arena *arena, struct id_token_claims *out, struct error *err)
{
    const char *user_claim = arena_text(arena, wish->user_claim);
    const struct str user = text_in(claims, user_claim);
    *out = (struct id_token_claims){0};
    if (!is_name(user)) {
        return error_set(err, ERROR_DENIED, "the ID token has no name of a user in claim '%s'",
                         user_claim);
    }
    out->user = arena_copy(arena, user);
    read_groups(json_object_get(claims, arena_text(arena, wish->groups_claim)), arena, out);
    return 0;
}

int id_token_read(struct str token, const json_t *keys, const struct id_token_wish *wish,
                  struct arena *arena, struct id_token_claims *out, struct error *err)
{
    struct parts parts;
    int failed;
    (void)((failed = take_apart(token, arena, &parts, err)) ||
           (failed = check_signature(&parts, keys, arena, err)) ||
           (failed = check_claims(parts.claims, wish, err)) ||
           (failed = read_claims(parts.claims, wish, arena, out, err)));
    json_decref(parts.header);
    json_decref(parts.claims);
    return failed;
}
