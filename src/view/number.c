/* SPDX-License-Identifier: MIT */
#include "view/number.h"

#include <math.h>
#include <string.h>

/*
 * Everything is integer arithmetic on a magnitude and a sign: a quotient is split into its
 * whole part and a fraction at a fixed number of places, rounded half to even on the exact
 * remainder. Digits are written from the last to the first into a small array and added to the
 * buf at once. Exports print tens of millions of cells, so values that fit 64 bits are divided
 * as such, by divisors the compiler knows; printf is kept for what people read.
 */

__extension__ typedef unsigned __int128 wide_uint;

#define HOUR_DIVISOR     UINT64_C(3600000000) /* microseconds of an hour */
#define GIB_HOUR_DIVISOR (HOUR_DIVISOR << 30) /* byte-microseconds of a GiB-hour */
#define MILLI_DIVISOR    UINT64_C(1000)
#define SECOND_DIVISOR   UINT64_C(1000000)     /* microseconds of a second */
#define REAL_SCALE       UINT64_C(10000000000) /* reals are made integers at 10 places */
#define PERCENT_DIVISOR  UINT64_C(100000000)   /* of a scaled ratio: a percent */
#define DIGITS_18        UINT64_C(1000000000000000000)

enum {
    HOUR_PLACES = 10,
    SECOND_PLACES = 6,
    MILLI_PLACES = 3,
    REAL_PLACES = 10,
    TAIL_MAX =
        80, /* 39 digits of 128 bits with 12 commas, or with 10 places; a sign, a point */
};

static const struct str absent = {"---", 3};

/* Text made from its end towards its start. */
struct tail {
    size_t start;
    char text[TAIL_MAX];
};

/* Leaves the text as it is: clearing it would take longer than writing it. */
static inline void tail_init(struct tail *tail)
{
    tail->start = TAIL_MAX;
}

static inline void tail_char(struct tail *tail, char c)
{
    tail->text[--tail->start] = c;
}

/*
 * At least `least` digits, with zeros in front; two at a time, for divisions take the time
 * here.
 */
static inline void tail_digits(struct tail *tail, uint64_t value, int least)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    for (; value >= 10 || least >= 2; value /= 100, least -= 2) {
        tail->start -= 2;
        memcpy(tail->text + tail->start, pairs + 2 * (value % 100), 2);
    }
    if (value || least > 0) {
        tail_char(tail, (char)('0' + value));
    }
}

static inline void tail_whole(struct tail *tail, wide_uint value)
{
    while (value > UINT64_MAX) {
        tail_digits(tail, (uint64_t)(value % DIGITS_18), 18);
        value /= DIGITS_18;
    }
    tail_digits(tail, (uint64_t)value, 1);
}

/* 1,234,567 */
static void tail_grouped(struct tail *tail, wide_uint value)
{
    while (value >= 1000) {
        tail_digits(tail, (uint64_t)(value % 1000), 3);
        tail_char(tail, ',');
        value /= 1000;
    }
    tail_digits(tail, (uint64_t)value, 1);
}

static inline void tail_add(struct buf *out, const struct tail *tail)
{
    buf_add(out, (struct str){tail->text + tail->start, TAIL_MAX - tail->start});
}

/* A number apart from its sign; `fraction` is in units of the last place. */
struct quotient {
    wide_uint whole;
    uint64_t fraction;
};

static inline wide_uint magnitude_of(wide_int value)
{
    return value < 0 ? -(wide_uint)value : (wide_uint)value;
}

/* a / b rounded half to even. */
static inline uint64_t rounded(uint64_t a, uint64_t b)
{
    uint64_t whole = a / b;
    uint64_t twice = a % b * 2;
    return whole + (twice > b || (twice == b && whole % 2 == 1));
}

static wide_uint rounded_wide(wide_uint a, wide_uint b)
{
    wide_uint rest = a % b;
    wide_uint left = b - rest;
    return a / b + (rest > left || (rest == left && (a / b & 1)));
}

/*
 * magnitude / divisor, its remainder r rounded to r * up / down units of the last place, `one`
 * of which make a whole. r * up must fit 64 bits: up / down is one / divisor in lowest terms.
 */
static inline struct quotient divide(wide_uint magnitude, uint64_t divisor, uint64_t up,
                                     uint64_t down, uint64_t one)
{
    struct quotient result;
    uint64_t rest;
    if (magnitude <= UINT64_MAX) {
        result.whole = (uint64_t)magnitude / divisor;
        rest = (uint64_t)magnitude % divisor;
    } else {
        result.whole = magnitude / divisor;
        rest = (uint64_t)(magnitude % divisor);
    }
    result.fraction = rounded(rest * up, down);
    if (result.fraction == one) {
        result.whole++;
        result.fraction = 0;
    }
    return result;
}

/* The same where 64 bits are not enough for the remainder. */
static struct quotient divide_wide(wide_uint magnitude, wide_uint divisor, uint64_t one)
{
    struct quotient result = {.whole = magnitude / divisor};
    result.fraction = (uint64_t)rounded_wide(magnitude % divisor * one, divisor);
    if (result.fraction == one) {
        result.whole++;
        result.fraction = 0;
    }
    return result;
}

/*
 * -12.5: no zeros at the end, no point without a fraction, no minus before a zero. Grouped:
 * -1,234.5.
 */
static inline void add_decimal(struct buf *out, bool negative, struct quotient number,
                               int places, bool grouped)
{
    struct tail tail;
    tail_init(&tail);
    uint64_t fraction = number.fraction;
    if (fraction) {
        for (; fraction % 10 == 0; fraction /= 10) {
            places--;
        }
        tail_digits(&tail, fraction, places);
        tail_char(&tail, '.');
    }
    if (grouped) {
        tail_grouped(&tail, number.whole);
    } else {
        tail_whole(&tail, number.whole);
    }
    if (negative && (number.whole || fraction)) {
        tail_char(&tail, '-');
    }
    tail_add(out, &tail);
}

static inline void add_exact(struct buf *out, bool negative, struct quotient number, int places)
{
    add_decimal(out, negative, number, places, false);
}

/*
 * |value| * 10^10 rounded half to even on the exact binary value, as printf's %.10f would;
 * false beyond 2^93, where it does not fit. The value is finite: mantissa * 2^-shift (IEEE 754
 * binary64).
 */
static bool real_scaled(double value, wide_uint *scaled)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t hidden = UINT64_C(1) << 52; /* the bit that is not stored */
    uint64_t mantissa = (bits & (hidden - 1)) | (exponent > 0 ? hidden : 0);
    wide_uint product = (wide_uint)mantissa * REAL_SCALE; /* < 2^87 */
    int shift = 1075 - (exponent > 0 ? exponent : 1);
    if (shift < -40) {
        return false;
    }
    if (shift <= 0) {
        *scaled = product << -shift;
        return true;
    }
    if (shift > 88) {
        *scaled = 0;
        return true;
    }
    wide_uint half = (wide_uint)1 << (shift - 1);
    wide_uint rest = product & (2 * half - 1);
    *scaled = product >> shift;
    *scaled += rest > half || (rest == half && (*scaled & 1));
    return true;
}

static void exact_real(struct buf *out, double value)
{
    wide_uint scaled;
    if (!isfinite(value)) {
        return;
    }
    if (!real_scaled(value, &scaled)) {
        buf_addf(out, "%.0f", value);
        return;
    }
    add_exact(out, value < 0, divide(scaled, REAL_SCALE, 1, 1, REAL_SCALE), REAL_PLACES);
}

/* How many of its small unit one of what machine formats print is. */
static double real_divisor(enum unit unit)
{
    return unit == UNIT_SECONDS || unit == UNIT_GIB_SECONDS || unit == UNIT_SU ||
                   unit == UNIT_MONEY
               ? (double)SECOND_DIVISOR
           : unit == UNIT_HOURS       ? (double)HOUR_DIVISOR
           : unit == UNIT_MILLIJOULES ? 1000.0
           : unit == UNIT_GIB_HOURS   ? (double)GIB_HOUR_DIVISOR
                                      : 1;
}

static bool is_instant(wide_int value)
{
    return value >= INT64_MIN && value <= INT64_MAX;
}

static void exact_instant(struct buf *out, wide_int value, const struct zone *zone)
{
    char text[INSTANT_TEXT_MAX];
    if (is_instant(value)) {
        buf_addz(out, zone_print(zone, (int64_t)value, text));
    }
}

static void exact_integer(struct buf *out, wide_int value, enum unit unit,
                          const struct zone *zone)
{
    wide_uint magnitude = magnitude_of(value);
    switch (unit) {
    case UNIT_SECONDS:
    case UNIT_GIB_SECONDS:
    case UNIT_SU:
    case UNIT_MONEY:
        add_exact(out, value < 0, divide(magnitude, SECOND_DIVISOR, 1, 1, SECOND_DIVISOR),
                  SECOND_PLACES);
        break;
    case UNIT_MILLIJOULES:
        add_exact(out, value < 0, divide(magnitude, MILLI_DIVISOR, 1, 1, MILLI_DIVISOR),
                  MILLI_PLACES);
        break;
    case UNIT_HOURS: /* 10^10 / 3600000000 is 25 / 9 */
        add_exact(out, value < 0, divide(magnitude, HOUR_DIVISOR, 25, 9, REAL_SCALE),
                  HOUR_PLACES);
        break;
    case UNIT_GIB_HOURS:
        add_exact(out, value < 0, divide_wide(magnitude, GIB_HOUR_DIVISOR, REAL_SCALE),
                  REAL_PLACES);
        break;
    case UNIT_INSTANT:
        exact_instant(out, value, zone);
        break;
    case UNIT_TRUTH:
        buf_addz(out, value ? "true" : "false");
        break;
    case UNIT_NONE:
    case UNIT_COUNT:
    case UNIT_BYTES:
    case UNIT_JOULES:
    case UNIT_RATIO:
    case UNIT_COUNT_OF:
        add_exact(out, value < 0, (struct quotient){.whole = magnitude}, 0);
        break;
    }
}

void number_exact(struct buf *out, const struct table *table, size_t column, size_t row,
                  const struct zone *zone)
{
    const struct column *c = &table->columns[column];
    if (!c->present[row]) {
        return;
    }
    switch (c->type) {
    case CELL_TEXT:
        break;
    case CELL_INT:
        exact_integer(out, c->cells[row].integer, c->unit, zone);
        break;
    case CELL_WIDE:
        exact_integer(out, c->cells[row].wide, c->unit, zone);
        break;
    case CELL_REAL:
        exact_real(out, c->cells[row].real / real_divisor(c->unit));
        break;
    }
}

/* 1,234,567 or, for what is a name rather than an amount, 1234567. */
static void human_integer(struct buf *out, wide_int value, bool grouped)
{
    struct tail tail;
    tail_init(&tail);
    if (grouped) {
        tail_grouped(&tail, magnitude_of(value));
    } else {
        tail_whole(&tail, magnitude_of(value));
    }
    if (value < 0) {
        tail_char(&tail, '-');
    }
    tail_add(out, &tail);
}

/* magnitude / divisor as 1,234.5; below 0.1 as 0.04, and as <0.01 what is not nothing. */
static void human_decimal(struct buf *out, bool negative, wide_uint magnitude, uint64_t divisor)
{
    if (magnitude && magnitude < divisor / 10) {
        uint64_t hundredths = rounded((uint64_t)magnitude * 100, divisor);
        if (hundredths) {
            buf_addf(out, "%s0.%02u", negative ? "-" : "", (unsigned)hundredths);
        } else {
            buf_addz(out, negative ? ">-0.01" : "<0.01");
        }
        return;
    }
    struct quotient number = divide(magnitude, divisor, 10, divisor, 10);
    struct tail tail;
    tail_init(&tail);
    tail_digits(&tail, number.fraction, 1);
    tail_char(&tail, '.');
    tail_grouped(&tail, number.whole);
    if (negative) {
        tail_char(&tail, '-');
    }
    tail_add(out, &tail);
}

/* Less than a second: 0.25 s, three places at most. */
static void human_moment(struct buf *out, bool negative, uint64_t micros)
{
    struct quotient number = {.fraction = rounded(micros, 1000)};
    if (!number.fraction) {
        buf_addz(out, negative ? ">-0.001 s" : "<0.001 s");
        return;
    }
    add_exact(out, negative, number, 3);
    buf_addz(out, " s");
}

/* 3-04:05:06, days only when there are any. */
static void human_duration(struct buf *out, wide_int value)
{
    wide_uint magnitude = magnitude_of(value);
    if (magnitude &&
        magnitude < SECOND_DIVISOR - 500) { /* from there on it rounds to a second */
        human_moment(out, value < 0, (uint64_t)magnitude);
        return;
    }
    wide_uint seconds = rounded_wide(magnitude, SECOND_DIVISOR);
    wide_uint days = seconds / 86400;
    uint64_t rest = (uint64_t)(seconds % 86400);
    struct tail tail;
    tail_init(&tail);
    tail_digits(&tail, rest % 60, 2);
    tail_char(&tail, ':');
    tail_digits(&tail, rest / 60 % 60, 2);
    tail_char(&tail, ':');
    tail_digits(&tail, rest / 3600, 2);
    if (days) {
        tail_char(&tail, '-');
        tail_whole(&tail, days);
    }
    if (value < 0) {
        tail_char(&tail, '-');
    }
    tail_add(out, &tail);
}

/*
 * The names of a quantity by size, each `step` times the one before; the first has no decimals.
 */
struct scale {
    unsigned step;
    const char *names[10];
};

static const struct scale byte_scale = {
    1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB", NULL}};
static const struct scale joule_scale = {
    1000, {"J", "kJ", "MJ", "GJ", "TJ", "PJ", "EJ", "ZJ", "YJ", NULL}};

/* Three figures: 512 B, 1.5 KiB, 189 MiB. */
static void human_scaled(struct buf *out, wide_int value, const struct scale *scale)
{
    wide_uint magnitude = magnitude_of(value);
    wide_uint divisor = 1;
    size_t i = 0;
    while (scale->names[i + 1] && rounded_wide(magnitude, divisor) >= scale->step) {
        divisor *= scale->step;
        i++;
    }
    struct tail tail;
    tail_init(&tail);
    wide_uint tenths =
        magnitude / divisor < 100
            ? magnitude / divisor * 10 + rounded_wide(magnitude % divisor * 10, divisor)
            : 1000;
    if (i > 0 && tenths < 1000) {
        tail_digits(&tail, (uint64_t)(tenths % 10), 1);
        tail_char(&tail, '.');
        tail_grouped(&tail, tenths / 10);
    } else {
        tail_grouped(&tail, rounded_wide(magnitude, divisor));
    }
    if (value < 0) {
        tail_char(&tail, '-');
    }
    tail_add(out, &tail);
    buf_addc(out, ' ');
    buf_addz(out, scale->names[i]);
}

void number_instant(struct buf *out, int64_t instant, const struct zone *zone)
{
    const struct civil civil = zone_civil(zone, instant);
    buf_addf(out, "%04d-%02d-%02d %02d:%02d:%02d", civil.year, civil.month, civil.day,
             civil.hour, civil.minute, civil.second);
}

static void human_instant(struct buf *out, wide_int value, const struct zone *zone)
{
    if (is_instant(value)) {
        number_instant(out, (int64_t)value, zone);
    } else {
        buf_add(out, absent);
    }
}

/* A ratio as 87.5 %; any other real number as 1,234.5. */
static void human_real(struct buf *out, double value, enum unit unit)
{
    wide_uint scaled;
    if (!isfinite(value)) {
        buf_add(out, absent);
        return;
    }
    if (!real_scaled(value, &scaled)) {
        buf_addf(out, "%.3e", value);
        return;
    }
    if (!scaled && value != 0) {
        scaled = 1; /* so little that only a "<" can say it */
    }
    human_decimal(out, value < 0, scaled, unit == UNIT_RATIO ? PERCENT_DIVISOR : REAL_SCALE);
    if (unit == UNIT_RATIO) {
        buf_addz(out, " %");
    }
}

/* To the KiB: the product of a tenth and the divisor would not fit otherwise. */
static void human_gib_hours(struct buf *out, wide_int value)
{
    wide_uint magnitude = magnitude_of(value);
    wide_uint kib = magnitude >> 10;
    human_decimal(out, value < 0, kib == 0 && magnitude ? 1 : kib, GIB_HOUR_DIVISOR >> 10);
}

/* 12.5 J where there is little, else as whole joules are shown. */
static void human_joules(struct buf *out, wide_int value)
{
    const wide_uint magnitude = magnitude_of(value);
    if (magnitude % MILLI_DIVISOR && magnitude < 100 * MILLI_DIVISOR) {
        human_decimal(out, value < 0, magnitude, MILLI_DIVISOR);
        buf_addz(out, " J");
    } else {
        const wide_int whole = (wide_int)rounded_wide(magnitude, MILLI_DIVISOR);
        human_scaled(out, value < 0 ? -whole : whole, &joule_scale);
    }
}

static void human_by_unit(struct buf *out, wide_int value, enum unit unit,
                          const struct zone *zone)
{
    switch (unit) {
    case UNIT_NONE:
    case UNIT_COUNT:
    case UNIT_COUNT_OF:
        human_integer(out, value, unit == UNIT_COUNT);
        break;
    case UNIT_SECONDS:
        human_duration(out, value);
        break;
    case UNIT_HOURS:
        human_decimal(out, value < 0, magnitude_of(value), HOUR_DIVISOR);
        break;
    case UNIT_BYTES:
        human_scaled(out, value, &byte_scale);
        break;
    case UNIT_GIB_SECONDS:
    case UNIT_SU:
    case UNIT_MONEY:
        human_decimal(out, value < 0, magnitude_of(value), SECOND_DIVISOR);
        break;
    case UNIT_GIB_HOURS:
        human_gib_hours(out, value);
        break;
    case UNIT_JOULES:
        human_scaled(out, value, &joule_scale);
        break;
    case UNIT_MILLIJOULES:
        human_joules(out, value);
        break;
    case UNIT_INSTANT:
        human_instant(out, value, zone);
        break;
    case UNIT_RATIO:
        human_real(out, (double)value, unit);
        break;
    case UNIT_TRUTH:
        buf_addz(out, value ? "yes" : "no");
        break;
    }
}

/* All of it, where the reader adds up: hours, SU or money. */
static void human_exact(struct buf *out, wide_int value, enum unit unit)
{
    const wide_uint magnitude = magnitude_of(value);
    if (unit == UNIT_HOURS) {
        add_decimal(out, value < 0, divide(magnitude, HOUR_DIVISOR, 25, 9, REAL_SCALE),
                    HOUR_PLACES, true);
    } else {
        add_decimal(out, value < 0, divide(magnitude, SECOND_DIVISOR, 1, 1, SECOND_DIVISOR),
                    SECOND_PLACES, true);
    }
}

/* A mean of times or sizes: to the small unit, which is more than people read. */
static void human_mean(struct buf *out, double value, enum unit unit, const struct zone *zone)
{
    if (isfinite(value)) {
        human_by_unit(out, (wide_int)(value < 0 ? value - 0.5 : value + 0.5), unit, zone);
    } else {
        buf_add(out, absent);
    }
}

void number_human(struct buf *out, const struct table *table, size_t column, size_t row,
                  const struct zone *zone)
{
    const struct column *c = &table->columns[column];
    if (!c->present[row]) {
        buf_add(out, absent);
        return;
    }
    switch (c->type) {
    case CELL_TEXT:
        break;
    case CELL_INT:
    case CELL_WIDE:
        if (c->exact) {
            human_exact(out, table_wide(table, column, row), c->unit);
        } else {
            human_by_unit(out, table_wide(table, column, row), c->unit, zone);
        }
        break;
    case CELL_REAL:
        if (c->unit == UNIT_SECONDS || c->unit == UNIT_BYTES || real_divisor(c->unit) > 1) {
            human_mean(out, c->cells[row].real, c->unit, zone);
        } else {
            human_real(out, c->cells[row].real, c->unit);
        }
        break;
    }
}
