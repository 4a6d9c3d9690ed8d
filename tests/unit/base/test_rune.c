/* SPDX-License-Identifier: MIT */
#include "base/rune.h"

#include "support/expect.h"

/* Encodes without any check; surrogates come out as the bytes that are forbidden. */
static size_t encode(uint32_t rune, char bytes[4])
{
    if (rune < 0x80) {
        bytes[0] = (char)rune;
        return 1;
    }
    size_t follow = rune < 0x800 ? 1 : rune < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    for (size_t i = follow; i > 0; i--) {
        bytes[i] = (char)(0x80 | (rune & 0x3f));
        rune >>= 6;
    }
    bytes[0] = (char)(leads[follow] | rune);
    return follow + 1;
}

static void rune_decode_reads_every_code_point(void **state)
{
    (void)state;
    for (uint32_t rune = 0; rune < 0x110000; rune++) {
        char bytes[4];
        size_t len = encode(rune, bytes);
        uint32_t got = 0xffffffff;
        bool surrogate = rune >= 0xd800 && rune < 0xe000;
        if (rune_decode((struct str){bytes, len}, &got) != (surrogate ? 0 : len) ||
            got != (surrogate ? 0xffffffff : rune)) {
            expect_fail("U+%04X decodes to U+%04X", rune, got);
        }
        if (len > 1 && rune_decode((struct str){bytes, len - 1}, &got) != 0) {
            expect_fail("U+%04X decodes though it is cut", rune);
        }
    }
}

static void rune_decode_of_nothing_is_nothing(void **state)
{
    (void)state;
    uint32_t rune = 7;
    expect_uint(rune_decode((struct str){0}, &rune), 0);
    expect_uint(rune, 7);
}

struct width_row {
    const char *name;
    uint32_t rune;
    size_t width;
};

static const struct width_row width_rows[] = {
    {"nul", 0, 0},
    {"blank", ' ', 1},
    {"tilde", '~', 1},
    {"delete", 0x7f, 0},
    {"next line", 0x85, 0},
    {"no-break space", 0xa0, 1},
    {"soft hyphen", 0xad, 1},
    {"a with ring", 0xe5, 1},
    {"before the marks", 0x2ff, 1},
    {"first mark", 0x300, 0},
    {"last mark", 0x36f, 0},
    {"after the marks", 0x370, 1},
    {"hebrew point", 0x5b0, 0},
    {"thai vowel above", 0xe34, 0},
    {"hangul jamo", 0x1100, 2},
    {"hangul vowel jamo", 0x1160, 0},
    {"braille, for sparklines", 0x28ff, 1},
    {"block, for bars", 0x2588, 1},
    {"box drawing", 0x2500, 1},
    {"check mark", 0x2713, 1},
    {"hourglass", 0x231b, 2},
    {"ideographic space", 0x3000, 2},
    {"hiragana", 0x3042, 2},
    {"first han", 0x4e00, 2},
    {"last hangul", 0xd7a3, 2},
    {"private use", 0xe000, 1},
    {"variation selector", 0xfe0f, 0},
    {"byte order mark", 0xfeff, 0},
    {"half width katakana", 0xff71, 1},
    {"emoji", 0x1f600, 2},
    {"han extension", 0x20000, 2},
    {"tag", 0xe0041, 0},
    {"last", 0x10ffff, 1},
};

static void rune_width_of(void **state)
{
    const struct width_row *row = *state;
    expect_uint(rune_width(row->rune), row->width);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, rune_decode_reads_every_code_point);
    SUITE_TEST(&suite, rune_decode_of_nothing_is_nothing);
    SUITE_ROWS(&suite, rune_width_of, width_rows);
    return suite_run(&suite, "rune");
}
