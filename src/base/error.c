/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * A message is formatted beside the error before it is copied in, because its arguments may point
 * into the very text that is being replaced.
 */

static void put_text(struct error *err, const char *text)
{
    size_t len = strlen(text);
    if (len >= sizeof(err->text)) {
        len = sizeof(err->text) - 1;
    }
    memcpy(err->text, text, len);
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
