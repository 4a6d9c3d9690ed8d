/* SPDX-License-Identifier: MIT */
#include "base/url.h"

#include "support/expect.h"

struct row {
    const char *name, *piece;
    bool query;
    const char *text; /* NULL: refused */
};

static const struct row decoded[] = {
    {"plain", "chem", false, "chem"},
    {"a slash", "a%2Fb", false, "a/b"},
    {"small digits", "%c3%a9t%c3%a9", false, "\xc3\xa9t\xc3\xa9"},
    {"plus in a path", "a+b", false, "a+b"},
    {"plus in a query", "a+b", true, "a b"},
    {"nothing", "", false, ""},
    {"half an escape", "a%2", false, NULL},
    {"a percent sign alone", "%", false, NULL},
    {"no digits", "%zz", false, NULL},
    {"a NUL", "a%00b", false, NULL},
};

static void a_piece_is_decoded_or_refused(void **state)
{
    const struct row *row = *state;
    struct arena arena = {0};
    struct error err = {0};
    struct str out = {0};
    int failed = url_decode(&arena, str_of(row->piece), row->query, &out, &err);
    expect_int(failed, row->text ? 0 : ERROR_INPUT);
    if (row->text) {
        expect_text_n(out.ptr, out.len, row->text);
    }
    arena_release(&arena);
}

static void every_byte_comes_back_from_its_encoding(void **state)
{
    (void)state;
    char bytes[255];
    struct arena arena = {0};
    struct error err = {0};
    struct str out = {0};
    struct buf text;
    buf_init(&text, 4096);
    for (int i = 0; i < 255; i++) {
        bytes[i] = (char)(i + 1);
    }
    url_encode(&text, (struct str){bytes, sizeof bytes});
    expect_int(url_decode(&arena, buf_str(&text), true, &out, &err), 0);
    expect_true(str_eq(out, (struct str){bytes, sizeof bytes}));
    buf_release(&text);
    arena_release(&arena);
}

static void a_query_is_names_and_values_in_order(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct error err = {0};
    struct str query = STR("&by=group&&user=a%26b&flag&from=1+2"), name, value;
    struct buf seen;
    int failed = 0;
    buf_init(&seen, 4096);
    while (url_next(&arena, &query, &name, &value, &failed, &err) && !failed) {
        buf_addf(&seen, "[%.*s|%.*s]", STR_ARG(name), STR_ARG(value));
    }
    expect_int(failed, 0);
    expect_text(seen.ptr, "[by|group][user|a&b][flag|][from|1 2]");
    buf_release(&seen);
    arena_release(&arena);
}

static void what_is_added_is_read_again(void **state)
{
    (void)state;
    struct buf url;
    buf_init(&url, 4096);
    buf_addz(&url, "/explore");
    url_add(&url, "by", STR("group"));
    url_add(&url, "user", STR("a&b=c d"));
    expect_text(url.ptr, "/explore?by=group&user=a%26b%3Dc%20d");
    buf_release(&url);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_piece_is_decoded_or_refused, decoded);
    SUITE_TEST(&suite, every_byte_comes_back_from_its_encoding);
    SUITE_TEST(&suite, a_query_is_names_and_values_in_order);
    SUITE_TEST(&suite, what_is_added_is_read_again);
    return suite_run(&suite, "url");
}
