/* SPDX-License-Identifier: MIT */
#include "bank/name_ids.h"

#include <stdlib.h>

#include "bank/statements.h"
#include "base/mem.h"
#include "books/query.h"

static struct name_ids_row *place(const struct name_ids *names, struct str name)
{
    size_t at = (size_t)str_hash(name, 0) & (names->room - 1);
    while (names->rows[at].name.ptr && !str_eq(names->rows[at].name, name)) {
        at = (at + 1) & (names->room - 1);
    }
    return &names->rows[at];
}

static void grow_names(struct name_ids *names)
{
    enum { FIRST_ROOM = 256 };

    const struct name_ids old = *names;
    names->room = old.room ? 2 * old.room : FIRST_ROOM;
    names->rows = mem_alloc(names->room, sizeof(*names->rows));
    for (size_t i = 0; i < old.room; i++) {
        if (old.rows[i].name.ptr) {
            *place(names, old.rows[i].name) = old.rows[i];
        }
    }
    free(old.rows);
}

bool name_ids_has(const struct name_ids *names, struct str name)
{
    return names->room > 0 && place(names, name)->name.ptr;
}

int64_t name_ids_id(struct name_ids *names, struct str name)
{
    const struct str key = name.ptr ? name : STR("");
    if (2 * names->count >= names->room) {
        grow_names(names);
    }
    struct name_ids_row *row = place(names, key);
    if (!row->name.ptr) {
        *row = (struct name_ids_row){arena_copy(&names->arena, key), (int64_t)++names->count};
    }
    return row->id;
}

struct str name_ids_kept(struct name_ids *names, struct str name)
{
    (void)name_ids_id(names, name);
    return place(names, name)->name;
}

int name_ids_read(struct books *books, struct name_ids *out, struct error *err)
{
    *out = (struct name_ids){0};
    struct query q = query_begin(books, SQL_BANK_NAMES);
    while (query_row(&q)) {
        (void)name_ids_id(out, query_view_at(&q, 1)); /* they come by number, from 1 */
    }
    out->written = out->count;
    return query_finish(&q, "cannot read the bank", err);
}

void name_ids_release(struct name_ids *names)
{
    free(names->rows);
    arena_release(&names->arena);
    *names = (struct name_ids){0};
}

int name_ids_write(struct name_ids *names, struct books *books, struct error *err)
{
    if (names->written == names->count) {
        return 0;
    }
    struct query q = query_begin(books, SQL_BANK_NAME_ADD);
    for (size_t i = 0; i < names->room; i++) {
        if (names->rows[i].name.ptr && names->rows[i].id > (int64_t)names->written) {
            query_int(&q, names->rows[i].id);
            query_text(&q, names->rows[i].name);
            query_run(&q);
            query_again(&q);
        }
    }
    names->written = names->count;
    return query_finish(&q, "cannot change the bank", err);
}

int name_ids_of(struct books *books, int64_t id, struct arena *arena, struct str *out,
                struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_NAME_OF);
    query_int(&q, id);
    *out = query_row(&q) ? query_text_at(&q, 0, arena) : STR("");
    return query_finish(&q, "cannot read the bank", err);
}
