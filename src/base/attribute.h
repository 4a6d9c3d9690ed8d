/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Promises a declaration can make to the compiler, under short names.
 */

/* The result must not be ignored: every function that can fail carries it. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* The argument at position `where` is a printf format, its values start at `first`. */
#define PRINTF_LIKE(where, first) __attribute__((format(printf, where, first)))

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
