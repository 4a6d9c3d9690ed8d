/* SPDX-License-Identifier: MIT */
#include "view/export/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/expect.h"
#include "unit/view/usage_table.h"

/* The table as written in a format, into `out`. */
static void write_as(struct buf *out, const struct table *table, const char *name, bool header)
{
    struct error err;
    struct zone *zone = NULL;
    expect_int(zone_open("UTC", &zone, &err), 0);
    struct export_style style = {.header = header, .zone = zone};
    const struct export_format *format = export_find(str_of(name));
    if (!format) {
        expect_fail("no format \"%s\"", name);
    }
    buf_clear(out);
    export_write(out, format, table, &style);
    zone_close(zone);
}

struct format_row {
    const char *name;
    const char *want;
};

static const struct format_row usage_wants[] = {
    {"csv", "user,name,jobs,cpu_hours,wait_avg,cpu_efficiency,seen\n"
            "alice,relax-α,1234567,1234,273906,0.875,2025-03-01T12:00:00Z\n"
            "李小龍,日本語のとても長いジョブ名です,0,0,0,0,2025-03-01T12:00:00.000001Z\n"
            "דוד,שלום עולם,-5,-7,-65,-0.25,2025-03-01T12:00:00.000002Z\n"
            "mallory,\"a,\"\"b\"\"|\\x1b[2J\\nc\\d\\te\xef\xbf\xbd\\u202e\",1,"
            "1000000000000000000,0.25,"
            "0.3333333333,2025-03-01T12:00:00.000003Z\n"
            "\"\",\" padded \",2,3,0.000001,0.0001,2025-03-01T12:00:00.000004Z\n"
            "nobody,,,,,,\n"},
    {"tsv",
     "user\tname\tjobs\tcpu_hours\twait_avg\tcpu_efficiency\tseen\n"
     "alice\trelax-α\t1234567\t1234\t273906\t0.875\t2025-03-01T12:00:00Z\n"
     "李小龍\t日本語のとても長いジョブ名です\t0\t0\t0\t0\t2025-03-01T12:00:00.000001Z\n"
     "דוד\tשלום עולם\t-5\t-7\t-65\t-0.25\t2025-03-01T12:00:00.000002Z\n"
     "mallory\ta,\"b\"|\\x1b[2J\\nc\\\\d\\te\xef\xbf\xbd\\u202e\t1\t1000000000000000000\t0.25\t"
     "0.3333333333\t2025-03-01T12:00:00.000003Z\n"
     "\t padded \t2\t3\t0.000001\t0.0001\t2025-03-01T12:00:00.000004Z\n"
     "nobody\t\t\t\t\t\t\n"},
    {"json",
     "[\n"
     "{\"user\":\"alice\",\"name\":\"relax-α\",\"jobs\":1234567,\"cpu_hours\":1234,"
     "\"wait_avg\":273906,\"cpu_efficiency\":0.875,\"seen\":\"2025-03-01T12:00:00Z\"},\n"
     "{\"user\":\"李小龍\",\"name\":\"日本語のとても長いジョブ名です\",\"jobs\":0,\"cpu_"
     "hours\":0,"
     "\"wait_avg\":0,\"cpu_efficiency\":0,\"seen\":\"2025-03-01T12:00:00.000001Z\"},\n"
     "{\"user\":\"דוד\",\"name\":\"שלום עולם\",\"jobs\":-5,\"cpu_hours\":-7,"
     "\"wait_avg\":-65,\"cpu_efficiency\":-0.25,\"seen\":\"2025-03-01T12:00:00.000002Z\"},\n"
     "{\"user\":\"mallory\",\"name\":\"a,\\\"b\\\"|\\u001b["
     "2J\\nc\\\\d\\te\xef\xbf\xbd\xe2\x80\xae\","
     "\"jobs\":1,\"cpu_hours\":1000000000000000000,\"wait_avg\":0.25,"
     "\"cpu_efficiency\":0.3333333333,\"seen\":\"2025-03-01T12:00:00.000003Z\"},\n"
     "{\"user\":\"\",\"name\":\" padded \",\"jobs\":2,\"cpu_hours\":3,\"wait_avg\":0.000001,"
     "\"cpu_efficiency\":0.0001,\"seen\":\"2025-03-01T12:00:00.000004Z\"},\n"
     "{\"user\":\"nobody\",\"name\":null,\"jobs\":null,\"cpu_hours\":null,\"wait_avg\":null,"
     "\"cpu_efficiency\":null,\"seen\":null}\n"
     "]\n"},
    {"markdown",
     "| User | Job name | Jobs | CPU hours | Wait | CPU eff. | Last seen |\n"
     "| --- | --- | ---: | ---: | ---: | ---: | --- |\n"
     "| alice | relax-α | 1,234,567 | 1,234.0 | 3-04:05:06 | 87.5 % | 2025-03-01 12:00:00 |\n"
     "| 李小龍 | 日本語のとても長いジョブ名です | 0 | 0.0 | 00:00:00 | 0.0 % | "
     "2025-03-01 12:00:00 |\n"
     "| דוד | שלום עולם | -5 | -7.0 | -00:01:05 | -25.0 % | 2025-03-01 12:00:00 |\n"
     "| mallory | a,\"b\"\\|\\x1b\\[2J<br>c\\\\d\\te\xef\xbf\xbd\\u202e | 1 | "
     "1,000,000,000,000,000,000.0 | 0.25 s | 33.3 % | 2025-03-01 12:00:00 |\n"
     "|  |  padded  | 2 | 3.0 | <0.001 s | 0.01 % | 2025-03-01 12:00:00 |\n"
     "| nobody | --- | --- | --- | --- | --- | --- |\n"},
};

static void usage_is_written(void **state)
{
    const struct format_row *row = *state;
    struct table table = {0};
    struct buf out;
    buf_init(&out, 1 << 20);
    usage_table(&table);
    write_as(&out, &table, row->name, true);
    expect_text_n(out.ptr, out.len, row->want);
    buf_release(&out);
    table_release(&table);
}

/* jsonl is json without the brackets and the commas between. */
static void jsonl_is_the_lines_of_json(void **state)
{
    (void)state;
    struct table table = {0};
    struct buf array;
    struct buf lines;
    buf_init(&array, 1 << 20);
    buf_init(&lines, 1 << 20);
    usage_table(&table);
    write_as(&array, &table, "json", true);
    write_as(&lines, &table, "jsonl", true);
    struct str rest = {array.ptr + 2, array.len - 4}; /* less "[\n" and "]\n" */
    struct str got = buf_str(&lines);
    for (size_t i = 0; i < table.row_count; i++) {
        struct str want = str_cut(&rest, '\n');
        want.len -= want.ptr[want.len - 1] == ',';
        expect_true(str_eq(str_cut(&got, '\n'), want));
    }
    expect_int((int64_t)got.len, 0);
    buf_release(&array);
    buf_release(&lines);
    table_release(&table);
}

static const struct format_row empty_wants[] = {
    {"csv", "user,jobs\n"},
    {"tsv", "user\tjobs\n"},
    {"json", "[]\n"},
    {"jsonl", ""},
    {"markdown", "| User | Jobs |\n| --- | ---: |\n"},
};

static void no_rows_are_written(void **state)
{
    const struct format_row *row = *state;
    struct table table = {0};
    struct buf out;
    buf_init(&out, 1000);
    table_column(&table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&table, "jobs", "Jobs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    write_as(&out, &table, row->name, true);
    expect_text(out.ptr, row->want);
    buf_release(&out);
    table_release(&table);
}

static const struct format_row headless_wants[] = {
    {"csv", "bob,7\n"},
    {"tsv", "bob\t7\n"},
    {"json", "[\n{\"user\":\"bob\",\"jobs\":7}\n]\n"},
    {"jsonl", "{\"user\":\"bob\",\"jobs\":7}\n"},
    {"markdown", "| bob | 7 |\n"},
};

static void header_can_be_left_out(void **state)
{
    const struct format_row *row = *state;
    struct table table = {0};
    struct buf out;
    buf_init(&out, 1000);
    table_column(&table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&table, "jobs", "Jobs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    table_row(&table);
    table_set_text(&table, 0, 0, STR("bob"));
    table_set_int(&table, 1, 0, 7);
    write_as(&out, &table, row->name, false);
    expect_text(out.ptr, row->want);
    buf_release(&out);
    table_release(&table);
}

struct text_row {
    const char *name;
    const char *text;
    const char *csv;
    const char *tsv;
    const char *markdown;
};

static const struct text_row text_rows[] = {
    {"plain", "abc", "abc", "abc", "abc"},
    {"empty", "", "\"\"", "", ""},
    {"comma", "a,b", "\"a,b\"", "a,b", "a,b"},
    {"quotes only", "\"\"", "\"\"\"\"\"\"", "\"\"", "\"\""},
    {"quote at the end", "a\"", "\"a\"\"\"", "a\"", "a\""},
    {"leading blank", " a", "\" a\"", " a", " a"},
    {"trailing tab", "a\t", "\"a\\t\"", "a\\t", "a\\t"},
    {"inner blank", "a b", "a b", "a b", "a b"},
    {"newline", "a\nb", "\"a\\nb\"", "a\\nb", "a<br>b"},
    {"DOS line end", "a\r\nb", "\"a\\r\\nb\"", "a\\r\\nb", "a<br>b"},
    {"backslash", "a\\tb", "a\\tb", "a\\\\tb", "a\\\\tb"},
    {"bar", "a|b", "a|b", "a|b", "a\\|b"},
    {"emphasis", "*a* _b_ c_d", "*a* _b_ c_d", "*a* _b_ c_d", "\\*a\\* \\_b_ c_d"},
    {"HTML", "<b>&amp;", "<b>&amp;", "<b>&amp;", "\\<b\\>\\&amp;"},
    {"link", "[a](b)", "[a](b)", "[a](b)", "\\[a\\](b)"},
    {"not UTF-8", "\xff", "\xef\xbf\xbd", "\xef\xbf\xbd", "\xef\xbf\xbd"},
    {"escape character", "\x1b[31mred", "\\x1b[31mred", "\\x1b[31mred", "\\x1b\\[31mred"},
    {"no width", "a\u200bb", "a\\u200bb", "a\\u200bb", "a\\u200bb"},
    {"C1 control",
     "\xc2\x9b"
     "2J",
     "\\x9b2J", "\\x9b2J", "\\x9b2J"},
    {"letters beyond ASCII", "Ærø, 李", "\"Ærø, 李\"", "Ærø, 李", "Ærø, 李"},
};

static void text_is_escaped(void **state)
{
    const struct text_row *row = *state;
    struct table table = {0};
    struct buf out;
    char want[100];
    buf_init(&out, 1000);
    table_column(&table, "text", "Text", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_row(&table);
    table_set_text(&table, 0, 0, str_of(row->text));
    write_as(&out, &table, "csv", false);
    (void)snprintf(want, sizeof want, "%s\n", row->csv);
    expect_text(out.ptr, want);
    write_as(&out, &table, "tsv", false);
    (void)snprintf(want, sizeof want, "%s\n", row->tsv);
    expect_text(out.ptr, want);
    write_as(&out, &table, "markdown", false);
    (void)snprintf(want, sizeof want, "| %s |\n", row->markdown);
    expect_text(out.ptr, want);
    buf_release(&out);
    table_release(&table);
}

static void lone_absent_cell_leaves_a_line(void **state)
{
    (void)state;
    struct table table = {0};
    struct buf out;
    buf_init(&out, 1000);
    table_column(&table, "jobs", "Jobs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE);
    table_row(&table);
    write_as(&out, &table, "csv", true);
    expect_text(out.ptr, "jobs\n\"\"\n");
    buf_release(&out);
    table_release(&table);
}

static void ratio_of_nothing_is_absent(void **state)
{
    (void)state;
    struct table table = {0};
    struct buf out;
    buf_init(&out, 1000);
    table_column(&table, "a", "A", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    table_column(&table, "b", "B", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    table_row(&table);
    table_set_real(&table, 0, 0, (double)NAN);
    table_set_real(&table, 1, 0, (double)INFINITY);
    write_as(&out, &table, "csv", false);
    expect_text(out.ptr, ",\n");
    write_as(&out, &table, "jsonl", false);
    expect_text(out.ptr, "{\"a\":null,\"b\":null}\n");
    buf_release(&out);
    table_release(&table);
}

static void no_columns_write_nothing(void **state)
{
    (void)state;
    struct table table = {0};
    struct buf out;
    buf_init(&out, 1000);
    write_as(&out, &table, "csv", true);
    expect_text(out.ptr, "");
    write_as(&out, &table, "markdown", true);
    expect_text(out.ptr, "");
    write_as(&out, &table, "json", true);
    expect_text(out.ptr, "[]\n");
    buf_release(&out);
    table_release(&table);
}

static const struct format_row raw_wants[] = {
    {"csv", "\"a\x1b[2J\n\t\xff\u200b\"\n"},
    {"tsv", "a\x1b[2J\\n\\t\xff\u200b\n"},
    {"markdown", "| a\x1b\\[2J<br>\t\xff\u200b |\n"},
};

/* Where the style or the table asks for it, text is as it was recorded. */
static void raw_text_has_its_bytes(void **state)
{
    const struct format_row *row = *state;
    struct table table = {0};
    struct buf out;
    buf_init(&out, 1000);
    table_column(&table, "a", "A", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_row(&table);
    table_set_text(&table, 0, 0, STR("a\x1b[2J\n\t\xff\u200b"));
    export_write(&out, export_find(str_of(row->name)), &table,
                 &(struct export_style){.raw = true});
    expect_text_n(out.ptr, out.len, row->want);
    table.raw = true;
    write_as(&out, &table, row->name, false);
    expect_text_n(out.ptr, out.len, row->want);
    buf_release(&out);
    table_release(&table);
}

/* Reads one CSV cell off `rest` by the grammar of RFC 4180; the separator after it stays. */
static void read_csv_cell(struct str *rest, struct buf *cell)
{
    bool quoted = rest->len > 0 && rest->ptr[0] == '"';
    size_t i = quoted;
    buf_clear(cell);
    for (; i < rest->len; i++) {
        char c = rest->ptr[i];
        if (quoted && c == '"') {
            i++;
            if (i == rest->len || rest->ptr[i] != '"') {
                break;
            }
        } else if (!quoted && (c == ',' || c == '\n')) {
            break;
        }
        buf_addc(cell, c);
    }
    *rest = (struct str){rest->ptr + i, rest->len - i};
}

/* Random text of the bytes that matter, written and read back. */
static void csv_is_read_back(void **state)
{
    (void)state;
    static const char bytes[] = {'a', '"', ',', '\n', '\r', ' ', '\t', '\\', '\0', '\xff'};
    struct table table = {0};
    struct buf out;
    struct buf cell;
    unsigned seed = 1;
    buf_init(&out, 1 << 20);
    buf_init(&cell, 1000);
    table_column(&table, "a", "A", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&table, "b", "B", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    for (size_t i = 0; i < 5000; i++) {
        size_t row = table_row(&table);
        for (size_t column = 0; column < 2; column++) {
            buf_clear(&cell);
            for (int k = rand_r(&seed) % 8; k > 0; k--) {
                buf_addc(&cell, bytes[(size_t)rand_r(&seed) % sizeof bytes]);
            }
            table_set_text(&table, column, row, buf_str(&cell));
        }
    }
    table.raw = true;
    write_as(&out, &table, "csv", false);
    struct str rest = buf_str(&out);
    for (size_t row = 0; row < table.row_count; row++) {
        for (size_t column = 0; column < 2; column++) {
            read_csv_cell(&rest, &cell);
            expect_true(str_eq(buf_str(&cell), table.columns[column].cells[row].text));
            expect_true(rest.len > 0 && rest.ptr[0] == (column == 0 ? ',' : '\n'));
            rest = (struct str){rest.ptr + 1, rest.len - 1};
        }
    }
    expect_int((int64_t)rest.len, 0);
    buf_release(&cell);
    buf_release(&out);
    table_release(&table);
}

static void full_buffer_ends_the_export(void **state)
{
    (void)state;
    struct table table = {0};
    struct buf out;
    usage_table(&table);
    for (const struct export_format *format = export_formats; format->name; format++) {
        buf_init(&out, 100);
        write_as(&out, &table, format->name, true);
        expect_true(out.overflow);
        expect_true(out.len <= 100);
        buf_release(&out);
    }
    table_release(&table);
}

static bool has_row(const struct format_row *rows, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && !str_eq(str_of(rows[i].name), str_of(name))) {
        i++;
    }
    return i < count;
}

static void every_format_has_rows_here(void **state)
{
    (void)state;
    for (const struct export_format *format = export_formats; format->name; format++) {
        if (!has_row(empty_wants, COUNT_OF(empty_wants), format->name) ||
            !has_row(headless_wants, COUNT_OF(headless_wants), format->name)) {
            expect_fail("nobody says what %s writes", format->name);
        }
    }
}

static void formats_are_found_by_their_names(void **state)
{
    (void)state;
    for (const struct export_format *format = export_formats; format->name; format++) {
        expect_true(export_find(str_of(format->name)) == format);
        expect_true(format->summary != NULL && format->begin && format->rows &&
                    format->end != NULL);
    }
    expect_true(export_find(STR("table")) == NULL);
    expect_true(export_find(STR("")) == NULL);
    expect_true(export_find(STR("CSV")) == NULL);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, usage_is_written, usage_wants);
    SUITE_TEST(&suite, jsonl_is_the_lines_of_json);
    SUITE_ROWS(&suite, no_rows_are_written, empty_wants);
    SUITE_ROWS(&suite, header_can_be_left_out, headless_wants);
    SUITE_ROWS(&suite, text_is_escaped, text_rows);
    SUITE_ROWS(&suite, raw_text_has_its_bytes, raw_wants);
    SUITE_TEST(&suite, lone_absent_cell_leaves_a_line);
    SUITE_TEST(&suite, ratio_of_nothing_is_absent);
    SUITE_TEST(&suite, no_columns_write_nothing);
    SUITE_TEST(&suite, csv_is_read_back);
    SUITE_TEST(&suite, full_buffer_ends_the_export);
    SUITE_TEST(&suite, formats_are_found_by_their_names);
    SUITE_TEST(&suite, every_format_has_rows_here);
    return suite_run(&suite, "export");
}
