/* SPDX-License-Identifier: MIT */
#include "base/tzif.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "support/expect.h"

/* Files are put together here from headers and blocks, so that each can be wrong in one way. */

static void add32(struct buf *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        buf_addc(out, (char)(value >> shift & 0xff));
    }
}

static void add64(struct buf *out, int64_t value)
{
    add32(out, (uint32_t)((uint64_t)value >> 32));
    add32(out, (uint32_t)((uint64_t)value & UINT32_MAX));
}

static void add_header(struct buf *out, char version, uint32_t leap, uint32_t times,
                       uint32_t types)
{
    buf_addz(out, "TZif");
    buf_addc(out, version);
    buf_fill(out, '\0', 15);
    add32(out, 0);
    add32(out, 0);
    add32(out, leap);
    add32(out, times);
    add32(out, types);
    add32(out, 4);
}

static void add_type(struct buf *out, int32_t offset)
{
    add32(out, (uint32_t)offset);
    buf_addc(out, '\0');
    buf_addc(out, '\0');
}

/* A file of version 2: an empty first block, then `count` changes a day apart, then a footer. */
static struct buf make_file(size_t count, const char *footer)
{
    struct buf out;
    buf_init(&out, 1 << 20);
    add_header(&out, '2', 0, 0, 1);
    add_type(&out, 0);
    buf_add(&out, STR("UTC\0"));
    add_header(&out, '2', 0, (uint32_t)count, 2);
    for (size_t i = 0; i < count; i++) {
        add64(&out, (int64_t)i * 86400);
    }
    for (size_t i = 0; i < count; i++) {
        buf_addc(&out, (char)(i % 2));
    }
    add_type(&out, 3600);
    add_type(&out, 7200);
    buf_add(&out, STR("CET\0"));
    buf_addf(&out, "\n%s\n", footer);
    return out;
}

/* Decodes from memory of exactly that size, so that reading beyond is seen. */
static int decode(const struct buf *file, size_t len, struct tzif *tzif, struct error *err)
{
    char *copy = malloc(len > 0 ? len : 1);
    memcpy(copy, file->ptr, len);
    int rc = tzif_decode((struct str){copy, len}, tzif, err);
    free(copy);
    return rc;
}

static void changes_without_a_rule(void **state)
{
    (void)state;
    struct buf file = make_file(3, "");
    struct tzif tzif = {0};
    struct error err = {0};
    expect_int(decode(&file, file.len, &tzif, &err), 0);
    expect_int(tzif.before_s, 3600);
    expect_uint(tzif.count, 3);
    expect_false(tzif.repeats);
    expect_int(tzif.at_s[1], 86400);
    expect_int(tzif.offset_s[1], 7200);
    expect_uint(tzif_find(&tzif, -1), SIZE_MAX);
    expect_uint(tzif_find(&tzif, 0), 0);
    expect_uint(tzif_find(&tzif, 86399), 0);
    expect_uint(tzif_find(&tzif, 86400), 1);
    expect_uint(tzif_find(&tzif, INT64_MAX), 2);
    tzif_release(&tzif);
    buf_release(&file);
}

static void a_rule_is_spelled_out_after_the_changes(void **state)
{
    (void)state;
    struct buf file = make_file(3, "CET-1CEST,M3.5.0,M10.5.0/3");
    struct tzif tzif = {0};
    struct error err = {0};
    expect_int(decode(&file, file.len, &tzif, &err), 0);
    expect_true(tzif.repeats);
    expect_uint(tzif.count, 3 + 2 * 402);
    for (size_t i = 1; i < tzif.count; i++) {
        expect_true(tzif.at_s[i] > tzif.at_s[i - 1]);
    }
    expect_int(tzif.at_s[3], 7520400); /* 1970-03-29T01:00Z */
    expect_int(tzif.offset_s[3], 7200);
    expect_int(tzif.offset_s[4], 3600);
    tzif_release(&tzif);
    buf_release(&file);
}

static void a_rule_alone(void **state)
{
    (void)state;
    struct posix_zone rule;
    struct tzif tzif;
    expect_true(posix_zone_parse(STR("IST-5:30"), &rule));
    tzif_of_rule(&rule, &tzif);
    expect_uint(tzif.count, 0);
    expect_int(tzif.before_s, 19800);
    tzif_release(&tzif);
    /* Summer all the year: each end is the next beginning, and is not seen. */
    expect_true(posix_zone_parse(STR("XXX3YYY,0/0,J365/25"), &rule));
    tzif_of_rule(&rule, &tzif);
    for (int64_t day = 0; day < 800; day++) {
        expect_int(tzif.offset_s[tzif_find(&tzif, day * 86400)], -7200);
    }
    tzif_release(&tzif);
    tzif_release(NULL);
}

static void version_1_has_times_of_32_bits(void **state)
{
    (void)state;
    struct buf file;
    buf_init(&file, 1000);
    add_header(&file, '\0', 0, 1, 2);
    add32(&file, (uint32_t)INT32_MIN);
    buf_addc(&file, 1);
    add_type(&file, 0);
    add_type(&file, -3600);
    buf_add(&file, STR("UTC\0"));
    struct tzif tzif = {0};
    struct error err = {0};
    expect_int(decode(&file, file.len, &tzif, &err), 0);
    expect_int(tzif.at_s[0], INT32_MIN);
    expect_int(tzif.offset_s[0], -3600);
    tzif_release(&tzif);
    buf_release(&file);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct buf file = make_file(5, "CET-1CEST,M3.5.0,M10.5.0/3");
    for (size_t len = 0; len < file.len; len++) {
        struct tzif tzif = {0};
        struct error err = {0};
        expect_int(decode(&file, len, &tzif, &err), ERROR_INPUT);
        tzif_release(&tzif);
    }
    buf_release(&file);
}

/* Each byte of a file from the system set to each of some values. */
static void a_broken_file_never_harms(void **state)
{
    (void)state;
    struct buf file;
    struct error err = {0};
    buf_init(&file, 1 << 20);
    expect_int(file_read("/usr/share/zoneinfo/Europe/Oslo", &file, &err), 0);
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '9', ','};
    for (size_t at = 0; at < file.len; at++) {
        char was = file.ptr[at];
        for (size_t v = 0; v < sizeof(values); v++) {
            file.ptr[at] = (char)values[v];
            struct tzif tzif = {0};
            if (decode(&file, file.len, &tzif, &err) == 0) {
                for (size_t i = 1; i < tzif.count; i++) {
                    expect_true(tzif.at_s[i] > tzif.at_s[i - 1]);
                }
            }
            tzif_release(&tzif);
        }
        file.ptr[at] = was;
    }
    buf_release(&file);
}

struct damage_row {
    const char *name;
    size_t from_end; /* place of the damage in a file of 2 changes and footer "UTC0" */
    unsigned char byte;
    const char *said;
};

/* From the end: "\nUTC0\n" 6, "CET\0" 4, two types 12, two kinds 2, two times 16, the header 44. */
static const struct damage_row damage_rows[] = {
    {"kind that is not there", 23, 2, "broken at change 1"},
    {"times in disorder", 32, 0xff, "broken at change 1"},
    {"time beyond all", 40, 0x7f, "broken at change 0"},
    {"offset of days", 22, 0x10, "off UTC"},
    {"no types", 6 + 4 + 12 + 2 + 16 + 5, 0, "0 kinds of time"},
    {"leap seconds", 6 + 4 + 12 + 2 + 16 + 13, 1, "cut short"},
    {"vast count", 6 + 4 + 12 + 2 + 16 + 12, 0xff, "cut short"},
    {"no second header", 6 + 4 + 12 + 2 + 16 + 44, 'X', "not a time zone file"},
    {"no line feed", 6, 'X', "the last line of the time zone file is missing"},
    {"footer that is no rule", 5, '9', "'9TC0', is not a rule"},
};

static void damage_is_named(void **state)
{
    const struct damage_row *row = *state;
    struct buf file = make_file(2, "UTC0");
    struct tzif tzif = {0};
    struct error err = {0};
    file.ptr[file.len - row->from_end] = (char)row->byte;
    expect_int(decode(&file, file.len, &tzif, &err), ERROR_INPUT);
    expect_contains(err.text, row->said);
    buf_release(&file);
}

static void leap_seconds_are_refused(void **state)
{
    (void)state;
    struct buf file;
    struct tzif tzif = {0};
    struct error err = {0};
    buf_init(&file, 1000);
    add_header(&file, '\0', 1, 0, 1);
    add_type(&file, 0);
    buf_add(&file, STR("UTC\0"));
    add32(&file, 78796800);
    add32(&file, 1);
    expect_int(decode(&file, file.len, &tzif, &err), ERROR_INPUT);
    expect_contains(err.text, "without 'right/'");
    buf_release(&file);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, changes_without_a_rule);
    SUITE_TEST(&suite, a_rule_is_spelled_out_after_the_changes);
    SUITE_TEST(&suite, a_rule_alone);
    SUITE_TEST(&suite, version_1_has_times_of_32_bits);
    SUITE_TEST(&suite, a_file_cut_anywhere_is_refused);
    SUITE_TEST(&suite, a_broken_file_never_harms);
    SUITE_ROWS(&suite, damage_is_named, damage_rows);
    SUITE_TEST(&suite, leap_seconds_are_refused);
    return suite_run(&suite, "tzif");
}
