/* SPDX-License-Identifier: MIT */

/*
 * stint bank import and dump: the files of slurm_bank, JSON, CSV and its database. A row is an
 * account with a limit in hours, -1 for unlimited, the day from which it holds, and which
 * notices of it were sent. Also read are what sacctmgr -P prints of the limits of accounts, and
 * a plain sheet of balances.
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

/* Columns of other sheets, behind these. */
enum other_cell { END = COLUMNS, USER, MINUTES, CELLS };

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

/* What other sheets call these: that of balances, and what sacctmgr -P prints. */
static const struct {
    const char *name;
    int cell;
} other_names[] = {{"balance", LIMIT}, {"amount", LIMIT}, {"from", DATE},
                   {"to", END},        {"user", USER},    {"grptresmins", MINUTES}};

enum { HEADINGS_MAX = 32 };

static const char NOTE[] = "slurm_bank ";

struct row {
    struct str cells[CELLS];
    size_t line; /* or number of the element */
};

/* --- in ----------------------------------------------------------------------------------- */

static int refuse_sheet_row(const struct bank *bank, const struct row *row, const char *why)
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

/*
 * Where it ends: the day that the sheet says, or --days after its first one; else it has no
 * end.
 */
static int read_end(const struct bank *bank, const struct row *row, int64_t from, int64_t *out)
{
    const struct civil first = zone_civil(bank->zone, from);
    struct period last;
    int64_t days = 0;
    int failed = request_number(bank->request, "days", 0, &days, bank->err);
    *out = INSTANT_MAX;
    if (!failed && row->cells[END].len > 0) {
        failed = calendar_span(row->cells[END], bank->zone, bank->now, &last, bank->err);
        *out = failed ? 0 : last.to;
    } else if (!failed && days > 0) {
        *out = zone_instant(
            bank->zone, civil_of_days(civil_days(first.year, first.month, first.day) + days));
    }
    return failed;
}

static int make_account(struct bank *bank, const struct row *row, int64_t from, int64_t limit)
{
    struct arena *arena = &bank->answer->table.arena;
    struct ledger_account account = {
        .name = row->cells[ACCOUNT], .opened = from, .closed = INSTANT_MAX};
    struct ledger_allotment allotment = {
        .kind = STR("grant"), .unlimited = limit < 0, .from = from, .to = INSTANT_MAX};
    enum ledger_outcome outcome;
    if (row->cells[ID].ptr) {
        allotment.note = str_of(arena_printf(arena, "%s%.*s", NOTE, STR_ARG(row->cells[ID])));
    }
    int failed = limit < 0 ? 0 : read_end(bank, row, from, &allotment.to);
    failed = failed ? failed : ledger_open(bank->books, &account, bank->err);
    failed = failed ? failed
                    : ledger_draw(bank->books, &account, "account", account.name, bank->err);
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

/* billing=N of GrpTRESMins, else cpu=N, in hours; false: neither is limited. */
static bool read_minutes(struct str text, int64_t *limit)
{
    static const char *const names[] = {"billing", "cpu"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        for (struct str rest = text; rest.len > 0;) {
            struct str value = str_cut(&rest, ',');
            const struct str name = str_cut(&value, '=');
            int64_t minutes = 0;
            if (str_eq(name, str_of(names[i])) && value.ptr && scan_int(value, &minutes) &&
                minutes >= 0 && minutes < INT64_MAX / AMOUNT_ONE) {
                *limit = minutes * AMOUNT_ONE / 60;
                return true;
            }
        }
    }
    return false;
}

/*
 * The day from which on usage counts. There, a changed limit moved the day but kept the usage:
 * --from says how far back it goes. A sheet without days begins today.
 */
static int read_first(const struct bank *bank, const struct row *row, int64_t *out,
                      struct error *why)
{
    const int64_t today = zone_instant(bank->zone, civil_of_days(bank_day(bank, bank->now)));
    struct period day = {today, today};
    int64_t from = 0;
    int failed = row->cells[DATE].len > 0
                     ? calendar_span(row->cells[DATE], bank->zone, bank->now, &day, why)
                     : 0;
    failed = failed ? failed : bank_instant(bank, "from", false, day.from, &from);
    *out = from < day.from ? from : day.from;
    return failed;
}

static int take_row(struct bank *bank, const struct row *row)
{
    int64_t limit = 0, from = 0;
    struct error why = {0};
    if (row->cells[USER].len > 0) {
        return 0; /* of sacctmgr: the limit of one user */
    }
    if (row->cells[ACCOUNT].len == 0) {
        return refuse_sheet_row(bank, row, "it has no name");
    }
    if (ledger_accounts_find(&bank->accounts, row->cells[ACCOUNT])) {
        answer_note(bank->answer, NOTE_RESULT, "'%.*s' is there already and was left as it is",
                    STR_ARG(row->cells[ACCOUNT]));
        return 0;
    }
    if (row->cells[MINUTES].ptr && !read_minutes(row->cells[MINUTES], &limit)) {
        answer_note(bank->answer, NOTE_RESULT, "'%.*s' has no limit there and was passed over",
                    STR_ARG(row->cells[ACCOUNT]));
        return 0;
    }
    if (!row->cells[MINUTES].ptr && amount_parse(row->cells[LIMIT], &limit, &why) != 0) {
        return refuse_sheet_row(bank, row, why.text);
    }
    if (read_first(bank, row, &from, &why) != 0) {
        return why.text[0] ? refuse_sheet_row(bank, row, why.text) : ERROR_USAGE;
    }
    if (limit < 0 && limit != -AMOUNT_ONE) {
        return refuse_sheet_row(bank, row, "a limit is an amount, or -1 for unlimited");
    }
    return make_account(bank, row, from, limit);
}

/* A cell of CSV without quotes inside: names and numbers are all there is. */
static struct str unquoted(struct str cell)
{
    const bool quoted = cell.len >= 2 && cell.ptr[0] == '"' && cell.ptr[cell.len - 1] == '"';
    return quoted ? (struct str){cell.ptr + 1, cell.len - 2} : cell;
}

static int take_line(struct bank *bank, struct str line, char separator, const int *order,
                     struct row *row)
{
    for (size_t c = 0; c < HEADINGS_MAX && line.ptr; c++) {
        const struct str cell = unquoted(str_trim(str_cut(&line, separator)));
        if (order[c] >= 0) {
            row->cells[order[c]] = cell;
        }
    }
    return take_row(bank, row);
}

/* Which cell a heading names; -1: none. */
static int find_cell(struct str name)
{
    for (int k = 0; name.ptr && k < COLUMNS; k++) {
        if (str_eq_nocase(name, str_of(columns[k]))) {
            return k;
        }
    }
    for (size_t k = 0; name.ptr && k < COUNT_OF(other_names); k++) {
        if (str_eq_nocase(name, str_of(other_names[k].name))) {
            return other_names[k].cell;
        }
    }
    return -1;
}

static int take_csv(struct bank *bank, struct str text)
{
    int order[HEADINGS_MAX];
    bool has[CELLS] = {false};
    struct str heading = str_trim(str_cut(&text, '\n'));
    const char separator = heading.len > 0 && memchr(heading.ptr, '|', heading.len) ? '|' : ',';
    for (size_t c = 0; c < HEADINGS_MAX; c++) {
        order[c] =
            heading.ptr ? find_cell(unquoted(str_trim(str_cut(&heading, separator)))) : -1;
        if (order[c] >= 0) {
            has[order[c]] = true;
        }
    }
    if (!has[ACCOUNT] || !(has[LIMIT] || has[MINUTES])) {
        return error_set(
            bank->err, ERROR_INPUT,
            "the first line has no column 'account', or none of su_limit_hrs, "
            "balance and GrpTRESMins: this is not a file of slurm_bank, a sheet of "
            "balances or a list of sacctmgr -P");
    }
    int failed = 0;
    for (size_t line = 2; !failed && text.ptr; line++) {
        const struct str one = str_trim(str_cut(&text, '\n'));
        struct row row = {.line = line};
        failed = one.len ? take_line(bank, one, separator, order, &row) : 0;
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

/* Of its database: the table, whatever its settings call it. */
static int take_foreign(void *context, const struct str *cells, struct error *err)
{
    (void)err; /* the bank's own */
    struct row row = {0};
    int64_t number = 0;
    memcpy(row.cells, cells, COLUMNS * sizeof(row.cells[0]));
    row.line = cells[ID].ptr && scan_int(cells[ID], &number) ? (size_t)number : 0;
    return take_row(context, &row);
}

static int take_file(struct bank *bank, struct str bytes)
{
    const struct str text = str_trim(bytes);
    return foreign_is_database(bytes)
               ? foreign_rows(bytes, columns, COLUMNS, take_foreign, bank, bank->err)
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
           (failed = bank_charge_missing(bank)) ||
           (failed = books_commit(bank->books, bank->err)));
    books_rollback(bank->books);
    buf_release(&text);
    (void)(failed || (failed = bank_read(bank)) || (failed = bank_list_balances(bank)));
    return failed;
}

/* --- out ---------------------------------------------------------------------------------- */

static bool holds(const struct bank *bank, const struct ledger_allotment *allotment)
{
    return allotment->from <= bank->now && bank->now < allotment->to;
}

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

/*
 * What an account may use: there it is one limit from one day on, here all allotments that hold
 * now together.
 */
struct limit {
    bool unlimited;
    int64_t granted, from;
};

static int limit_of(const struct bank *bank, const struct ledger_allotment *allotment,
                    struct limit *out)
{
    int failed = 0;
    *out = (struct limit){allotment->unlimited, allotment->granted, allotment->from};
    for (size_t i = 0; !failed && holds(bank, allotment) && i < bank->allotments.count; i++) {
        const struct ledger_allotment *row = &bank->allotments.rows[i];
        if (row->account != allotment->account || row->id == allotment->id ||
            !holds(bank, row)) {
            continue;
        }
        out->unlimited = out->unlimited || row->unlimited;
        out->from = row->from < out->from ? row->from : out->from;
        failed = amount_add(out->granted, row->granted, &out->granted, bank->err);
    }
    return failed;
}

static int fill_row(const struct bank *bank, const struct ledger_account *account,
                    const struct ledger_allotment *allotment, struct row *out)
{
    struct arena *arena = &bank->answer->table.arena;
    struct limit limit;
    int failed = limit_of(bank, allotment, &limit);
    const struct civil day = zone_civil(bank->zone, limit.from);
    out->cells[ID] = str_of(arena_printf(arena, "%" PRId64, number_of(allotment)));
    out->cells[ACCOUNT] = account->name;
    out->cells[LIMIT] = limit.unlimited ? STR("-1") : amount_print(arena, limit.granted);
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

/* The newest allotment of an account that holds now, else the newest: there it has one. */
static const struct ledger_allotment *newest(const struct bank *bank, int64_t account)
{
    const struct ledger_allotment *found = NULL;
    for (size_t i = 0; i < bank->allotments.count; i++) {
        const struct ledger_allotment *row = &bank->allotments.rows[i];
        const bool newer = row->account == account &&
                           (!found || (holds(bank, row) != holds(bank, found) ? holds(bank, row)
                                       : row->from != found->from ? row->from > found->from
                                                                  : row->id > found->id));
        found = newer ? row : found;
    }
    return found;
}

/* A row for each account that has an allotment, to the writer. */
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
