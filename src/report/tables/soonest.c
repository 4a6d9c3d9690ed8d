/* SPDX-License-Identifier: MIT */
#include "report/tables/soonest.h"

#include <inttypes.h>

#include "facts/everyone.h"
#include "facts/statement.h"

/* " AND x BETWEEN half AND twice", rounded so that 1 is like 1 and 2. */
static void add_alike(struct statement *sql, struct expression what, int64_t amount)
{
    statement_add(sql, " AND ");
    statement_expression(sql, what);
    statement_add(sql, " BETWEEN %" PRId64 " AND %" PRId64, (amount + 1) / 2, 2 * amount);
}

int soonest_ask(struct facts *facts, const struct soonest_question *question, struct table *out,
                struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT cluster, \"partition\", @long(count(*)), @quantile(w, 0.5), "
                        "@quantile(w, 0.9) FROM (SELECT cluster, \"partition\", start - "
                        "greatest(submit, coalesce(eligible, submit)) AS w FROM ");
    statement_name(&sql, everyone_runs(facts));
    statement_add(&sql,
                  " WHERE start >= %" PRId64 " AND start < %" PRId64 " AND submit <= start",
                  question->from, question->to);
    add_alike(&sql, EXPRESSION("coalesce(req_cpus, cpus)"), question->cpus);
    if (question->gpus > 0) {
        add_alike(&sql, EXPRESSION("coalesce(req_gpus, gpus)"), question->gpus);
    } else {
        statement_add(&sql, " AND coalesce(req_gpus, gpus, 0) = 0");
    }
    if (question->wall_us > 0) {
        add_alike(&sql, EXPRESSION("req_wall_us"), question->wall_us);
    }
    filter_sql(&question->filter, question->zone, question->now, &sql);
    statement_add(&sql, ") WHERE w >= 0 GROUP BY ALL ORDER BY cluster, \"partition\"");
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}
