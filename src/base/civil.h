/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Dates and times of day as a wall clock shows them, in the Gregorian calendar, without a zone.
 * base/zone.h turns them into instants and back.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* A civil date and time of day; `month` and `day` count from 1. */
struct civil {
    int year, month, day;
    int hour, minute, second, micro;
};

/* Days from 1970-01-01 to a date; a month or day out of range is carried. */
int64_t civil_days(int64_t year, int64_t month, int64_t day);

/* The date that many days after 1970-01-01, at midnight. */
struct civil civil_of_days(int64_t days);

/* Weekday of a civil date, 0 = Monday. */
int civil_weekday(struct civil civil);

/* Year and number of the ISO week a date lies in: those of the week's Thursday. */
void civil_iso_week(struct civil civil, int *year, int *week);

int civil_month_days(int year, int month); /* 28 to 31; `month` is 1 to 12 */

/*
 * The years that records and periods may be of: the last one is the last that is whole before
 * INSTANT_MAX.
 */
#define CIVIL_FIRST_YEAR 1970
#define CIVIL_LAST_YEAR  2260
#define CIVIL_YEARS      "1970 to 2260" /* for sentences */

/*
 * Whether records may hold it: a day that there is, of these years, and a time of that day. A
 * leap second is let pass.
 */
bool civil_is_valid(struct civil civil);

/*
 * The month of an English name of three letters in any case ("Jan", "feb"); 0 if it is not one.
 */
int civil_month_of(struct str name);

/*
 * Takes the decimals of a second off a text, as many as there are; what is smaller than a
 * microsecond is cut off. False if the text begins with none.
 */
bool civil_take_micro(struct str *rest, int *micro);

/*
 * Takes how far east of UTC a clock is off a text, as the world writes it: Z or z, +01:00,
 * +0100, +01, and likewise with -. Less than a day. False, with nothing taken, if there is no
 * such thing.
 */
bool civil_take_offset(struct str *rest, int *east_s);
