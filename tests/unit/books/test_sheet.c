/* SPDX-License-Identifier: MIT */
#include "books/sheet.h"

#include <stdio.h>

#include "base/buf.h"
#include "unit/books/some_books.h"

/* Rows of metagroups as "place:name/full_name/note|...", - for what is not said. */
static const char *shown(const struct sheet *sheet, struct buf *out)
{
    buf_clear(out);
    for (size_t r = 0; r < sheet->count; r++) {
        buf_addf(out, "%s%zu:", r ? "|" : "", sheet->rows[r].place);
        for (size_t i = 0; i < 3; i++) {
            buf_addz(out, i ? "/" : "");
            if (sheet->rows[r].cells[i].ptr) {
                buf_add(out, sheet->rows[r].cells[i]);
            } else {
                buf_addc(out, '-');
            }
        }
    }
    return out->ptr;
}

struct sheet_test {
    const char *name, *text;
    const char *want;  /* NULL: refused */
    const char *error; /* a part of it */
};

static const struct sheet_test sheet_tests[] = {
    {"a heading and a row", "name,full_name\na,A\n", "2:a/A/-", NULL},
    {"no last line end", "name,full_name\na,A", "2:a/A/-", NULL},
    {"other order", "full_name,name\nA,a\n", "2:a/A/-", NULL},
    {"only a heading", "name\n", "", NULL},
    {"an empty cell is absent", "name,full_name\na,\n", "2:a//-", NULL},
    {"quotes", "name,full_name\n\"a,b\",\"say \"\"hi\"\"\"\n", "2:a,b/say \"hi\"/-", NULL},
    {"a line break in quotes", "name,note\n\"a\",\"x\ny\"\nb,c\n", "2:a/-/x\ny|4:b/-/c", NULL},
    {"carriage returns", "name,full_name\r\na,A\r\n\r\n\"b\",\"B\"\r\n", "2:a/A/-|4:b/B/-",
     NULL},
    {"empty lines", "name\n\na\n\n\nb\n", "3:a/-/-|6:b/-/-", NULL},
    {"the number is passed over", "id,name\n7,a\n", "2:a/-/-", NULL},
    {"a mark at the beginning", "\xef\xbb\xbfname\na\n", "2:a/-/-", NULL},
    {"a quote inside", "name\na\"b\n", "2:a\"b/-/-", NULL},
    {"an unknown column", "name,full_nme\na,b\n", NULL, "did you mean 'full_name'?"},
    {"a column twice", "name,name\na,b\n", NULL, "column 'name' occurs twice"},
    {"a cell too many", "name,full_name\na,b,c\n", NULL,
     "line 2: has 3 cells, but the header has 2"},
    {"a cell too few", "name,full_name\n\na\n", NULL,
     "line 3: has 1 cells, but the header has 2"},
    {"an open quote", "name\n\"a\n", NULL, "line 2: a quote is not closed"},
    {"something behind a quote", "name\n\"a\"b\n", NULL, "after a closing quote"},
    {"nothing", "", NULL, "it is empty"},
    {"blanks", " \n ", NULL, "it is empty"},
    {"an array",
     "[{\"name\":\"a\",\"full_name\":null},{\"note\":\"x\",\"name\":\"b\",\"id\":3}]",
     "1:a//-|2:b/-/x", NULL},
    {"an empty array", "[]", "", NULL},
    {"objects in lines", "{\"name\":\"a\"}\n{\"name\":\"b\"}\n", "1:a/-/-|2:b/-/-", NULL},
    {"numbers", "[{\"name\":12,\"full_name\":0.25}]", "1:12/0.25/-", NULL},
    {"an unknown key", "[{\"nam\":\"a\"}]", NULL, "entry 1: there is no column 'nam'"},
    {"a key twice", "[{\"name\":\"a\",\"name\":\"b\"}]", NULL, "not JSON"},
    {"a list as a value", "[{\"name\":[]}]", NULL, "entry 1: 'name' is neither"},
    {"not an object", "[{\"name\":\"a\"},4]", NULL, "entry 2: is not an object"},
    {"half of it", "[{\"name\":\"a\"}", NULL, "not JSON"},
    {"a NUL", "[{\"name\":\"a\\u0000b\"}]", NULL, "not JSON"},
    {"not UTF-8", "[{\"name\":\"\xff\"}]", NULL, "not JSON"},
};

static void a_sheet_is_read(void **state)
{
    const struct sheet_test *test = *state;
    struct sheet sheet;
    struct error err = {0};
    struct buf text;
    buf_init(&text, 4096);
    int failed = sheet_read(kind_find(STR("metagroup")), str_of(test->text), &sheet, &err);
    expect_int(failed, test->want ? 0 : ERROR_INPUT);
    if (test->want) {
        expect_text(shown(&sheet, &text), test->want);
    } else {
        expect_contains(err.text, test->error);
    }
    sheet_release(&sheet);
    buf_release(&text);
}

/* Many quoted cells take memory in proportion, not in its square. */
static void a_large_sheet_is_read(void **state)
{
    (void)state;

    enum { ROWS = 50000 };

    struct sheet sheet;
    struct error err = {0};
    struct buf text;
    buf_init(&text, 16 << 20);
    buf_addz(&text, "name,full_name\n");
    for (int i = 0; i < ROWS; i++) {
        buf_addf(&text, "\"g%d\",\"a \"\"b\"\" c\"\n", i);
    }
    expect_int(sheet_read(kind_find(STR("metagroup")), buf_str(&text), &sheet, &err), 0);
    expect_int((int64_t)sheet.count, ROWS);
    expect_text_n(sheet.rows[ROWS - 1].cells[0].ptr, sheet.rows[ROWS - 1].cells[0].len,
                  "g49999");
    sheet_release(&sheet);
    buf_release(&text);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_sheet_is_read, sheet_tests);
    SUITE_TEST(&suite, a_large_sheet_is_read);
    return suite_run(&suite, "sheet");
}
