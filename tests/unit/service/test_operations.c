/* SPDX-License-Identifier: MIT */

/*
 * Operations as a caller sees them, whoever it is: values by name go in, a table, notes and a status
 * come out. It is 2025-03-20T12:00Z.
 */
#include <stdio.h>

#include "base/calendar.h"
#include "service/core/service.h"
#include "support/expect.h"
#include "support/facts_at.h"
#include "unit/report/ask.h"

static struct runs_store store;
static struct zone *utc;

static int64_t now(void)
{
    return INT64_C(1742472000) * SECOND_US + 123456;
}

struct text_run {
    const char *user, *name, *start, *end; /* NULL: absent */
    int64_t cpus, flags;
};

static const struct text_run text_runs[] = {
    {"ann", "a", "2025-03-10T00:00", "2025-03-10T10:00", 2, 0},
    {"bob", "b", "2025-03-11T00:00", "2025-03-11T01:00", 3, RUN_FLAG_MERGED | RUN_FLAG_RECODED},
    {"bob", "c", "2025-03-12T00:00", NULL, 1, 0},
};

static void opens_a_store(void **state)
{
    (void)state;
    struct run runs[COUNT_OF(text_runs)] = {0};
    utc = ask_zone("UTC");
    for (size_t i = 0; i < COUNT_OF(text_runs); i++) {
        RUN_SET(&runs[i], user, str_of(text_runs[i].user));
        RUN_SET(&runs[i], name, str_of(text_runs[i].name));
        RUN_SET(&runs[i], class, text_runs[i].end ? STR("completed") : STR("running"));
        RUN_SET(&runs[i], start, ask_instant(utc, text_runs[i].start));
        if (text_runs[i].end) {
            RUN_SET(&runs[i], end, ask_instant(utc, text_runs[i].end));
        }
        RUN_SET(&runs[i], cpus, text_runs[i].cpus);
        RUN_SET(&runs[i], flags, text_runs[i].flags);
    }
    runs_open(&store);
    runs_add(&store, runs, COUNT_OF(runs));
    facts_leave(store.facts); /* operations open it themselves */
    store.facts = NULL;
}

enum { VALUES_MAX = 8 };

static const struct caller admin = {.name = "root", CALLER_AS(ADMIN)};

/* Runs an operation with "name=value" words. */
static int call(const char *name, const char *const *words, struct answer *answer,
                struct error *err)
{
    struct request_value values[VALUES_MAX];
    struct request request = {.operation = operation_find(str_of(name)), .values = values};
    char names[VALUES_MAX][32];
    struct session session = {.folder = store.folder};
    struct service service = {
        .store = store.folder, .session = &session, .caller = &admin, .zone = utc, .now = now};
    for (; request.count < VALUES_MAX && words[request.count]; request.count++) {
        struct str rest = str_of(words[request.count]);
        struct str before = str_cut(&rest, '=');
        (void)snprintf(names[request.count], sizeof names[0], "%.*s", STR_ARG(before));
        values[request.count] = (struct request_value){names[request.count], rest};
    }
    expect_true(request.operation != NULL);
    *answer = (struct answer){0};
    return service_call(&service, &request, answer, err);
}

struct call_row {
    const char *name;
    const char *operation;
    const char *words[VALUES_MAX];
    const char *want;  /* the table; NULL: not looked at */
    const char *notes; /* a part of them; NULL: not looked at */
};

static const struct call_row call_rows[] = {
    {"a report",
     "report",
     {"measure=cpu_hours,jobs", "by=user", "from=2025-03-01", "to=2025-03-31"},
     /* bob: 3 x 1; of the one that nobody saw end nothing is known after its start */
     "ann 20h 1\nbob 3h 1\n",
     "2025-03-01T00:00:00Z to 2025-04-01T00:00:00Z (UTC), as of 2025-03-20T12:00:00Z\n"},
    {"measures one by one",
     "report",
     {"measure=jobs", "measure=users", "from=2025-03-10", "to=2025-03-10"},
     "1 1\n",
     NULL},
    {"a measure twice is there once",
     "report",
     {"measure=jobs,users,jobs", "measure=users", "from=2025-03"},
     "2 2\n",
     NULL},
    {"a dimension twice is there once",
     "report",
     {"measure=jobs", "by=user,user", "by=user", "from=2025-03", "user=ann"},
     "ann 1\n",
     NULL},
    {"queue is another word for partition",
     "report",
     {"measure=jobs", "by=queue", "from=2025-03"},
     "--- 2\n",
     NULL},
    {"the largest",
     "report",
     {"measure=wall_hours", "by=user", "top=1", "from=2025-03-01", "to=2025-03-11"},
     "ann 10h\n",
     NULL},
    {"the smallest",
     "report",
     {"measure=wall_hours", "by=user", "bottom=1", "from=2025-03-01", "to=2025-03-11"},
     "bob 1h\n",
     NULL},
    {"by name, then backwards",
     "report",
     {"measure=jobs", "by=user", "sort=user", "reverse=yes", "from=2025-03"},
     "bob 1\nann 1\n",
     NULL},
    {"by default the last thirty days",
     "report",
     {"measure=jobs"},
     "2\n",
     "2025-02-18T12:00:00Z to 2025-03-20T12:00:00Z (UTC)"},
    {"a period before all data says where they are",
     "report",
     {"measure=jobs", "from=2024"},
     "---\n",
     "no runs in this period: the store has runs from 2025-03-10T00:00:00Z to "
     "2025-03-12T00:00:00Z; set the period with --from and --to\n"},
    {"filters that nothing passes",
     "report",
     {"measure=jobs", "from=2025-03", "user=A*"},
     "0\n",
     "as of 2025-03-20T12:00:00Z\n"},
    {"jobs",
     "jobs",
     {"from=2025-03-10", "to=2025-03-11", "fields=id,user,wall"},
     "1 ann 36000000000\n2 bob 3600000000\n",
     "as of 2025-03-20T12:00:00Z\n"},
    {"a job by number, whenever it was", "jobs", {"job=1", "fields=name"}, "a\n", NULL},
    {"a job by its id, whenever it was", "jobs", {"id=2", "fields=name"}, "b\n", NULL},
    {"a series sorted by what it is sorted by anyway",
     "report",
     {"measure=jobs", "every=day", "sort=period", "from=2025-03-10", "to=2025-03-11"},
     "2025-03-10 1 0\n2025-03-11 1 0\n",
     NULL},
    {"some jobs",
     "jobs",
     {"limit=1", "from=2025-03", "fields=id"},
     "1\n",
     "the first 1 rows; there may be more: raise --limit"},
    {"all of one job", "job", {"id=1"}, NULL, "1 run of job 1\n"},
    {"flags in words", "job", {"id=2"}, NULL, "flag 8: merged\nflag 16: recoded\n"},
    {"nothing in quarantine", "quarantine", {NULL}, "", "no records are in quarantine\n"},
};

/* A part of all notes together, a line each. */
static void expect_notes(const struct answer *answer, const char *part)
{
    struct buf lines;
    buf_init(&lines, 1 << 20);
    note_lines(&lines, &answer->notes, NOTE_ALL);
    expect_contains(lines.ptr, part);
    buf_release(&lines);
}

static void answers(void **state)
{
    const struct call_row *row = *state;
    struct answer answer;
    struct error err = {0};
    struct buf got;
    if (call(row->operation, row->words, &answer, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_int(answer.status, 0);
    buf_init(&got, 1 << 20);
    ask_print(&answer.table, &got);
    if (row->want) {
        expect_text(got.ptr, row->want);
    }
    if (row->notes) {
        expect_notes(&answer, row->notes);
    }
    buf_release(&got);
    answer_release(&answer);
}

struct refused_row {
    const char *name;
    const char *operation;
    const char *words[VALUES_MAX];
    const char *want;
    int kind;
};

static const struct refused_row refused_rows[] = {
    {"an unknown measure",
     "report",
     {"measure=cpu_hour"},
     "there is no measure 'cpu_hour'; did you mean 'cpu_hours'? see them all with: stint "
     "measures",
     ERROR_USAGE},
    {"a measure like no other",
     "report",
     {"measure=gigawatts"},
     "there is no measure 'gigawatts'; see them all with: stint measures",
     ERROR_USAGE},
    {"a user nobody has heard of",
     "report",
     {"measure=jobs", "from=2025-03", "user=Ann"},
     "no run has user 'Ann'; did you mean 'ann'?",
     ERROR_MISSING},
    {"an empty measure", "report", {"measure=jobs,"}, "there is no measure ''", ERROR_USAGE},
    {"an unknown dimension",
     "report",
     {"measure=jobs", "by=usr"},
     "there is no dimension 'usr'; did you mean 'user'?",
     ERROR_USAGE},
    {"bookkeeping is no dimension",
     "report",
     {"measure=jobs", "by=digest"},
     "there is no dimension 'digest'",
     ERROR_USAGE},
    {"an unknown column to sort by",
     "report",
     {"measure=jobs", "sort=users"},
     "cannot sort by 'users': it is not a column of this report",
     ERROR_USAGE},
    {"top and bottom",
     "report",
     {"measure=jobs", "by=user", "top=1", "bottom=1"},
     "--top and --bottom exclude each other",
     ERROR_USAGE},
    {"top of a series",
     "report",
     {"measure=jobs", "every=day", "top=1"},
     "leave out --every",
     ERROR_USAGE},
    {"a period backwards",
     "report",
     {"measure=jobs", "from=2025-03", "to=2025-02"},
     "write the earlier one first",
     ERROR_USAGE},
    {"a period that is none",
     "report",
     {"measure=jobs", "from=soon"},
     "cannot read period 'soon'",
     ERROR_USAGE},
    {"an empty filter",
     "report",
     {"measure=jobs", "user="},
     "the filter on user is empty",
     ERROR_USAGE},
    {"too many dimensions",
     "report",
     {"measure=jobs", "by=cluster,user,group,account,project,partition,class,state,name"},
     "more than 8 dimensions",
     ERROR_USAGE},
    {"an unknown field",
     "jobs",
     {"fields=id,usr"},
     "there is no field 'usr'; did you mean 'user'? see them all with: stint help jobs",
     ERROR_USAGE},
    {"an unknown field to sort by",
     "jobs",
     {"sort=walls"},
     "did you mean 'wall'?",
     ERROR_USAGE},
    {"half a range of jobs",
     "job",
     {"id=12..x"},
     "cannot read 'x' as a value of job",
     ERROR_USAGE},
    {"no job at all", "job", {"id= ,"}, "the filter on job is empty", ERROR_USAGE},
    {"a job id that nobody has",
     "job",
     {"id=abc"},
     "there is no run of job 'abc'",
     ERROR_MISSING},
    {"half a job id", "job", {"id=12."}, "there is no run of job '12.'", ERROR_MISSING},
    {"a job nobody knows", "job", {"id=999"}, "there is no run of job '999'", ERROR_MISSING},
    {"a cluster nobody knows",
     "job",
     {"id=1", "cluster=nowhere"},
     "there is no run of job '1' on that cluster",
     ERROR_MISSING},
    {"an unknown source",
     "import",
     {"source=sgee", "file=x"},
     "there is no source 'sgee'; did you mean 'sge'?",
     ERROR_USAGE},
    {"no cluster",
     "import",
     {"source=sge", "file=x", "cluster="},
     "--cluster needs a name",
     ERROR_USAGE},
    {"following two files",
     "import",
     {"source=sge", "file=x", "file=y", "follow=yes"},
     "--follow needs exactly one file",
     ERROR_USAGE},
    {"following standard input",
     "import",
     {"source=sge", "file=-", "follow=yes"},
     "--follow needs a file",
     ERROR_USAGE},
    {"following without reading",
     "import",
     {"source=sge", "file=x", "follow=yes", "dry-run=yes"},
     "--follow and --dry-run exclude each other",
     ERROR_USAGE},
};

static void refuses(void **state)
{
    const struct refused_row *row = *state;
    struct answer answer;
    struct error err = {0};
    expect_int(call(row->operation, row->words, &answer, &err), row->kind);
    expect_contains(err.text, row->want);
    answer_release(&answer);
}

/* The statement instead of the answer, and no store is needed for it. */
static void a_question_is_explained(void **state)
{
    (void)state;
    static const char *const words[] = {"measure=jobs", "by=user", "explain=yes", NULL};
    struct answer answer;
    struct error err = {0};
    if (call("report", words, &answer, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_true(answer.as_records);
    struct str sql = ask_text(&answer.table, "sql", 0);
    expect_true(str_starts(sql, STR("SELECT ")));
    answer_release(&answer);
}

static void a_missing_store_is_trouble(void **state)
{
    (void)state;
    struct session session = {.folder = "/nowhere/at/all"};
    struct service service = {.store = session.folder,
                              .session = &session,
                              .caller = &admin,
                              .zone = utc,
                              .now = now};
    const struct request_value measure = {"measure", STR("jobs")};
    struct error err = {0};
    struct answer answer = {0};
    struct request request = {operation_find(STR("report")), &measure, 1, NULL};
    expect_int(service_call(&service, &request, &answer, &err), ERROR_MISSING);
    expect_contains(err.text,
                    "there is no store in '/nowhere/at/all' yet; import something first");
    answer_release(&answer);

    request = (struct request){operation_find(STR("doctor")), NULL, 0, NULL};
    expect_int(service_call(&service, &request, &answer, &err), 0);
    expect_int(answer.status, 1);
    struct str finding = ask_text(&answer.table, "finding", answer.table.row_count - 1);
    expect_text_n(finding.ptr, finding.len, "TROUBLE");
    answer_release(&answer);
}

static void execute(const char *sql)
{
    struct error err = {0};
    if (facts_at(store.folder, FACTS_WRITE, &store.facts, &err) != 0 ||
        facts_execute(store.facts, sql, (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
    facts_leave(store.facts);
    store.facts = NULL;
}

/* ann: 2 cpus for 10 hours. A microsecond more in what sums go by is 2 / 3600e6 of an hour. */
static void check_tells_which_numbers_disagree(void **state)
{
    (void)state;
    const char *const words[] = {NULL};
    struct answer answer;
    struct error err = {0};
    struct buf text;
    expect_int(call("check", words, &answer, &err), 0);
    expect_int(answer.status, 0);
    expect_notes(&answer, " 0 differ; 2025-03-10T00:00:00Z to 2025-03-20T12:00:00Z");
    answer_release(&answer);

    execute("UPDATE runs SET until = until + 1 WHERE \"user\" = 'ann'");
    expect_int(call("check", words, &answer, &err), 0);
    expect_int(answer.status, 1);
    buf_init(&text, 1 << 20);
    ask_print(&answer.table, &text);
    char *lines = buf_take(&text);
    expect_contains(lines,
                    "by user DISAGREES cpu_hours of ann: by question 20.0000000006 hours, "
                    "row by row 20 hours; see: stint report cpu_hours --by user --from "
                    "2025-03-10T00:00:00Z --to 2025-03-20T12:00:00.123457Z --zone UTC\n");
    expect_contains(lines, "every day DISAGREES wall_hours of 2025-03-10: ");
    expect_contains(lines, "by user ok the total by question against its rows added up: ");
    free(lines);
    buf_release(&text);
    answer_release(&answer);
    execute("UPDATE runs SET until = until - 1 WHERE \"user\" = 'ann'");
}

static void closes_the_store(void **state)
{
    (void)state;
    zone_close(utc);
    runs_close(&store);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_a_store);
    SUITE_ROWS(&suite, answers, call_rows);
    SUITE_ROWS(&suite, refuses, refused_rows);
    SUITE_TEST(&suite, a_question_is_explained);
    SUITE_TEST(&suite, a_missing_store_is_trouble);
    SUITE_TEST(&suite, check_tells_which_numbers_disagree);
    SUITE_TEST(&suite, closes_the_store);
    return suite_run(&suite, "operations");
}
