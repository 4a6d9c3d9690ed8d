/* SPDX-License-Identifier: MIT */

/*
 * Samples come in as runs do: in batches of any size, stopped anywhere, from a file that grows.
 */
#include "ingest/ingest.h"

#include "base/limit.h"
#include "base/zone.h"
#include "source/sonar/sonar.h"
#include "unit/ingest/own_toy.h"

enum { LINES = 400, MOST = 1 << 20 };

static const char content[] =
    "SELECT * EXCLUDE (file, line, batch) FROM samples ORDER BY cluster, node, \"time\", pid";

static void add_line(struct buf *text, int i)
{
    buf_addf(text,
             "v=0.14.0,time=2025-03-01T%02d:%02d:00Z,host=n%d,user=ann,cmd=fit,job=%d,pid=%d,"
             "cputime_sec=%d\n",
             i / 60 % 24, i % 60, i % 3, i % 5 + 1, i % 7 + 1, i);
}

static void add_envelope(struct buf *text, int i)
{
    buf_addf(
        text,
        "{\"meta\":{\"producer\":\"sonar\",\"version\":\"0.18.0\"},\"data\":{\"type\":"
        "\"sample\",\"attributes\":{\"time\":\"2025-03-01T%02d:%02d:00Z\",\"node\":\"n%d\","
        "\"jobs\":[{\"job\":1,\"user\":\"ann\",\"processes\":[{\"cmd\":\"fit\",\"pid\":7,"
        "\"cpu_time\":%d},{\"cmd\":\"sh\",\"pid\":8}]}]}}}%s",
        i / 60 % 24, i % 60, i % 3, i, i % 2 ? "\n" : "\n\n");
}

static void write_file(const char *name, void (*add)(struct buf *text, int i))
{
    struct buf text;
    buf_init(&text, MOST);
    for (int i = 0; i < LINES; i++) {
        add(&text, i);
    }
    expect_false(text.overflow);
    toy_write(&toy, name, buf_str(&text));
    buf_release(&text);
}

static struct ingest_options sonar_options(const char *name)
{
    struct ingest_options options = toy_options(&toy, name);
    options.driver = &sonar_driver;
    options.cluster_of_records = true;
    return options;
}

struct form_row {
    const char *name;
    void (*add)(struct buf *text, int i);
    int64_t samples;
};

static const struct form_row form_rows[] = {
    {"a table", add_line, LINES},
    {"JSON", add_envelope, 2 * LINES},
};

static void batches_of_any_size_are_the_same(void **state)
{
    const struct form_row *row = *state;
    static const uint64_t sizes[] = {0, 1, 1000, 20000};
    char *want = NULL;
    toy_open(&toy);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        toy_empty(&toy);
        write_file("samples", row->add);
        struct ingest_options options = sonar_options("samples");
        options.batch_bytes = sizes[i];
        struct ingest_summary summary = toy_import_as(&toy, &options);
        expect_int(summary.records, row->samples);
        expect_int(summary.added, row->samples);
        expect_int(toy_number(&toy, "SELECT count(*) FROM batches WHERE what <> 'sample'"), 0);
        char *got = toy_query(&toy, content);
        if (want) {
            expect_text(got, want);
        }
        free(want);
        want = got;
    }
    free(want);
    toy_close(&toy);
}

/* Whatever was committed before the end is not read again, and nothing is told twice. */
static void a_file_cut_anywhere_and_then_whole_is_the_same(void **state)
{
    const struct form_row *row = *state;
    static const size_t cuts[] = {1, 99, 1234, 20011};
    struct buf text;
    toy_open(&toy);
    buf_init(&text, MOST);
    for (int i = 0; i < LINES; i++) {
        row->add(&text, i);
    }
    toy_write(&toy, "whole", buf_str(&text));
    struct ingest_options whole = sonar_options("whole");
    (void)toy_import_as(&toy, &whole);
    char *want = toy_query(&toy, content);
    for (size_t i = 0; i < COUNT_OF(cuts); i++) {
        struct ingest_summary summary;
        struct error err = {0};
        toy_empty(&toy);
        toy_write(&toy, "grows", (struct str){text.ptr, cuts[i]});
        struct ingest_options options = sonar_options("grows");
        options.batch_bytes = 3000;
        const int failed = ingest_file(toy.facts, &options, &summary, &err);
        expect_true(failed == 0 || cuts[i] < 100); /* nothing of it can be read yet */
        toy_append(&toy, "grows", (struct str){text.ptr + cuts[i], text.len - cuts[i]});
        (void)toy_import_as(&toy, &options);
        char *got = toy_query(&toy, content);
        expect_text(got, want);
        free(got);
    }
    free(want);
    buf_release(&text);
    toy_close(&toy);
}

static void signs_of_life_tell_how_far_a_file_reaches(void **state)
{
    (void)state;
    toy_open(&toy);
    toy_write(&toy, "beats",
              STR("v=0.14.0,time=2025-03-01T00:00:00Z,host=n1,user=_sonar_,cmd=_heartbeat_\n"
                  "v=0.14.0,time=2025-03-01T01:00:00Z,host=n1,user=ann,cmd=fit,pid=7\n"
                  "v=0.14.0,time=2025-03-01T02:00:00Z,host=n1,user=_sonar_,cmd=_heartbeat_\n"));
    struct ingest_options options = sonar_options("beats");
    struct ingest_summary summary = toy_import_as(&toy, &options);
    expect_int(summary.records, 1);
    expect_int(summary.alive, 2);
    expect_int(summary.last_time - summary.first_time, 2 * HOUR_US);
    toy_expect(&toy, "SELECT count(*), max(last_time) - min(first_time) FROM batches",
               "1|7200000000\n");
    toy_expect(&toy, "SELECT count(*) FROM samples", "1\n");
    toy_close(&toy);
}

/* What is longer than any slice is skipped, and what follows is read. */
static void an_envelope_that_is_too_large_is_refused_alone(void **state)
{
    (void)state;
    struct buf text;
    toy_open(&toy);
    buf_init(&text, (size_t)2 * LIMIT_SLICE_MAX);
    add_envelope(&text, 1);
    buf_addz(&text,
             "{\"meta\":{\"producer\":\"sonar\"},\"data\":{\"type\":\"sample\",\"x\":\"");
    buf_fill(&text, 'x', LIMIT_SLICE_MAX + 1000);
    buf_addz(&text, "\"}}\n");
    add_envelope(&text, 2);
    toy_write(&toy, "large", buf_str(&text));
    struct ingest_options options = sonar_options("large");
    struct ingest_summary summary = toy_import_as(&toy, &options);
    expect_int(summary.records, 4);
    expect_int(summary.rejected, 1);
    expect_contains(summary.first_reject.text, "longer than");
    buf_release(&text);
    toy_close(&toy);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, batches_of_any_size_are_the_same, form_rows);
    SUITE_ROWS(&suite, a_file_cut_anywhere_and_then_whole_is_the_same, form_rows);
    SUITE_TEST(&suite, signs_of_life_tell_how_far_a_file_reaches);
    SUITE_TEST(&suite, an_envelope_that_is_too_large_is_refused_alone);
    return suite_run(&suite, "ingest_samples");
}
