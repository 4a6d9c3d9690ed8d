/* SPDX-License-Identifier: MIT */
#include "service/books/known_names.h"

#include <stdlib.h>

#include "base/mem.h"
#include "books/people.h"
#include "facts/inventory.h"
#include "service/books/kind_actions.h"

static void add_name(struct known_names *directory, struct str name)
{
    if (!name.ptr || name.len == 0) {
        return;
    }
    if ((directory->count & (directory->count - 1)) == 0) { /* no room at powers of two */
        const size_t room = directory->count ? 2 * directory->count : 1;
        directory->names = mem_resize(directory->names, room, sizeof(*directory->names));
    }
    directory->names[directory->count++] = arena_copy(&directory->arena, name);
}

/*
 * A column of a kind whose cells are names; if `of` is not NULL, those of rows whose `of` is
 * the dimension.
 */
struct place {
    bool open;             /* to everybody, as the list of the kind is */
    const char *dimension; /* NULL: any */
    const char *kind, *column, *of;
    int (*read)(struct books *books, const struct place *place, const struct field *dimension,
                struct known_names *out, struct error *err); /* NULL: as said */
};

static int read_logins(struct books *books, const struct place *place,
                       const struct field *dimension, struct known_names *out,
                       struct error *err)
{
    (void)place;
    (void)dimension;
    struct people_list people;
    int failed = books_people(books, &people, err);
    for (size_t i = 0; !failed && i < people.count; i++) {
        add_name(out, people.rows[i].login);
    }
    people_list_release(&people);
    return failed;
}

/* Where names are written down. */
static const struct place places[] = {
    {.dimension = "person", .kind = "people", .column = "person"},
    {.dimension = "user", .read = read_logins},
    {true, .dimension = "metagroup", .kind = "metagroup", .column = "name"},
    {true, .dimension = "metagroup_top", .kind = "metagroup", .column = "name"},
    {true, .dimension = "cluster", .kind = "capacity", .column = "cluster"},
    {true, .dimension = "cluster", .kind = "cluster", .column = "as"},
    {true, .dimension = "cluster", .kind = "gap", .column = "cluster"},
    {.dimension = "cluster", .kind = "target", .column = "cluster"},
    {.dimension = "user", .kind = "target", .column = "user"},
    {.dimension = "group", .kind = "target", .column = "group"},
    {.dimension = "account", .kind = "target", .column = "account"},
    {.kind = "member", .column = "name", .of = "kind"},
    {.kind = "name", .column = "value", .of = "dimension"},
};

static int read_place(struct books *books, const struct place *place,
                      const struct field *dimension, struct known_names *out, struct error *err)
{
    const struct kind *kind = kind_find(str_of(place->kind));
    struct books_rows rows;
    int failed = books_list(books, kind, &rows, err);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        const struct kind_row *row = &rows.rows[i];
        if (!place->of || str_eq(kind_cell(kind, row, place->of), str_of(dimension->id))) {
            add_name(out, kind_cell(kind, row, place->column));
        }
    }
    books_rows_release(&rows);
    return failed;
}

static int by_name(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static void sort_names(struct known_names *directory)
{
    size_t kept = 0;
    if (directory->count > 0) {
        qsort(directory->names, directory->count, sizeof(*directory->names), by_name);
    }
    for (size_t i = 0; i < directory->count; i++) {
        if (kept == 0 || !str_eq(directory->names[kept - 1], directory->names[i])) {
            directory->names[kept++] = directory->names[i];
        }
    }
    directory->count = kept;
}

static int read_books(const struct service *service, const struct field *dimension,
                      struct known_names *out, struct error *err)
{
    const bool all = caller_scope(service->caller).all;
    struct books *books = NULL;
    if (!books_exist(service->store)) {
        return 0;
    }
    int failed = service_books(service, BOOKS_READ, &books, err);
    if (failed) {
        return failed;
    }
    for (size_t i = 0; !failed && i < COUNT_OF(places); i++) {
        const struct place *place = &places[i];
        if ((all || place->open) &&
            (!place->dimension || str_eq(str_of(place->dimension), str_of(dimension->id)))) {
            failed =
                (place->read ? place->read : read_place)(books, place, dimension, out, err);
        }
    }
    return failed;
}

/*
 * Nodes, partitions and reservations that a scheduler reported: kinds of things have a
 * dimension's name. Reservations are for those who may list them.
 */
static int read_things(const struct service *service, struct facts *facts,
                       const struct field *dimension, struct known_names *out,
                       struct error *err)
{
    const bool all = caller_scope(service->caller).all;
    int failed = 0;
    for (enum inventory_item_kind kind = 0; !failed && kind < INVENTORY_ITEM_KIND_COUNT;
         kind++) {
        struct table names = {0};
        if ((all || kind != INVENTORY_ITEM_RESERVATION) &&
            str_eq(str_of(inventory_item_kinds[kind].name), str_of(dimension->id))) {
            failed = inventory_names(facts, kind, &names, err);
        }
        for (size_t row = 0; !failed && row < names.row_count; row++) {
            add_name(out, names.columns[0].cells[row].text);
        }
        table_release(&names);
    }
    return failed;
}

int known_names_read(const struct service *service, struct facts *facts,
                     const struct field *dimension, struct known_names *out, struct error *err)
{
    *out = (struct known_names){0};
    if (dimension->type != FIELD_TEXT) {
        return 0;
    }
    int failed;
    (void)((failed = read_books(service, dimension, out, err)) ||
           (failed = read_things(service, facts, dimension, out, err)));
    sort_names(out);
    return failed;
}

void known_names_release(struct known_names *directory)
{
    free(directory->names);
    arena_release(&directory->arena);
    *directory = (struct known_names){0};
}

bool known_names_has(const struct known_names *directory, struct str name)
{
    return directory->count > 0 && bsearch(&name, directory->names, directory->count,
                                           sizeof(*directory->names), by_name);
}
