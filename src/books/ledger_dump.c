/* SPDX-License-Identifier: MIT */
#include "books/ledger_dump.h"

#include "base/json.h"
#include "base/limit.h"
#include "books/books_internal.h"
#include "books/packed.h"
#include "books/statements.h"

static const char CANNOT_READ[] = "cannot read the bank";
static const char CANNOT_RESTORE[] = "cannot restore the bank";

/* Columns: '#' is a whole number, '%' packed lines, '&' packed cells, anything else text. */
struct ledger_table {
    const char *name, *columns,
        *rows; /* rows: what follows the name of the table in a question */
    int since; /* schema of the books that has it; 0: all have */
    /* It is in the dump of books without a bank too, and what is there stays in a restore. */
    bool stays;
};

static const struct ledger_table tables[] = {
    {"bank_account", "#id name #opened #closed overdraft #overdraft_micro note", "ORDER BY id",
     0, false},
    {"bank_parent", "#id #account #parent", "ORDER BY id", 33, false},
    {"bank_draw", "#id kind name #account cluster #from #to", "ORDER BY id", 0, false},
    {"bank_event", "#id #at who what #account after", "ORDER BY id", 19, false},
    {"bank_event_why", "#event why", "ORDER BY event", 26, false},
    {"bank_closing", "#id #account #until #day #entry #round #at who why", "ORDER BY id", 26,
     false},
    {"bank_late", "#round #account #cluster #user #day #amount #first #last",
     "ORDER BY account, round, cluster, user", 26, false},
    {"secret_event", "#id #at who what kind name", "ORDER BY id", 26, false},
    {"bank_allotment",
     "#id #account kind #unlimited #from #to clusters #carry note #then #after", "ORDER BY id",
     0, false},
    {"bank_stays", "#allotment", "ORDER BY allotment", 28, false},
    {"bank_pot", "#id kind #account #allotment #limited", "WHERE id > 3 ORDER BY id", 0, false},
    {"bank_entry", "#id key kind #from #to #amount #at who why run #round", "ORDER BY id", 0,
     false},
    {"bank_request", "#id account #amount #from #to #renews #at who why", "ORDER BY id", 29,
     false},
    {"bank_decision", "#id #request what #amount #entry #at who why", "ORDER BY id", 29, false},
    {"bank_lien", "#id run #n #account #amount #at #until user", "ORDER BY id", 0, false},
    {"bank_lien_end", "#lien how #amount #at", "ORDER BY lien", 0, false},
    {"bank_name", "#id name", "ORDER BY id", 0, false},
    {"bank_pin", "#id #rate #epoch", "ORDER BY id", 18, false},
    {"bank_round", "#id #at who why #history", "ORDER BY id", 18, false},
    {"bank_round_lines", "#round #rows digest", "ORDER BY round", 19, false},
    {"bank_link", "#id #at who upto head", "ORDER BY id", 19, false},
    {"bank_lines", "#id #round #count %lines", "ORDER BY id", 0, false},
    {"bank_used", "#account #stretch #amount &cells", "ORDER BY account, stretch", 0, false},
    {"bank_notice_sent", "#allotment what #at", "ORDER BY allotment, what", 0, false},
    {"bank_message", "to #allotment what #at", "ORDER BY 1, 2, 3", 0, false},
    {"bank_invoice", "#id #account basis #from #to unit #at who #replaces note", "ORDER BY id",
     0, false},
    {"bank_invoice_line", "#invoice #n what cluster user #su #cost", "ORDER BY invoice, n", 0,
     false},
    {"bank_invoice_rate", "#invoice #n name text", "ORDER BY invoice, n", 0, false},
    {"bank_invoice_term", "#invoice name text", "ORDER BY invoice, name", 24, false},
    {"bank_state", "key value", "WHERE key NOT IN ('seq', 'seq_digest') ORDER BY key", 0,
     false},
    {"reported", "rule user what #at", "ORDER BY rule, user, what", 16, true},
};

size_t ledger_dump_count(void)
{
    return COUNT_OF(tables);
}

const char *ledger_dump_table(size_t index)
{
    return tables[index].name;
}

int ledger_dump_since(size_t index)
{
    return tables[index].since;
}

bool ledger_dump_stays(size_t index)
{
    return tables[index].stays;
}

enum { NUMBER = '#', LINES = '%', CELLS = '&', TEXT = 0 };

struct table_column {
    char kind;
    struct str name;
};

/* Takes the next column off a list of them; false at its end. */
static bool next_column(struct str *rest, struct table_column *out)
{
    if (!rest->ptr || rest->len == 0) {
        return false;
    }
    out->name = str_cut(rest, ' ');
    out->kind = TEXT;
    for (const char *mark = "#%&"; *mark; mark++) {
        if (str_take(&out->name, *mark)) {
            out->kind = *mark;
        }
    }
    return true;
}

/* --- out ---------------------------------------------------------------------------------- */

static void put_lines(struct json *json, struct str packed, bool *bad)
{
    struct packed_place place = {0};
    struct packed_line line;
    json_begin_array(json);
    while (packed_take_line(&place, &packed, &line, bad)) {
        const int64_t numbers[] = {line.n,    line.account, line.cluster, line.user,
                                   line.rate, line.start,   line.end,     line.amount};
        json_begin_array(json);
        json_put_text(json, line.run);
        for (size_t i = 0; i < COUNT_OF(numbers); i++) {
            json_put_int(json, numbers[i]);
        }
        json_end_level(json);
    }
    json_end_level(json);
    packed_place_release(&place);
}

static void put_cells(struct json *json, struct str packed, bool *bad)
{
    struct packed_place place = {0};
    struct packed_cell cell;
    json_begin_array(json);
    while (packed_take_cell(&place, &packed, &cell, bad)) {
        json_begin_array(json);
        json_put_int(json, cell.day);
        json_put_int(json, cell.cluster);
        json_put_int(json, cell.user);
        json_put_int(json, cell.amount);
        json_end_level(json);
    }
    json_end_level(json);
}

static void put_value(struct json *json, struct query *q, int at, char kind, bool *bad)
{
    switch (kind) {
    case NUMBER:
        json_put_int(json, query_int_at(q, at));
        break;
    case LINES:
        put_lines(json, query_blob_at(q, at), bad);
        break;
    case CELLS:
        put_cells(json, query_blob_at(q, at), bad);
        break;
    default:
        json_put_text(json, query_view_at(q, at));
        break;
    }
}

static int put_row(const struct ledger_table *table, struct query *q, struct buf *out,
                   struct error *err)
{
    struct json json = {.out = out};
    struct str rest = str_of(table->columns);
    struct table_column column;
    char key[32];
    bool bad = false;
    buf_clear(out);
    json_begin_object(&json);
    for (int at = 0; next_column(&rest, &column); at++) {
        if (query_has_at(q, at)) {
            snprintf(key, sizeof(key), "%.*s", STR_ARG(column.name));
            json_put_key(&json, key);
            put_value(&json, q, at, column.kind, &bad);
        }
    }
    json_end_level(&json);
    return bad || out->overflow ? error_set(err, ERROR_STORE, "a row of %s is damaged%s",
                                            table->name, bad ? "" : ", or too large for a dump")
                                : 0;
}

/* "SELECT "id", "name" FROM bank_account ORDER BY id" */
static void add_select(struct buf *sql, const struct ledger_table *table)
{
    struct str rest = str_of(table->columns);
    struct table_column column;
    buf_addz(sql, "SELECT");
    for (const char *comma = ""; next_column(&rest, &column); comma = ",") {
        buf_addf(sql, "%s \"%.*s\"", comma, STR_ARG(column.name));
    }
    buf_addf(sql, " FROM %s %s", table->name, table->rows);
}

int ledger_dump_rows(struct books *books, size_t index, void *context,
                     int (*row)(void *context, const struct buf *object, struct error *err),
                     struct error *err)
{
    struct buf sql, object;
    struct error other = {0};
    int failed = 0;
    buf_init(&sql, LIMIT_SQL);
    buf_init(&object, LIMIT_BOOKS_FILE);
    add_select(&sql, &tables[index]);
    struct query q = query_begin(books, sql.ptr);
    while (!failed && query_row(&q)) {
        (void)((failed = put_row(&tables[index], &q, &object, err)) ||
               (failed = row(context, &object, err)));
    }
    const int second = query_finish(&q, CANNOT_READ, failed ? &other : err);
    buf_release(&sql);
    buf_release(&object);
    return failed ? failed : second;
}

int ledger_dump_is_empty(struct books *books, bool *empty, struct error *err)
{
    struct query q = query_begin(books, "SELECT 1 FROM bank_account LIMIT 1");
    *empty = !query_row(&q);
    return query_finish(&q, CANNOT_READ, err);
}

/* --- in ----------------------------------------------------------------------------------- */

int ledger_dump_clear(struct books *books, struct error *err)
{
    int failed = 0;
    for (size_t i = COUNT_OF(tables); !failed && i-- > 0;) {
        char sql[128];
        const bool pots = str_eq(str_of(tables[i].name), STR("bank_pot"));
        snprintf(sql, sizeof(sql), "DELETE FROM %s%s", tables[i].name,
                 pots ? " WHERE id > 3" : "");
        failed = tables[i].stays ? 0 : books_run(books, sql, CANNOT_RESTORE, err);
    }
    (void)(failed || (failed = books_run(books, SQL_LEDGER_EMPTY_POTS, CANNOT_RESTORE, err)) ||
           (failed = books_run(books, SQL_LEDGER_NUMBERS_ANEW, CANNOT_RESTORE, err)));
    return failed;
}

int ledger_dump_end(struct books *books, struct error *err)
{
    int failed = books_run(books, SQL_LEDGER_ROUNDS_OF_BEFORE, CANNOT_RESTORE, err);
    failed = failed ? failed : books_run(books, SQL_LEDGER_PINS_OF_BEFORE, CANNOT_RESTORE, err);
    failed =
        failed ? failed : books_run(books, SQL_LEDGER_EVENTS_OF_BEFORE, CANNOT_RESTORE, err);
    failed =
        failed ? failed : books_run(books, SQL_LEDGER_DRAWS_OF_BEFORE, CANNOT_RESTORE, err);
    return failed ? failed : books_run(books, SQL_LEDGER_READ_ANEW, CANNOT_RESTORE, err);
}

static bool read_numbers(const json_t *array, size_t first, int64_t *const *out, size_t count)
{
    bool good = json_array_size(array) == first + count;
    for (size_t i = 0; good && i < count; i++) {
        const json_t *value = json_array_get(array, first + i);
        good = json_is_integer(value);
        *out[i] = json_integer_value(value);
    }
    return good;
}

static bool pack_lines(const json_t *list, struct buf *out)
{
    struct packed_place place = {0};
    bool good = json_is_array(list);
    for (size_t i = 0; good && i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i), *run = json_array_get(row, 0);
        struct packed_line line = {.run = {json_string_value(run), json_string_length(run)}};
        int64_t *const numbers[] = {&line.n,    &line.account, &line.cluster, &line.user,
                                    &line.rate, &line.start,   &line.end,     &line.amount};
        good = line.run.ptr && line.run.len < LIMIT_RUN_ID && line.n >= 0 &&
               read_numbers(row, 1, numbers, COUNT_OF(numbers)) && line.n >= 0 &&
               line.n <= INT64_MAX / 4;
        if (good) {
            packed_put_line(&place, &line, out);
        }
    }
    packed_place_release(&place);
    return good && !out->overflow;
}

static bool pack_cells(const json_t *list, struct buf *out)
{
    struct packed_place place = {0};
    bool good = json_is_array(list);
    for (size_t i = 0; good && i < json_array_size(list); i++) {
        struct packed_cell cell;
        int64_t *const numbers[] = {&cell.day, &cell.cluster, &cell.user, &cell.amount};
        good = read_numbers(json_array_get(list, i), 0, numbers, COUNT_OF(numbers));
        if (good) {
            packed_put_cell(&place, &cell, out);
        }
    }
    return good && !out->overflow;
}

/* Binds a value of the kind that its column has; `bytes` lasts until the statement has run. */
static bool bind(struct query *q, const json_t *value, char kind, struct buf *bytes)
{
    if (!value || json_is_null(value)) {
        query_null(q);
        return true;
    }
    if (kind == NUMBER) {
        query_int(q, json_integer_value(value));
        return json_is_integer(value);
    }
    if (kind == TEXT) {
        query_text(q, (struct str){json_string_value(value), json_string_length(value)});
        return json_is_string(value);
    }
    const bool good = kind == LINES ? pack_lines(value, bytes) : pack_cells(value, bytes);
    query_blob(q, buf_str(bytes));
    return good;
}

static void add_insert(struct buf *sql, const struct ledger_table *table)
{
    struct str rest = str_of(table->columns);
    struct table_column column;
    size_t count = 0;
    buf_addf(sql, "INSERT %sINTO %s (", table->stays ? "OR IGNORE " : "", table->name);
    for (; next_column(&rest, &column); count++) {
        buf_addf(sql, "%s\"%.*s\"", count ? ", " : "", STR_ARG(column.name));
    }
    buf_addz(sql, ") VALUES (?");
    while (--count > 0) {
        buf_addz(sql, ", ?");
    }
    buf_addc(sql, ')');
}

int ledger_dump_put(struct books *books, size_t index, const json_t *object, struct error *err)
{
    const struct ledger_table *table = &tables[index];
    struct str rest = str_of(table->columns);
    struct table_column column;
    struct buf sql, bytes;
    char key[32];
    size_t used = 0;
    int failed = 0;
    buf_init(&sql, LIMIT_SQL);
    buf_init(&bytes, LIMIT_BOOKS_FILE);
    add_insert(&sql, table);
    struct query q = query_begin(books, sql.ptr);
    while (!failed && next_column(&rest, &column)) {
        snprintf(key, sizeof(key), "%.*s", STR_ARG(column.name));
        const json_t *value = json_object_get(object, key);
        used += value != NULL;
        failed = bind(&q, value, column.kind, &bytes)
                     ? 0
                     : error_set(err, ERROR_INPUT, "'%s' is not what it has to be", key);
    }
    if (!failed && used != json_object_size(object)) {
        failed = error_set(err, ERROR_INPUT, "it has a column too many");
    }
    if (!failed) {
        query_run(&q);
    }
    struct error other = {0};
    const int second = query_finish(&q, CANNOT_RESTORE, failed ? &other : err);
    buf_release(&sql);
    buf_release(&bytes);
    return failed ? failed : second;
}
