/* SPDX-License-Identifier: MIT */
#include "view/chart/markup.h"

#include <math.h>
#include <stdint.h>

#include "base/rune.h"

/* Not allowed in XML 1.0 (section 2.2), or acting on the text around it. */
static bool is_unfit(uint32_t rune)
{
    return (rune < 0x20 && rune != '\t' && rune != '\n') || (rune >= 0x7f && rune < 0xa0) ||
           rune == 0x200e || rune == 0x200f || (rune >= 0x202a && rune <= 0x202e) ||
           (rune >= 0x2066 && rune <= 0x2069) || rune == 0xfeff ||
           (rune >= 0xfdd0 && rune <= 0xfdef) || (rune & 0xfffe) == 0xfffe;
}

static const char *entity_of(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static struct str skip(struct str text, size_t len)
{
    return (struct str){text.ptr + len, text.len - len};
}

void markup_text(struct buf *out, struct str text)
{
    while (text.len > 0) {
        uint32_t rune = 0;
        size_t len = rune_decode(text, &rune);
        const char *entity = entity_of(text.ptr[0]);
        if (len == 0 || is_unfit(rune)) {
            buf_addz(out, RUNE_REPLACEMENT);
        } else if (entity) {
            buf_addz(out, entity);
        } else {
            buf_add(out, (struct str){text.ptr, len});
        }
        text = skip(text, len ? len : 1);
    }
}

/* In hundredths of the size; those of DejaVu Sans, which is as wide as fonts come. */
static int advance(uint32_t rune)
{
    if (rune < 0x20) {
        return 60;
    }
    if (rune >= 0x7f) {
        return (int)rune_width(rune) * (rune_width(rune) > 1 ? 50 : 64);
    }
    static const char narrow[] = "!'(),./:;I[\\]fijlrt|` ";
    static const char wide[] = "MWmw%@&#<>=+~";
    for (const char *c = narrow; *c; c++) {
        if ((uint32_t)*c == rune) {
            return 38;
        }
    }
    for (const char *c = wide; *c; c++) {
        if ((uint32_t)*c == rune) {
            return 92;
        }
    }
    return rune >= 'A' && rune <= 'Z' ? 70 : 62;
}

/* Bytes at the start that take at most `width`. */
static size_t fitting(struct str text, double size, double width)
{
    size_t taken = 0;
    double sum = 0;
    while (taken < text.len) {
        uint32_t rune = 0xfffd;
        size_t len = rune_decode(skip(text, taken), &rune);
        sum += advance(rune) * size / 100;
        if (sum > width) {
            break;
        }
        taken += len ? len : 1;
    }
    return taken;
}

double markup_width(struct str text, double size)
{
    double sum = 0;
    while (text.len > 0) {
        uint32_t rune = 0xfffd;
        size_t len = rune_decode(text, &rune);
        sum += advance(rune) * size / 100;
        text = skip(text, len ? len : 1);
    }
    return sum;
}

struct str markup_fit(struct str text, double size, double width, bool *cut)
{
    *cut = fitting(text, size, width) < text.len;
    if (*cut) {
        text.len = fitting(text, size, width - size);
        while (text.len > 0 && text.ptr[text.len - 1] == ' ') {
            text.len--;
        }
    }
    return text;
}

struct str markup_line(struct str *rest, double size, double width)
{
    size_t len = fitting(*rest, size, width);
    if (len < rest->len) {
        size_t blank = len;
        while (blank > 0 && rest->ptr[blank] != ' ') {
            blank--;
        }
        len = blank > 0 ? blank : len;
    }
    if (len == 0 && rest->len > 0) {
        uint32_t rune;
        len = rune_decode(*rest, &rune);
        len = len ? len : 1;
    }
    struct str line = {rest->ptr, len};
    *rest = skip(*rest, len);
    while (rest->len > 0 && rest->ptr[0] == ' ') {
        *rest = skip(*rest, 1);
    }
    return line;
}

/* Pictures have tens of thousands of these, so printf is left out of it. */
void markup_number(struct buf *out, double value)
{
    enum { FAR = 1000000 };

    if (!isfinite(value)) {
        value = 0;
    }
    value = fmax(-FAR, fmin(FAR, value));
    long hundredths = lround(value * 100);
    char text[16];
    size_t at = sizeof text;
    unsigned long rest =
        hundredths < 0 ? 0UL - (unsigned long)hundredths : (unsigned long)hundredths;
    size_t places = rest % 10 ? 2 : rest % 100 ? 1 : 0;
    rest /= places == 2 ? 1 : places == 1 ? 10 : 100;
    for (size_t i = 0; i < places; i++, rest /= 10) {
        text[--at] = (char)('0' + rest % 10);
    }
    if (places) {
        text[--at] = '.';
    }
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (hundredths < 0) {
        text[--at] = '-';
    }
    buf_add(out, (struct str){text + at, sizeof text - at});
}
