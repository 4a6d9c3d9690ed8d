/* SPDX-License-Identifier: MIT */
#include "books/message_log.h"

#include "books/query.h"
#include "books/statements.h"

static struct query begin_message_query(struct books *books, const char *sql,
                                        const struct logged_message *reported)
{
    struct query q = query_begin(books, sql);
    query_text(&q, reported->rule);
    query_text(&q, reported->user);
    query_text(&q, reported->what);
    return q;
}

int logged_message_is_there(struct books *books, const struct logged_message *reported,
                            bool *out, struct error *err)
{
    struct query q = begin_message_query(books, SQL_REPORTED_IS_THERE, reported);
    *out = query_row(&q);
    return query_finish(&q, "cannot read the books", err);
}

int logged_message_put(struct books *books, const struct logged_message *reported,
                       struct error *err)
{
    struct query q = begin_message_query(books, SQL_REPORTED_PUT, reported);
    query_int(&q, reported->at);
    query_run(&q);
    return query_finish(&q, "cannot change the books", err);
}
