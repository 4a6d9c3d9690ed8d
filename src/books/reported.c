/* SPDX-License-Identifier: MIT */
#include "books/reported.h"

#include "books/query.h"
#include "books/statements.h"

static struct query begin(struct books *books, const char *sql, const struct reported *reported)
{
    struct query q = query_begin(books, sql);
    query_text(&q, reported->rule);
    query_text(&q, reported->user);
    query_text(&q, reported->what);
    return q;
}

int reported_is_there(struct books *books, const struct reported *reported, bool *out,
                      struct error *err)
{
    struct query q = begin(books, SQL_REPORTED_IS_THERE, reported);
    *out = query_row(&q);
    return query_finish(&q, "cannot read the books", err);
}

int reported_put(struct books *books, const struct reported *reported, struct error *err)
{
    struct query q = begin(books, SQL_REPORTED_PUT, reported);
    query_int(&q, reported->at);
    query_run(&q);
    return query_finish(&q, "cannot change the books", err);
}
