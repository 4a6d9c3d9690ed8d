/* SPDX-License-Identifier: MIT */
#include "reach/curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct curl curl;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static void *library;

static int find_functions(void *handle, struct error *err)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {

#define X(name, result, parameters) {"curl_" #name, offsetof(struct curl, name)},
        CURL_FUNCTIONS(X)
#undef X
    };

    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        void *symbol = dlsym(handle, functions[i].name);
        if (!symbol) {
            return error_set(
                err, ERROR_MISSING,
                "this libcurl has no function '%s': stint needs version 7.49 or later",
                functions[i].name);
        }
        memcpy((char *)&curl + functions[i].offset, &symbol, sizeof(symbol));
    }
    return 0;
}

/* The flavours that distributions have of the one interface. */
static void *open_library(void)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    void *handle = NULL;
    for (size_t i = 0; i < COUNT_OF(names) && !handle; i++) {
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

static int load(struct error *err)
{
    void *handle = open_library();
    if (!handle) {
        return error_set(err, ERROR_MISSING,
                         "HTTP requests need libcurl, which is not installed (%s); install it, "
                         "for example: apt-get install libcurl4",
                         dlerror());
    }
    int failed = find_functions(handle, err);
    if (!failed && curl.global_init(CURL_INIT_ALL) != CURL_DONE) {
        failed = error_set(err, ERROR_IO, "libcurl cannot be initialized");
    }
    if (failed) {
        dlclose(handle);
        return failed;
    }
    library = handle; /* stays: its TLS library does not like to be unloaded */
    return 0;
}

int curl_load(struct error *err)
{
    pthread_mutex_lock(&load_lock);
    int failed = library ? 0 : load(err);
    pthread_mutex_unlock(&load_lock);
    return failed;
}
