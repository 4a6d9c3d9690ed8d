/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * "Did you mean": the name that is most like what somebody typed, if one is near at all.
 *
 *     struct nearest nearest = nearest_to(typed);
 *     for (...) {
 *         nearest_try(&nearest, name);
 *     }
 *     if (nearest.name.ptr) { ... did you mean nearest.name ... }
 */

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

struct nearest {
    struct str text;
    struct str name; /* the null string while none was near; borrowed from who tried it */
    size_t distance; /* edits that are too many, or as many as to a name already found */
};

struct nearest nearest_to(struct str text);

/* Takes a name if it is nearer than all before it. */
void nearest_try(struct nearest *nearest, struct str name);

/*
 * ERROR_USAGE "no <what> is called 'x'; did you mean 'y'? <see>", without y where none is near.
 */
int nearest_refuse(const struct nearest *nearest, const char *what, const char *see,
                   struct error *err);
