/* SPDX-License-Identifier: MIT */

/*
 * stint books: all decisions together: their history, and a copy to keep elsewhere.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/calendar.h"
#include "base/file.h"
#include "books/dump.h"
#include "service/books/kind_actions.h"
#include "service/core/operations.h"
#include "service/core/params.h"

static int dump(struct books *books, struct answer *answer, struct error *err)
{
    return books_dump(books, &(struct text_sink){answer, answer_take_piece}, err);
}

/* store/books-before-1763182800000000.json: where a restore keeps what was there. */
static const char *keep_path(const struct service *service, struct arena *arena)
{
    char *name = arena_printf(arena, "books-before-%" PRId64 ".json", service->now());
    char *path = file_join(service->store, name);
    char *kept = arena_text(arena, str_of(path));
    free(path);
    return kept;
}

static int restore(struct service *service, const struct request *request, struct books *books,
                   struct answer *answer, struct error *err)
{
    struct str path = request_text(request, "file");
    struct table *table = &answer->table;
    struct books_restored restored;
    struct spool spool = SPOOL_NONE;
    struct str text = {0};
    const char *keep =
        request_flag(request, "replace") ? keep_path(service, &table->arena) : NULL;
    int failed;
    (void)((failed = inputs_spool(request, "file", 0, &spool, err)) ||
           (failed = spool_map(&spool, &text, err)));
    if (!failed) {
        failed = books_restore(books, text, keep, &restored, err);
        if (failed) {
            error_prepend(err, "cannot restore '%.*s': ", STR_ARG(path));
        }
    }
    spool_unmap(text);
    spool_close(&spool);
    if (failed) {
        return failed;
    }
    table_column(table, "rows", "Rows", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    table_column(table, "changes", "Changes", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    size_t row = table_row(table);
    table_set_int(table, 0, row, (int64_t)restored.rows);
    table_set_int(table, 1, row, (int64_t)restored.changes);
    if (keep && access(keep, F_OK) == 0) {
        answer_note(answer, NOTE_RESULT, "the previous books are in %s", keep);
    }
    return 0;
}

static int read_filter(const struct service *service, const struct request *request,
                       struct books_history_filter *out, struct error *err)
{
    struct str from = request_text(request, "from"), to = request_text(request, "to");
    struct period span;
    const struct kind *kind = kind_find(request_text(request, "of"));
    int failed;
    (void)((failed = request_number(request, "item", 0, &out->item, err)) ||
           (failed = request_number(request, "limit", 100, &out->limit, err)));
    if (!failed && from.ptr) {
        failed = calendar_span(from, service->zone, service->now(), &span, err);
        out->from = failed ? 0 : span.from;
    }
    if (!failed && to.ptr) {
        failed = calendar_span(to, service->zone, service->now(), &span, err);
        out->to = failed ? 0 : span.to;
    }
    out->who = request_text(request, "who");
    out->table = kind ? str_of(kind->table) : (struct str){0};
    return failed;
}

enum history_column { ID_C, AT_C, WHO_C, OPERATION_C, KIND_C, ITEM_C, BEFORE_C, AFTER_C };

static void show_history(struct table *table, const struct books_history *history)
{
    static const struct heading headings[] = {
        [ID_C] = {"id", "Change", CELL_INT, UNIT_NONE, COLUMN_DIMENSION},
        [AT_C] = {"at", "At", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION},
        [WHO_C] = {"who", "Who", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [OPERATION_C] = {"operation", "Did", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [KIND_C] = {"kind", "Kind", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [ITEM_C] = {"item", "Number", CELL_INT, UNIT_NONE, COLUMN_DIMENSION},
        [BEFORE_C] = {"before", "Before", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [AFTER_C] = {"after", "After", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    };

    table_columns(table, headings, COUNT_OF(headings));
    for (size_t i = 0; i < history->count; i++) {
        const struct books_change *change = &history->changes[i];
        const struct str texts[] = {[WHO_C] = change->who,
                                    [OPERATION_C] = change->operation,
                                    [KIND_C] = change->table,
                                    [BEFORE_C] = change->before,
                                    [AFTER_C] = change->after};
        size_t row = table_row(table);
        table_set_int(table, ID_C, row, change->id);
        table_set_int(table, AT_C, row, change->at);
        table_set_int(table, ITEM_C, row, change->item);
        for (size_t c = 0; c < COUNT_OF(texts); c++) {
            if (texts[c].ptr) {
                table_set_text(table, c, row, texts[c]);
            }
        }
    }
}

static int history(struct service *service, const struct request *request, struct books *books,
                   struct answer *answer, struct error *err)
{
    struct books_history_filter filter = {0};
    struct books_history list = {0};
    int failed;
    (void)((failed = read_filter(service, request, &filter, err)) ||
           (failed = books_history_list(books, &filter, &list, err)));
    if (!failed) {
        show_history(&answer->table, &list);
        answer->as_records = true; /* what changed is long, and none of it may be cut */
        if (list.count == 0) {
            answer_note(answer, NOTE_EMPTY, "no changes of this kind");
        } else if ((int64_t)list.count == filter.limit) {
            answer_note(answer, NOTE_MORE, "the last %" PRId64 "; there may be more (--limit)",
                        filter.limit);
        }
    }
    books_history_release(&list);
    return failed;
}

/* Which options go with which action; others are a mistake, not to be passed over. */
static int check_options(const struct request *request, struct error *err)
{
    static const char *const of_history[] = {"of", "item", "who", "from", "to", "limit"};
    struct str action = request_text(request, "action");
    for (size_t i = 0; i < COUNT_OF(of_history); i++) {
        if (!str_eq(action, STR("history")) && request_has(request, of_history[i])) {
            return error_set(err, ERROR_USAGE, "--%s is for history only", of_history[i]);
        }
    }
    if (str_eq(action, STR("history")) && request_flag(request, "replace")) {
        return error_set(err, ERROR_USAGE, "--replace is for dump and restore only");
    }
    if (str_eq(action, STR("restore")) != request_has(request, "file")) {
        return error_set(err, ERROR_USAGE, "%s",
                         request_has(request, "file")
                             ? "only restore takes a FILE; write a dump with --output FILE"
                             : "restore needs a FILE; - is standard input");
    }
    return 0;
}

static int run_books(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct str action = request_text(request, "action");
    const bool writes = str_eq(action, STR("restore"));
    struct books *books = NULL;
    int failed;
    (void)((failed = check_options(request, err)) ||
           (failed = service_books(service, writes ? BOOKS_WRITE : BOOKS_READ, &books, err)));
    if (!failed) {
        failed = writes                        ? restore(service, request, books, answer, err)
                 : str_eq(action, STR("dump")) ? dump(books, answer, err)
                                               : history(service, request, books, answer, err);
    }
    return failed;
}

static const struct operation_action actions[] = {
    {"history", "show every change: who, when, and the values before and after", RIGHT_ALL, 0,
     NULL},
    {"dump", "print the books and their history as one JSON document", RIGHT_BOOKS | RIGHT_ALL,
     0, NULL},
    {"restore", "load a dump; either all of it is restored or nothing",
     RIGHT_BOOKS | RIGHT_ACCESS | RIGHT_MONEY | RIGHT_ALL, ACTION_CHANGES, NULL},
};

static const char *kind_name_at(size_t index)
{
    return index < kind_count ? kinds[index].name : NULL;
}

static const struct param params[] = {
    {.name = "action",
     .type = PARAM_CHOICE,
     .value = "ACTION",
     .choices = "history dump restore",
     .help = "what to do",
     .positional = true,
     .required = true},
    {.name = "file",
     .type = PARAM_INPUT,
     .value = "FILE",
     .help = "the dump to restore; - is standard input",
     .positional = true},
    {.name = "replace",
     .type = PARAM_FLAG,
     .help = "restore: replace the current books, of which a dump is kept in the store's "
             "folder; dump: replace the file set with --output"},
    {.name = "of",
     .type = PARAM_CHOICE,
     .value = "KIND",
     .choices = "metagroup member people cluster name gap target",
     .name_at = kind_name_at,
     .help = "only the history of this kind"},
    {.name = "item",
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "only the history of the entry with this number"},
    {.name = "who",
     .type = PARAM_TEXT,
     .value = "LOGIN",
     .help = "only changes by this person"},
    {.name = "from",
     .letter = 'S',
     .type = PARAM_TEXT,
     .value = "TIME",
     .help = "only changes since this time"},
    {.name = "to",
     .letter = 'E',
     .type = PARAM_TEXT,
     .value = "TIME",
     .help = "only changes up to this time; a date includes that whole day"},
    PARAM_LIMIT("100", "show the last N changes; 0 shows all"),
};

const struct operation operation_books = {
    .name = "books",
    .summary = "show changes of the books, dump and restore them",
    .description =
        "The books hold what a site's staff define: metagroups and their members, people, "
        "cluster rules, display names, gaps, targets, and the ledger of the bank. Every change "
        "is recorded with its "
        "author, its time and the values before and after; this history is never edited.\n"
        "A dump is one JSON document that can be compared with diff, with the ledger of the "
        "bank. Restored into empty "
        "books, it gives an identical dump. The file of the books is checked before it is "
        "dumped, and an earlier dump is not overwritten unless --replace is given.",
    .examples = "stint books dump --output books.json # a copy to keep elsewhere\n"
                "stint books restore books.json # into an empty store\n"
                "stint books history --of member --from 30d # recent changes",
    .rights = RIGHT_ALL,
    .keeps = "dump",
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_books,
};
