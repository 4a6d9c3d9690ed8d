/* SPDX-License-Identifier: MIT */
#include "source/common/members.h"

#include "base/buf.h"
#include "support/expect.h"

struct object_row {
    const char *name; /* the object */
    const char *said; /* "name:kind=text;" of each member; NULL: not JSON */
};

static const struct object_row object_rows[] = {
    {"{}", ""},
    {"{ }", ""},
    {"{\"a\":1}", "a:number=1;"},
    {"{\"a\" : -1.5e3 , \"b\":true,\"c\":false,\"d\":null}",
     "a:number=-1.5e3;b:true=true;c:false=false;d:null=null;"},
    {"{\"a\":\"x\",\"a\":\"\"}", "a:text=x;a:text=;"},
    {"{\"a\":{\"b\":\"}\"},\"c\":[1,{\"d\":2}]}",
     "a:nested={\"b\":\"}\"};c:nested=[1,{\"d\":2}];"},
    {"{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", "a:text=\"\\/\b\f\n\r\t;"},
    {"{\"a\":\"\\u0041\\u00e4\\u20ac\\ud83d\\ude00\"}",
     "a:text=A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80;"},
    {"{\"a\":\"\\ud83d\\u0041\\u0000\\uzzzz\"}", "a:text=\xef\xbf\xbd"
                                                 "A\xef\xbf\xbd\xef\xbf\xbdzzzz;"},
    {"{\"\\u0061\":1}", "a:number=1;"},
    {"", NULL},
    {"[1]", NULL},
    {"{", NULL},
    {"{\"a\"}", NULL},
    {"{\"a\":}", NULL},
    {"{\"a\":1 \"b\":2}", NULL},
    {"{a:1}", NULL},
    {"{\"a\":\"x}", NULL},
    {"{\"a\":[1}", NULL},
};

static void say_member(void *context, struct str name, enum member_kind kind, struct str text)
{
    static const char *const kinds[] = {
        [MEMBER_NULL] = "null",     [MEMBER_TRUE] = "true", [MEMBER_FALSE] = "false",
        [MEMBER_NUMBER] = "number", [MEMBER_TEXT] = "text", [MEMBER_NESTED] = "nested",
    };
    buf_addf(context, "%.*s:%s=%.*s;", STR_ARG(name), kinds[kind], STR_ARG(text));
}

static void members_are_told_in_order(void **state)
{
    const struct object_row *row = *state;
    struct arena arena = {0};
    struct buf said;
    buf_init(&said, 1 << 16);
    buf_addz(&said, "");
    bool good = members_read(str_of(row->name), &arena, say_member, &said);
    expect_int(good, row->said != NULL);
    if (good) {
        expect_text_n(said.ptr ? said.ptr : "", said.len, row->said);
    }
    buf_release(&said);
    arena_release(&arena);
}

struct length_row {
    const char *name;
    size_t length;
};

static const struct length_row length_rows[] = {
    {"{}", 2}, {"{}}", 2}, {"{\"}\":1} x", 7}, {"[[],{}]", 7}, {"{\"\\\"}\":{}}", 10},
    {"{", 0},  {"", 0},    {"{\"}", 0},        {"[[]", 0},
};

static void nested_text_has_its_length(void **state)
{
    const struct length_row *row = *state;
    expect_int((int64_t)members_length(str_of(row->name)), (int64_t)row->length);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, members_are_told_in_order, object_rows);
    SUITE_ROWS(&suite, nested_text_has_its_length, length_rows);
    return suite_run(&suite, "members");
}
