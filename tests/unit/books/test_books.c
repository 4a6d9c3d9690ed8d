/* SPDX-License-Identifier: MIT */

/* The file: opened, migrated, refused; rows and their history. */
#include "books/books.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "books/books_internal.h"
#include "books/books_session.h"
#include "books/query.h"
#include "books/statements.h"
#include "unit/books/some_books.h"

static char *path_of(const struct some_books *some)
{
    return file_join(some->folder, "books.sqlite");
}

/* Runs SQL on the file, behind the back of the books; its outcome. */
static int tamper(const struct some_books *some, const char *sql)
{
    char *path = path_of(some);
    sqlite3 *db = NULL;
    expect_int(sqlite3_open(path, &db), SQLITE_OK);
    int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_close(db);
    free(path);
    return code;
}

static void reading_what_is_not_there_makes_nothing(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    some_world(&some, "UTC");
    expect_int(books_open(some.folder, BOOKS_READ, &some.world, &some.books, &err), 0);
    expect_int((int64_t)some_count(&some, "metagroup"), 0);
    char *path = path_of(&some);
    expect_int(access(path, F_OK), -1);
    free(path);
    some_close(&some);
}

static void what_was_committed_is_there_at_the_next_open(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    some_open(&some, "UTC");
    some_add(&some, "metagroup", "name=a|full_name=A");
    books_close(some.books);
    expect_int(books_open(some.folder, BOOKS_READ, &some.world, &some.books, &err), 0);
    expect_int((int64_t)some_count(&some, "metagroup"), 1);
    some_close(&some);
}

static void what_was_not_committed_is_not(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    struct str cells[KIND_COLUMNS_MAX];
    const struct kind *kind = kind_find(STR("metagroup"));
    int64_t id = 0;
    some_open(&some, "UTC");
    some_cells(kind, "name=a", cells);
    expect_int(books_begin(some.books, &err), 0);
    expect_int(books_add(some.books, kind, cells, &id, &err), 0);
    books_close(some.books);
    expect_int(books_open(some.folder, BOOKS_WRITE, &some.world, &some.books, &err), 0);
    expect_int((int64_t)some_count(&some, "metagroup"), 0);
    some_close(&some);
}

static void an_empty_file_is_brought_up_to_date(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    some_world(&some, "UTC");
    char *path = path_of(&some);
    expect_int(file_write(path, STR(""), &err), 0);
    expect_int(books_open(some.folder, BOOKS_READ, &some.world, &some.books, &err), 0);
    expect_int((int64_t)some_count(&some, "metagroup"), 0);
    expect_int(tamper(&some, "SELECT * FROM history"), SQLITE_OK);
    free(path);
    some_close(&some);
}

/* A step that fails leaves the older schema as it was, and says so. */
static void a_migration_that_fails_changes_nothing(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    some_world(&some, "UTC");
    expect_int(tamper(&some, "PRAGMA application_id = 1937009006; CREATE TABLE target (x)"),
               SQLITE_OK);
    expect_int(books_open(some.folder, BOOKS_WRITE, &some.world, &some.books, &err),
               ERROR_STORE);
    expect_contains(err.text, "cannot upgrade the books");
    expect_int(tamper(&some, "SELECT x FROM target"), SQLITE_OK);
    expect_int(tamper(&some, "SELECT * FROM metagroup"), SQLITE_ERROR);
    some_close(&some);
}

static void a_newer_file_is_refused(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    some_open(&some, "UTC");
    some_add(&some, "metagroup", "name=a");
    books_close(some.books);
    expect_int(tamper(&some, "PRAGMA user_version = 99"), SQLITE_OK);
    for (int mode = BOOKS_READ; mode <= BOOKS_WRITE; mode++) {
        expect_int(
            books_open(some.folder, (enum books_mode)mode, &some.world, &some.books, &err),
            ERROR_STORE);
        expect_contains(err.text, "newer stint (schema 99, this one knows");
    }
    expect_int(tamper(&some, "SELECT 1 / (SELECT count(*) FROM metagroup)"), SQLITE_OK);
    some_close(&some);
}

struct file_row {
    const char *name, *content, *part; /* SQL if it begins with SQL: */
};

static const struct file_row file_rows[] = {
    {"somebody else's", "SQL:CREATE TABLE t (x)", "not one of stint;"},
    {"not SQLite", "once upon a time there was a file that was no database at all, and long",
     "damaged or not an SQLite file"},
};

static void a_file_that_is_something_else_is_refused(void **state)
{
    const struct file_row *row = *state;
    struct some_books some;
    struct error err = {0};
    some_world(&some, "UTC");
    char *path = path_of(&some);
    if (str_starts(str_of(row->content), STR("SQL:"))) {
        expect_int(tamper(&some, row->content + 4), SQLITE_OK);
    } else {
        expect_int(file_write(path, str_of(row->content), &err), 0);
    }
    expect_int(books_open(some.folder, BOOKS_WRITE, &some.world, &some.books, &err),
               ERROR_STORE);
    expect_contains(err.text, row->part);
    free(path);
    some_close(&some);
}

static void history_cannot_be_edited(void **state)
{
    (void)state;
    struct some_books some;
    some_open(&some, "UTC");
    some_add(&some, "metagroup", "name=a");
    expect_int(tamper(&some, "UPDATE history SET who = 'bob'"), SQLITE_CONSTRAINT);
    expect_int(tamper(&some, "DELETE FROM history"), SQLITE_CONSTRAINT);
    expect_int(tamper(&some, "SELECT 1"), SQLITE_OK);
    some_close(&some);
}

static void history_tells_who_when_and_what(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    struct str cells[KIND_COLUMNS_MAX];
    const struct kind *kind = kind_find(STR("metagroup"));
    struct books_history history;
    some_open(&some, "UTC");
    int64_t id = some_add(&some, "metagroup", "name=a|full_name=A \"quoted\"");
    some_add(&some, "gap", "from=2025|what=b");
    some_cells(kind, "full_name=", cells);
    expect_int(books_begin(some.books, &err), 0);
    expect_int(books_set(some.books, kind, id, cells, &err), 0);
    expect_int(books_set(some.books, kind, id, cells, &err), 0); /* no difference, no entry */
    expect_int(books_remove(some.books, kind, id, &err), 0);
    expect_int(books_commit(some.books, &err), 0);
    const struct books_history_filter filter = {.table = STR("metagroup")};
    expect_int(books_history_list(some.books, &filter, &history, &err), 0);

    static const struct {
        const char *operation, *before, *after;
    } want[] = {
        {"add", NULL, "{\"name\":\"a\",\"full_name\":\"A \\\"quoted\\\"\"}"},
        {"set", "{\"name\":\"a\",\"full_name\":\"A \\\"quoted\\\"\"}", "{\"name\":\"a\"}"},
        {"remove", "{\"name\":\"a\"}", NULL}};

    expect_int((int64_t)history.count, COUNT_OF(want));
    for (size_t i = 0; i < history.count; i++) {
        const struct books_change *change = &history.changes[i];
        expect_text(change->who.ptr, "ann");
        expect_int(change->at, some.world.kind.now);
        expect_int(change->item, id);
        expect_text(change->operation.ptr, want[i].operation);
        expect_text(change->before.ptr, want[i].before);
        expect_text(change->after.ptr, want[i].after);
    }
    books_history_release(&history);
    /* a number is not given twice */
    expect_int(some_add(&some, "metagroup", "name=a"), id + 1);
    some_close(&some);
}

struct refused_row {
    const char *name, *kind, *text;
    int want;
    const char *part;
};

static const struct refused_row refused_rows[] = {
    {"a key twice", "metagroup", "name=there", ERROR_CONFLICT, "already exists as number 1"},
    {"a key twice with absent values", "gap", "from=2024-01-01|what=x", ERROR_CONFLICT,
     "already exists"},
    {"nothing required", "gap", "from=2025", ERROR_USAGE, "'what' is missing"},
    {"an unknown reference", "member", "metagroup=thrre|kind=user|name=x", ERROR_USAGE,
     "did you mean 'there'?"},
    {"a reference to nothing near", "member", "metagroup=elsewhere|kind=user|name=x",
     ERROR_USAGE, "stint metagroup add NAME"},
    {"backwards", "member", "metagroup=there|kind=user|name=x|from=2025-03-02|to=2025-03-01",
     ERROR_USAGE, "'from' is 2025-03-02, 'to' is 2025-03-01"},
    {"an instant backwards", "gap", "from=2025-03-01T12:00|to=2025-03-01T11:59|what=y",
     ERROR_USAGE, "end before it begins"},
    {"a target without time", "target", "name=t|measure=jobs|amount=1|from=2025", ERROR_USAGE,
     "--per year"},
    {"a target of nothing known", "target", "name=t|measure=jobz|amount=1|per=year",
     ERROR_USAGE, "did you mean 'jobs'?"},
    {"a target of an unknown metagroup", "target",
     "name=t|measure=jobs|amount=1|per=year|metagroup=nowhere", ERROR_USAGE,
     "there is no metagroup 'nowhere'"},
    {"a login of two", "people", "person=bob|logins=x,ann", ERROR_CONFLICT,
     "login 'ann' would belong to two people, 'ann' and 'bob'"},
    {"a cluster's login of two", "people", "person=bob|logins=alder:ann", ERROR_CONFLICT,
     "login 'ann' on alder would belong to two people"},
    {"a login without a name", "people", "person=bob|logins=alder:", ERROR_USAGE,
     "a login without a name"},
    {"an unknown dimension", "name", "dimension=usr|value=x|shown=y", ERROR_USAGE,
     "did you mean 'user'?"},
};

static void what_makes_no_sense_is_refused_in_words(void **state)
{
    const struct refused_row *row = *state;
    struct some_books some;
    some_open(&some, "UTC");
    some_add(&some, "metagroup", "name=there");
    some_add(&some, "gap", "from=2024-01-01|what=x");
    some_add(&some, "people", "person=ann|logins=ann,alder:ann");
    some_refuse(&some, row->kind, row->text, row->want, row->part);
    expect_int((int64_t)some_count(&some, "member"), 0);
    expect_int((int64_t)some_count(&some, "target"), 0);
    expect_int((int64_t)some_count(&some, "people"), 1);
    some_close(&some);
}

static void what_others_name_cannot_go(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    struct str cells[KIND_COLUMNS_MAX];
    const struct kind *kind = kind_find(STR("metagroup"));
    some_open(&some, "UTC");
    int64_t id = some_add(&some, "metagroup", "name=a");
    int64_t inner = some_add(&some, "metagroup", "name=b");
    some_add(&some, "target", "name=t|measure=jobs|amount=1|per=year|metagroup=a");
    some_add(&some, "member", "metagroup=a|kind=metagroup|name=b");
    expect_int(books_begin(some.books, &err), 0);
    expect_int(books_remove(some.books, kind, id, &err), ERROR_CONFLICT);
    expect_contains(err.text, "1 membership refer to it");
    some_cells(kind, "name=c", cells);
    expect_int(books_set(some.books, kind, id, cells, &err), ERROR_CONFLICT);
    expect_int(books_remove(some.books, kind, inner, &err), 0);
    expect_int(books_commit(some.books, &err), ERROR_USAGE); /* it is inside a still */
    expect_contains(err.text, "a member of 'a': there is no metagroup 'b'");
    expect_int((int64_t)some_count(&some, "metagroup"), 2);
    some_close(&some);
}

static void a_put_says_nothing_of_what_it_leaves_out(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    struct str cells[KIND_COLUMNS_MAX];
    struct books_rows rows;
    enum books_outcome outcome;
    const struct kind *kind = kind_find(STR("people"));

    static const struct {
        const char *text;
        enum books_outcome want;
    } puts[] = {{"person=ann|name=Ann|email=a@b", BOOKS_ADDED},
                {"person=ann|email=a@b", BOOKS_SAME},
                {"person=ann|name=Anne", BOOKS_CHANGED},
                {"person=ann|email=", BOOKS_CHANGED}};

    some_open(&some, "UTC");
    expect_int(books_begin(some.books, &err), 0);
    for (size_t i = 0; i < COUNT_OF(puts); i++) {
        some_cells(kind, puts[i].text, cells);
        expect_int(books_put(some.books, kind, cells, &outcome, &err), 0);
        expect_int(outcome, puts[i].want);
    }
    expect_int(books_commit(some.books, &err), 0);
    expect_int(books_list(some.books, kind, &rows, &err), 0);
    expect_int((int64_t)rows.count, 1);
    expect_text(kind_cell(kind, &rows.rows[0], "name").ptr, "Anne");
    expect_text(kind_cell(kind, &rows.rows[0], "email").ptr, NULL);
    books_rows_release(&rows);
    some_close(&some);
}

/* A process that writes keeps others out for a while, and they say so; readers see what was there. */
static void a_second_writer_waits_and_a_reader_does_not(void **state)
{
    (void)state;
    struct some_books some, other;
    struct error err = {0};
    some_open(&some, "UTC");
    some_add(&some, "metagroup", "name=a");
    other = some;
    expect_int(books_open(some.folder, BOOKS_READ, &some.world, &other.books, &err), 0);
    expect_int(books_begin(some.books, &err), 0);
    expect_int((int64_t)some_count(&other, "metagroup"), 1);
    expect_int(books_begin(other.books, &err), ERROR_CONFLICT);
    expect_contains(err.text, "another process is changing");
    books_rollback(some.books);
    expect_int(books_begin(other.books, &err), 0);
    books_close(other.books);
    some_close(&some);
}

static void a_session_has_one_handle_and_begins_anew_to_write(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    struct books *first, *again, *to_write;
    some_open(&some, "UTC");
    struct books_session session = {.folder = some.folder, .world = some.world};
    expect_int(books_session_open(&session, BOOKS_READ, &first, &err), 0);
    expect_int(books_session_open(&session, BOOKS_READ, &again, &err), 0);
    expect_true(first == again);
    expect_int(books_session_open(&session, BOOKS_WRITE, &to_write, &err), 0);
    expect_int(books_begin(to_write, &err), 0);
    expect_int(books_session_open(&session, BOOKS_READ, &again, &err), 0);
    expect_true(again == to_write);
    books_session_close(&session); /* which rolls back: the next may begin */
    expect_int(books_session_open(&session, BOOKS_WRITE, &to_write, &err), 0);
    expect_int(books_begin(to_write, &err), 0);
    books_session_close(&session);
    some_close(&some);
}

static void every_named_statement_is_known_to_the_engine(void **state)
{
    (void)state;
    struct some_books some;
    some_open(&some, "UTC");
    expect_true(books_statements_count > 5);
    for (size_t i = 0; i < books_statements_count; i++) {
        struct error err = {0};
        struct query q = query_begin(some.books, books_statements[i].sql);
        if (query_finish(&q, books_statements[i].name, &err)) {
            expect_fail("%s", err.text);
        }
    }
    some_close(&some);
}

/* Whether a statement of this text is kept prepared. */
static bool is_prepared(struct books *books, const char *sql)
{
    sqlite3_stmt *one = NULL;
    while ((one = sqlite3_next_stmt(books->db, one)) && strcmp(sqlite3_sql(one), sql) != 0) {
    }
    return one != NULL;
}

static void the_statement_that_was_run_last_stays_prepared(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    some_open(&some, "UTC");
    for (int i = 0; i < 2 * BOOKS_IDLE_MAX; i++) {
        char sql[32];
        snprintf(sql, sizeof(sql), "SELECT %d", i);
        struct query q = query_begin(some.books, sql);
        query_run(&q);
        expect_int(query_finish(&q, "a test", &err), 0);
        expect_true(is_prepared(some.books, sql));
    }
    expect_false(is_prepared(some.books, "SELECT 0"));
    some_close(&some);
}

/* An account is looked up in the events by its number, not by reading all of them. */
static void the_check_looks_up_the_events_of_an_account(void **state)
{
    (void)state;
    const char *const checks[] = {SQL_CHAIN_ACCOUNTS, SQL_CHAIN_DRAWS};
    struct some_books some;
    some_open(&some, "UTC");
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        struct buf sql;
        struct error err = {0};
        bool found = false;
        buf_init(&sql, 1 << 16);
        buf_addf(&sql, "EXPLAIN QUERY PLAN %s", checks[i]);
        struct query q = query_begin(some.books, sql.ptr);
        while (query_row(&q)) {
            found = found || strstr(query_view_at(&q, 3).ptr, "bank_event_account");
        }
        expect_int(query_finish(&q, "a test", &err), 0);
        expect_true(found);
        buf_release(&sql);
    }
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, reading_what_is_not_there_makes_nothing);
    SUITE_TEST(&suite, what_was_committed_is_there_at_the_next_open);
    SUITE_TEST(&suite, what_was_not_committed_is_not);
    SUITE_TEST(&suite, an_empty_file_is_brought_up_to_date);
    SUITE_TEST(&suite, a_migration_that_fails_changes_nothing);
    SUITE_TEST(&suite, a_newer_file_is_refused);
    SUITE_ROWS(&suite, a_file_that_is_something_else_is_refused, file_rows);
    SUITE_TEST(&suite, history_cannot_be_edited);
    SUITE_TEST(&suite, history_tells_who_when_and_what);
    SUITE_ROWS(&suite, what_makes_no_sense_is_refused_in_words, refused_rows);
    SUITE_TEST(&suite, what_others_name_cannot_go);
    SUITE_TEST(&suite, a_put_says_nothing_of_what_it_leaves_out);
    SUITE_TEST(&suite, a_second_writer_waits_and_a_reader_does_not);
    SUITE_TEST(&suite, a_session_has_one_handle_and_begins_anew_to_write);
    SUITE_TEST(&suite, every_named_statement_is_known_to_the_engine);
    SUITE_TEST(&suite, the_statement_that_was_run_last_stays_prepared);
    SUITE_TEST(&suite, the_check_looks_up_the_events_of_an_account);
    return suite_run(&suite, "books");
}
