/* SPDX-License-Identifier: MIT */
#include "unit/source/slurm_data.h"

/*
 * The driver against what APEL makes of the same lines.
 */

#define APEL_HEADER                                                                            \
    "JobID|JobName|User|Group|Start|End|Elapsed|TotalCPU|Partition|NCPUS|NNodes|NodeList|"     \
    "MaxRSS|MaxVMSize|State\n"

/* APEL takes a step's row for a job. Here a job comes before it, with nothing measured. */
static void apel_read(struct slurm_reading *r, struct str line)
{
    struct buf text;
    struct str rest = line;
    struct str id = str_cut(&rest, '|');
    buf_init(&text, PEER_FILE_MAX);
    buf_addz(&text, APEL_HEADER);
    if (str_ends(id, STR(".batch"))) {
        struct str job = str_cut(&id, '.');
        buf_addf(&text, "%.*s|job|||||||||||||COMPLETED\n", STR_ARG(job));
    }
    buf_add(&text, line);
    buf_addc(&text, '\n');
    slurm_read(r, text.ptr);
    buf_release(&text);
}

static void expect_apel_record(const struct run *run, const json_t *want)
{
    const bool is_step = !RUN_HAS(run, start);
    const int64_t rss = peer_int(want, "MemoryReal"), vmem = peer_int(want, "MemoryVirtual");
    if (!is_step) {
        expect_peer_text(run->user, RUN_HAS(run, user), json_object_get(want, "LocalUserID"));
        expect_peer_text(run->group, RUN_HAS(run, group),
                         json_object_get(want, "LocalUserGroup"));
        expect_peer_text(run->partition, RUN_HAS(run, partition),
                         json_object_get(want, "Queue"));
        expect_int(run->start / SECOND_US, peer_int(want, "StartTime"));
        expect_int(run->end / SECOND_US, peer_int(want, "StopTime"));
        expect_int((run->end - run->start) / SECOND_US, peer_int(want, "WallDuration"));
        expect_int(run->cpus, peer_int(want, "Processors"));
        expect_int(run->node_count, peer_int(want, "NodeCount"));
    }
    expect_int((run->cpu_used_us + SECOND_US / 2) / SECOND_US, peer_int(want, "CpuDuration"));
    expect_int(RUN_HAS(run, mem_peak_bytes) ? run->mem_peak_bytes >> 10 : -1, rss);
    expect_int(RUN_HAS(run, vmem_peak_bytes) ? run->vmem_peak_bytes >> 10 : -1, vmem);
}

/* Lines APEL refuses: what cannot be read, and what we keep since the time was spent. */
static void expect_apel_refusal(const struct slurm_reading *r, struct str line)
{
    const struct run *run = slurm_run_at(r, 0);
    bool unreadable =
        memmem(line.ptr, line.len, "20H", 3) || memmem(line.ptr, line.len, "|-16|", 5);
    expect_int((run->flags & RUN_FLAG_STEP_UNREADABLE) != 0, unreadable);
    expect_run_absent(run, mem_peak_bytes);
}

/* States APEL passes over, in our classes. */
static const char *const unfinished[] = {"CONFIGURING", "COMPLETING", "PENDING", "RUNNING",
                                         "SUSPENDED"};

static void expect_apel_state(const struct run *run)
{
    bool goes_on = false;
    for (size_t i = 0; i < COUNT_OF(unfinished); i++) {
        goes_on |= str_eq(run->state, str_of(unfinished[i]));
    }
    expect_int(RUN_HAS(run, end), !goes_on);
}

static void expect_apel_case(const char *text, json_t *want, void *context)
{
    (void)context;
    struct slurm_reading r;
    apel_read(&r, str_of(text));
    if (json_is_object(want)) {
        expect_apel_record(slurm_run_at(&r, 0), want);
    } else if (str_starts(str_of(json_string_value(want)), STR("reject"))) {
        /* An end before the start is kept, flagged and clamped, of jobs and of steps. */
        if (!strstr(text, "04:28:33|2013-10-28T04:28:30")) {
            expect_apel_refusal(&r, str_of(text));
        }
    } else {
        expect_apel_state(slurm_run_at(&r, 0));
    }
    slurm_reading_release(&r);
}

static void records_agree_with_apel(void **state)
{
    (void)state;
    expect_true(peer_cases("line-to-record-apel/cases.jsonl", "slurm", expect_apel_case, NULL) >
                20);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, records_agree_with_apel);
    return suite_run(&suite, "slurm_conformance_apel");
}
