/* SPDX-License-Identifier: MIT */
#include "support/expect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much of a line that differs is shown. */
#define SHOWN 300

void expect_fail_at(const char *file, int line, const char *format, ...)
{
    char message[4096];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    print_error("%s\n", message);
    _fail(file, line);
    abort(); /* _fail does not return; its declaration does not say so to every compiler */
}

void expect_int_at(int64_t got, int64_t want, const char *what, const char *file, int line)
{
    if (got != want) {
        expect_fail_at(file, line, "%s is %" PRId64 ", want %" PRId64, what, got, want);
    }
}

void expect_uint_at(uint64_t got, uint64_t want, const char *what, const char *file, int line)
{
    if (got != want) {
        expect_fail_at(file, line, "%s is %" PRIu64 ", want %" PRIu64, what, got, want);
    }
}

void expect_double_at(double got, double want, double tolerance, const char *what,
                      const char *file, int line)
{
    if (isnan(got) && isnan(want)) {
        return;
    }
    if (!(fabs(got - want) <= tolerance)) {
        expect_fail_at(file, line, "%s is %.17g, want %.17g (within %g)", what, got, want,
                       tolerance);
    }
}

void expect_true_at(bool got, const char *what, const char *file, int line)
{
    if (!got) {
        expect_fail_at(file, line, "not so: %s", what);
    }
}

static int shown(size_t len)
{
    return len < SHOWN ? (int)len : SHOWN;
}

/* Length of the line at text, which ends at end. */
static size_t line_length(const char *text, const char *end)
{
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    return (size_t)((newline != NULL ? newline : end) - text);
}

/* Fails with the first line in which the two differ. They do differ. */
static void fail_differing(const char *got, size_t got_len, const char *want, size_t want_len,
                           const char *what, const char *file, int line)
{
    const char *got_end = got + got_len;
    const char *want_end = want + want_len;
    size_t number = 1;
    for (;;) {
        size_t a = line_length(got, got_end);
        size_t b = line_length(want, want_end);
        bool got_last = got + a == got_end;
        bool want_last = want + b == want_end;
        if (a != b || memcmp(got, want, a) != 0 || got_last != want_last || got_last) {
            expect_fail_at(file, line,
                           "%s differs at line %zu (%zu bytes, want %zu)\n"
                           "  want: %.*s%s\n"
                           "  got:  %.*s%s",
                           what, number, got_len, want_len, shown(b), want,
                           want_last ? "" : "\\n", shown(a), got, got_last ? "" : "\\n");
        }
        got += a + 1;
        want += b + 1;
        number++;
    }
}

void expect_text_n_at(const char *got, size_t len, const char *want, const char *what,
                      const char *file, int line)
{
    size_t want_len = strlen(want);
    if (len != want_len || (len > 0 && memcmp(got, want, len) != 0)) {
        fail_differing(len > 0 ? got : "", len, want, want_len, what, file, line);
    }
}

void expect_text_at(const char *got, const char *want, const char *what, const char *file,
                    int line)
{
    if (got == NULL || want == NULL) {
        if (got != want) {
            expect_fail_at(file, line, "%s is \"%s\", want \"%s\"", what,
                           got != NULL ? got : "(null)", want != NULL ? want : "(null)");
        }
        return;
    }
    expect_text_n_at(got, strlen(got), want, what, file, line);
}

void expect_contains_at(const char *got, const char *want, const char *what, const char *file,
                        int line)
{
    if (got == NULL || strstr(got, want) == NULL) {
        expect_fail_at(file, line, "%s is \"%.*s\", want \"%s\" in it", what, 2 * SHOWN,
                       got != NULL ? got : "(null)", want);
    }
}

static void *must(void *memory)
{
    if (memory == NULL) {
        (void)fputs("out of memory\n", stderr);
        abort();
    }
    return memory;
}

static char *copy(const char *text)
{
    return must(strdup(text));
}

void suite_test_with(struct suite *suite, const char *name, CMUnitTestFunction function,
                     CMFixtureFunction setup, CMFixtureFunction teardown, void *state)
{
    if (suite->count == suite->capacity) {
        suite->capacity = suite->capacity == 0 ? 32 : 2 * suite->capacity;
        suite->tests = must(realloc(suite->tests, suite->capacity * sizeof *suite->tests));
    }
    suite->tests[suite->count++] = (struct CMUnitTest){
        .name = copy(name),
        .test_func = function,
        .setup_func = setup,
        .teardown_func = teardown,
        .initial_state = state,
    };
}

void suite_test(struct suite *suite, const char *name, CMUnitTestFunction function)
{
    suite_test_with(suite, name, function, NULL, NULL, NULL);
}

void suite_rows(struct suite *suite, const char *name, CMUnitTestFunction function,
                const void *rows, size_t count, size_t row_size)
{
    for (size_t i = 0; i < count; i++) {
        const char *row = (const char *)rows + i * row_size;
        const char *row_name;
        memcpy(&row_name, row, sizeof row_name);
        char full[512];
        (void)snprintf(full, sizeof full, "%s: %s", name, row_name);
        /* cmocka's state is not const; a test takes it back as pointer to const. */
        suite_test_with(suite, full, function, NULL, NULL, (void *)(uintptr_t)row);
    }
}

int suite_run(struct suite *suite, const char *name)
{
    int failed = _cmocka_run_group_tests(name, suite->tests, suite->count, NULL, NULL);
    for (size_t i = 0; i < suite->count; i++) {
        /* Ours: suite_test_with copied it. */
        free((void *)(uintptr_t)suite->tests[i].name);
    }
    free(suite->tests);
    *suite = (struct suite){0};
    return failed == 0 ? 0 : 1;
}

void suite_folder(char *path, size_t size, const char *name)
{
    const char *room = getenv("TMPDIR");
    int length =
        snprintf(path, size, "%s/stint-%s-XXXXXX", room && *room ? room : "/tmp", name);
    if (length < 0 || (size_t)length >= size || !mkdtemp(path)) {
        expect_fail("cannot make the folder '%s'", path);
    }
}
