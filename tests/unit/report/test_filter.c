/* SPDX-License-Identifier: MIT */

/*
 * Filters pick runs. Each row is a few conditions and the jobs that satisfy all of them; what people
 * type is data, whatever it looks like.
 */
#include "report/queries/listing.h"
#include "support/expect.h"
#include "unit/report/ask.h"

#define GIB (INT64_C(1) << 30)

static struct runs_store store;
static struct zone *oslo;

struct picked_run {
    const char *user, *name, *state, *class; /* NULL: absent */
    int64_t cpus;                            /* -1: absent */
    int64_t mem;                             /* bytes; -1: absent */
    const char *start;                       /* Oslo; NULL: never started */
    int64_t wall_m;                          /* minutes */
    int64_t used_m;                          /* minutes of cpu time */
};

/* Jobs 1, 2, 3, ... */
static const struct picked_run picked_runs[] = {
    {"ann", "sim", "0", "completed", 1, GIB, "2025-03-01T00:00", 30, 30},
    {"bob", "sim-1", "1:9", "failed", 8, 4 * GIB, "2025-03-01T12:00", 90, 360},
    {"bobby", "[x]", "0", "completed", 64, 5 * GIB, "2025-03-02T00:00", 60, 1920},
    {NULL, NULL, NULL, NULL, -1, -1, NULL, 0, 0},
    {"o'hara", "50%", "100:137", "cancelled", 0, 0, "2025-03-29T23:59", 1, 0},
    {"x'; DROP TABLE runs; --", "a\\b", NULL, "failed", 2, 1, "2025-03-30T00:00", 0, 0},
    {"\"quoted\"", "a_c", "failed", "other", 3, 2, "2025-04-01T00:00", 1440, 0},
    {"ünï", "*", "0", "completed", 4, 3, "2025-12-31T23:00", 120, 240},
    {"?", "abc", "0", "completed", 5, 4, "2025-12-31T23:59:59.5", 1, 5},
};

static struct run make_run(const struct picked_run *from)
{
    struct run run = {0};
    if (from->user) {
        RUN_SET(&run, user, str_of(from->user));
    }
    if (from->name) {
        RUN_SET(&run, name, str_of(from->name));
    }
    if (from->state) {
        RUN_SET(&run, state, str_of(from->state));
    }
    if (from->class) {
        RUN_SET(&run, class, str_of(from->class));
    }
    if (from->cpus >= 0) {
        RUN_SET(&run, cpus, from->cpus);
    }
    if (from->mem >= 0) {
        RUN_SET(&run, mem_bytes, from->mem);
    }
    if (from->start) {
        RUN_SET(&run, start, ask_instant(oslo, from->start));
        RUN_SET(&run, end, run.start + from->wall_m * 60 * SECOND_US);
        RUN_SET(&run, cpu_used_us, from->used_m * 60 * SECOND_US);
    }
    return run;
}

static void opens_a_store(void **state)
{
    (void)state;
    struct run runs[COUNT_OF(picked_runs)];
    oslo = ask_zone("Europe/Oslo");
    for (size_t i = 0; i < COUNT_OF(picked_runs); i++) {
        runs[i] = make_run(&picked_runs[i]);
    }
    runs_open(&store);
    runs_add(&store, runs, COUNT_OF(runs));
}

/* --- jobs --------------------------------------------------------------------------------------- */

struct id_row {
    const char *name, *text;
    int64_t job, task, het; /* -1: it has none; job: it is no such id */
};

static const struct id_row id_rows[] = {
    {"a number", "4711", 4711, -1, -1},
    {"a task, as Grid Engine and HTCondor have it", "4711.3", 4711, 3, -1},
    {"a task, as Slurm has it", "4711_3", 4711, 3, -1},
    {"a task, as PBS and LSF have it", "4711[3]", 4711, 3, -1},
    {"a component", "4711+1", 4711, -1, 1},
    {"a component of a task, as we show it", "4711.3+0", 4711, 3, 0},
    {"a server behind it", "4711.pbs01.example.org", 4711, -1, -1},
    {"a server behind a task", "4711[3].pbs01", 4711, 3, -1},
    {"blanks around it", " 4711_3 ", 4711, 3, -1},
    {"zero is a number", "0.0", 0, 0, -1},
    {"a file of Slurm", "slurm-4711.out", 4711, -1, -1},
    {"a file of a task, somewhere", "/home/ann/runs/slurm-4711_3.out", 4711, 3, -1},
    {"a file below here", "./logs/slurm-4711.err", 4711, -1, -1},
    {"a file above", "../slurm-4711.out", 4711, -1, -1},
    {"a file with the name of the job", "logs/train_4711.log", 4711, -1, -1},
    {"a file with the name of the job, of a task", "train-4711_3.out", 4711, 3, -1},
    {"a file that is its number", "4711.out", 4711, -1, -1},
    {"a file of Grid Engine or PBS", "train.o4711", 4711, -1, -1},
    {"a file of a task of Grid Engine", "x/train.e4711.3", 4711, 3, -1},
    {"a server like the end of a file", "4711.e01", 4711, -1, -1},
    {"a file without a number", "train.out", -1, 0, 0},
    {"a file whose number is a part of a word", "train7.out", -1, 0, 0},
    {"a folder", "runs/4711/train", -1, 0, 0},
    {"an id of another kind", "9f3c1a2b-0000", -1, 0, 0},
    {"a number and more", "4711x", -1, 0, 0},
    {"half a task", "4711.", -1, 0, 0},
    {"half a bracket", "4711[3", -1, 0, 0},
    {"a bracket that is no task's", "4711_3]", -1, 0, 0},
    {"half a component", "4711+", -1, 0, 0},
    {"below zero", "-4711", -1, 0, 0},
    {"more than a number can be", "99999999999999999999", -1, 0, 0},
    {"nothing", "", -1, 0, 0},
    {"a server alone", ".pbs01", -1, 0, 0},
};

static void job_is_told_as_schedulers_write_it(void **state)
{
    const struct id_row *row = *state;
    struct job_id id;
    const bool read = filter_job_id(str_of(row->text), &id);
    expect_int(read, row->job >= 0);
    if (read) {
        expect_int(id.job, row->job);
        expect_int(id.has_task ? id.task : -1, row->task);
        expect_int(id.has_het ? id.het : -1, row->het);
    }
}

enum { CONDITIONS_MAX = 3 };

struct filter_row {
    const char *name;

    struct {
        const char *field, *list;
    } conditions[CONDITIONS_MAX];

    const char *want; /* numbers of jobs */
};

static const struct filter_row filter_rows[] = {
    {"no filter", {{0}}, "1 2 3 4 5 6 7 8 9"},

    /* Text. */
    {"one value", {{"user", "ann"}}, "1"},
    {"a list", {{"user", "ann,bob"}}, "1 2"},
    {"a list with blanks and empty places", {{"user", " ann , ,bob,"}}, "1 2"},
    {"a value nobody has", {{"user", "zoe"}}, ""},
    {"the case counts", {{"user", "Ann"}}, ""},
    {"beyond ASCII", {{"user", "ünï"}}, "8"},
    {"a list twice is one list", {{"user", "ann"}, {"user", "bob,bobby"}}, "1 2 3"},
    {"and takes away as one", {{"user", "*"}, {"user", "!ann"}, {"user", "!b*"}}, "5 6 7 8 9"},

    /* Globs. */
    {"a star", {{"user", "bob*"}}, "2 3"},
    {"a star matches nothing, too", {{"user", "*bob"}}, "2"},
    {"a question mark", {{"user", "?nn"}}, "1"},
    {"a question mark is one byte, of which some letters have two", {{"user", "??n??"}}, "8"},
    {"a set", {{"user", "[abo]*"}}, "1 2 3 5"},
    {"a star is everyone known", {{"user", "*"}}, "1 2 3 5 6 7 8 9"},
    {"a percent sign is no glob", {{"name", "5%"}}, ""},
    {"a percent sign is itself", {{"name", "50%"}}, "5"},
    {"an underscore is no glob", {{"name", "a_c"}}, "7"},
    {"a backslash is itself", {{"name", "a\\b"}}, "6"},
    {"a backslash makes a glob plain", {{"name", "\\*"}}, "8"},
    {"a set of one makes a glob plain", {{"name", "[*]"}}, "8"},
    {"a bracket that never closes matches nothing", {{"name", "[x"}}, ""},
    {"brackets in the text", {{"name", "[[]x]"}}, "3"},

    /* Taking away. */
    {"not one", {{"user", "!ann"}}, "2 3 4 5 6 7 8 9"},
    {"not a glob", {{"user", "!bob*"}}, "1 4 5 6 7 8 9"},
    {"some of them not", {{"user", "bob*,!bobby"}}, "2"},
    {"not two", {{"user", "!ann,!bob"}}, "3 4 5 6 7 8 9"},
    {"what is absent is not taken away", {{"cpus", "!>0"}}, "4 5"},

    /* What is absent. */
    {"absent text", {{"user", "---"}}, "4"},
    {"not absent", {{"user", "!---"}}, "1 2 3 5 6 7 8 9"},
    {"absent or ann", {{"user", "---,ann"}}, "1 4"},
    {"an absent number", {{"cpus", "---"}}, "4"},
    {"an absent time", {{"start", "---"}}, "4"},

    /* A state is what the source says, or the class. */
    {"state by class", {{"state", "failed"}}, "2 6 7"},
    {"state as the source says it", {{"state", "1:9"}}, "2"},
    {"state by a glob", {{"state", "c*"}}, "1 3 5 8 9"},
    {"not in a state", {{"state", "!failed"}}, "1 3 4 5 8 9"},
    {"class", {{"class", "failed"}}, "2 6"},

    /* Numbers. */
    {"a number", {{"cpus", "8"}}, "2"},
    {"zero is a number", {{"cpus", "0"}}, "5"},
    {"numbers", {{"cpus", "1,64"}}, "1 3"},
    {"a range", {{"cpus", "2..5"}}, "6 7 8 9"},
    {"a range up to", {{"cpus", "..2"}}, "1 5 6"},
    {"a range from", {{"cpus", "8.."}}, "2 3"},
    {"a range of everything known", {{"cpus", ".."}}, "1 2 3 5 6 7 8 9"},
    {"more than", {{"cpus", ">8"}}, "3"},
    {"at least", {{"cpus", ">=8"}}, "2 3"},
    {"less than", {{"cpus", "<1"}}, "5"},
    {"at most", {{"cpus", "<= 1"}}, "1 5"},
    {"not a number", {{"cpus", "!8,!64"}}, "1 4 5 6 7 8 9"},
    {"a range but a number", {{"cpus", "2..8,!4"}}, "2 6 7 9"},
    {"a negative number", {{"cpus", ">-1"}}, "1 2 3 5 6 7 8 9"},
    {"the job's number", {{"job", "3..4,9"}}, "3 4 9"},

    /* Units. */
    {"a size", {{"mem", "4G"}}, "2"},
    {"sizes between", {{"mem", "1G..4g"}}, "1 2"},
    {"bytes", {{"mem", "..4"}}, "5 6 7 8 9"},
    {"more than a size", {{"mem", ">4095M"}}, "2 3"},
    {"a length of time", {{"wall", "90m"}}, "2"},
    {"a length of time in words", {{"wall", "1h30m"}}, "2"},
    {"a length of time by the clock", {{"wall", "01:30:00"}}, "2"},
    {"a length of time in seconds", {{"wall", "5400"}}, "2"},
    {"longer than an hour", {{"wall", ">1h"}}, "2 7 8"},
    {"an hour to a day", {{"wall", "1h..1d"}}, "2 3 7 8"},
    /* 8 cpus for 90 minutes is 12 hours, 64 for an hour 64, 3 for a day 72. */
    {"cpu hours", {{"cpu_hours", ">12"}}, "3 7"},
    {"cpu hours between", {{"cpu_hours", "12..64"}}, "2 3"},
    {"cpu hours in part", {{"cpu_hours", "0.5"}}, "1"},
    {"cpu hours with their unit", {{"cpu_hours", "12h"}}, "2"},
    /* 30 of 30; 360 of 720; 1920 of 3840; 0 of 4320; 240 of 480; 5 of 5 */
    {"a share", {{"cpu_efficiency", "<=50%"}}, "2 3 7 8"},
    {"a share as a fraction", {{"cpu_efficiency", ">0.5"}}, "1 9"},
    {"shares between", {{"cpu_efficiency", "10%..99.9%"}}, "2 3 8"},

    /* Times are of the zone: a date is all of its day, 30 March one of 23 hours. */
    {"a day", {{"start", "2025-03-01"}}, "1 2"},
    {"a month", {{"start", "2025-03"}}, "1 2 3 5 6"},
    {"a day of a clock change", {{"start", "2025-03-30"}}, "6"},
    {"an instant", {{"start", "2025-03-01T12:00"}}, "2"},
    {"days", {{"start", "2025-03-01..2025-03-02"}}, "1 2 3"},
    {"after a day", {{"start", ">2025-03-02"}}, "5 6 7 8 9"},
    {"from a day on", {{"start", ">=2025-03-02"}}, "3 5 6 7 8 9"},
    {"before a day", {{"start", "<2025-03-02"}}, "1 2"},
    {"up to a day", {{"start", "<=2025-03-02"}}, "1 2 3"},
    {"not a year", {{"start", "!2025"}}, "4"},
    {"the last second of a year", {{"end", ">=2026"}}, "8 9"},

    /* Several at once. */
    {"text and number", {{"user", "bob*"}, {"cpus", ">8"}}, "3"},
    {"three", {{"class", "completed"}, {"wall", "<1h"}, {"user", "!ann"}}, "9"},
    {"none satisfies both", {{"user", "ann"}, {"cpus", "64"}}, ""},

    /* Enemies. */
    {"an apostrophe", {{"user", "o'hara"}}, "5"},
    {"a statement", {{"user", "x'; DROP TABLE runs; --"}}, "6"},
    {"a condition", {{"user", "x' OR '1'='1"}}, ""},
    {"double quotes", {{"user", "\"quoted\""}}, "7"},
    {"a question mark that is a name", {{"user", "[?]"}}, "9"},
    {"a parameter", {{"user", "$1"}}, ""},
    {"a comment", {{"name", "*/ OR true /*"}}, ""},
    {"the runs are all there still", {{"job", ">0"}}, "1 2 3 4 5 6 7 8 9"},
};

static void picks(void **state)
{
    const struct filter_row *row = *state;
    struct listing listing = {
        .fields = {&run_fields[RUN_job]},
        .field_count = 1,
        .zone = oslo,
        .sort = &run_fields[RUN_job],
        .ascending = true,
    };
    struct error err = {0};
    struct table table = {0};
    struct buf got;
    for (size_t i = 0; i < CONDITIONS_MAX && row->conditions[i].field; i++) {
        const struct field *field = column_find(str_of(row->conditions[i].field));
        if (filter_add(&listing.filter, field, str_of(row->conditions[i].list), &err) != 0) {
            expect_fail("%s", err.text);
        }
    }
    if (listing_ask(store.facts, &listing, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    buf_init(&got, 1024);
    for (size_t i = 0; i < table.row_count; i++) {
        buf_addf(&got, "%s%" PRId64, i ? " " : "", ask_number(&table, "job", i));
    }
    expect_text(got.ptr, row->want);
    buf_release(&got);
    table_release(&table);
}

struct refused_row {
    const char *name;
    const char *field, *list;
    const char *want; /* part of the sentence */
};

static const struct refused_row refused_rows[] = {
    {"nothing", "user", "", "the filter on user is empty"},
    {"blanks and commas", "user", " , ,", "the filter on user is empty"},
    {"not nothing", "user", "!", "the filter on user is empty"},
    {"bytes that are no text", "user", "ann\xff", "the filter on user is not UTF-8"},
    {"text for a number", "cpus", "many",
     "cannot read 'many' as a value of cpus: write a number"},
    {"a fraction of a cpu", "cpus", "1.5", "cannot read '1.5' as a value of cpus"},
    {"half a comparison", "cpus", ">", "cannot read '' as a value of cpus"},
    {"a range of three", "cpus", "1..2..3", "cannot read '2..3' as a value of cpus"},
    {"a range backwards", "cpus", "64..8", "the range 64..8 of cpus is empty"},
    {"a number beyond 64 bits", "cpus", "9223372036854775808", "cannot read '92233"},
    {"a statement for a number", "cpus", "1 OR 1=1", "cannot read '1 OR 1=1'"},
    {"a letter that is no unit", "mem", "4X", "write a size like 4G"},
    {"a time that is none", "wall", "soon", "write a time like 90m"},
    {"hours that are none", "cpu_hours", "lots", "write hours like 100"},
    {"hours beyond counting", "cpu_hours", "9e12", "write hours like 100"},
    {"a share that is none", "cpu_efficiency", "half", "write a share like 50%"},
    {"a date that is none", "start", "2025-02-30", "the days of 2025-02 are 01 to 28"},
    {"dates backwards", "start", "2025-04..2025-03",
     "the range 2025-04..2025-03 of start is empty"},
};

/* Said when the filter is added or when it is used; either is soon enough. */
static void refuses(void **state)
{
    const struct refused_row *row = *state;
    struct listing listing = {.fields = {&run_fields[RUN_job]}, .field_count = 1, .zone = oslo};
    struct error err = {0};
    struct table table = {0};
    int failed =
        filter_add(&listing.filter, column_find(str_of(row->field)), str_of(row->list), &err);
    if (!failed) {
        failed = listing_ask(store.facts, &listing, &table, &err);
    }
    expect_int(failed, ERROR_USAGE);
    expect_contains(err.text, row->want);
    table_release(&table);
}

static void too_many_filters_are_refused(void **state)
{
    (void)state;
    struct filter filter = {0};
    struct error err = {0};
    for (size_t i = 0; i < FILTER_MAX; i++) {
        expect_int(filter_add(&filter, &run_fields[RUN_user], STR("ann"), &err), 0);
    }
    expect_int(filter_add(&filter, &run_fields[RUN_user], STR("ann"), &err), ERROR_USAGE);
    expect_contains(err.text, "more than 64 filters");
}

static void too_many_values_are_refused(void **state)
{
    (void)state;
    struct listing listing = {.fields = {&run_fields[RUN_job]}, .field_count = 1, .zone = oslo};
    struct error err = {0};
    struct table table = {0};
    struct buf list;
    buf_init(&list, 1 << 20);
    for (int i = 0; i <= STATEMENT_VALUES_MAX; i++) {
        buf_addf(&list, "u%d,", i);
    }
    expect_int(filter_add(&listing.filter, &run_fields[RUN_user], buf_str(&list), &err), 0);
    expect_int(listing_ask(store.facts, &listing, &table, &err), ERROR_USAGE);
    expect_contains(err.text, "more than 4096 values");
    buf_release(&list);
    table_release(&table);
}

static void closes_the_store(void **state)
{
    (void)state;
    zone_close(oslo);
    runs_close(&store);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_a_store);
    SUITE_ROWS(&suite, job_is_told_as_schedulers_write_it, id_rows);
    SUITE_ROWS(&suite, picks, filter_rows);
    SUITE_ROWS(&suite, refuses, refused_rows);
    SUITE_TEST(&suite, too_many_filters_are_refused);
    SUITE_TEST(&suite, too_many_values_are_refused);
    SUITE_TEST(&suite, closes_the_store);
    return suite_run(&suite, "filter");
}
