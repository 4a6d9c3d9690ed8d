/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Sentences of the program on stderr, and how a command ends.
 */

#include "base/error.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/*
 * Escapes what would act on a terminal: a sentence holds what records, names of files and
 * arguments hold.
 */
void say(const char *sentence);

/* Says what went wrong; the exit status for it. */
int say_error(const struct error *err);
