/* SPDX-License-Identifier: MIT */
#include "serve/http/accept.h"

#include "base/scan.h"

enum { WEIGHT_ALL = 1000 };

/* ";q=0.5" as 500; of anything else the whole weight. */
static int weight_of(struct str parameters)
{
    while (parameters.ptr) {
        struct str value = str_trim(str_cut(&parameters, ';'));
        const struct str name = str_trim(str_cut(&value, '='));
        int64_t weight;
        if (!str_eq_nocase(name, STR("q"))) {
            continue;
        }
        if (!value.ptr || value.len > 5 || !scan_decimal(str_trim(value), 3, &weight) ||
            weight < 0 || weight > WEIGHT_ALL) {
            return 0;
        }
        return (int)weight;
    }
    return WEIGHT_ALL;
}

/*
 * How closely a range of types names a type: 0 not at all, 1 as any, 2 by its first part, 3 by
 * its name.
 */
static int closeness(struct str range, struct str type)
{
    if (str_eq_nocase(range, type)) {
        return 3;
    }
    if (str_eq(range, STR("*/*"))) {
        return 1;
    }
    struct str main = type;
    main.len = str_cut(&type, '/').len + 1;
    return range.len == main.len + 1 && range.ptr[main.len] == '*' &&
                   str_eq_nocase((struct str){range.ptr, main.len}, main)
               ? 2
               : 0;
}

/* The weight a type has: that of the range that names it most closely. */
static int weight_for(struct str header, struct str type)
{
    int weight = 0, best = 0;
    while (header.ptr) {
        struct str parameters = str_cut(&header, ',');
        const struct str range = str_trim(str_cut(&parameters, ';'));
        const int close = closeness(range, type);
        if (close > best) {
            best = close;
            weight = weight_of(parameters);
        }
    }
    return weight;
}

int accept_best(struct str header, const char *const *types, size_t count)
{
    int best = -1, most = 0;
    if (str_trim(header).len == 0) {
        return count > 0 ? 0 : -1;
    }
    for (size_t i = 0; i < count; i++) {
        const int weight = weight_for(header, str_of(types[i]));
        if (weight > most) {
            most = weight;
            best = (int)i;
        }
    }
    return best;
}

bool accept_has(struct str header, const char *word)
{
    while (header.ptr) {
        struct str parameters = str_cut(&header, ',');
        if (str_eq_nocase(str_trim(str_cut(&parameters, ';')), str_of(word))) {
            return weight_of(parameters) > 0;
        }
    }
    return false;
}

static struct str without_weak(struct str tag)
{
    tag = str_trim(tag);
    if (str_starts(tag, STR("W/"))) {
        tag.ptr += 2;
        tag.len -= 2;
    }
    return tag;
}

bool accept_tag(struct str header, struct str tag)
{
    while (header.ptr) {
        const struct str one = str_trim(str_cut(&header, ','));
        if (str_eq(one, STR("*")) || str_eq(without_weak(one), without_weak(tag))) {
            return true;
        }
    }
    return false;
}
