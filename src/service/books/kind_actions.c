/* SPDX-License-Identifier: MIT */
#include "service/books/kind_actions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limit.h"
#include "base/scan.h"
#include "books/sheet.h"
#include "report/catalog.h"
#include "service/books/owned_rows.h"
#include "service/books/unknown_names.h"
#include "service/core/params.h"
#include "service/query/question_params.h"

/* --- parameters --------------------------------------------------------------------------- */

bool kind_param(const char *command, size_t index, struct param *out)
{
    static const char *const values[] = {
        [KIND_NAME] = "NAME",     [KIND_TEXT] = "TEXT",   [KIND_GLOB] = "PATTERN",
        [KIND_CHOICE] = "WHAT",   [KIND_DATE] = "DATE",   [KIND_TIME] = "TIME",
        [KIND_AMOUNT] = "NUMBER", [KIND_LOGINS] = "LIST", [KIND_MEASURE] = "MEASURE",
        [KIND_DIMENSION] = "DIM",
    };
    const struct kind *kind = kind_find(str_of(command));
    if (!kind || index >= kind->column_count) {
        return false;
    }
    const struct kind_column *column = &kind->columns[index];
    *out = (struct param){
        .name = column->id,
        .letter = column->letter,
        .type = PARAM_TEXT, /* not a choice: to list, it may be a pattern */
        .value = values[column->type],
        .choices = column->choices,
        .name_at = column->type == KIND_MEASURE     ? question_measure_at
                   : column->type == KIND_DIMENSION ? question_dimension_at
                                                    : NULL,
        .help = column->doc,
    };
    return true;
}

/* One action about one kind, on its way. */
struct task {
    struct service *service;
    const struct request *request;
    const struct kind *kind;
    struct books *books;
    struct answer *answer;
    struct error *err;
};

static size_t count_words(const struct request *request)
{
    struct str word;
    size_t count = 0;
    while (request_each(request, "word", count, &word)) {
        count++;
    }
    return count;
}

/* Column that word `index` is for; column_count if there is none. */
static size_t word_column(const struct kind *kind, size_t index)
{
    size_t i = 0;
    while (i < kind->column_count && !(kind->columns[i].flags & KIND_WORD && index-- == 0)) {
        i++;
    }
    return i;
}

/* "METAGROUP KIND NAME", for messages. */
static const char *expected_words(const struct kind *kind, struct arena *arena)
{
    const char *words = "";
    for (size_t i = 0; word_column(kind, i) < kind->column_count; i++) {
        words = arena_printf(arena, "%s %s", words, kind->columns[word_column(kind, i)].id);
    }
    return words;
}

static int refuse_words(const struct task *task)
{
    const char *words = expected_words(task->kind, &task->answer->table.arena);
    return error_set(task->err, ERROR_USAGE,
                     "too many words; a %s is identified by%s; see: stint help %s",
                     task->kind->one, *words ? words : " options", task->kind->name);
}

static void take_options(const struct task *task, struct str *cells)
{
    for (size_t i = 0; i < task->kind->column_count; i++) {
        if (request_has(task->request, task->kind->columns[i].id)) {
            cells[i] = request_text(task->request, task->kind->columns[i].id);
        }
    }
}

static int take_words(const struct task *task, struct str *cells)
{
    struct str word;
    for (size_t i = 0; request_each(task->request, "word", i, &word); i++) {
        size_t column = word_column(task->kind, i);
        if (column == task->kind->column_count) {
            return refuse_words(task);
        }
        cells[column] = word;
    }
    return 0;
}

/* --- answers ------------------------------------------------------------------------------ */

static void add_columns(struct table *table, const struct kind *kind)
{
    table_column(table, "id", "Number", CELL_INT, UNIT_NONE, COLUMN_DIMENSION);
    for (size_t i = 0; i < kind->column_count; i++) {
        table_column(table, kind->columns[i].id, kind->columns[i].label, CELL_TEXT, UNIT_NONE,
                     COLUMN_DIMENSION);
    }
}

static void add_item(struct table *table, const struct kind *kind, const struct kind_row *item)
{
    const size_t row = table_row(table);
    table_set_int(table, 0, row, item->id);
    for (size_t i = 0; i < kind->column_count; i++) {
        if (item->cells[i].ptr) {
            table_set_text(table, 1 + i, row, item->cells[i]);
        }
    }
}

static bool is_empty_column(const struct table *table, size_t column)
{
    bool empty = true;
    for (size_t row = 0; empty && row < table->row_count; row++) {
        empty = !table_has(table, column, row);
    }
    return empty;
}

/*
 * The chosen rows as the answer. Columns without a value are not for people, unless all are
 * asked for.
 */
static void show_rows(const struct task *task, const struct books_rows *rows,
                      const bool *chosen, bool all_columns)
{
    struct table *table = &task->answer->table;
    add_columns(table, task->kind);
    for (size_t r = 0; r < rows->count; r++) {
        if (chosen[r]) {
            add_item(table, task->kind, &rows->rows[r]);
        }
    }
    for (size_t i = 0; !all_columns && i < task->kind->column_count; i++) {
        if (!(task->kind->columns[i].flags & KIND_REQUIRED) && is_empty_column(table, 1 + i)) {
            table->columns[1 + i].audience = COLUMN_FOR_MACHINES;
        }
    }
}

/* --- picking rows ------------------------------------------------------------------------- */

/* Whether a row passes: words and options are patterns, --from and --to a period it touches. */
static bool passes(const struct task *task, const struct kind_row *row,
                   const struct str *wanted, const struct kind_row *period)
{
    int64_t from, to, row_from, row_to;
    kind_period(task->kind, period, task->service->zone, &from, &to);
    kind_period(task->kind, row, task->service->zone, &row_from, &row_to);
    bool fits = row_from < to && from < row_to;
    for (size_t i = 0; fits && i < task->kind->column_count; i++) {
        if (wanted[i].ptr && !(task->kind->columns[i].flags & (KIND_FIRST | KIND_LAST))) {
            fits = wanted[i].len == 0 ? !row->cells[i].ptr
                                      : row->cells[i].ptr && str_glob(wanted[i], row->cells[i]);
        }
    }
    return fits;
}

/* The period that --from and --to name, as a row that has nothing else. */
static int read_period(const struct task *task, const struct str *wanted, struct kind_row *out)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < task->kind->column_count; i++) {
        if (task->kind->columns[i].flags & (KIND_FIRST | KIND_LAST) && wanted[i].ptr) {
            failed =
                kind_read(books_kind_world(task->books), &task->kind->columns[i], wanted[i],
                          &task->answer->table.arena, &out->cells[i], task->err);
        }
    }
    return failed;
}

static int list(struct task *task, bool all_columns)
{
    struct str wanted[KIND_COLUMNS_MAX] = {0};
    struct kind_row period = {0};
    struct books_rows rows;
    int failed;
    take_options(task, wanted);
    (void)((failed = take_words(task, wanted)) ||
           (failed = read_period(task, wanted, &period)));
    if (failed || (failed = books_list(task->books, task->kind, &rows, task->err)) != 0) {
        return failed;
    }
    owned_rows_keep(task->service->caller, &rows, false);
    bool *chosen = arena_alloc(&task->answer->table.arena, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++) {
        chosen[i] = passes(task, &rows.rows[i], wanted, &period);
    }
    show_rows(task, &rows, chosen, all_columns);
    task->answer->table.raw = all_columns; /* an import reads it */
    if (rows.count == 0) {
        answer_note(task->answer, NOTE_EMPTY, "none is defined yet; see: stint help %s",
                    task->kind->name);
    } else if (task->answer->table.row_count == 0) {
        answer_note(task->answer, NOTE_EMPTY, "none of %zu matches", rows.count);
    }
    books_rows_release(&rows);
    return 0;
}

static int do_list(struct task *task)
{
    return list(task, false);
}

static int do_export(struct task *task)
{
    return list(task, true);
}

/* How many words it takes to tell a row. */
static size_t count_key_words(const struct kind *kind)
{
    size_t count = 0;
    for (size_t i = 0; i < kind->column_count; i++) {
        count += (kind->columns[i].flags & (KIND_KEY | KIND_WORD)) == (KIND_KEY | KIND_WORD);
    }
    return count;
}

/* Whether a row can be reported by one word alone, so that digits are a name and no number. */
static bool told_by_one_word(const struct kind *kind)
{
    size_t keys = 0;
    for (size_t i = 0; i < kind->column_count; i++) {
        keys += (kind->columns[i].flags & KIND_KEY) != 0;
    }
    return keys == 1 && word_column(kind, 0) < kind->column_count;
}

/* Every word is that of its column. */
static bool is_meant(const struct task *task, const struct kind_row *row)
{
    struct str word;
    bool same = true;
    for (size_t i = 0; same && request_each(task->request, "word", i, &word); i++) {
        size_t column = word_column(task->kind, i);
        same = column < task->kind->column_count && str_eq(row->cells[column], word);
    }
    return same;
}

static int refuse_several(const struct task *task, const struct books_rows *rows)
{
    const char *numbers = "";
    for (size_t i = 0; i < rows->count; i++) {
        if (is_meant(task, &rows->rows[i])) {
            numbers = arena_printf(&task->answer->table.arena, "%s %" PRId64, numbers,
                                   rows->rows[i].id);
        }
    }
    return error_set(task->err, ERROR_USAGE, "several match; choose one by its number:%s",
                     numbers);
}

static int refuse_vague(const struct task *task)
{
    const char *words = expected_words(task->kind, &task->answer->table.arena);
    return error_set(task->err, ERROR_USAGE,
                     "which %s? give%s%s its number; see: stint %s list", task->kind->one,
                     words, *words ? ", or" : "", task->kind->name);
}

static int refuse_none(const struct task *task, const struct books_rows *rows, struct str word)
{
    struct arena *arena = &task->answer->table.arena;
    if (count_words(task->request) > 1) {
        return error_set(task->err, ERROR_MISSING,
                         "there is no such %s; list all with: stint %s list", task->kind->one,
                         task->kind->name);
    }
    struct str *names = arena_alloc(arena, (rows->count + 1) * sizeof(*names));
    for (size_t i = 0; i < rows->count; i++) {
        names[i] = rows->rows[i].cells[word_column(task->kind, 0)];
    }
    return kind_unknown(
        task->kind->one, word, names, rows->count,
        arena_printf(arena, "see them all with: stint %s list", task->kind->name), task->err);
}

/*
 * A number that is somebody else's does not count. One that nobody has is refused where it is
 * changed.
 */
static int check_number(const struct task *task, int64_t id)
{
    struct books_rows rows;
    bool all = true, kept = false;
    int failed = books_list(task->books, task->kind, &rows, task->err);
    const size_t count = failed ? 0 : rows.count;
    if (!failed) {
        owned_rows_keep(task->service->caller, &rows, true);
        all = rows.count == count;
    }
    for (size_t i = 0; !failed && i < rows.count; i++) {
        kept = kept || rows.rows[i].id == id;
    }
    books_rows_release(&rows);
    return failed || all || kept
               ? failed
               : error_set(task->err, ERROR_MISSING,
                           "there is no such %s; see what there is: stint %s list",
                           task->kind->one, task->kind->name);
}

/* The one row that the words mean. */
static int find_item(const struct task *task, int64_t *id)
{
    struct books_rows rows;
    struct str word = {0};
    size_t found = 0;
    (void)request_each(task->request, "word", 0, &word);
    if (!told_by_one_word(task->kind) && count_words(task->request) == 1 &&
        scan_int(word, id) && *id > 0) {
        return check_number(task, *id);
    }
    if (count_key_words(task->kind) == 0 ||
        count_words(task->request) < count_key_words(task->kind)) {
        return refuse_vague(task);
    }
    int failed = books_list(task->books, task->kind, &rows, task->err);
    owned_rows_keep(task->service->caller, &rows, true);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        if (is_meant(task, &rows.rows[i])) {
            *id = rows.rows[i].id;
            found++;
        }
    }
    if (!failed && found != 1) {
        failed = found ? refuse_several(task, &rows) : refuse_none(task, &rows, word);
    }
    books_rows_release(&rows);
    return failed;
}

/* --- changes ------------------------------------------------------------------------------ */

/* Shows the row with that number. */
static int show_item(const struct task *task, int64_t id)
{
    struct books_rows rows;
    int failed = books_list(task->books, task->kind, &rows, task->err);
    bool *chosen = arena_alloc(&task->answer->table.arena, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++) {
        chosen[i] = rows.rows[i].id == id;
    }
    if (!failed) {
        show_rows(task, &rows, chosen, false);
    }
    books_rows_release(&rows);
    return failed;
}

static int do_add(struct task *task)
{
    struct str cells[KIND_COLUMNS_MAX] = {0};
    int64_t id = 0;
    int failed;
    take_options(task, cells);
    (void)((failed = take_words(task, cells)) ||
           (failed =
                owned_rows_take(task->service->caller, task->kind, true, cells, task->err)) ||
           (failed = books_begin(task->books, task->err)) ||
           (failed = books_add(task->books, task->kind, cells, &id, task->err)) ||
           (failed = books_commit(task->books, task->err)) || (failed = show_item(task, id)));
    if (!failed) {
        unknown_names_note(task->service, task->books, task->kind, task->answer);
    }
    return failed;
}

static int do_set(struct task *task)
{
    struct str cells[KIND_COLUMNS_MAX] = {0};
    bool any = false;
    int64_t id = 0;
    int failed;
    take_options(task, cells);
    for (size_t i = 0; i < task->kind->column_count; i++) {
        any = any || cells[i].ptr;
    }
    if (!any) {
        return error_set(task->err, ERROR_USAGE,
                         "set needs an option with a new value; see: stint help %s",
                         task->kind->name);
    }
    (void)((failed =
                owned_rows_take(task->service->caller, task->kind, false, cells, task->err)) ||
           (failed = books_begin(task->books, task->err)) || (failed = find_item(task, &id)) ||
           (failed = books_set(task->books, task->kind, id, cells, task->err)) ||
           (failed = books_commit(task->books, task->err)) || (failed = show_item(task, id)));
    if (!failed) {
        unknown_names_note(task->service, task->books, task->kind, task->answer);
    }
    return failed;
}

/* An option that says nothing to an action is a mistake, not to be passed over. */
static int refuse_options(const struct task *task)
{
    for (size_t i = 0; i < task->kind->column_count; i++) {
        if (request_has(task->request, task->kind->columns[i].id)) {
            return error_set(task->err, ERROR_USAGE, "--%s does not apply to this action",
                             task->kind->columns[i].id);
        }
    }
    return 0;
}

static int do_remove(struct task *task)
{
    int64_t id = 0;
    int failed;
    (void)((failed = refuse_options(task)) || (failed = books_begin(task->books, task->err)) ||
           (failed = find_item(task, &id)) || (failed = show_item(task, id)) ||
           (failed = books_remove(task->books, task->kind, id, task->err)) ||
           (failed = books_commit(task->books, task->err)));
    if (failed) {
        table_release(&task->answer->table); /* it is still there: nothing to show */
    } else {
        answer_note(task->answer, NOTE_RESULT,
                    "removed; its history is kept: stint books history --of %s",
                    task->kind->name);
    }
    return failed;
}

enum { OUTCOMES = BOOKS_SAME + 1 };

static int put_rows(const struct task *task, const struct sheet *sheet,
                    int64_t counts[OUTCOMES])
{
    int failed = 0;
    for (size_t i = 0; !failed && i < sheet->count; i++) {
        enum books_outcome outcome;
        failed = books_put(task->books, task->kind, sheet->rows[i].cells, &outcome, task->err);
        if (failed) {
            return error_prepend(task->err, "%s %zu: ", sheet->place, sheet->rows[i].place);
        }
        counts[outcome]++;
    }
    return failed;
}

static void show_import(const struct task *task, struct str path,
                        const int64_t counts[OUTCOMES])
{
    static const struct heading headings[1 + OUTCOMES] = {
        {"file", "File", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [1 + BOOKS_ADDED] = {"added", "Added", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
        [1 + BOOKS_CHANGED] = {"changed", "Changed", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
        [1 + BOOKS_SAME] = {"unchanged", "Unchanged", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    };

    struct table *table = &task->answer->table;
    table_columns(table, headings, COUNT_OF(headings));
    size_t row = table_row(table);
    table_set_text(table, 0, row, path);
    for (size_t i = 0; i < OUTCOMES; i++) {
        table_set_int(table, i + 1, row, counts[i]);
    }
}

/* All of the file or nothing of it. */
static int do_import(struct task *task)
{
    struct str path = request_text(task->request, "word");
    int64_t counts[OUTCOMES] = {0};
    struct sheet sheet = {0};
    struct buf text;
    int failed = refuse_options(task);
    if (failed) {
        return failed;
    }
    if (count_words(task->request) != 1) {
        return error_set(task->err, ERROR_USAGE, "import needs one FILE; - is standard input");
    }
    buf_init(&text, LIMIT_BOOKS_FILE);
    failed = inputs_read(task->request, "word", 0, &text, task->err);
    if (!failed) {
        (void)((failed = sheet_read(task->kind, buf_str(&text), &sheet, task->err)) ||
               (failed = books_begin(task->books, task->err)) ||
               (failed = put_rows(task, &sheet, counts)) ||
               (failed = books_commit(task->books, task->err)));
        if (failed) {
            error_prepend(task->err, "'%.*s': ", STR_ARG(path));
        }
    }
    if (!failed) {
        show_import(task, path, counts);
    }
    sheet_release(&sheet);
    buf_release(&text);
    return failed;
}

/* --- the way in --------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum books_mode mode;
    int (*run)(struct task *task);
} actions[] = {
    {"add", BOOKS_WRITE, do_add},       {"set", BOOKS_WRITE, do_set},
    {"remove", BOOKS_WRITE, do_remove}, {"list", BOOKS_READ, do_list},
    {"export", BOOKS_READ, do_export},  {"import", BOOKS_WRITE, do_import},
};

int kind_actions_run(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct task task = {.service = service,
                        .request = request,
                        .kind = kind_find(str_of(request->operation->name)),
                        .answer = answer,
                        .err = err};
    struct str action = request_text(request, "action");
    for (size_t i = 0; i < COUNT_OF(actions); i++) {
        if (str_eq(action, str_of(actions[i].name))) {
            int failed = service_books(service, actions[i].mode, &task.books, err);
            return failed ? failed : actions[i].run(&task);
        }
    }
    return error_set(err, ERROR_USAGE, "%s has no action '%.*s'; see: stint help %s",
                     request->operation->name, STR_ARG(action), request->operation->name);
}
