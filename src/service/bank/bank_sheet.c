/* SPDX-License-Identifier: MIT */

/*
 * stint bank import and dump: the files of slurm_bank, JSON, CSV and its database. A row is an account with a limit in hours, -1 for
 * unlimited, the day from which it holds for 365 days, and which notices of it were sent.
 */

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bank/amount.h"
#include "base/calendar.h"
#include "base/json.h"
#include "base/limit.h"
#include "base/scan.h"
#include "books/foreign.h"
#include "service/bank/bank_change.h"

enum sheet_cell { ID, ACCOUNT, LIMIT, DATE, UPPER, LOWER, MOST, COLUMNS };

static const char *const columns[COLUMNS] = {
    [ID] = "id",
    [ACCOUNT] = "account",
    [LIMIT] = "su_limit_hrs",
    [DATE] = "date",
    [UPPER] = "upper_limit_informed",
    [LOWER] = "lower_limit_informed",
    [MOST] = "max_limit_informed",
};

/* What each of the last three stands for among the notices. */
static const char *const told[COLUMNS] = {[UPPER] = "90 %", [LOWER] = "60 %", [MOST] = "100 %"};

enum { PROPOSAL_DAYS = 365 };

static const char NOTE[] = "slurm_bank ";

struct row {
    struct str cells[COLUMNS];
    size_t line; /* or number of the element */
};

/* --- in ------------------------------------------------------------------------------------------- */

static int refuse(const struct bank *bank, const struct row *row, const char *why)
{
    return error_set(bank->err, ERROR_INPUT, "row %zu, account '%.*s': %s; nothing was changed",
                     row->line, STR_ARG(row->cells[ACCOUNT]), why);
}

static bool is_true(struct str cell)
{
    return str_eq(cell, STR("1")) || str_eq_nocase(cell, STR("true"));
}

static int take_told(struct bank *bank, const struct row *row, int64_t allotment)
{
    int failed = 0;
    for (size_t i = UPPER; !failed && i < COLUMNS; i++) {
        if (is_true(row->cells[i])) {
            failed = ledger_tell(bank->books, allotment, told[i], bank->now, bank->err);
        }
    }
    return failed;
}

static int make_account(struct bank *bank, const struct row *row, struct period day,
                        int64_t limit)
{
    struct arena *arena = &bank->answer->table.arena;
    struct ledger_account account = {
        .name = row->cells[ACCOUNT], .opened = day.from, .closed = INSTANT_MAX};
    const struct civil first = zone_civil(bank->zone, day.from);
    struct ledger_allotment allotment = {
        .kind = STR("grant"),
        .unlimited = limit < 0,
        .from = day.from,
        .to = limit < 0 ? INSTANT_MAX
                        : zone_instant(bank->zone,
                                       (struct civil){first.year, first.month,
                                                      first.day + PROPOSAL_DAYS, 0, 0, 0, 0}),
        .note = str_of(arena_printf(arena, "%s%.*s", NOTE, STR_ARG(row->cells[ID])))};
    enum ledger_outcome outcome;
    int failed;
    (void)((failed = ledger_open(bank->books, &account, bank->err)) ||
           (failed = ledger_draw(bank->books, &account, "account", account.name, bank->err)));
    allotment.account = account.id;
    failed = failed ? failed : ledger_allot(bank->books, &allotment, bank->err);
    if (!failed && limit > 0) {
        failed = ledger_post(bank->books,
                             &(struct ledger_entry){.kind = LEDGER_GRANT,
                                                    .from = LEDGER_GRANTED,
                                                    .to = allotment.pot,
                                                    .amount = limit,
                                                    .at = bank->now,
                                                    .who = str_of(bank->service->caller->name),
                                                    .why = allotment.note},
                             &outcome, bank->err);
    }
    return failed ? failed : take_told(bank, row, allotment.id);
}

static int take_row(struct bank *bank, const struct row *row)
{
    struct period day;
    int64_t limit = 0;
    struct error why = {0};
    if (row->cells[ACCOUNT].len == 0) {
        return refuse(bank, row, "it has no name");
    }
    if (ledger_accounts_find(&bank->accounts, row->cells[ACCOUNT])) {
        answer_note(bank->answer, NOTE_RESULT, "'%.*s' is there already and was left as it is",
                    STR_ARG(row->cells[ACCOUNT]));
        return 0;
    }
    if (amount_parse(row->cells[LIMIT], &limit, &why) != 0 ||
        calendar_span(row->cells[DATE], bank->zone, bank->now, &day, &why) != 0) {
        return refuse(bank, row, why.text);
    }
    const bool unlimited = limit == -AMOUNT_ONE;
    if (limit < 0 && !unlimited) {
        return refuse(bank, row, "a limit is an amount, or -1 for unlimited");
    }
    return make_account(bank, row, day, limit);
}

/* A cell of CSV without quotes inside: names and numbers are all there is. */
static struct str unquoted(struct str cell)
{
    const bool quoted = cell.len >= 2 && cell.ptr[0] == '"' && cell.ptr[cell.len - 1] == '"';
    return quoted ? (struct str){cell.ptr + 1, cell.len - 2} : cell;
}

static int take_line(struct bank *bank, struct str line, const int *order, struct row *row)
{
    for (size_t c = 0; c < COLUMNS && line.ptr; c++) {
        const struct str cell = unquoted(str_trim(str_cut(&line, ',')));
        if (order[c] >= 0) {
            row->cells[order[c]] = cell;
        }
    }
    return take_row(bank, row);
}

static int take_csv(struct bank *bank, struct str text)
{
    int order[COLUMNS];
    struct str heading = str_trim(str_cut(&text, '\n'));
    bool any = false;
    for (size_t c = 0; c < COLUMNS; c++) {
        const struct str name =
            heading.ptr ? unquoted(str_trim(str_cut(&heading, ','))) : (struct str){0};
        order[c] = -1;
        for (int k = 0; k < COLUMNS; k++) {
            order[c] = name.ptr && str_eq(name, str_of(columns[k])) ? k : order[c];
        }
        any = any || order[c] == ACCOUNT;
    }
    if (!any) {
        return error_set(bank->err, ERROR_INPUT,
                         "the first line has no column 'account': this is not a file of "
                         "slurm_bank");
    }
    int failed = 0;
    for (size_t line = 2; !failed && text.ptr; line++) {
        const struct str one = str_trim(str_cut(&text, '\n'));
        struct row row = {.line = line};
        failed = one.len ? take_line(bank, one, order, &row) : 0;
    }
    return failed;
}

/* A value of JSON as the text that CSV would have. */
static struct str text_of(struct arena *arena, const json_t *value)
{
    return json_is_string(value) ? arena_copy(arena, (struct str){json_string_value(value),
                                                                  json_string_length(value)})
           : json_is_integer(value)
               ? str_of(arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value)))
           : json_is_real(value)  ? str_of(arena_printf(arena, "%.15g", json_real_value(value)))
           : json_is_true(value)  ? STR("true")
           : json_is_false(value) ? STR("false")
                                  : (struct str){0};
}

static int take_json(struct bank *bank, struct str text)
{
    struct arena *arena = &bank->answer->table.arena;
    json_error_t where;
    json_t *document = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, &where);
    const json_t *results = json_object_get(document, "results");
    int failed = json_is_array(results)
                     ? 0
                     : error_set(bank->err, ERROR_INPUT, "%s%s",
                                 document ? "it has no array 'results': this is not a file of "
                                            "slurm_bank"
                                          : "it is not JSON: ",
                                 document ? "" : where.text);
    for (size_t i = 0; !failed && i < json_array_size(results); i++) {
        struct row row = {.line = i + 1};
        for (size_t c = 0; c < COLUMNS; c++) {
            row.cells[c] =
                text_of(arena, json_object_get(json_array_get(results, i), columns[c]));
        }
        failed = take_row(bank, &row);
    }
    json_decref(document);
    return failed;
}

/* Of its database: the table that its settings name by default. */
static int take_foreign(void *context, const struct str *cells, struct error *err)
{
    (void)err; /* the bank's own */
    struct row row = {0};
    int64_t number = 0;
    memcpy(row.cells, cells, sizeof(row.cells));
    row.line = cells[ID].ptr && scan_int(cells[ID], &number) ? (size_t)number : 0;
    return take_row(context, &row);
}

static int take_file(struct bank *bank, struct str bytes)
{
    const struct str text = str_trim(bytes);
    return foreign_is_database(bytes)
               ? foreign_rows(bytes, "sbank", columns, COLUMNS, take_foreign, bank, bank->err)
           : text.len && text.ptr[0] == '{' ? take_json(bank, text)
                                            : take_csv(bank, text);
}

int bank_do_import(struct bank *bank)
{
    struct buf text;
    struct str name;
    int failed = bank_word(bank, 0, "the file", &name);
    if (failed) {
        return failed;
    }
    buf_init(&text, LIMIT_BOOKS_FILE);
    failed = inputs_read(bank->request, "word", 0, &text, bank->err);
    (void)(failed || (failed = books_begin(bank->books, bank->err)) ||
           (failed = bank_read(bank)) || (failed = take_file(bank, buf_str(&text))) ||
           (failed = books_commit(bank->books, bank->err)));
    books_rollback(bank->books);
    buf_release(&text);
    (void)(failed || (failed = bank_charge_missing(bank)) || (failed = bank_read(bank)) ||
           (failed = bank_list_balances(bank)));
    return failed;
}

/* --- out ------------------------------------------------------------------------------------------ */

/* The number that a row had there, else that of the account here. */
static int64_t number_of(const struct ledger_allotment *allotment)
{
    const struct str note = allotment->note, mark = str_of(NOTE);
    int64_t id;
    return note.ptr && str_starts(note, mark) &&
                   scan_int((struct str){note.ptr + mark.len, note.len - mark.len}, &id)
               ? id
               : allotment->account;
}

static int fill_row(const struct bank *bank, const struct ledger_account *account,
                    const struct ledger_allotment *allotment, struct row *out)
{
    struct arena *arena = &bank->answer->table.arena;
    const struct civil day = zone_civil(bank->zone, allotment->from);
    int failed = 0;
    out->cells[ID] = str_of(arena_printf(arena, "%" PRId64, number_of(allotment)));
    out->cells[ACCOUNT] = account->name;
    out->cells[LIMIT] =
        allotment->unlimited ? STR("-1") : amount_print(arena, allotment->granted);
    out->cells[DATE] =
        str_of(arena_printf(arena, "%04d-%02d-%02d", day.year, day.month, day.day));
    for (size_t i = UPPER; !failed && i < COLUMNS; i++) {
        bool is_told = false;
        failed = ledger_notice_sent(bank->books, allotment->id, told[i], &is_told, bank->err);
        out->cells[i] = is_told ? STR("True") : STR("False");
    }
    return failed;
}

static void put_json(struct json *json, const struct row *row)
{
    json_begin_object(json);
    for (size_t i = 0; i < COLUMNS; i++) {
        json_put_key(json, columns[i]);
        if (i == ACCOUNT || i == DATE) {
            json_put_text(json, row->cells[i]);
        } else if (i == ID || i == LIMIT) {
            json_put_number(json, row->cells[i]);
        } else {
            json_put_bool(json, is_true(row->cells[i]));
        }
    }
    json_end_level(json);
}

static void put_csv(struct buf *out, const struct str *cells)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        buf_addf(out, "%s%.*s", i ? "," : "", STR_ARG(cells[i]));
    }
    buf_addc(out, '\n');
}

/* The newest allotment of an account: there it has one. */
static const struct ledger_allotment *newest(const struct bank *bank, int64_t account)
{
    const struct ledger_allotment *found = NULL;
    for (size_t i = 0; i < bank->allotments.count; i++) {
        const struct ledger_allotment *row = &bank->allotments.rows[i];
        if (row->account == account && (!found || row->from > found->from)) {
            found = row;
        }
    }
    return found;
}

/* A row for each account that has an allotment, to whoever writes it. */
static int each_row(const struct bank *bank, void (*put)(void *context, const struct row *row),
                    void *context)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < bank->accounts.count; i++) {
        const struct ledger_account *account = &bank->accounts.rows[i];
        const struct ledger_allotment *allotment = newest(bank, account->id);
        struct row row = {0};
        failed = allotment ? fill_row(bank, account, allotment, &row) : 0;
        if (!failed && allotment) {
            put(context, &row);
        }
    }
    return failed;
}

static void write_json_row(void *context, const struct row *row)
{
    put_json(context, row);
}

static void write_csv_row(void *context, const struct row *row)
{
    put_csv(context, row->cells);
}

static int dump_json(const struct bank *bank, struct buf *out)
{
    struct json json = {.out = out};
    int64_t count = 0;
    for (size_t i = 0; i < bank->accounts.count; i++) {
        count += newest(bank, bank->accounts.rows[i].id) != NULL;
    }
    json_begin_object(&json);
    json_put_key(&json, "count");
    json_put_int(&json, count);
    json_put_key(&json, "results");
    json_begin_array(&json);
    const int failed = each_row(bank, write_json_row, &json);
    json_end_level(&json);
    json_put_key(&json, "meta");
    json_begin_object(&json);
    json_end_level(&json);
    json_end_level(&json);
    buf_addc(out, '\n');
    return failed;
}

static int dump_csv(const struct bank *bank, struct buf *out)
{
    struct str names[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        names[i] = str_of(columns[i]);
    }
    put_csv(out, names);
    return each_row(bank, write_csv_row, out);
}

int bank_show_dump(struct bank *bank)
{
    struct buf *out = &bank->answer->document;
    buf_init(out, LIMIT_BOOKS_FILE);
    return request_flag(bank->request, "csv") ? dump_csv(bank, out) : dump_json(bank, out);
}
