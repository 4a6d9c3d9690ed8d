/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/limit.h"
#include "unit/source/any_record.h"
#include "unit/source/standing.h"

/*
 * What has to hold of every record of every fixture, whichever driver reads it: a run stands somewhere, and a byte that
 * nobody expects in one record, in whichever of its texts, harms no other and nothing that is written down.
 */

enum { FILE_MAX = 1 << 20, RECORDS_MAX = 256, NAME_LEN = 256 };

struct folder_row {
    const char *name;   /* of tests/fixtures */
    const char *driver; /* NULL: whichever recognises the file */
};

static const struct folder_row folder_rows[] = {
    {"sge", "sge"},           {"slurm", "slurm"}, {"pbs", "pbs"},     {"lsf", "lsf"},
    {"htcondor", "htcondor"}, {"nomad", "nomad"}, {"sonar", "sonar"}, {"swf", "swf"},
    {"csv", "csv"},           {"oddities", NULL},
};

/* A file and how it is opened. */
struct file {
    const struct source_driver *driver;
    char name[NAME_LEN];
    struct buf text, map;
    void *format;
};

static bool read_beside(const char *folder, const char *name, const char *end, struct buf *out)
{
    char path[1024];
    struct error err = {0};
    (void)snprintf(path, sizeof(path), "%s/%s/%s%s", TEST_FIXTURES, folder, name, end);
    buf_init(out, FILE_MAX);
    return file_read(path, out, &err) == 0;
}

/* False if the driver wants to be told more of it than it says. */
static bool open_file(struct file *file, const struct folder_row *row, const char *name)
{
    struct error err = {0};
    (void)snprintf(file->name, sizeof(file->name), "%s", name);
    bool good = read_beside(row->name, name, "", &file->text);
    bool mapped = read_beside(row->name, name, ".map", &file->map);
    file->driver =
        row->driver ? source_find(str_of(row->driver)) : source_recognise(buf_str(&file->text));
    file->format = NULL;
    const struct source_options options = {.map =
                                               mapped ? buf_str(&file->map) : (struct str){0}};
    return good && file->driver &&
           (!file->driver->open ||
            file->driver->open(buf_str(&file->text), &options, &file->format, &err) == 0);
}

static void close_file(struct file *file)
{
    if (file->driver && file->driver->close && file->format) {
        file->driver->close(file->format);
    }
    buf_release(&file->text);
    buf_release(&file->map);
}

/* What was read: where each record lay, what its bytes were, what it became. */
struct reading {
    size_t count;

    struct {
        size_t from, to;
        enum source_step step;
        uint64_t hash;
    } records[RECORDS_MAX];
};

static void add_record(struct reading *reading, const char *base,
                       const struct source_cursor *cursor, enum source_step step)
{
    if (reading->count == RECORDS_MAX) {
        expect_fail("more than %d records", RECORDS_MAX);
    }
    const size_t from = (size_t)(cursor->record.ptr - base);
    reading->records[reading->count].from = from;
    reading->records[reading->count].to = from + cursor->record.len;
    reading->records[reading->count].step = step;
    reading->records[reading->count++].hash = str_hash(cursor->record, 0);
}

/* Everything of a record that is written down is UTF-8. */
static void check_record(const struct file *file, const struct any_record *record)
{
    const struct field *field;
    for (size_t i = 0; (field = any_field(record, i)) != NULL; i++) {
        struct str text;
        if (field->type == FIELD_TEXT && any_has(record, field)) {
            memcpy(&text, any_at(record, field), sizeof(text));
            if (!str_is_utf8(text) || text.len > LIMIT_TEXT_FIELD) {
                expect_fail("%s: %s is not UTF-8: '%.*s'", file->name, field->id,
                            STR_ARG(text));
            }
        }
    }
}

/* A table of sacct's that was not asked for the start cannot say whether there was one. */
static bool is_without_start(const struct file *file)
{
    return strcmp(file->driver->name, "slurm") == 0 && !strstr(file->text.ptr, "Start") &&
           file->text.ptr[0] == 'J';
}

static void check_standing(const struct file *file, const struct source_cursor *cursor,
                           const struct any_record *record)
{
    const char *fault = record->is_sample ? NULL : standing_fault(&record->run);
    if (fault && !RUN_HAS(&record->run, part) && !is_without_start(file)) {
        expect_fail("%s, line %llu: %s", file->name, (unsigned long long)cursor->line, fault);
    }
}

static void read_text(const struct file *file, struct str text, bool standing,
                      struct reading *reading)
{
    struct arena arena = {0};
    struct source_cursor cursor = {.rest = text, .next_line = 1, .arena = &arena};
    reading->count = 0;
    for (enum source_step step = SOURCE_SKIP; step != SOURCE_END;) {
        struct any_record record;
        struct error err = {0};
        step = any_next(file->driver, file->format, &cursor, &record, &err);
        if (step == SOURCE_RECORD || step == SOURCE_REJECT) {
            add_record(reading, text.ptr, &cursor, step);
        }
        if (step == SOURCE_RECORD) {
            check_record(file, &record);
        }
        if (step == SOURCE_RECORD && standing) {
            check_standing(file, &cursor, &record);
        }
        if (step == SOURCE_REJECT && !str_is_utf8(str_of(err.text))) {
            expect_fail("%s: the reason is not UTF-8: %s", file->name, err.text);
        }
    }
    arena_release(&arena);
}

/* --- where it stands ------------------------------------------------------------------------------ */

static void for_each_file(const struct folder_row *row, void (*check)(struct file *file))
{
    char path[1024];
    (void)snprintf(path, sizeof(path), "%s/%s", TEST_FIXTURES, row->name);
    DIR *folder = opendir(path);
    if (!folder) {
        expect_fail("no folder %s", path);
    }
    size_t files = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct str name = str_of(entry->d_name);
        if (name.ptr[0] == '.' || str_ends(name, STR(".runs")) ||
            str_ends(name, STR(".samples")) || str_ends(name, STR(".map")) ||
            str_ends(name, STR(".md"))) {
            continue;
        }
        struct file file;
        if (open_file(&file, row, entry->d_name)) {
            check(&file);
            files++;
        }
        close_file(&file);
    }
    (void)closedir(folder);
    expect_true(files > 0);
}

static void check_stands(struct file *file)
{
    struct reading *reading = malloc(sizeof(*reading));
    assert_non_null(reading);
    read_text(file, buf_str(&file->text), true, reading);
    free(reading);
}

static void run_started_never_did_or_waits(void **state)
{
    for_each_file(*state, check_stands);
}

/* --- odd bytes ------------------------------------------------------------------------------------ */

/* Whether `after` has this record of `before` as it was. */
static bool has_record(const struct reading *after, const struct reading *before, size_t index)
{
    for (size_t i = 0; i < after->count; i++) {
        if (after->records[i].hash == before->records[index].hash &&
            after->records[i].step == before->records[index].step) {
            return true;
        }
    }
    return false;
}

/* The byte at `at` is another one: all records that do not hold it are read as they were. */
static void check_byte(const struct file *file, const struct reading *before, size_t at,
                       char byte)
{
    struct reading *after = malloc(sizeof(*after));
    char *copy = malloc(file->text.len);
    assert_non_null(after);
    assert_non_null(copy);
    memcpy(copy, file->text.ptr, file->text.len);
    copy[at] = byte;
    read_text(file, (struct str){copy, file->text.len}, false, after);
    for (size_t i = 0; i < before->count; i++) {
        if ((at < before->records[i].from || at >= before->records[i].to) &&
            !has_record(after, before, i)) {
            expect_fail("%s: byte %02x at %zu loses the record at %zu", file->name,
                        (unsigned char)byte, at, before->records[i].from);
        }
    }
    free(copy);
    free(after);
}

static bool is_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9');
}

/*
 * The first byte of every word of every record becomes, in turn, each of the bytes that nobody expects there; of sacct's text but for
 * the job's number, without which a line is one more of the text before it.
 */
static void check_odd_bytes(struct file *file)
{
    static const char bytes[] = {(char)0xe9, (char)0xff, (char)0xc3, 0x1b, 0x00};
    struct reading *before = malloc(sizeof(*before));
    assert_non_null(before);
    read_text(file, buf_str(&file->text), false, before);
    size_t next = 0;
    for (size_t i = 0; i < before->count; i++) {
        const bool numbered = strcmp(file->driver->name, "slurm") == 0;
        for (size_t at = before->records[i].from + numbered; at < before->records[i].to; at++) {
            if (is_word(file->text.ptr[at]) && !is_word(file->text.ptr[at - (at > 0)])) {
                check_byte(file, before, at, bytes[next++ % COUNT_OF(bytes)]);
            }
        }
    }
    free(before);
}

static void odd_byte_harms_its_own_record_alone(void **state)
{
    for_each_file(*state, check_odd_bytes);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, run_started_never_did_or_waits, folder_rows);
    SUITE_ROWS(&suite, odd_byte_harms_its_own_record_alone, folder_rows);
    return suite_run(&suite, "every_record");
}
