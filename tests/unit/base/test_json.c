/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include "support/expect.h"

static void write_sample(struct json *json)
{
    json_begin_object(json);
    json_put_key(json, "rows");
    json_put_int(json, 3);
    json_put_key(json, "list");
    json_begin_array(json);
    json_put_text(json, STR("a"));
    json_put_number(json, STR("1.50"));
    json_put_bool(json, true);
    json_put_bool(json, false);
    json_put_null(json);
    json_begin_object(json);
    json_end_level(json);
    json_begin_array(json);
    json_end_level(json);
    json_end_level(json);
    json_put_key(json, "inner");
    json_begin_object(json);
    json_put_key(json, "x");
    json_put_int(json, INT64_MIN);
    json_end_level(json);
    json_end_level(json);
}

static void compact_is_one_line(void **state)
{
    (void)state;
    struct buf text;
    buf_init(&text, 1000);
    struct json json = {.out = &text};
    write_sample(&json);
    expect_text(text.ptr, "{\"rows\":3,\"list\":[\"a\",1.50,true,false,null,{},[]],"
                          "\"inner\":{\"x\":-9223372036854775808}}");
    expect_int(json.depth, 0);
    buf_release(&text);
}

static void indented_has_a_line_an_element(void **state)
{
    (void)state;
    struct buf text;
    buf_init(&text, 1000);
    struct json json = {.out = &text, .indent = 2};
    write_sample(&json);
    expect_text(text.ptr, "{\n"
                          "  \"rows\": 3,\n"
                          "  \"list\": [\n"
                          "    \"a\",\n"
                          "    1.50,\n"
                          "    true,\n"
                          "    false,\n"
                          "    null,\n"
                          "    {},\n"
                          "    []\n"
                          "  ],\n"
                          "  \"inner\": {\n"
                          "    \"x\": -9223372036854775808\n"
                          "  }\n"
                          "}");
    buf_release(&text);
}

struct text_row {
    const char *name;
    struct str text;
    const char *want;
};

#define ROW(name, text, want)                                                                  \
    {                                                                                          \
        name, {text, sizeof(text) - 1}, want                                                   \
    }

static const struct text_row text_rows[] = {
    ROW("plain", "abc", "\"abc\""),
    ROW("empty", "", "\"\""),
    ROW("quote and backslash", "a\"b\\c", "\"a\\\"b\\\\c\""),
    ROW("slash stays", "a/b", "\"a/b\""),
    ROW("short escapes", "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""),
    ROW("control bytes", "\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\""),
    ROW("nul inside", "a\0b", "\"a\\u0000b\""),
    ROW("utf-8 stays", "bl\xc3\xa5 \xe6\xbc\xa2 \xf0\x9f\x98\x80",
        "\"bl\xc3\xa5 \xe6\xbc\xa2 \xf0\x9f\x98\x80\""),
    ROW("latin 1", "bl\xe5", "\"bl\xef\xbf\xbd\""),
    ROW("each bad byte", "\xff\xfe", "\"\xef\xbf\xbd\xef\xbf\xbd\""),
    ROW("cut character", "a\xe6\xbc", "\"a\xef\xbf\xbd\xef\xbf\xbd\""),
    ROW("bad byte before quote", "\xe5\"", "\"\xef\xbf\xbd\\\"\""),
};

static void json_text_escapes(void **state)
{
    const struct text_row *row = *state;
    struct buf text;
    buf_init(&text, 1000);
    struct json json = {.out = &text};
    json_put_text(&json, row->text);
    expect_text(text.ptr, row->want);
    expect_true(str_is_utf8(buf_str(&text)));
    buf_release(&text);
}

static void json_keys_are_escaped_too(void **state)
{
    (void)state;
    struct buf text;
    buf_init(&text, 1000);
    struct json json = {.out = &text};
    json_begin_object(&json);
    json_put_key(&json, "a\"b");
    json_put_text(&json, (struct str){0});
    json_end_level(&json);
    expect_text(text.ptr, "{\"a\\\"b\":\"\"}");
    buf_release(&text);
}

static void json_goes_as_deep_as_it_says(void **state)
{
    (void)state;
    struct buf text;
    buf_init(&text, 1000);
    struct json json = {.out = &text};
    for (int i = 0; i < JSON_DEPTH_MAX; i++) {
        json_begin_array(&json);
    }
    for (int i = 0; i < JSON_DEPTH_MAX; i++) {
        json_end_level(&json);
    }
    expect_uint(text.len, 2 * JSON_DEPTH_MAX);
    buf_release(&text);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, compact_is_one_line);
    SUITE_TEST(&suite, indented_has_a_line_an_element);
    SUITE_ROWS(&suite, json_text_escapes, text_rows);
    SUITE_TEST(&suite, json_keys_are_escaped_too);
    SUITE_TEST(&suite, json_goes_as_deep_as_it_says);
    return suite_run(&suite, "json");
}
