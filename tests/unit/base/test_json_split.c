/* SPDX-License-Identifier: MIT */
#include "base/json_split.h"

#include "support/expect.h"

struct split_row {
    const char *name, *text;
    const char *part; /* of the refusal; NULL: it is taken apart */
    size_t count;
};

static const struct split_row split_rows[] = {
    {"nothing in it", "{}", NULL, 0},
    {"blanks", " \n{ \"a\" : 1 ,\t\"b\" : [ ] }\r\n", NULL, 2},
    {"brackets in text", "{\"a\":[\"]}\",\"\\\"]\"],\"b\":{\"c\":\"}\"}}", NULL, 2},
    {"words and numbers", "{\"a\":true,\"b\":-1.5e3,\"c\":null}", NULL, 3},
    {"nothing at all", "", "line 1", 0},
    {"a list", "[1]", "line 1", 0},
    {"not ended", "{\"a\":[1,\n2", "line 1", 0},
    {"no value", "{\n\"a\":}", "line 2", 0},
    {"no key", "{\n\n1:2}", "line 3", 0},
    {"a comma too many", "{\"a\":1,}", "line 1", 0},
    {"something after it", "{\"a\":1}\n{}", "line 2", 0},
    {"a key twice", "{\"a\":1,\n\"a\":2}", "line 2", 0},
    {"text not ended", "{\"a\":\"b\\\"}", "line 1", 0},
};

static void an_object_is_taken_apart(void **state)
{
    const struct split_row *row = *state;
    struct json_members members;
    struct error err = {0};
    expect_int(json_split(str_of(row->text), &members, &err), row->part ? ERROR_INPUT : 0);
    if (row->part) {
        expect_contains(err.text, row->part);
    } else {
        expect_uint(members.count, row->count);
    }
}

static void a_list_gives_its_elements(void **state)
{
    (void)state;
    static const char *const wanted[] = {"{\"x\":[1,2]}", "\",\"", "3", "[]"};
    struct str rest = STR("[ {\"x\":[1,2]}, \",\" ,3,[] ]"), element;
    bool bad = false;
    size_t count = 0;
    for (; json_next(&rest, &element, &bad); count++) {
        expect_true(str_eq(element, str_of(wanted[count])));
    }
    expect_uint(count, COUNT_OF(wanted));
    expect_false(bad);
}

struct list_row {
    const char *name, *text;
    size_t count;
    bool bad;
};

static const struct list_row list_rows[] = {
    {"empty", "[]", 0, false},           {"blanks", "[ \n]", 0, false},
    {"not ended", "[1", 1, true},        {"no comma", "[1 2]", 1, true},
    {"two commas", "[1,,2]", 1, true},   {"a comma at the end", "[1,]", 1, true},
    {"more behind it", "[1]2", 1, true}, {"no list", "1", 0, true},
};

static void what_is_no_list_is_found_out(void **state)
{
    const struct list_row *row = *state;
    struct str rest = str_of(row->text), element;
    bool bad = false;
    size_t count = 0;
    while (json_next(&rest, &element, &bad)) {
        count++;
    }
    expect_uint(count, row->count);
    expect_int(bad, row->bad);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, an_object_is_taken_apart, split_rows);
    SUITE_TEST(&suite, a_list_gives_its_elements);
    SUITE_ROWS(&suite, what_is_no_list_is_found_out, list_rows);
    return suite_run(&suite, "json_split");
}
