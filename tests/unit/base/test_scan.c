/* SPDX-License-Identifier: MIT */
#include "base/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/expect.h"

#define UNTOUCHED INT64_C(-77777)

struct int_row {
    const char *name;
    const char *text;
    bool valid;
    int64_t value;
};

static const struct int_row int_rows[] = {
    {"zero", "0", true, 0},
    {"minus zero", "-0", true, 0},
    {"plus", "+15", true, 15},
    {"minus", "-15", true, -15},
    {"seven digits", "1234567", true, 1234567},
    {"eight digits", "12345678", true, 12345678},
    {"nine digits", "123456789", true, 123456789},
    {"ten digits", "1700000000", true, 1700000000},
    {"leading zeros", "0000000000000000000000000000012", true, 12},
    {"eighteen digits", "123456789012345678", true, INT64_C(123456789012345678)},
    {"largest", "9223372036854775807", true, INT64_MAX},
    {"smallest", "-9223372036854775808", true, INT64_MIN},
    {"beyond largest", "9223372036854775808", false, 0},
    {"beyond smallest", "-9223372036854775809", false, 0},
    {"beyond 64 bits", "18446744073709551616", false, 0},
    {"far beyond", "99999999999999999999999999", false, 0},
    {"empty", "", false, 0},
    {"sign alone", "-", false, 0},
    {"two signs", "--1", false, 0},
    {"blank before", " 1", false, 0},
    {"blank after", "1 ", false, 0},
    {"letter", "12a", false, 0},
    {"letter in eight", "1234a678", false, 0},
    {"colon in eight", "1234:678", false, 0},
    {"slash in eight", "1234/678", false, 0},
    {"high byte in eight",
     "1234\xb1"
     "678",
     false, 0},
    {"letter after eight", "12345678x", false, 0},
    {"letter after eighteen", "123456789012345678x", false, 0},
    {"point", "1.0", false, 0},
    {"hexadecimal", "0x10", false, 0},
};

static void scan_int_reads(void **state)
{
    const struct int_row *row = *state;
    int64_t got = UNTOUCHED;
    expect_int(scan_int(str_of(row->text), &got), row->valid);
    expect_int(got, row->valid ? row->value : UNTOUCHED);
}

static void scan_int_reads_what_printf_prints(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 200000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        int64_t want = (int64_t)random >> (random >> 8 & 63);
        char text[32];
        snprintf(text, sizeof(text), "%" PRId64, want);
        int64_t got = 0;
        expect_true(scan_int(str_of(text), &got));
        expect_int(got, want);
    }
}

static void scan_stops_at_the_length(void **state)
{
    (void)state;
    int64_t got = 0;
    expect_true(scan_int((struct str){"123456", 3}, &got));
    expect_int(got, 123);
    expect_false(scan_int((struct str){0}, &got));
    expect_true(scan_decimal((struct str){"1.25e3", 4}, 2, &got));
    expect_int(got, 125);
}

struct decimal_row {
    const char *name;
    const char *text;
    int scale;
    bool valid;
    int64_t value;
};

static const struct decimal_row decimal_rows[] = {
    {"seconds", "60.05", 6, true, 60050000},
    {"whole", "17", 6, true, 17000000},
    {"minus", "-1.5", 1, true, -15},
    {"plus", "+1.5", 1, true, 15},
    {"minus zero", "-0.0", 3, true, 0},
    {"no whole", ".5", 3, true, 500},
    {"no fraction", "5.", 3, true, 5000},
    {"scale 0 down", "2.49", 0, true, 2},
    {"scale 0 half up", "2.5", 0, true, 3},
    {"half away from zero", "-2.5", 0, true, -3},
    {"below half by much later", "0.4999999999999999999999999999", 0, true, 0},
    {"half by much later", "0.50000000000000000000000000001", 0, true, 1},
    {"carries all along", "9.9999999", 6, true, 10000000},
    {"below the scale", "0.0000004", 6, true, 0},
    {"half of the scale", "0.0000005", 6, true, 1},
    {"tenth of the scale", "0.00000009", 6, true, 0},
    {"exponent", "1.5e+06", 0, true, 1500000},
    {"exponent without sign", "2e3", 2, true, 200000},
    {"capital exponent", "1.5E-3", 6, true, 1500},
    {"exponent down to the half", "5e-7", 6, true, 1},
    {"exponent below it", "4.9e-7", 6, true, 0},
    {"exponent far below", "1e-400", 6, true, 0},
    {"exponent of zero", "0e999999999999999999999", 6, true, 0},
    {"vast negative exponent", "1e-999999999999999999999", 6, true, 0},
    {"exponent of 19 digits", "9.223372036854775807e18", 0, true, INT64_MAX},
    {"largest", "9223372036854.775807", 6, true, INT64_MAX},
    {"smallest", "-9223372036854.775808", 6, true, INT64_MIN},
    {"rounds to smallest", "-9223372036854.7758084", 6, true, INT64_MIN},
    {"rounds beyond", "9223372036854.7758075", 6, false, 0},
    {"beyond", "9223372036854.775808", 6, false, 0},
    {"beyond by scale", "9223372036855", 6, false, 0},
    {"beyond by exponent", "1e19", 0, false, 0},
    {"vast exponent", "1e999999999999999999999", 0, false, 0},
    {"beyond 64 bits", "99999999999999999999", 0, false, 0},
    {"rounds 64 bits over", "18446744073709551615.9", 0, false, 0},
    {"scale 18", "1", 18, true, INT64_C(1000000000000000000)},
    {"many zeros", "000000000000000000000000001.5", 1, true, 15},
    {"empty", "", 6, false, 0},
    {"point alone", ".", 6, false, 0},
    {"sign alone", "-", 6, false, 0},
    {"sign and point", "-.", 6, false, 0},
    {"two points", "1.2.3", 6, false, 0},
    {"two signs", "+-1", 6, false, 0},
    {"exponent alone", "e5", 6, false, 0},
    {"exponent without digits", "1e", 6, false, 0},
    {"exponent with sign alone", "1e+", 6, false, 0},
    {"exponent with point", "1e1.5", 6, false, 0},
    {"rubbish after", "1.5x", 6, false, 0},
    {"blank after", "1.5 ", 6, false, 0},
    {"comma", "1,5", 6, false, 0},
    {"nan", "nan", 6, false, 0},
    {"inf", "inf", 6, false, 0},
    {"minus infinity", "-Infinity", 6, false, 0},
    {"hexadecimal", "0x1p3", 6, false, 0},
};

static void scan_decimal_reads(void **state)
{
    const struct decimal_row *row = *state;
    int64_t got = UNTOUCHED;
    expect_int(scan_decimal(str_of(row->text), row->scale, &got), row->valid);
    expect_int(got, row->valid ? row->value : UNTOUCHED);
}

/* Digits cut anywhere by a point, and the same with an exponent that undoes it. */
static void scan_decimal_agrees_with_itself(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 100000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        int64_t digits = (int64_t)(random >> 12) >> (random & 31);
        int decimals = (int)(random >> 6 & 7) % 7;
        int64_t unit = 1;
        for (int k = 0; k < decimals; k++) {
            unit *= 10;
        }
        char text[64];
        snprintf(text, sizeof(text), "%" PRId64 ".%0*" PRId64, digits / unit, decimals,
                 decimals > 0 ? digits % unit : 0);
        int64_t got = 0;
        expect_true(scan_decimal(decimals > 0 ? str_of(text) : STR("0"), decimals, &got));
        expect_int(got, decimals > 0 ? digits : 0);
        snprintf(text, sizeof(text), "%" PRId64 "e-%d", digits, decimals);
        expect_true(scan_decimal(str_of(text), decimals, &got));
        expect_int(got, digits);
    }
}

struct size_row {
    const char *name;
    const char *text;
    int64_t plain;
    bool valid;
    int64_t value;
};

static const struct size_row size_rows[] = {
    {"bytes", "4096", 1, true, 4096},
    {"plain kibibytes", "4096", 1024, true, 4194304},
    {"plain fraction", "1.5", 1024, true, 1536},
    {"K", "1K", 1, true, 1024},
    {"k", "1k", 1, true, 1024},
    {"M", "200M", 1, true, 209715200},
    {"G", "4G", 1, true, INT64_C(4) << 30},
    {"t with fraction", "1.5t", 1, true, INT64_C(3) << 39},
    {"P", "2P", 1, true, INT64_C(2) << 50},
    {"E", "7E", 1, true, INT64_C(7) << 60},
    {"e is exa", "2e", 1, true, INT64_C(2) << 60},
    {"eb", "1eb", 1, true, INT64_C(1) << 60},
    {"exponent", "1.5e+06", 1, true, 1500000},
    {"exponent without sign", "1e3", 1024, true, 1024000},
    {"gb", "4gb", 1, true, INT64_C(4) << 30},
    {"MiB after a blank", "16 MiB", 1, true, INT64_C(16) << 20},
    {"Gi", "2Gi", 1, true, INT64_C(2) << 30},
    {"B", "12B", 1024, true, 12},
    {"slurm's decimals", "1234.56M", 1, true, 1294529987},
    {"rounds to a byte", "0.0005K", 1, true, 1},
    {"rounds down", "0.0004K", 1, true, 0},
    {"zero", "0", 1, true, 0},
    {"zero of something", "0G", 1, true, 0},
    {"largest", "9223372036854775807", 1, true, INT64_MAX},
    {"beyond", "9223372036854775808", 1, false, 0},
    {"beyond by unit", "8E", 1, false, 0},
    {"beyond by digits", "99999999999999999999999", 1, false, 0},
    {"beyond by exponent", "1e99", 1, false, 0},
    {"long fraction", "1.00000000000000000000000000000G", 1, true, INT64_C(1) << 30},
    {"long zeros", "0000000000000000000000001G", 1, true, INT64_C(1) << 30},
    {"minus", "-1G", 1, false, 0},
    {"empty", "", 1, false, 0},
    {"unit alone", "G", 1, false, 0},
    {"point alone", ".", 1, false, 0},
    {"unknown unit", "4X", 1, false, 0},
    {"two units", "4GM", 1, false, 0},
    {"GiBs", "4GiBs", 1, false, 0},
    {"blank after", "4G ", 1, false, 0},
    {"blank alone after", "4 ", 1, false, 0},
    {"per node as slurm has it", "4Gn", 1, false, 0},
    {"nul after", "4G\x01", 1, false, 0},
};

static void scan_size_reads(void **state)
{
    const struct size_row *row = *state;
    int64_t got = UNTOUCHED;
    expect_int(scan_size(str_of(row->text), row->plain, &got), row->valid);
    expect_int(got, row->valid ? row->value : UNTOUCHED);
}

struct duration_row {
    const char *name;
    const char *text;
    bool valid;
    int64_t micros;
};

#define S INT64_C(1000000)

static const struct duration_row duration_rows[] = {
    {"zero", "0", true, 0},
    {"seconds", "3600", true, 3600 * S},
    {"seconds with decimals", "3600.5", true, 3600 * S + S / 2},
    {"microseconds", "0.000001", true, 1},
    {"rounds", "0.0000005", true, 1},
    {"s", "90s", true, 90 * S},
    {"m", "15m", true, 900 * S},
    {"min", "15min", true, 900 * S},
    {"sec and min", "1min5sec", true, 65 * S},
    {"h", "2h", true, 7200 * S},
    {"no unit of time", "2mi", false, 0},
    {"a longer word", "2mins", false, 0},
    {"d", "7d", true, 7 * 86400 * S},
    {"w", "4w", true, 28 * 86400 * S},
    {"sum", "1h30m", true, 5400 * S},
    {"long sum", "1w2d3h4m5.5s", true, (((9 * 24 + 3) * 60 + 4) * 60 + 5) * S + S / 2},
    {"fraction of an hour", "1.5h", true, 5400 * S},
    {"mm:ss", "05:30", true, 330 * S},
    {"many minutes", "90:00", true, 5400 * S},
    {"hh:mm:ss", "01:02:03", true, 3723 * S},
    {"one digit each", "1:2:3", true, 3723 * S},
    {"many hours", "1000:00:00", true, 3600000 * S},
    {"d-hh:mm:ss", "2-03:04:05", true, 183845 * S},
    {"with decimals", "2-03:04:05.678", true, 183845 * S + 678000},
    {"mm:ss with decimals", "00:00.001", true, 1000},
    {"decimals round up", "00:59.9999999", true, 60 * S},
    {"d-hh", "1-12", true, 129600 * S},
    {"d-hh:mm", "1-12:30", true, 131400 * S},
    {"d:hh:mm:ss", "1:02:03:04", true, 93784 * S},
    {"largest in seconds", "9223372036854.775807", true, INT64_MAX},
    {"beyond in seconds", "9223372036854.775808", false, 0},
    {"beyond in weeks", "99999999999w", false, 0},
    {"beyond in hours", "9999999999999:00:00", false, 0},
    {"beyond in days", "999999999999999999-00:00:00", false, 0},
    {"more digits than any", "99999999999999999999999:00", false, 0},
    {"beyond by sum", "15000000w8000000w", false, 0},
    {"60 seconds", "00:00:60", false, 0},
    {"60 minutes", "1:60:00", false, 0},
    {"24 hours after days", "1-24:00:00", false, 0},
    {"24 hours after days and colon", "1:24:00:00", false, 0},
    {"empty", "", false, 0},
    {"minus", "-5", false, 0},
    {"plus", "+5", false, 0},
    {"minus clock", "-01:00:00", false, 0},
    {"sign inside", "01:-2:03", false, 0},
    {"two days", "1-2-03:00:00", false, 0},
    {"days last", "01:00-2", false, 0},
    {"days alone", "1-", false, 0},
    {"five numbers", "1:2:3:4:5", false, 0},
    {"five with days", "1-2:3:4:5", false, 0},
    {"no seconds", "01:", false, 0},
    {"no minutes", ":30", false, 0},
    {"fraction of minutes", "1-02:30.5", false, 0},
    {"fraction inside", "01.5:30", false, 0},
    {"fraction without digits", "01:30.", false, 0},
    {"exponent in a clock", "01:30.5e1", false, 0},
    {"exponent", "1e3", false, 0},
    {"unit alone", "h", false, 0},
    {"number without unit last", "1h30", false, 0},
    {"unknown unit", "5y", false, 0},
    {"capital unit", "5H", false, 0},
    {"unlimited", "UNLIMITED", false, 0},
    {"blank", "1h 30m", false, 0},
};

static void scan_duration_reads(void **state)
{
    const struct duration_row *row = *state;
    int64_t got = UNTOUCHED;
    expect_int(scan_duration(str_of(row->text), &got), row->valid);
    expect_int(got, row->valid ? row->micros : UNTOUCHED);
}

/* Every short text of the bytes that matter, each in memory of its own: nothing reads beyond. */
static void scan_survives_all_short_texts(void **state)
{
    (void)state;
    static const char bytes[] = "09.:-+eEkhd \xff";

    enum { CHOICES = sizeof(bytes) - 1, LENGTH = 4 };

    int valid = 0;
    for (size_t n = 0; n < (size_t)CHOICES * CHOICES * CHOICES * CHOICES; n++) {
        char *text = malloc(LENGTH);
        size_t rest = n;
        for (size_t i = 0; i < LENGTH; i++) {
            text[i] = bytes[rest % CHOICES];
            rest /= CHOICES;
        }
        struct str str = {text, LENGTH};
        int64_t value = 0;
        valid += scan_int(str, &value) + scan_decimal(str, 3, &value) +
                 scan_size(str, 1, &value) + scan_duration(str, &value);
        free(text);
    }
    expect_true(valid > 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, scan_int_reads, int_rows);
    SUITE_TEST(&suite, scan_int_reads_what_printf_prints);
    SUITE_TEST(&suite, scan_stops_at_the_length);
    SUITE_ROWS(&suite, scan_decimal_reads, decimal_rows);
    SUITE_TEST(&suite, scan_decimal_agrees_with_itself);
    SUITE_ROWS(&suite, scan_size_reads, size_rows);
    SUITE_ROWS(&suite, scan_duration_reads, duration_rows);
    SUITE_TEST(&suite, scan_survives_all_short_texts);
    return suite_run(&suite, "scan");
}
