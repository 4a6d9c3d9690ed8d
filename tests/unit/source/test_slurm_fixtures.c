/* SPDX-License-Identifier: MIT */
#include "base/buf.h"
#include "base/file.h"
#include "unit/source/slurm_reader.h"

/*
 * Whole files against what we know they say: tests/fixtures/slurm/NAME and NAME.runs, which has a line
 * a record: its line number, then each field that is known, or why it was refused.
 */

enum { FILE_MAX = 1 << 20 };

struct file_row {
    const char *name;
    int records;
    int rejects;
    int skips;
};

static const struct file_row file_rows[] = {
    {"sacct-22.05", 11, 0, 1},
    {"sacct-17.11", 4, 0, 1},
    {"sacct-24.11.json", 2, 1, 3},
    {"broken", 0, 10, 1},
};

static void print_field(struct buf *out, const struct run *run, const struct field *field)
{
    const char *at = (const char *)run + field->offset;
    if (field->type == FIELD_INT) {
        int64_t value = 0;
        memcpy(&value, at, sizeof(value));
        buf_addf(out, "  %s=%lld", field->id, (long long)value);
    } else {
        struct str text;
        memcpy(&text, at, sizeof(text));
        expect_true(str_is_utf8(text));
        buf_addf(out, "  %s=\"%.*s\"", field->id, STR_ARG(text));
    }
}

static void print_run(struct buf *out, struct run *run)
{
    struct error err = {0};
    RUN_SET(run, cluster, STR("c"));
    if (run_check(run, &err)) {
        buf_addf(out, " REFUSED %s", err.text);
    }
    RUN_CLEAR(run, cluster);
    RUN_CLEAR(run, until); /* follows from the others */
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_has(run, i)) {
            print_field(out, run, &run_fields[i]);
        }
    }
}

static void read_fixture(const char *path, struct buf *out)
{
    struct error err = {0};
    buf_init(out, FILE_MAX);
    if (file_read(path, out, &err)) {
        expect_fail("%s", err.text);
    }
}

static void compare(const char *path, const struct buf *got)
{
    struct error err = {0};
    if (getenv("STINT_UPDATE")) {
        if (file_write(path, buf_str(got), &err)) {
            expect_fail("%s", err.text);
        }
    }
    struct buf want;
    read_fixture(path, &want);
    expect_text(got->ptr, want.ptr);
    buf_release(&want);
}

static void file_says_what_it_should(void **state)
{
    const struct file_row *row = *state;
    char path[1024];
    (void)snprintf(path, sizeof(path), "%s/slurm/%s", TEST_FIXTURES, row->name);
    struct buf input;
    struct buf out;
    read_fixture(path, &input);
    buf_init(&out, FILE_MAX);
    int counts[4] = {0};
    struct arena arena = {0};
    struct source_cursor cursor = {.rest = buf_str(&input), .next_line = 1, .arena = &arena};
    const struct source_options options = {0};
    struct error opening = {0};
    void *format = NULL;
    expect_int(slurm_driver.open(buf_str(&input), &options, &format, &opening), 0);
    for (enum source_step step = SOURCE_SKIP; step != SOURCE_END; counts[step]++) {
        struct run run = {0};
        struct error err = {0};
        step = slurm_driver.next(format, &cursor, &run, &err);
        if (step == SOURCE_RECORD) {
            buf_addf(&out, "%llu:", (unsigned long long)cursor.line);
            print_run(&out, &run);
            buf_addc(&out, '\n');
        } else if (step == SOURCE_REJECT) {
            buf_addf(&out, "%llu: %s\n", (unsigned long long)cursor.line, err.text);
        }
    }
    expect_int(counts[SOURCE_RECORD], row->records);
    expect_int(counts[SOURCE_REJECT], row->rejects);
    expect_int(counts[SOURCE_SKIP], row->skips);
    slurm_driver.close(format);
    expect_int(slurm_driver.recognise(buf_str(&input)), 100);
    (void)snprintf(path, sizeof(path), "%s/slurm/%s.runs", TEST_FIXTURES, row->name);
    compare(path, &out);
    arena_release(&arena);
    buf_release(&out);
    buf_release(&input);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, file_says_what_it_should, file_rows);
    return suite_run(&suite, "slurm_fixtures");
}
