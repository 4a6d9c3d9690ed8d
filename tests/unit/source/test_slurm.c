/* SPDX-License-Identifier: MIT */
#include "base/buf.h"
#include "base/zone.h"
#include "unit/source/slurm_reader.h"

/*
 * sacct's text: headers, delimiters, zones, jobs with their steps, and where a file may be cut.
 */

#define UTC(seconds) (INT64_C(seconds) * SECOND_US)

/* --- columns ---------------------------------------------------------------------------------- */

struct table_row {
    const char *name;
    const char *text;
    const char *columns;
    const char *delimiter;
};

static const struct table_row table_rows[] = {
    {"bars", "JobID|User|State|NCPUS\n7|ann|RUNNING|4\n", "", ""},
    {"another order", "NCPUS|State|JobID|User\n4|RUNNING|7|ann\n", "", ""},
    {"other case", "jobid|user|STATE|NCpus\n7|ann|RUNNING|4\n", "", ""},
    {"a bar at the end, of -p", "JobID|User|State|NCPUS|\n7|ann|RUNNING|4|\n", "", ""},
    {"carriage returns", "JobID|User|State|NCPUS\r\n7|ann|RUNNING|4\r\n", "", ""},
    {"no line end", "JobID|User|State|NCPUS\n7|ann|RUNNING|4", "", ""},
    {"commas", "JobID,User,State,NCPUS\n7,ann,RUNNING,4\n", "", ""},
    {"tabs", "JobID\tUser\tState\tNCPUS\n7\tann\tRUNNING\t4\n", "", ""},
    {"three bytes", "JobID^|^User^|^State^|^NCPUS\n7^|^ann^|^RUNNING^|^4\n", "", ""},
    {"a delimiter that is said", "JobID;User;State;NCPUS\n7;ann;RUNNING;4\n", "", ";"},
    {"no header", "7|ann|RUNNING|4\n", "JobID,User,State,NCPUS", ""},
    {"no header, of -p", "7|ann|RUNNING|4|\n", "JobID,User%20,State,NCPUS", ""},
    {"no header, another delimiter", "7##ann##RUNNING##4\n", "JobID,User,State,NCPUS", "##"},
    {"the header again", "JobID|User|State|NCPUS\nJobID|User|State|NCPUS\n7|ann|RUNNING|4\n",
     "", ""},
    {"a message first", "sacct: warning: hello\nJobID|User|State|NCPUS\n7|ann|RUNNING|4\n", "",
     ""},
    {"a column twice", "JobID|User|State|NCPUS|AllocCPUS\n7|ann|RUNNING|4|9\n", "", ""},
    {"raw id alone", "JobIDRaw|User|State|NCPUS\n7|ann|RUNNING|4\n", "", ""},
    {"a column of a later Slurm", "JobID|User|Brandnew|State|NCPUS\n7|ann|x y|RUNNING|4\n", "",
     ""},
    {"that comes first", "Brandnew|JobID|User|State|NCPUS\n|7|ann|RUNNING|4\n", "", ""},
};

static void table_is_read(void **state)
{
    const struct table_row *row = *state;
    const struct source_options options = {.columns = str_of(row->columns),
                                           .delimiter = str_of(row->delimiter)};
    struct slurm_reading r;
    slurm_read_with(&r, str_of(row->text), &options);
    if (r.failed) {
        expect_fail("%s", r.err.text);
    }
    /* What a tool had to say stands before the header and is no record. */
    const struct run *run = slurm_run_at(&r, r.count - 1);
    expect_run(run, job, 7);
    expect_run_text(run, user, "ann");
    expect_run(run, req_cpus, 4);
    expect_uint(r.records, 1);
    slurm_reading_release(&r);
}

struct refused_row {
    const char *name;
    const char *text;
    const char *columns;
    const char *message;
};

static const struct refused_row refused_rows[] = {
    {"no header, no columns", "7|ann|RUNNING|4\n", "", "--columns"},
    {"more unknown than known", "JobID|User|Colour|Taste|Smell\n7|ann|a|b|c\n", "",
     "--columns"},
    {"a column nobody knows", "7|ann|RUNNING|4\n", "JobID,Owner,State,NCPUS", "'Owner'"},
    {"no id among them", "ann|RUNNING|4\n", "User,State,NCPUS", "JobID"},
};

static void open_says_what_it_needs(void **state)
{
    const struct refused_row *row = *state;
    const struct source_options options = {.columns = str_of(row->columns)};
    struct slurm_reading r;
    slurm_read_with(&r, str_of(row->text), &options);
    expect_true(r.failed != 0);
    expect_contains(r.err.text, row->message);
    slurm_reading_release(&r);
}

static void row_with_too_few_fields_is_refused(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|User|State|NCPUS\n7|ann|RUNNING\n8|ann|RUNNING|4\n");
    expect_uint(r.rejects, 1);
    expect_text(r.items[0].error, "has 3 fields, expected 4");
    expect_run(slurm_run_at(&r, 1), job, 8);
    slurm_reading_release(&r);
}

static void nul_bytes_are_refused(void **state)
{
    (void)state;
    static const char text[] = "JobID|User|State\n7|a\0n|RUNNING\n";
    const struct source_options options = {0};
    struct slurm_reading r;
    slurm_read_with(&r, (struct str){text, sizeof(text) - 1}, &options);
    expect_uint(r.rejects, 1);
    expect_contains(r.items[0].error, "NUL");
    slurm_reading_release(&r);
}

/* --- times ------------------------------------------------------------------------------------ */

struct time_row {
    const char *name; /* the text */
    const char *zone;
    int64_t seconds; /* -1: absent; -2: refused */
};

static const struct time_row time_rows[] = {
    {"2019-07-31T22:29:14", "Europe/Helsinki", 1564601354},
    {"2019-07-31T22:29:14", "UTC", 1564612154},
    {"2024-10-27T02:30:00", "Europe/Oslo", 1729989000}, /* twice: the first */
    {"2024-03-31T02:30:00", "Europe/Oslo", 1711846800}, /* never: when the clock jumped */
    {"1564601354", "Europe/Oslo", 1564601354},
    {"2019-07-31T22:29:14Z", "Europe/Oslo", 1564612154},
    {"2019-07-31T22:29:14+0300", "UTC", 1564601354},
    {"2019-07-31T22:29:14+03:00", "UTC", 1564601354},
    {"Unknown", "UTC", -1},
    {"None", "UTC", -1},
    {"0", "UTC", -1},
    {"", "UTC", -1},
    {"2019-13-31T22:29:14", "UTC", -2},
    {"2019-02-30T22:29:14", "UTC", -2},
    {"31/07/2019 22:29:14", "UTC", -2},
    {"22:29:14", "UTC", -2},
};

static void time_is_read_in_its_zone(void **state)
{
    const struct time_row *row = *state;
    struct zone *zone = NULL;
    struct error err;
    struct slurm_reading r;
    char text[128];
    expect_int(zone_open(row->zone, &zone, &err), 0);
    const struct source_options options = {.zone = zone};
    (void)snprintf(text, sizeof(text), "JobID|Submit|State\n1|%s|PENDING\n", row->name);
    slurm_read_with(&r, str_of(text), &options);
    expect_uint(r.rejects, row->seconds == -2);
    if (row->seconds >= -1) {
        const struct run *run = slurm_run_at(&r, 0);
        expect_int(RUN_HAS(run, submit) ? run->submit / SECOND_US : -1, row->seconds);
    }
    slurm_reading_release(&r);
    zone_close(zone);
}

/* --- identity --------------------------------------------------------------------------------- */

static void a_job_seen_pending_running_and_ended_is_one_run(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|JobIDRaw|Submit|Start|End|State|NCPUS\n"
                   "9_4|12|1700000000|Unknown|Unknown|PENDING|2\n"
                   "9_4|12|1700000000|1700000100|Unknown|RUNNING|2\n"
                   "9_4|12|1700000000|1700000100|1700000200|COMPLETED|2\n");
    for (size_t i = 0; i < 3; i++) {
        const struct run *run = slurm_run_at(&r, i);
        expect_run(run, job, 9);
        expect_run(run, task, 4);
        expect_run(run, job_raw, 12);
        expect_run(run, attempt, UTC(1700000000));
    }
    slurm_reading_release(&r);
}

/* The array's last task has the raw id of the array itself. */
static void raw_id_of_the_last_task_is_not_the_array(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|JobIDRaw|State\n36_3|36|COMPLETED\n36_1|37|COMPLETED\n");
    expect_run(slurm_run_at(&r, 0), task, 3);
    expect_run(slurm_run_at(&r, 0), job_raw, 36);
    expect_run(slurm_run_at(&r, 1), job, 36);
    slurm_reading_release(&r);
}

static void without_submit_the_start_tells_runs_apart(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|Start|State\n1|1700000100|RUNNING\n1|Unknown|PENDING\n");
    expect_run(slurm_run_at(&r, 0), attempt, UTC(1700000100));
    expect_run(slurm_run_at(&r, 1), attempt, -1);
    slurm_reading_release(&r);
}

static void a_resized_job_has_a_piece_a_row(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|Submit|Start|End|State|NCPUS\n"
                   "5|1700000000|1700000010|1700000100|RESIZING|8\n"
                   "5|1700000100|1700000100|1700000200|COMPLETED|4\n");
    expect_run_text(slurm_run_at(&r, 0), class, "requeued");
    expect_run(slurm_run_at(&r, 0), cpus, 8);
    expect_run(slurm_run_at(&r, 1), attempt, UTC(1700000100));
    slurm_reading_release(&r);
}

/* --- steps ------------------------------------------------------------------------------------ */

#define STEP_HEADER                                                                            \
    "JobID|State|Start|End|TotalCPU|UserCPU|MaxRSS|AveRSS|NTasks|TRESUsageInTot|MaxVMSize\n"
#define STEP_JOB "3|COMPLETED|1700000000|1700000100|00:10.000|00:08.000|||||\n"

struct step_row {
    const char *name;
    const char *steps;
    int64_t cpu_ms; /* -1: absent */
    int64_t mem_kib;
    const char *basis;
};

static const struct step_row step_rows[] = {
    {"the job's cpu time counts once, not again with its steps'",
     STEP_JOB "3.batch|COMPLETED|1700000000|1700000100|00:06.000|00:05.000|100K|100K|1||\n"
              "3.0|COMPLETED|1700000000|1700000100|00:04.000|00:03.000|50K|50K|1||\n",
     10000, 100, "step-rss"},
    {"where the job says 0 it is the sum of the steps",
     "3|COMPLETED|1700000000|1700000100|00:00:00|00:00:00|||||\n"
     "3.batch|COMPLETED|1700000000|1700000100|00:06.000|00:05.000|100K|100K|1||\n"
     "3.0|COMPLETED|1700000000|1700000100|00:04.000|00:03.000|50K|50K|1||\n",
     10000, 100, "step-rss"},
    {"without steps 0 is unknown", "3|COMPLETED|1700000000|1700000100|00:00:00|00:00:00|||||\n",
     -1, -1, NULL},
    {"of steps nobody looked at 0 is unknown",
     "3|COMPLETED|1700000000|1700000100|00:00:00|00:00:00|||||\n"
     "3.batch|COMPLETED|1700000000|1700000100|00:00:00|00:00:00|||||\n",
     -1, -1, NULL},
    {"memory is the largest of the steps' sums over tasks",
     STEP_JOB
     "3.0|COMPLETED|1700000000|1700000100|00:01|00:01|100K|80K|8|mem=700K,cpu=00:00:01|\n"
     "3.1|COMPLETED|1700000000|1700000100|00:01|00:01|400K|400K|1|mem=400K|\n",
     10000, 700, "step-rss"},
    {"without that sum, the mean times the tasks",
     STEP_JOB "3.0|COMPLETED|1700000000|1700000100|00:01|00:01|100K|80K|8||\n", 10000, 640,
     "step-rss"},
    {"or the largest times the tasks, a bound",
     STEP_JOB "3.0|COMPLETED|1700000000|1700000100|00:01|00:01|100K||8||\n", 10000, 800,
     "step-rss-bound"},
    {"or the largest task",
     STEP_JOB "3.0|COMPLETED|1700000000|1700000100|00:01|00:01|100K||||\n", 10000, 100,
     "task-rss"},
    {"of one task that is the step's",
     STEP_JOB "3.0|COMPLETED|1700000000|1700000100|00:01|00:01|100K||1||\n", 10000, 100,
     "step-rss"},
    {".extern is not the job's memory",
     STEP_JOB "3.extern|COMPLETED|1700000000|1700000100|00:01|00:01|900K|900K|1||\n"
              "3.batch|COMPLETED|1700000000|1700000100|00:01|00:01|100K|100K|1||\n",
     10000, 100, "step-rss"},
    {"a peak of 0 is unknown",
     STEP_JOB "3.batch|COMPLETED|1700000000|1700000100|00:01|00:01|0|0|1||\n", 10000, -1, NULL},
};

static void job_with_steps_is_one_run(void **state)
{
    const struct step_row *row = *state;
    struct slurm_reading r;
    struct buf text;
    buf_init(&text, 1 << 16);
    buf_addf(&text, "%s%s", STEP_HEADER, row->steps);
    slurm_read(&r, text.ptr);
    buf_release(&text);
    expect_uint(r.count, 1);
    const struct run *run = slurm_run_at(&r, 0);
    expect_int(RUN_HAS(run, cpu_used_us) ? run->cpu_used_us / 1000 : -1, row->cpu_ms);
    expect_int(RUN_HAS(run, mem_peak_bytes) ? run->mem_peak_bytes / 1024 : -1, row->mem_kib);
    expect_int(RUN_HAS(run, mem_basis), row->basis != NULL);
    if (row->basis) {
        expect_run_text(run, mem_basis, row->basis);
    }
    slurm_reading_release(&r);
}

static void use_of_a_run_that_goes_on_is_not_known_yet(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, STEP_HEADER "3|RUNNING|1700000000|Unknown|00:10.000|00:08.000|||||\n"
                               "3.0|COMPLETED|1700000000|1700000100|00:10|00:08|9K|9K|1||\n");
    expect_run_absent(slurm_run_at(&r, 0), cpu_used_us);
    expect_run_absent(slurm_run_at(&r, 0), mem_peak_bytes);
    slurm_reading_release(&r);
}

static void a_step_that_cannot_be_read_costs_its_job_a_flag(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, STEP_HEADER STEP_JOB
               "3.0|COMPLETED|1700000000|1700000100|00:01|00:01|20H||1||\n"
               "3.1|COMPLETED|1700000000|1700000100|00:01|00:01|5K||1||\n");
    expect_uint(r.count, 1);
    expect_run(slurm_run_at(&r, 0), flags, RUN_FLAG_STEP_UNREADABLE);
    expect_run(slurm_run_at(&r, 0), mem_peak_bytes, 5 << 10);
    slurm_reading_release(&r);
}

static void a_step_without_its_job_is_refused(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "JobID|State|NCPUS\n3.0|COMPLETED|1\n4|COMPLETED|1\n3.1|COMPLETED|1\n");
    expect_uint(r.records, 1);
    expect_uint(r.rejects, 2);
    expect_contains(r.items[0].error, "step that does not follow the row of its job");
    slurm_reading_release(&r);
}

/* Its name holds a line feed left of the id, so that it cannot be found: put JobID first. */
static void a_row_without_its_id_swallows_no_other(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read(&r, "Submit|State|JobName|NCPUS|JobID|User\n"
                   "1700000000|PENDING|a|1|44|ann\n"
                   "1700000100|COMPLETED|na|me\ntwo|2|48|bob\n"
                   "1700000200|COMPLETED|b|a|r|1|49|cyd\n");
    expect_uint(r.records, 2);
    expect_uint(r.rejects, 2);
    expect_run(slurm_run_at(&r, 0), job, 44);
    expect_run_text(slurm_run_at(&r, 0), name, "a");
    expect_run_text(slurm_run_at(&r, 3), name, "b|a|r");
    slurm_reading_release(&r);
}

/* --- slices ----------------------------------------------------------------------------------- */

static const char sliced[] = "JobID|State|SubmitLine|NCPUS|MaxRSS\n"
                             "1|COMPLETED|sbatch a|1|\n1.batch|COMPLETED||1|1M\n"
                             "1.0|COMPLETED|srun x|1|2M\n"
                             "2_[3-9]|PENDING|sbatch b|1|\n"
                             "3|COMPLETED|sbatch --wrap one\ntwo\n\nthree|4|\n"
                             "3.batch|COMPLETED||4|5M\n";

/* Wherever a slice ends, jobs keep their steps and texts their lines. */
static void cut_never_parts_a_job_from_its_steps(void **state)
{
    (void)state;
    const struct source_options options = {0};
    struct error err;
    void *format = NULL;
    struct str all = {sliced, sizeof(sliced) - 1};
    expect_int(slurm_driver.open(all, &options, &format, &err), 0);
    for (size_t len = 1; len <= all.len; len++) {
        char *copy = mem_alloc(len, 1);
        memcpy(copy, sliced, len);
        size_t cut = slurm_driver.cut(format, (struct str){copy, len}, false);
        free(copy);
        expect_true(cut < len);
        struct str rest = {sliced + cut, all.len - cut};
        expect_true(cut == 0 || str_starts(rest, STR("1|")) || str_starts(rest, STR("2_[")) ||
                    str_starts(rest, STR("3|")));
    }
    expect_uint(slurm_driver.cut(format, all, true), all.len);
    /* A file that ends inside a row: its job has to be read again. */
    expect_text_n(sliced + slurm_driver.cut(format, (struct str){sliced, all.len - 3}, true), 3,
                  "3|C");
    slurm_driver.close(format);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, table_is_read, table_rows);
    SUITE_ROWS(&suite, open_says_what_it_needs, refused_rows);
    SUITE_TEST(&suite, row_with_too_few_fields_is_refused);
    SUITE_TEST(&suite, nul_bytes_are_refused);
    SUITE_ROWS(&suite, time_is_read_in_its_zone, time_rows);
    SUITE_TEST(&suite, a_job_seen_pending_running_and_ended_is_one_run);
    SUITE_TEST(&suite, raw_id_of_the_last_task_is_not_the_array);
    SUITE_TEST(&suite, without_submit_the_start_tells_runs_apart);
    SUITE_TEST(&suite, a_resized_job_has_a_piece_a_row);
    SUITE_ROWS(&suite, job_with_steps_is_one_run, step_rows);
    SUITE_TEST(&suite, use_of_a_run_that_goes_on_is_not_known_yet);
    SUITE_TEST(&suite, a_step_that_cannot_be_read_costs_its_job_a_flag);
    SUITE_TEST(&suite, a_step_without_its_job_is_refused);
    SUITE_TEST(&suite, a_row_without_its_id_swallows_no_other);
    SUITE_TEST(&suite, cut_never_parts_a_job_from_its_steps);
    return suite_run(&suite, "slurm");
}
