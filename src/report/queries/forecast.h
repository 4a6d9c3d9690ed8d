/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Where an amount that grows will end, if what is to come is like the weeks that were.
 *
 * The weeks x1..xn have mean m and standard deviation s (with n - 1). For r weeks to come, r
 * being any number, the expected sum is m r. Its band is that of a sum of r further draws from
 * what gave the n: its variance is s^2 (r + r^2 / n), the first part for the weeks to come, the
 * second because the mean itself is only known from n; and the half width is that times
 * Student's t of n - 1, so that nine in ten sums lie within. Weeks are taken as independent of
 * each other: where good and bad weeks come in rows, the truth lies outside more often.
 */

#include <stdbool.h>
#include <stddef.h>

enum { FORECAST_WEEKS_MIN = 4, FORECAST_WEEKS_MAX = 52 };

struct forecast {
    double mean;      /* of a week */
    double deviation; /* of the weeks */
    double rest;      /* expected in the time to come */
    double margin;    /* half the width of the band */
};

/* `count` is between the two limits above; `ahead` weeks are to come. */
struct forecast forecast_of(const double *weeks, size_t count, double ahead);
