/* SPDX-License-Identifier: MIT */
#include "unit/source/sge_reader.h"

#define HEAD                                                                                   \
    "{\"job_number\":4,\"task_number\":0,\"start_time\":1725898198580794,"                     \
    "\"end_time\":1725898298874079,\"owner\":\"ann\",\"group\":\"chem\",\"account\":\"sge\","  \
    "\"qname\":\"all.q\",\"hostname\":\"n1\",\"department\":\"defaultdepartment\",\"slots\":"  \
    "1,"
#define MIDDLE                                                                                 \
    "\"job_name\":\"sleep\",\"priority\":0,\"submission_time\":1725898190122999,"              \
    "\"submit_cmd_line\":\"qsub -l h_rt=0:10:00 sleep 100\",\"category\":\"-l gpu=2\","        \
    "\"failed\":0,\"exit_status\":0,"
#define RUSAGE                                                                                 \
    "\"ru_wallclock\":100,\"ru_utime\":0.082395,\"ru_stime\":0.115703,\"ru_maxrss\":17428"
#define USAGE                                                                                  \
    "\"wallclock\":100.90874,\"cpu\":0.198098,\"mem\":0.0020704269409179688,"                  \
    "\"io\":0.0010261209681630135,\"ioops\":812,\"iow\":0.0,\"maxvmem\":222384128.0,"          \
    "\"maxrss\":950272.0"

struct json_row {
    const char *name;
    const char *line;
};

static const struct json_row place_rows[] = {
    {"nested in usage",
     HEAD MIDDLE "\"usage\":{\"rusage\":{" RUSAGE "},\"usage\":{" USAGE "}}}"},
    {"rusage and eusage at the top",
     HEAD MIDDLE "\"rusage\":{" RUSAGE "},\"eusage\":{" USAGE "}}"},
    {"usage and eusage", HEAD MIDDLE "\"usage\":{" RUSAGE "},\"eusage\":{" USAGE "}}"},
    {"flat", HEAD MIDDLE RUSAGE "," USAGE "}"},
    {"with usage of the site's own",
     HEAD MIDDLE "\"usage\":{\"rusage\":{" RUSAGE "},\"usage\":{" USAGE
                 "},\"nvidia\":{\"cpu\":99,\"maxrss\":1}}}"},
};

static void json_line_fills_a_run(void **state)
{
    const struct json_row *row = *state;
    struct sge_reading r;
    sge_read(&r, str_of(row->line));
    expect_text(r.err.text, "");
    expect_int(r.step, SOURCE_RECORD);
    expect_field(&r, job, 4);
    expect_absent(&r, task);
    expect_absent(&r, part);
    expect_field(&r, start, INT64_C(1725898198580794));
    expect_field(&r, attempt, INT64_C(1725898198580794));
    expect_field(&r, end, INT64_C(1725898298874079));
    expect_field(&r, submit, INT64_C(1725898190122999));
    expect_field_text(&r, user, "ann");
    expect_field_text(&r, group, "chem");
    expect_field_text(&r, account, "sge");
    expect_field_text(&r, partition, "all.q");
    expect_field_text(&r, node, "n1");
    expect_field_text(&r, name, "sleep");
    expect_field_text(&r, command, "qsub -l h_rt=0:10:00 sleep 100");
    expect_field_text(&r, request, "-l gpu=2");
    expect_field(&r, gpus, 2);
    expect_field(&r, cpus, 1);
    expect_field(&r, cpu_user_us, 82395);
    expect_field(&r, cpu_system_us, 115703);
    expect_field(&r, cpu_used_us, 198098);
    expect_field(&r, mem_integral_gib_us, 2070);
    expect_field(&r, io_bytes, 1101789);
    expect_field(&r, io_ops, 812);
    expect_field(&r, io_wait_us, 0);
    expect_field(&r, vmem_peak_bytes, 222384128);
    expect_field(&r, mem_peak_bytes, 950272);
    expect_field_text(&r, mem_basis, "job-rss");
    expect_field_text(&r, class, "completed");
    expect_field_text(&r, state, "0");
    expect_absent(&r, project);
    expect_absent(&r, parallel_env);
    expect_absent(&r, reservation);
    expect_field(&r, flags, 0);
    sge_reading_release(&r);
}

static void what_is_missing_is_absent(void **state)
{
    (void)state;
    struct sge_reading r;
    sge_read(&r, STR("{\"job_number\":4,\"owner\":\"ann\",\"start_time\":1725898198580794,"
                     "\"end_time\":1725898298874079,\"slots\":2}"));
    expect_int(r.step, SOURCE_RECORD);
    expect_absent(&r, cpu_used_us);
    expect_absent(&r, mem_peak_bytes);
    expect_absent(&r, io_bytes);
    expect_absent(&r, name);
    expect_absent(&r, submit);
    expect_absent(&r, priority);
    expect_field_text(&r, class, "completed");
    expect_field(&r, cpus, 2);
    sge_reading_release(&r);
}

static void parts_arrays_and_failures(void **state)
{
    (void)state;
    struct sge_reading r;
    sge_read(&r, STR("{\"job_number\":4,\"task_number\":3,\"owner\":\"ann\",\"start_time\":"
                     "1725898198580794,\"end_time\":1725898298874079,\"slots\":2,\"pe_taskid\":"
                     "\"1.n2\",\"failed\":100,\"exit_status\":137,\"granted_pe\":\"mpi\","
                     "\"project\":\"p\",\"arid\":7}"));
    expect_int(r.step, SOURCE_RECORD);
    expect_field(&r, task, 3);
    expect_field_text(&r, part, "1.n2");
    expect_field_text(&r, state, "100:137");
    expect_field(&r, signal, 9);
    expect_field_text(&r, parallel_env, "mpi");
    expect_field_text(&r, project, "p");
    expect_field_text(&r, reservation, "7");
    expect_absent(&r, cpus);
    sge_reading_release(&r);
    sge_read(
        &r, STR("{\"job_number\":4,\"owner\":\"ann\",\"start_time\":0,\"end_time\":0,\"slots\":"
                "2,\"pe_task_id\":\"2.n2\"}"));
    expect_field_text(&r, part, "2.n2");
    expect_true(r.run.attempt < 0);
    sge_reading_release(&r);
}

static void texts_are_decoded(void **state)
{
    (void)state;
    struct sge_reading r;
    sge_read(&r,
             STR("{\"job_number\":4,\"owner\":\"j\\u00f6rg\",\"job_name\":\"a:b\\n\\\"c\\\"\","
                 "\"start_time\":1,\"end_time\":2,\"slots\":1}"));
    expect_int(r.step, SOURCE_RECORD);
    expect_field_text(&r, user, "j\xc3\xb6rg");
    expect_field_text(&r, name, "a:b\n\"c\"");
    expect_field(&r, flags, 0);
    sge_reading_release(&r);
    sge_read(&r, STR("{\"job_number\":4,\"owner\":\"j\xf6rg\",\"start_time\":1,\"end_time\":2,"
                     "\"slots\":1}"));
    expect_int(r.step, SOURCE_RECORD);
    expect_field_text(&r, user, "j\xc3\xb6rg");
    expect_field(&r, flags, RUN_FLAG_RECODED);
    sge_reading_release(&r);
}

struct bad_row {
    const char *name;
    struct str line;
    const char *why;
};

#define LINE(literal)                                                                          \
    {                                                                                          \
        (literal), sizeof(literal) - 1                                                         \
    }
#define TIMES "\"start_time\":1,\"end_time\":2"

static const struct bad_row bad_rows[] = {
    {"cut off", LINE("{\"job_number\":4,\"own"), "is not JSON"},
    {"two objects", LINE("{\"a\":1}{\"b\":2}"), "is not JSON"},
    {"another object", LINE("{\"JobId\":4,\"owner\":\"ann\"}"), "without 'job_number'"},
    {"no owner", LINE("{\"job_number\":4}"), "without 'owner'"},
    {"no times", LINE("{\"job_number\":4,\"owner\":\"a\"}"), "without 'start_time'"},
    {"no slots", LINE("{\"job_number\":4,\"owner\":\"a\"," TIMES "}"), "without 'slots'"},
    {"a NUL", LINE("{\"job_number\":4,\"owner\":\"a\0b\"," TIMES ",\"slots\":1}"),
     "is not JSON"},
    {"an escaped NUL", LINE("{\"job_number\":4,\"owner\":\"a\\u0000b\"," TIMES ",\"slots\":1}"),
     "is not JSON"},
    {"a job number that is none",
     LINE("{\"job_number\":\"x\",\"owner\":\"a\"," TIMES ",\"slots\":1}"),
     "job number 'x' is not a whole number"},
    {"a list for a number", LINE("{\"job_number\":[4],\"owner\":\"a\"," TIMES ",\"slots\":1}"),
     "without 'job_number'"},
    {"too large a number",
     LINE("{\"job_number\":99999999999999999999,\"owner\":\"a\"," TIMES ",\"slots\":1}"),
     "is not JSON"},
    {"a fraction of a job", LINE("{\"job_number\":1.5,\"owner\":\"a\"," TIMES ",\"slots\":1}"),
     "job number '1.5' is not a whole number"},
    {"the reporting file", LINE("{\"time\":1,\"type\":\"acct\",\"job_number\":4}"),
     "reporting file"},
};

static void bad_json_is_rejected(void **state)
{
    const struct bad_row *row = *state;
    struct sge_reading r;
    sge_read(&r, row->line);
    expect_int(r.step, SOURCE_REJECT);
    expect_contains(r.err.text, row->why);
    sge_reading_release(&r);
}

static void deep_nesting_is_rejected(void **state)
{
    (void)state;

    enum { DEPTH = 100000 };

    char *text = malloc(DEPTH + 6);
    assert_non_null(text);
    memcpy(text, "{\"a\":", 5);
    memset(text + 5, '[', DEPTH);
    struct sge_reading r;
    sge_read(&r, (struct str){text, DEPTH + 5});
    expect_int(r.step, SOURCE_REJECT);
    sge_reading_release(&r);
    free(text);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, json_line_fills_a_run, place_rows);
    SUITE_TEST(&suite, what_is_missing_is_absent);
    SUITE_TEST(&suite, parts_arrays_and_failures);
    SUITE_TEST(&suite, texts_are_decoded);
    SUITE_ROWS(&suite, bad_json_is_rejected, bad_rows);
    SUITE_TEST(&suite, deep_nesting_is_rejected);
    return suite_run(&suite, "sge_json");
}
