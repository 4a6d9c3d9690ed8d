/* SPDX-License-Identifier: MIT */
#pragma once

/* A cell that came as JSON. Inside books/ only. */

#include <jansson.h>

#include "base/arena.h"
#include "base/str.h"

/* Text, a number as text, or an empty text for null; ERROR_INPUT for anything else. */
int sheet_json_cell(const json_t *value, struct arena *arena, struct str *out);
