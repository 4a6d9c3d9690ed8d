/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How a function says that it failed.
 *
 * A function that can fail returns int: 0, or a negative `enum error_kind`. It takes a `struct
 * error *` as its last parameter and, on failure only, leaves there a sentence a user can act
 * on: lower case, no full stop, what failed, the subject in quotes, why. Callers branch on the
 * kind only where behaviour differs. Library code never prints: a failure is spoken once, by
 * the command or server that handles it.
 *
 *     if (!S_ISREG(st.st_mode)) {
 *         return error_set(err, ERROR_INPUT, "cannot import '%s': not a plain file", path);
 *     }
 *
 * The text lives inside the struct, so an error needs no release and may be copied.
 */

#include "base/attribute.h"

enum error_kind {
    ERROR_INPUT = -1,    /* what was read is not what it should be */
    ERROR_USAGE = -2,    /* what was asked makes no sense: exit status 2 */
    ERROR_MISSING = -3,  /* a named thing does not exist */
    ERROR_CONFLICT = -4, /* somebody else holds it */
    ERROR_LIMIT = -5,    /* larger than we are willing to handle */
    ERROR_DENIED = -6,   /* permission */
    ERROR_IO = -7,       /* the operating system said no; disk full is among these */
    ERROR_STORE = -8,    /* the database said no */
    ERROR_STOPPED = -9,  /* the user interrupted */
};

enum { ERROR_TEXT_MAX = 1024 };

struct error {
    enum error_kind kind;
    /*
     * UTF-8, always terminated; cut, never overrun; bytes that are not UTF-8 stand in it as
     * \xe9
     */
    char text[ERROR_TEXT_MAX];
};

/* Sets kind and text, returns `kind`, so that failing is one line. `err` may be NULL. */
int error_set(struct error *err, enum error_kind kind, const char *format, ...)
    PRINTF_LIKE(3, 4);

/*
 * Like error_set, with ": " and the text of `errno` appended. The kind follows from errno:
 * ENOENT is MISSING, EACCES and EPERM are DENIED, the rest is IO.
 */
int error_errno(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Puts context before the text of an error that is already set; returns its kind. */
int error_prepend(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);
