/* SPDX-License-Identifier: MIT */
#include "source/swf/swf.h"

#include "unit/source/peer.h"

/*
 * What becomes of columns and comments, shape by shape, and of the archive's files in $STINT_DATA.
 */

struct row_row {
    const char *name;
    const char *line;
    enum source_step step;
    const struct want *wants;
};

static const struct row_row row_rows[] = {
    {"a usual row", "1 0 600 3600 32 3500 -1 32 7200 -1 1 5 6 7 1 1 -1 -1", SOURCE_RECORD,
     WANTS({"job", "1"}, {"cpus", "32"}, {"start", "1740816600000000"},
           {"end", "1740820200000000"}, {"cpu_used", "112000000000"}, {"user", "5"},
           {"class", "completed"})},
    {"-1 is absent", "1 0 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1", SOURCE_RECORD,
     WANTS({"start", NULL}, {"end", NULL}, {"cpus", NULL}, {"user", NULL}, {"group", NULL},
           {"partition", NULL}, {"state", NULL}, {"class", "other"}, {"time_limit", NULL},
           {"req_mem", NULL}, {"submit", "1740816000000000"})},
    {"a run time of -1 has no end", "1 0 5 -1 8 240379 -1 8 345600 -1 -1 5 1 -1 -1 1 -1 -1",
     SOURCE_RECORD,
     WANTS({"start", "1740816005000000"}, {"end", NULL}, {"cpus", "8"},
           {"cpu_used", "1923032000000"}, {"class", "other"})},
    {"cpu time with a point", "1 0 5 553 40 552.21 -1 40 43200 -1 1 4 1 -1 -1 1 -1 -1",
     SOURCE_RECORD, WANTS({"cpu_used", "22088400000"})},
    {"more columns than eighteen",
     "1 0 5 553 4 1 -1 4 43200 -1 1 4 1 -1 -1 1 -1 -1 {12,12} q_1d 1:ppn=4#excl", SOURCE_RECORD,
     WANTS({"cpus", "4"})},
    {"times with a point", "1 10.25 0.5 1.125 4 1 -1 4 43200 -1 1 4 1 -1 -1 1 -1 -1",
     SOURCE_RECORD,
     WANTS({"submit", "1740816010250000"}, {"start", "1740816010750000"},
           {"end", "1740816011875000"})},
    {"a line of titles is refused", "Job\tSubmit\tWait\tRun", SOURCE_REJECT, NULL},
    {"tabs between columns", "1\t0\t5\t6\t4\t1\t-1\t4\t9\t-1\t1\t4\t1\t-1\t-1\t1\t-1\t-1",
     SOURCE_RECORD, WANTS({"cpus", "4"})},
    {"cancelled while it waited", "1 0 50 -1 -1 -1 -1 4 9 -1 5 4 1 -1 -1 1 -1 -1",
     SOURCE_RECORD,
     WANTS({"start", NULL}, {"end", "1740816050000000"}, {"cpus", NULL},
           {"class", "cancelled"})},
    {"cancelled while it ran", "1 0 50 7 4 -1 -1 4 9 -1 5 4 1 -1 -1 1 -1 -1", SOURCE_RECORD,
     WANTS({"start", "1740816050000000"}, {"cpus", "4"}, {"class", "cancelled"})},
    {"a wait that is not known stays so", "1 0 -1 7 4 -1 -1 4 9 -1 1 4 1 -1 -1 1 -1 -1",
     SOURCE_RECORD,
     WANTS({"submit", NULL}, {"start", "1740816000000000"}, {"end", "1740816007000000"})},
    {"neither wait nor time to run: it ran for no time, and its wait stays unknown",
     "1 0 -1 0 4 -1 -1 4 9 -1 1 4 1 -1 -1 1 -1 -1", SOURCE_RECORD,
     WANTS({"submit", NULL}, {"start", "1740816000000000"}, {"end", "1740816000000000"},
           {"cpus", "4"}, {"class", "completed"})},
    {"the same where nobody says how it ended", "1 0 -1 0 4 -1 -1 4 9 -1 -1 4 1 -1 -1 1 -1 -1",
     SOURCE_RECORD,
     WANTS({"submit", NULL}, {"start", "1740816000000000"}, {"end", "1740816000000000"},
           {"class", "other"})},
    {"failed at once", "1 0 -1 0 -1 -1 -1 4 9 -1 0 4 1 -1 -1 1 -1 -1", SOURCE_RECORD,
     WANTS({"start", "1740816000000000"}, {"end", "1740816000000000"}, {"class", "failed"})},
    {"cancelled, and no wait is known", "1 0 -1 0 -1 -1 -1 4 9 -1 5 4 1 -1 -1 1 -1 -1",
     SOURCE_RECORD,
     WANTS({"submit", "1740816000000000"}, {"start", NULL}, {"end", NULL},
           {"class", "cancelled"})},
    {"completed, so it started, though neither wait nor run time is known",
     "1 0 -1 -1 4 -1 -1 4 9 -1 1 4 1 -1 -1 1 -1 -1", SOURCE_RECORD,
     WANTS({"submit", NULL}, {"start", "1740816000000000"}, {"end", NULL}, {"cpus", "4"})},
    {"no submission: nothing says when it ran", "1 -1 5 7 4 -1 -1 4 9 -1 1 4 1 -1 -1 1 -1 -1",
     SOURCE_REJECT, NULL},
    {"a piece of a job is no run", "1 0 50 7 4 -1 -1 4 9 -1 2 4 1 -1 -1 1 -1 -1", SOURCE_SKIP,
     NULL},
    {"processors asked for where those given are not known",
     "1 0 5 7 -1 -1 -1 4 9 1024 1 4 1 -1 -1 1 -1 -1", SOURCE_RECORD,
     WANTS({"cpus", "4"}, {"req_mem", "4194304"})},
    {"a queue with a name", "1 0 5 7 1 -1 -1 4 9 -1 1 4 1 -1 3 1 -1 -1", SOURCE_RECORD,
     WANTS({"partition", "night"})},
    {"numbers beyond any clock",
     "1 9000000000000 5 9000000000000 1 9000000000000 9000000000000 1 1 1 1 1 1 1 1 1 1 1",
     SOURCE_REJECT, NULL},
    {"seventeen columns", "1 0 5 553 4 1 -1 4 43200 -1 1 4 1 -1 -1 1 -1", SOURCE_REJECT, NULL},
};

static void row_becomes_its_run(void **state)
{
    const struct row_row *row = *state;
    char file[1024];
    (void)snprintf(file, sizeof(file),
                   "; UnixStartTime: 1740816000\n; Queue: 3 night, all of it\n%s\n", row->line);
    const struct source_options options = {0};
    struct arena arena = {0};
    struct error err = {0};
    void *format = NULL;
    assert_int_equal(swf_driver.open(str_of(file), &options, &format, &err), 0);
    struct source_cursor cursor = {.rest = str_of(row->line), .next_line = 1, .arena = &arena};
    struct run run = {0};
    expect_int(swf_driver.next(format, &cursor, &run, &err), row->step);
    if (row->wants) {
        expect_wants(&run, row->wants);
    }
    swf_driver.close(format);
    arena_release(&arena);
}

struct head_row {
    const char *name;
    const char *head;
    int64_t submit_s; /* of a job submitted 10 s after the beginning; -1: nobody can say */
};

#define ROW "1 10 5 6 4 1 -1 4 9 -1 1 4 1 -1 -1 1 -1 -1\n"

static const struct head_row head_rows[] = {
    {"the instant", "; UnixStartTime: 1740816000\n; StartTime: Thu Jan  1 00:00:00 1970\n" ROW,
     1740816010},
    {"the clock, in a zone",
     "; StartTime: Sat Mar  1 09:00:00 CET 2025\n; TimeZoneString: Europe/Oslo\n" ROW,
     1740816010},
    {"the clock, in summer",
     "; TimeZoneString: Europe/Oslo\n;StartTime: Sun Jun  1 10:00:00 CEST 2025\n" ROW,
     1748764810},
    {"the clock, with an offset",
     "; StartTime: Sat Mar 1 10:00:00 2025\n; TimeZone: 7200\n" ROW, 1740816010},
    {"the clock alone is UTC", "; StartTime: Sat Mar 1 08:00:00 UTC 2025\n" ROW, 1740816010},
    {"a zone that does not exist is passed over",
     "; StartTime: Sat Mar 1 08:00:00 2025\n; TimeZoneString: Nowhere/Land\n" ROW, 1740816010},
    {"nothing", "; Version: 2.2\n" ROW, -1},
    {"a clock that is none", "; StartTime: some day\n" ROW, -1},
};

static void head_says_when(void **state)
{
    const struct head_row *row = *state;
    const struct source_options options = {0};
    struct error err = {0};
    struct arena arena = {0};
    void *format = NULL;
    int failed = swf_driver.open(str_of(row->head), &options, &format, &err);
    expect_int(failed != 0, row->submit_s < 0);
    if (failed) {
        expect_contains(err.text, "UnixStartTime");
        return;
    }
    struct source_cursor cursor = {.rest = STR(ROW), .next_line = 1, .arena = &arena};
    struct run run = {0};
    expect_int(swf_driver.next(format, &cursor, &run, &err), SOURCE_RECORD);
    expect_int(run.submit, row->submit_s * SECOND_US);
    swf_driver.close(format);
    arena_release(&arena);
}

/* --- the archive ------------------------------------------------------------------------------ */

struct sums {
    int records, rejects, endless;
    int64_t processor_seconds;
    int64_t first_submit;
};

static struct sums sum_file(const char *name)
{
    const struct source_options options = {0};
    struct sums sums = {0};
    struct buf file;
    struct arena arena = {0};
    struct error err = {0};
    void *format = NULL;
    peer_file(name, &file);
    assert_int_equal(swf_driver.open(buf_str(&file), &options, &format, &err), 0);
    struct source_cursor cursor = {.rest = buf_str(&file), .next_line = 1, .arena = &arena};
    for (enum source_step step = SOURCE_SKIP; step != SOURCE_END;) {
        struct run run = {0};
        step = swf_driver.next(format, &cursor, &run, &err);
        sums.rejects += step == SOURCE_REJECT;
        if (step == SOURCE_RECORD) {
            sums.first_submit = sums.records == 0 ? run.submit : sums.first_submit;
            sums.records++;
            sums.endless += !RUN_HAS(&run, end);
            if (RUN_HAS(&run, end)) {
                sums.processor_seconds += (run.end - run.start) / SECOND_US * run.cpus;
            }
        }
    }
    swf_driver.close(format);
    arena_release(&arena);
    buf_release(&file);
    return sums;
}

static void hpc2n_is_as_it_is_known(void **state)
{
    (void)state;
    struct sums sums = sum_file("swf/hpc2n.swf");
    expect_int(sums.records, 3170);
    expect_int(sums.rejects, 0);
    expect_int(sums.endless, 25);
    expect_int(sums.processor_seconds, 503655194);
    expect_int(sums.first_submit, INT64_C(1027839845) * SECOND_US);
}

/* No head, instants for times, columns too many. */
static void wagap_is_read_whole(void **state)
{
    (void)state;
    struct sums sums = sum_file("swf/wagap-2013.swf");
    expect_true(sums.records > 1000);
    expect_int(sums.rejects, 0);
    expect_int(sums.first_submit, INT64_C(1356996147) * SECOND_US);
}

static void a_file_that_says_no_time_is_refused(void **state)
{
    (void)state;
    const struct source_options options = {0};
    struct buf file;
    struct error err = {0};
    void *format = NULL;
    peer_file("swf/accasim-workload.swf", &file);
    expect_int(swf_driver.open(buf_str(&file), &options, &format, &err), ERROR_INPUT);
    expect_contains(err.text, "UnixStartTime");
    buf_release(&file);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, row_becomes_its_run, row_rows);
    SUITE_ROWS(&suite, head_says_when, head_rows);
    SUITE_TEST(&suite, hpc2n_is_as_it_is_known);
    SUITE_TEST(&suite, wagap_is_read_whole);
    SUITE_TEST(&suite, a_file_that_says_no_time_is_refused);
    return suite_run(&suite, "swf");
}
