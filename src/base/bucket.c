/* SPDX-License-Identifier: MIT */
#include "base/bucket.h"

#include <assert.h>

static const char *const bucket_names[] = {
    [BUCKET_NONE] = "none", [BUCKET_HOUR] = "hour",   [BUCKET_DAY] = "day",
    [BUCKET_WEEK] = "week", [BUCKET_MONTH] = "month", [BUCKET_QUARTER] = "quarter",
    [BUCKET_YEAR] = "year",
};

int bucket_parse(struct str text, enum bucket *out, struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(bucket_names); i++) {
        if (str_eq_nocase(text, str_of(bucket_names[i]))) {
            *out = (enum bucket)i;
            return 0;
        }
    }
    return error_set(err, ERROR_USAGE,
                     "'%.*s' is not a calendar interval: write hour, day, week, month, "
                     "quarter, year or none",
                     STR_ARG(text));
}

const char *bucket_name(enum bucket bucket)
{
    assert((size_t)bucket < COUNT_OF(bucket_names));
    return bucket_names[bucket];
}

struct civil bucket_floor(struct civil civil, enum bucket bucket, int year_start)
{
    const int month = (civil.month - year_start + 12) % 12; /* of the year, from 0 */
    struct civil start = {.year = civil.year, .month = civil.month, .day = civil.day};
    switch (bucket) {
    case BUCKET_WEEK:
        start.day -= civil_weekday(civil);
        break;
    case BUCKET_MONTH:
        start.day = 1;
        break;
    case BUCKET_QUARTER:
        start.day = 1;
        start.month -= month % 3;
        break;
    case BUCKET_YEAR:
        start.day = 1;
        start.month -= month;
        break;
    case BUCKET_NONE:
    case BUCKET_HOUR:
    case BUCKET_DAY:
        break;
    }
    return start;
}

struct civil bucket_step(struct civil start, enum bucket bucket, int count)
{
    assert(bucket != BUCKET_NONE && bucket != BUCKET_HOUR);
    switch (bucket) {
    case BUCKET_DAY:
        start.day += count;
        break;
    case BUCKET_WEEK:
        start.day += 7 * count;
        break;
    case BUCKET_MONTH:
        start.month += count;
        break;
    case BUCKET_QUARTER:
        start.month += 3 * count;
        break;
    case BUCKET_YEAR:
        start.year += count;
        break;
    case BUCKET_NONE:
    case BUCKET_HOUR:
        break;
    }
    return start;
}
