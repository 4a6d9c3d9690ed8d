/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The formats in which the API answers: by a suffix of the path, by ?format=, or by the Accept
 * header.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"
#include "serve/http/exchange.h"

enum api_form {
    API_ROWS,   /* rows as they come: view/export, Parquet */
    API_ANSWER, /* the answer with all that is said about it, as one JSON object */
    API_CHART,  /* a picture */
};

struct api_format {
    const char *name; /* as suffix, and as --format has it */
    const char *type; /* media type */
    const char *also; /* another name of it; or NULL */
    enum api_form form;
    bool compressible;
    const char *summary;
};

extern const struct api_format api_formats[];
extern const size_t api_format_count;

/*
 * Takes a suffix off `name` ("report.csv"), and says which format is wanted. ERROR_USAGE names
 * those there are; ERROR_INPUT: none of them is acceptable to the client (406).
 */
int api_format_choose(const struct exchange *exchange, struct str *name,
                      const struct api_format **out, struct error *err) MUST_CHECK;
