/* SPDX-License-Identifier: MIT */

/*
 * Slave tasks and the runs they belong to: the sums are the same in whatever order the rows come,
 * in one file or in many, however often.
 *
 * The rows of a case are given in letters, in the order they are read; a blank begins the next file.
 * Each case is read as written, and then with all rows in one file, and in one file a row: the facts
 * must be the same. All cases are read side by side, each with job numbers of its own; some also
 * alone, since what a batch touches is looked for within the times that it spans.
 */

#include "facts/duckdb/parts.h"

#include "base/zone.h"
#include "facts/append.h"
#include "facts/duckdb/part_buffer.h"
#include "facts/journal.h"
#include "support/facts_at.h"
#include "unit/ingest/own_toy.h"
#include "unit/ingest/toy_log.h"

enum { MOST = 1 << 20, HOUR = 3600, DAY = 24 * HOUR };

/* --- the cast --------------------------------------------------------------------------------- */

#define T(hours)   (TOY_EPOCH + (int64_t)((hours)*HOUR))
#define SECONDS(n) ((n)*INT64_C(1000000))

/* A row of job 7, or of its task `t`, with a peak of `v` bytes. */
#define ROW(t, from, to, h, p, seconds, v)                                                     \
    {                                                                                          \
        .job = 7, .task = (t), .submit = T(0), .start = (from), .end = (to), .slots = 8,       \
        .host = (h), .part = (p), .cpu_us = SECONDS(seconds), .user_us = SECONDS(seconds),     \
        .vmem = (v)                                                                            \
    }
#define MASTER(from, to, host, seconds)      ROW(0, from, to, host, NULL, seconds, 1000)
#define SLAVE(from, to, host, part, seconds) ROW(0, from, to, host, part, seconds, 10)

static const struct {
    char letter;
    struct toy_row row;
} cast[] = {
    /* the first attempt, hours 1 to 10 on n01, and its slaves */
    {'M', MASTER(T(1), T(10), "n01", 1)},
    {'a', SLAVE(T(1), T(10), "n02", "1.n02", 10)},
    {'b', SLAVE(T(5), T(10), "n03", "1.n03", 100)},
    /* the same, otherwise: a; M; M so short that it is without b; M while it still ran */
    {'A', SLAVE(T(1), T(10), "n02", "1.n02", 40)},
    {'N', MASTER(T(1), T(9), "n01", 2)},
    {'S', MASTER(T(1), T(2), "n01", 3)},
    {'R', MASTER(T(1), 0, "n01", 4)},
    /* the second attempt, hours 20 to 30 */
    {'X', MASTER(T(20), T(30), "n05", 1000)},
    {'x', SLAVE(T(20), T(30), "n06", "1.n06", 10000)},
    /* a slave that started when the first attempt had just ended; and one at 10:04 it fits better */
    {'l', SLAVE(T(10) + 200, T(11), "n04", "2.n04", 100000)},
    {'L', SLAVE(T(10) + 200, T(11), "n04", "2.n04", 300000)},
    {'Y', MASTER(T(10) + 240, T(12), "n07", 5)},
    /* one that began before all others and never ended */
    {'P', MASTER(T(0.5), 0, "n09", 20)},
    /* slaves of no time at which anything ran, and of no time at all */
    {'o', SLAVE(T(15), T(16), "n08", "3.n08", 7)},
    {'q', SLAVE(0, T(16), "n08", "4.n08", 7)},
    /* a year later under the same number */
    {'W', MASTER(T(8784), T(8790), "n01", 6)},
    {'w', SLAVE(T(8785), T(8790), "n02", "1.n02", 60)},
    /* tasks of an array with the same number */
    {'3', ROW(3, T(1), T(10), "n01", NULL, 8, 1000)},
    {'t', ROW(3, T(1), T(10), "n02", "1.n02", 80, 10)},
};

static const struct toy_row *row_of(char letter)
{
    for (size_t i = 0; i < COUNT_OF(cast); i++) {
        if (cast[i].letter == letter) {
            return &cast[i].row;
        }
    }
    expect_fail("nobody is called %c", letter);
}

struct part_row {
    const char *name, *rows;
    /* job, task, start in hours, cpu seconds, nodes, merged; '/' between runs */
    const char *want;
    int64_t waiting;
    bool alone; /* is also read by itself */
};

static const struct part_row part_rows[] = {
    {"no slaves", "M", "7|-|1|1|n01|0", 0, false},
    {"slave before", "aM", "7|-|1|11|n01,n02|1", 0, false},
    {"slave after", "Ma", "7|-|1|11|n01,n02|1", 0, false},
    {"slaves around", "aMb", "7|-|1|111|n01,n02,n03|1", 0, false},
    {"slave in a file before", "a M", "7|-|1|11|n01,n02|1", 0, true},
    {"slave in a file after", "M a", "7|-|1|11|n01,n02|1", 0, true},
    {"one slave here, one there", "a M b", "7|-|1|111|n01,n02,n03|1", 0, false},
    {"the slave twice", "aaM", "7|-|1|11|n01,n02|1", 0, false},
    {"the slave before and after", "aMa", "7|-|1|11|n01,n02|1", 0, false},
    {"the slave again in another file", "aM a", "7|-|1|11|n01,n02|1", 0, false},
    {"everything again", "aMb aMb", "7|-|1|111|n01,n02,n03|1", 0, false},
    {"the slave otherwise", "aAM", "7|-|1|41|n01,n02|1", 0, false},
    {"the slave otherwise, later", "aM A", "7|-|1|41|n01,n02|1", 0, false},
    {"the slave otherwise, after the run", "aMA", "7|-|1|41|n01,n02|1", 0, false},
    {"the slave otherwise, and back", "aM A a", "7|-|1|11|n01,n02|1", 0, false},
    {"the run twice", "aMM", "7|-|1|11|n01,n02|1", 0, false},
    {"the run twice, a slave between", "aMbM", "7|-|1|111|n01,n02,n03|1", 0, false},
    {"the run otherwise", "aMN", "7|-|1|12|n01,n02|1", 0, false},
    {"the run otherwise, a slave between", "aMbN", "7|-|1|112|n01,n02,n03|1", 0, false},
    {"the run otherwise, later", "abM N", "7|-|1|112|n01,n02,n03|1", 0, false},
    {"the run and a slave otherwise, later", "abM NA", "7|-|1|142|n01,n02,n03|1", 0, true},
    {"the run otherwise and back", "abM N M", "7|-|1|111|n01,n02,n03|1", 0, false},
    {"the run is shorter than was said", "abM S", "7|-|1|13|n01,n02|1", 1, true},
    {"the run is longer than was said", "abS M", "7|-|1|111|n01,n02,n03|1", 0, false},
    {"the run was shorter, without slaves, and back", "bM S M", "7|-|1|101|n01,n03|1", 0, true},
    {"the run goes on", "a R", "7|-|1|14|n01,n02|1", 0, false},
    {"the run goes on, a slave starts later", "x R", "7|-|1|10004|n01,n06|1", 0, true},
    {"the run went on, and ended", "b R M", "7|-|1|101|n01,n03|1", 0, false},
    {"the run went on, and ended before the slave", "x R M", "7|-|1|1|n01|0", 1, true},
    {"another run takes over", "x P R M", "7|-|0|10020|n06,n09|1/7|-|1|1|n01|0", 0, true},
    {"two attempts", "aMxX", "7|-|1|11|n01,n02|1/7|-|20|11000|n05,n06|1", 0, false},
    {"two attempts, slaves first", "axMX", "7|-|1|11|n01,n02|1/7|-|20|11000|n05,n06|1", 0,
     false},
    {"two attempts, slaves last", "X M xa", "7|-|1|11|n01,n02|1/7|-|20|11000|n05,n06|1", 0,
     false},
    {"the first went on until the second came", "x R X", "7|-|1|4|n01|0/7|-|20|11000|n05,n06|1",
     0, true},
    {"a slave on the edge is the first attempt's", "lM", "7|-|1|100001|n01,n04|1", 0, false},
    {"until there is one that fits better", "lM Y", "7|-|1|1|n01|0/7|-|10|100005|n04,n07|1", 0,
     false},
    {"at once", "lMY", "7|-|1|1|n01|0/7|-|10|100005|n04,n07|1", 0, false},
    {"and the other way round", "Y l M", "7|-|1|1|n01|0/7|-|10|100005|n04,n07|1", 0, false},
    {"otherwise, while the better one comes", "laM LY",
     "7|-|1|11|n01,n02|1/7|-|10|300005|n04,n07|1", 0, true},
    {"otherwise, at once", "laMLY", "7|-|1|11|n01,n02|1/7|-|10|300005|n04,n07|1", 0, false},
    {"a slave of no run", "oM", "7|-|1|1|n01|0", 1, false},
    {"a slave of no time", "qM", "7|-|1|1|n01|0", 1, false},
    {"slaves of no run and of one", "oaM", "7|-|1|11|n01,n02|1", 1, false},
    {"only slaves", "ab", "", 2, false},
    {"a number used again", "aM wW", "7|-|1|11|n01,n02|1/7|-|8784|66|n01,n02|1", 0, false},
    {"a number used again, slaves first", "aw MW", "7|-|1|11|n01,n02|1/7|-|8784|66|n01,n02|1",
     0, true},
    {"a number used again, its slaves alone", "aw M", "7|-|1|11|n01,n02|1", 1, false},
    {"an array's task", "t3", "7|3|1|88|n01,n02|1", 0, false},
    {"an array's task and the job", "t3 aM", "7|-|1|11|n01,n02|1/7|3|1|88|n01,n02|1", 0, false},
    {"a task's slave is not the job's", "t M", "7|-|1|1|n01|0", 1, false},
};

/* How the rows of a case fall into files. */
enum way { AS_WRITTEN, IN_ONE_FILE, A_FILE_A_ROW, WAYS };

/* Which file the row at `at` is in; -1 for a blank. */
static int file_of(const char *rows, size_t at, enum way way)
{
    int blanks = 0, letters = 0;
    if (rows[at] == ' ') {
        return -1;
    }
    for (size_t i = 0; i < at; i++) {
        blanks += rows[i] == ' ';
        letters += rows[i] != ' ';
    }
    return way == AS_WRITTEN ? blanks : way == IN_ONE_FILE ? 0 : letters;
}

/* Imports `count` cases; the job numbers of case i are moved by 100 x i. */
static void import_cases(const struct part_row *rows, size_t count, enum way way)
{
    struct buf text;
    buf_init(&text, 16 * MOST);
    for (int file = 0;; file++) {
        buf_clear(&text);
        buf_addf(&text, "# Version: %d\n", file); /* each file is another */
        size_t header = text.len;
        for (size_t i = 0; i < count; i++) {
            for (size_t at = 0; rows[i].rows[at]; at++) {
                if (file_of(rows[i].rows, at, way) == file) {
                    struct toy_row row = *row_of(rows[i].rows[at]);
                    row.job += 100 * (int64_t)i;
                    toy_row_add(&text, &row);
                }
            }
        }
        if (text.len == header) {
            break;
        }
        toy_write(&toy, "accounting", buf_str(&text));
        (void)toy_import(&toy, "accounting");
    }
    buf_release(&text);
}

static int64_t waiting_parts(void)
{
    struct table overview = {0};
    struct error err = {0};
    expect_int(journal_overview(toy.facts, &overview, &err), 0);
    expect_text(overview.columns[5].id, "waiting_parts");
    int64_t waiting = (int64_t)table_wide(&overview, 5, 0);
    table_release(&overview);
    return waiting;
}

/* What holds for all runs, whichever the case. */
static void expect_sound(int64_t waiting)
{
    expect_int(waiting_parts(), waiting);
    expect_int(toy_number(&toy, "SELECT count(*) FROM unsettled"), 0);
    /* user time is summed as cpu time is, the peaks as well, and nodes are counted */
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs WHERE cpu_user_us <> cpu_used_us"),
               0);
    expect_int(
        toy_number(&toy,
                   "SELECT count(*) FROM runs WHERE (flags & 8) <> 0 AND "
                   "(node_count <> len(string_split(nodes, ',')) OR vmem_peak_bytes <= 1000)"),
        0);
    expect_int(
        toy_number(
            &toy,
            "SELECT count(*) FROM runs WHERE (flags & 8) = 0 AND vmem_peak_bytes <> 1000"),
        0);
    /* every run that has parts has its own record kept, once */
    expect_int(
        toy_number(&toy,
                   "SELECT count(*) FROM runs r WHERE (flags & 8) <> 0 AND (SELECT count(*) "
                   "FROM parts p "
                   "WHERE p.part = '' AND p.attempt = r.attempt AND p.job = r.job "
                   "AND p.task IS NOT DISTINCT FROM r.task AND p.digest = r.digest) <> 1"),
        0);
}

static void expect_case(const struct part_row *row, size_t i, enum way way)
{
    static const char *const ways[] = {"as written", "in one file", "a file a row"};
    char sql[640];
    snprintf(sql, sizeof(sql),
             "SELECT coalesce(string_agg(line, '/' ORDER BY start, line), '') FROM (SELECT "
             "start, job %% 100 || '|' || "
             "coalesce(task::VARCHAR, '-') || '|' || (start // 1000000 - 1704067200) // 3600 "
             "|| '|' || "
             "cpu_used_us // 1000000 || '|' || coalesce(nodes, node) || '|' || (flags & 8) // "
             "8 AS line FROM runs WHERE job // 100 = %zu)",
             i);
    char *got = toy_query(&toy, sql);
    got[strlen(got) - 1] = '\0';
    if (strcmp(got, row->want) != 0) {
        expect_fail("%s (%s), read %s: want %s, got %s", row->name, row->rows, ways[way],
                    row->want, got);
    }
    free(got);
}

static void sums_do_not_depend_on_the_order(void **state)
{
    (void)state;
    int64_t waiting = 0;
    char *facts = NULL;
    for (size_t i = 0; i < COUNT_OF(part_rows); i++) {
        waiting += part_rows[i].waiting;
    }
    for (enum way way = AS_WRITTEN; way < WAYS; way++) {
        toy_empty(&toy);
        import_cases(part_rows, COUNT_OF(part_rows), way);
        for (size_t i = 0; i < COUNT_OF(part_rows); i++) {
            expect_case(&part_rows[i], i, way);
        }
        expect_sound(waiting);
        char *other = toy_facts(&toy);
        expect_text(other, facts ? facts : other);
        free(facts);
        facts = other;
    }
    free(facts);
}

static void sums_of_one_job_do_not_depend_on_the_order(void **state)
{
    const struct part_row *row = *state;
    import_cases(row, 1, AS_WRITTEN);
    expect_case(row, 0, AS_WRITTEN);
    expect_sound(row->waiting);
}

/* --- the rest --------------------------------------------------------------------------------- */

static void reading_again_changes_nothing(void **state)
{
    (void)state;
    struct buf text;
    buf_init(&text, MOST);
    for (const char *at = "aMbxXt3oW"; *at; at++) {
        toy_row_add(&text, row_of(*at));
    }
    toy_write(&toy, "accounting", buf_str(&text));
    struct ingest_summary summary = toy_import(&toy, "accounting");
    expect_int(summary.records, 9);
    expect_int(summary.added, 4);
    expect_int(summary.parts, 5);
    char *facts = toy_facts(&toy);
    expect_int(toy_import(&toy, "accounting").verdict, INGEST_UNCHANGED);
    buf_addz(&text, "# and a line\n");
    toy_write(&toy, "other", STR("# another beginning\n"));
    toy_append(&toy, "other", buf_str(&text));
    summary = toy_import(&toy, "other");
    expect_int(summary.records, 9);
    expect_int(summary.added, 0);
    expect_int(summary.replaced, 0);
    expect_int(summary.parts, 0);
    expect_int(summary.unchanged, 9);
    char *again = toy_facts(&toy);
    expect_text(again, facts);
    free(again);
    free(facts);
    buf_release(&text);
}

/* What was committed and not settled, as a kill in between leaves it, is settled by the next one in. */
/* The rest was added to its run on the way in, and no other run of the job can claim it. */
static void only_open_parts_are_looked_at_again(void **state)
{
    (void)state;

    static const struct {
        struct part_row rows;
        int64_t open;
    } cases[] =
        {
            {{.rows = "aM"}, 0},  {{.rows = "abM"}, 0},  {{.rows = "t3aM"}, 0},
            {{.rows = "aMb"}, 1}, {{.rows = "Ma"}, 1},   {{.rows = "aaM"}, 2},
            {{.rows = "oaM"}, 1}, {{.rows = "aMN"}, 1},  {{.rows = "lMY"}, 1},
            {{.rows = "YlM"}, 1}, {{.rows = "aMxX"}, 1}, /* x came after M: it might have been M's */
        };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        toy_empty(&toy);
        import_cases(&cases[i].rows, 1, IN_ONE_FILE);
        const int64_t open = toy_number(&toy, "SELECT count(*) FROM open_parts");
        if (open != cases[i].open) {
            expect_fail("%s: want %d, got %d", cases[i].rows.rows, (int)cases[i].open,
                        (int)open);
        }
    }
}

static void a_store_left_unsettled_is_settled_at_open(void **state)
{
    (void)state;
    struct error err = {0};
    import_cases(&(struct part_row){.rows = "a M"}, 1, AS_WRITTEN);
    char *facts = toy_facts(&toy);
    static const char *const steps[] = {
        "UPDATE runs SET flags = 0, cpu_used_us = 1000000, cpu_user_us = 1000000, nodes = "
        "NULL, node_count = NULL, "
        "vmem_peak_bytes = 1000, mem_peak_bytes = 1000, mem_integral_gib_us = 500000",
        "DELETE FROM parts WHERE part = ''",
        "INSERT INTO unsettled SELECT max(batch), 0, 9000000000000000, true FROM batches",
    };
    for (int mode = FACTS_READ; mode <= FACTS_WRITE; mode++) {
        for (size_t i = 0; i < COUNT_OF(steps); i++) {
            if (facts_execute(toy.facts, steps[i], (struct facts_values){0}, NULL, &err) != 0) {
                expect_fail("%s", err.text);
            }
        }
        toy_away(&toy);
        expect_int(facts_at(toy.store, (enum facts_mode)mode, &toy.facts, &err), 0);
        expect_int(toy_number(&toy, "SELECT count(*) FROM unsettled"), 0);
        char *again = toy_facts(&toy);
        expect_text(again, facts);
        free(again);
        toy_away(&toy);
        toy_back(&toy);
    }
    free(facts);
}

/* Many parts of one run, more than are added on the way in; and so large that sums do not fit. */
static void a_run_may_have_thousands_of_parts(void **state)
{
    (void)state;

    enum { PARTS = 3000 };
    struct buf text;
    buf_init(&text, 4 * MOST);
    for (int i = 0; i < PARTS; i++) {
        char host[16], part[32];
        snprintf(host, sizeof(host), "n%03d", i % 500);
        snprintf(part, sizeof(part), "%d.%s", i, host);
        toy_row_add(&text, &(struct toy_row){.job = 7,
                                             .submit = T(0),
                                             .start = T(1) + i,
                                             .end = T(9),
                                             .slots = 8,
                                             .host = host,
                                             .part = part,
                                             .cpu_us = SECONDS(1),
                                             .user_us = SECONDS(1),
                                             .vmem = INT64_C(1) << 52});
    }
    toy_row_add(&text, row_of('M'));
    toy_write(&toy, "accounting", buf_str(&text));
    struct ingest_summary summary = toy_import(&toy, "accounting");
    expect_int(summary.added, 1);
    expect_int(summary.parts, PARTS);
    toy_expect(&toy, "SELECT cpu_used_us, node_count, vmem_peak_bytes FROM runs",
               "3001000000|501|9223372036854775807\n");
    buf_release(&text);
}

/* They are written by position: in the order of the fields, and with their types. */
static void the_table_of_parts_has_the_columns_that_are_kept(void **state)
{
    (void)state;
    struct table table = {0};
    struct error err = {0};
    expect_int(
        facts_query(
            toy.facts,
            "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'parts' "
            "ORDER BY column_index",
            (struct facts_values){0}, &table, &err),
        0);
    size_t row = 0;
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (!part_buffer_keeps((enum run_field)i)) {
            continue;
        }
        expect_true(row < table.row_count);
        struct str column = table.columns[0].cells[row].text,
                   type = table.columns[1].cells[row].text;
        expect_text_n(column.ptr, column.len, run_fields[i].member);
        expect_text_n(type.ptr, type.len,
                      run_fields[i].type == FIELD_TEXT ? "VARCHAR" : "BIGINT");
        row++;
    }
    expect_int((int64_t)row, (int64_t)table.row_count);
    table_release(&table);
}

#define ADD(function) suite_test_with(&suite, #function, function, open_toy, close_toy, NULL)

int main(void)
{
    struct suite suite = {0};
    ADD(sums_do_not_depend_on_the_order);
    for (size_t i = 0; i < COUNT_OF(part_rows); i++) {
        if (part_rows[i].alone) {
            char name[160];
            snprintf(name, sizeof(name), "sums_of_one_job_do_not_depend_on_the_order: %s",
                     part_rows[i].name);
            suite_test_with(&suite, name, sums_of_one_job_do_not_depend_on_the_order, open_toy,
                            close_toy, (void *)(uintptr_t)&part_rows[i]);
        }
    }
    ADD(reading_again_changes_nothing);
    ADD(only_open_parts_are_looked_at_again);
    ADD(a_store_left_unsettled_is_settled_at_open);
    ADD(a_run_may_have_thousands_of_parts);
    ADD(the_table_of_parts_has_the_columns_that_are_kept);
    return suite_run(&suite, "parts");
}
