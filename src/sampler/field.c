/* SPDX-License-Identifier: MIT */
#include "sampler/field.h"

#include "base/scan.h"

bool sample_count(struct str text, int64_t *out)
{
    int64_t count = 0;
    if (text.len == 0 || text.ptr[0] < '0' || text.ptr[0] > '9' || !scan_int(text, &count) ||
        count >= SAMPLE_COUNT_MAX) {
        return false;
    }
    *out = count;
    return true;
}

void sample_set_count(struct sample_values *values, unsigned field, struct str text)
{
    int64_t count = 0;
    if (sample_count(text, &count)) {
        sample_set(values, field, count);
    }
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

struct str sample_word(struct str *rest)
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
