/* SPDX-License-Identifier: MIT */
#pragma once

/* Where a long text goes piece by piece: a file, a pipe, a buf. */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct text_sink {
    void *context;
    int (*take)(void *context, struct str piece, struct error *err);
};

/* For a sink whose context is a buf: ERROR_LIMIT beyond its limit. */
int text_sink_buf(void *context, struct str piece, struct error *err) MUST_CHECK;
