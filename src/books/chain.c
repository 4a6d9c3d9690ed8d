/* SPDX-License-Identifier: MIT */
#include "books/chain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "books/books_internal.h"
#include "books/statements.h"

static const char CANNOT_READ[] = "cannot read the chain of the ledger";
static const char CANNOT_WRITE[] = "cannot extend the chain of the ledger";

/*
 * What is chained: tables that are only added to, by a number that ascends. The order is part
 * of every digest.
 */
static const struct chained {
    const char *table, *number, *columns;
    int64_t made; /* rows up to here are made with the table */
} chained[] = {
    {"history", "id", "id, \"at\", who, operation, kind, item, before, after", 0},
    {"bank_event", "id", "id, \"at\", who, what, account, after", 0},
    {"bank_allotment", "id",
     "id, account, kind, unlimited, \"from\", \"to\", clusters, carry, note, \"then\", "
     "\"after\"",
     0},
    {"bank_pot", "id", "id, kind, account, allotment, limited", 3},
    {"bank_name", "id", "id, name", 0},
    {"bank_pin", "id", "id, rate, epoch", 0},
    {"bank_round", "id", "id, \"at\", who, why, history", 0},
    {"bank_round_lines", "round", "round, rows, digest", 0},
    {"bank_entry", "id",
     "id, key, kind, \"from\", \"to\", amount, \"at\", who, why, run, round", 0},
    {"bank_invoice", "id",
     "id, account, basis, \"from\", \"to\", unit, \"at\", who, replaces, note", 0},
    {"bank_invoice_line", "invoice", "invoice, n, what, cluster, user, su, cost", 0},
    {"bank_invoice_rate", "invoice", "invoice, n, name, text", 0},
    {"bank_invoice_term", "invoice", "invoice, name, text", 0},
    /* Further tables come last: links of before have no numbers of theirs. */
    {"bank_closing", "id", "id, account, \"until\", day, entry, round, \"at\", who, why", 0},
    {"bank_event_why", "event", "event, why", 0},
    {"secret_event", "id", "id, \"at\", who, what, kind, name", 0},
    {"bank_stays", "allotment", "allotment", 0},
    {"bank_request", "id", "id, account, amount, \"from\", \"to\", renews, \"at\", who, why",
     0},
    {"bank_decision", "id", "id, request, what, amount, entry, \"at\", who, why", 0},
    {"bank_parent", "id", "id, account, parent", 0},
};

enum { CHAINED = sizeof(chained) / sizeof(chained[0]) };

/* Up to which number each table was chained. */
struct upto {
    int64_t numbers[CHAINED];
};

static struct upto first_upto(void)
{
    struct upto out;
    for (size_t i = 0; i < CHAINED; i++) {
        out.numbers[i] = chained[i].made;
    }
    return out;
}

static struct upto read_upto(struct str text)
{
    struct upto out = {0};
    for (size_t i = 0; i < CHAINED && text.ptr; i++) {
        (void)scan_int(str_cut(&text, ','), &out.numbers[i]);
    }
    return out;
}

static void print_upto(const struct upto *upto, struct buf *out)
{
    for (size_t i = 0; i < CHAINED; i++) {
        buf_addf(out, "%s%" PRId64, i ? "," : "", upto->numbers[i]);
    }
}

/* --- digests ------------------------------------------------------------------------------ */

/* Texts with their length before them, so that no two lists of columns look alike. */
static void add_text(struct sha256 *sha, struct str text)
{
    char length[32];
    snprintf(length, sizeof(length), "%zu:", text.len);
    sha256_add(sha, str_of(length));
    sha256_add(sha, text);
}

static void add_number(struct sha256 *sha, int64_t number)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRId64 ";", number);
    sha256_add(sha, str_of(text));
}

static void hash_row(struct sha256 *sha, struct query *q, size_t table)
{
    const int columns = sqlite3_column_count(q->statement);
    add_number(sha, (int64_t)table);
    for (int i = 0; i < columns; i++) {
        if (query_has_at(q, i)) {
            add_text(sha, query_view_at(q, i));
        } else {
            sha256_add(sha, STR("-"));
        }
    }
}

/* What comes before the rows of a link. */
static void begin_link(struct sha256 *sha, struct str before, int64_t number, int64_t at,
                       struct str who, struct str upto)
{
    sha256_begin(sha);
    add_text(sha, before);
    add_number(sha, number);
    add_number(sha, at);
    add_text(sha, who);
    add_text(sha, upto);
}

static void select_rows(size_t table, char sql[512])
{
    const struct chained *one = &chained[table];
    snprintf(sql, 512, "SELECT %s, %s FROM %s WHERE %s > ? AND %s <= ? ORDER BY 1, 2",
             one->number, one->columns, one->table, one->number, one->number);
}

/* --- what became of accounts -------------------------------------------------------------- */

static struct str who_is(const struct books *books)
{
    return str_of(books->world && books->world->who ? books->world->who : "nobody");
}

static int note_why(struct books *books, struct str why, struct error *err)
{
    if (!why.ptr) {
        return 0;
    }
    struct query q = query_begin(books, SQL_CHAIN_EVENT_WHY);
    query_text(&q, why);
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

int chain_note_account(struct books *books, const char *what, int64_t account, struct str why,
                       struct error *err)
{
    struct query q = query_begin(books, SQL_CHAIN_EVENT_ACCOUNT);
    query_int(&q, books->world->kind.now);
    query_text(&q, who_is(books));
    query_text(&q, str_of(what));
    query_int(&q, account);
    query_run(&q);
    const int failed = query_finish(&q, CANNOT_WRITE, err);
    return failed ? failed : note_why(books, why, err);
}

int chain_note_draw(struct books *books, int64_t draw, struct error *err)
{
    struct query q = query_begin(books, SQL_CHAIN_EVENT_DRAW);
    query_int(&q, books->world->kind.now);
    query_text(&q, who_is(books));
    query_int(&q, draw);
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

int chain_note_secret(struct books *books, const char *what, const char *kind, struct str name,
                      struct error *err)
{
    struct query q = query_begin(books, SQL_CHAIN_EVENT_SECRET);
    query_int(&q, books->world ? books->world->kind.now : 0);
    query_text(&q, who_is(books));
    query_text(&q, str_of(what));
    query_text(&q, str_of(kind));
    query_text(&q, name);
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

/* --- links -------------------------------------------------------------------------------- */

static int read_link(struct query *q, struct chain_link *out, struct upto *upto,
                     struct error *err)
{
    *out = (struct chain_link){0};
    if (query_row(q)) {
        out->number = query_int_at(q, 0);
        out->at = query_int_at(q, 1);
        snprintf(out->head, sizeof(out->head), "%.*s", STR_ARG(query_view_at(q, 2)));
        if (upto) {
            *upto = read_upto(query_view_at(q, 3));
        }
    }
    return query_finish(q, CANNOT_READ, err);
}

int chain_last(struct books *books, struct chain_link *out, struct error *err)
{
    struct query q = query_begin(books, SQL_CHAIN_LAST);
    return read_link(&q, out, NULL, err);
}

int chain_find(struct books *books, struct str head, struct chain_link *out, struct error *err)
{
    struct query q = query_begin(books, SQL_CHAIN_FIND);
    query_text(&q, head);
    return read_link(&q, out, NULL, err);
}

/* The largest number of each table; *is_new: some are larger than before. */
static int read_numbers(struct books *books, const struct upto *before, struct upto *out,
                        bool *is_new, struct error *err)
{
    int failed = 0;
    *is_new = false;
    for (size_t i = 0; !failed && i < CHAINED; i++) {
        char sql[128];
        snprintf(sql, sizeof(sql), "SELECT coalesce(max(%s), 0) FROM %s", chained[i].number,
                 chained[i].table);
        struct query q = query_begin(books, sql);
        out->numbers[i] = query_row(&q) ? query_int_at(&q, 0) : 0;
        *is_new = *is_new || out->numbers[i] > before->numbers[i];
        failed = query_finish(&q, CANNOT_READ, err);
    }
    return failed;
}

static int add_rows(struct books *books, size_t table, int64_t after, int64_t upto,
                    struct sha256 *sha, struct error *err)
{
    char sql[512];
    if (upto <= after) {
        return 0;
    }
    select_rows(table, sql);
    struct query q = query_begin(books, sql);
    query_int(&q, after);
    query_int(&q, upto);
    while (query_row(&q)) {
        hash_row(sha, &q, table);
    }
    return query_finish(&q, CANNOT_READ, err);
}

static int write_link(struct books *books, const struct chain_link *link, struct str upto,
                      struct str who, struct error *err)
{
    struct query q = query_begin(books, SQL_CHAIN_ADD);
    query_int(&q, link->number);
    query_int(&q, link->at);
    query_text(&q, who);
    query_text(&q, upto);
    query_text(&q, str_of(link->head));
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

/* Rounds of before there was a chain have no digests of their lines yet. */
static int catch_up(struct books *books, struct error *err)
{
    struct chain_lines lines = {0};
    struct query q = query_begin(books, SQL_CHAIN_LINES);
    while (query_row(&q)) {
        chain_lines_add(&lines, query_int_at(&q, 0), query_int_at(&q, 1), query_int_at(&q, 2),
                        query_blob_at(&q, 3));
    }
    int failed = query_finish(&q, CANNOT_READ, err);
    if (!failed && lines.count > 0) {
        chain_lines_sort(&lines);
        failed = chain_lines_write(books, &lines, err);
    }
    chain_lines_release(&lines);
    return failed;
}

int chain_extend(struct books *books, struct error *err)
{
    struct chain_link last, next = {0};
    struct upto before = first_upto(), upto;
    struct sha256 sha;
    bool is_new = false;
    struct query q = query_begin(books, SQL_CHAIN_LAST);
    int failed = read_link(&q, &last, &before, err);
    failed = failed || last.number > 0 ? failed : catch_up(books, err);
    failed = failed ? failed : read_numbers(books, &before, &upto, &is_new, err);
    if (failed || !is_new) {
        return failed;
    }
    const struct str who = who_is(books);
    next.number = last.number + 1;
    next.at = books->world ? books->world->kind.now : 0;
    struct buf text;
    buf_init(&text, LIMIT_SQL);
    print_upto(&upto, &text);
    begin_link(&sha, str_of(last.head), next.number, next.at, who, buf_str(&text));
    for (size_t i = 0; !failed && i < CHAINED; i++) {
        failed = add_rows(books, i, before.numbers[i], upto.numbers[i], &sha, err);
    }
    sha256_end(&sha, next.head);
    failed = failed ? failed : write_link(books, &next, buf_str(&text), who, err);
    buf_release(&text);
    return failed;
}

/* --- lines -------------------------------------------------------------------------------- */

void chain_lines_add(struct chain_lines *lines, int64_t round, int64_t id, int64_t count,
                     struct str packed)
{
    struct sha256 sha;
    lines->rows = mem_grow(lines->rows, lines->count, &lines->room, sizeof(*lines->rows));
    struct chain_row *row = &lines->rows[lines->count++];
    row->round = round;
    row->id = id;
    sha256_begin(&sha);
    add_number(&sha, id);
    add_number(&sha, count);
    add_text(&sha, packed);
    sha256_end(&sha, row->digest);
}

static int compare_rows(const void *a, const void *b)
{
    const struct chain_row *x = a, *y = b;
    return x->round != y->round ? (x->round < y->round ? -1 : 1)
           : x->id != y->id     ? (x->id < y->id ? -1 : 1)
                                : 0;
}

void chain_lines_sort(struct chain_lines *lines)
{
    if (lines->count > 1) {
        qsort(lines->rows, lines->count, sizeof(*lines->rows), compare_rows);
    }
}

void chain_lines_release(struct chain_lines *lines)
{
    free(lines->rows);
    *lines = (struct chain_lines){0};
}

/* The digest of the rows from `first` on that are of one round; *end is where they end. */
static void digest_round(const struct chain_lines *lines, size_t first, size_t *end,
                         char out[SHA256_TEXT + 1])
{
    struct sha256 sha;
    size_t i = first;
    sha256_begin(&sha);
    for (; i < lines->count && lines->rows[i].round == lines->rows[first].round; i++) {
        sha256_add(&sha, str_of(lines->rows[i].digest));
    }
    sha256_end(&sha, out);
    *end = i;
}

int chain_lines_write(struct books *books, const struct chain_lines *lines, struct error *err)
{
    struct query q = query_begin(books, SQL_CHAIN_LINES_ADD);
    for (size_t first = 0, end = 0; first < lines->count; first = end) {
        char digest[SHA256_TEXT + 1];
        digest_round(lines, first, &end, digest);
        query_int(&q, lines->rows[first].round);
        query_int(&q, (int64_t)(end - first));
        query_text(&q, str_of(digest));
        query_run(&q);
        query_again(&q);
    }
    return query_finish(&q, CANNOT_WRITE, err);
}

/* --- checking ----------------------------------------------------------------------------- */

static void add_finding(struct chain_findings *out, const char *text)
{
    out->rows = mem_resize(out->rows, out->count + 1, sizeof(*out->rows));
    out->rows[out->count++] = str_of(text);
}

void chain_findings_release(struct chain_findings *findings)
{
    free(findings->rows);
    arena_release(&findings->arena);
    *findings = (struct chain_findings){0};
}

/* All rows of a table in their order, taken link by link. */
struct stream {
    struct query q;
    bool has; /* a row is at hand */
};

static void open_stream(struct books *books, size_t table, struct stream *out)
{
    char sql[512];
    select_rows(table, sql);
    out->q = query_begin(books, sql);
    query_int(&out->q, chained[table].made);
    query_int(&out->q, INT64_MAX);
    out->has = query_row(&out->q);
}

/* The link's head as its rows give it. */
static void take_link(struct stream *streams, struct sha256 *sha, const struct upto *upto)
{
    for (size_t i = 0; i < CHAINED; i++) {
        while (streams[i].has && query_int_at(&streams[i].q, 0) <= upto->numbers[i]) {
            hash_row(sha, &streams[i].q, i);
            streams[i].has = query_row(&streams[i].q);
        }
    }
}

/*
 * Links one after the other; the first that does not fit is told, and those after it follow
 * from what they say.
 */
static int check_links(struct books *books, struct stream *streams, struct chain_findings *out,
                       struct error *err)
{
    struct arena arena = {0};
    struct str before = STR("");
    int64_t number = 0;
    struct query q = query_begin(books, SQL_CHAIN_ALL);
    while (query_row(&q)) {
        const int64_t id = query_int_at(&q, 0), at = query_int_at(&q, 1);
        const struct upto upto = read_upto(query_view_at(&q, 3));
        struct sha256 sha;
        char head[SHA256_TEXT + 1];
        begin_link(&sha, before, id, at, query_view_at(&q, 4), query_view_at(&q, 3));
        take_link(streams, &sha, &upto);
        sha256_end(&sha, head);
        if (id != number + 1 || !str_eq(str_of(head), query_view_at(&q, 2))) {
            add_finding(out,
                        arena_printf(&out->arena,
                                     "link %" PRId64 " of the chain does not fit: something "
                                     "that was posted then was changed or removed",
                                     number + 1));
        }
        number = id;
        out->links++;
        arena_reset(&arena);
        before = query_text_at(&q, 2, &arena);
    }
    arena_release(&arena);
    return query_finish(&q, CANNOT_READ, err);
}

static int check_chain(struct books *books, struct chain_findings *out, struct error *err)
{
    struct stream streams[CHAINED];
    for (size_t i = 0; i < CHAINED; i++) {
        open_stream(books, i, &streams[i]);
    }
    int failed = check_links(books, streams, out, err);
    for (size_t i = 0; i < CHAINED; i++) {
        struct error other = {0};
        if (streams[i].has && out->links > 0) {
            add_finding(out, arena_printf(&out->arena, "%s has rows that are not in the chain",
                                          chained[i].table));
        }
        const int second = query_finish(&streams[i].q, CANNOT_READ, failed ? &other : err);
        failed = failed ? failed : second;
    }
    return failed;
}

/* The lines of every round, against the digest that was written with it. */
static int check_lines(struct books *books, struct chain_findings *out, struct error *err)
{
    struct chain_lines lines = {0};
    struct query q = query_begin(books, SQL_CHAIN_LINES);
    while (query_row(&q)) {
        chain_lines_add(&lines, query_int_at(&q, 0), query_int_at(&q, 1), query_int_at(&q, 2),
                        query_blob_at(&q, 3));
    }
    int failed = query_finish(&q, CANNOT_READ, err);
    chain_lines_sort(&lines);
    size_t first = 0, end = 0;
    q = query_begin(books, SQL_CHAIN_LINES_OF_ROUNDS);
    while (!failed && query_row(&q)) {
        char digest[SHA256_TEXT + 1] = "";
        const int64_t round = query_int_at(&q, 0);
        if (first < lines.count && lines.rows[first].round == round) {
            digest_round(&lines, first, &end, digest);
            first = end;
        }
        if (!str_eq(str_of(digest), query_view_at(&q, 1))) {
            add_finding(out, arena_printf(&out->arena,
                                          "the charges of round %" PRId64
                                          " are not those that were posted",
                                          round));
        }
    }
    if (!failed && first < lines.count && out->links > 0) {
        add_finding(out, "some charges belong to no round that was posted");
    }
    struct error other = {0};
    const int second = query_finish(&q, CANNOT_READ, failed ? &other : err);
    chain_lines_release(&lines);
    return failed ? failed : second;
}

/* --- guards ------------------------------------------------------------------------------- */

/* Triggers and views: name and text, one line each. */
static int list_guards(struct books *books, struct arena *arena, struct str *out,
                       struct error *err)
{
    struct query q = query_begin(books, SQL_CHAIN_GUARDS);
    *out = query_row(&q) ? query_text_at(&q, 0, arena) : STR("");
    return query_finish(&q, CANNOT_READ, err);
}

/* The triggers as new books have them. */
static int check_guards(struct books *books, struct chain_findings *out, struct error *err)
{
    struct books *made = NULL;
    struct str is = {0}, ought = {0};
    int failed = list_guards(books, &out->arena, &is, err);
    failed = failed ? failed : books_open("", BOOKS_READ, books->world, &made, err);
    failed = failed ? failed : list_guards(made, &out->arena, &ought, err);
    if (!failed && !str_eq(is, ought)) {
        add_finding(out,
                    "triggers or views that guard the ledger are missing or changed: restore "
                    "the last dump into new books");
    }
    books_close(made);
    return failed;
}

/* Statements that return a row for everything that is wrong: a name, and nothing else. */
static const struct {
    const char *sql, *text;
} rules[] = {
    {SQL_CHAIN_RESTORING, "it has a row, which switches the guards of the ledger off"},
    {SQL_CHAIN_ACCOUNTS, "the account is not as it was opened or last set"},
    {SQL_CHAIN_DRAWS, "which account these runs are charged to is not as it was said"},
};

static int check_rules(struct books *books, struct chain_findings *out, struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < COUNT_OF(rules); i++) {
        struct query q = query_begin(books, rules[i].sql);
        while (query_row(&q)) {
            const struct str name = query_text_at(&q, 0, &out->arena);
            add_finding(out,
                        arena_printf(&out->arena, "%.*s: %s", STR_ARG(name), rules[i].text));
        }
        failed = query_finish(&q, CANNOT_READ, err);
    }
    return failed;
}

static bool is_same_row(const struct kind *kind, const struct kind_row *a,
                        const struct kind_row *b)
{
    bool same = a->id == b->id;
    for (size_t i = 0; same && i < kind->column_count; i++) {
        same = a->cells[i].ptr && b->cells[i].ptr ? str_eq(a->cells[i], b->cells[i])
                                                  : a->cells[i].ptr == b->cells[i].ptr;
    }
    return same;
}

/*
 * The rows of a kind (rates, users, tokens and all others) as the history says that they are.
 */
static int check_kind(struct books *books, const struct kind *kind, struct chain_findings *out,
                      struct error *err)
{
    struct books_rows is = {0}, ought = {0};
    int failed = books_list(books, kind, &is, err);
    failed = failed ? failed : books_list_of(books, kind, INT64_MAX, &ought, err);
    bool same = is.count == ought.count;
    for (size_t i = 0; !failed && same && i < is.count; i++) {
        same = is_same_row(kind, &is.rows[i], &ought.rows[i]);
    }
    if (!failed && !same) {
        add_finding(out, arena_printf(&out->arena,
                                      "%s is not as its history says: see stint %s "
                                      "list and stint books history",
                                      kind->table, kind->name));
    }
    books_rows_release(&is);
    books_rows_release(&ought);
    return failed;
}

int chain_check(struct books *books, struct chain_findings *out, struct error *err)
{
    *out = (struct chain_findings){0};
    int failed = check_chain(books, out, err);
    failed = failed ? failed : check_lines(books, out, err);
    failed = failed ? failed : check_guards(books, out, err);
    failed = failed ? failed : check_rules(books, out, err);
    for (size_t i = 0; !failed && i < kind_count; i++) {
        failed = check_kind(books, &kinds[i], out, err);
    }
    return failed;
}
