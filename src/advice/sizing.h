/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What to ask for next time, from what runs used: a quantile of it with a margin, rounded up to
 * what schedulers take, how often that would have been too little, and what it would have
 * freed. One resource at a time.
 */

#include <stdbool.h>
#include <stddef.h>

/* A run: what it asked for (0: not known), what it used, for how long. */
struct sizing_run {
    double asked, used, wall;
    double need; /* what a request has to be to give it that, where it is more than it used */
    /* it was ended because it ran out: it needed more than it used, how much is not known */
    bool cut_short;
    /*
     * It needed no more than it used. Else that was seen at moments only, and is a lower bound:
     * what it had was enough, and no less is known to be. However many runs there are, they may
     * all peak between two moments, which are as far from their start.
     */
    bool bounds;
};

struct sizing {
    size_t runs;      /* that say what they used */
    double median;    /* of what was used; one of the values */
    double quantile;  /* of what was needed, likewise */
    double advised;   /* the quantile with the margin, rounded up */
    size_t too_small; /* runs that used more than that, would have needed to, or may have */
    double asked;     /* median of what was asked for; 0: not known */
    /* of what was asked for, over the time of the runs that know it; never below 0 */
    double freed;
    /* it would be less than was asked for, by lower bounds: nothing is advised */
    bool withheld;
};

/* How results are rounded: up to a multiple of the step. */
struct sizing_rule {
    double quantile; /* 0 to 1: this share of runs used no more */
    double margin;   /* 1.2 is a fifth more */
    double step;     /* what schedulers take: 256 MiB, a quarter of an hour, 1 */
    double slack;    /* what is beyond a step by no more than this is not rounded up */
    /* no more than was asked for: that all of it is used is no sign that more is needed */
    bool at_most_asked;
    /* what it may take longer than it did for what else is advised: 1 is nothing */
    double longer;
};

/* False if no run says what it used. */
bool sizing_find(const struct sizing_run *runs, size_t count, const struct sizing_rule *rule,
                 struct sizing *out);
