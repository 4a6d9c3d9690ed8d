/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * From argv to values, by the rows that describe parameters: long options with `=` or a
 * following word, unambiguous beginnings of long names (with - or _ between their words),
 * letters alone or bundled, `--` to end options. Options may stand before and after positional
 * arguments. Whether the values make sense is for the door to say (service_call), but for those
 * of global parameters.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "service/core/service.h"

struct arguments {
    struct request_value *globals; /* values of global parameters */
    size_t global_count;
    struct request_value *values; /* values of the operation's */
    size_t count;
};

/*
 * Reads the words after the operation's name. ERROR_USAGE says what is wrong and what would be
 * right.
 */
int arguments_read(const struct operation *operation, int argc, char *const *argv,
                   struct arguments *out, struct error *err) MUST_CHECK;
void arguments_release(struct arguments *arguments);
