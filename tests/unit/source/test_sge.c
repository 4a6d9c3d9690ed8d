/* SPDX-License-Identifier: MIT */
#include "unit/source/sge_reader.h"

#include "base/limit.h"

/* What the driver does with lines: takes, skips, refuses, recodes. */
struct step_row {
    const char *name;
    struct str line;
    enum source_step step;
    const char *why; /* of a refusal */
};

#define LINE(literal)                                                                          \
    {                                                                                          \
        (literal), sizeof(literal) - 1                                                         \
    }
#define FIELDS_16 "a:b:c:d:e:1:sge:0:1700000000:1700000600:1700000700:0:0:100:1.0:1.0"

static const struct step_row step_rows[] = {
    {"nothing left", LINE(""), SOURCE_END, NULL},
    {"an empty line", LINE("\n"), SOURCE_SKIP, NULL},
    {"an empty line of DOS", LINE("\r\n"), SOURCE_SKIP, NULL},
    {"blanks", LINE("  \t \n"), SOURCE_SKIP, NULL},
    {"a single character", LINE("x\n"), SOURCE_SKIP, NULL},
    {"a comment", LINE("# Version: 8.1.9\n"), SOURCE_SKIP, NULL},
    {"a comment with colons", LINE("#" SGE_USUAL_ROW "\n"), SOURCE_SKIP, NULL},
    {"a row", LINE(SGE_USUAL_ROW "\n"), SOURCE_RECORD, NULL},
    {"a row of DOS", LINE(SGE_USUAL_ROW "\r\n"), SOURCE_RECORD, NULL},
    {"a row without end", LINE(SGE_USUAL_ROW), SOURCE_RECORD, NULL},
    {"too few fields", LINE(FIELDS_16 "\n"), SOURCE_REJECT,
     "has 16 fields, expected at least 43"},
    {"no colon at all", LINE("rubbish\n"), SOURCE_REJECT, "has 1 fields, expected at least 43"},
    {"colons alone", LINE("::::::::::::::::::::::::::::::::::::::::::::::::::::::::\n"),
     SOURCE_REJECT, "job number '' is not a whole number"},
    {"a NUL byte", LINE("long\0q" SGE_USUAL_ROW "\n"), SOURCE_REJECT, "holds a NUL byte"},
    {"a NUL byte at the end", LINE(SGE_USUAL_ROW ":\0"), SOURCE_REJECT, "holds a NUL byte"},
};

static void steps(void **state)
{
    const struct step_row *row = *state;
    struct sge_reading r;
    sge_read(&r, row->line);
    expect_int(r.step, row->step);
    expect_text(r.err.text, row->why ? row->why : "");
    sge_reading_release(&r);
}

struct refusal_row {
    const char *name;
    struct sge_change change;
    const char *why;
};

static const struct refusal_row refusal_rows[] = {
    {"job number", {SGE_JOB_NUMBER, "abc"}, "job number 'abc' is not a whole number"},
    {"negative job number", {SGE_JOB_NUMBER, "-4"}, "job number '-4' is not possible"},
    {"empty job number", {SGE_JOB_NUMBER, ""}, "job number '' is not a whole number"},
    {"decimals in a job number",
     {SGE_JOB_NUMBER, "5.5"},
     "job number '5.5' is not a whole number"},
    {"gigantic start",
     {SGE_START_TIME, "99999999999999999999"},
     "start time '99999999999999999999' is not a time"},
    {"end of words", {SGE_END_TIME, "yesterday"}, "end time 'yesterday' is not a time"},
    {"submission with blanks",
     {SGE_SUBMISSION_TIME, " 1700000000"},
     "submission time ' 1700000000' is not a time"},
    {"failure", {SGE_FAILED, "1490016904"}, "failure code '1490016904' is not possible"},
    {"negative failure", {SGE_FAILED, "-1"}, "failure code '-1' is not possible"},
    {"exit status", {SGE_EXIT_STATUS, "x"}, "exit status 'x' is not a whole number"},
    {"slots", {SGE_SLOTS, "many"}, "number of slots 'many' is not a whole number"},
    {"negative slots", {SGE_SLOTS, "-1"}, "number of slots '-1' is not possible"},
    {"task", {SGE_TASK_NUMBER, "1-5"}, "task number '1-5' is not a whole number"},
    {"user time", {SGE_RU_UTIME, "1,5"}, "user time '1,5' is not a number"},
    {"cpu time", {SGE_CPU, ""}, "cpu time '' is not a number"},
    {"cpu time of hex", {SGE_CPU, "0x10"}, "cpu time '0x10' is not a number"},
    {"virtual memory", {SGE_MAXVMEM, "2G"}, "maximum virtual memory '2G' is not a number"},
    {"priority", {SGE_PRIORITY, "high"}, "priority 'high' is not a number"},
    {"reservation", {SGE_ARID, "x"}, "reservation 'x' is not a whole number"},
};

static void bad_columns_are_named(void **state)
{
    const struct refusal_row *row = *state;
    struct sge_reading r;
    SGE_READ_WITH(&r, row->change);
    expect_int(r.step, SOURCE_REJECT);
    expect_text(r.err.text, row->why);
    sge_reading_release(&r);
}

static void long_values_are_cut_in_messages(void **state)
{
    (void)state;
    struct sge_reading r;
    char value[300];
    memset(value, 'z', sizeof(value));
    value[59] = '\xc3';
    value[60] = '\xb6';
    value[sizeof(value) - 1] = '\0';
    SGE_READ_WITH(&r, {SGE_JOB_NUMBER, value});
    expect_int(r.step, SOURCE_REJECT);
    expect_true(strlen(r.err.text) < 120);
    expect_true(str_is_utf8(str_of(r.err.text)));
    sge_reading_release(&r);
}

static void latin1_becomes_utf8(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r,
                  {SGE_JOB_NAME, "\xfc"
                                 "ber"},
                  {SGE_OWNER, "j\xf6rg"});
    expect_int(r.step, SOURCE_RECORD);
    expect_field_text(&r, name,
                      "\xc3\xbc"
                      "ber");
    expect_field_text(&r, user, "j\xc3\xb6rg");
    expect_field(&r, job, 1234);
    expect_field(&r, flags, RUN_FLAG_RECODED);
    sge_reading_release(&r);
}

static void utf8_stays_as_it_is(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_JOB_NAME, "\xc3\xbc"
                                     "ber"});
    expect_field_text(&r, name,
                      "\xc3\xbc"
                      "ber");
    expect_field(&r, flags, 0);
    sge_reading_release(&r);
}

static void control_characters_are_kept(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_GROUP, "\xb0\xcf\xff\xbf\x7f"}, {SGE_JOB_NAME, "a\tb\x1b[31m"});
    expect_int(r.step, SOURCE_RECORD);
    expect_field_text(&r, group, "\xc2\xb0\xc3\x8f\xc3\xbf\xc2\xbf\x7f");
    expect_field_text(&r, name, "a\tb\x1b[31m");
    sge_reading_release(&r);
}

static void recoded_rows_with_colons(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_JOB_NAME, "\xfc:b"});
    expect_int(r.step, SOURCE_RECORD);
    expect_field_text(&r, name, "\xc3\xbc:b");
    expect_field(&r, flags, RUN_FLAG_RECODED | RUN_FLAG_FIELDS_ODD);
    sge_reading_release(&r);
}

/* A usual row whose job has a name of `len` bytes; freed by the caller. */
static struct str row_named(size_t len)
{
    char *name = malloc(len + 1);
    char *text = malloc(len + 1024);
    assert_non_null(name);
    assert_non_null(text);
    memset(name, 'n', len);
    name[len] = '\0';
    const struct sge_change changes[] = {{SGE_JOB_NAME, name}, {-1, NULL}};
    struct str row = sge_row_with(changes, text, len + 1024);
    free(name);
    return row;
}

static void long_texts_are_refused(void **state)
{
    (void)state;
    struct sge_reading r;
    struct str row = row_named(LIMIT_TEXT_FIELD);
    sge_read(&r, row);
    expect_int(r.step, SOURCE_RECORD);
    expect_int((int64_t)r.run.name.len, LIMIT_TEXT_FIELD);
    sge_reading_release(&r);
    free((void *)(uintptr_t)row.ptr);
    row = row_named(LIMIT_TEXT_FIELD + 1);
    sge_read(&r, row);
    expect_int(r.step, SOURCE_REJECT);
    expect_text(r.err.text, "has a text of more than 64 KiB");
    sge_reading_release(&r);
    free((void *)(uintptr_t)row.ptr);
}

static void long_records_are_refused(void **state)
{
    (void)state;
    struct sge_reading r;
    struct str row = row_named(LIMIT_RECORD);
    sge_read(&r, row);
    expect_int(r.step, SOURCE_REJECT);
    expect_int(r.err.kind, ERROR_LIMIT);
    expect_text(r.err.text, "is longer than 1024 KiB");
    sge_reading_release(&r);
    free((void *)(uintptr_t)row.ptr);
}

static void good_rows_around_bad_ones_are_read(void **state)
{
    (void)state;
    static const char text[] = "# Version: 8.1.9\n" SGE_USUAL_ROW "\nrubbish\n\n" SGE_USUAL_ROW;

    static const enum source_step steps_wanted[] = {SOURCE_SKIP, SOURCE_RECORD, SOURCE_REJECT,
                                                    SOURCE_SKIP, SOURCE_RECORD, SOURCE_END};
    struct arena arena = {0};
    struct source_cursor cursor = {.rest = STR(text), .next_line = 1, .arena = &arena};
    for (size_t i = 0; i < sizeof(steps_wanted) / sizeof(steps_wanted[0]); i++) {
        struct run run = {0};
        struct error err = {0};
        expect_int(sge_driver.next(NULL, &cursor, &run, &err), steps_wanted[i]);
        expect_int((int64_t)cursor.line, i < 5 ? (int64_t)i + 1 : 5);
        if (steps_wanted[i] == SOURCE_REJECT) {
            expect_text_n(cursor.record.ptr, cursor.record.len, "rubbish");
        }
    }
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, steps, step_rows);
    SUITE_ROWS(&suite, bad_columns_are_named, refusal_rows);
    SUITE_TEST(&suite, long_values_are_cut_in_messages);
    SUITE_TEST(&suite, latin1_becomes_utf8);
    SUITE_TEST(&suite, utf8_stays_as_it_is);
    SUITE_TEST(&suite, control_characters_are_kept);
    SUITE_TEST(&suite, recoded_rows_with_colons);
    SUITE_TEST(&suite, long_texts_are_refused);
    SUITE_TEST(&suite, long_records_are_refused);
    SUITE_TEST(&suite, good_rows_around_bad_ones_are_read);
    return suite_run(&suite, "sge");
}
