/* SPDX-License-Identifier: MIT */
#pragma once

/* Headers by which a client says what it takes: lists with weights (RFC 9110, 12.4). */

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/*
 * Which of the media types is liked best, the first of several; -1: none. An absent or empty
 * list likes all.
 */
int accept_best(struct str header, const char *const *types, size_t count);

/* Whether a word is in a list ("gzip, br;q=0"), and not with a weight of 0. */
bool accept_has(struct str header, const char *word);

/*
 * Whether a tag is in a list of entity tags (If-None-Match), which are compared weakly; "*" is
 * any.
 */
bool accept_tag(struct str header, struct str tag);
