/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Checks for unit tests, on top of cmocka: numbers in decimal, doubles with a tolerance, texts with
 * the first line that differs, and tables whose rows are tests of their own.
 *
 *     static void charge_is_zero_for_cancelled_job(void **state)
 *     {
 *         (void)state;
 *         expect_int(charge(&cancelled), 0);
 *     }
 *
 *     struct duration_row {
 *         const char *name;              // the first member of every row
 *         const char *text;
 *         int64_t seconds;
 *     };
 *     static const struct duration_row duration_rows[] = {
 *         {"minutes and seconds", "05:30", 330},
 *         {"days", "1-00:00:00", 86400},
 *     };
 *     static void scan_duration_reads(void **state)
 *     {
 *         const struct duration_row *row = *state;
 *         ...
 *     }
 *
 *     int main(void)
 *     {
 *         struct suite suite = {0};
 *         SUITE_TEST(&suite, charge_is_zero_for_cancelled_job);
 *         SUITE_ROWS(&suite, scan_duration_reads, duration_rows);
 *         return suite_run(&suite, "scan");
 *     }
 *
 * A failed check leaves the test with longjmp, as cmocka's own do. Not for threads other than the
 * test's.
 */

/* cmocka.h wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* got and want, as integers of any width up to 64 bits, signed. */
#define expect_int(got, want) expect_int_at((got), (want), #got, __FILE__, __LINE__)

/* The same for values above INT64_MAX. */
#define expect_uint(got, want) expect_uint_at((got), (want), #got, __FILE__, __LINE__)

/* |got - want| <= tolerance; two NaNs are equal. */
#define expect_double(got, want, tolerance)                                                    \
    expect_double_at((got), (want), (tolerance), #got, __FILE__, __LINE__)

#define expect_true(condition) expect_true_at((condition), #condition, __FILE__, __LINE__)
#define expect_false(condition)                                                                \
    expect_true_at(!(condition), "!(" #condition ")", __FILE__, __LINE__)

/* NUL-terminated texts, either may be NULL. On failure shows the first line that differs. */
#define expect_text(got, want) expect_text_at((got), (want), #got, __FILE__, __LINE__)

/* len bytes at got (which need not end in NUL) against the text want. */
#define expect_text_n(got, len, want)                                                          \
    expect_text_n_at((got), (len), (want), #got, __FILE__, __LINE__)

/* want occurs somewhere in got. */
#define expect_contains(got, want) expect_contains_at((got), (want), #got, __FILE__, __LINE__)

/* Leaves the test as failed, with a printf-like message. */
#define expect_fail(...) expect_fail_at(__FILE__, __LINE__, __VA_ARGS__)

/* The tests of one program. Zero-initialised; suite_run frees what it holds. */
struct suite {
    struct CMUnitTest *tests;
    size_t count;
    size_t capacity;
};

/* Adds a test under its function's name. */
#define SUITE_TEST(suite, function) suite_test((suite), #function, (function))

/* Adds one test a row of the array `rows`, named "function: row's name"; *state is the row. */
#define SUITE_ROWS(suite, function, rows)                                                      \
    suite_rows((suite), #function, (function), (rows), sizeof(rows) / sizeof((rows)[0]),       \
               sizeof((rows)[0]))

void suite_test(struct suite *suite, const char *name, CMUnitTestFunction function);

/* A test with its own state, and what to do before and after; setup and teardown may be NULL. */
void suite_test_with(struct suite *suite, const char *name, CMUnitTestFunction function,
                     CMFixtureFunction setup, CMFixtureFunction teardown, void *state);

/* The array at rows lives until suite_run returns; each row begins with its name (const char *). */
void suite_rows(struct suite *suite, const char *name, CMUnitTestFunction function,
                const void *rows, size_t count, size_t row_size);

/* Runs them all; the result is main's: 0, or 1 if any failed. */
int suite_run(struct suite *suite, const char *name);

/*
 * Makes a folder for a test to write in, under TMPDIR (which tests/run.sh has in memory) or /tmp: its path, with `name` in
 * it. Whoever made it removes it; a test that fails leaves it for the curious.
 */
void suite_folder(char *path, size_t size, const char *name);

/* What the macros above call. */
void expect_int_at(int64_t got, int64_t want, const char *what, const char *file, int line);
void expect_uint_at(uint64_t got, uint64_t want, const char *what, const char *file, int line);
void expect_double_at(double got, double want, double tolerance, const char *what,
                      const char *file, int line);
void expect_true_at(bool got, const char *what, const char *file, int line);
void expect_text_at(const char *got, const char *want, const char *what, const char *file,
                    int line);
void expect_text_n_at(const char *got, size_t len, const char *want, const char *what,
                      const char *file, int line);
void expect_contains_at(const char *got, const char *want, const char *what, const char *file,
                        int line);
void expect_fail_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
