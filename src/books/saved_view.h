/* SPDX-License-Identifier: MIT */
#pragma once

/* Questions that are kept under a name: what must hold of one. */

#include "base/attribute.h"
#include "base/error.h"
#include "books/kind.h"

/* A question is an address of this site: what a link may lead to. */
int saved_view_check_row(const struct kind *kind, const struct kind_row *row,
                         struct error *err) MUST_CHECK;
