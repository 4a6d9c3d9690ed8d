/* SPDX-License-Identifier: MIT */
#include "serve/http/http_library.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/library.h"
#include "base/limit.h"

struct http_functions mhd;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

static const struct library_function functions[] = {
#define X(name) {"MHD_" #name, offsetof(struct http_functions, name)},
    HTTP_FUNCTIONS(X)
#undef X
};

static const struct library library = {
    .names = {"libmicrohttpd.so.12"},
    .what = "libmicrohttpd",
    .needed_for = "stint serve needs libmicrohttpd",
    .package = "libmicrohttpd12",
    .version = "0.9.73",
    .functions = functions,
    .function_count = COUNT_OF(functions),
};

int http_library_load(struct error *err)
{
    pthread_mutex_lock(&load_lock);
    int failed = loaded ? 0 : library_load(&library, &mhd, err);
    loaded = !failed;
    pthread_mutex_unlock(&load_lock);
    return failed;
}
