/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Log of messages that were sent, so that nobody is sent the same twice: a rule, a login and
 * what it was, a run or a month. It cannot be made again from files, so it is in the books, and
 * in their dump; restoring an older dump forgets nothing of it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "books/books.h"

struct logged_message {
    struct str rule, user, what;
    int64_t at;
};

/* Whether somebody was written to about this, whenever that was. */
int logged_message_is_there(struct books *books, const struct logged_message *reported,
                            bool *out, struct error *err) MUST_CHECK;

/* Inside a transaction of the caller. Doing it again changes nothing. */
int logged_message_put(struct books *books, const struct logged_message *reported,
                       struct error *err) MUST_CHECK;
