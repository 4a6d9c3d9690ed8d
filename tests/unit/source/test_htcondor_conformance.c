/* SPDX-License-Identifier: MIT */
#include "source/htcondor/htcondor.h"
#include "unit/source/peer.h"

/*
 * The driver against what APEL made of the same lines. Where we differ on purpose the table below
 * says so; docs/sources/htcondor.md says why.
 */

static const struct peer_key apel_keys[] = {
    {"JobName", PEER_NOT_KEPT, 0}, /* compared below */
    {"LocalUserID", PEER_TEXT, RUN_user},
    {"LocalUserGroup", PEER_TEXT, RUN_group},
    {"WallDuration", PEER_NOT_KEPT, 0}, /* compared below */
    {"CpuDuration", PEER_NOT_KEPT, 0},
    {"StartTime", PEER_SECONDS, RUN_start},
    {"StopTime", PEER_SECONDS, RUN_end},
    {"MemoryReal", PEER_KIB, RUN_mem_peak_bytes},
    {"MemoryVirtual", PEER_KIB, RUN_vmem_peak_bytes},
    {"NodeCount", PEER_NOT_KEPT, 0}, /* 0 in all of them: the line does not say */
    {"Processors", PEER_INT, RUN_cpus},
};

static const struct peer_exception apel_exceptions[] = {
    {1234567,
     "StartTime"}, /* 19 s of wall time between times 5.5 hours apart: several attempts */
};

/*
 * Theirs is the measured one times the last field, which we leave alone, and cut to seconds. Our wall
 * time is that between two times, each cut to seconds as well: `slack` seconds may be between.
 */
static void expect_scaled(int64_t us, const char *line, int64_t want, int64_t slack)
{
    const char *bar = strrchr(line, '|');
    int64_t tenths = 10;
    bool is_factor = strchr(bar, '.') && scan_decimal(str_of(bar + 1), 1, &tenths);
    int64_t scaled = us / SECOND_US * (is_factor ? tenths : 10) / 10;
    expect_true(scaled >= want - 2 * slack && scaled <= want + 2 * slack);
}

static void expect_apel_rest(const struct run *run, const char *line, const json_t *expect)
{
    const char *name = json_string_value(json_object_get(expect, "JobName"));
    if (RUN_HAS(run, job_key)) {
        expect_text_n(run->job_key.ptr, run->job_key.len, name);
    } else {
        int64_t job = 0;
        expect_true(scan_int(str_of(name), &job));
        expect_int(run->job, job);
    }
    expect_scaled(run->end - run->start, line, peer_int(expect, "WallDuration"), 1);
    expect_scaled(run->cpu_used_us, line, peer_int(expect, "CpuDuration"), 0);
}

static void apel_reads_alike(void **state)
{
    (void)state;
    struct peer_apel apel = {
        .driver = &htcondor_driver,
        .peer = {.keys = apel_keys,
                 .key_count = COUNT_OF(apel_keys),
                 .exceptions = apel_exceptions,
                 .exception_count = COUNT_OF(apel_exceptions)},
        .also = expect_apel_rest,
    };
    expect_int(peer_apel(&apel), 9);
    expect_int(apel.records, 9);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, apel_reads_alike);
    return suite_run(&suite, "htcondor_conformance");
}
