/* SPDX-License-Identifier: MIT */
#include "base/buf.h"
#include "base/file.h"
#include "unit/source/any_record.h"
#include "unit/source/reader.h"

/*
 * Whole files against what we know they say: tests/fixtures/DRIVER/NAME and NAME.runs or, of a driver of
 * samples, NAME.samples, which has a line a record: its line number, then each field that is known, or why
 * it was refused.
 */

enum { FILE_MAX = 1 << 20 };

struct file_row {
    const char *name; /* DRIVER/FILE */
    int records;
    int rejects;
    int skips;
    bool looks; /* like one of its driver's */
};

static const struct file_row file_rows[] = {
    {"sge/son-of-grid-engine-8.1", 20, 0, 4, true},
    {"sge/sun-grid-engine-6.1", 2, 0, 0, true},
    {"sge/univa-grid-engine-8.6", 6, 0, 1, true},
    {"sge/open-cluster-scheduler-9.jsonl", 3, 0, 0, true},
    {"sge/colons", 3, 1, 0, true},
    {"sge/broken", 0, 15, 2, false},
    {"slurm/sacct-22.05", 11, 0, 1, true},
    {"slurm/sacct-17.11", 4, 0, 1, true},
    {"slurm/sacct-26.05", 2, 0, 1, true},
    {"slurm/sacct-24.11.json", 2, 1, 3, true},
    {"slurm/jobcomp.jsonl", 3, 0, 1, true},
    {"slurm/broken", 0, 10, 1, true},
    {"pbs/pbs-professional-2022", 9, 0, 13, true},
    {"pbs/torque-6", 8, 0, 4, true},
    {"pbs/broken", 0, 11, 1, true},
    {"lsf/lsf-10.1", 6, 0, 3, true},
    {"lsf/lsf-5.1-to-9.1", 3, 0, 0, true},
    {"lsf/odd", 4, 0, 0, true},
    {"lsf/broken", 0, 7, 1, true},
    {"htcondor/history", 5, 0, 0, true},
    {"htcondor/long", 3, 0, 0, true},
    {"htcondor/json", 3, 0, 4, true},
    {"htcondor/jsonl", 3, 0, 3, true},
    {"htcondor/xml", 3, 0, 4, true},
    {"htcondor/epochs", 2, 0, 1, true},
    {"htcondor/apel", 4, 0, 0, true},
    {"htcondor/broken", 0, 3, 1, true},
    {"nomad/allocations.jsonl", 20, 0, 20, true},
    {"nomad/allocations.json", 2, 0, 4, true},
    {"nomad/broken", 0, 7, 5, true},
    {"swf/archive.swf", 7, 0, 12, true},
    {"swf/plain.swf", 2, 0, 0, true},
    {"swf/broken", 0, 4, 1, true},
    {"sonar/tagged.csv", 5, 0, 2, true},
    {"sonar/untagged.csv", 5, 0, 0, true},
    {"sonar/mixed.json", 4, 6, 2, true},
    {"sonar/agent.json", 8, 0, 1, true},
    {"sonar/broken.csv", 0, 27, 0, true},
    {"sonar/broken.json", 0, 18, 0, true},
};

static void print_field(struct buf *out, const struct any_record *record,
                        const struct field *field)
{
    const char *at = any_at(record, field);
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

static void print_record(struct buf *out, struct any_record *record)
{
    struct error err = {0};
    const struct field *field;
    if (any_check(record, &err)) {
        buf_addf(out, " REFUSED %s", err.text);
    }
    RUN_CLEAR(&record->run, cluster);
    RUN_CLEAR(&record->run, until);  /* follows from the others */
    RUN_CLEAR(&record->run, origin); /* is the driver's, the same for all */
    SAMPLE_CLEAR(&record->sample, cluster);
    for (size_t i = 0; (field = any_field(record, i)) != NULL; i++) {
        if (any_has(record, field)) {
            print_field(out, record, field);
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

static const struct source_driver *driver_of(const char *name)
{
    struct str rest = str_of(name);
    const struct source_driver *driver = source_find(str_cut(&rest, '/'));
    if (!driver) {
        expect_fail("no driver for %s", name);
    }
    return driver;
}

/* Reads it all; what became of each record goes into `out`, how many of each kind into `counts`. */
static void read_all(const struct source_driver *driver, struct str input, struct buf *out,
                     int counts[4])
{
    const struct source_options options = {0};
    struct error err = {0};
    void *format = NULL;
    if (driver->open && driver->open(input, &options, &format, &err)) {
        expect_fail("%s", err.text);
    }
    struct arena arena = {0};
    struct source_cursor cursor = {.rest = input, .next_line = 1, .arena = &arena};
    for (enum source_step step = SOURCE_SKIP; step != SOURCE_END; counts[step]++) {
        struct any_record record;
        step = any_next(driver, format, &cursor, &record, &err);
        if (step == SOURCE_RECORD) {
            buf_addf(out, "%llu:", (unsigned long long)cursor.line);
            print_record(out, &record);
            buf_addc(out, '\n');
        } else if (step == SOURCE_REJECT) {
            buf_addf(out, "%llu: %s\n", (unsigned long long)cursor.line, err.text);
        }
    }
    arena_release(&arena);
    if (driver->close) {
        driver->close(format);
    }
}

static void file_says_what_it_should(void **state)
{
    const struct file_row *row = *state;
    const struct source_driver *driver = driver_of(row->name);
    char path[1024];
    (void)snprintf(path, sizeof(path), "%s/%s", TEST_FIXTURES, row->name);
    struct buf input;
    struct buf out;
    int counts[4] = {0};
    read_fixture(path, &input);
    buf_init(&out, FILE_MAX);
    read_all(driver, buf_str(&input), &out, counts);
    (void)snprintf(path, sizeof(path), "%s/%s.%s", TEST_FIXTURES, row->name,
                   driver->next_sample ? "samples" : "runs");
    compare(path, &out);
    expect_int(counts[SOURCE_RECORD], row->records);
    expect_int(counts[SOURCE_REJECT], row->rejects);
    expect_int(counts[SOURCE_SKIP], row->skips);
    buf_release(&out);
    buf_release(&input);
}

/* Each file is known to its own driver and to no other. */
static void file_is_recognised_by_its_driver_alone(void **state)
{
    const struct file_row *row = *state;
    const struct source_driver *own = driver_of(row->name);
    char path[1024];
    (void)snprintf(path, sizeof(path), "%s/%s", TEST_FIXTURES, row->name);
    struct buf input;
    read_fixture(path, &input);
    for (size_t i = 0; source_drivers[i]; i++) {
        int sure = source_drivers[i]->recognise(buf_str(&input));
        if ((sure > 0) != (source_drivers[i] == own && row->looks)) {
            expect_fail("%s is %d sure of %s", source_drivers[i]->name, sure, row->name);
        }
    }
    buf_release(&input);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, file_says_what_it_should, file_rows);
    SUITE_ROWS(&suite, file_is_recognised_by_its_driver_alone, file_rows);
    return suite_run(&suite, "fixtures");
}
