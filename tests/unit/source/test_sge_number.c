/* SPDX-License-Identifier: MIT */
#include "source/sge/sge_number.h"

#include "base/scan.h"
#include "unit/source/sge_reader.h"

/* A row of which only column 40 matters: filler, the number, and another number after it. */
static void make_row(struct sge_row *row, char *text, const char *number)
{
    static const char filler[] = "9999999999999999999999999999999999999999:";
    size_t start = sizeof(filler) - 1;
    size_t len = strlen(number);
    memcpy(text, filler, start);
    memcpy(text + start, number, len);
    text[start + len] = ':';
    memcpy(text + start + len + 1, "77777777", 9);
    row->text = text;
    row->count = SGE_COLUMN_COUNT;
    row->at[40] = (uint32_t)start;
    row->at[41] = (uint32_t)(start + len + 1);
}

struct number_row {
    const char *name; /* which is the number, too */
    bool is_int;
    bool is_fixed;
};

static const struct number_row number_rows[] = {
    {"0", true, true},
    {"7", true, true},
    {"12345678", true, true},
    {"123456789", true, true},
    {"1700000600", true, true},
    {"1234567890123456", true, true},
    {"0000000000000001", true, true},
    {"12345678901234567", false, false},
    {"0.000000", false, true},
    {"1.500000", false, true},
    {"6900.500000", false, true},
    {"12345678.999999", false, true},
    {"1234567890123456.123456", false, true},
    {"12345678901234567.123456", false, false},
    {".500000", false, false},
    {"1.5", false, false},
    {"1.5000000", false, false},
    {"", false, false},
    {"-1", false, false},
    {"+1", false, false},
    {" 1", false, false},
    {"1 ", false, false},
    {"1/2", false, false},
    {"1:2", false, false},
    {"12a45678", false, false},
    {"1\xb9", false, false},
    {"x.000000", false, false},
    {"1.00000x", false, false},
    {"1..00000", false, false},
    {"nan", false, false},
    {"1e6", false, false},
};

static void number_is_read_or_left(void **state)
{
    const struct number_row *row = *state;
    char text[128];
    struct sge_row columns = {0};
    make_row(&columns, text, row->name);
    int64_t value = -7;
    int64_t want = 0;
    expect_int(sge_number_int(&columns, 40, &value), row->is_int);
    if (row->is_int) {
        expect_true(scan_int(str_of(row->name), &want));
        expect_int(value, want);
    }
    int64_t whole = -7;
    int64_t millionths = -7;
    expect_int(sge_number_fixed(&columns, 40, &whole, &millionths), row->is_fixed);
    if (row->is_fixed && whole < 1000000000000) {
        expect_true(scan_decimal(str_of(row->name), 6, &want));
        expect_int(whole * 1000000 + millionths, want);
    }
}

/* Every length, against the plain way. */
static void many_numbers_are_as_scan_says(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (int i = 0; i < 20000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t value = (seed >> 8) % (UINT64_C(1) << (seed >> 59) % 52);
        uint64_t rest = (seed >> 20) % 1000000;
        char number[64];
        char text[128];
        struct sge_row columns = {0};
        int64_t got = 0;
        int64_t whole = 0;
        int64_t millionths = 0;
        (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)value);
        make_row(&columns, text, number);
        expect_true(sge_number_int(&columns, 40, &got));
        expect_int(got, (int64_t)value);
        (void)snprintf(number, sizeof(number), "%llu.%06llu", (unsigned long long)value,
                       (unsigned long long)rest);
        make_row(&columns, text, number);
        expect_true(sge_number_fixed(&columns, 40, &whole, &millionths));
        expect_int(whole, (int64_t)value);
        expect_int(millionths, (int64_t)rest);
    }
}

/* One byte that is no digit, at each place of each length. */
static void every_wrong_byte_is_seen(void **state)
{
    (void)state;
    for (size_t len = 1; len <= SGE_NUMBER_DIGITS; len++) {
        for (size_t at = 0; at < len; at++) {
            for (int byte = 1; byte < 256; byte++) {
                char number[32];
                char text[128];
                struct sge_row columns = {0};
                int64_t value = 0;
                memset(number, '5', len);
                number[len] = '\0';
                number[at] = (char)byte;
                make_row(&columns, text, number);
                expect_int(sge_number_int(&columns, 40, &value), byte >= '0' && byte <= '9');
            }
        }
    }
}

static void numbers_near_the_start_are_left(void **state)
{
    (void)state;
    struct sge_row columns = {.text = "5:6", .at = {0, 2, 4}, .count = 2};
    int64_t value = 0;
    int64_t rest = 0;
    expect_false(sge_number_int(&columns, 1, &value));
    expect_false(sge_number_fixed(&columns, 1, &value, &rest));
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, number_is_read_or_left, number_rows);
    SUITE_TEST(&suite, many_numbers_are_as_scan_says);
    SUITE_TEST(&suite, every_wrong_byte_is_seen);
    SUITE_TEST(&suite, numbers_near_the_start_are_left);
    return suite_run(&suite, "sge_number");
}
