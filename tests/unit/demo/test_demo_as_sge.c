/* SPDX-License-Identifier: MIT */
#include "demo/demo_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "demo/demo_text.h"
#include "support/expect.h"

static const struct demo_run sample = {
    .cluster = {"birch", 5},
    .queue = {"long.q", 6},
    .host = {"birch07", 7},
    .user = {"bob", 3},
    .group = {"chem", 4},
    .department = {"science", 7},
    .name = {"relax", 5},
    .job = 1234,
    .submit_s = 1700000000,
    .start_s = 1700000600,
    .end_s = 1700007800,
    .slots = 1,
    .limit_s = 86400,
    .limit_vmem_mb = 1500,
    .outcome = DEMO_DONE,
    .use = {.user_us = 6900500000,
            .system_us = 120200001,
            .wait_io_us = 7,
            .mem_micro_gb_s = 88000500000,
            .io_micro_gb = 1200000,
            .vmem_bytes = 2147483648,
            .rss_kb = 204800,
            .faults = 5000,
            .major_faults = 3,
            .blocks_in = 16,
            .blocks_out = 808,
            .switches = 4500,
            .forced_switches = 27},
};

static void expect_rows(const struct demo_run *run, const char *want)
{
    char text[8 * DEMO_ROW_MAX];
    const char *end = demo_as_sge.append(text, run);
    expect_text_n(text, (size_t)(end - text), want);
}

static void a_serial_run_is_one_row(void **state)
{
    (void)state;
    expect_rows(
        &sample,
        "long.q:birch07:chem:bob:relax:1234:sge:0:1700000000:1700000600:1700007800:0:0:"
        "7200:6900.500000:120.200001:204800.000000:0:0:0:0:5000:3:0:16.000000:808:0:0:0:"
        "4500:27:NONE:science:NONE:1:0:7020.700001:88000.500000:1.200000:"
        "-u bob -l h_rt=86400,h_vmem=1500M:0.000007:NONE:2147483648.000000:0:0\n");
}

static void a_request_names_all_it_asks_for(void **state)
{
    (void)state;
    struct demo_run run = sample;
    run.asks_queue = true;
    run.gpus = 2;
    run.limit_vmem_mb = 4096;
    run.parallel = STR("smp");
    run.slots = 8;
    run.project = STR("p2041");
    run.task = 17;
    expect_rows(
        &run, "long.q:birch07:chem:bob:relax:1234:sge:0:1700000000:1700000600:1700007800:0:0:"
              "7200:6900.500000:120.200001:204800.000000:0:0:0:0:5000:3:0:16.000000:808:0:0:0:"
              "4500:27:p2041:science:smp:8:17:7020.700001:88000.500000:1.200000:"
              "-u bob -q long.q -l gpu=2,h_rt=86400,h_vmem=4G -pe smp 8 -P p2041:"
              "0.000007:NONE:2147483648.000000:0:0\n");
}

static void slaves_come_before_their_master(void **state)
{
    (void)state;
    struct demo_part parts[2] = {
        {.host = STR("birch08"), .slots = 2, .use = {.user_us = 1000000, .rss_kb = 100}},
        {.host = STR("birch11"), .slots = 1, .use = {.system_us = 5}},
    };
    struct demo_run run = sample;
    run.use = (struct demo_use){.user_us = 2000000};
    run.parallel = STR("mpi");
    run.slots = 5;
    run.parts = parts;
    run.part_count = 2;
    run.split = true;
#define HEAD(host)                                                                             \
    "long.q:" host ":chem:bob:relax:1234:sge:0:1700000000:1700000600:1700007800:0:0:7200:"
#define TAIL    "-u bob -l h_rt=86400,h_vmem=1500M -pe mpi 5:0.000000:"
#define NOTHING ":0:0:0:0:0:0:0:0.000000:0:0:0:0:0:0:NONE:science:mpi:5:0:"
    expect_rows(
        &run,
        HEAD("birch08") "1.000000:0.000000:100.000000" NOTHING
                        "1.000000:0.000000:0.000000:" TAIL "1.birch08:0.000000:0:0\n" HEAD(
                            "birch11") "0.000000:0.000005:0.000000" NOTHING
                                       "0.000005:0.000000:0.000000:" TAIL
                                       "2.birch11:0.000000:0:0\n" HEAD(
                                           "birch07") "2.000000:0.000000:0.000000" NOTHING
                                                      "2.000000:0.000000:0.000000:" TAIL
                                                      "NONE:0.000000:0:0\n");
}

struct end_row {
    const char *name;
    enum demo_outcome outcome;
    int exit_status;
    int64_t job;
    const char *want; /* fields failed and exit_status */
};

static const struct end_row end_rows[] = {
    {"done", DEMO_DONE, 0, 1, ":0:0:"},
    {"exit status", DEMO_EXITED, 3, 1, ":0:3:"},
    {"a shell tells of a crash", DEMO_CRASHED, 139, 1, ":0:139:"},
    {"killed by its own signal", DEMO_CRASHED, 139, 3, ":100:139:"},
    {"h_vmem", DEMO_OUT_OF_MEMORY, 137, 1, ":100:137:"},
    {"h_rt", DEMO_OUT_OF_TIME, 137, 1, ":37:137:"},
    {"qdel", DEMO_DELETED, 137, 1, ":100:137:"},
    {"restarted", DEMO_RESTARTED, 0, 1, ":25:0:"},
    {"before job", DEMO_NOT_STARTED, 0, 4, ":1:0:"},
    {"no output file", DEMO_NOT_STARTED, 0, 2, ":26:0:"},
    {"no working directory", DEMO_NOT_STARTED, 0, 3, ":28:0:"},
};

static void failed_says_what_happened(void **state)
{
    const struct end_row *row = *state;
    struct demo_run run = sample;
    run.outcome = row->outcome;
    run.exit_status = row->exit_status;
    run.job = row->job;
    char text[DEMO_ROW_MAX];
    *demo_as_sge.append(text, &run) = '\0';
    const char *at = strstr(text, ":1700007800:");
    expect_true(at != NULL);
    at += strlen(":1700007800");
    expect_text_n(at, strlen(row->want), row->want);
}

static void a_run_that_never_started_has_no_times(void **state)
{
    (void)state;
    struct demo_run run = sample;
    run.outcome = DEMO_NOT_STARTED;
    run.start_s = run.end_s = 0;
    run.use = (struct demo_use){0};
    char text[DEMO_ROW_MAX];
    *demo_as_sge.append(text, &run) = '\0';
    expect_contains(text, ":1700000000:0:0:26:0:0:0.000000:0.000000:");
}

static void numbers_are_those_of_printf(void **state)
{
    (void)state;
    static const int64_t values[] = {0,
                                     1,
                                     9,
                                     10,
                                     99,
                                     100,
                                     101,
                                     999,
                                     1000,
                                     9999999,
                                     999999,
                                     1000000,
                                     1000001,
                                     123456789012345,
                                     INT64_C(1000000000000000000),
                                     INT64_C(999999999999999999),
                                     INT64_MAX};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char want[64];
        char got[64];
        snprintf(want, sizeof(want), "%" PRId64, values[i]);
        *demo_text_int(got, values[i]) = '\0';
        expect_text(got, want);
        snprintf(want, sizeof(want), "%" PRId64 ".%06" PRId64, values[i] / 1000000,
                 values[i] % 1000000);
        *demo_text_micro(got, values[i]) = '\0';
        expect_text(got, want);
    }
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    for (const struct demo_format *const *format = demo_formats; *format; format++) {
        expect_true(demo_format_find((*format)->name) == *format);
    }
    expect_true(demo_format_find("nosuch") == NULL);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_serial_run_is_one_row);
    SUITE_TEST(&suite, a_request_names_all_it_asks_for);
    SUITE_TEST(&suite, slaves_come_before_their_master);
    SUITE_ROWS(&suite, failed_says_what_happened, end_rows);
    SUITE_TEST(&suite, a_run_that_never_started_has_no_times);
    SUITE_TEST(&suite, numbers_are_those_of_printf);
    SUITE_TEST(&suite, formats_are_found_by_name);
    return suite_run(&suite, "demo_as_sge");
}
