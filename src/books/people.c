/* SPDX-License-Identifier: MIT */
#include "books/people.h"

#include <stdlib.h>

#include "base/mem.h"
#include "books/books_internal.h"

/* Those of one cluster before the one for all, so that the first that fits is right. */
static int compare_logins(struct str a_login, struct str a_cluster, struct str b_login,
                          struct str b_cluster)
{
    int order = str_compare(a_login, b_login);
    if (order != 0 || !a_cluster.ptr != !b_cluster.ptr) {
        return order ? order : !a_cluster.ptr - !b_cluster.ptr;
    }
    return str_compare(a_cluster, b_cluster);
}

static int by_login(const void *left, const void *right)
{
    const struct people_login *a = left, *b = right;
    return compare_logins(a->login, a->cluster, b->login, b->cluster);
}

/* "cluster:login" or "login"; ":a:b" is the login a:b on all clusters. */
static void split(struct str text, struct people_login *out)
{
    struct str rest = text;
    struct str before = str_cut(&rest, ':');
    out->cluster = rest.ptr && before.len > 0 ? before : (struct str){0};
    out->login = rest.ptr ? rest : before;
}

static void add_logins(struct people_list *list, const struct kind *kind,
                       const struct kind_row *row)
{
    struct people_login login = {
        .person = arena_copy(&list->arena, kind_cell(kind, row, "person")),
        .name = kind_cell(kind, row, "name"),
        .email = kind_cell(kind, row, "email"),
        .affiliation = kind_cell(kind, row, "affiliation"),
    };
    struct str *texts[] = {&login.name, &login.email, &login.affiliation};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        *texts[i] = texts[i]->ptr ? arena_copy(&list->arena, *texts[i]) : *texts[i];
    }
    struct str logins = kind_cell(kind, row, "logins");
    logins = logins.ptr ? arena_copy(&list->arena, logins) : logins;
    while (logins.ptr) {
        split(str_cut(&logins, ','), &login);
        if ((list->count & (list->count - 1)) ==
            0) { /* at powers of two there is no room left */
            list->rows =
                mem_resize(list->rows, list->count ? 2 * list->count : 1, sizeof(*list->rows));
        }
        list->rows[list->count++] = login;
    }
}

int books_people(struct books *books, struct people_list *out, struct error *err)
{
    const struct kind *kind = kind_find(STR("people"));
    struct books_rows rows;
    *out = (struct people_list){0};
    int failed = books_list(books, kind, &rows, err);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        add_logins(out, kind, &rows.rows[i]);
    }
    if (out->count > 0) {
        qsort(out->rows, out->count, sizeof(*out->rows), by_login);
    }
    books_rows_release(&rows);
    return failed;
}

void people_list_release(struct people_list *list)
{
    free(list->rows);
    arena_release(&list->arena);
    *list = (struct people_list){0};
}

static const struct people_login *find_login(const struct people_list *list, struct str cluster,
                                             struct str login)
{
    const struct people_login wanted = {.cluster = cluster, .login = login};
    return list->count == 0
               ? NULL
               : bsearch(&wanted, list->rows, list->count, sizeof(*list->rows), by_login);
}

const struct people_login *people_find(const struct people_list *list, struct str cluster,
                                       struct str login)
{
    const struct people_login *own = find_login(list, cluster, login);
    return own ? own : find_login(list, (struct str){0}, login);
}

static int refuse_two(const struct people_login *a, const struct people_login *b,
                      struct error *err)
{
    return error_set(
        err, ERROR_CONFLICT,
        "login '%.*s'%s%.*s would belong to two people, '%.*s' and '%.*s'; take it "
        "from one of them: stint people set PERSON --logins ...",
        STR_ARG(a->login), a->cluster.ptr ? " on " : "", STR_ARG(a->cluster),
        STR_ARG(a->person), STR_ARG(b->person));
}

static int refuse_nameless(const struct people_login *login, struct error *err)
{
    return error_set(err, ERROR_USAGE,
                     "person '%.*s' has a login without a name: write login, or cluster:login",
                     STR_ARG(login->person));
}

int people_check(struct books *books, struct error *err)
{
    struct people_list list;
    int failed = books_people(books, &list, err);
    for (size_t i = 0; !failed && i < list.count; i++) {
        const struct people_login *login = &list.rows[i];
        if (login->login.len == 0) {
            failed = refuse_nameless(login, err);
        } else if (i > 0 && by_login(login - 1, login) == 0) {
            failed = refuse_two(login - 1, login, err);
        }
    }
    people_list_release(&list);
    return failed;
}
