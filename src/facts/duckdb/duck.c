/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/duck.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/library.h"

#ifndef STINT_DUCKDB_LIBRARY
#    define STINT_DUCKDB_LIBRARY "libduckdb.so"
#endif

/*
 * The library looks for its own symbols in itself first. It has tens of thousands to find when
 * it is loaded; asking the program and its libraries for each of them takes longer than most
 * questions do. Sanitizers forbid it, since they put functions of their own before those of the
 * C library.
 */
#if defined(STINT_SANITIZED) || !defined(RTLD_DEEPBIND)
#    define LOAD_FLAGS (RTLD_LAZY | RTLD_LOCAL)
#else
#    define LOAD_FLAGS (RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND)
#endif

struct duck duck;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static void *library;

/* lib/stint/libduckdb.so beside the bin/ this program runs from, as `./run install` puts it. */
static void *open_installed(bool *there)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length <= 0) {
        return NULL;
    }
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash) {
        return NULL;
    }
    *slash = '\0';
    char full[PATH_MAX + 64];
    snprintf(full, sizeof(full), "%s/../lib/stint/libduckdb.so", path);
    *there = access(full, F_OK) == 0;
    return dlopen(full, LOAD_FLAGS);
}

/*
 * The first that is there; if that one cannot be loaded, dlerror says why of it, and not that
 * another is missing.
 */
static void *open_library(void)
{
    bool there = false;
    void *handle = open_installed(&there);
    if (!handle && !there) {
        there = access(STINT_DUCKDB_LIBRARY, F_OK) == 0;
        handle = dlopen(STINT_DUCKDB_LIBRARY, LOAD_FLAGS);
    }
    return handle || there ? handle : dlopen("libduckdb.so", LOAD_FLAGS);
}

static int find_functions(struct error *err)
{
    static const struct library_function functions[] = {

#define X(name) {"duckdb_" #name, offsetof(struct duck, name)},
        DUCK_FUNCTIONS(X)
#undef X
    };
    const char *missing = library_find(library, functions, COUNT_OF(functions), &duck);
    return missing
               ? error_set(err, ERROR_STORE,
                           "this DuckDB library has no function '%s': stint needs version 1.4",
                           missing)
               : 0;
}

int duck_load(struct error *err)
{
    int failed = 0;
    pthread_mutex_lock(&load_lock);
    if (!library) {
        library = open_library();
        if (!library) {
            failed = error_set(err, ERROR_MISSING,
                               "cannot load the DuckDB library: %s; run './run install' or put "
                               "libduckdb.so on the library path",
                               dlerror());
        } else {
            failed = find_functions(err);
        }
        if (failed && library) {
            dlclose(library);
            library = NULL;
        }
    }
    pthread_mutex_unlock(&load_lock);
    return failed;
}
