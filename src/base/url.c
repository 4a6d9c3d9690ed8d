/* SPDX-License-Identifier: MIT */
#include "base/url.h"

static bool is_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_' ||
           byte == '~';
}

void url_encode(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (is_plain(text.ptr[i])) {
            buf_addc(out, text.ptr[i]);
        } else {
            buf_addf(out, "%%%02X", (unsigned)(unsigned char)text.ptr[i]);
        }
    }
}

void url_add(struct buf *out, const char *name, struct str value)
{
    buf_addc(out, str_byte(buf_str(out), '?') ? '&' : '?');
    url_encode(out, str_of(name));
    buf_addc(out, '=');
    url_encode(out, value);
}

static int hex_digit(char byte)
{
    return byte >= '0' && byte <= '9'   ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
           : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                        : -1;
}

/* The byte that an escape at the start of `text` stands for, or -1. */
static int escaped_byte(struct str text)
{
    int high = text.len >= 3 ? hex_digit(text.ptr[1]) : -1;
    int low = text.len >= 3 ? hex_digit(text.ptr[2]) : -1;
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

int url_decode(struct arena *arena, struct str piece, bool query, struct str *out,
               struct error *err)
{
    char *text = arena_alloc(arena, piece.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < piece.len; i++) {
        int byte = (unsigned char)piece.ptr[i];
        if (byte == '%') {
            byte = escaped_byte((struct str){piece.ptr + i, piece.len - i});
            i += 2;
        } else if (byte == '+' && query) {
            byte = ' ';
        }
        if (byte <= 0) {
            return error_set(err, ERROR_INPUT, "the address is not encoded properly");
        }
        text[len++] = (char)byte;
    }
    *out = (struct str){text, len};
    return 0;
}

bool url_next(struct arena *arena, struct str *query, struct str *name, struct str *value,
              int *failed, struct error *err)
{
    struct str piece = {0};
    *failed = 0;
    while (query->ptr && piece.len == 0) {
        piece = str_cut(query, '&');
    }
    if (piece.len == 0) {
        return false;
    }
    struct str after = piece;
    struct str before = str_cut(&after, '=');
    *failed = url_decode(arena, before, true, name, err);
    *failed = *failed ? *failed : url_decode(arena, after, true, value, err);
    return true;
}
