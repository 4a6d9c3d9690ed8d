/* SPDX-License-Identifier: MIT */
#include "books/people.h"

#include "unit/books/some_books.h"

struct login_row {
    const char *name, *cluster, *login, *want; /* NULL: nobody */
};

static const struct login_row login_rows[] = {
    {"everywhere", "birch", "ann", "ann"},
    {"elsewhere somebody else", "cedar", "ann", "annika"},
    {"on one cluster only", "cedar", "asmith", "ann"},
    {"not on others", "alder", "asmith", NULL},
    {"a colon in it", "alder", "x:y", "odd"},
    {"nobody", "alder", "bob", NULL},
    {"a part of a name", "alder", "an", NULL},
};

static void a_login_belongs_to_one_person(void **state)
{
    const struct login_row *row = *state;
    struct some_books some;
    struct people_list list;
    struct error err = {0};
    some_open(&some, "UTC");
    some_add(&some, "people", "person=ann|name=Ann Smith|email=a@b.c|logins=ann,cedar:asmith");
    some_add(&some, "people", "person=annika|logins=cedar:ann");
    some_add(&some, "people", "person=odd|logins=:x:y");
    some_add(&some, "people", "person=nologin|name=N");
    expect_int(books_people(some.books, &list, &err), 0);
    expect_int((int64_t)list.count, 4);
    const struct people_login *found =
        people_find(&list, str_of(row->cluster), str_of(row->login));
    expect_text(found ? found->person.ptr : NULL, row->want);
    if (found && str_eq(found->person, STR("ann"))) {
        expect_text(found->name.ptr, "Ann Smith");
        expect_text(found->email.ptr, "a@b.c");
        expect_text(found->affiliation.ptr, NULL);
    }
    people_list_release(&list);
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_login_belongs_to_one_person, login_rows);
    return suite_run(&suite, "people");
}
