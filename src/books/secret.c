/* SPDX-License-Identifier: MIT */
#include "books/secret.h"

#include <string.h>

#include "books/books_internal.h"
#include "books/chain.h"
#include "books/statements.h"

static int take_out(struct books *books, const char *kind, struct str name, struct str hash,
                    bool *any, struct error *err)
{
    struct query q = query_begin(books, SQL_SECRET_REMOVE);
    query_text(&q, str_of(kind));
    query_text(&q, name);
    query_text(&q, hash);
    query_run(&q);
    *any = query_changed(&q) > 0;
    return query_finish(&q, "cannot change who may log in", err);
}

int secret_remove(struct books *books, const char *kind, struct str name, struct str hash,
                  struct error *err)
{
    bool any = false;
    const int failed = take_out(books, kind, name, hash, &any, err);
    return failed || !any || strcmp(kind, SECRET_SESSION) == 0
               ? failed
               : chain_note_secret(books, "removed", kind, name, err);
}

int secret_put(struct books *books, const char *kind, struct str name, struct str hash,
               int64_t until, struct error *err)
{
    const bool session = strcmp(kind, SECRET_SESSION) == 0;
    bool any = false;
    int failed = session ? 0 : take_out(books, kind, name, (struct str){0}, &any, err);
    if (failed) {
        return failed;
    }
    struct query q = query_begin(books, SQL_SECRET_PUT);
    query_text(&q, str_of(kind));
    query_text(&q, name);
    query_text(&q, hash);
    query_int(&q, until);
    query_run(&q);
    failed = query_finish(&q, "cannot change who may log in", err);
    return failed || session ? failed : chain_note_secret(books, "set", kind, name, err);
}

int secret_owner(struct books *books, const char *kind, struct str hash, int64_t now,
                 struct arena *arena, struct str *name, struct error *err)
{
    *name = (struct str){0};
    struct query q = query_begin(books, SQL_SECRET_OWNER);
    query_text(&q, str_of(kind));
    query_text(&q, hash);
    query_int(&q, now);
    while (query_row(&q)) {
        *name = query_text_at(&q, 0, arena);
    }
    return query_finish(&q, "cannot read who may ask", err);
}

int secret_of(struct books *books, const char *kind, struct str name, struct arena *arena,
              struct str *hash, struct error *err)
{
    *hash = (struct str){0};
    struct query q = query_begin(books, SQL_SECRET_OF);
    query_text(&q, str_of(kind));
    query_text(&q, name);
    while (query_row(&q)) {
        *hash = query_text_at(&q, 0, arena);
    }
    return query_finish(&q, "cannot read who may ask", err);
}

int secret_audit(struct books *books, int64_t at, struct str who, struct str from,
                 struct str what, struct error *err)
{
    struct query q = query_begin(books, SQL_SECRET_AUDIT);
    query_int(&q, at);
    query_text(&q, who);
    query_text(&q, from);
    query_text(&q, what);
    query_run(&q);
    int failed = query_finish(&q, "cannot write the audit log", err);
    if (failed) {
        return failed;
    }
    q = query_begin(books, SQL_SECRET_AUDIT_PRUNE);
    query_run(&q);
    return query_finish(&q, "cannot shorten the audit log", err);
}

int secret_events(struct books *books, struct str who, int64_t limit, struct arena *arena,
                  struct secret_event **out, size_t *count, struct error *err)
{
    *count = 0;
    *out = arena_alloc(arena, (size_t)limit * sizeof(**out));
    struct query q = query_begin(books, SQL_SECRET_EVENTS);
    query_text(&q, who);
    query_int(&q, limit);
    while (query_row(&q)) {
        (*out)[(*count)++] =
            (struct secret_event){query_int_at(&q, 0), query_text_at(&q, 1, arena),
                                  query_text_at(&q, 2, arena), query_text_at(&q, 3, arena)};
    }
    return query_finish(&q, "cannot read the audit log", err);
}
