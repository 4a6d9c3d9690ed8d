/* SPDX-License-Identifier: MIT */
#include "source/lsf/lsf.h"

#include "unit/source/reader.h"

/*
 * What becomes of the fields of a record, shape by shape. Whole files are in test_fixtures.
 */

#define HEAD "\"JOB_FINISH\" \"10.1\" 1740820200 501 1001 33554434 2 1740816000 0 0 "
#define WHO                                                                                    \
    "\"ann\" \"normal\" \"span[hosts=1]\" \"\" \"\" \"login1\" \"/home\" \"\" \"\" \"\" "      \
    "\"f.501\" "
#define USAGE "1.5 2.25 2048 0 -1 0 0 5 3 0 1 8 -1 0 0 0 4 2 -1 "
#define NONE  "-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 "
#define LIMIT "\"\" \"chem\" 0 2 \"\" \"\" 0 3072 4096 \"\" \"\" \"\" "
#define ACCT                                                                                   \
    "\"\" 0 \"\" 0 \"\" -1 \"/chem/ann\" \"\" \"\" \"\" -1 \"\" \"\" 5136 \"\" 1740816600 "    \
    "\"\" \"\" "
#define TAIL                                                                                   \
    "0 0 7200 0 1000 \"select[any]\" \"\" -1 \"\" -1 0 \"\" 0 0 \"\" 3000 \"/\" 0 \"\" 0.0 "   \
    "0.0 0.0 0.0 0.0 "
#define USUAL HEAD "1740816600 " WHO "0 2 \"n1\" \"n2\" 64 60.0 \"name\" \"./a\" " USAGE LIMIT

struct record_row {
    const char *name;
    const char *line;
    enum source_step step;
    const struct want *wants;
};

static const struct record_row record_rows[] = {
    {"doubled quotes are quotes, semicolons stay",
     HEAD "1740816600 " WHO
          "0 1 \"n1\" 64 60.0 \"a \"\"b\"\"\" \"#!/bin/sh;echo \"\"x\"\"\" " USAGE LIMIT,
     SOURCE_RECORD, WANTS({"name", "a \"b\""}, {"command", "#!/bin/sh;echo \"x\""})},
    {"a host for each slot",
     HEAD "1740816600 " WHO "0 3 \"n1\" \"n2\" \"n1\" 64 60.0 \"\" \"./a\" " USAGE LIMIT,
     SOURCE_RECORD, WANTS({"cpus", "3"}, {"node_count", "2"}, {"nodes", "n1*2,n2*1"})},
    {"hosts with their number of slots",
     HEAD "1740816600 " WHO "0 2 \"16*n1\" \"8*n2\" 64 60.0 \"\" \"./a\" " USAGE LIMIT,
     SOURCE_RECORD, WANTS({"cpus", "24"}, {"nodes", "n1*16,n2*8"}, {"node", "n1"})},
    {"killed while pending is no run",
     HEAD "0 " WHO "0 0 32 1.0 \"\" \"./a\" " NONE LIMIT
          "\"\" 0 \"\" 14 \"\" -1 \"\" \"\" \"\"",
     SOURCE_RECORD,
     WANTS({"start", NULL}, {"cpus", NULL}, {"cpu_used", NULL}, {"class", "cancelled"},
           {"exit_code", NULL}, {"submit", "1740816000000000"})},
    {"start 0 with a host never ran either",
     HEAD "0 " WHO "0 1 \"n1\" 32 60.0 \"\" \"./a\" " NONE LIMIT, SOURCE_RECORD,
     WANTS({"start", NULL}, {"cpus", NULL}, {"node", NULL}, {"mem_peak", "3145728"})},
    {"two counts without a blank",
     HEAD "1740816600 " WHO "02 \"n1\" \"n1\" 64 60.0 \"\" \"./a\" " USAGE LIMIT, SOURCE_RECORD,
     WANTS({"cpus", "2"}, {"node_count", "1"}, {"flags", "64"})},
    {"a text without its last quote",
     HEAD
     "1740816600 \"ann\" \"normal\" \"\" \"\" \"\" \"login1 \"/home\" \"\" \"\" \"\" \"f\" 0 1 "
     "\"n1\" 64 60.0 \"\" \"./a\" " USAGE LIMIT,
     SOURCE_RECORD,
     WANTS({"submit_host", "login1"}, {"work_dir", "/home"}, {"cpus", "1"}, {"flags", "64"})},
    {"two texts without a blank are refused",
     HEAD "1740816600 \"ann\"\"normal\" \"\" \"\" \"\" \"login1\" \"/home\" \"\" \"\" \"\" "
          "\"f\" 0 1 "
          "\"n1\" 64 60.0 \"\" \"./a\" " USAGE LIMIT,
     SOURCE_REJECT, NULL},
    {"a number and a text without a blank", USUAL "\"\" 0\"\" 5\"\" -1 \"/chem/ann\"",
     SOURCE_RECORD, WANTS({"account", "/chem/ann"}, {"class", "completed"})},
    {"a record of LSF 5 is short", USUAL, SOURCE_RECORD,
     WANTS({"account", NULL}, {"mem_peak", "3145728"}, {"vmem_peak", "4194304"},
           {"time_limit", NULL})},
    {"a record that ends after the usage is short",
     HEAD "1740816600 " WHO "0 1 \"n1\" 64 60.0 \"\" \"./a\" " USAGE "\"\" \"chem\" 0",
     SOURCE_RECORD,
     WANTS({"project", "chem"}, {"task", NULL}, {"mem_peak", "2097152"},
           {"mem_basis", "process-rss"})},
    {"a record that ends before it is refused",
     HEAD "1740816600 " WHO "0 1 \"n1\" 64 60.0 \"\" \"./a\" " USAGE "\"\" \"chem\"",
     SOURCE_REJECT, NULL},
    {"index ranges and more behind the end we know",
     USUAL ACCT TAIL "1 \"n1\" -1 1 678 1000 1 0 0 0 1 \"schedulingOverhead\" \"1.0\" 7.0 8.0",
     SOURCE_RECORD,
     WANTS({"cpus", "1"}, {"time_limit", "7200000000"}, {"suspended", "600000000"},
           {"request", "select[any]"})},
    {"a tail of another version is not an error", USUAL ACCT "0 0 \"what\" is this",
     SOURCE_RECORD, WANTS({"account", "/chem/ann"}, {"cpus", "2"}, {"time_limit", NULL})},
    {"slots listed apart from hosts of tasks",
     USUAL ACCT TAIL "3 \"n1\" \"n1\" \"n3\" 30 0 0 0", SOURCE_RECORD,
     WANTS({"cpus", "3"}, {"nodes", "n1*2,n3*1"}, {"eligible", "1740816030000000"})},
    {"an array's job",
     HEAD "1740816600 " WHO "0 1 \"n1\" 64 60.0 \"x[1-9]\" \"./a\" " USAGE
          "\"\" \"chem\" 0 2 \"\" \"\" 7 0 0",
     SOURCE_RECORD, WANTS({"job", "501"}, {"task", "7"}, {"array_job", "501"})},
    {"gpus are asked for a host",
     HEAD "1740816600 \"ann\" \"gpu\" \"rusage[ngpus_physical=2.00]\" \"\" \"\" \"\" \"\" \"\" "
          "\"\" \"\" "
          "\"f\" 0 2 \"n1\" \"n2\" 64 60.0 \"\" \"./a\" " USAGE LIMIT,
     SOURCE_RECORD, WANTS({"gpus", "4"}, {"req_gpus", "4"})},
    {"an exit status is that of wait",
     HEAD "1740816600 " WHO "0 1 \"n1\" 32 60.0 \"\" \"./a\" " USAGE "\"\" \"chem\" 33280",
     SOURCE_RECORD,
     WANTS({"exit_code", "130"}, {"signal", NULL}, {"class", "failed"}, {"state", "EXIT"})},
    {"a signal is no exit status",
     HEAD "1740816600 " WHO "0 1 \"n1\" 32 60.0 \"\" \"./a\" " USAGE "\"\" \"chem\" 9",
     SOURCE_RECORD, WANTS({"exit_code", NULL}, {"signal", "9"})},
    {"a signal with a core dump",
     HEAD "1740816600 " WHO "0 1 \"n1\" 32 60.0 \"\" \"./a\" " USAGE "\"\" \"chem\" 139",
     SOURCE_RECORD, WANTS({"exit_code", NULL}, {"signal", "11"})},
    {"a job that was to begin later could not start before",
     "\"JOB_FINISH\" \"10.1\" 1740820200 501 1001 33554434 2 1740816000 1740816300 0 "
     "1740816600 " WHO "0 1 \"n1\" 64 60.0 \"\" \"./a\" " USAGE LIMIT,
     SOURCE_RECORD, WANTS({"submit", "1740816000000000"}, {"eligible", "1740816300000000"})},
    {"a job that was to begin before it was submitted could start at once",
     "\"JOB_FINISH\" \"10.1\" 1740820200 501 1001 33554434 2 1740816000 1740815000 0 "
     "1740816600 " WHO "0 1 \"n1\" 64 60.0 \"\" \"./a\" " USAGE LIMIT,
     SOURCE_RECORD, WANTS({"submit", "1740816000000000"}, {"eligible", NULL})},
    {"a memory limit",
     HEAD "1740816600 " WHO "0 1 \"n1\" 32 60.0 \"\" \"./a\" " USAGE LIMIT
          "\"\" 0 \"\" 16 \"\" -1 \"\"",
     SOURCE_RECORD,
     WANTS({"class", "oom"}, {"reason", "TERM_MEMLIMIT: reached its memory limit"})},
    {"a resize is no run", "\"JOB_RESIZE\" \"10.1\" 1740820200 501", SOURCE_SKIP, NULL},
    {"a reservation is no run", "\"EVENT_ADRSV_FINISH\" \"10.1\" 1740820200 501", SOURCE_SKIP,
     NULL},
    {"an event nobody told us of is not dropped", "\"JOB_DANCE\" \"10.1\" 1740820200 501",
     SOURCE_REJECT, NULL},
    {"a comment", "   # nothing", SOURCE_SKIP, NULL},
};

static void record_becomes_its_run(void **state)
{
    const struct record_row *row = *state;
    struct reading r;
    read_first(&r, &lsf_driver, str_of(row->line), NULL);
    expect_int(r.step, row->step);
    if (row->wants) {
        expect_wants(&r.run, row->wants);
    }
    expect_int(r.step == SOURCE_REJECT, r.err.text[0] != '\0');
    reading_release(&r);
}

#define OPEN_TEXT       HEAD "1740816600 " WHO "0 1 \"n1\" 64 60.0 \"\" \"a\n"
#define LENGTH(literal) (sizeof(literal) - 1)

struct cut_row {
    const char *name;
    const char *data;
    size_t cut;
};

static const struct cut_row cut_rows[] = {
    {"nothing", "", 0},
    {"no line end", USUAL, 0},
    {"a whole record", USUAL "\n", LENGTH(USUAL) + 1},
    {"a record and a half", USUAL "\n" HEAD, LENGTH(USUAL) + 1},
    {"a text that goes on", USUAL "\n" OPEN_TEXT, LENGTH(USUAL) + 1},
    {"a text that goes on for lines", USUAL "\n" OPEN_TEXT "b\nc\n", LENGTH(USUAL) + 1},
    {"a text that went on", OPEN_TEXT "b\" " USAGE LIMIT "\n",
     LENGTH(OPEN_TEXT "b\" " USAGE LIMIT "\n")},
    {"only a text that goes on", OPEN_TEXT, 0},
    {"comments", "# a\n# b\n", 8},
};

static void cut_is_between_records(void **state)
{
    const struct cut_row *row = *state;
    expect_int((int64_t)lsf_driver.cut(NULL, str_of(row->data), false), (int64_t)row->cut);
}

/* Line ends in texts are part of the record, whose number is that of its first line. */
static void text_of_several_lines_is_one_record(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct str file = STR(OPEN_TEXT "b \"\"\nc\" " USAGE LIMIT "\n" USUAL "\n");
    struct source_cursor cursor = {.rest = file, .next_line = 1, .arena = &arena};
    struct run run = {0};
    struct error err = {0};
    expect_int(lsf_driver.next(NULL, &cursor, &run, &err), SOURCE_RECORD);
    expect_int((int64_t)cursor.line, 1);
    expect_text_n(run.command.ptr, run.command.len, "a\nb \"\nc");
    run = (struct run){0};
    expect_int(lsf_driver.next(NULL, &cursor, &run, &err), SOURCE_RECORD);
    expect_int((int64_t)cursor.line, 4);
    run = (struct run){0};
    expect_int(lsf_driver.next(NULL, &cursor, &run, &err), SOURCE_END);
    arena_release(&arena);
}

/* A record that was cut short does not take the next one along. */
static void broken_text_ends_at_the_next_record(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct source_cursor cursor = {
        .rest = STR(OPEN_TEXT USUAL "\n"), .next_line = 1, .arena = &arena};
    struct run run = {0};
    struct error err = {0};
    expect_int(lsf_driver.next(NULL, &cursor, &run, &err), SOURCE_REJECT);
    run = (struct run){0};
    expect_int(lsf_driver.next(NULL, &cursor, &run, &err), SOURCE_RECORD);
    expect_int((int64_t)cursor.line, 2);
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, record_becomes_its_run, record_rows);
    SUITE_ROWS(&suite, cut_is_between_records, cut_rows);
    SUITE_TEST(&suite, text_of_several_lines_is_one_record);
    SUITE_TEST(&suite, broken_text_ends_at_the_next_record);
    return suite_run(&suite, "lsf");
}
