/* SPDX-License-Identifier: MIT */
#pragma once

/* What people read in place of a value of a dimension. */

#include <stddef.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

struct books;

struct display_name {
    struct str dimension, value, shown;
};

struct display_list {
    struct display_name *rows; /* by dimension, then value */
    size_t count;
    struct arena arena;
};

/* `out` is released also when it fails. */
int books_display_names(struct books *books, struct display_list *out,
                        struct error *err) MUST_CHECK;
void display_list_release(struct display_list *list);

/* What to show for a value: the value itself where nobody said otherwise. */
struct str display_name(const struct display_list *list, struct str dimension,
                        struct str value);
