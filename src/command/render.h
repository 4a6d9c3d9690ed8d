/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * An answer on its way out: formatted as asked, to standard output or a file. Notes for people go
 * with tables only; machine formats hold data and nothing else, and what must be said all the same
 * is for the caller to say elsewhere.
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

/* Whether the notes of an answer are shown with it. */
bool render_shows_notes(const struct render_options *options);

int render_answer(const struct answer *answer, const struct render_options *options,
                  struct error *err) MUST_CHECK;
