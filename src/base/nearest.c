/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

enum {
    FAR = 4,       /* edits from one name to another that are no misspelling any more */
    SHOWN_MAX = 80 /* bytes of what was typed that a message repeats */
};

/* "bob" is no misspelling of "root": at least half of a short word must be right. */
struct nearest nearest_to(struct str text)
{
    const size_t half = text.len > 0 ? text.len / 2 + 1 : 0;
    return (struct nearest){.text = text, .distance = FAR < half ? FAR : half};
}

void nearest_try(struct nearest *nearest, struct str name)
{
    size_t distance = str_distance(nearest->text, name, nearest->distance);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = name;
    }
}

int nearest_refuse(const struct nearest *nearest, const char *what, const char *see,
                   struct error *err)
{
    struct str text = nearest->text;
    text.len = text.len < SHOWN_MAX ? text.len : SHOWN_MAX;
    if (nearest->name.ptr) {
        return error_set(err, ERROR_USAGE, "there is no %s '%.*s'; did you mean '%.*s'? %s",
                         what, STR_ARG(text), STR_ARG(nearest->name), see);
    }
    return error_set(err, ERROR_USAGE, "there is no %s '%.*s'; %s", what, STR_ARG(text), see);
}
