/* SPDX-License-Identifier: MIT */
#include "service/books/owned_rows.h"

/* The column with that flag; column_count if the kind has none. */
static size_t flagged(const struct kind *kind, unsigned flag)
{
    size_t i = 0;
    while (i < kind->column_count && !(kind->columns[i].flags & flag)) {
        i++;
    }
    return i;
}

static bool is_own(const struct caller *caller, const struct kind *kind,
                   const struct kind_row *row)
{
    const size_t owner = flagged(kind, KIND_OWNER);
    return owner == kind->column_count || caller_may(caller, RIGHT_ACCESS) ||
           (row->cells[owner].ptr && str_eq(row->cells[owner], str_of(caller->name)));
}

static bool is_shared(const struct caller *caller, const struct kind *kind,
                      const struct kind_row *row)
{
    const size_t share = flagged(kind, KIND_SHARE);
    if (share == kind->column_count || !row->cells[share].ptr) {
        return false;
    }
    enum role role;
    return role_find(row->cells[share], &role) &&
           caller_may(caller, role_rights(role) & RIGHTS_SEEING);
}

void owned_rows_keep(const struct caller *caller, struct books_rows *rows, bool to_change)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct kind_row *row = &rows->rows[i];
        if (is_own(caller, rows->kind, row) ||
            (!to_change && is_shared(caller, rows->kind, row))) {
            rows->rows[kept++] = *row;
        }
    }
    rows->count = kept;
}

int owned_rows_take(const struct caller *caller, const struct kind *kind, bool adding,
                    struct str *cells, struct error *err)
{
    const size_t owner = flagged(kind, KIND_OWNER);
    if (owner == kind->column_count) {
        return 0;
    }
    if (cells[owner].ptr && !caller_may(caller, RIGHT_ACCESS)) {
        return error_set(err, ERROR_USAGE, "--%s is not for you to say: it is you",
                         kind->columns[owner].id);
    }
    const bool needed = kind->columns[owner].flags & KIND_REQUIRED;
    if (adding && !cells[owner].ptr && (needed || !caller_may(caller, RIGHT_ACCESS))) {
        cells[owner] = str_of(caller->name);
    }
    return 0;
}
