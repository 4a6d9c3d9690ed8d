/* SPDX-License-Identifier: MIT */

/* Dump and restore: what goes out comes back, and nothing else does. */
#include "books/dump.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "unit/books/some_books.h"

static void dump(struct some_books *some, struct buf *out)
{
    struct error err = {0};
    buf_init(out, LIMIT_BOOKS_FILE);
    if (books_dump(some->books, &(struct text_sink){out, text_sink_buf}, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static uint64_t chance;

static unsigned dice(unsigned sides)
{
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(chance >> 33) % sides;
}

/* Text that tries the writers: quotes, backslashes, markup, letters of all lengths. */
static const char *odd_text(char out[64], bool lines)
{
    static const char *const pieces[] = {"a",   "'", "\"",   "\\",         "/",  "</b>",
                                         ";--", "é", "日本", "\U0001f40c", "%s", "\u2028",
                                         " ",   "{", ",",    "\xc2\x85",   "\n", "\t"};
    size_t len = (size_t)snprintf(out, 64, "x%u", dice(100000));
    for (unsigned count = dice(6); count > 0; count--) {
        const char *piece = pieces[dice(COUNT_OF(pieces) - (lines ? 0 : 2))];
        len += (size_t)snprintf(out + len, 64 - len, "%s", piece);
    }
    out[len] = 'z'; /* not a blank, which would be trimmed */
    out[len + 1] = '\0';
    return out;
}

/* A value that a column takes. */
static const char *odd_value(const struct kind_column *column, char out[64])
{
    switch (column->type) {
    case KIND_NAME:
    case KIND_GLOB:
        return odd_text(out, false);
    case KIND_TEXT:
        return odd_text(out, true);
    case KIND_CHOICE:
        return column->choices[0] == 'd' ? "month" : "user";
    case KIND_DATE:
    case KIND_TIME:
        (void)snprintf(out, 64, column->flags & KIND_FIRST ? "2024-0%u-11" : "2025-0%u-12",
                       1 + dice(9));
        return out;
    case KIND_AMOUNT:
        (void)snprintf(out, 64, "%u.%06u", dice(1000000), dice(1000000));
        return out;
    case KIND_LOGINS:
        (void)snprintf(out, 64, "u%u,c%u:u%u", dice(1000000), dice(9), dice(1000000));
        return out;
    case KIND_MEASURE:
        return "jobs";
    case KIND_DIMENSION:
        return "user";
    }
    return "";
}

/* A row of chance, or a change or removal of one; what is refused is refused. */
static void do_something(struct some_books *some, unsigned *done)
{
    const struct kind *kind = &kinds[dice((unsigned)kind_count)];
    struct str cells[KIND_COLUMNS_MAX] = {0};
    char texts[KIND_COLUMNS_MAX][64];
    struct error err = {0};
    int64_t id = 1 + dice(20);
    unsigned what = dice(6);
    for (size_t i = 0; i < kind->column_count; i++) {
        const struct kind_column *column = &kind->columns[i];
        if (column->refers) {
            cells[i] = dice(2) || column->flags & KIND_REQUIRED ? STR("base") : STR("");
        } else if (dice(2) || column->flags & KIND_REQUIRED) {
            cells[i] = str_of(odd_value(column, texts[i]));
        }
    }
    int failed = books_begin(some->books, &err);
    failed = failed      ? failed
             : what == 0 ? books_remove(some->books, kind, id, &err)
             : what == 1 ? books_set(some->books, kind, id, cells, &err)
                         : books_add(some->books, kind, cells, &id, &err);
    failed = failed ? failed : books_commit(some->books, &err);
    if (failed != 0 && failed != ERROR_CONFLICT && failed != ERROR_MISSING &&
        failed != ERROR_USAGE) {
        expect_fail("%d: %s", failed, err.text);
    }
    books_rollback(some->books);
    *done += !failed;
}

static void a_dump_restored_gives_the_same_dump(void **state)
{
    (void)state;
    unsigned done = 0;
    for (unsigned story = 0; story < 8; story++) {
        struct some_books some, other;
        struct buf first, second;
        struct books_restored restored;
        struct error err = {0};
        chance = story;
        some_open(&some, "Europe/Oslo");
        some_add(&some, "metagroup", "name=base");
        for (int i = 0; i < 40; i++) {
            do_something(&some, &done);
        }
        dump(&some, &first);
        some_open(&other, "Pacific/Auckland"); /* dates are dates everywhere */
        if (books_restore(other.books, buf_str(&first), NULL, &restored, &err) != 0) {
            expect_fail("%s\n%s", err.text, first.ptr);
        }
        dump(&other, &second);
        expect_text(second.ptr, first.ptr);
        /* numbers that were given are not given again there either */
        int64_t here = some_add(&some, "metagroup", "name=next");
        expect_int(some_add(&other, "metagroup", "name=next"), here);
        buf_release(&first);
        buf_release(&second);
        some_close(&some);
        some_close(&other);
    }
    expect_true(done > 100);
}

static void books_that_are_not_empty_are_replaced_on_demand_only(void **state)
{
    (void)state;
    struct some_books some;
    struct buf old, now, kept;
    struct books_restored restored;
    struct error err = {0};
    const struct str document = STR(
        "{\"stint_books\":1,\"metagroup\":[{\"id\":5,\"name\":\"new\"}],\"member\":[],"
        "\"person\":[],\"cluster\":[],\"name\":[],\"gap\":[],\"target\":[],\"history\":[]}");
    some_open(&some, "UTC");
    some_add(&some, "metagroup", "name=old");
    some_add(&some, "member", "metagroup=old|kind=user|name=ann");
    some_add(&some, "target", "name=t|measure=jobs|amount=1|per=year|metagroup=old");
    dump(&some, &old);
    expect_int(books_restore(some.books, document, NULL, &restored, &err), ERROR_CONFLICT);
    expect_contains(err.text, "--replace");
    char *keep = file_join(some.folder, "kept.json");
    expect_int(books_restore(some.books, document, keep, &restored, &err), 0);
    expect_int((int64_t)restored.rows, 1);
    expect_int((int64_t)some_count(&some, "member"), 0);
    expect_int(some_add(&some, "metagroup", "name=next"), 6);
    buf_init(&kept, LIMIT_BOOKS_FILE);
    expect_int(file_read(keep, &kept, &err), 0);
    expect_text(kept.ptr, old.ptr);
    /* and back again */
    expect_int(books_restore(some.books, buf_str(&old), keep, &restored, &err), 0);
    dump(&some, &now);
    expect_text(now.ptr, old.ptr);
    free(keep);
    buf_release(&old);
    buf_release(&now);
    buf_release(&kept);
    some_close(&some);
}

/* Also where the row with the largest number is gone: the history remembers it. */
static void a_number_is_not_given_twice_after_a_restore(void **state)
{
    (void)state;
    struct some_books some, other;
    struct buf text;
    struct books_restored restored;
    struct error err = {0};
    some_open(&some, "UTC");
    some_open(&other, "UTC");
    some_add(&some, "metagroup", "name=a");
    int64_t id = some_add(&some, "metagroup", "name=b");
    expect_int(books_begin(some.books, &err), 0);
    expect_int(books_remove(some.books, kind_find(STR("metagroup")), id, &err), 0);
    expect_int(books_commit(some.books, &err), 0);
    dump(&some, &text);
    expect_int(books_restore(other.books, buf_str(&text), NULL, &restored, &err), 0);
    expect_int(some_add(&other, "metagroup", "name=c"), id + 1);
    buf_release(&text);
    some_close(&some);
    some_close(&other);
}

struct bad_row {
    const char *name;
    const char *from, *to; /* what is replaced in a good document */
    const char *part;
};

static const char good[] =
    "{\"stint_books\":1,\"metagroup\":[{\"id\":1,\"name\":\"m\"}],"
    "\"member\":[{\"id\":1,\"metagroup\":\"m\",\"kind\":\"user\",\"name\":\"ann\"}],"
    "\"person\":[],\"cluster\":[],\"name\":[],\"gap\":[],\"target\":[],"
    "\"history\":[{\"id\":1,\"at_us\":5,\"who\":\"ann\",\"operation\":\"add\","
    "\"kind\":\"metagroup\",\"item\":1,\"before\":null,\"after\":{\"name\":\"m\"}}]}";

static const struct bad_row bad_rows[] = {
    {"not JSON", "{\"stint", "\"stint", "not JSON"},
    {"something else", "stint_books", "stint_boots", "not a dump of books"},
    {"of a newer stint", "\"stint_books\":1", "\"stint_books\":99", "newer stint (schema 99"},
    {"a list too many", "\"person\"", "\"people\":[],\"person\"", "unknown list 'people'"},
    {"a list too few", "\"gap\":[],", "", "it has no list 'gap'"},
    {"a column too many", "\"kind\":\"user\"", "\"kind\":\"user\",\"x\":\"y\"",
     "member, entry 1: it has no column 'x'"},
    {"no number", "\"id\":1,\"name\"", "\"name\"", "'id' is not a number"},
    {"number zero", "\"id\":1,\"name\"", "\"id\":0,\"name\"", "begin with 1"},
    {"a number twice", "{\"id\":1,\"name\":\"m\"}",
     "{\"id\":1,\"name\":\"m\"},{\"id\":1,\"name\":\"n\"}", "metagroup, entry 2:"},
    {"a key twice", "{\"id\":1,\"name\":\"m\"}",
     "{\"id\":1,\"name\":\"m\"},{\"id\":2,\"name\":\"m\"}", "metagroup, entry 2:"},
    {"a reference to nothing", "\"metagroup\":\"m\"", "\"metagroup\":\"n\"",
     "there is no metagroup 'n'"},
    {"a wrong choice", "\"kind\":\"user\"", "\"kind\":\"uuser\"", "choose one of"},
    {"two at once", "\"name\":\"ann\"}",
     "\"name\":\"ann\"},{\"id\":2,\"metagroup\":\"m\",\"kind\":\"user\",\"name\":\"ann\","
     "\"from\":\"2025-01-01\"}",
     "two metagroups at once"},
    {"a list for a text", "\"name\":\"ann\"", "\"name\":[\"ann\"]", "'name' is not a text"},
    {"history without who", "\"who\":\"ann\",", "", "history, entry 1: 'who' is not a text"},
    {"history of numbers", "\"after\":{\"name\":\"m\"}", "\"after\":{\"name\":3}",
     "'after' is not an object of texts"},
    {"history of text", "\"after\":{\"name\":\"m\"}", "\"after\":\"m\"",
     "'after' is not an object of texts"},
};

/* Nothing of it is written, and what was there before is there after. */
static void a_document_that_is_wrong_changes_nothing(void **state)
{
    const struct bad_row *row = *state;
    struct some_books some;
    struct buf document, before, after;
    struct books_restored restored;
    struct error err = {0};
    const char *at = strstr(good, row->from);
    expect_true(at != NULL);
    buf_init(&document, 1 << 16);
    buf_add(&document, (struct str){good, (size_t)(at - good)});
    buf_addz(&document, row->to);
    buf_addz(&document, at + strlen(row->from));
    some_open(&some, "UTC");
    some_add(&some, "metagroup", "name=old");
    dump(&some, &before);
    char *keep = file_join(some.folder, "kept.json");
    int failed = books_restore(some.books, buf_str(&document), keep, &restored, &err);
    expect_true(failed != 0);
    expect_contains(err.text, row->part);
    dump(&some, &after);
    expect_text(after.ptr, before.ptr);
    expect_int(books_restore(some.books, STR(good), keep, &restored, &err), 0);
    free(keep);
    buf_release(&document);
    buf_release(&before);
    buf_release(&after);
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_dump_restored_gives_the_same_dump);
    SUITE_TEST(&suite, a_number_is_not_given_twice_after_a_restore);
    SUITE_TEST(&suite, books_that_are_not_empty_are_replaced_on_demand_only);
    SUITE_ROWS(&suite, a_document_that_is_wrong_changes_nothing, bad_rows);
    return suite_run(&suite, "dump");
}
