/* SPDX-License-Identifier: MIT */
#include "service/access/sodium.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/library.h"

/* Every function that is used; a missing one is found at load, not at use. */
#define SODIUM_FUNCTIONS(X)                                                                    \
    X(sodium_init)                                                                             \
    X(crypto_generichash)                                                                      \
    X(crypto_pwhash_str)                                                                       \
    X(crypto_pwhash_str_verify)

/* Filled by load, read-only afterwards. */
static struct sodium_functions {
#define X(name) __typeof__(name) *name##_;
    SODIUM_FUNCTIONS(X)
#undef X
} lib;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

/* Each takes 64 MiB and a core: not more than that at a time. */
static pthread_mutex_t slow_lock = PTHREAD_MUTEX_INITIALIZER;

/* Of no password; for taking the time it takes. */
#define NOBODY                                                                                 \
    "$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"                                   \
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static const struct library_function functions[] = {
#define X(name) {#name, offsetof(struct sodium_functions, name##_)},
    SODIUM_FUNCTIONS(X)
#undef X
};

static const struct library library = {
    .names = {"libsodium.so.23", "libsodium.so.26"},
    .what = "libsodium",
    .needed_for = "tokens and passwords need libsodium",
    .package = "libsodium23",
    .version = "1.0.13",
    .functions = functions,
    .function_count = COUNT_OF(functions),
};

static int load_once(struct error *err)
{
    int failed = library_load(&library, &lib, err);
    if (!failed && lib.sodium_init_() < 0) {
        failed = error_set(err, ERROR_IO, "libsodium cannot be initialized");
    }
    loaded = !failed;
    return failed;
}

static int load(struct error *err)
{
    pthread_mutex_lock(&load_lock);
    int failed = loaded ? 0 : load_once(err);
    pthread_mutex_unlock(&load_lock);
    return failed;
}

int sodium_secret(const char *prefix, char out[SODIUM_SECRET_MAX], struct error *err)
{
    enum { BYTES = 32 };

    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char chance[BYTES + 1] = {0};
    if (getrandom(chance, BYTES, 0) != BYTES) {
        return error_errno(err, "the system provides no random bytes");
    }
    size_t length = (size_t)snprintf(out, SODIUM_SECRET_MAX, "%.16s", prefix);
    /* six bits a character; the last has zeros at its end */
    for (size_t bit = 0; bit < 8 * (size_t)BYTES; bit += 6) {
        const unsigned two = (unsigned)chance[bit / 8] << 8 | chance[bit / 8 + 1];
        out[length++] = digits[two >> (10 - bit % 8) & 63];
    }
    out[length] = '\0';
    return 0;
}

int sodium_hash(const char *use, struct str secret, char out[SODIUM_HASH_MAX],
                struct error *err)
{
    enum { BYTES = 32 };

    static const char digits[] = "0123456789abcdef";
    unsigned char hash[BYTES];
    int failed = load(err);
    if (failed) {
        return failed;
    }
    if (lib.crypto_generichash_(hash, BYTES, (const unsigned char *)secret.ptr, secret.len,
                                (const unsigned char *)use, strlen(use)) != 0) {
        return error_set(err, ERROR_IO, "libsodium cannot hash");
    }
    for (size_t i = 0; i < BYTES; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
    out[2 * (size_t)BYTES] = '\0';
    return 0;
}

int sodium_password(struct str password, char out[SODIUM_HASH_MAX], struct error *err)
{
    _Static_assert(SODIUM_HASH_MAX > crypto_pwhash_STRBYTES, "a hash has room");
    int failed = load(err);
    if (failed) {
        return failed;
    }
    pthread_mutex_lock(&slow_lock);
    const int refused = lib.crypto_pwhash_str_(out, password.ptr, password.len,
                                               crypto_pwhash_OPSLIMIT_INTERACTIVE,
                                               crypto_pwhash_MEMLIMIT_INTERACTIVE);
    pthread_mutex_unlock(&slow_lock);
    return refused ? error_set(err, ERROR_LIMIT, "there is not enough memory for a password")
                   : 0;
}

int sodium_verify(struct str hash, struct str password, bool *same, struct error *err)
{
    char text[SODIUM_HASH_MAX];
    int failed = load(err);
    *same = false;
    if (failed) {
        return failed;
    }
    snprintf(text, sizeof(text), "%.*s", STR_ARG(hash.ptr ? hash : str_of(NOBODY)));
    pthread_mutex_lock(&slow_lock);
    *same = lib.crypto_pwhash_str_verify_(text, password.ptr, password.len) == 0 && hash.ptr;
    pthread_mutex_unlock(&slow_lock);
    return 0;
}

bool sodium_same(struct str a, struct str b)
{
    unsigned differs = a.len != b.len;
    for (size_t i = 0; i < a.len && i < b.len; i++) {
        differs |= (unsigned)(unsigned char)a.ptr[i] ^ (unsigned)(unsigned char)b.ptr[i];
    }
    return differs == 0;
}
