/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "base/limit.h"
#include "books/books.h"
#include "books/dump.h"

/*
 * Any bytes as a dump, restored into books in memory. Beside what the sanitizers see: what is refused
 * leaves the books empty, and what is taken can be dumped, restored and dumped again to the same bytes.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static struct books_world world = {.who = "fuzz"};

/* Books that are not there, to read: they are in memory. */
static struct books *open_empty(void)
{
    struct books *books = NULL;
    struct error err = {0};
    must(books_open("/nonexistent", BOOKS_READ, &world, &books, &err) == 0);
    return books;
}

static void dump(struct books *books, struct buf *out)
{
    struct error err = {0};
    buf_init(out, LIMIT_BOOKS_FILE);
    must(books_dump(books, &(struct text_sink){out, text_sink_buf}, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zone *zone = NULL;
    struct error err = {0};
    struct books_restored restored;
    struct buf first, second;
    must(zone_open("UTC", &zone, &err) == 0);
    world.kind.zone = zone;
    struct books *books = open_empty(), *other = open_empty();
    int failed =
        books_restore(books, (struct str){(const char *)data, size}, NULL, &restored, &err);
    must(!failed || err.text[0] != '\0');
    dump(books, &first);
    must(books_restore(other, buf_str(&first), NULL, &restored, &err) == 0);
    must(!failed || restored.rows + restored.changes == 0);
    dump(other, &second);
    must(str_eq(buf_str(&first), buf_str(&second)));
    buf_release(&first);
    buf_release(&second);
    books_close(books);
    books_close(other);
    zone_close(zone);
    return 0;
}
