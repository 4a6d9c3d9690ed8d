/* SPDX-License-Identifier: MIT */
#include "base/base64.h"

#include "support/expect.h"

struct row {
    const char *name, *bytes, *plain, *url;
};

static const struct row known[] = {
    /* RFC 4648, 10, and what differs in addresses */
    {"nothing", "", "", ""},
    {"one", "f", "Zg==", "Zg"},
    {"two", "fo", "Zm8=", "Zm8"},
    {"three", "foo", "Zm9v", "Zm9v"},
    {"six", "foobar", "Zm9vYmFy", "Zm9vYmFy"},
    {"high bits", "\xfb\xff\xfe", "+//+", "-__-"},
};

static void bytes_become_letters_and_come_back(void **state)
{
    const struct row *row = *state;
    struct arena arena = {0};
    struct buf plain, url;
    struct str out = {0};
    buf_init(&plain, 64);
    buf_init(&url, 64);
    base64_add(&plain, str_of(row->bytes));
    base64_add_url(&url, str_of(row->bytes));
    expect_text(plain.len ? plain.ptr : "", row->plain);
    expect_text(url.len ? url.ptr : "", row->url);
    expect_true(base64_read_url(str_of(row->url), &arena, &out));
    expect_text_n(out.ptr, out.len, row->bytes);
    buf_release(&plain);
    buf_release(&url);
    arena_release(&arena);
}

static void what_has_other_letters_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"Zg==", "Z", "Zm9vY", "Zm 9", "+//+", "Zm9v\n"};
    struct arena arena = {0};
    struct str out;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        expect_false(base64_read_url(str_of(bad[i]), &arena, &out));
    }
    expect_false(base64_read_url((struct str){"Zm\0v", 4}, &arena, &out));
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, bytes_become_letters_and_come_back, known);
    SUITE_TEST(&suite, what_has_other_letters_is_refused);
    return suite_run(&suite, "base64");
}
