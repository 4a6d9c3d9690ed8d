/* SPDX-License-Identifier: MIT */
#include "view/chart/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attribute.h"

/* Beyond these, figures are written with an exponent: of the number before its suffix. */
#define HUGE_VALUE  1e7
#define SMALL_VALUE 1e-4
#define NO_SHARE    5e-5 /* a share that two places of a percentage do not show */
/* No axis reaches further, and none is shorter: differences and quotients stay finite. */
#define AXIS_MAX 1e300
#define AXIS_MIN 1e-280
/* From here on a logarithmic axis shows more than a linear one. */
#define WIDE_RATIO 1000

/* Which numbers are round. */
enum ticks { TICKS_DECIMAL, TICKS_SIXTY, TICKS_DAY, TICKS_BINARY };

/* How a number of some size is written: divided by `size`, with `suffix`. */
struct scale_step {
    double size;
    double from; /* for values of at least this */
    const char *suffix;
    enum ticks ticks;
};

static const struct scale_step plain_steps[] = {
    {1, 0, "", TICKS_DECIMAL},         {1e3, 1e4, " k", TICKS_DECIMAL},
    {1e6, 1e6, " M", TICKS_DECIMAL},   {1e9, 1e9, " G", TICKS_DECIMAL},
    {1e12, 1e12, " T", TICKS_DECIMAL}, {1e15, 1e15, " P", TICKS_DECIMAL},
    {0, 0, NULL, TICKS_DECIMAL},
};
static const struct scale_step second_steps[] = {
    {1, 0, " s", TICKS_SIXTY},     {60, 120, " min", TICKS_SIXTY},
    {3600, 7200, " h", TICKS_DAY}, {86400, 172800, " d", TICKS_DECIMAL},
    {0, 0, NULL, TICKS_DECIMAL},
};
static const struct scale_step byte_steps[] = {
    {1, 0, " B", TICKS_BINARY},
    {0x1p10, 0x1p10, " KiB", TICKS_BINARY},
    {0x1p20, 0x1p20, " MiB", TICKS_BINARY},
    {0x1p30, 0x1p30, " GiB", TICKS_BINARY},
    {0x1p40, 0x1p40, " TiB", TICKS_BINARY},
    {0x1p50, 0x1p50, " PiB", TICKS_BINARY},
    {0x1p60, 0x1p60, " EiB", TICKS_BINARY},
    {0, 0, NULL, TICKS_DECIMAL},
};
static const struct scale_step ratio_steps[] = {
    {0.01, 0, " %", TICKS_DECIMAL},
    {0, 0, NULL, TICKS_DECIMAL},
};
static const struct scale_step joule_steps[] = {
    {1, 0, " J", TICKS_DECIMAL},        {1e3, 1e3, " kJ", TICKS_DECIMAL},
    {1e6, 1e6, " MJ", TICKS_DECIMAL},   {1e9, 1e9, " GJ", TICKS_DECIMAL},
    {1e12, 1e12, " TJ", TICKS_DECIMAL}, {0, 0, NULL, TICKS_DECIMAL},
};

static const struct scale_step *steps_of(enum unit unit)
{
    static const struct scale_step *const steps[UNIT_COUNT_OF] = {
        [UNIT_SECONDS] = second_steps,    [UNIT_BYTES] = byte_steps,
        [UNIT_RATIO] = ratio_steps,       [UNIT_JOULES] = joule_steps,
        [UNIT_MILLIJOULES] = joule_steps,
    };
    return unit < UNIT_COUNT_OF && steps[unit] ? steps[unit] : plain_steps;
}

static const struct scale_step *step_for(enum unit unit, double size)
{
    const struct scale_step *best = steps_of(unit);
    for (const struct scale_step *s = best; s->suffix; s++) {
        if (size >= s->from) {
            best = s;
        }
    }
    return best;
}

/* 1, 2 or 5 times a power of ten, not below `raw`. */
static double round_decimal(double raw)
{
    static const double factors[] = {1, 2, 5};
    double power = pow(10, floor(log10(raw)));
    for (size_t i = 0; i < COUNT_OF(factors); i++) {
        if (factors[i] * power >= raw * (1 - 1e-9)) {
            return factors[i] * power;
        }
    }
    return 10 * power;
}

/* The first of a list that is not below `raw`; below the first and beyond the last, decimal. */
static double round_listed(double raw, const double *list, size_t count)
{
    for (size_t i = 0; i < count && raw > 0.5; i++) {
        if (list[i] >= raw * (1 - 1e-9)) {
            return list[i];
        }
    }
    return round_decimal(raw);
}

/* The distance of two ticks, in the step's own numbers. */
static double round_tick(double raw, enum ticks ticks)
{
    static const double sixty[] = {1, 2, 5, 10, 15, 20, 30, 60};
    static const double day[] = {1, 2, 3, 6, 12, 24};
    switch (ticks) {
    case TICKS_SIXTY:
        return round_listed(raw, sixty, COUNT_OF(sixty));
    case TICKS_DAY:
        return round_listed(raw, day, COUNT_OF(day));
    case TICKS_BINARY:
        return raw > 0.5 ? exp2(ceil(log2(raw) - 1e-9)) : round_decimal(raw);
    case TICKS_DECIMAL:
        break;
    }
    return round_decimal(raw);
}

static double bounded(double value)
{
    return isfinite(value) ? fmax(-AXIS_MAX, fmin(AXIS_MAX, value)) : 0;
}

static void add_tick(struct scale *scale, double value)
{
    if (scale->count < SCALE_TICKS_MAX) {
        scale->ticks[scale->count++] = value;
    }
}

double scale_width(double raw, enum unit unit)
{
    const struct scale_step *step = step_for(unit, raw * 4);
    return round_tick(fmax(raw / step->size, AXIS_MIN), step->ticks) * step->size;
}

struct scale scale_make(double least, double greatest, enum unit unit, int wanted)
{
    least = bounded(fmin(least, 0));
    greatest = bounded(fmax(greatest, 0));
    if (greatest - least < AXIS_MIN) {
        greatest = unit == UNIT_RATIO ? 0.01 : 1;
    }
    const struct scale_step *step = step_for(unit, fmax(-least, greatest));
    double raw = (greatest / step->size - least / step->size) / fmax(wanted - 1, 1);
    double tick = round_tick(raw, step->ticks) * step->size;
    if (unit == UNIT_COUNT && greatest >= 1 && tick < 1) {
        tick = 1;
    }
    double first = floor(least / tick + 1e-9), last = ceil(greatest / tick - 1e-9);
    struct scale scale = {.unit = unit, .step = step, .tick = tick};
    scale.low = first * tick;
    scale.high = last * tick;
    int count = (int)lround(last - first);
    for (int i = 0; i <= count; i++) {
        double at = first + i;
        add_tick(&scale, at == 0 ? 0 : at * tick);
    }
    return scale;
}

static bool is_second(enum unit unit)
{
    return steps_of(unit) == second_steps;
}

static const double second_rounds[] = {1,     2,     5,     10,     20,     30,    60,
                                       120,   300,   600,   1200,   1800,   3600,  7200,
                                       18000, 43200, 86400, 172800, 432000, 864000};

double scale_round_below(double value, enum unit unit)
{
    if (is_second(unit) && value >= 1 && value < 864000) {
        size_t i = COUNT_OF(second_rounds) - 1;
        while (second_rounds[i] > value) {
            i--;
        }
        return second_rounds[i];
    }
    if (steps_of(unit) == byte_steps) {
        return exp2(floor(log2(value) + 1e-9));
    }
    double power = pow(10, floor(log10(value) + 1e-9));
    double factor = value / power * (1 + 1e-9);
    return power * (factor >= 5 ? 5 : factor >= 2 ? 2 : 1);
}

double scale_round_next(double value, enum unit unit)
{
    if (is_second(unit) && value >= 1 && value < 864000) {
        for (size_t i = 0; i < COUNT_OF(second_rounds); i++) {
            if (second_rounds[i] > value * 1.001) {
                return second_rounds[i];
            }
        }
    }
    if (steps_of(unit) == byte_steps) {
        return value * 2;
    }
    double power = pow(10, floor(log10(value) + 1e-9));
    double factor = value / power;
    return power * (factor < 1.5 ? 2 : factor < 3 ? 5 : 10);
}

/* How many round numbers it is to the next power of ten; where there are others, none. */
static size_t rounds_to_power(double value, enum unit unit)
{
    if (steps_of(unit) != plain_steps) {
        return 0;
    }
    double factor = value / pow(10, floor(log10(value) + 1e-9));
    return factor < 1.5 ? 0 : factor < 3 ? 2 : 1;
}

struct scale scale_wide(double least, double greatest, enum unit unit, int wanted)
{
    if (!isfinite(least) || !isfinite(greatest) || least <= AXIS_MIN || greatest >= AXIS_MAX ||
        greatest / least < WIDE_RATIO) {
        return scale_make(least, greatest, unit, wanted);
    }
    double low = scale_round_below(least, unit), high = low;
    size_t rounds = 0;
    for (; high < greatest && rounds < 2000; rounds++) {
        high = scale_round_next(high, unit);
    }
    size_t stride = rounds / (size_t)(wanted > 1 ? wanted : 1) + 1;
    stride = stride == 2 ? 3 : stride; /* 1, 10, 100: three rounds are a power of ten */
    struct scale scale = {.unit = unit, .logarithmic = true, .low = low, .high = high};
    scale.step = step_for(unit, greatest);
    double value = low;
    size_t first = stride == 3 ? rounds_to_power(low, unit) : 0;
    for (size_t i = 0; i <= rounds; i++) {
        if (i >= first && (i - first) % stride == 0) {
            add_tick(&scale, value);
        }
        value = scale_round_next(value, unit);
    }
    return scale;
}

double scale_at(const struct scale *scale, double value)
{
    double at;
    if (scale->logarithmic) {
        at = value > 0 ? log(value / scale->low) / log(scale->high / scale->low) : 0;
    } else {
        at = (value - scale->low) / (scale->high - scale->low);
    }
    return isfinite(at) ? fmax(0, fmin(1, at)) : 0;
}

/* The value with so many places and commas: 1,234,567.8 */
static void add_grouped(struct buf *out, double value, int places)
{
    char text[64];
    int len = snprintf(text, sizeof text, "%.*f", places, fabs(value));
    if (len < 0 || (size_t)len >= sizeof text) {
        buf_addf(out, "%.3g", value);
        return;
    }
    if (value < 0 && strspn(text, "0.") < (size_t)len) {
        buf_addz(out, "\xe2\x88\x92"); /* a minus as wide as a plus */
    }
    size_t whole = places ? (size_t)(len - places - 1) : (size_t)len;
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0) {
            buf_addc(out, ',');
        }
        buf_addc(out, text[i]);
    }
    buf_addz(out, text + whole);
}

/* Places that a tick needs: 0.25 has two. */
static int places_of(double tick)
{
    int places = 0;
    while (places < 6 && fabs(tick - round(tick)) > 1e-6 * tick) {
        tick *= 10;
        places++;
    }
    return places;
}

/* A number beyond all names for sizes. */
static void add_extreme(struct buf *out, double value, enum unit unit)
{
    const struct scale_step *first = steps_of(unit);
    buf_addf(out, "%.3g%s", value / first->size, first->suffix);
}

static bool is_extreme(double value, double smallest)
{
    return fabs(value) >= HUGE_VALUE || (value != 0 && smallest < SMALL_VALUE);
}

void scale_label(struct buf *out, const struct scale *scale, double value)
{
    if (scale->logarithmic) {
        scale_value(out, scale->unit, value);
        return;
    }
    if (value == 0) {
        buf_addz(out, scale->unit == UNIT_RATIO ? "0 %" : "0");
        return;
    }
    const struct scale_step *step = scale->step;
    const struct scale_step *next = step + 1;
    if (next->suffix && fabs(value) >= next->from && fmod(fabs(value), next->size) == 0) {
        step = next; /* 1 M after 800 k */
    }
    double shown = value / step->size;
    double tick = step == scale->step ? scale->tick / step->size : 1;
    if (is_extreme(shown, tick)) {
        add_extreme(out, value, scale->unit);
        return;
    }
    add_grouped(out, shown, places_of(tick));
    buf_addz(out, step->suffix);
}

/* Places that make three figures; a whole number of things has none. */
static int places_for(double size, bool whole, enum unit unit)
{
    if (unit == UNIT_RATIO && size >= 0.95) {
        return size >= 99.95 ? 0 : 1;
    }
    return whole || size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 4;
}

void scale_value(struct buf *out, enum unit unit, double value)
{
    if (!isfinite(value)) {
        buf_addz(out, "---");
        return;
    }
    if (unit == UNIT_RATIO && value != 0 && fabs(value) < NO_SHARE) {
        buf_addz(out, "0.00 %");
        return;
    }
    const struct scale_step *step = step_for(unit, fabs(value) * 1.00005);
    double shown = value / step->size;
    if (is_extreme(shown, fabs(shown))) {
        add_extreme(out, value, unit);
        return;
    }
    bool whole = step->size == 1 && fabs(shown) == floor(fabs(shown));
    bool exact = fabs(shown - round(shown)) < 1e-9;
    add_grouped(out, shown,
                places_for(fabs(shown), whole || (exact && unit != UNIT_RATIO), unit));
    buf_addz(out, shown == 0 && unit != UNIT_RATIO ? "" : step->suffix);
}
