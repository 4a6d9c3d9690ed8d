/* SPDX-License-Identifier: MIT */
#include "service/inventory.h"

#include <stdlib.h>

#include "base/mem.h"
#include "books/people.h"
#include "service/items.h"

static void add_name(struct inventory *inventory, struct str name)
{
    if (!name.ptr || name.len == 0) {
        return;
    }
    if ((inventory->count & (inventory->count - 1)) == 0) { /* no room at powers of two */
        const size_t room = inventory->count ? 2 * inventory->count : 1;
        inventory->names = mem_resize(inventory->names, room, sizeof(*inventory->names));
    }
    inventory->names[inventory->count++] = arena_copy(&inventory->arena, name);
}

/* A column of a kind whose cells are names; if `of` is not NULL, those of rows whose `of` is the dimension. */
struct place {
    const char *dimension; /* NULL: any */
    const char *kind, *column, *of;
    int (*read)(struct books *books, const struct place *place, const struct field *dimension,
                struct inventory *out, struct error *err); /* NULL: as said */
};

static int read_logins(struct books *books, const struct place *place,
                       const struct field *dimension, struct inventory *out, struct error *err)
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

/* Where names are written down. What else knows names of things, nodes say, is a row here. */
static const struct place places[] = {
    {.dimension = "person", .kind = "people", .column = "person"},
    {.dimension = "user", .read = read_logins},
    {.dimension = "metagroup", .kind = "metagroup", .column = "name"},
    {.dimension = "metagroup_top", .kind = "metagroup", .column = "name"},
    {.dimension = "cluster", .kind = "capacity", .column = "cluster"},
    {.dimension = "cluster", .kind = "cluster", .column = "as"},
    {.dimension = "cluster", .kind = "gap", .column = "cluster"},
    {.dimension = "cluster", .kind = "target", .column = "cluster"},
    {.dimension = "user", .kind = "target", .column = "user"},
    {.dimension = "group", .kind = "target", .column = "group"},
    {.dimension = "account", .kind = "target", .column = "account"},
    {.kind = "member", .column = "name", .of = "kind"},
    {.kind = "name", .column = "value", .of = "dimension"},
};

static int read_place(struct books *books, const struct place *place,
                      const struct field *dimension, struct inventory *out, struct error *err)
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

static void sort_names(struct inventory *inventory)
{
    size_t kept = 0;
    if (inventory->count > 0) {
        qsort(inventory->names, inventory->count, sizeof(*inventory->names), by_name);
    }
    for (size_t i = 0; i < inventory->count; i++) {
        if (kept == 0 || !str_eq(inventory->names[kept - 1], inventory->names[i])) {
            inventory->names[kept++] = inventory->names[i];
        }
    }
    inventory->count = kept;
}

int inventory_read(const struct service *service, const struct field *dimension,
                   struct inventory *out, struct error *err)
{
    struct items items = {0};
    *out = (struct inventory){0};
    if (dimension->type != FIELD_TEXT || !books_exist(service->store)) {
        return 0;
    }
    int failed = items_open(service, BOOKS_READ, &items, err);
    if (failed) {
        return failed;
    }
    for (size_t i = 0; !failed && i < COUNT_OF(places); i++) {
        const struct place *place = &places[i];
        if (!place->dimension || str_eq(str_of(place->dimension), str_of(dimension->id))) {
            failed = (place->read ? place->read : read_place)(items.books, place, dimension,
                                                              out, err);
        }
    }
    items_close(&items);
    sort_names(out);
    return failed;
}

void inventory_release(struct inventory *inventory)
{
    free(inventory->names);
    arena_release(&inventory->arena);
    *inventory = (struct inventory){0};
}

bool inventory_has(const struct inventory *inventory, struct str name)
{
    return inventory->count > 0 && bsearch(&name, inventory->names, inventory->count,
                                           sizeof(*inventory->names), by_name);
}
