/* SPDX-License-Identifier: MIT */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

const char *library_find(void *handle, const struct library_function *functions, size_t count,
                         void *table)
{
    const char *missing = NULL;
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(handle, functions[i].name);
        memcpy((char *)table + functions[i].offset, &symbol, sizeof(symbol));
        if (!symbol && !missing) {
            missing = functions[i].name;
        }
    }
    return missing;
}

int library_load(const struct library *library, void *table, struct error *err)
{
    void *handle = NULL;
    for (size_t i = 0; !handle && i < LIBRARY_NAMES_MAX && library->names[i]; i++) {
        handle = dlopen(library->names[i], RTLD_NOW | RTLD_LOCAL);
    }
    if (!handle) {
        return error_set(err, ERROR_MISSING,
                         "%s, which is not installed (%s); install it, for example: apt-get "
                         "install %s",
                         library->needed_for, dlerror(), library->package);
    }
    const char *missing =
        library_find(handle, library->functions, library->function_count, table);
    return missing ? error_set(err, ERROR_MISSING,
                               "this %s has no function '%s': stint needs version %s or later",
                               library->what, missing, library->version)
                   : 0;
}
