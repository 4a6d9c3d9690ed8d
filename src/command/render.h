/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * An answer on its way out: formatted as asked, to standard output or a file. Notes for people go
 * with tables only; machine formats hold data and nothing else.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "service/service.h"

struct render_options {
    struct str format;
    const char *output; /* NULL: standard output */
    const struct zone *zone;
    size_t width; /* 0: not a terminal, unlimited */
    bool header, ascii, colour, quiet;
};

int render_answer(const struct answer *answer, const struct render_options *options,
                  struct error *err) MUST_CHECK;
