/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whether text is well-formed XML, strictly, for what the pictures and pages of stint consist of:
 * elements, quoted attributes, text, the five named entities and decimal references, one doctype.
 */

#include <stdbool.h>
#include <stddef.h>

/* NULL if it is; else what is wrong, and `*at` where. */
const char *xml_complaint(const char *text, size_t len, size_t *at);
