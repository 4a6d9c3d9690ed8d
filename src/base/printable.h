/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Text from anywhere (records, names of files, arguments) on its way to people, a terminal or
 * another program: it takes its place and does nothing else.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/*
 * Adds `text` with everything in it to be seen: control characters, those without width and
 * those that turn the direction of writing as \n, \x1b, \u200b, \u202e; bytes that are not
 * UTF-8 as U+FFFD, or ? in ascii.
 */
void printable_add(struct buf *out, struct str text, bool ascii);

/* Whether it is printable ASCII, which most text is: printable_add changes nothing of it. */
bool printable_is_plain(struct str text);
