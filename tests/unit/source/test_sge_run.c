/* SPDX-License-Identifier: MIT */
#include "unit/source/sge_reader.h"

#define SECOND INT64_C(1000000)
#define GIB    (INT64_C(1) << 30)

static void usual_row_fills_a_run(void **state)
{
    (void)state;
    struct sge_reading r;
    sge_read(&r, STR(SGE_USUAL_ROW));
    expect_int(r.step, SOURCE_RECORD);
    expect_field(&r, job, 1234);
    expect_absent(&r, task);
    expect_absent(&r, part);
    expect_absent(&r, cluster);
    expect_field(&r, attempt, 1700000600 * SECOND);
    expect_field_text(&r, partition, "long.q");
    expect_field_text(&r, node, "node07");
    expect_absent(&r, nodes);
    expect_absent(&r, node_count);
    expect_field_text(&r, group, "chem");
    expect_field_text(&r, user, "bob");
    expect_field_text(&r, name, "relax");
    expect_field_text(&r, account, "sge");
    expect_field(&r, priority, 0);
    expect_field(&r, submit, 1700000000 * SECOND);
    expect_field(&r, start, 1700000600 * SECOND);
    expect_field(&r, end, 1700007800 * SECOND);
    expect_field_text(&r, state, "0");
    expect_field_text(&r, class, "completed");
    expect_field(&r, exit_code, 0);
    expect_absent(&r, signal);
    expect_absent(&r, reason);
    expect_field(&r, cpu_user_us, 6900500000);
    expect_field(&r, cpu_system_us, 120250000);
    expect_field(&r, cpu_used_us, INT64_C(110000125000));
    expect_field(&r, mem_integral_gib_us, INT64_C(88000500000));
    expect_field(&r, io_bytes, 5 * GIB / 4);
    expect_field(&r, io_wait_us, 0);
    expect_absent(&r, io_ops);
    expect_absent(&r, project);
    expect_field_text(&r, department, "defaultdepartment");
    expect_field_text(&r, parallel_env, "mpi");
    expect_field(&r, cpus, 16);
    expect_field(&r, req_cpus, 16);
    expect_field(&r, req_wall_us, 10800 * SECOND);
    expect_field(&r, req_mem_bytes, 32 * GIB);
    expect_absent(&r, req_gpus);
    expect_absent(&r, gpus);
    expect_field_text(&r, request, "-q long.q -l h_rt=10800,h_vmem=2G -pe mpi 16");
    expect_field(&r, vmem_peak_bytes, 2 * GIB);
    expect_field(&r, mem_peak_bytes, 2 * GIB);
    expect_field_text(&r, mem_basis, "job-vmem");
    expect_absent(&r, reservation);
    expect_field(&r, flags, 0);
    sge_reading_release(&r);
}

static void univa_row_has_more(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_SUBMISSION_TIME, "1700000000123"}, {SGE_START_TIME, "1700000600456"},
                  {SGE_END_TIME, "1700007800789"}, {SGE_RU_UTIME, "6900.521"},
                  {SGE_RU_WALLCLOCK, "7200.333"}, {SGE_RU_MAXRSS, "204800"},
                  {SGE_MAXVMEM, "9323855872"}, {SGE_MAXRSS, "668106752"},
                  {SGE_MAXPSS, "638583808"}, {SGE_SUBMIT_HOST, "login1"},
                  {SGE_CWD, "/home/bob/relax"}, {SGE_SUBMIT_CMD, "qsub -pe mpi 16 relax.sh"},
                  {SGE_WALLCLOCK, "7200.400000"}, {SGE_IOOPS, "954601"});
    expect_int(r.step, SOURCE_RECORD);
    expect_field(&r, submit, INT64_C(1700000000123000));
    expect_field(&r, start, INT64_C(1700000600456000));
    expect_field(&r, attempt, INT64_C(1700000600456000));
    expect_field(&r, end, INT64_C(1700007800789000));
    expect_field(&r, cpu_user_us, 6900521000);
    expect_field(&r, mem_peak_bytes, 668106752);
    expect_field_text(&r, mem_basis, "job-rss");
    expect_field(&r, vmem_peak_bytes, INT64_C(9323855872));
    expect_field_text(&r, submit_host, "login1");
    expect_field_text(&r, work_dir, "/home/bob/relax");
    expect_field_text(&r, command, "qsub -pe mpi 16 relax.sh");
    expect_field(&r, io_ops, 954601);
    expect_field_text(&r, class, "completed");
    expect_field(&r, flags, 0);
    sge_reading_release(&r);
}

static void deleter_makes_it_cancelled(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_FAILED, "100"}, {SGE_EXIT_STATUS, "137"},
                  {SGE_QDEL_INFO, "ann@login1"});
    expect_int(r.step, SOURCE_RECORD);
    expect_field_text(&r, class, "cancelled");
    expect_field_text(&r, reason, "ann@login1");
    expect_field(&r, signal, 9);
    sge_reading_release(&r);
}

static void other_makers_columns_are_not_univas(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_MAXRSS, "x86-64"}, {SGE_MAXPSS, "x"});
    expect_int(r.step, SOURCE_RECORD);
    expect_field_text(&r, mem_basis, "job-vmem");
    sge_reading_release(&r);
}

static void array_task_has_its_index(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_TASK_NUMBER, "17"});
    expect_field(&r, task, 17);
    expect_field(&r, array_job, 1234);
    sge_reading_release(&r);
}

static void slave_task_is_a_part_without_slots(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_PE_TASKID, "3.node09"}, {SGE_SUBMISSION_TIME, "0"},
                  {SGE_HOSTNAME, "node09"}, {SGE_START_TIME, "1700000602"},
                  {SGE_CATEGORY, "-pe mpi 2 -l gpu=2,h_vmem=1G"});
    expect_int(r.step, SOURCE_RECORD);
    expect_absent(&r, gpus);
    expect_absent(&r, req_gpus);
    expect_absent(&r, node_count);
    expect_field_text(&r, part, "3.node09");
    expect_field(&r, job, 1234);
    expect_field(&r, attempt, 1700000602 * SECOND);
    expect_absent(&r, submit);
    expect_absent(&r, cpus);
    expect_absent(&r, req_cpus);
    expect_absent(&r, req_mem_bytes);
    expect_field_text(&r, node, "node09");
    expect_field(&r, cpu_used_us, INT64_C(110000125000));
    sge_reading_release(&r);
}

static void empty_slave_task_is_none(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_PE_TASKID, ""});
    expect_absent(&r, part);
    expect_field(&r, cpus, 16);
    sge_reading_release(&r);
}

static void never_started_has_nothing_allocated(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_START_TIME, "0"}, {SGE_END_TIME, "0"}, {SGE_FAILED, "28"},
                  {SGE_RU_WALLCLOCK, "0"}, {SGE_RU_UTIME, "0.000000"},
                  {SGE_RU_MAXRSS, "0.000000"}, {SGE_MAXVMEM, "0.000000"});
    expect_int(r.step, SOURCE_RECORD);
    expect_absent(&r, start);
    expect_absent(&r, end);
    expect_absent(&r, cpus);
    expect_absent(&r, nodes);
    expect_absent(&r, mem_peak_bytes);
    expect_absent(&r, mem_basis);
    expect_field(&r, submit, 1700000000 * SECOND);
    expect_field(&r, req_cpus, 16);
    expect_field(&r, req_mem_bytes, 32 * GIB);
    expect_field_text(&r, class, "failed");
    expect_field_text(&r, state, "28");
    expect_true(r.run.attempt < 0);
    expect_field(&r, flags, 0);
    sge_reading_release(&r);
}

static void end_without_start_is_kept(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_START_TIME, "0"}, {SGE_END_TIME, "1700000700"}, {SGE_FAILED, "1"});
    expect_absent(&r, start);
    expect_field(&r, end, 1700000700 * SECOND);
    expect_absent(&r, cpus);
    sge_reading_release(&r);
}

static void gpus_of_a_row_never_started_are_wanted_only(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_START_TIME, "0"}, {SGE_CATEGORY, "-l gpu=2"});
    expect_field(&r, req_gpus, 2);
    expect_absent(&r, gpus);
    sge_reading_release(&r);
    SGE_READ_WITH(&r, {SGE_CATEGORY, "-l gpu=2,gpu_type=h100"});
    expect_field(&r, req_gpus, 2);
    expect_field(&r, gpus, 2);
    expect_field_text(&r, gpu_type, "h100");
    sge_reading_release(&r);
}

/* The rows of an attempt that was stopped to be run again, and of the next one, may have the same start. */
static void an_attempt_that_is_run_again_is_another_run(void **state)
{
    (void)state;
    struct sge_reading stopped, next;
    SGE_READ_WITH(&stopped, {SGE_FAILED, "25"});
    SGE_READ_WITH(&next, {SGE_FAILED, "0"});
    expect_int(stopped.run.start, next.run.start);
    expect_true(stopped.run.attempt != next.run.attempt);
    sge_reading_release(&stopped);
    sge_reading_release(&next);
}

struct attempt_row {
    const char *name;
    struct sge_change change;
    bool same; /* as that of the row without the change */
};

static const struct attempt_row attempt_rows[] = {
    {"the same row", {SGE_FAILED, "1"}, true},
    {"another host", {SGE_HOSTNAME, "node08"}, false},
    {"another failure", {SGE_FAILED, "8"}, false},
    {"another submission", {SGE_SUBMISSION_TIME, "1700000001"}, false},
    {"another end", {SGE_END_TIME, "1700000700"}, false},
    {"another exit status", {SGE_EXIT_STATUS, "1"}, true},
};

static void attempts_never_started_differ_by(void **state)
{
    const struct attempt_row *row = *state;
    struct sge_reading a;
    struct sge_reading b;
    SGE_READ_WITH(&a, {SGE_START_TIME, "0"}, {SGE_END_TIME, "0"}, {SGE_FAILED, "1"});
    SGE_READ_WITH(&b, {SGE_START_TIME, "0"}, {SGE_END_TIME, "0"}, {SGE_FAILED, "1"},
                  row->change);
    expect_true(a.run.attempt < 0 && b.run.attempt < 0);
    expect_int(a.run.attempt == b.run.attempt, row->same);
    sge_reading_release(&a);
    sge_reading_release(&b);
}

struct end_row {
    const char *name;
    struct sge_change changes[6];
    const char *state;
    const char *class;
    int64_t exit_code; /* -1: absent */
    int64_t signal;    /* -1: absent */
};

#define END_OF_CHANGES                                                                         \
    {                                                                                          \
        -1, NULL                                                                               \
    }

static const struct end_row end_rows[] = {
    {"exit status", {{SGE_EXIT_STATUS, "3"}, END_OF_CHANGES}, "0:3", "failed", 3, -1},
    {"rescheduled", {{SGE_FAILED, "25"}, END_OF_CHANGES}, "25", "requeued", 0, -1},
    {"killed",
     {{SGE_FAILED, "100"}, {SGE_EXIT_STATUS, "137"}, {SGE_CATEGORY, "NONE"}, END_OF_CHANGES},
     "100:137",
     "failed",
     137,
     9},
    {"killed at h_rt",
     {{SGE_FAILED, "100"},
      {SGE_EXIT_STATUS, "137"},
      {SGE_CATEGORY, "-l h_rt=7200"},
      END_OF_CHANGES},
     "100:137",
     "timeout",
     137,
     9},
    {"killed before h_rt",
     {{SGE_FAILED, "100"},
      {SGE_EXIT_STATUS, "137"},
      {SGE_CATEGORY, "-l h_rt=7202"},
      END_OF_CHANGES},
     "100:137",
     "failed",
     137,
     9},
    {"warned at s_rt",
     {{SGE_FAILED, "100"},
      {SGE_EXIT_STATUS, "138"},
      {SGE_CATEGORY, "-l h_rt=9000,s_rt=7200"},
      END_OF_CHANGES},
     "100:138",
     "timeout",
     138,
     10},
    {"killed for cpu time of all slots",
     {{SGE_FAILED, "37"},
      {SGE_EXIT_STATUS, "137"},
      {SGE_CATEGORY, "-l h_cpu=6875"},
      END_OF_CHANGES},
     "37:137",
     "timeout",
     137,
     9},
    {"killed for memory of all slots",
     {{SGE_FAILED, "37"},
      {SGE_EXIT_STATUS, "137"},
      {SGE_CATEGORY, "-l h_vmem=128M"},
      END_OF_CHANGES},
     "37:137",
     "oom",
     137,
     9},
    {"killed below the memory limit",
     {{SGE_FAILED, "100"},
      {SGE_EXIT_STATUS, "137"},
      {SGE_CATEGORY, "-l h_vmem=129M"},
      END_OF_CHANGES},
     "100:137",
     "failed",
     137,
     9},
    {"killed for resident memory",
     {{SGE_FAILED, "100"},
      {SGE_EXIT_STATUS, "137"},
      {SGE_CATEGORY, "-l m_mem_free=1M"},
      {SGE_MAXRSS, "16777216"},
      END_OF_CHANGES},
     "100:137",
     "oom",
     137,
     9},
    {"an error of its own at the limit",
     {{SGE_EXIT_STATUS, "1"}, {SGE_CATEGORY, "-l h_rt=7200,h_vmem=1M"}, END_OF_CHANGES},
     "0:1",
     "failed",
     1,
     -1},
    {"a code unheard of", {{SGE_FAILED, "77"}, END_OF_CHANGES}, "77", "other", 0, -1},
    {"an exit status beyond reason",
     {{SGE_EXIT_STATUS, "4294967295"}, END_OF_CHANGES},
     "0:4294967295",
     "failed",
     -1,
     -1},
};

static void ends(void **state)
{
    const struct end_row *row = *state;
    char text[4096];
    struct sge_reading r;
    sge_read(&r, sge_row_with(row->changes, text, sizeof(text)));
    expect_int(r.step, SOURCE_RECORD);
    expect_field_text(&r, state, row->state);
    expect_field_text(&r, class, row->class);
    expect_int(RUN_HAS(&r.run, exit_code) ? r.run.exit_code : -1, row->exit_code);
    expect_int(RUN_HAS(&r.run, signal) ? r.run.signal : -1, row->signal);
    sge_reading_release(&r);
}

struct basis_row {
    const char *name;
    const char *process_rss_kb;
    const char *vmem;
    const char *rss;
    const char *basis; /* NULL: unknown */
    int64_t peak;
};

static const struct basis_row basis_rows[] = {
    {"resident memory of the job", "100", "3000000", "2000000", "job-rss", 2000000},
    {"none measured resident", "100", "3000000.000000", "0", "job-vmem", 3000000},
    {"only of a process", "100.000000", "0.000000", "0", "process-rss", 102400},
    {"a fraction of a kilobyte", "0.500000", "0", "0", "process-rss", 512},
    {"nothing", "0.000000", "0.000000", "0", NULL, 0},
    {"not a number", "nan", "-nan", "nan", NULL, 0},
    {"negative", "-5.000000", "-1.000000", "-2", NULL, 0},
};

static void memory_peak_says_its_basis(void **state)
{
    const struct basis_row *row = *state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_RU_MAXRSS, row->process_rss_kb}, {SGE_MAXVMEM, row->vmem},
                  {SGE_MAXRSS, row->rss});
    expect_int(r.step, SOURCE_RECORD);
    if (row->basis) {
        expect_field_text(&r, mem_basis, row->basis);
        expect_field(&r, mem_peak_bytes, row->peak);
    } else {
        expect_absent(&r, mem_basis);
        expect_absent(&r, mem_peak_bytes);
        expect_absent(&r, vmem_peak_bytes);
    }
    sge_reading_release(&r);
}

struct time_row {
    const char *name;
    const char *text;
    bool has;
    int64_t instant;
};

static const struct time_row time_rows[] = {
    {"never", "0", false, 0},
    {"seconds", "1700000000", true, INT64_C(1700000000000000)},
    {"milliseconds", "1700000000123", true, INT64_C(1700000000123000)},
    {"microseconds", "1700000000123456", true, INT64_C(1700000000123456)},
    {"the last second", "100000000000", true, INT64_C(100000000000000000)},
    {"the first millisecond", "100000000001", true, INT64_C(100000000001000)},
    {"before 1970", "-1", true, -1},
    {"long before 1970", "-9223372036854775807", true, -1},
};

static void times_are_told_apart_by_size(void **state)
{
    const struct time_row *row = *state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_SUBMISSION_TIME, row->text});
    expect_int(r.step, SOURCE_RECORD);
    expect_int(RUN_HAS(&r.run, submit), row->has);
    if (row->has) {
        expect_field(&r, submit, row->instant);
    }
    sge_reading_release(&r);
}

struct request_row {
    const char *name;
    const char *category;
    const char *slots;
    int64_t req_cpus;
    int64_t req_mem; /* -1: absent */
    int64_t req_wall;
};

static const struct request_row request_rows[] = {
    {"a range of slots", "-pe mpi 4-16 -l h_vmem=1G", "16", 4, 4 * GIB, -1},
    {"no environment", "-l h_rt=60", "1", 1, -1, 60 * SECOND},
    {"no category", "NONE", "4", 4, -1, -1},
    {"no slots known", "NONE", "0", 1, -1, -1},
    {"hard before soft", "-l h_rt=60,s_rt=50,h_vmem=2G,s_vmem=1G", "1", 1, 2 * GIB,
     60 * SECOND},
    {"soft alone", "-l s_rt=50,s_vmem=1G", "1", 1, GIB, 50 * SECOND},
    {"Univa's reserved memory first", "-l h_vmem=8G,m_mem_free=2G", "2", 2, 4 * GIB, -1},
    {"free memory last", "-l mem_free=1G,h_vmem=2G", "1", 1, 2 * GIB, -1},
    {"more than a number holds", "-l h_vmem=8000000T", "2000000", 2000000, -1, -1},
};

static void request_is_for_the_whole_run(void **state)
{
    const struct request_row *row = *state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_CATEGORY, row->category}, {SGE_SLOTS, row->slots});
    expect_int(r.step, SOURCE_RECORD);
    expect_field(&r, req_cpus, row->req_cpus);
    expect_int(RUN_HAS(&r.run, req_mem_bytes) ? r.run.req_mem_bytes : -1, row->req_mem);
    expect_int(RUN_HAS(&r.run, req_wall_us) ? r.run.req_wall_us : -1, row->req_wall);
    sge_reading_release(&r);
}

struct amount_row {
    const char *name;
    const char *text;
    bool known;
    int64_t micros;
    int64_t io_bytes;
};

static const struct amount_row amount_rows[] = {
    {"six decimals", "12.345678", true, 12345678, INT64_C(13256070814)},
    {"no decimals", "3", true, 3000000, 3 * GIB},
    {"three decimals", "0.500", true, 500000, GIB / 2},
    {"nine decimals", "0.000000001", true, 0, 1},
    {"many decimals", "0.0010261209681630135", true, 1026, 1101789},
    {"half up", "0.0000005", true, 1, 537},
    {"an exponent", "1.5e-3", true, 1500, 1610613},
    {"zero", "0.000000", true, 0, 0},
    {"a sign", "-0.000001", false, 0, 0},
    {"more than any machine", "99999999999999999999.000000", false, 0, 0},
    {"infinite", "inf", false, 0, 0},
    {"not a number", "nan", false, 0, 0},
};

static void amounts_are_exact(void **state)
{
    const struct amount_row *row = *state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_CPU, row->text}, {SGE_IO, row->text});
    expect_int(r.step, SOURCE_RECORD);
    expect_int(RUN_HAS(&r.run, cpu_used_us), row->known);
    expect_int(RUN_HAS(&r.run, io_bytes), row->known);
    if (row->known) {
        expect_field(&r, cpu_used_us, row->micros);
        expect_field(&r, io_bytes, row->io_bytes);
    }
    sge_reading_release(&r);
}

static void clocks_that_differ_are_flagged(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_RU_WALLCLOCK, "7260"});
    expect_field(&r, flags, 0);
    sge_reading_release(&r);
    SGE_READ_WITH(&r, {SGE_RU_WALLCLOCK, "7261"});
    expect_field(&r, flags, RUN_FLAG_CLOCKS_DISAGREE);
    sge_reading_release(&r);
    SGE_READ_WITH(&r, {SGE_RU_WALLCLOCK, "7000.5"});
    expect_field(&r, flags, RUN_FLAG_CLOCKS_DISAGREE);
    sge_reading_release(&r);
    SGE_READ_WITH(&r, {SGE_RU_WALLCLOCK, "nan"});
    expect_field(&r, flags, 0);
    sge_reading_release(&r);
}

static void forgotten_places_are_absent(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_QNAME, "UNKNOWN"}, {SGE_HOSTNAME, "UNKNOWN"});
    expect_absent(&r, partition);
    expect_absent(&r, node);
    expect_absent(&r, nodes);
    sge_reading_release(&r);
}

static void reservation_and_priority_are_kept(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_ARID, "12"}, {SGE_PRIORITY, "-5"}, {SGE_PROJECT, "climate"});
    expect_field_text(&r, reservation, "12");
    expect_field(&r, priority, -5);
    expect_field_text(&r, project, "climate");
    sge_reading_release(&r);
}

static void forgotten_slots_are_absent(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_SLOTS, "0"});
    expect_int(r.step, SOURCE_RECORD);
    expect_absent(&r, cpus);
    expect_field(&r, req_cpus, 16);
    sge_reading_release(&r);
}

static void serial_job_is_on_one_node(void **state)
{
    (void)state;
    struct sge_reading r;
    SGE_READ_WITH(&r, {SGE_SLOTS, "1"}, {SGE_GRANTED_PE, "NONE"}, {SGE_CATEGORY, "NONE"});
    expect_field(&r, node_count, 1);
    expect_absent(&r, parallel_env);
    expect_absent(&r, request);
    sge_reading_release(&r);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, usual_row_fills_a_run);
    SUITE_TEST(&suite, univa_row_has_more);
    SUITE_TEST(&suite, deleter_makes_it_cancelled);
    SUITE_TEST(&suite, other_makers_columns_are_not_univas);
    SUITE_TEST(&suite, array_task_has_its_index);
    SUITE_TEST(&suite, slave_task_is_a_part_without_slots);
    SUITE_TEST(&suite, empty_slave_task_is_none);
    SUITE_TEST(&suite, never_started_has_nothing_allocated);
    SUITE_TEST(&suite, end_without_start_is_kept);
    SUITE_TEST(&suite, gpus_of_a_row_never_started_are_wanted_only);
    SUITE_TEST(&suite, an_attempt_that_is_run_again_is_another_run);
    SUITE_ROWS(&suite, attempts_never_started_differ_by, attempt_rows);
    SUITE_ROWS(&suite, ends, end_rows);
    SUITE_ROWS(&suite, memory_peak_says_its_basis, basis_rows);
    SUITE_ROWS(&suite, times_are_told_apart_by_size, time_rows);
    SUITE_ROWS(&suite, request_is_for_the_whole_run, request_rows);
    SUITE_ROWS(&suite, amounts_are_exact, amount_rows);
    SUITE_TEST(&suite, clocks_that_differ_are_flagged);
    SUITE_TEST(&suite, forgotten_places_are_absent);
    SUITE_TEST(&suite, reservation_and_priority_are_kept);
    SUITE_TEST(&suite, forgotten_slots_are_absent);
    SUITE_TEST(&suite, serial_job_is_on_one_node);
    return suite_run(&suite, "sge_run");
}
