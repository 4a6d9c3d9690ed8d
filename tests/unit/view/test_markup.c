/* SPDX-License-Identifier: MIT */
#include "view/chart/markup.h"

#include <math.h>

#include "support/expect.h"
#include "support/xml.h"

struct text_row {
    const char *name;
    const char *text;
    const char *want;
};

static const struct text_row text_rows[] = {
    {"plain", "moss", "moss"},
    {"tags", "<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"},
    {"quotes end no attribute", "\" onload=\"x", "&quot; onload=&quot;x"},
    {"entities are not entities", "&lt;", "&amp;lt;"},
    {"other alphabets", "李小龍 דוד", "李小龍 דוד"},
    {"bytes that are not UTF-8", "a\xff\xfe", "a\xef\xbf\xbd\xef\xbf\xbd"},
    {"control characters", "a\x1b[2J\x01", "a\xef\xbf\xbd[2J\xef\xbf\xbd"},
    {"what turns the direction",
     "a\xe2\x80\xae"
     "b",
     "a\xef\xbf\xbd"
     "b"},
    {"what XML forbids", "a\xef\xbf\xbf", "a\xef\xbf\xbd"},
    {"cdata ends", "]]>", "]]&gt;"},
};

static void text_is_escaped(void **state)
{
    const struct text_row *row = *state;
    struct buf out;
    buf_init(&out, 4096);
    markup_text(&out, str_of(row->text));
    expect_text(out.ptr, row->want);
    buf_release(&out);
}

struct number_row {
    const char *name;
    double value;
    const char *want;
};

static const struct number_row number_rows[] = {
    {"whole", 42, "42"},
    {"no zeros at the end", 1.5, "1.5"},
    {"two places", 1.23456, "1.23"},
    {"below zero", -0.25, "-0.25"},
    {"no minus zero", -0.001, "0"},
    {"zero", 0, "0"},
    {"not a number", (double)NAN, "0"},
    {"infinite", (double)INFINITY, "0"},
    {"far off", 1e300, "1000000"},
    {"far off below", -1e300, "-1000000"},
};

static void number_is_short(void **state)
{
    const struct number_row *row = *state;
    struct buf out;
    buf_init(&out, 64);
    markup_number(&out, row->value);
    expect_text(out.ptr, row->want);
    buf_release(&out);
}

static void long_text_is_cut_between_characters(void **state)
{
    (void)state;
    bool cut;
    struct str all = STR("äöüäöüäöüäöü");
    struct str part = markup_fit(all, 12, 60, &cut);
    expect_true(cut);
    expect_true(part.len > 0 && part.len < all.len && part.len % 2 == 0);
    expect_true(markup_width(part, 12) <= 60 - 12);
    part = markup_fit(all, 12, 1000, &cut);
    expect_false(cut);
    expect_uint(part.len, all.len);
}

static void wide_characters_take_more_room(void **state)
{
    (void)state;
    expect_true(markup_width(STR("日本"), 12) > markup_width(STR("ab"), 12));
    expect_true(markup_width(STR("WW"), 12) > markup_width(STR("ii"), 12));
}

static void lines_break_at_blanks_and_lose_nothing(void **state)
{
    (void)state;
    struct str rest =
        STR("one two three four five six averyveryverylongwordindeedthatdoesnotfit");
    struct buf all;
    buf_init(&all, 4096);
    size_t lines = 0;
    while (rest.len > 0 && lines < 100) {
        struct str line = markup_line(&rest, 12, 90);
        expect_true(line.len > 0);
        expect_true(markup_width(line, 12) <= 90);
        buf_add(&all, line);
        lines++;
    }
    size_t blanks = 0;
    for (size_t i = 0; i < all.len; i++) {
        blanks += all.ptr[i] == ' ';
    }
    expect_uint(all.len - blanks,
                strlen("onetwothreefourfivesixaveryveryverylongwordindeedthatdoesnotfit"));
    buf_release(&all);
}

struct xml_row {
    const char *name;
    const char *text;
    bool good;
};

/* The judge is judged. */
static const struct xml_row xml_rows[] = {
    {"an element", "<a b=\"c\">d &amp; e<f/></a>\n", true},
    {"a page", "<!DOCTYPE html>\n<html lang=\"en\"></html>", true},
    {"crossed", "<a><b></a></b>", false},
    {"not ended", "<a><b></b>", false},
    {"attribute twice", "<a b=\"1\" b=\"2\"/>", false},
    {"no quotes", "<a b=1/>", false},
    {"bare ampersand", "<a>x & y</a>", false},
    {"two roots", "<a/><a/>", false},
    {"control character", "<a>\x01</a>", false},
    {"nothing", "", false},
};

static void judge_is_strict(void **state)
{
    const struct xml_row *row = *state;
    size_t at = 0;
    expect_true((xml_complaint(row->text, strlen(row->text), &at) == NULL) == row->good);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, text_is_escaped, text_rows);
    SUITE_ROWS(&suite, number_is_short, number_rows);
    SUITE_TEST(&suite, long_text_is_cut_between_characters);
    SUITE_TEST(&suite, wide_characters_take_more_room);
    SUITE_TEST(&suite, lines_break_at_blanks_and_lose_nothing);
    SUITE_ROWS(&suite, judge_is_strict, xml_rows);
    return suite_run(&suite, "markup");
}
