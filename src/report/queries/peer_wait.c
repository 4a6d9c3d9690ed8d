/* SPDX-License-Identifier: MIT */
#include "report/queries/peer_wait.h"

#include <inttypes.h>

#include "facts/statement.h"

int peer_wait_ask(struct facts *facts, const struct peer_wait_question *question,
                  struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT @long(count(*)), @quantile(w, 0.5), @quantile(w, 0.9) FROM "
                        "(SELECT start - submit AS w FROM runs WHERE cluster = ");
    statement_bind(&sql, FACTS_TEXT(question->cluster));
    if (question->partition.ptr) {
        statement_add(&sql, " AND \"partition\" = ");
        statement_bind(&sql, FACTS_TEXT(question->partition));
    } else {
        statement_add(&sql, " AND \"partition\" IS NULL");
    }
    statement_add(&sql,
                  " AND submit BETWEEN %" PRId64 " AND %" PRId64
                  " AND start >= submit AND job <> %" PRId64 ")",
                  question->submit - PEER_WAIT_AROUND_US,
                  question->submit + PEER_WAIT_AROUND_US, question->job);
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    for (size_t i = PEER_WAIT_MEDIAN; !failed && i < PEER_WAIT_COUNT; i++) {
        out->columns[i].unit = UNIT_SECONDS;
    }
    return failed;
}
