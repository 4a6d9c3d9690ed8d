/* SPDX-License-Identifier: MIT */
#include "bank/rounding.h"

#include <string.h>

#include "bank/amount.h"

enum { DECIMALS = 6, USUAL = 2 };

static const char *const rule_names[ROUNDING_RULES] = {[ROUNDING_HALF_UP] = "half-up",
                                                       [ROUNDING_HALF_EVEN] = "half-even",
                                                       [ROUNDING_DOWN] = "down"};

/* Currencies whose smallest unit is not a hundredth, by ISO 4217. */
static const struct {
    const char *codes;
    int decimals;
} unusual[] = {
    {"BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF", 0},
    {"BHD IQD JOD KWD LYD OMR TND", 3},
};

const char *rounding_rule_name(enum rounding_rule rule)
{
    return rule_names[rule];
}

enum rounding_rule rounding_rule_of(struct str name)
{
    enum rounding_rule rule = 0;
    while (rule + 1 < ROUNDING_RULES && !str_eq(name, str_of(rule_names[rule]))) {
        rule++;
    }
    return rule;
}

int rounding_decimals(struct str currency)
{
    for (size_t i = 0; i < COUNT_OF(unusual); i++) {
        struct str rest = str_of(unusual[i].codes);
        while (rest.ptr && rest.len > 0) {
            if (str_eq(str_cut(&rest, ' '), currency)) {
                return unusual[i].decimals;
            }
        }
    }
    return USUAL;
}

/* value / unit in whole steps. */
static wide_int divide(wide_int value, wide_int unit, enum rounding_rule rule)
{
    const wide_int size = value < 0 ? -value : value, rest = size % unit;
    wide_int units = size / unit;
    if (rule == ROUNDING_HALF_UP) {
        units += rest * 2 >= unit;
    } else if (rule == ROUNDING_HALF_EVEN) {
        units += rest * 2 > unit || (rest * 2 == unit && units % 2 != 0);
    }
    return value < 0 ? -units : units;
}

/* Millionths in the smallest unit of a currency. */
static int64_t step_of(int decimals)
{
    int64_t step = 1;
    for (int i = decimals; i < DECIMALS; i++) {
        step *= 10;
    }
    return step;
}

int rounding_apply(int64_t micro, int decimals, enum rounding_rule rule, int64_t *out,
                   struct error *err)
{
    const int64_t step = step_of(decimals);
    return amount_of(divide(micro, step, rule) * step, out, err);
}

int rounding_share(int64_t micro, int64_t percent, int decimals, enum rounding_rule rule,
                   int64_t *out, struct error *err)
{
    const int64_t step = step_of(decimals);
    const wide_int all = (wide_int)100 * AMOUNT_ONE * step;
    return amount_of(divide((wide_int)micro * percent, all, rule) * step, out, err);
}

struct str rounding_print(struct arena *arena, int64_t micro, int decimals)
{
    const struct str text = amount_print(arena, micro);
    const char *point = memchr(text.ptr, '.', text.len);
    const int has = point ? (int)(text.ptr + text.len - point) - 1 : 0;
    if (has >= decimals) {
        return text;
    }
    return str_of(arena_printf(arena, "%.*s%s%.*s", STR_ARG(text), point ? "" : ".",
                               decimals - has, "000000"));
}
