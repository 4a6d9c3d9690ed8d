/* SPDX-License-Identifier: MIT */
#include "view/text/text.h"

#include <stdio.h>

#include "support/expect.h"
#include "unit/view/usage_table.h"

/* What every test works with: a table, UTC, and room for what is printed. */
struct fixture {
    struct table table;
    struct text_style style;
    struct zone *zone;
    struct buf out;
};

static void fixture_init(struct fixture *fixture, size_t width)
{
    struct error err;
    *fixture = (struct fixture){0};
    expect_int(zone_open("UTC", &fixture->zone, &err), 0);
    fixture->style = (struct text_style){.width = width, .header = true, .zone = fixture->zone};
    buf_init(&fixture->out, 1 << 20);
}

static void fixture_release(struct fixture *fixture)
{
    zone_close(fixture->zone);
    buf_release(&fixture->out);
    table_release(&fixture->table);
}

static void expect_table(struct fixture *fixture, const char *want)
{
    buf_clear(&fixture->out);
    text_table(&fixture->out, &fixture->table, &fixture->style);
    expect_text(fixture->out.ptr, want);
}

/* A table of text: three names and a number. */
static void add_names(struct table *table)
{
    table_column(table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "name", "Name", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "folder", "Folder", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "jobs", "Jobs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    for (int64_t i = 0; i < 2; i++) {
        size_t row = table_row(table);
        table_set_text(table, 0, row, i ? STR("bob") : STR("alice.with.a.name"));
        table_set_text(table, 1, row, i ? STR("日本語のとても長い名前") : STR("cfd"));
        table_set_text(table, 2, row, STR("/cluster/work/projects/ab1234/simulation/output"));
        table_set_int(table, 3, row, 1000 * i);
    }
}

static void wide_terminal_shows_everything(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 140);
    usage_table(&f.table);
    f.table.title = "CPU hours by user";
    expect_table(&f,
                 "CPU hours by user\n"
                 "\n"
                 "User     Job name                             Jobs                    CPU "
                 "hours        Wait"
                 "  CPU eff.  Last seen\n"
                 "───────  ──────────────────────────────  ─────────  "
                 "───────────────────────────  ──────────"
                 "  ────────  ───────────────────\n"
                 "alice    relax-α                         1,234,567                      "
                 "1,234.0  3-04:05:06"
                 "    87.5 %  2025-03-01 12:00:00\n"
                 "李小龍   日本語のとても長いジョブ名です          0                          "
                 "0.0    00:00:00"
                 "     0.0 %  2025-03-01 12:00:00\n"
                 "דוד      שלום עולם                              -5                         "
                 "-7.0   -00:01:05"
                 "   -25.0 %  2025-03-01 12:00:00\n"
                 "mallory  a,\"b\"|\\x1b[2J\\nc\\d\\te\xef\xbf\xbd\\u202e            1"
                 "  1,000,000,000,000,000,000.0      0.25 s    33.3 %  2025-03-01 12:00:00\n"
                 "          padded                                 2                          "
                 "3.0    <0.001 s"
                 "    0.01 %  2025-03-01 12:00:00\n"
                 "nobody   ---                                   ---                          "
                 "---         ---"
                 "       ---  ---\n");
    fixture_release(&f);
}

static void long_text_is_cut_longest_first(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 80);
    add_names(&f.table);
    expect_table(&f, "User               Name                    Folder"
                     "                           Jobs\n"
                     "─────────────────  ──────────────────────  ──────────────────────────────"
                     "  ─────\n"
                     "alice.with.a.name  cfd                     /cluster/work/projects/ab1234…"
                     "      0\n"
                     "bob                日本語のとても長い名前  /cluster/work/projects/ab1234…"
                     "  1,000\n");
    f.style.width = 60;
    expect_table(&f, "User               Name              Folder             Jobs\n"
                     "─────────────────  ────────────────  ────────────────  ─────\n"
                     "alice.with.a.name  cfd               /cluster/work/p…      0\n"
                     "bob                日本語のとても…   /cluster/work/p…  1,000\n");
    fixture_release(&f);
}

static void ascii_uses_no_other_characters(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 40);
    f.style.ascii = true;
    table_column(&f.table, "name", "Name", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_row(&f.table);
    table_set_text(&f.table, 0, 0, STR("bad \xc3( and a rather long name to be shortened"));
    expect_table(&f, "Name\n"
                     "----------------------------------------\n"
                     "bad ?( and a rather long name to be sho~\n");
    fixture_release(&f);
}

/* 99 columns are what this table needs with its names cut to 8. */
static void names_are_cut_to_eight_and_no_further(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 99);
    usage_table(&f.table);
    f.table.row_count = 2;
    table_set_wide(&f.table, USAGE_HOURS, 1,
                   (wide_int)3600000000 * INT64_C(1000000000000000000));
    expect_table(
        &f, "User    Job name       Jobs                    CPU hours        Wait  CPU eff.  "
            "Last seen\n"
            "──────  ────────  ─────────  ───────────────────────────  ──────────  ────────  "
            "───────────────────\n"
            "alice   relax-α   1,234,567                      1,234.0  3-04:05:06    87.5 %  "
            "2025-03-01 12:00:00\n"
            "李小龍  日本語…           0  1,000,000,000,000,000,000.0    00:00:00     0.0 %  "
            "2025-03-01 12:00:00\n");
    f.style.width = 98;
    buf_clear(&f.out);
    text_table(&f.out, &f.table, &f.style);
    expect_contains(f.out.ptr, "\nleft out: Last seen\n");
    fixture_release(&f);
}

static void too_wide_becomes_records(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 26);
    usage_table(&f.table);
    f.table.title = "Usage of all users in March 2025";
    f.table.row_count = 2;
    table_set_text(&f.table, USAGE_NAME, 0, STR("one two three four five"));
    table_row(&f.table);
    table_set_text(&f.table, USAGE_USER, 2, STR("nobody"));
    table_row(&f.table);
    expect_table(&f, "Usage of all users in\n"
                     "March 2025\n"
                     "\n"
                     "User       alice\n"
                     "Job name   one two three\n"
                     "           four five\n"
                     "Jobs       1,234,567\n"
                     "CPU hours  1,234.0\n"
                     "Wait       3-04:05:06\n"
                     "CPU eff.   87.5 %\n"
                     "Last seen  2025-03-01\n"
                     "           12:00:00\n"
                     "\n"
                     "User       李小龍\n"
                     "Job name   日本語のとても\n"
                     "           長いジョブ名で\n"
                     "           す\n"
                     "Jobs       0\n"
                     "CPU hours  0.0\n"
                     "Wait       00:00:00\n"
                     "CPU eff.   0.0 %\n"
                     "Last seen  2025-03-01\n"
                     "           12:00:00\n"
                     "\n"
                     "User       nobody\n"
                     "\n"
                     "---\n");
    fixture_release(&f);
}

/* Three numbers about two users and a total; of the second number nothing is known. */
static void totals_table(struct table *table)
{
    table_column(table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "jobs", "Jobs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    table_column(table, "gpus", "GPUs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    table_column(table, "cpus", "CPUs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    static const char *const users[] = {"ann", "bob", "Total"};
    for (size_t i = 0; i < COUNT_OF(users); i++) {
        size_t row = table_row(table);
        table_set_text(table, 0, row, str_of(users[i]));
        table_set_int(table, 1, row, i < 2 ? 5 : 10);
        table_set_int(table, 3, row, i < 2 ? 1000 : 2000);
    }
    table->footer_count = 1;
}

static void totals_stand_below_a_line(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 30);
    f.style.ascii = true;
    totals_table(&f.table);
    expect_table(&f, "User   Jobs  GPUs   CPUs\n"
                     "-----  ----  ----  -----\n"
                     "ann       5   ---  1,000\n"
                     "bob       5   ---  1,000\n"
                     "-----  ----  ----  -----\n"
                     "Total    10   ---  2,000\n");
    fixture_release(&f);
}

static void what_nobody_knows_goes_before_rows_are_broken(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 20);
    f.style.ascii = true;
    totals_table(&f.table);
    expect_table(&f, "User   Jobs   CPUs\n"
                     "-----  ----  -----\n"
                     "ann       5  1,000\n"
                     "bob       5  1,000\n"
                     "-----  ----  -----\n"
                     "Total    10  2,000\n"
                     "\n"
                     "left out: GPUs\n");
    fixture_release(&f);
}

static void the_last_columns_go_before_rows_are_broken(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 20);
    f.style.ascii = true;
    totals_table(&f.table);
    for (size_t row = 0; row < 3; row++) {
        table_set_int(&f.table, 2, row, 7);
    }
    expect_table(&f, "User   Jobs  GPUs\n"
                     "-----  ----  ----\n"
                     "ann       5     7\n"
                     "bob       5     7\n"
                     "-----  ----  ----\n"
                     "Total    10     7\n"
                     "\n"
                     "left out: CPUs\n");
    fixture_release(&f);
}

static void long_notes_are_broken(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 20);
    text_notes(&f.out, STR("one two three four five\nsix\n"), &f.style);
    expect_text(f.out.ptr, "one two three four\n  five\nsix\n");
    fixture_release(&f);
}

static void sixty_columns_become_records(void **state)
{
    (void)state;
    struct fixture f;
    struct buf want;
    fixture_init(&f, 140);
    buf_init(&want, 10000);
    for (int i = 0; i < 60; i++) {
        char label[32];
        (void)snprintf(label, sizeof label, "Column %d", i);
        table_column(&f.table, label, label, CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
        buf_addf(&want, "%-9s  %d\n", label, i * 10);
    }
    table_row(&f.table);
    for (int64_t i = 0; i < 60; i++) {
        table_set_int(&f.table, (size_t)i, 0, i * 10);
    }
    expect_table(&f, want.ptr);
    f.table.row_count = 0;
    expect_table(&f, "no rows\n");
    buf_release(&want);
    fixture_release(&f);
}

static void one_column_has_no_gap(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 60);
    table_column(&f.table, "jobs", "Jobs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    table_row(&f.table);
    table_set_int(&f.table, 0, 0, 1234567);
    table_row(&f.table);
    expect_table(&f, "     Jobs\n"
                     "─────────\n"
                     "1,234,567\n"
                     "      ---\n");
    fixture_release(&f);
}

static void no_rows_are_said_to_be_none(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 60);
    expect_table(&f, "no rows\n"); /* no columns, even */
    table_column(&f.table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&f.table, "jobs", "Jobs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    expect_table(&f, "User  Jobs\n"
                     "────  ────\n"
                     "no rows\n");
    f.style.header = false;
    expect_table(&f, "");
    fixture_release(&f);
}

static void without_header_only_rows_are_left(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 60);
    f.style.header = false;
    f.table.title = "Jobs by user";
    table_column(&f.table, "user", "The name of the user", CELL_TEXT, UNIT_NONE,
                 COLUMN_DIMENSION);
    table_column(&f.table, "jobs", "Jobs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    table_row(&f.table);
    table_set_text(&f.table, 0, 0, STR("bob"));
    table_set_int(&f.table, 1, 0, 7);
    expect_table(&f, "bob  7\n");
    fixture_release(&f);
}

static void colour_is_bold_headings_and_dim_absence(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 60);
    f.style.colour = true;
    f.table.title = "Title";
    table_column(&f.table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&f.table, "rate", "Rate", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    table_row(&f.table);
    table_set_text(&f.table, 0, 0, STR("bob"));
    table_set_real(&f.table, 1, 0, (double)__builtin_nanf(""));
    expect_table(&f, "\x1b[1mTitle\x1b[0m\n"
                     "\n"
                     "\x1b[1mUser  Rate\x1b[0m\n"
                     "────  ────\n"
                     "bob    \x1b[2m---\x1b[0m\n");
    buf_clear(&f.out);
    text_record(&f.out, &f.table, 0, &f.style);
    expect_text(f.out.ptr, "\x1b[1mUser\x1b[0m  bob\n");
    fixture_release(&f);
}

static void record_leaves_out_what_is_absent(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 40);
    usage_table(&f.table);
    text_record(&f.out, &f.table, 5, &f.style);
    expect_text(f.out.ptr, "User       nobody\n");
    buf_clear(&f.out);
    text_record(&f.out, &f.table, 4, &f.style);
    expect_text(f.out.ptr, "User\n"
                           "Job name    padded\n"
                           "Jobs       2\n"
                           "CPU hours  3.0\n"
                           "Wait       <0.001 s\n"
                           "CPU eff.   0.01 %\n"
                           "Last seen  2025-03-01 12:00:00\n");
    fixture_release(&f);
}

/* Sentences are not cut: where they do not fit beside the others, they go below. */
static void prose_goes_below_its_row(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 24);
    table_column(&f.table, "a", "Name", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&f.table, "b", "What", CELL_TEXT, UNIT_NONE, COLUMN_PROSE);
    table_row(&f.table);
    table_set_text(&f.table, 0, 0, STR("one"));
    table_set_text(&f.table, 1, 0, STR("a sentence of several words"));
    table_row(&f.table);
    table_set_text(&f.table, 0, 1, STR("nothing"));
    f.style.ascii = true;
    expect_table(&f, "Name\n"
                     "-------\n"
                     "one\n"
                     "    a sentence of\n"
                     "    several words\n"
                     "nothing\n");
    f.style.width = 40;
    expect_table(&f, "Name     What\n"
                     "-------  ---------------------------\n"
                     "one      a sentence of several words\n"
                     "nothing  ---\n");
    fixture_release(&f);
}

static void notes_are_shown_harmless(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 40);
    text_notes(&f.out, STR("gap on a\x1b[2Jb\nsecond\n"), &f.style);
    expect_text(f.out.ptr, "gap on a\\x1b[2Jb\nsecond\n");
    fixture_release(&f);
}

static void long_label_is_cut_to_half_the_line(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 22);
    table_column(&f.table, "a", "A label of too many words", CELL_TEXT, UNIT_NONE,
                 COLUMN_DIMENSION);
    table_row(&f.table);
    table_set_text(&f.table, 0, 0, STR("abcdefghijklmnop"));
    text_record(&f.out, &f.table, 0, &f.style);
    expect_text(f.out.ptr, "A label o…  abcdefghij\n"
                           "            klmnop\n");
    fixture_release(&f);
}

struct shown_row {
    const char *name;
    const char *text;
    const char *want;
};

static const struct shown_row shown_rows[] = {
    {"plain", "abc", "abc"},
    {"newline, return and tab", "a\nb\rc\td", "a\\nb\\rc\\td"},
    {"escape sequence", "\x1b]0;x\x07", "\\x1b]0;x\\x07"},
    {"delete", "a\x7f", "a\\x7f"},
    {"C1 control", "a\xc2\x9bm", "a\\x9bm"},
    {"direction override", "a\xe2\x80\xaez\xe2\x80\xac", "a\\u202ez\\u202c"},
    {"direction isolate", "\xe2\x81\xa6z\xe2\x81\xa9", "\\u2066z\\u2069"},
    {"direction mark", "\xd8\x9c", "\\u061c"},
    {"line separator", "\xe2\x80\xa8", "\\u2028"},
    {"stray byte", "a\xffz", "a\xef\xbf\xbdz"},
    {"cut character", "a\xe2\x82", "a\xef\xbf\xbd\xef\xbf\xbd"},
    {"surrogate", "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"combining mark", "e\xcc\x81", "e\xcc\x81"},
    {"joiner", "\xe2\x80\x8dz", "\\u200dz"},
};

static void text_is_shown_harmless(void **state)
{
    const struct shown_row *row = *state;
    struct fixture f;
    fixture_init(&f, 0);
    f.style.header = false;
    table_column(&f.table, "text", "Text", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_row(&f.table);
    table_set_text(&f.table, 0, 0, str_of(row->text));
    text_table(&f.out, &f.table, &f.style);
    f.out.ptr[f.out.len - 1] = '\0'; /* the newline */
    expect_text(f.out.ptr, row->want);
    fixture_release(&f);
}

/* Fails on a line that is too wide, ends in a blank or holds a control character. */
static void expect_within(struct str text, size_t width)
{
    expect_true(text.len > 0 && text.ptr[text.len - 1] == '\n');
    while (text.len > 0) {
        struct str line = str_cut(&text, '\n');
        if (str_width(line) > width) {
            expect_fail("wider than %zu: %.*s", width, STR_ARG(line));
        }
        expect_true(str_is_utf8(line));
        expect_true(line.len == 0 || line.ptr[line.len - 1] != ' ');
        for (size_t i = 0; i < line.len; i++) {
            expect_true((unsigned char)line.ptr[i] >= 0x20);
        }
    }
}

static void no_line_is_wider_than_the_terminal(void **state)
{
    (void)state;
    for (size_t width = 1; width <= 160; width++) {
        struct fixture f;
        fixture_init(&f, width);
        usage_table(&f.table);
        f.table.title =
            "A title which is too long for most of the terminals that are tried here";
        text_table(&f.out, &f.table, &f.style);
        expect_within(buf_str(&f.out), width < 20 ? 20 : width);
        fixture_release(&f);
        fixture_init(&f, width);
        add_names(&f.table);
        text_table(&f.out, &f.table, &f.style);
        expect_within(buf_str(&f.out), width < 20 ? 20 : width);
        fixture_release(&f);
    }
}

static void full_buffer_ends_the_table(void **state)
{
    (void)state;
    struct fixture f;
    fixture_init(&f, 0);
    usage_table(&f.table);
    buf_release(&f.out);
    buf_init(&f.out, 300);
    text_table(&f.out, &f.table, &f.style);
    expect_true(f.out.overflow);
    expect_true(f.out.len <= 300);
    fixture_release(&f);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, wide_terminal_shows_everything);
    SUITE_TEST(&suite, long_text_is_cut_longest_first);
    SUITE_TEST(&suite, ascii_uses_no_other_characters);
    SUITE_TEST(&suite, names_are_cut_to_eight_and_no_further);
    SUITE_TEST(&suite, too_wide_becomes_records);
    SUITE_TEST(&suite, totals_stand_below_a_line);
    SUITE_TEST(&suite, what_nobody_knows_goes_before_rows_are_broken);
    SUITE_TEST(&suite, the_last_columns_go_before_rows_are_broken);
    SUITE_TEST(&suite, long_notes_are_broken);
    SUITE_TEST(&suite, sixty_columns_become_records);
    SUITE_TEST(&suite, one_column_has_no_gap);
    SUITE_TEST(&suite, no_rows_are_said_to_be_none);
    SUITE_TEST(&suite, without_header_only_rows_are_left);
    SUITE_TEST(&suite, colour_is_bold_headings_and_dim_absence);
    SUITE_TEST(&suite, record_leaves_out_what_is_absent);
    SUITE_TEST(&suite, prose_goes_below_its_row);
    SUITE_TEST(&suite, notes_are_shown_harmless);
    SUITE_TEST(&suite, long_label_is_cut_to_half_the_line);
    SUITE_ROWS(&suite, text_is_shown_harmless, shown_rows);
    SUITE_TEST(&suite, no_line_is_wider_than_the_terminal);
    SUITE_TEST(&suite, full_buffer_ends_the_table);
    return suite_run(&suite, "text");
}
