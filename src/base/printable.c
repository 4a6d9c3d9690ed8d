/* SPDX-License-Identifier: MIT */
#include "base/printable.h"

#include "base/rune.h"

/*
 * Characters beyond ASCII that act, or hide, instead of being seen: C1 controls (U+009B starts
 * an escape sequence on some terminals), line separators, the marks of UAX #9 that reorder a
 * line, those without width by which two names that look the same differ, and tags.
 */
static const struct {
    uint32_t first, last;
} unseen[] = {
    {0x7f, 0x9f},     {0xad, 0xad},     {0x061c, 0x061c},   {0x115f, 0x1160}, {0x180e, 0x180e},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0x3164, 0x3164}, {0xfeff, 0xfeff},
    {0xffa0, 0xffa0}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

static bool is_unseen(uint32_t rune)
{
    for (size_t i = 0; i < COUNT_OF(unseen); i++) {
        if (rune >= unseen[i].first && rune <= unseen[i].last) {
            return true;
        }
    }
    return rune < 0x20;
}

static void add_escape(struct buf *out, uint32_t rune)
{
    switch (rune) {
    case '\n':
        buf_addz(out, "\\n");
        break;
    case '\r':
        buf_addz(out, "\\r");
        break;
    case '\t':
        buf_addz(out, "\\t");
        break;
    default:
        buf_addf(out, rune < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)rune);
        break;
    }
}

/* Bytes at the start that are printable ASCII, which most text is to its end. */
static size_t plain_length(struct str text)
{
    size_t len = 0;
    while (len < text.len && text.ptr[len] >= 0x20 && text.ptr[len] < 0x7f) {
        len++;
    }
    return len;
}

bool printable_is_plain(struct str text)
{
    return plain_length(text) == text.len;
}

void printable_add(struct buf *out, struct str text, bool ascii)
{
    while (text.len > 0) {
        const size_t plain = plain_length(text);
        buf_add(out, (struct str){text.ptr, plain});
        text = (struct str){text.ptr + plain, text.len - plain};
        if (text.len == 0) {
            break;
        }
        uint32_t rune = 0;
        size_t len = rune_decode(text, &rune);
        if (len == 0) {
            buf_addz(out, ascii ? "?" : RUNE_REPLACEMENT);
            len = 1;
        } else if (is_unseen(rune)) {
            add_escape(out, rune);
        } else {
            buf_add(out, (struct str){text.ptr, len});
        }
        text = (struct str){text.ptr + len, text.len - len};
    }
}
