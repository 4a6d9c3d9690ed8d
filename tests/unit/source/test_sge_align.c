/* SPDX-License-Identifier: MIT */
#include "unit/source/sge_reader.h"

/* Colons inside texts: which reading is found, and that the values around it are right. */
struct colon_row {
    const char *name;
    struct sge_change changes[8];
    const char *user;
    const char *job_name;
    const char *account;
    const char *request; /* NULL: absent */
    const char *command; /* NULL: absent */
};

#define END_OF_CHANGES                                                                         \
    {                                                                                          \
        -1, NULL                                                                               \
    }
#define USUAL_REQUEST "-q long.q -l h_rt=10800,h_vmem=2G -pe mpi 16"
#define UNIVA(command_)                                                                        \
    {SGE_MAXRSS, "4096"}, {SGE_MAXPSS, "4096"}, {SGE_CWD, "/home/bob"},                        \
    {                                                                                          \
        SGE_SUBMIT_CMD, command_                                                               \
    }

static const struct colon_row colon_rows[] = {
    {"in the job's name",
     {{SGE_JOB_NAME, "a:b"}, END_OF_CHANGES},
     "bob",
     "a:b",
     "sge",
     USUAL_REQUEST,
     NULL},
    {"several in the name",
     {{SGE_JOB_NAME, "view0:turb:00005882:post"}, END_OF_CHANGES},
     "bob",
     "view0:turb:00005882:post",
     "sge",
     USUAL_REQUEST,
     NULL},
    {"a number in the name",
     {{SGE_JOB_NAME, "view:12:x"}, END_OF_CHANGES},
     "bob",
     "view:12:x",
     "sge",
     USUAL_REQUEST,
     NULL},
    {"at the end of the name",
     {{SGE_JOB_NAME, "a:"}, END_OF_CHANGES},
     "bob",
     "a:",
     "sge",
     USUAL_REQUEST,
     NULL},
    {"nothing but a colon",
     {{SGE_JOB_NAME, ":"}, END_OF_CHANGES},
     "bob",
     ":",
     "sge",
     USUAL_REQUEST,
     NULL},
    {"in the account",
     {{SGE_ACCOUNT, "grant:x"}, END_OF_CHANGES},
     "bob",
     "relax",
     "grant:x",
     USUAL_REQUEST,
     NULL},
    {"in a number's account",
     {{SGE_JOB_NAME, "a:b"}, {SGE_ACCOUNT, "77"}, END_OF_CHANGES},
     "bob",
     "a:b",
     "77",
     USUAL_REQUEST,
     NULL},
    {"in the category",
     {{SGE_CATEGORY, "-l h_rt=10:00:00 -pe mpi 16"}, END_OF_CHANGES},
     "bob",
     "relax",
     "sge",
     "-l h_rt=10:00:00 -pe mpi 16",
     NULL},
    {"in name and category",
     {{SGE_JOB_NAME, "x:y:z"}, {SGE_CATEGORY, "-l a=b:c"}, END_OF_CHANGES},
     "bob",
     "x:y:z",
     "sge",
     "-l a=b:c",
     NULL},
    {"never started, in the name",
     {{SGE_JOB_NAME, "a:1"},
      {SGE_START_TIME, "0"},
      {SGE_END_TIME, "0"},
      {SGE_ACCOUNT, "5"},
      {SGE_SUBMISSION_TIME, "0"},
      END_OF_CHANGES},
     "bob",
     NULL,
     NULL,
     NULL,
     NULL},
    {"in the submit command",
     {UNIVA("qsub -l h_rt=1:00:00 x.sh"), END_OF_CHANGES},
     "bob",
     "relax",
     "sge",
     USUAL_REQUEST,
     "qsub -l h_rt=1:00:00 x.sh"},
    {"in the submit command, more columns after it",
     {UNIVA("qsub -l h_rt=1:00:00 x.sh"),
      {SGE_WALLCLOCK, "7200.1"},
      {SGE_IOOPS, "77"},
      END_OF_CHANGES},
     "bob",
     "relax",
     "sge",
     USUAL_REQUEST,
     "qsub -l h_rt=1:00:00 x.sh"},
    {"one in the submit command",
     {UNIVA("qsub -o host:file"), END_OF_CHANGES},
     "bob",
     "relax",
     "sge",
     USUAL_REQUEST,
     "qsub -o host:file"},
    {"in name and submit command",
     {{SGE_JOB_NAME, "a:b"},
      UNIVA("qsub -N a:b x"),
      {SGE_WALLCLOCK, "7200.1"},
      {SGE_IOOPS, "77"},
      END_OF_CHANGES},
     "bob",
     "a:b",
     "sge",
     USUAL_REQUEST,
     "qsub -N a:b x"},
};

static void colons_are_put_back(void **state)
{
    const struct colon_row *row = *state;
    char text[4096];
    struct sge_reading r;
    sge_read(&r, sge_row_with(row->changes, text, sizeof(text)));
    if (!row->job_name) {
        expect_int(r.step, SOURCE_REJECT);
        sge_reading_release(&r);
        return;
    }
    expect_text(r.err.text, "");
    expect_int(r.step, SOURCE_RECORD);
    expect_field(&r, flags, RUN_FLAG_FIELDS_ODD);
    expect_field(&r, job, 1234);
    expect_field_text(&r, user, row->user);
    expect_field_text(&r, name, row->job_name);
    expect_field_text(&r, account, row->account);
    expect_field_text(&r, request, row->request);
    expect_field(&r, cpus, 16);
    expect_field(&r, vmem_peak_bytes, INT64_C(2147483648));
    if (row->command) {
        expect_field_text(&r, command, row->command);
        expect_field_text(&r, work_dir, "/home/bob");
    } else {
        expect_absent(&r, command);
    }
    sge_reading_release(&r);
}

static void rows_of_43_columns_with_colons(void **state)
{
    (void)state;
    struct sge_reading r;
    sge_read(&r,
             STR("q:h:g:o:n:m:5:acct:0:1700000000:1700000600:1700000700:0:0:100:1.0:1.0:1.0:0:"
                 "0:0:0:0:0:0:0.0:0:0:0:0:0:0:NONE:dep:NONE:1:0:2.0:1.0:0.5:-l h_rt=1:00:00:"
                 "0.25:NONE:4096.0"));
    expect_int(r.step, SOURCE_RECORD);
    expect_field_text(&r, name, "n:m");
    expect_field_text(&r, request, "-l h_rt=1:00:00");
    expect_field(&r, req_wall_us, INT64_C(3600000000));
    expect_field(&r, io_wait_us, 250000);
    expect_field(&r, vmem_peak_bytes, 4096);
    sge_reading_release(&r);
}

static void two_readings_are_refused(void **state)
{
    (void)state;
    struct sge_reading r;
    /* Job 5 of account x:1234:grant, or job 1234 named relax:5:x? */
    SGE_READ_WITH(&r, {SGE_JOB_NAME, "relax:5:x"}, {SGE_ACCOUNT, "grant"});
    expect_int(r.step, SOURCE_REJECT);
    expect_contains(r.err.text, "more than one way");
    sge_reading_release(&r);
}

static void more_colons_than_we_look_at(void **state)
{
    (void)state;
    char text[2048];
    char command[1000];
    memset(command, ':', sizeof(command));
    command[sizeof(command) - 1] = '\0';
    struct sge_reading r;
    const struct sge_change changes[] = {UNIVA(command), {-1, NULL}};
    sge_read(&r, sge_row_with(changes, text, sizeof(text)));
    expect_int(r.step, SOURCE_RECORD);
    expect_int((int64_t)r.run.command.len, sizeof(command) - 1);
    sge_reading_release(&r);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, colons_are_put_back, colon_rows);
    SUITE_TEST(&suite, rows_of_43_columns_with_colons);
    SUITE_TEST(&suite, two_readings_are_refused);
    SUITE_TEST(&suite, more_colons_than_we_look_at);
    return suite_run(&suite, "sge_align");
}
