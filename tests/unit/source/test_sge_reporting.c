/* SPDX-License-Identifier: MIT */
#include "unit/source/sge_reader.h"

/* Lines of the reporting file: which are runs, and which are passed over. */

#define ROW(exit_status)                                                                       \
    "1700007800:acct:long.q:node07:chem:bob:relax:1234:sge:0:1700000000:1700000600:"           \
    "1700007800:0:" exit_status                                                                \
    ":7200:6900.5:120.2:204800.0:0:0:0:0:5000:3:0:16.0:808:0:0:0:4500:27:NONE:"                \
    "defaultdepartment:NONE:4:0:7000.0:880.5:1.2:NONE:0.0:NONE:2147483648.0:0:0"

/* As 8.1.9 writes them: a job past two midnights, and what its accounting file has in one row. */
#define DAY(head, times, failed, used, cpu, vmem)                                              \
    head ":all.q:localhost:games:games:plain:1:sge:0:" times ":" failed ":" used               \
         ":NONE:defaultdepartment:smp:1:0:" cpu ":-pe smp 1:0.000000:NONE:" vmem ":0:0"
#define NO_USE "0:0.000000:0.000000:0.000000:0:0:0:0:0:0:0:0.000000:0:0:0:0:0:0"
#define ALL_USE                                                                                \
    "105:10.638673:0.144363:4576.000000:0:0:0:0:22629:0:0:0.000000:8:0:0:0:1191:2258"
#define FIRST_DAY                                                                              \
    DAY("1794754130:acct", "1794754056:1794754056:1794754130", "0:-1", NO_USE,                 \
        "6.760000:0.011528:0.001748", "3731456.000000")
#define SECOND_DAY                                                                             \
    DAY("1794754160:acct", "1794754056:1794754130:1794754160", "0:-1", NO_USE,                 \
        "3.390000:0.005802:0.000715", "3731456.000000")
#define LAST_DAY                                                                               \
    DAY("1794754163:acct", "1794754056:1794754160:1794754161", "0:0", ALL_USE,                 \
        "0.633036:0.000188:0.000026", "3731456.000000")
#define ACCOUNTED                                                                              \
    "all.q:localhost:games:games:plain:1:sge:0:1794754056:1794754056:1794754161:0:0:" ALL_USE  \
    ":NONE:defaultdepartment:smp:1:0:10.783036:0.017518:0.002489:-pe smp 1:0.000000:NONE:"     \
    "3731456.000000:0:0"
#define GIVEN_UP_DAY                                                                           \
    "1794754139:acct:all.q:localhost:news:news:again:2:sge:0:1794754056:1794754130:"           \
    "1794754139:25:-1:" NO_USE ":NONE:defaultdepartment:NONE:1:0:0.830000:0.001310:0.000182:"  \
    "NONE:0.000000:NONE:3592192.000000:0:0"
#define GIVEN_UP                                                                               \
    "all.q:localhost:news:news:again:2:sge:0:0:0:0:25:0:" NO_USE                               \
    ":NONE:defaultdepartment:NONE:1:0:0.000000:0.000000:0.000000:NONE:0.000000:NONE:0.000000:" \
    "0:0"

static const struct reported_row {
    const char *name, *line;
    enum source_step step;
} reported_rows[] = {
    {"an ended job", ROW("0"), SOURCE_RECORD},
    {"an ended job that failed", ROW("137"), SOURCE_RECORD},
    {"a job that goes on, at midnight", ROW("-1"), SOURCE_SKIP},
    {"the same without its sign", ROW("4294967295"), SOURCE_SKIP},
    {"the first midnight of a real one", FIRST_DAY, SOURCE_SKIP},
    {"its second", SECOND_DAY, SOURCE_SKIP},
    {"its end", LAST_DAY, SOURCE_RECORD},
    {"an attempt that was given up after a midnight", GIVEN_UP_DAY, SOURCE_RECORD},
    {"a midnight of a job with colons in its name",
     "1794754130:acct:all.q:localhost:games:games:a:b:c:1:sge:0:1794754056:1794754056:"
     "1794754130:0:-1:" NO_USE ":NONE:defaultdepartment:smp:1:0:6.760000:0.011528:0.001748:"
     "-pe smp 1:0.000000:NONE:3731456.000000:0:0",
     SOURCE_SKIP},
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

/* The run of one row, in each of the fields that tells which run it is and how long it was, is that of another. */
static void expect_same_run(struct str reported, struct str accounted)
{
    static const enum run_field fields[] = {RUN_job,       RUN_attempt,     RUN_submit,
                                            RUN_start,     RUN_end,         RUN_cpus,
                                            RUN_exit_code, RUN_cpu_user_us, RUN_cpu_system_us};

    struct sge_reading ours, theirs;
    sge_read(&ours, reported);
    sge_read(&theirs, accounted);
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        const struct field *field = &run_fields[fields[i]];
        expect_int(run_has(&ours.run, fields[i]), run_has(&theirs.run, fields[i]));
        if (run_has(&ours.run, fields[i])) {
            expect_int(*(int64_t *)((char *)&ours.run + field->offset),
                       *(int64_t *)((char *)&theirs.run + field->offset));
        }
    }
    expect_true(str_eq(ours.run.state, theirs.run.state));
    expect_true(str_eq(ours.run.class, theirs.run.class));
    sge_reading_release(&ours);
    sge_reading_release(&theirs);
}

static void the_rest_of_a_job_is_the_run_of_the_accounting_file(void **state)
{
    (void)state;
    expect_same_run(STR(LAST_DAY), STR(ACCOUNTED));
    struct sge_reading r;
    sge_read(&r, STR(LAST_DAY));
    expect_field(&r, flags, RUN_FLAG_USE_PARTIAL);
    expect_absent(&r, cpu_used_us);
    expect_absent(&r, mem_integral_gib_us);
    expect_absent(&r, io_bytes);
    expect_absent(&r, io_wait_us);
    expect_field(&r, mem_peak_bytes, 3731456);
    sge_reading_release(&r);
}

static void an_attempt_given_up_is_the_run_of_the_accounting_file(void **state)
{
    (void)state;
    expect_same_run(STR(GIVEN_UP_DAY), STR(GIVEN_UP));
    struct sge_reading r;
    sge_read(&r, STR(GIVEN_UP_DAY));
    expect_absent(&r, cpu_used_us);
    expect_absent(&r, mem_peak_bytes);
    sge_reading_release(&r);
}

/* Which rows are taken for a rest: start, end and wall time, and the start that comes of it. */
static const struct rest_row {
    const char *name, *times, *wall;
    int64_t start_s;
} rest_rows[] = {
    {"two clocks that differ by a second", "1700000000:1700000600:1700000700", "101",
     1700000600},
    {"by less than any midnight", "1700000000:1700000600:1700000700", "129", 1700000600},
    {"by as much as one may", "1700000000:1700000600:1700000700", "130", 1700000570},
    {"days", "1700000000:1700432000:1700432005", "431905", 1700000100},
    {"in milliseconds", "1700000000000:1700432000250:1700432005250", "431905.25", 1700000100},
    {"a wall time from before it was submitted", "1700000600:1700000610:1700000700", "7200",
     1700000610},
    {"a wall time of ages", "1700000000:1700000600:1700000700", "99999999999", 1700000600},
    {"no wall time", "1700000000:1700000600:1700000700", "nan", 1700000600},
    {"an end before the start", "1700000000:1700000600:1700000500", "400", 1700000600},
};

static void what_is_a_rest(void **state)
{
    const struct rest_row *row = *state;
    char line[1024];
    (void)snprintf(
        line, sizeof(line),
        "1700000701:acct:all.q:n1:chem:bob:fit:7:sge:0:%s:0:0:%s:1.5:0.5:0:0:0:0:0:0:"
        "0:0:0:0:0:0:0:0:0:NONE:defaultdepartment:NONE:1:0:2.0:0:0:NONE:0:NONE:0:0:0",
        row->times, row->wall);
    struct sge_reading r;
    sge_read(&r, str_of(line));
    expect_int(r.step, SOURCE_RECORD);
    expect_field(&r, start, row->start_s * 1000000);
    sge_reading_release(&r);
    /* The accounting file is never mended. */
    sge_read(&r, str_of(strstr(line, "all.q")));
    expect_int(r.run.start / 1000000,
               sge_instant(strtoll(strchr(row->times, ':') + 1, NULL, 10)) / 1000000);
    sge_reading_release(&r);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, rows_of_the_reporting_file, reported_rows);
    SUITE_TEST(&suite, an_ended_job_is_that_of_the_accounting_file);
    SUITE_TEST(&suite, the_rest_of_a_job_is_the_run_of_the_accounting_file);
    SUITE_TEST(&suite, an_attempt_given_up_is_the_run_of_the_accounting_file);
    SUITE_ROWS(&suite, what_is_a_rest, rest_rows);
    return suite_run(&suite, "sge_reporting");
}
