/* SPDX-License-Identifier: MIT */
#include "advice/scaling.h"

#include <math.h>
#include <stdlib.h>

/* Times that are further off the law than this, as a share, follow it by chance. */
#define SCATTER_MAX 0.3

/*
 * A size whose times are off the law by more than this on average does not follow it, however
 * many others do.
 */
#define OFF_MAX 0.25

static int by_cpus(const void *left, const void *right)
{
    const struct scaling_run *a = left, *b = right;
    return a->cpus != b->cpus ? (a->cpus > b->cpus) - (a->cpus < b->cpus)
                              : (a->wall > b->wall) - (a->wall < b->wall);
}

/*
 * Student's t for an interval of 95 %, by degrees of freedom; beyond the table the normal one.
 */
static double student(size_t freedom)
{
    static const double table[] = {0,     12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                   2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131};
    return freedom < sizeof(table) / sizeof(table[0]) ? table[freedom]
                                                      : 1.96 + 2.5 / (double)freedom;
}

static size_t count_sizes(const struct scaling_run *runs, size_t count)
{
    size_t sizes = count > 0;
    for (size_t i = 1; i < count; i++) {
        sizes += runs[i].cpus != runs[i - 1].cpus;
    }
    return sizes;
}

/* A line y = a + b x through points whose errors are shares of y. */
struct line {
    double a, b;
    double var_a, var_b, cov; /* of these two */
    double scatter;
    double off; /* the largest mean error of a size */
};

/*
 * How far the times of a size are from the line on average, as a share: that of the worst. Runs
 * are in order of size.
 */
static double worst_size(const struct scaling_run *runs, size_t count,
                         double (*x_of)(double cpus), const struct line *line)
{
    double worst = 0, sum = 0;
    size_t same = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (line->a + line->b * x_of(runs[i].cpus)) / runs[i].wall - 1;
        same++;
        if (i + 1 == count || runs[i + 1].cpus != runs[i].cpus) {
            worst = fmax(worst, fabs(sum / (double)same));
            sum = 0;
            same = 0;
        }
    }
    return worst;
}

/* Least squares with weights 1 / y^2. False if the points do not fix a line. */
static bool fit_line(const struct scaling_run *runs, size_t count, double (*x_of)(double cpus),
                     struct line *out)
{
    double s = 0, sx = 0, sxx = 0, sy = 0, sxy = 0, errors = 0;
    for (size_t i = 0; i < count; i++) {
        const double x = x_of(runs[i].cpus), w = 1 / (runs[i].wall * runs[i].wall);
        s += w;
        sx += w * x;
        sxx += w * x * x;
        sy += w * runs[i].wall;
        sxy += w * x * runs[i].wall;
    }
    const double d = s * sxx - sx * sx;
    if (count < 3 || d <= 1e-12 * s * sxx) {
        return false;
    }
    out->a = (sxx * sy - sx * sxy) / d;
    out->b = (s * sxy - sx * sy) / d;
    for (size_t i = 0; i < count; i++) {
        const double e = (out->a + out->b * x_of(runs[i].cpus)) / runs[i].wall - 1;
        errors += e * e;
    }
    const double variance = errors / (double)(count - 2);
    out->scatter = sqrt(variance);
    out->var_a = variance * sxx / d;
    out->var_b = variance * s / d;
    out->cov = -variance * sx / d;
    out->off = worst_size(runs, count, x_of, out);
    return true;
}

static double inverse(double cpus)
{
    return 1 / cpus;
}

static double doublings(double cpus)
{
    return log2(cpus);
}

/* The serial share a / (a + b) and its interval, by how errors of a and b carry over. */
static void set_serial(const struct line *line, size_t count, struct scaling *out)
{
    const double whole = line->a + line->b;
    const double da = line->b / (whole * whole), db = -line->a / (whole * whole);
    const double variance =
        da * da * line->var_a + db * db * line->var_b + 2 * da * db * line->cov;
    const double half = student(count - 2) * sqrt(fmax(0, variance));
    const double share = line->a / whole;
    out->fixed = fmax(0, line->a);
    out->shared = line->b;
    out->certain = 2 * half <= SCALING_WIDTH_MAX && line->scatter < SCATTER_MAX &&
                   line->off < OFF_MAX && whole > 0;
    out->serial = fmin(1, fmax(0, share));
    out->serial_low = fmin(1, fmax(0, share - half));
    out->serial_high = fmin(1, fmax(0, share + half));
    /* Efficiency is 1 / (1 + s (n - 1)), which is a half at n = 1 + 1 / s. */
    out->knee = out->serial > 0 ? 1 + 1 / out->serial : HUGE_VAL;
}

void scaling_fit(struct scaling_run *runs, size_t count, struct scaling *out)
{
    struct line time, growth;
    qsort(runs, count, sizeof(*runs), by_cpus);
    *out = (struct scaling){.verdict = SCALING_FEW_SIZES, .runs = count, .knee = HUGE_VAL};
    out->sizes = count_sizes(runs, count);
    if (out->sizes < 3 || !fit_line(runs, count, inverse, &time) ||
        !fit_line(runs, count, doublings, &growth)) {
        return;
    }
    out->scatter = fmin(time.scatter, growth.scatter);
    const double t = student(count - 2);
    const double level = growth.a + growth.b * doublings(runs[count / 2].cpus);
    out->growth = growth.b / level;
    const bool falls = time.b - t * sqrt(time.var_b) > 0;
    const bool steady = fabs(growth.b) + t * sqrt(growth.var_b) < 0.1 * level;
    const bool rises = growth.b - t * sqrt(growth.var_b) > 0 && growth.scatter < SCATTER_MAX;
    set_serial(&time, count, out);
    if (steady && growth.scatter < SCATTER_MAX) {
        out->verdict = SCALING_WEAK;
    } else if (falls && out->certain) {
        out->verdict = SCALING_STRONG;
    } else {
        out->verdict = rises ? SCALING_NONE : SCALING_NOISE;
    }
}

double scaling_speedup(const struct scaling *scaling, double cpus)
{
    return (scaling->fixed + scaling->shared) / (scaling->fixed + scaling->shared / cpus);
}
