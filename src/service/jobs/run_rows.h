/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs that a request picks, with some of their fields, for operations that work something out
 * of them: by the filters and the period of the request; a job that is asked for by its number,
 * whenever it ran. Inside service/ only.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/use/use_rows.h"
#include "service/core/service.h"

enum { RUN_ROWS_MAX = 200000 };

/* What was picked, beside the runs. */
struct run_rows {
    struct table table; /* columns in the order of the fields */
    struct period period;
    bool any_time;    /* the period does not count */
    bool cut;         /* there were more than RUN_ROWS_MAX; these are the newest */
    struct use *uses; /* one a row, after run_rows_use; else NULL */
};

/*
 * `fields` are ids, separated by commas; one that is named twice has the place of the first.
 * The newest come first.
 */
int run_rows_ask(const struct service *service, const struct request *request,
                 struct facts *facts, const char *fields, struct run_rows *out,
                 struct error *err) MUST_CHECK;
void run_rows_release(struct run_rows *rows);

/*
 * What each of them used (report/use/use.h), in rows->uses. The fields end with "," USE_FIELDS.
 */
int run_rows_use(struct facts *facts, int64_t now, struct run_rows *rows,
                 struct error *err) MUST_CHECK;

/* Notes under an answer: which period, and whether all runs were looked at. */
int run_rows_note(struct service *service, struct facts *facts, const struct request *request,
                  const struct run_rows *rows, struct answer *answer,
                  struct error *err) MUST_CHECK;

/* A number of a row; `absent` where the cell is absent. */
double run_rows_number(const struct run_rows *rows, size_t column, size_t row, double absent);
/* Whether all rows have the same text there. */
bool run_rows_agree(const struct run_rows *rows, size_t column);
struct str run_rows_text(const struct run_rows *rows, size_t column, size_t row);
