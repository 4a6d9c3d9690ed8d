/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How a question is going to be answered: how its time is cut up, which stretches of it come
 * from where, and the statement. Inside report/ only.
 */

#include "base/attribute.h"
#include "report/question.h"
#include "report/sql/sql.h"

/* A stretch of time, and where it stands in the calendar. */
struct time_cell {
    int64_t lower, upper;
    size_t bucket; /* of those asked for with --every; 0 without */
    int weekday;   /* 0 is Monday */
    int hour;
};

/* How the time of a question is cut up. */
struct cells {
    struct time_cell *cells;
    size_t count;     /* 0: not at all */
    int64_t *buckets; /* edges of the buckets that are shown */
    size_t bucket_count;
};

struct plan {
    struct cells cells;
    struct sql_plan sql;
};

/* `wide`: multiply in 128 bits. plan_release is due in any case. */
int plan_make(struct plan *plan, struct facts *facts, const struct question *question,
              bool wide, struct error *err) MUST_CHECK;
void plan_release(struct plan *plan);

/*
 * Loads the tables that the statement joins with: SQL_SLOTS and SQL_MEMBERSHIP_PERIODS, if it
 * does.
 */
int plan_load(const struct plan *plan, struct facts *facts, const struct question *question,
              struct error *err) MUST_CHECK;
