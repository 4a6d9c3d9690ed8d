/* SPDX-License-Identifier: MIT */

/* stint audit: who came to a server's door, and who was refused. */

#include "books/secret.h"
#include "service/core/operations.h"
#include "service/core/params.h"

enum { EVENTS_MAX = 100000 };

static void add_events(struct table *table, const struct secret_event *events, size_t count)
{
    enum { AT, WHO, ADDRESS, WHAT };

    table_column(table, "at", "At", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION);
    table_column(table, "who", "Who", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "address", "Address", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "what", "What", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    for (size_t i = 0; i < count; i++) {
        const size_t row = table_row(table);
        table_set_int(table, AT, row, events[i].at);
        table_set_text(table, WHO, row, events[i].who);
        table_set_text(table, ADDRESS, row, events[i].from);
        table_set_text(table, WHAT, row, events[i].what);
    }
}

static int run_audit(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct arena arena = {0};
    struct books *books = NULL;
    struct secret_event *events = NULL;
    int64_t limit = 0;
    size_t count = 0;
    int failed = request_number(request, "limit", 0, &limit, err);
    limit = limit > EVENTS_MAX ? EVENTS_MAX : limit;
    (void)(failed || (failed = service_books(service, BOOKS_READ, &books, err)) ||
           (failed = secret_events(books, request_text(request, "who"), limit, &arena, &events,
                                   &count, err)));
    if (!failed) {
        add_events(&answer->table, events, count);
    }
    if (!failed && (int64_t)count == limit) {
        answer_note(answer, NOTE_MORE, "the newest %zu entries; --limit sets how many", count);
    }
    arena_release(&arena);
    return failed;
}

static const struct operation_action actions[] = {
    {"list", "list the newest entries, in chronological order", RIGHT_ACCESS, 0, NULL},
};

static const struct param params[] = {
    {.name = "action",
     .type = PARAM_CHOICE,
     .value = "ACTION",
     .choices = "list",
     .help = "what to do",
     .positional = true,
     .required = true},
    {.name = "who",
     .type = PARAM_TEXT,
     .value = "NAME",
     .help = "only entries of this user or token"},
    PARAM_LIMIT("100", "maximum number of entries"),
};

const struct operation operation_audit = {
    .name = "audit",
    .summary = "show who logged in to a server and who was refused",
    .description = "A server (stint serve) records logins, refused logins and logouts in the "
                   "audit log, with the address they came from. Entries are never changed or "
                   "removed. Changes to the books are in stint books history.",
    .examples = "stint audit list # the newest 100 entries\n"
                "stint audit list --who ann --limit 10 # those of one user",
    .rights = RIGHT_ACCESS,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_audit,
};
