/* SPDX-License-Identifier: MIT */
#include "base/tzif.h"

#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/mem.h"

enum {
    HEADER_SIZE = 44,
    TYPE_SIZE = 6,
    TYPES_MAX = 256,
    OFFSET_MAX_S = 26 * 3600, /* RFC 8536, 3.2: -24:59:59 to +25:59:59 */
    RULE_FIRST_YEAR = 1600,   /* earlier changes are made up, as by a file's "big bang" */
    RULE_YEARS = 402,         /* the year of the last change, 400 whole ones, one to be safe */
};

/* Changes outside these come from damage, and would overflow what is computed with them. */
#define MOMENT_MIN_S (-(INT64_C(1) << 60))
#define MOMENT_MAX_S (INT64_C(1) << 40)

/* What a header says follows it; RFC 8536, 3.1. */
struct counts {
    int version;
    size_t ut, standard, leap, times, types, chars;
};

static uint32_t load32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static int64_t load_time(const char *bytes, size_t size)
{
    if (size == 4) {
        return (int32_t)load32(bytes);
    }
    return (int64_t)((uint64_t)load32(bytes) << 32 | load32(bytes + 4));
}

static int take_header(struct str *bytes, struct counts *out, struct error *err)
{
    if (bytes->len < HEADER_SIZE || memcmp(bytes->ptr, "TZif", 4) != 0) {
        return error_set(err, ERROR_INPUT, "it is not a time zone file");
    }
    const char *header = bytes->ptr;
    *out = (struct counts){
        .version = header[4] == '\0' ? 1 : header[4] - '0',
        .ut = load32(header + 20),
        .standard = load32(header + 24),
        .leap = load32(header + 28),
        .times = load32(header + 32),
        .types = load32(header + 36),
        .chars = load32(header + 40),
    };
    bytes->ptr += HEADER_SIZE;
    bytes->len -= HEADER_SIZE;
    return 0;
}

/* Bytes of the block after a header; counts have 32 bits each, so that 64 cannot overflow. */
static uint64_t block_size(const struct counts *counts, size_t time_size)
{
    return (uint64_t)counts->times * (time_size + 1) + (uint64_t)counts->types * TYPE_SIZE +
           counts->chars + (uint64_t)counts->leap * (time_size + 4) + counts->standard +
           counts->ut;
}

static int take_block(struct str *bytes, const struct counts *counts, size_t time_size,
                      struct str *block, struct error *err)
{
    uint64_t size = block_size(counts, time_size);
    if (size > bytes->len) {
        return error_set(err, ERROR_INPUT, "the time zone file is cut short");
    }
    *block = (struct str){bytes->ptr, (size_t)size};
    bytes->ptr += size;
    bytes->len -= (size_t)size;
    return 0;
}

static int decode_types(const char *bytes, size_t count, int32_t offsets[TYPES_MAX],
                        struct error *err)
{
    if (count == 0 || count > TYPES_MAX) {
        return error_set(err, ERROR_INPUT, "the time zone file has %zu kinds of time", count);
    }
    for (size_t i = 0; i < count; i++) {
        int32_t offset = (int32_t)load32(bytes + i * TYPE_SIZE);
        if (offset <= -OFFSET_MAX_S || offset >= OFFSET_MAX_S) {
            return error_set(err, ERROR_INPUT,
                             "the time zone file is %d seconds off UTC at some time", offset);
        }
        offsets[i] = offset;
    }
    return 0;
}

/* For so many changes, and those that a rule adds. */
static void make_change_room(struct tzif *tzif, size_t count)
{
    size_t room = count + (size_t)2 * RULE_YEARS;
    tzif->at_s = mem_alloc(room, sizeof(*tzif->at_s));
    tzif->offset_s = mem_alloc(room, sizeof(*tzif->offset_s));
}

static int decode_block(struct str block, const struct counts *counts, size_t time_size,
                        struct tzif *out, struct error *err)
{
    make_change_room(out, counts->times);
    const char *times = block.ptr;
    const char *kinds = times + counts->times * time_size;
    int32_t offsets[TYPES_MAX] = {0};
    int rc = decode_types(kinds + counts->times, counts->types, offsets, err);
    if (rc != 0) {
        return rc;
    }
    if (counts->leap > 0) {
        return error_set(err, ERROR_INPUT,
                         "it counts leap seconds: name the zone without 'right/'");
    }
    out->before_s = offsets[0];
    for (size_t i = 0; i < counts->times; i++) {
        int64_t at = load_time(times + i * time_size, time_size);
        size_t kind = (unsigned char)kinds[i];
        if (kind >= counts->types || at < MOMENT_MIN_S || at > MOMENT_MAX_S ||
            (i > 0 && at <= out->at_s[i - 1])) {
            return error_set(err, ERROR_INPUT, "the time zone file is broken at change %zu", i);
        }
        out->at_s[i] = at;
        out->offset_s[i] = offsets[kind];
        out->count++;
    }
    return 0;
}

/* Adds a change unless it lies before those that are there. */
static void add_change(struct tzif *out, int64_t at, int32_t offset)
{
    if (out->count > 0 && at < out->at_s[out->count - 1]) {
        return;
    }
    if (out->count > 0 && at == out->at_s[out->count - 1]) {
        out->offset_s[out->count - 1] = offset;
        return;
    }
    out->at_s[out->count] = at;
    out->offset_s[out->count] = offset;
    out->count++;
}

/* Spells out the rule from the year of the last change on; there is room for it. */
static void add_rule(struct tzif *out, const struct posix_zone *rule)
{
    if (!rule->has_summer) {
        if (out->count == 0) {
            out->before_s = rule->standard_s;
        }
        return; /* the last change has said so already */
    }
    int64_t first = RULE_FIRST_YEAR;
    if (out->count == 0) {
        out->before_s = rule->standard_s;
    } else if (out->at_s[out->count - 1] > civil_days(RULE_FIRST_YEAR, 1, 1) * 86400) {
        first = civil_of_days(out->at_s[out->count - 1] / 86400).year;
    }
    for (int64_t year = first; year < first + RULE_YEARS; year++) {
        int64_t to_summer = 0;
        int64_t to_standard = 0;
        posix_zone_changes(rule, year, &to_summer, &to_standard);
        if (to_summer < to_standard) {
            add_change(out, to_summer, rule->summer_s);
            add_change(out, to_standard, rule->standard_s);
        } else {
            add_change(out, to_standard, rule->standard_s);
            add_change(out, to_summer, rule->summer_s);
        }
    }
    out->repeats = true;
}

/* The last line of a file of version 2 or later, between two line feeds; it may be empty. */
static int decode_footer(struct str bytes, struct tzif *out, struct error *err)
{
    struct posix_zone rule;
    struct str rest = bytes;
    if (bytes.len == 0 || str_cut(&rest, '\n').len > 0 || !rest.ptr) {
        return error_set(err, ERROR_INPUT, "the last line of the time zone file is missing");
    }
    struct str line = str_cut(&rest, '\n');
    if (!rest.ptr) {
        return error_set(err, ERROR_INPUT, "the time zone file is cut short");
    }
    if (line.len == 0) {
        return 0;
    }
    if (!posix_zone_parse(line, &rule)) {
        return error_set(err, ERROR_INPUT,
                         "the last line of the time zone file, '%.*s', is not a rule",
                         (int)(line.len < 80 ? line.len : 80), line.ptr);
    }
    add_rule(out, &rule);
    return 0;
}

int tzif_decode(struct str bytes, struct tzif *out, struct error *err)
{
    struct tzif tzif = {0};
    struct counts counts = {0};
    struct str block = {0};
    size_t time_size = 4;
    int rc = take_header(&bytes, &counts, err);
    if (rc == 0) {
        rc = take_block(&bytes, &counts, time_size, &block, err);
    }
    bool has_footer = rc == 0 && counts.version >= 2;
    if (has_footer) {
        time_size = 8;
        rc = take_header(&bytes, &counts, err);
        if (rc == 0) {
            rc = take_block(&bytes, &counts, time_size, &block, err);
        }
    }
    if (rc == 0) {
        rc = decode_block(block, &counts, time_size, &tzif, err);
    }
    if (rc == 0 && has_footer) {
        rc = decode_footer(bytes, &tzif, err);
    }
    if (rc != 0) {
        tzif_release(&tzif);
        return rc;
    }
    *out = tzif;
    return 0;
}

void tzif_of_rule(const struct posix_zone *rule, struct tzif *out)
{
    *out = (struct tzif){0};
    make_change_room(out, 0);
    add_rule(out, rule);
}

void tzif_release(struct tzif *tzif)
{
    if (!tzif) {
        return;
    }
    free(tzif->at_s);
    free(tzif->offset_s);
    *tzif = (struct tzif){0};
}

size_t tzif_find(const struct tzif *tzif, int64_t moment_s)
{
    size_t low = 0;
    size_t high = tzif->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tzif->at_s[middle] <= moment_s) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}
