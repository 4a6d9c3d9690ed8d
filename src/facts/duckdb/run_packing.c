/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/run_packing.h"

#include <string.h>

enum { NUMBER_MAX = 10 }; /* bytes of the longest number */

static unsigned char *put_number(unsigned char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        *to++ = (unsigned char)(value | 0x80);
    }
    *to++ = (unsigned char)value;
    return to;
}

static const unsigned char *take_number(const unsigned char *from, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        value |= (uint64_t)(*from & 0x7f) << shift;
        if (!(*from++ & 0x80)) {
            *out = value;
            return from;
        }
    }
}

/* Small numbers of either sign become small ones without. */
static uint64_t fold_sign(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unfold_sign(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

static const struct str *text_of(const struct run *run, enum run_field field)
{
    return (const struct str *)(const void *)((const char *)run + run_fields[field].offset);
}

size_t run_packing_room(const struct run_packing_fields *fields, const struct run *run)
{
    size_t room = NUMBER_MAX * (fields->count + 1);
    for (size_t i = 0; i < fields->count; i++) {
        if (run_fields[fields->fields[i]].type == FIELD_TEXT &&
            run_has(run, fields->fields[i])) {
            room += text_of(run, fields->fields[i])->len;
        }
    }
    return room;
}

static unsigned char *put_field(unsigned char *to, const struct run *run, enum run_field field)
{
    if (run_fields[field].type == FIELD_INT) {
        int64_t value;
        memcpy(&value, (const char *)run + run_fields[field].offset, sizeof(value));
        return put_number(to, fold_sign(value));
    }
    const struct str *text = text_of(run, field);
    to = put_number(to, text->len);
    if (text->len) {
        memcpy(to, text->ptr, text->len);
    }
    return to + text->len;
}

size_t run_packing_write(const struct run_packing_fields *fields, const struct run *run,
                         unsigned char *to)
{
    const unsigned char *start = to;
    uint64_t has = 0;
    for (size_t i = 0; i < fields->count; i++) {
        has |= (uint64_t)run_has(run, fields->fields[i]) << i;
    }
    to = put_number(to, has);
    for (size_t i = 0; i < fields->count; i++) {
        if (has >> i & 1) {
            to = put_field(to, run, fields->fields[i]);
        }
    }
    return (size_t)(to - start);
}

static const unsigned char *take_field(const unsigned char *from, struct run *run,
                                       enum run_field field)
{
    char *member = (char *)run + run_fields[field].offset;
    uint64_t number;
    from = take_number(from, &number);
    run->has[(unsigned)field / 64] |= UINT64_C(1) << (unsigned)field % 64;
    if (run_fields[field].type == FIELD_INT) {
        int64_t value = unfold_sign(number);
        memcpy(member, &value, sizeof(value));
        return from;
    }
    *(struct str *)(void *)member = (struct str){(const char *)from, (size_t)number};
    return from + number;
}

void run_packing_read(const struct run_packing_fields *fields, const unsigned char *packed,
                      struct run *run)
{
    uint64_t has;
    const unsigned char *from = take_number(packed, &has);
    memset(run->has, 0, sizeof(run->has));
    for (size_t i = 0; i < fields->count; i++) {
        if (has >> i & 1) {
            from = take_field(from, run, fields->fields[i]);
        }
    }
}
