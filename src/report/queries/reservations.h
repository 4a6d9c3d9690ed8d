/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reservations in a period: how much each held, how much of that the runs in it used, and how
 * much lay idle. Slurm's sreport counts the idle part as allocated; here it stands apart.
 *
 * A reservation is identified by its name and when it begins. What it holds is known from
 * sightings (facts/inventory.h): from its beginning, if it was seen later than that, until its
 * end, or until it was seen no more. Between two sightings it is as the earlier showed it; over
 * a pause in looking, as the later. Whose size is not recorded, has unknown hours.
 */

#include "report/question.h"

struct reservations_question {
    struct period period;
    int64_t now; /* what has not ended counts up to here */
    const struct zone *zone;
    struct filter filter; /* on cluster and reservation */
};

/*
 * A row for each: cluster, reservation, start, end, what it holds and who may use it, then the
 * hours; by cluster and start.
 */
int reservations_ask(struct facts *facts, const struct reservations_question *question,
                     struct table *answer, struct error *err) MUST_CHECK;

/* One row with the hours of all together: the last columns of these. */
int reservations_total(struct facts *facts, const struct reservations_question *question,
                       struct table *answer, struct error *err) MUST_CHECK;
