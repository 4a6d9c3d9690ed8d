/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/zone.h"
#include "source/sge/sge.h"
#include "support/expect.h"

/* What qstat lists of one job, between the tags of a whole document. */
#define HEAD                                                                                   \
    "<?xml version='1.0'?>\n<job_info  xmlns:xsd=\"http://x/qstat.xsd\">\n  <queue_info>\n"
#define TAIL "  </queue_info>\n</job_info>\n"

#define RUNNING                                                                                \
    "    <job_list state=\"running\">\n"                                                       \
    "      <JB_job_number>17</JB_job_number>\n"                                                \
    "      <JAT_prio>0.50000</JAT_prio>\n"                                                     \
    "      <JB_name>relax</JB_name>\n"                                                         \
    "      <JB_owner>bob</JB_owner>\n"                                                         \
    "      <state>r</state>\n"                                                                 \
    "      <JAT_start_time>2026-03-01T10:00:00</JAT_start_time>\n"                             \
    "      <queue_name>long.q@n1.site</queue_name>\n"                                          \
    "      <slots>16</slots>\n"                                                                \
    "      <full_job_name>relax &lt;water&gt; &amp; ice</full_job_name>\n"                     \
    "      <requested_pe name=\"mpi\">16</requested_pe>\n"                                     \
    "      <granted_pe name=\"mpi\">16</granted_pe>\n"                                         \
    "      <hard_request name=\"h_rt\" resource_contribution=\"0.0\">10800</hard_request>\n"   \
    "      <hard_request name=\"h_vmem\" resource_contribution=\"0.0\">2G</hard_request>\n"    \
    "      <hard_req_queue>long.q</hard_req_queue>\n"                                          \
    "    </job_list>\n"

#define WAITING                                                                                \
    "    <job_list state=\"pending\">\n"                                                       \
    "      <JB_job_number>18</JB_job_number>\n"                                                \
    "      <JB_name>sweep</JB_name>\n"                                                         \
    "      <JB_owner>ann</JB_owner>\n"                                                         \
    "      <state>hqw</state>\n"                                                               \
    "      <JB_submission_time>2026-03-01T09:00:00</JB_submission_time>\n"                     \
    "      <queue_name></queue_name>\n"                                                        \
    "      <slots>1</slots>\n"                                                                 \
    "      <tasks>7-39:2,50</tasks>\n"                                                         \
    "    </job_list>\n"

enum { SEEN = 1772359200 }; /* 2026-03-01 10:00 UTC, also the start above */

struct listing {
    struct run runs[8];
    size_t count, rejected;
    struct arena arena;
    struct zone *zone;
    struct error err;
};

static void list(struct listing *listing, const char *text)
{
    *listing = (struct listing){0};
    void *format = NULL;
    expect_int(zone_open("UTC", &listing->zone, &listing->err), 0);
    const struct source_options options = {.zone = listing->zone,
                                           .seen = (int64_t)SEEN * SECOND_US};
    expect_int(sge_qstat_driver.open(str_of(text), &options, &format, &listing->err), 0);
    struct source_cursor cursor = {
        .rest = str_of(text), .next_line = 1, .arena = &listing->arena};
    enum source_step step;
    do {
        struct run *run = &listing->runs[listing->count];
        *run = (struct run){0};
        step = sge_qstat_driver.next(format, &cursor, run, &listing->err);
        listing->count += step == SOURCE_RECORD;
        listing->rejected += step == SOURCE_REJECT;
    } while (step != SOURCE_END && listing->count < COUNT_OF(listing->runs));
    sge_qstat_driver.close(format);
}

static void list_release(struct listing *listing)
{
    arena_release(&listing->arena);
    zone_close(listing->zone);
}

static void a_running_job_is_a_run_without_an_end(void **state)
{
    (void)state;
    struct listing l;
    list(&l, HEAD RUNNING TAIL);
    expect_uint(l.count, 1);
    const struct run *run = &l.runs[0];
    expect_int(run->job, 17);
    expect_int(run->start, (int64_t)SEEN * SECOND_US);
    expect_int(run->attempt, run->start); /* as the accounting file will have it */
    expect_int(run->seen, (int64_t)SEEN * SECOND_US);
    expect_int(run->cpus, 16);
    expect_int(run->req_cpus, 16);
    expect_int(run->req_mem_bytes, INT64_C(16) * 2 << 30); /* 2G a slot */
    expect_int(run->req_wall_us, INT64_C(10800) * SECOND_US);
    expect_text_n(run->name.ptr, run->name.len, "relax <water> & ice");
    expect_text_n(run->user.ptr, run->user.len, "bob");
    expect_text_n(run->partition.ptr, run->partition.len, "long.q");
    expect_text_n(run->node.ptr, run->node.len, "n1.site");
    expect_text_n(run->parallel_env.ptr, run->parallel_env.len, "mpi");
    expect_text_n(run->request.ptr, run->request.len,
                  "-q long.q -l h_rt=10800,h_vmem=2G -pe mpi 16");
    expect_text_n(run->state.ptr, run->state.len, "r");
    expect_text_n(run->class.ptr, run->class.len, "running");
    expect_false(RUN_HAS(run, end));
    expect_false(RUN_HAS(run, submit));
    expect_false(RUN_HAS(run, exit_code));
    expect_false(RUN_HAS(run, cpu_used_us));
    list_release(&l);
}

static void tasks_that_wait_are_counted(void **state)
{
    (void)state;
    struct listing l;
    list(&l, HEAD WAITING RUNNING TAIL);
    expect_uint(l.count, 2);
    const struct run *run = &l.runs[0];
    expect_int(run->job, 18);
    expect_int(run->array_job, 18);
    expect_int(run->task_count, 18); /* 7, 9, ... 39 are 17, and 50 */
    expect_int(run->submit, (int64_t)(SEEN - 3600) * SECOND_US);
    expect_text_n(run->class.ptr, run->class.len, "pending");
    expect_text_n(run->state.ptr, run->state.len, "hqw");
    expect_text_n(run->reason.ptr, run->reason.len, "hold");
    expect_true(run->attempt < 0);
    expect_false(RUN_HAS(run, task));
    expect_false(RUN_HAS(run, cpus)); /* it holds nothing yet */
    expect_false(RUN_HAS(run, start));
    expect_int(run->req_cpus, 1);
    list_release(&l);
}

static const struct state_row {
    const char *letters, *class;
} state_rows[] = {
    {"r", "running"},   {"t", "running"},    {"Rr", "running"},
    {"dr", "running"},  {"s", "suspended"},  {"S", "suspended"},
    {"T", "suspended"}, {"dT", "suspended"}, {"Rs", "suspended"},
};

static void letters_tell_the_class(void **state)
{
    const struct state_row *row = *state;
    char text[sizeof(RUNNING) + 64];
    const char *at = strstr(RUNNING, "<state>r<");
    int length = snprintf(text, sizeof(text), "%.*s<state>%s<%s", (int)(at - RUNNING), RUNNING,
                          row->letters, at + strlen("<state>r<"));
    expect_true(length > 0 && (size_t)length < sizeof(text));
    struct listing l;
    list(&l, text);
    expect_uint(l.count, 1);
    expect_text_n(l.runs[0].class.ptr, l.runs[0].class.len, row->class);
    expect_text_n(l.runs[0].state.ptr, l.runs[0].state.len, row->letters);
    list_release(&l);
}

static void an_empty_list_has_no_runs(void **state)
{
    (void)state;
    struct listing l;
    list(&l, HEAD TAIL);
    expect_uint(l.count, 0);
    expect_uint(l.rejected, 0);
    expect_int(sge_qstat_driver.recognise(STR(HEAD TAIL)), 100);
    expect_int(sge_qstat_driver.recognise(STR("error: commlib error")), 0);
    list_release(&l);
}

static void half_a_job_is_refused(void **state)
{
    (void)state;
    struct listing l;
    list(&l, HEAD WAITING "    <job_list state=\"running\">\n      <JB_job_num");
    expect_uint(l.count, 1);
    expect_uint(l.rejected, 1);
    list_release(&l);
    list(&l, HEAD "<job_list><JB_job_number>x</JB_job_number></job_list>" TAIL);
    expect_uint(l.count, 0);
    expect_uint(l.rejected, 1);
    list_release(&l);
}

static void slices_end_behind_a_job(void **state)
{
    (void)state;
    const struct str whole = STR(HEAD WAITING RUNNING TAIL);
    const size_t cut = sge_qstat_driver.cut(NULL, whole, false);
    expect_uint(cut,
                sizeof(HEAD WAITING RUNNING) - 2); /* before the line feed of the last one */
    expect_uint(sge_qstat_driver.cut(NULL, whole, true), whole.len);
    expect_uint(sge_qstat_driver.cut(NULL, (struct str){whole.ptr, 150}, false), 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_running_job_is_a_run_without_an_end);
    SUITE_TEST(&suite, tasks_that_wait_are_counted);
    SUITE_ROWS(&suite, letters_tell_the_class, state_rows);
    SUITE_TEST(&suite, an_empty_list_has_no_runs);
    SUITE_TEST(&suite, half_a_job_is_refused);
    SUITE_TEST(&suite, slices_end_behind_a_job);
    return suite_run(&suite, "sge_qstat");
}
