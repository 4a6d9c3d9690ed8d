/* SPDX-License-Identifier: MIT */
#include "report/queries/forecast.h"

#include <assert.h>
#include <math.h>

/*
 * The share of Student's distribution that lies between -t and t, for a whole number of degrees
 * of freedom: the finite series in the angle whose tangent is t / sqrt(freedom).
 */
static double share_within(double t, int freedom)
{
    const double pi = 3.14159265358979323846;
    const double angle = atan(t / sqrt(freedom)), c = cos(angle) * cos(angle);
    const bool odd = freedom % 2 == 1;
    double term = odd ? cos(angle) : 1, sum = freedom > 1 ? term : 0;
    for (int i = odd ? 3 : 2; i < freedom; i += 2) {
        term *= c * (i - 1) / i;
        sum += term;
    }
    return odd ? 2 / pi * (angle + sin(angle) * sum) : sin(angle) * sum;
}

/*
 * Student's t for nine in ten, both sides: where share_within is 0.9, halved in until doubles
 * cannot.
 */
static double student(int freedom)
{
    double low = 0, high = 16;
    while (high - low > 1e-12) {
        const double middle = (low + high) / 2;
        if (share_within(middle, freedom) < 0.9) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

struct forecast forecast_of(const double *weeks, size_t count, double ahead)
{
    assert(count >= FORECAST_WEEKS_MIN && count <= FORECAST_WEEKS_MAX);
    const double n = (double)count;
    struct forecast forecast = {0};
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        forecast.mean += weeks[i] / n;
    }
    for (size_t i = 0; i < count; i++) {
        const double off = weeks[i] - forecast.mean;
        squares += off * off;
    }
    forecast.deviation = sqrt(squares / (n - 1));
    forecast.rest = forecast.mean * ahead;
    forecast.margin =
        student((int)count - 1) * forecast.deviation * sqrt(ahead + ahead * ahead / n);
    return forecast;
}
