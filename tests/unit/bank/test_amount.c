/* SPDX-License-Identifier: MIT */
#include "bank/amount.h"

#include "support/expect.h"

struct amount_row {
    const char *name, *text;
    int64_t micro;
    const char *printed; /* NULL: as it was written */
    const char *part;    /* of the refusal; NULL: it is read */
};

static const struct amount_row amount_rows[] = {
    {"whole", "10000", INT64_C(10000000000), NULL, NULL},
    {"a tenth", "0.1", 100000, NULL, NULL},
    {"a millionth", "0.000001", 1, NULL, NULL},
    {"zeros at the end", "2.500000", 2500000, "2.5", NULL},
    {"zeros beyond six", "2.50000000", 2500000, "2.5", NULL},
    {"below zero", "-2.5", -2500000, NULL, NULL},
    {"round", "1e6", INT64_C(1000000000000), "1000000", NULL},
    {"the largest", "9223372036854.775807", INT64_MAX, NULL, NULL},
    {"the smallest", "-9223372036854.775808", INT64_MIN, NULL, NULL},
    {"one more", "9223372036854.775808", 0, NULL, "is too large"},
    {"one less", "-9223372036854.775809", 0, NULL, "is too large"},
    {"seven decimals", "0.0000001", 0, NULL, "more than six decimals"},
    {"a small exponent", "1e-7", 0, NULL, "more than six decimals"},
    {"words", "many", 0, NULL, "is not an amount"},
    {"nothing", "", 0, NULL, "is not an amount"},
    {"nan", "nan", 0, NULL, "is not an amount"},
};

static void an_amount_is_exact_or_refused(void **state)
{
    const struct amount_row *row = *state;
    struct error err = {0};
    struct arena arena = {0};
    int64_t micro = 0;
    int failed = amount_parse(str_of(row->text), &micro, &err);
    expect_int(failed, row->part ? ERROR_USAGE : 0);
    if (row->part) {
        expect_contains(err.text, row->part);
    } else {
        expect_int(micro, row->micro);
        expect_text(amount_print(&arena, micro).ptr, row->printed ? row->printed : row->text);
    }
    arena_release(&arena);
}

static void sums_do_not_wrap(void **state)
{
    (void)state;
    struct error err = {0};
    int64_t out = 0;
    expect_int(amount_add(100000, 200000, &out, &err), 0);
    expect_int(out, 300000);
    expect_int(amount_add(INT64_MAX, 1, &out, &err), ERROR_LIMIT);
    expect_int(amount_add(INT64_MIN, -1, &out, &err), ERROR_LIMIT);
    expect_int(amount_scale(INT64_MAX, 2, 1, &out, &err), ERROR_LIMIT);
    expect_int(amount_scale(INT64_MAX, INT64_MAX, INT64_MAX, &out, &err), 0);
    expect_int(out, INT64_MAX);
    expect_int(amount_scale(1, 1, 2, &out, &err), 0);
    expect_int(out, 1);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, an_amount_is_exact_or_refused, amount_rows);
    SUITE_TEST(&suite, sums_do_not_wrap);
    return suite_run(&suite, "amount");
}
