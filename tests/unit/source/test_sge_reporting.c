/* SPDX-License-Identifier: MIT */
#include "unit/source/sge_reader.h"

/* Lines of the reporting file: which are runs, and which are passed over. */

#define ROW(exit_status)                                                                       \
    "1700007800:acct:long.q:node07:chem:bob:relax:1234:sge:0:1700000000:1700000600:"           \
    "1700007800:0:" exit_status                                                                \
    ":7200:6900.5:120.2:204800.0:0:0:0:0:5000:3:0:16.0:808:0:0:0:4500:27:NONE:"                \
    "defaultdepartment:NONE:4:0:7000.0:880.5:1.2:NONE:0.0:NONE:2147483648.0:0:0"

static const struct reported_row {
    const char *name, *line;
    enum source_step step;
} reported_rows[] = {
    {"an ended job", ROW("0"), SOURCE_RECORD},
    {"an ended job that failed", ROW("137"), SOURCE_RECORD},
    {"a job that goes on, at midnight", ROW("-1"), SOURCE_SKIP},
    {"the same without its sign", ROW("4294967295"), SOURCE_SKIP},
    {"a new job", "1700000000:new_job:1700000000:5:-1:NONE:a:ann:ann::d:sge:1024", SOURCE_SKIP},
    {"a change of state",
     "1700000000:job_log:1700000000:sent:5:1:NONE:t:master:n1:0:1024:1700000000:a:ann:ann::d:"
     "sge:sent to execd",
     SOURCE_SKIP},
    {"a queue", "1700000000:queue:all.q:n1:1700000000:u", SOURCE_SKIP},
    {"a row cut short", "1700000000:acct:long.q:node07:chem", SOURCE_REJECT},
    {"a queue of the accounting file that is a number", "1700000000:node07:chem:bob",
     SOURCE_REJECT},
};

static void rows_of_the_reporting_file(void **state)
{
    const struct reported_row *row = *state;
    struct sge_reading r;
    sge_read(&r, str_of(row->line));
    expect_int(r.step, row->step);
    sge_reading_release(&r);
}

/* The same run as of the accounting file, but for how many bytes the record has. */
static void an_ended_job_is_that_of_the_accounting_file(void **state)
{
    (void)state;
    struct sge_reading r;
    sge_read(&r, STR(ROW("0")));
    expect_field(&r, job, 1234);
    expect_field(&r, cpus, 4);
    expect_field(&r, start, INT64_C(1700000600000000));
    expect_field(&r, end, INT64_C(1700007800000000));
    expect_field(&r, attempt, INT64_C(1700000600000000));
    expect_field_text(&r, user, "bob");
    expect_field_text(&r, partition, "long.q");
    sge_reading_release(&r);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, rows_of_the_reporting_file, reported_rows);
    SUITE_TEST(&suite, an_ended_job_is_that_of_the_accounting_file);
    return suite_run(&suite, "sge_reporting");
}
