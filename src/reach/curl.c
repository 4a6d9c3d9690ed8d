/* SPDX-License-Identifier: MIT */
#include "reach/curl.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/library.h"

struct curl curl;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

static const struct library_function functions[] = {
#define X(name, result, parameters) {"curl_" #name, offsetof(struct curl, name)},
    CURL_FUNCTIONS(X)
#undef X
};

/* The two flavours that distributions have of the one interface. */
static const struct library library = {
    .names = {"libcurl.so.4", "libcurl-gnutls.so.4"},
    .what = "libcurl",
    .needed_for = "HTTP requests need libcurl",
    .package = "libcurl4",
    .version = "7.49",
    .functions = functions,
    .function_count = COUNT_OF(functions),
};

static int load(struct error *err)
{
    int failed = library_load(&library, &curl, err);
    if (!failed && curl.global_init(CURL_INIT_ALL) != CURL_DONE) {
        failed = error_set(err, ERROR_IO, "libcurl cannot be initialized");
    }
    loaded = !failed;
    return failed;
}

int curl_load(struct error *err)
{
    pthread_mutex_lock(&load_lock);
    int failed = loaded ? 0 : load(err);
    pthread_mutex_unlock(&load_lock);
    return failed;
}
