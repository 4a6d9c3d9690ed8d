/* SPDX-License-Identifier: MIT */
#include "advice/sizing.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The value that this share of all are no larger than; one of them. */
static double quantile_of(const double *sorted, size_t count, double share)
{
    const double place = ceil(share * (double)count) - 1;
    return sorted[place < 0 ? 0 : place >= (double)count ? count - 1 : (size_t)place];
}

/* One that ran out needed at least what it had. */
static double least_need(const struct sizing_run *run)
{
    return fmax(run->need, run->cut_short ? fmax(run->used, run->asked) : run->used);
}

/* No less than this is known to be enough for it; HUGE_VAL: nothing is. */
static double known_enough(const struct sizing_run *run)
{
    const double least = least_need(run);
    return run->bounds || run->cut_short ? least
           : run->asked > 0              ? fmax(least, run->asked)
                                         : HUGE_VAL;
}

static void count_runs(const struct sizing_run *runs, size_t count, double longer,
                       struct sizing *out)
{
    for (size_t i = 0; i < count; i++) {
        if (runs[i].used < 0) {
            continue;
        }
        const double least = known_enough(&runs[i]) * longer;
        out->too_small += runs[i].cut_short ? least >= out->advised : least > out->advised;
        if (runs[i].asked > 0 && !runs[i].cut_short) {
            out->freed += (runs[i].asked - out->advised) * runs[i].wall;
        }
    }
    out->freed = fmax(0, out->freed);
}

/*
 * The most that any of them asked for or used, if all say so and none ran out: it was enough
 * for each. Else 0.
 */
static double enough_for_all(const struct sizing_run *runs, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].used >= 0 && (runs[i].cut_short || runs[i].asked <= 0)) {
            return 0;
        }
        most = runs[i].used >= 0 ? fmax(most, fmax(runs[i].asked, runs[i].used)) : most;
    }
    return most;
}

/*
 * An amount with its margin, as schedulers take it; no more than was enough, where the runs
 * would not take longer.
 */
static void advise(const struct sizing_rule *rule, double amount, double enough,
                   struct sizing *out)
{
    const double wanted = amount * rule->margin - rule->slack;
    out->advised = fmax(rule->step, ceil(wanted / rule->step - 1e-9) * rule->step);
    if (rule->at_most_asked && out->asked > 0) {
        out->advised = fmin(out->advised, out->asked);
    }
    if (enough > 0 && rule->longer <= 1) {
        out->advised = fmin(out->advised, enough);
    }
}

/* Whether an advice would be less than the runs are known to have had. */
static bool is_less(const struct sizing *found)
{
    return found->asked <= 0 || found->advised < found->asked;
}

bool sizing_find(const struct sizing_run *runs, size_t count, const struct sizing_rule *rule,
                 struct sizing *out)
{
    double *values = mem_alloc(4 * count + 1, sizeof(*values));
    double *asked = values + count, *used = asked + count, *enough = used + count;
    size_t asking = 0, telling = 0, seen = 0;
    *out = (struct sizing){0};
    for (size_t i = 0; i < count; i++) {
        if (runs[i].used < 0) {
            continue;
        }
        used[telling] = runs[i].used;
        enough[telling] = known_enough(&runs[i]);
        values[telling++] = least_need(&runs[i]);
        seen += !runs[i].bounds && !runs[i].cut_short;
        if (runs[i].asked > 0) {
            asked[asking++] = runs[i].asked;
        }
    }
    out->runs = telling;
    if (telling > 0) {
        qsort(values, telling, sizeof(*values), by_value);
        qsort(asked, asking, sizeof(*asked), by_value);
        qsort(used, telling, sizeof(*used), by_value);
        qsort(enough, telling, sizeof(*enough), by_value);
        out->median = quantile_of(used, telling, 0.5);
        out->quantile = quantile_of(values, telling, seen > 0 ? 1 : rule->quantile);
        out->asked = asking > 0 ? quantile_of(asked, asking, 0.5) : 0;
        const double most = enough_for_all(runs, count);
        advise(rule, out->quantile, most, out);
        if (seen > 0 && is_less(out)) { /* by those alone of which more is known */
            const double known = quantile_of(enough, telling, rule->quantile);
            out->withheld = isinf(known);
            if (!out->withheld) {
                advise(rule, known, most, out);
                out->withheld = !is_less(out);
            }
        }
        count_runs(runs, count, rule->longer > 1 ? rule->longer : 1, out);
    }
    free(values);
    return telling > 0;
}
