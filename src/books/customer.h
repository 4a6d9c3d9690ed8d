/* SPDX-License-Identifier: MIT */
#pragma once

/* The kind `customer`: who is invoiced for an account of the bank. */

#include "base/error.h"

struct kind;
struct kind_row;

/* Tax is a share in percent, from 0 to 100. For kind.c. */
int customer_check_row(const struct kind *kind, const struct kind_row *row, struct error *err);
