/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What measures are about, so that a list of them has parts, and what dimensions are called in
 * a sentence. Inside serve/pages.
 */

#include <stddef.h>

#include "report/catalog.h"

const char *topic_title(size_t topic); /* NULL after the last */
size_t topic_of(const struct measure *measure);

/* "GPU model" for gpu_type; the id itself where it is a word. */
const char *topic_dimension(const char *id);
/* Several of them: "GPU models". */
const char *topic_dimensions(const char *id);
