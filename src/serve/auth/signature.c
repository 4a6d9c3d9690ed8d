/* SPDX-License-Identifier: MIT */
#include "serve/auth/signature.h"

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <pthread.h>
#include <string.h>

#include "base/library.h"

/* Every function that is used; a missing one is found at load, not at use. */
#define SIGNATURE_FUNCTIONS(X)                                                                 \
    X(gnutls_hash_fast)                                                                        \
    X(gnutls_pubkey_init)                                                                      \
    X(gnutls_pubkey_deinit)                                                                    \
    X(gnutls_pubkey_import_rsa_raw)                                                            \
    X(gnutls_pubkey_import_ecc_raw)                                                            \
    X(gnutls_pubkey_verify_data2)

/* Filled by load, read-only afterwards. */
static struct signature_functions {
#define X(name) __typeof__(name) *name##_;
    SIGNATURE_FUNCTIONS(X)
#undef X
} lib;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

enum { NUMBER = 32, MODULUS_MIN = 256, MODULUS_MAX = 1024 };

static const struct library_function functions[] = {
#define X(name) {#name, offsetof(struct signature_functions, name##_)},
    SIGNATURE_FUNCTIONS(X)
#undef X
};

static const struct library library = {
    .names = {"libgnutls.so.30"},
    .what = "GnuTLS",
    .needed_for = "OpenID Connect needs GnuTLS",
    .package = "libgnutls30",
    .version = "3.6",
    .functions = functions,
    .function_count = COUNT_OF(functions),
};

static int load(struct error *err)
{
    pthread_mutex_lock(&load_lock);
    int failed = loaded ? 0 : library_load(&library, &lib, err);
    loaded = !failed;
    pthread_mutex_unlock(&load_lock);
    return failed;
}

enum signature_algorithm signature_algorithm_of(struct str name)
{
    return str_eq(name, STR("RS256"))   ? SIGNATURE_RS256
           : str_eq(name, STR("ES256")) ? SIGNATURE_ES256
                                        : SIGNATURE_NONE;
}

static gnutls_datum_t datum(struct str text)
{
    unsigned char *bytes;
    memcpy(&bytes, &text.ptr, sizeof(bytes)); /* the library takes it as not const, and reads */
    return (gnutls_datum_t){bytes, (unsigned)text.len};
}

/* A number of a signature as DER has it: without zeros before, and positive. */
static size_t put_integer(unsigned char *out, const char *number)
{
    size_t skipped = 0, length = 2;
    while (skipped < NUMBER - 1 && number[skipped] == 0) {
        skipped++;
    }
    const bool high = (unsigned char)number[skipped] & 0x80;
    out[0] = 2;
    out[1] = (unsigned char)(NUMBER - skipped + high);
    if (high) {
        out[length++] = 0;
    }
    memcpy(out + length, number + skipped, NUMBER - skipped);
    return length + NUMBER - skipped;
}

/* The two numbers of ES256 (RFC 7518, 3.4) as the library reads them. */
static gnutls_datum_t as_der(struct str signature, unsigned char room[80])
{
    size_t length = 2;
    length += put_integer(room + length, signature.ptr);
    length += put_integer(room + length, signature.ptr + NUMBER);
    room[0] = 0x30;
    room[1] = (unsigned char)(length - 2);
    return (gnutls_datum_t){room, (unsigned)length};
}

static bool fits(const struct signature_key *key, struct str signature)
{
    if (key->algorithm == SIGNATURE_ES256) {
        return key->first.len == NUMBER && key->second.len == NUMBER &&
               signature.len == 2 * (size_t)NUMBER;
    }
    struct str modulus = key->first;
    while (modulus.len > 0 && *modulus.ptr == 0) {
        modulus.ptr++;
        modulus.len--;
    }
    return key->algorithm == SIGNATURE_RS256 && modulus.len >= MODULUS_MIN &&
           modulus.len <= MODULUS_MAX && key->second.len > 0 && key->second.len <= NUMBER &&
           signature.len <= MODULUS_MAX;
}

int signature_check(const struct signature_key *key, struct str text, struct str signature,
                    struct error *err)
{
    const bool rsa = key->algorithm == SIGNATURE_RS256;
    const gnutls_datum_t first = datum(key->first), second = datum(key->second);
    const gnutls_datum_t data = datum(text);
    unsigned char room[80];
    gnutls_pubkey_t public = NULL;
    int failed = load(err);
    if (failed) {
        return failed;
    }
    if (!fits(key, signature) || lib.gnutls_pubkey_init_(&public) != 0) {
        return error_set(err, ERROR_DENIED, "the signature does not fit its key");
    }
    const gnutls_datum_t signed_by = rsa ? datum(signature) : as_der(signature, room);
    const int bad = rsa ? lib.gnutls_pubkey_import_rsa_raw_(public, &first, &second)
                        : lib.gnutls_pubkey_import_ecc_raw_(public, GNUTLS_ECC_CURVE_SECP256R1,
                                                            &first, &second);
    const gnutls_sign_algorithm_t how = rsa ? GNUTLS_SIGN_RSA_SHA256 : GNUTLS_SIGN_ECDSA_SHA256;
    if (bad || lib.gnutls_pubkey_verify_data2_(public, how, 0, &data, &signed_by) < 0) {
        failed = error_set(err, ERROR_DENIED, "the signature is wrong");
    }
    lib.gnutls_pubkey_deinit_(public);
    return failed;
}

int signature_sha256(struct str text, char out[SIGNATURE_HASH], struct error *err)
{
    int failed = load(err);
    if (!failed && lib.gnutls_hash_fast_(GNUTLS_DIG_SHA256, text.ptr, text.len, out) != 0) {
        failed = error_set(err, ERROR_IO, "GnuTLS cannot hash");
    }
    return failed;
}
