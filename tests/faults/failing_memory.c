/* SPDX-License-Identifier: MIT */

/*
 * Linked into a stint of its own (tests/failing-stint) with --wrap: a piece of memory that our own code asks for is refused.
 * All of it asks through base/mem.c.
 *
 *   FAIL_ALLOCATION=N   the n-th place is refused what it asks for first; 0 or nothing: none
 *   FAIL_LOG=FILE       how many places there were, at the end
 *
 * A place is who asked base/mem.c, and who called that. Refused memory ends the program in base/mem.c, whoever asked; the same
 * place again would meet the same code. What a program leaves that ends at any moment is sh/test_import_kill's matter.
 * Used by tests/sh/test_faults.sh.
 */
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { OWN = 4, CALLERS = 2, PLACES_MAX = 4096 };

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static uint64_t places[PLACES_MAX];
static size_t count;

/* OWN are this function, its caller, the wrapper and base/mem.c. */
static __attribute__((noinline)) uint64_t place_of_caller(void)
{
    void *calls[OWN + CALLERS];
    const int depth = backtrace(calls, OWN + CALLERS);
    uint64_t place = 0;
    for (int i = OWN; i < depth; i++) {
        place = (place ^ (uintptr_t)calls[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return place;
}

/* Its number from 1 on, if it is new; else 0. */
static size_t place_number(uint64_t place)
{
    size_t i = 0;
    while (i < count && places[i] != place) {
        i++;
    }
    if (i < count) {
        return 0;
    }
    if (count == PLACES_MAX) {
        abort();
    }
    places[count++] = place;
    return count;
}

static __attribute__((noinline)) bool refused(void)
{
    const char *at = getenv("FAIL_ALLOCATION");
    const uint64_t place = place_of_caller();
    pthread_mutex_lock(&guard);
    const size_t number = place_number(place);
    pthread_mutex_unlock(&guard);
    errno = ENOMEM;
    return number > 0 && number == (at ? strtoul(at, NULL, 10) : 0);
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
        (void)fprintf(file, "%zu\n", count);
        (void)fclose(file);
    }
}
