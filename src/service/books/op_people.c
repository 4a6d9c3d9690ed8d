/* SPDX-License-Identifier: MIT */

/*
 * stint people: who is behind a login.
 */

#include <stdlib.h>

#include "base/mem.h"
#include "books/people.h"
#include "facts/owners.h"
#include "report/queries/distinct_values.h"
#include "service/books/kind_actions.h"
#include "service/core/operations.h"

/* Who there is before the first login is added. */
struct roll {
    const struct kind *kind;
    struct people_list logins;
    struct books_rows people;
    struct str *names;        /* of people, sorted */
    struct str everywhere;    /* the login last added for all clusters */
    struct table logins_seen; /* of the runs: report/queries/distinct_values.h */
    struct table owners;      /* what the sources tell: facts/owners.h */
    struct answer *answer;    /* where it is reported what was done */
};

static int by_text(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static int roll_read(struct roll *roll, struct books *books, struct error *err)
{
    int failed;
    roll->kind = kind_find(STR("people"));
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
    table_release(&roll->logins_seen);
    table_release(&roll->owners);
    free(roll->names);
}

static bool is_known(const struct roll *roll, struct str cluster, struct str login)
{
    return people_find(&roll->logins, cluster, login) ||
           (roll->everywhere.ptr && str_eq(roll->everywhere, login));
}

/*
 * Whether the books take a login: one with a comma, a colon or spaces around it would be taken
 * for two, or for a cluster's; and what they refuse of any name (control characters, a
 * kilobyte) they refuse of this one. The rest of them comes in.
 */
static bool can_be_written(const struct roll *roll, struct books *books, struct str login,
                           struct error *err)
{
    const struct kind_column *column = &roll->kind->columns[kind_column(roll->kind, "person")];
    struct str read;
    if (login.len == 0 || str_byte(login, ',') || str_byte(login, ':') ||
        str_trim(login).len != login.len) {
        error_set(err, ERROR_INPUT, "it is empty or contains a comma, colon or space");
        return false;
    }
    return kind_read(books_kind_world(books), column, login, &roll->answer->table.arena, &read,
                     err) == 0;
}

/* --- what sources report about owners ----------------------------------------------------- */

static struct str owner_cell(const struct roll *roll, size_t column, size_t row)
{
    return table_has(&roll->owners, column, row) ? roll->owners.columns[column].cells[row].text
                                                 : (struct str){0};
}

/* The row of a login on a cluster; row_count if there is none. They are sorted so. */
static size_t find_owner(const struct roll *roll, struct str cluster, struct str login)
{
    size_t from = 0, to = roll->owners.row_count;
    while (from < to) {
        const size_t row = from + (to - from) / 2;
        int order = str_compare(owner_cell(roll, OWNERS_LOGIN, row), login);
        order = order ? order : str_compare(owner_cell(roll, OWNERS_CLUSTER, row), cluster);
        if (order == 0) {
            return row;
        }
        from = order < 0 ? row + 1 : from;
        to = order < 0 ? to : row;
    }
    return roll->owners.row_count;
}

/* Columns of a person that sources may tell, and where. */
static const struct told_column {
    const char *column;
    size_t of_owner;
} recorded_columns[] = {{"name", OWNERS_NAME}, {"email", OWNERS_EMAIL}};

/*
 * Takes over what an owner's row says, for cells that are `empty`; true if there is something.
 * What the books would not take (a name of two lines, say) is left out: no job may keep
 * everybody else out.
 */
static bool take_told(const struct roll *roll, struct books *books, size_t row,
                      const bool empty[COUNT_OF(recorded_columns)],
                      struct str cells[KIND_COLUMNS_MAX])
{
    bool any = false;
    for (size_t i = 0; row < roll->owners.row_count && i < COUNT_OF(recorded_columns); i++) {
        const size_t c = kind_column(roll->kind, recorded_columns[i].column);
        const struct str text = owner_cell(roll, recorded_columns[i].of_owner, row);
        struct str read;
        struct error err;
        if (text.len == 0 || !empty[i]) {
            continue;
        }
        if (kind_read(books_kind_world(books), &roll->kind->columns[c], text,
                      &roll->answer->table.arena, &read, &err) != 0) {
            answer_note(roll->answer, NOTE_REJECTED, "ignored: the recorded %s of '%.*s': %s",
                        recorded_columns[i].column,
                        STR_ARG(owner_cell(roll, OWNERS_LOGIN, row)), err.text);
            continue;
        }
        cells[c] = read;
        any = true;
    }
    return any;
}

/* From now on nothing of this person is empty: the first record of somebody counts. */
static void mark_filled(struct roll *roll, struct str person)
{
    for (size_t i = 0; i < roll->logins.count; i++) {
        struct people_login *login = &roll->logins.rows[i];
        if (str_eq(login->person, person)) {
            login->name = login->email = person;
        }
    }
}

/*
 * People who are in the books already get what nobody has said of them; what somebody said
 * stays.
 */
static int fill_people(struct roll *roll, struct books *books, size_t *filled,
                       struct error *err)
{
    int failed = 0;
    for (size_t row = 0; !failed && row < roll->owners.row_count; row++) {
        const struct people_login *login =
            people_find(&roll->logins, owner_cell(roll, OWNERS_CLUSTER, row),
                        owner_cell(roll, OWNERS_LOGIN, row));
        struct str cells[KIND_COLUMNS_MAX] = {0};
        enum books_outcome outcome = BOOKS_SAME;
        const bool empty[] = {login && login->name.len == 0, login && login->email.len == 0};
        if (!login || !take_told(roll, books, row, empty, cells)) {
            continue;
        }
        const struct str person = login->person;
        cells[kind_column(roll->kind, "person")] = person;
        failed = books_put(books, roll->kind, cells, &outcome, err);
        *filled += outcome == BOOKS_CHANGED;
        mark_filled(roll, person);
    }
    return failed;
}

/* How much of a login that is ignored is shown: enough to find it. */
enum { LOGIN_SHOWN = 64 };

/* --- logins that nobody has --------------------------------------------------------------- */

/*
 * A login that nobody has becomes a person of the same name. Where there is such a person with
 * other logins it may be somebody else: then the cluster is part of the name.
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
    static const bool all_empty[COUNT_OF(recorded_columns)] = {true, true};
    (void)take_told(roll, books, find_owner(roll, cluster, login), all_empty, cells);
    return books_add(books, roll->kind, cells, &id, err);
}

/* Logins come sorted, those of one name on several clusters after each other. */
static int add_logins(struct roll *roll, struct books *books, struct error *err)
{
    const struct table *logins = &roll->logins_seen;
    struct answer *answer = roll->answer;
    int failed = 0;
    for (size_t row = 0; !failed && row < logins->row_count; row++) {
        struct str cluster = logins->columns[DISTINCT_VALUES_CLUSTER].cells[row].text,
                   login = logins->columns[DISTINCT_VALUES_LOGIN].cells[row].text;
        if (is_known(roll, cluster, login)) {
            continue;
        }
        struct error why;
        if (!can_be_written(roll, books, login, &why)) {
            answer_note(answer, NOTE_REJECTED, "ignored: login '%.*s' on %.*s: %s",
                        (int)(login.len < LOGIN_SHOWN ? login.len : LOGIN_SHOWN), login.ptr,
                        STR_ARG(cluster), why.text);
            continue;
        }
        failed = add_login(roll, books, cluster, login, &answer->table.arena, err);
        size_t r = table_row(&answer->table);
        table_set_text(&answer->table, DISTINCT_VALUES_CLUSTER, r, cluster);
        table_set_text(&answer->table, DISTINCT_VALUES_LOGIN, r, login);
    }
    return failed;
}

static int read_logins(const struct service *service, struct roll *roll, struct error *err)
{
    struct facts *facts = NULL;
    int failed;
    (void)((failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = distinct_values_logins(facts, &roll->logins_seen, err)) ||
           (failed = owners_list(facts, &roll->owners, err)));
    session_close(service->session); /* an import need not wait for what follows */
    return failed;
}

static int sync_logins(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    struct books *books = NULL;
    struct roll roll = {.answer = answer};
    size_t filled = 0;
    int failed;
    if (request->count > 1) {
        return error_set(err, ERROR_USAGE, "sync takes no arguments and no options");
    }
    (void)((failed = read_logins(service, &roll, err)) ||
           (failed = service_books(service, BOOKS_WRITE, &books, err)));
    if (!failed) {
        struct table *table = &answer->table;
        table_column(table, "cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
        table_column(table, "login", "New login", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
        (void)((failed = books_begin(books, err)) || (failed = roll_read(&roll, books, err)) ||
               (failed = fill_people(&roll, books, &filled, err)) ||
               (failed = add_logins(&roll, books, err)) || (failed = books_commit(books, err)));
    }
    if (!failed && filled > 0) {
        answer_note(answer, NOTE_RESULT,
                    "%zu already known received the name or address recorded with their jobs",
                    filled);
    }
    if (!failed) {
        answer_note(answer, NOTE_RESULT,
                    "%zu added; set their names with: stint people set PERSON --name ...",
                    answer->table.row_count);
    } else {
        table_release(&answer->table); /* none of it happened */
    }
    roll_release(&roll);
    return failed;
}

static int run_people(struct service *service, const struct request *request,
                      struct answer *answer, struct error *err)
{
    return str_eq(request_text(request, "action"), STR("sync"))
               ? sync_logins(service, request, answer, err)
               : kind_actions_run(service, request, answer, err);
}

static const struct operation_action actions[] = {
    ENTRY_ACTIONS(RIGHT_ALL, RIGHT_BOOKS),
    {"sync", "add a person for each login in the store that belongs to no one yet",
     RIGHT_BOOKS | RIGHT_ALL, ACTION_CHANGES, NULL},
};

static const struct param params[] = {ENTRY_PARAMS(ENTRY_ACTION_NAMES " sync")};

const struct operation operation_people = {
    .name = "people",
    .summary = "manage people: names, addresses and logins",
    .description = "A person has a full name, an e-mail address, an affiliation and logins; "
                   "several logins on several clusters can belong to one person. A person is "
                   "identified by a short name of your choice: stint people add PERSON.",
    .examples =
        "stint people sync # everyone who has ever run a job\n"
        "stint people set ann --name 'Ann Smith' --logins ann,cedar:asmith # name and logins\n"
        "stint people export --format csv > people.csv # for a spreadsheet\n"
        "stint people import people.csv # and back",
    .rights = RIGHT_ALL,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .sets = PARAMS_KIND,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_people,
};
