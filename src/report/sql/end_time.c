/* SPDX-License-Identifier: MIT */
#include "report/sql/end_time.h"

#include <inttypes.h>

#include "record/run.h"

void end_time_add(struct statement *sql, struct expression until, int64_t now)
{
    statement_add(sql, "CASE WHEN ");
    statement_expression(sql, until);
    statement_add(sql,
                  " = %" PRId64 " THEN greatest(least(coalesce(seen, start), %" PRId64
                  "), start) ELSE ",
                  RUN_NOT_ENDED, now);
    statement_expression(sql, until);
    statement_add(sql, " END");
}

void end_time_add_last(struct statement *sql, int64_t now)
{
    statement_add(sql,
                  "coalesce(\"end\", CASE WHEN until = %" PRId64
                  " THEN greatest(least(coalesce(seen, start, submit), %" PRId64
                  "), start, submit) END, start, submit)",
                  RUN_NOT_ENDED, now);
}
