/* SPDX-License-Identifier: MIT */
#include "bank/amount.h"

#include <inttypes.h>
#include <string.h>

#include "base/scan.h"

enum { DECIMALS = 6, SHOWN_MAX = 60 };

/* Digits behind the point that say something. */
static size_t decimals_of(struct str text)
{
    const char *point = text.len ? memchr(text.ptr, '.', text.len) : NULL;
    if (!point) {
        return 0;
    }
    size_t count = (size_t)(text.ptr + text.len - point) - 1;
    while (count > 0 && point[count] == '0') {
        count--;
    }
    return count;
}

static bool has_exponent(struct str text)
{
    return text.len && (memchr(text.ptr, 'e', text.len) || memchr(text.ptr, 'E', text.len));
}

/* An exponent is for round numbers: 1e6, not 1.5e-7. */
static bool is_exact(struct str text)
{
    return has_exponent(text)
               ? !memchr(text.ptr, '.', text.len) && !memchr(text.ptr + 1, '-', text.len - 1)
               : decimals_of(text) <= DECIMALS;
}

int amount_parse(struct str text, int64_t *micro, struct error *err)
{
    const struct str shown = {text.ptr, text.len < SHOWN_MAX ? text.len : SHOWN_MAX};
    int64_t rough;
    if (text.len && !is_exact(text)) {
        return error_set(err, ERROR_USAGE,
                         "'%.*s' has more than six decimals: amounts are whole millionths",
                         STR_ARG(shown));
    }
    if (scan_decimal(text, DECIMALS, micro)) {
        return 0;
    }
    if (scan_decimal(text, 0, &rough)) {
        return error_set(err, ERROR_USAGE,
                         "'%.*s' is too large: at most 9223372036854.775807 can be kept",
                         STR_ARG(shown));
    }
    return error_set(err, ERROR_USAGE,
                     "'%.*s' is not an amount: write a number such as 10000 or 0.5",
                     STR_ARG(shown));
}

struct str amount_print(struct arena *arena, int64_t micro)
{
    const uint64_t size = micro < 0 ? 0 - (uint64_t)micro : (uint64_t)micro;
    char *text = arena_printf(arena, "%s%" PRIu64 ".%06" PRIu64, micro < 0 ? "-" : "",
                              size / AMOUNT_ONE, size % AMOUNT_ONE);
    size_t len = strlen(text);
    while (text[len - 1] == '0') {
        len--;
    }
    len -= text[len - 1] == '.';
    text[len] = '\0';
    return (struct str){text, len};
}

int amount_of(wide_int value, int64_t *out, struct error *err)
{
    if (value > INT64_MAX || value < INT64_MIN) {
        return error_set(err, ERROR_LIMIT,
                         "an amount beyond 9223372036854.775807 cannot be kept");
    }
    *out = (int64_t)value;
    return 0;
}

int amount_add(int64_t a, int64_t b, int64_t *sum, struct error *err)
{
    return amount_of((wide_int)a + b, sum, err);
}

int amount_scale(int64_t a, int64_t b, int64_t c, int64_t *out, struct error *err)
{
    return amount_of(((wide_int)a * b + c / 2) / c, out, err);
}
