/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/rune.h"
#include "base/str.h"

/*
 * A message is formatted beside the error before it is copied in, because its arguments may
 * point into the very text that is being replaced.
 */

/* The length of the character at the start of a text, 0 if its first byte is not one. */
static size_t character_length(struct str text)
{
    uint32_t rune;
    return rune_decode(text, &rune);
}

/*
 * What records, names of files and servers say need not be UTF-8; a sentence is, since it is
 * kept and printed as such.
 */
static void put_text(struct error *err, const char *text)
{
    size_t len = 0;
    for (struct str rest = str_of(text); rest.len > 0;) {
        const size_t taken = character_length(rest);
        char escape[8];
        const size_t added = taken ? taken
                                   : (size_t)snprintf(escape, sizeof(escape), "\\x%02x",
                                                      (unsigned char)rest.ptr[0]);
        if (len + added >= sizeof(err->text)) {
            break;
        }
        memcpy(err->text + len, taken ? rest.ptr : escape, added);
        len += added;
        rest.ptr += taken ? taken : 1;
        rest.len -= taken ? taken : 1;
    }
    err->text[len] = '\0';
}

static enum error_kind kind_of_errno(int number)
{
    switch (number) {
    case ENOENT:
        return ERROR_MISSING;
    case EACCES:
    case EPERM:
        return ERROR_DENIED;
    default:
        return ERROR_IO;
    }
}

int error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
    if (err) {
        char text[ERROR_TEXT_MAX];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        err->kind = kind;
        put_text(err, text);
    }
    return kind;
}

int error_errno(struct error *err, const char *format, ...)
{
    int number = errno;
    enum error_kind kind = kind_of_errno(number);
    if (err) {
        char text[2 * ERROR_TEXT_MAX];
        char scratch[128];
        va_list args;
        va_start(args, format);
        vsnprintf(text, ERROR_TEXT_MAX, format, args);
        va_end(args);
        size_t len = strlen(text);
        /* The GNU strerror_r: thread-safe, and returns the text wherever it put it. */
        snprintf(text + len, sizeof(text) - len, ": %s",
                 strerror_r(number, scratch, sizeof(scratch)));
        err->kind = kind;
        put_text(err, text);
    }
    errno = number;
    return kind;
}

int error_prepend(struct error *err, const char *format, ...)
{
    if (!err) {
        return ERROR_INPUT; /* the caller's own code matters then, not this one */
    }
    char text[2 * ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, ERROR_TEXT_MAX, format, args);
    va_end(args);
    size_t len = strlen(text);
    memcpy(text + len, err->text, sizeof(err->text));
    put_text(err, text);
    return err->kind;
}
