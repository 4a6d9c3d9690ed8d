/* SPDX-License-Identifier: MIT */
#include "books/books_session.h"

int books_session_open(struct books_session *session, enum books_mode mode, struct books **out,
                       struct error *err)
{
    int failed = 0;
    if (session->books && mode > session->mode) {
        books_session_close(session);
    }
    if (!session->books) {
        session->mode = mode;
        failed = books_open(session->folder, mode, &session->world, &session->books, err);
    }
    *out = session->books;
    return failed;
}

void books_session_close(struct books_session *session)
{
    books_close(session->books);
    session->books = NULL;
}
