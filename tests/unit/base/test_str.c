/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/expect.h"

static void str_eq_compares_bytes(void **state)
{
    (void)state;
    expect_true(str_eq(STR("abc"), STR("abc")));
    expect_false(str_eq(STR("abc"), STR("abd")));
    expect_false(str_eq(STR("abc"), STR("ab")));
    expect_true(str_eq(STR(""), (struct str){0}));
    expect_true(str_eq(STR("a\0b"), STR("a\0b")));
    expect_false(str_eq(STR("a\0b"), STR("a\0c")));
}

static void str_eq_nocase_folds_ascii_only(void **state)
{
    (void)state;
    expect_true(str_eq_nocase(STR("GiB"), STR("gIb")));
    expect_false(str_eq_nocase(STR("[z"), STR("{z")));
    expect_false(str_eq_nocase(STR("\xc3\x85"), STR("\xc3\xa5")));
    expect_false(str_eq_nocase(STR("ab"), STR("abc")));
}

static void str_compare_orders_bytes_then_length(void **state)
{
    (void)state;
    expect_int(str_compare(STR("a"), STR("b")), -1);
    expect_int(str_compare(STR("b"), STR("a")), 1);
    expect_int(str_compare(STR("ab"), STR("abc")), -1);
    expect_int(str_compare(STR("abc"), STR("ab")), 1);
    expect_int(str_compare(STR("abc"), STR("abc")), 0);
    expect_int(str_compare(STR("\xff"), STR("a")), 1);
    expect_int(str_compare((struct str){0}, STR("")), 0);
}

static void str_starts_and_ends(void **state)
{
    (void)state;
    expect_true(str_starts(STR("node12"), STR("node")));
    expect_true(str_starts(STR("node"), STR("")));
    expect_false(str_starts(STR("nod"), STR("node")));
    expect_true(str_ends(STR("a.gz"), STR(".gz")));
    expect_true(str_ends((struct str){0}, STR("")));
    expect_false(str_ends(STR("gz"), STR(".gz")));
}

static void str_trim_takes_white_space_from_both_ends(void **state)
{
    (void)state;
    expect_true(str_eq(str_trim(STR(" \t\r\n\v\fa b\n")), STR("a b")));
    expect_uint(str_trim(STR("   ")).len, 0);
    expect_uint(str_trim((struct str){0}).len, 0);
}

static void str_cut_visits_every_piece(void **state)
{
    (void)state;
    static const char *const want[] = {"a", "", "b c", ""};
    struct str rest = STR("a||b c|");
    size_t count = 0;
    while (rest.ptr) {
        struct str piece = str_cut(&rest, '|');
        expect_text_n(piece.ptr, piece.len, want[count]);
        count++;
    }
    expect_uint(count, 4);
    rest = STR("");
    expect_uint(str_cut(&rest, '|').len, 0);
    expect_true(rest.ptr == NULL);
}

struct glob_row {
    const char *name;
    const char *pattern;
    const char *text;
    bool matches;
};

static const struct glob_row glob_rows[] = {
    {"equal", "abc", "abc", true},
    {"longer text", "abc", "abcd", false},
    {"shorter text", "abc", "ab", false},
    {"question mark is one byte", "a?c", "abc", true},
    {"question mark is not none", "a?c", "ac", false},
    {"star is none", "a*c", "ac", true},
    {"star is many", "a*c", "abbbc", true},
    {"star at the end", "gpu*", "gpu-long", true},
    {"star at the start", "*-long", "gpu-long", true},
    {"star alone, empty text", "*", "", true},
    {"empty pattern, empty text", "", "", true},
    {"empty pattern", "", "a", false},
    {"two stars go back", "*ab*ac", "abxabyac", true},
    {"stars in a row", "a**?", "ab", true},
    {"last star must give way", "*aab", "aaaab", true},
    {"brackets are bytes", "[ab]", "a", false},
};

static void str_glob_matches(void **state)
{
    const struct glob_row *row = *state;
    expect_int(str_glob(str_of(row->pattern), str_of(row->text)), row->matches);
}

static void str_glob_is_not_exponential(void **state)
{
    (void)state;
    char text[20001];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    expect_false(str_glob(STR("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b"), str_of(text)));
    expect_true(str_glob(STR("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*"), str_of(text)));
}

struct distance_row {
    const char *name;
    const char *a;
    const char *b;
    size_t max;
    size_t want;
};

static const struct distance_row distance_rows[] = {
    {"equal", "report", "report", 3, 0},
    {"one changed", "report", "repurt", 3, 1},
    {"one missing", "report", "reprt", 3, 1},
    {"one more", "report", "reporrt", 3, 1},
    {"swapped", "report", "reprot", 3, 2},
    {"kitten", "kitten", "sitting", 9, 3},
    {"at most max", "kitten", "sitting", 2, 2},
    {"far in length", "a", "abcdefgh", 3, 3},
    {"empty", "", "abc", 9, 3},
    {"both empty", "", "", 9, 0},
    {"max 0", "a", "b", 0, 0},
};

static void str_distance_counts_edits(void **state)
{
    const struct distance_row *row = *state;
    expect_uint(str_distance(str_of(row->a), str_of(row->b), row->max), row->want);
    expect_uint(str_distance(str_of(row->b), str_of(row->a), row->max), row->want);
}

struct utf8_row {
    const char *name;
    const char *text;
    bool valid;
    size_t width;
};

static const struct utf8_row utf8_rows[] = {
    {"empty", "", true, 0},
    {"ascii", "plain ascii, longer than eight", true, 30},
    {"two bytes", "\xc3\xa6\xc3\xb8\xc3\xa5", true, 3},
    {"after long ascii", "01234567\xc3\xa6", true, 9},
    {"three bytes", "\xe2\x82\xac", true, 1},
    {"four bytes", "\xf0\x9f\x98\x80", true, 2},
    {"last code point", "\xf4\x8f\xbf\xbf", true, 1},
    {"wide", "\xe6\xbc\xa2\xe5\xad\x97", true, 4},
    {"hangul", "\xed\x95\x9c", true, 2},
    {"combining mark", "e\xcc\x81x", true, 2},
    {"zero width joiner",
     "a\xe2\x80\x8d"
     "b",
     true, 2},
    {"full width letter", "\xef\xbc\xa1", true, 2},
    {"tab is no column", "a\tb", true, 2},
    {"lone continuation", "a\x80", false, 2},
    {"cut after first", "\xc3", false, 1},
    {"cut after second", "\xe2\x82", false, 2},
    {"overlong slash", "\xc0\xaf", false, 2},
    {"overlong three", "\xe0\x80\xaf", false, 3},
    {"overlong four", "\xf0\x80\x80\xaf", false, 4},
    {"surrogate", "\xed\xa0\x80", false, 3},
    {"above the last", "\xf4\x90\x80\x80", false, 4},
    {"five bytes", "\xf8\x88\x80\x80\x80", false, 5},
    {"byte ff", "\xff", false, 1},
    {"latin 1 late in a long text", "0123456789abcdef\xe6", false, 17},
};

static void str_is_utf8_and_width(void **state)
{
    const struct utf8_row *row = *state;
    expect_int(str_is_utf8(str_of(row->text)), row->valid);
    expect_uint(str_width(str_of(row->text)), row->width);
}

struct hash_row {
    const char *name;
    const char *text;
    uint64_t seed;
    uint64_t hash;
};

/* The values are stored in facts: if one of these fails, the code is wrong and not the row. */
static const struct hash_row hash_rows[] = {
    {"empty", "", 0, UINT64_C(0xd284907a03c8ebd1)},
    {"empty, seed 1", "", 1, UINT64_C(0x9ff9fbdcab8a111a)},
    {"one byte", "a", 0, UINT64_C(0xa72b0cd76ade53e9)},
    {"two", "ab", 0, UINT64_C(0xdae209e79178dfb5)},
    {"three", "abc", 0, UINT64_C(0xe73b6e03bba4579f)},
    {"three, seed 1", "abc", 1, UINT64_C(0x41472be41fd88612)},
    {"four", "abcd", 0, UINT64_C(0x3962817ace1fa272)},
    {"seven", "abcdefg", 0, UINT64_C(0x8327ceff31f7af17)},
    {"eight", "abcdefgh", 0, UINT64_C(0xd45f0cb7e2a5f865)},
    {"fifteen", "abcdefghijklmno", 0, UINT64_C(0xeb679026cb866634)},
    {"sixteen", "abcdefghijklmnop", 0, UINT64_C(0x47976e97732ae32f)},
    {"seventeen", "abcdefghijklmnopq", 0, UINT64_C(0x68bd44dd4f131c41)},
    {"a sentence", "The quick brown fox jumps over the lazy dog", 0,
     UINT64_C(0xef740abf9753b36e)},
    {"a sentence, seed 1", "The quick brown fox jumps over the lazy dog", 1,
     UINT64_C(0x4d07d2c2cae05e64)},
};

static void str_hash_never_changes(void **state)
{
    const struct hash_row *row = *state;
    expect_uint(str_hash(str_of(row->text), row->seed), row->hash);
}

static void str_hash_does_not_care_where_text_lies(void **state)
{
    (void)state;
    char text[160];
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = (char)('a' + i % 23);
    }
    for (size_t len = 0; len <= 100; len++) {
        uint64_t want = str_hash((struct str){text, len}, 5);
        for (size_t shift = 23; shift < 46; shift += 23) {
            expect_uint(str_hash((struct str){text + shift, len}, 5), want);
        }
        char *copy = malloc(len + 1); /* its own, so that reading beyond is seen */
        memcpy(copy, text, len);
        expect_uint(str_hash((struct str){copy, len}, 5), want);
        free(copy);
    }
}

static void str_hash_tells_every_byte_and_length(void **state)
{
    (void)state;
    char text[65] = {0};
    uint64_t zeros[65];
    for (size_t len = 0; len <= 64; len++) {
        zeros[len] = str_hash((struct str){text, len}, 0);
        for (size_t other = 0; other < len; other++) {
            expect_true(zeros[len] != zeros[other]);
        }
        for (size_t bit = 0; bit < 8 * len; bit++) {
            text[bit / 8] = (char)(1 << bit % 8);
            expect_true(str_hash((struct str){text, len}, 0) != zeros[len]);
            text[bit / 8] = 0;
        }
    }
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* 200,000 texts in 32 bits meet 4.7 times if they fall by chance; 64 bits never. */
static void str_hash_spreads_both_halves(void **state)
{
    (void)state;

    enum { COUNT = 200000 };

    uint64_t *hashes = malloc(COUNT * sizeof(*hashes));
    for (int shift = 0; shift <= 32; shift += 32) {
        for (size_t i = 0; i < COUNT; i++) {
            char text[32];
            int len = snprintf(text, sizeof(text), "%zu|alice|normal", i);
            hashes[i] = str_hash((struct str){text, (size_t)len}, 0) >> shift & UINT32_MAX;
        }
        qsort(hashes, COUNT, sizeof(*hashes), compare_hashes);
        int met = 0;
        for (size_t i = 1; i < COUNT; i++) {
            met += hashes[i] == hashes[i - 1];
        }
        expect_true(met < 20);
    }
    free(hashes);
}

static void str_take_digits_takes_all_or_none(void **state)
{
    (void)state;
    struct str rest = STR("2025-03");
    int value = -1;
    expect_true(str_take_digits(&rest, 4, &value));
    expect_int(value, 2025);
    expect_text_n(rest.ptr, rest.len, "-03");
    expect_false(str_take_digits(&rest, 1, &value));
    rest = STR("03");
    expect_false(str_take_digits(&rest, 3, &value));
    expect_text_n(rest.ptr, rest.len, "03");
    rest = STR("0x");
    expect_false(str_take_digits(&rest, 2, &value));
    expect_text_n(rest.ptr, rest.len, "0x");
    expect_int(value, 2025);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, str_eq_compares_bytes);
    SUITE_TEST(&suite, str_eq_nocase_folds_ascii_only);
    SUITE_TEST(&suite, str_compare_orders_bytes_then_length);
    SUITE_TEST(&suite, str_starts_and_ends);
    SUITE_TEST(&suite, str_trim_takes_white_space_from_both_ends);
    SUITE_TEST(&suite, str_cut_visits_every_piece);
    SUITE_TEST(&suite, str_take_digits_takes_all_or_none);
    SUITE_ROWS(&suite, str_glob_matches, glob_rows);
    SUITE_TEST(&suite, str_glob_is_not_exponential);
    SUITE_ROWS(&suite, str_distance_counts_edits, distance_rows);
    SUITE_ROWS(&suite, str_is_utf8_and_width, utf8_rows);
    SUITE_ROWS(&suite, str_hash_never_changes, hash_rows);
    SUITE_TEST(&suite, str_hash_does_not_care_where_text_lies);
    SUITE_TEST(&suite, str_hash_tells_every_byte_and_length);
    SUITE_TEST(&suite, str_hash_spreads_both_halves);
    return suite_run(&suite, "str");
}
