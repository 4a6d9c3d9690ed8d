/* SPDX-License-Identifier: MIT */
#include "source/csv/csv.h"

#include "base/buf.h"
#include "base/file.h"
#include "source/csv/csv_map.h"
#include "unit/source/reader.h"

/*
 * Maps and what they make of tables and JSON lines.
 */

enum { FILE_MAX = 1 << 20 };

static void read_file(const char *name, struct buf *out)
{
    char path[1024];
    struct error err = {0};
    (void)snprintf(path, sizeof(path), "%s/csv/%s", TEST_FIXTURES, name);
    buf_init(out, FILE_MAX);
    if (file_read(path, out, &err)) {
        expect_fail("%s", err.text);
    }
}

static void print_run(struct buf *out, const struct run *run)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        const char *at = (const char *)run + run_fields[i].offset;
        struct str text;
        int64_t number = 0;
        if (!run_has(run, i)) {
            continue;
        }
        if (run_fields[i].type == FIELD_INT) {
            memcpy(&number, at, sizeof(number));
            buf_addf(out, "  %s=%lld", run_fields[i].id, (long long)number);
        } else {
            memcpy(&text, at, sizeof(text));
            buf_addf(out, "  %s=\"%.*s\"", run_fields[i].id, STR_ARG(text));
        }
    }
    buf_addc(out, '\n');
}

static void read_all(struct str input, struct str map, const struct zone *zone, struct buf *out)
{
    const struct source_options options = {.zone = zone, .map = map};
    struct error err = {0};
    struct arena arena = {0};
    void *format = NULL;
    if (csv_driver.open(input, &options, &format, &err)) {
        expect_fail("%s", err.text);
    }
    struct source_cursor cursor = {.rest = input, .next_line = 1, .arena = &arena};
    for (enum source_step step = SOURCE_SKIP; step != SOURCE_END;) {
        struct run run = {0};
        step = csv_driver.next(format, &cursor, &run, &err);
        if (step == SOURCE_RECORD) {
            buf_addf(out, "%llu:", (unsigned long long)cursor.line);
            print_run(out, &run);
        } else if (step == SOURCE_REJECT) {
            buf_addf(out, "%llu: %s\n", (unsigned long long)cursor.line, err.text);
        }
    }
    csv_driver.close(format);
    arena_release(&arena);
}

struct file_row {
    const char *name;
};

static const struct file_row file_rows[] = {{"table.csv"}, {"lines.jsonl"}};

static void file_says_what_it_should(void **state)
{
    const struct file_row *row = *state;
    struct buf input;
    struct buf map;
    struct buf want;
    struct buf got;
    struct zone *zone = NULL;
    struct error err = {0};
    char name[256];
    assert_int_equal(zone_open("Europe/Oslo", &zone, &err), 0);
    read_file(row->name, &input);
    (void)snprintf(name, sizeof(name), "%s.map", row->name);
    read_file(name, &map);
    buf_init(&got, FILE_MAX);
    read_all(buf_str(&input), buf_str(&map), zone, &got);
    (void)snprintf(name, sizeof(name), "%s.runs", row->name);
    if (getenv("STINT_UPDATE")) {
        char path[1024];
        (void)snprintf(path, sizeof(path), "%s/csv/%s", TEST_FIXTURES, name);
        expect_int(file_write(path, buf_str(&got), &err), 0);
    }
    read_file(name, &want);
    expect_text(got.ptr, want.ptr);
    zone_close(zone);
    buf_release(&input);
    buf_release(&map);
    buf_release(&want);
    buf_release(&got);
}

struct map_row {
    const char *name;
    const char *map;
    const char *error; /* NULL: it is good */
};

#define TITLES "a,b,c\n1,2,3\n"

static const struct map_row map_rows[] = {
    {"a job is enough", "job = a", NULL},
    {"comments and empty lines", "\n# x\n  job  =  a  \r\n", NULL},
    {"no job", "user = a", "no column for the job"},
    {"nothing", "", "no column for the job"},
    {"a field that is none", "jobb = a", "line 1: 'jobb' is not a field"},
    {"a field that is not a map's", "job = a\nline = b", "line 2: 'line' is not a field"},
    {"a column that is not there", "job = x", "'x' is not among the titles: a,b,c"},
    {"a unit that is none", "job = a\nmem_peak = b in furlongs", "'furlongs' is not a unit"},
    {"a unit of another kind", "job = a\nmem_peak = b in h", "'h' is not a unit"},
    {"a time that is none", "job = a\ncpus = b as %Y", "'cpus' is not a time"},
    {"a class that is none", "job = a\nclass OK = fine", "'fine' is not a class"},
    {"a line without =", "job a", "'job a' has no ="},
    {"a field without a column", "job =", "wants a column"},
    {"a separator of two bytes", "separator = ::\njob = a", "is not a separator"},
};

static void map_is_read(void **state)
{
    const struct map_row *row = *state;
    const struct source_options options = {.map = str_of(row->map)};
    struct error err = {0};
    void *format = NULL;
    int failed = csv_driver.open(STR(TITLES), &options, &format, &err);
    expect_int(failed != 0, row->error != NULL);
    if (failed) {
        expect_int(failed, ERROR_USAGE);
        expect_contains(err.text, row->error);
    } else {
        csv_driver.close(format);
    }
}

static void without_a_map_it_says_what_to_do(void **state)
{
    (void)state;
    const struct source_options options = {0};
    struct error err = {0};
    void *format = NULL;
    expect_int(csv_driver.open(STR(TITLES), &options, &format, &err), ERROR_USAGE);
    expect_contains(err.text, "--map FILE");
}

struct line_row {
    const char *name;
    const char *line;
    const char *says; /* part of what is printed of it */
};

static const struct line_row line_rows[] = {
    {"a number that is none", "1,many,1740816600\n", "b 'many' is not a number"},
    {"a time that is none", "1,2,yesterday\n", "c 'yesterday' is not a time"},
    {"a day is not a time", "1,2,2025-03-01\n", "c '2025-03-01' is not a time"},
    {"a year that is too late", "1,2,9999-12-31T00:00:00\n",
     "c '9999-12-31T00:00:00' is not a time of the years 1970 to 2260"},
    {"a column too few", "1,2\n", "has 2 columns, 'c' is number 3"},
    {"columns too many", "1,2,1740816600,4,5\n", "cpus=2"},
    {"quotes", "\"1\",\"2\",\"1740816600\"\n", "cpus=2"},
    {"a quote that does not end", "\"1,2,3\n", "has a quote that is not closed"},
    {"no job", ",2,1740816600\n", "has no job"},
    {"a line without its end", "1,2,1740816600", "has no line end"},
    {"a size", "1,2,1740816600\n", "start=1740816600000000"},
};

static void line_is_read(void **state)
{
    const struct line_row *row = *state;
    char file[256];
    struct buf out;
    (void)snprintf(file, sizeof(file), "a,b,c\n%s", row->line);
    buf_init(&out, FILE_MAX);
    read_all(str_of(file), STR("job = a\ncpus = b\nstart = c"), NULL, &out);
    expect_contains(out.ptr, row->says);
    buf_release(&out);
}

struct time_row {
    const char *name; /* the text */
    const char *pattern;
    int64_t seconds; /* -1: cannot be read */
};

static const struct time_row time_rows[] = {
    {"2025-03-01 08:00:00", "%Y-%m-%d %H:%M:%S", 1740816000},
    {"01/03/25 08:00", "%d/%m/%y %H:%M", 1740816000},
    {"Mar 1 2025 08:00:00", "%b %d %Y %H:%M:%S", 1740816000},
    {"2025-03-01T09:00:00+0100", "%Y-%m-%dT%H:%M:%S%z", 1740816000},
    {"2025-03-01T09:00:00+01:00", "%Y-%m-%dT%H:%M:%S%z", 1740816000},
    {"2025-03-01T08:00:00Z", "%Y-%m-%dT%H:%M:%S%z", 1740816000},
    {"2025-03-01T08:00:00.25", "%Y-%m-%dT%H:%M:%S.%f", 1740816000},
    {"20250301080000", "%Y%m%d%H%M%S", 1740816000},
    {"2025-02-30 08:00:00", "%Y-%m-%d %H:%M:%S", -1},
    {"2025-03-01 08:00:00 x", "%Y-%m-%d %H:%M:%S", -1},
    {"2025-03-01 08:61:00", "%Y-%m-%d %H:%M:%S", -1},
    {"2025-03-01", "%Y-%m-%d %H:%M:%S", -1},
    {"", "%Y", -1},
    {"2025", "%Q", -1},
};

static void time_is_read(void **state)
{
    const struct time_row *row = *state;
    struct zone *zone = NULL;
    struct error err = {0};
    int64_t instant = 0;
    assert_int_equal(zone_open("UTC", &zone, &err), 0);
    bool good = csv_value_time(str_of(row->name), str_of(row->pattern), zone, &instant);
    expect_int(good ? instant / SECOND_US : -1, row->seconds);
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, file_says_what_it_should, file_rows);
    SUITE_ROWS(&suite, map_is_read, map_rows);
    SUITE_TEST(&suite, without_a_map_it_says_what_to_do);
    SUITE_ROWS(&suite, line_is_read, line_rows);
    SUITE_ROWS(&suite, time_is_read, time_rows);
    return suite_run(&suite, "csv");
}
