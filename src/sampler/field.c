/* SPDX-License-Identifier: MIT */
#include "sampler/field.h"

#include "base/scan.h"

bool look_count(struct str text, int64_t *out)
{
    int64_t count = 0;
    if (text.len == 0 || text.ptr[0] < '0' || text.ptr[0] > '9' || !scan_int(text, &count) ||
        count >= LOOK_COUNT_MAX) {
        return false;
    }
    *out = count;
    return true;
}

void look_set_count(struct look_values *values, unsigned field, struct str text)
{
    int64_t count = 0;
    if (look_count(text, &count)) {
        look_set(values, field, count);
    }
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

struct str look_word(struct str *rest)
{
    size_t begin = 0;
    while (begin < rest->len && is_blank(rest->ptr[begin])) {
        begin++;
    }
    size_t end = begin;
    while (end < rest->len && !is_blank(rest->ptr[end])) {
        end++;
    }
    struct str word = {rest->ptr + begin, end - begin};
    rest->ptr += end;
    rest->len -= end;
    return word.len > 0 ? word : (struct str){0};
}
