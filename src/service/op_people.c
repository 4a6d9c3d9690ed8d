/* SPDX-License-Identifier: MIT */

/*
 * stint people: who is behind a login.
 */

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "books/people.h"
#include "report/known.h"
#include "service/items.h"
#include "service/operations.h"

/* Who there is before the first login is added. */
struct roll {
    const struct kind *kind;
    struct people_list logins;
    struct books_rows people;
    struct str *names;     /* of people, sorted */
    struct str everywhere; /* the login last added for all clusters */
};

static int by_text(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static int roll_read(struct roll *roll, struct books *books, struct error *err)
{
    *roll = (struct roll){.kind = kind_find(STR("people"))};
    int failed;
    (void)((failed = books_people(books, &roll->logins, err)) ||
           (failed = books_list(books, roll->kind, &roll->people, err)));
    roll->names = mem_alloc(roll->people.count + 1, sizeof(*roll->names));
    for (size_t i = 0; i < roll->people.count; i++) {
        roll->names[i] = kind_cell(roll->kind, &roll->people.rows[i], "person");
    }
    qsort(roll->names, roll->people.count, sizeof(*roll->names), by_text);
    return failed;
}

static void roll_release(struct roll *roll)
{
    people_list_release(&roll->logins);
    books_rows_release(&roll->people);
    free(roll->names);
}

static bool is_known(const struct roll *roll, struct str cluster, struct str login)
{
    return people_find(&roll->logins, cluster, login) ||
           (roll->everywhere.ptr && str_eq(roll->everywhere, login));
}

/* What a login cannot have in the books: it would be taken for two, or for a cluster's. */
static bool can_be_written(struct str login)
{
    return login.len > 0 && !memchr(login.ptr, ',', login.len) &&
           !memchr(login.ptr, ':', login.len) && str_trim(login).len == login.len;
}

/*
 * A login that nobody has becomes a person of the same name. Where there is such a person with other
 * logins it may be somebody else: then the cluster is part of the name.
 */
static int add_login(struct roll *roll, struct books *books, struct str cluster,
                     struct str login, struct arena *arena, struct error *err)
{
    struct str cells[KIND_COLUMNS_MAX] = {0};
    struct str name = login;
    int64_t id = 0;
    if (bsearch(&login, roll->names, roll->people.count, sizeof(*roll->names), by_text)) {
        name = str_of(arena_printf(arena, "%.*s:%.*s", STR_ARG(cluster), STR_ARG(login)));
    } else {
        roll->everywhere = login;
    }
    cells[kind_column(roll->kind, "person")] = name;
    cells[kind_column(roll->kind, "logins")] = name;
    return books_add(books, roll->kind, cells, &id, err);
}

/* Logins come sorted, those of one name on several clusters after each other. */
static int add_logins(struct roll *roll, struct books *books, const struct table *logins,
                      struct answer *answer, struct error *err)
{
    int failed = 0;
    for (size_t row = 0; !failed && row < logins->row_count; row++) {
        struct str cluster = logins->columns[KNOWN_CLUSTER].cells[row].text,
                   login = logins->columns[KNOWN_LOGIN].cells[row].text;
        if (is_known(roll, cluster, login)) {
            continue;
        }
        if (!can_be_written(login)) {
            answer_note(answer,
                        "left out: login '%.*s' on %.*s has a comma, colon or blank in it",
                        STR_ARG(login), STR_ARG(cluster));
            continue;
        }
        failed = add_login(roll, books, cluster, login, &answer->table.arena, err);
        size_t r = table_row(&answer->table);
        table_set_text(&answer->table, KNOWN_CLUSTER, r, cluster);
        table_set_text(&answer->table, KNOWN_LOGIN, r, login);
    }
    return failed;
}

static int read_logins(const struct service *service, struct table *out, struct error *err)
{
    struct facts *facts = NULL;
    int failed = service_open(service, FACTS_READ, &facts, err);
    if (!failed) {
        failed = known_logins(facts, out, err);
    }
    facts_close(facts); /* an import need not wait for what follows */
    return failed;
}

static int sync_logins(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    struct table logins = {0};
    struct items items = {0};
    struct roll roll = {0};
    int failed;
    if (request->count > 1) {
        return error_set(err, ERROR_USAGE, "sync takes no words and no options");
    }
    (void)((failed = read_logins(service, &logins, err)) ||
           (failed = items_open(service, BOOKS_WRITE, &items, err)));
    if (!failed) {
        struct table *table = &answer->table;
        table_column(table, "cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
        table_column(table, "login", "New login", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
        (void)((failed = books_begin(items.books, err)) ||
               (failed = roll_read(&roll, items.books, err)) ||
               (failed = add_logins(&roll, items.books, &logins, answer, err)) ||
               (failed = books_commit(items.books, err)));
    }
    if (!failed) {
        answer_note(answer,
                    "%zu new; say who they are with: stint people set PERSON --name ...",
                    answer->table.row_count);
    } else {
        table_release(&answer->table); /* none of it happened */
    }
    roll_release(&roll);
    items_close(&items);
    table_release(&logins);
    return failed;
}

static int run_people(struct service *service, const struct request *request,
                      struct answer *answer, struct error *err)
{
    return str_eq(request_text(request, "action"), STR("sync"))
               ? sync_logins(service, request, answer, err)
               : items_run(service, request, answer, err);
}

static const struct operation_action actions[] = {
    ITEM_ACTIONS(ROLE_STAFF),
    {"sync", "add a person for each login of the facts that nobody has", ROLE_ADMIN},
};

static const struct param params[] = {ITEM_PARAMS(ITEM_ACTION_NAMES " sync")};

const struct operation operation_people = {
    .name = "people",
    .summary = "keep people: names, addresses and logins",
    .description =
        "A person has a full name, an address, an affiliation and logins: several logins on "
        "several clusters are one person. A person is told by a short name of your choice: "
        "stint "
        "people add PERSON.",
    .examples =
        "stint people sync # everybody who ever ran something\n"
        "stint people set ann --name 'Ann Smith' --logins ann,cedar:asmith # who that is\n"
        "stint people export --format csv > people.csv # for a spreadsheet\n"
        "stint people import people.csv # and back",
    .role = ROLE_STAFF,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .sets = PARAMS_KIND,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_people,
};
