/* SPDX-License-Identifier: MIT */
#include "view/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "support/expect.h"

#define WIDE_MAX ((wide_int)(((((wide_int)1 << 126) - 1) << 1) + 1))
#define WIDE_MIN (-WIDE_MAX - 1)

struct integer_row {
    const char *name;
    enum unit unit;
    wide_int value;
    const char *exact;
    const char *human;
};

static const struct integer_row integer_rows[] = {
    {"zero count", UNIT_COUNT, 0, "0", "0"},
    {"small count", UNIT_COUNT, 999, "999", "999"},
    {"count", UNIT_COUNT, 1234567, "1234567", "1,234,567"},
    {"negative count", UNIT_COUNT, -1000, "-1000", "-1,000"},
    {"largest count", UNIT_COUNT, WIDE_MAX, "170141183460469231731687303715884105727",
     "170,141,183,460,469,231,731,687,303,715,884,105,727"},
    {"least count", UNIT_COUNT, WIDE_MIN, "-170141183460469231731687303715884105728",
     "-170,141,183,460,469,231,731,687,303,715,884,105,728"},
    {"count of 19 zeros", UNIT_COUNT, (wide_int)1000000000000000000 * 1000,
     "1000000000000000000000", "1,000,000,000,000,000,000,000"},
    {"job id", UNIT_NONE, 1234567, "1234567", "1234567"},
    {"exit status", UNIT_NONE, -1, "-1", "-1"},

    {"no hours", UNIT_HOURS, 0, "0", "0.0"},
    {"an hour", UNIT_HOURS, INT64_C(3600000000), "1", "1.0"},
    {"half an hour", UNIT_HOURS, INT64_C(1800000000), "0.5", "0.5"},
    {"a third of an hour", UNIT_HOURS, INT64_C(1200000000), "0.3333333333", "0.3"},
    {"two thirds of an hour", UNIT_HOURS, INT64_C(2400000000), "0.6666666667", "0.7"},
    {"a second", UNIT_HOURS, 1000000, "0.0002777778", "<0.01"},
    {"a microsecond", UNIT_HOURS, 1, "0.0000000003", "<0.01"},
    {"minus a microsecond", UNIT_HOURS, -1, "-0.0000000003", ">-0.01"},
    {"a tenth of an hour less a microsecond", UNIT_HOURS, 359999999, "0.0999999997", "0.10"},
    {"a tenth of an hour", UNIT_HOURS, 360000000, "0.1", "0.1"},
    {"0.04 hours", UNIT_HOURS, 144000000, "0.04", "0.04"},
    {"-0.04 hours", UNIT_HOURS, -144000000, "-0.04", "-0.04"},
    {"0.005 hours is a tie", UNIT_HOURS, 18000000, "0.005", "<0.01"},
    {"0.015 hours is a tie", UNIT_HOURS, 54000000, "0.015", "0.02"},
    {"0.25 hours is a tie", UNIT_HOURS, 900000000, "0.25", "0.2"},
    {"0.35 hours is a tie", UNIT_HOURS, INT64_C(1260000000), "0.35", "0.4"},
    {"0.999999 hours round up", UNIT_HOURS, INT64_C(3599996400), "0.999999", "1.0"},
    {"999.95 hours carry", UNIT_HOURS, INT64_C(3599820000000), "999.95", "1,000.0"},
    {"hours", UNIT_HOURS, INT64_C(4444200000000), "1234.5", "1,234.5"},
    {"negative hours", UNIT_HOURS, INT64_C(-4444200000000), "-1234.5", "-1,234.5"},
    {"more hours than 64 bits of microseconds", UNIT_HOURS,
     (wide_int)INT64_C(3600000000) * INT64_C(876000000000000) + INT64_C(1800000000),
     "876000000000000.5", "876,000,000,000,000.5"},
    {"most hours", UNIT_HOURS, WIDE_MAX, "47261439850130342147690917698.8566960353",
     "47,261,439,850,130,342,147,690,917,698.9"},
    {"least hours", UNIT_HOURS, WIDE_MIN, "-47261439850130342147690917698.8566960356",
     "-47,261,439,850,130,342,147,690,917,698.9"},

    {"no seconds", UNIT_SECONDS, 0, "0", "00:00:00"},
    {"65 seconds", UNIT_SECONDS, 65000000, "65", "00:01:05"},
    {"days", UNIT_SECONDS, INT64_C(273906000000), "273906", "3-04:05:06"},
    {"negative days", UNIT_SECONDS, INT64_C(-273906000000), "-273906", "-3-04:05:06"},
    {"a day less a second", UNIT_SECONDS, INT64_C(86399000000), "86399", "23:59:59"},
    {"a quarter of a second", UNIT_SECONDS, 250000, "0.25", "0.25 s"},
    {"minus a quarter of a second", UNIT_SECONDS, -250000, "-0.25", "-0.25 s"},
    {"a third of a second", UNIT_SECONDS, 333333, "0.333333", "0.333 s"},
    {"a microsecond of time", UNIT_SECONDS, 1, "0.000001", "<0.001 s"},
    {"minus a microsecond of time", UNIT_SECONDS, -1, "-0.000001", ">-0.001 s"},
    {"almost a second", UNIT_SECONDS, 999499, "0.999499", "0.999 s"},
    {"as good as a second", UNIT_SECONDS, 999500, "0.9995", "00:00:01"},
    {"1.5 seconds is a tie", UNIT_SECONDS, 1500000, "1.5", "00:00:02"},
    {"2.5 seconds is a tie", UNIT_SECONDS, 2500000, "2.5", "00:00:02"},
    {"ten thousand days", UNIT_SECONDS, INT64_C(864000000000000), "864000000",
     "10000-00:00:00"},
    {"most seconds", UNIT_SECONDS, WIDE_MAX, "170141183460469231731687303715884.105727",
     "1969226660422097589487121570-18:51:24"},

    {"no bytes", UNIT_BYTES, 0, "0", "0 B"},
    {"bytes", UNIT_BYTES, 512, "512", "512 B"},
    {"1023 bytes", UNIT_BYTES, 1023, "1023", "1,023 B"},
    {"a kibibyte", UNIT_BYTES, 1024, "1024", "1.0 KiB"},
    {"1.5 kibibytes", UNIT_BYTES, 1536, "1536", "1.5 KiB"},
    {"99.94 kibibytes", UNIT_BYTES, 102339, "102339", "99.9 KiB"},
    {"99.97 kibibytes", UNIT_BYTES, 102370, "102370", "100 KiB"},
    {"189 mebibytes", UNIT_BYTES, 198180864, "198180864", "189 MiB"},
    {"a gibibyte less a byte", UNIT_BYTES, 1073741823, "1073741823", "1.0 GiB"},
    {"4 gibibytes", UNIT_BYTES, INT64_C(4) << 30, "4294967296", "4.0 GiB"},
    {"minus 4 gibibytes", UNIT_BYTES, -(INT64_C(4) << 30), "-4294967296", "-4.0 GiB"},
    {"most bytes", UNIT_BYTES, WIDE_MAX, "170141183460469231731687303715884105727",
     "140,737,488,355,328 YiB"},

    {"memory x time", UNIT_GIB_SECONDS, INT64_C(1234567890), "1234.56789", "1,234.6"},
    /* 2^30 bytes for 1.5 hours; 1 byte for a microsecond */
    {"memory x hours", UNIT_GIB_HOURS, INT64_C(5400000000) << 30, "1.5", "1.5"},
    {"hardly any memory", UNIT_GIB_HOURS, INT64_C(1), "0", "<0.01"},
    {"energy", UNIT_JOULES, 999, "999", "999 J"},
    {"more energy", UNIT_JOULES, 1500, "1500", "1.5 kJ"},
    {"much energy", UNIT_JOULES, 3600000000, "3600000000", "3.6 GJ"},
    {"ratio kept as integer", UNIT_RATIO, 1, "1", "100.0 %"},

    {"instant", UNIT_INSTANT, INT64_C(1740830400000000), "2025-03-01T12:00:00Z",
     "2025-03-01 12:00:00"},
    {"instant with micros", UNIT_INSTANT, INT64_C(1740830400250000),
     "2025-03-01T12:00:00.250000Z", "2025-03-01 12:00:00"},
    {"instant before 1970", UNIT_INSTANT, -1000000, "1969-12-31T23:59:59Z",
     "1969-12-31 23:59:59"},
    {"instant beyond 64 bits", UNIT_INSTANT, WIDE_MAX, "", "---"},
};

struct real_row {
    const char *name;
    enum unit unit;
    double value;
    const char *exact;
    const char *human;
};

static const struct real_row real_rows[] = {
    {"nothing", UNIT_RATIO, 0.0, "0", "0.0 %"},
    {"negative nothing", UNIT_RATIO, -0.0, "0", "0.0 %"},
    {"all", UNIT_RATIO, 1.0, "1", "100.0 %"},
    {"seven eighths", UNIT_RATIO, 0.875, "0.875", "87.5 %"},
    {"a third", UNIT_RATIO, 1.0 / 3, "0.3333333333", "33.3 %"},
    {"minus a third", UNIT_RATIO, -1.0 / 3, "-0.3333333333", "-33.3 %"},
    {"a tenth", UNIT_RATIO, 0.1, "0.1", "10.0 %"},
    {"0.04 percent", UNIT_RATIO, 0.0004, "0.0004", "0.04 %"},
    {"hardly anything", UNIT_RATIO, 1e-9, "0.000000001", "<0.01 %"},
    {"less than ten places", UNIT_RATIO, 1e-20, "0", "<0.01 %"},
    {"least double", UNIT_RATIO, 5e-324, "0", "<0.01 %"},
    {"minus the least double", UNIT_RATIO, -5e-324, "0", ">-0.01 %"},
    {"more than all", UNIT_RATIO, 12.345, "12.345", "1,234.5 %"},
    {"2^64", UNIT_RATIO, 18446744073709551616.0, "18446744073709551616",
     "1,844,674,407,370,955,161,600.0 %"},
    {"beyond 2^93", UNIT_RATIO, 1e30, "1000000000000000019884624838656", "1.000e+30"},
    {"not a number", UNIT_RATIO, (double)NAN, "", "---"},
    {"infinite", UNIT_RATIO, (double)INFINITY, "", "---"},
    {"minus infinite", UNIT_RATIO, -(double)INFINITY, "", "---"},
    {"an average", UNIT_COUNT, 1234.56, "1234.56", "1,234.6"},
    {"a small average", UNIT_NONE, 0.02, "0.02", "0.02"},
};

/* One cell, printed both ways. */
static void expect_cell(const struct table *table, const char *exact, const char *human)
{
    struct error err;
    struct zone *zone = NULL;
    struct buf out;
    expect_int(zone_open("UTC", &zone, &err), 0);
    buf_init(&out, 1000);
    number_exact(&out, table, 0, 0, zone);
    expect_text(out.ptr, exact);
    buf_clear(&out);
    number_human(&out, table, 0, 0, zone);
    expect_text(out.ptr, human);
    buf_release(&out);
    zone_close(zone);
}

static void integer_is_printed(void **state)
{
    const struct integer_row *row = *state;
    struct table table = {0};
    table_column(&table, "id", "Label", CELL_WIDE, row->unit, COLUMN_MEASURE);
    table_row(&table);
    table_set_wide(&table, 0, 0, row->value);
    expect_cell(&table, row->exact, row->human);
    table_release(&table);
}

/* A column whose readers add up what is shown: as machines have it, with commas. */
static void exact_columns_round_nothing(void **state)
{
    (void)state;

    static const struct {
        enum unit unit;
        wide_int value;
        const char *exact, *human;
    } rows[] = {
        {UNIT_SU, 250000, "0.25", "0.25"},
        {UNIT_SU, INT64_C(12000000), "12", "12"},
        {UNIT_SU, -INT64_C(1234567000001), "-1234567.000001", "-1,234,567.000001"},
        {UNIT_SU, 0, "0", "0"},
        {UNIT_MONEY, 374400, "0.3744", "0.3744"},
        {UNIT_HOURS, INT64_C(1200000000), "0.3333333333", "0.3333333333"},
        {UNIT_COUNT, 1234, "1234", "1,234"}, /* others stay as they are */
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct table table = {0};
        table_column(&table, "id", "Label", CELL_WIDE, rows[i].unit, COLUMN_MEASURE);
        table_exact(&table);
        table_row(&table);
        table_set_wide(&table, 0, 0, rows[i].value);
        expect_cell(&table, rows[i].exact, rows[i].human);
        table_release(&table);
    }
}

/* Both integer types print alike where both can hold the value. */
static void narrow_integer_is_printed(void **state)
{
    const struct integer_row *row = *state;
    if (row->value < INT64_MIN || row->value > INT64_MAX) {
        return;
    }
    struct table table = {0};
    table_column(&table, "id", "Label", CELL_INT, row->unit, COLUMN_MEASURE);
    table_row(&table);
    table_set_int(&table, 0, 0, (int64_t)row->value);
    expect_cell(&table, row->exact, row->human);
    table_release(&table);
}

static void real_is_printed(void **state)
{
    const struct real_row *row = *state;
    struct table table = {0};
    table_column(&table, "id", "Label", CELL_REAL, row->unit, COLUMN_MEASURE);
    table_row(&table);
    table_set_real(&table, 0, 0, row->value);
    expect_cell(&table, row->exact, row->human);
    table_release(&table);
}

static void absent_is_nothing_or_dashes(void **state)
{
    (void)state;

    static const enum cell_type types[] = {CELL_TEXT, CELL_INT, CELL_WIDE, CELL_REAL};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct table table = {0};
        table_column(&table, "id", "Label", types[i], UNIT_COUNT, COLUMN_MEASURE);
        table_row(&table);
        expect_cell(&table, "", "---");
        table_release(&table);
    }
}

static void instant_is_in_the_zone(void **state)
{
    (void)state;
    struct table table = {0};
    struct error err;
    struct zone *zone = NULL;
    struct buf out;
    table_column(&table, "start", "Start", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION);
    table_row(&table);
    table_set_int(&table, 0, 0, INT64_C(1740830400000000));
    expect_int(zone_open("Europe/Oslo", &zone, &err), 0);
    buf_init(&out, 1000);
    number_exact(&out, &table, 0, 0, zone);
    buf_addc(&out, '|');
    number_human(&out, &table, 0, 0, zone);
    expect_text(out.ptr, "2025-03-01T13:00:00+01:00|2025-03-01 13:00:00");
    buf_release(&out);
    zone_close(zone);
    table_release(&table);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* %.10f without the zeros at its end. */
static void trimmed(char *text, size_t size, double value)
{
    int len = snprintf(text, size, "%.10f", value);
    while (text[len - 1] == '0') {
        len--;
    }
    len -= text[len - 1] == '.';
    text[len] = '\0';
    if (strcmp(text, "-0") == 0) {
        memcpy(text, "0", 2);
    }
}

static void real_agrees_with_printf(void **state)
{
    (void)state;
    struct table table = {0};
    struct buf out;
    uint64_t seed = 88172645463325252u;
    table_column(&table, "id", "Label", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    table_row(&table);
    buf_init(&out, 1000);
    for (int i = 0; i < 200000; i++) {
        char want[400];
        double value =
            ldexp((double)(int64_t)next_random(&seed), (int)(next_random(&seed) % 160) - 140);
        if (i % 4 == 0) { /* ties are among these */
            value = (double)(next_random(&seed) % 65536) / 65536;
        }
        table_set_real(&table, 0, 0, value);
        buf_clear(&out);
        number_exact(&out, &table, 0, 0, NULL);
        trimmed(want, sizeof want, value);
        expect_text(out.ptr, want);
    }
    buf_release(&out);
    table_release(&table);
}

/* The printed hours times 10^10, without the point. */
static wide_int read_scaled(const char *text)
{
    wide_int value = 0;
    int places = -1;
    for (const char *c = text + (*text == '-'); *c; c++) {
        if (*c == '.') {
            places = 0;
            continue;
        }
        value = value * 10 + (*c - '0');
        places += places >= 0;
    }
    for (places = places < 0 ? 0 : places; places < 10; places++) {
        value *= 10;
    }
    return *text == '-' ? -value : value;
}

/* hours * 10^10 = microseconds * 25 / 9, so 9 * printed may be off by 4 (less than half of 9). */
static void hours_are_rounded_to_nearest(void **state)
{
    (void)state;
    struct table table = {0};
    struct buf out;
    uint64_t seed = 1181783497276652981u;
    table_column(&table, "id", "Label", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    table_row(&table);
    buf_init(&out, 1000);
    for (int i = 0; i < 200000; i++) {
        wide_int value =
            (wide_int)(int64_t)next_random(&seed) * (int64_t)(next_random(&seed) % 1000000000);
        value >>= next_random(&seed) % 90;
        table_set_wide(&table, 0, 0, value);
        buf_clear(&out);
        number_exact(&out, &table, 0, 0, NULL);
        int64_t off = (int64_t)(9 * read_scaled(out.ptr) - 25 * value);
        expect_true(off >= -4 && off <= 4);
    }
    buf_release(&out);
    table_release(&table);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, exact_columns_round_nothing);
    SUITE_ROWS(&suite, integer_is_printed, integer_rows);
    SUITE_ROWS(&suite, narrow_integer_is_printed, integer_rows);
    SUITE_ROWS(&suite, real_is_printed, real_rows);
    SUITE_TEST(&suite, absent_is_nothing_or_dashes);
    SUITE_TEST(&suite, instant_is_in_the_zone);
    SUITE_TEST(&suite, real_agrees_with_printf);
    SUITE_TEST(&suite, hours_are_rounded_to_nearest);
    return suite_run(&suite, "number");
}
