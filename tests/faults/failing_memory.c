/* SPDX-License-Identifier: MIT */

/*
 * Linked into a stint of its own (tests/failing-stint) with --wrap: the n-th piece of memory that our own code asks for
 * is refused. All of it asks through base/mem.c.
 *
 *   FAIL_ALLOCATION=N   the n-th is refused; 0 or nothing: none
 *   FAIL_LOG=FILE       how many were asked for, at the end
 *
 * Used by tests/sh/test_faults.sh.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static atomic_long count;

static bool refused(void)
{
    const char *at = getenv("FAIL_ALLOCATION");
    errno = ENOMEM;
    return atomic_fetch_add(&count, 1) + 1 == (at ? strtol(at, NULL, 10) : 0);
}

void *__wrap_calloc(size_t pieces, size_t size)
{
    return refused() ? NULL : __real_calloc(pieces, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refused() ? NULL : __real_realloc(old, size);
}

static __attribute__((destructor)) void tell(void)
{
    const char *log = getenv("FAIL_LOG");
    FILE *file = log ? fopen(log, "w") : NULL;
    if (file) {
        (void)fprintf(file, "%ld\n", atomic_load(&count));
        (void)fclose(file);
    }
}
