/* SPDX-License-Identifier: MIT */
#pragma once

/* The kind `cap`: how much of an account of the bank a user may use in a period. */

#include "base/error.h"

struct kind;
struct kind_row;

/* Either an amount or a share of up to 100 percent. For kind.c. */
int cap_check_row(const struct kind *kind, const struct kind_row *row, struct error *err);
