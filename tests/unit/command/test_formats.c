/* SPDX-License-Identifier: MIT */

/*
 * One report, six files, one set of numbers: what is written as CSV, TSV, JSON, JSON lines, Markdown
 * and Parquet is read back by another program (DuckDB) and compared.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "command/render.h"
#include "support/expect.h"
#include "unit/report/ask.h"

static struct runs_store store;
static struct zone *utc;
static struct answer answer;

struct format_row {
    const char *name; /* of the format */
    const char *from; /* reads the file (?) with the answer's columns */
};

#define COLUMNS                                                                                \
    "{user: 'VARCHAR', period: 'VARCHAR', cpu_hours: 'DOUBLE', wait_hours: 'DOUBLE', jobs: "   \
    "'BIGINT'}"

static const struct format_row format_rows[] = {
    {"csv", "SELECT * FROM read_csv(?, header = true, columns = " COLUMNS ")"},
    {"tsv",
     "SELECT * FROM read_csv(?, header = true, delim = '\t', quote = '', columns = " COLUMNS
     ")"},
    {"json", "SELECT * FROM read_json(?, format = 'array', columns = " COLUMNS ")"},
    {"jsonl",
     "SELECT * FROM read_json(?, format = 'newline_delimited', columns = " COLUMNS ")"},
    {"parquet", "SELECT * FROM read_parquet(?)"},
};

static void answers_a_question(void **state)
{
    (void)state;
    static const char *const users[] = {"ann", "o'hara", "a, \"b\"", NULL, "\xc3\xbcn\xc3\xaf"};
    struct run runs[40] = {0};
    utc = ask_zone("UTC");
    int64_t day = ask_instant(utc, "2025-03-10");
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        int64_t n = (int64_t)i;
        if (users[i % COUNT_OF(users)]) {
            RUN_SET(&runs[i], user, str_of(users[i % COUNT_OF(users)]));
        }
        RUN_SET(&runs[i], start, day + n * 7919 * SECOND_US);
        RUN_SET(&runs[i], end, runs[i].start + n * n * 104729 * 1000 + n);
        RUN_SET(&runs[i], submit, runs[i].start - n * 611953);
        if (i % 7 != 3) {
            RUN_SET(&runs[i], cpus, 1 + n * 1000);
        }
    }
    runs_open(&store);
    runs_add(&store, runs, COUNT_OF(runs));
    struct question question = {
        .period = ask_period(utc, "2025-03-09", "2025-03-20"),
        .bucket = BUCKET_DAY,
        .zone = utc,
        .now = day + 100 * DAY_US,
    };
    ask_measures(&question, "cpu_hours,wait_hours,jobs");
    ask_by(&question, "user");
    ask(store.facts, &question, &answer.table);
    expect_true(answer.table.row_count > 20);
}

static void render(const char *format, char path[128])
{
    struct error err = {0};
    (void)snprintf(path, 128, "%s/answer.%s", store.folder, format);
    const struct render_options options = {
        .format = str_of(format),
        .output = path,
        .zone = utc,
        .header = true,
    };
    if (render_answer(&answer, &options, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

/* A number as its file should have it: to 9 places, which is below a second of a cpu. */
static void expect_near(const struct table *got, size_t column, size_t row, double divisor)
{
    const struct table *want = &answer.table;
    expect_true(table_has(got, column, row) == table_has(want, column, row));
    if (table_has(got, column, row)) {
        double value = (double)table_wide(want, column, row) / divisor;
        expect_double(got->columns[column].cells[row].real, value, 1e-9 + value * 1e-15);
    }
}

static void reads_back_the_same(void **state)
{
    const struct format_row *row = *state;
    char path[128];
    struct table got = {0};
    struct error err = {0};
    render(row->name, path);
    const struct facts_value file = FACTS_TEXT(str_of(path));
    if (facts_query(store.facts, row->from, (struct facts_values){&file, 1}, &got, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_uint(got.row_count, answer.table.row_count);
    expect_uint(got.column_count, answer.table.column_count);
    for (size_t i = 0; i < got.row_count; i++) {
        struct str user = ask_text(&got, "user", i);
        struct str want = ask_text(&answer.table, "user", i);
        expect_true(str_eq(user, want));
        expect_true(str_eq(ask_text(&got, "period", i), ask_text(&answer.table, "period", i)));
        expect_near(&got, 2, i, (double)HOUR_US);
        expect_near(&got, 3, i, (double)HOUR_US);
        expect_int(ask_number(&got, "jobs", i), ask_number(&answer.table, "jobs", i));
    }
    table_release(&got);
    expect_int(unlink(path), 0);
}

/* Data only: no heading, no notes. */
static void files_without_heading_hold_rows_only(void **state)
{
    (void)state;
    char path[128];
    struct error err = {0};
    struct buf text;
    answer_note(&answer, NOTE_READING, "for people");
    (void)snprintf(path, sizeof path, "%s/rows.csv", store.folder);
    const struct render_options options = {.format = STR("csv"), .output = path, .zone = utc};
    expect_int(render_answer(&answer, &options, &err), 0);
    buf_init(&text, 1 << 20);
    expect_int(file_read(path, &text, &err), 0);
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++) {
        lines += text.ptr[i] == '\n';
    }
    expect_uint(lines, answer.table.row_count);
    expect_true(strstr(text.ptr, "for people") == NULL);
    buf_release(&text);
    expect_int(unlink(path), 0);
}

/* Chunks one after the other are the same file as all at once; one of three rows is cut off in the middle. */
static void chunks_are_the_same_file(void **state)
{
    const struct format_row *row = *state;
    char whole[128], parts[128];
    struct error err = {0};
    struct output output;
    struct buf a, b;
    render(row->name, whole);
    (void)snprintf(parts, sizeof parts, "%s/parts", store.folder);
    const struct export_style style = {.header = true, .zone = utc};
    expect_int(output_init(&output, str_of(row->name), parts, &style, &err), 0);
    for (size_t first = 0; first < answer.table.row_count; first += 3) {
        struct table chunk = {0};
        for (size_t c = 0; c < answer.table.column_count; c++) {
            table_column_like(&chunk, &answer.table.columns[c]);
        }
        for (size_t i = first; i < first + 3 && i < answer.table.row_count; i++) {
            const size_t to = table_row(&chunk);
            for (size_t c = 0; c < answer.table.column_count; c++) {
                table_copy_cell(&answer.table, c, i, &chunk, c, to);
            }
        }
        expect_int(output_take(&output, &chunk, &err), 0);
        table_release(&chunk);
    }
    expect_int(output_close(&output, &err), 0);
    buf_init(&a, 1 << 20);
    buf_init(&b, 1 << 20);
    expect_int(file_read(whole, &a, &err), 0);
    expect_int(file_read(parts, &b, &err), 0);
    expect_true(str_eq(buf_str(&a), buf_str(&b)));
    buf_release(&a);
    buf_release(&b);
    expect_int(unlink(whole), 0);
    expect_int(unlink(parts), 0);
}

static void an_abandoned_file_is_not_there(void **state)
{
    (void)state;
    char path[128];
    struct error err = {0};
    struct output output;
    const struct export_style style = {.header = true, .zone = utc};
    (void)snprintf(path, sizeof path, "%s/abandoned", store.folder);
    expect_int(output_init(&output, STR("csv"), path, &style, &err), 0);
    expect_int(output_take(&output, &answer.table, &err), 0);
    output_abandon(&output);
    expect_int(access(path, F_OK), -1);
}

static void closes_the_store(void **state)
{
    (void)state;
    answer_release(&answer);
    zone_close(utc);
    runs_close(&store);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, answers_a_question);
    SUITE_ROWS(&suite, reads_back_the_same, format_rows);
    SUITE_TEST(&suite, files_without_heading_hold_rows_only);
    SUITE_ROWS(&suite, chunks_are_the_same_file, format_rows);
    SUITE_TEST(&suite, an_abandoned_file_is_not_there);
    SUITE_TEST(&suite, closes_the_store);
    return suite_run(&suite, "formats");
}
