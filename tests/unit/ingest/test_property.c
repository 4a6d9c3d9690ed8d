/* SPDX-License-Identifier: MIT */

/*
 * However a log comes in, the facts are the same: whole, in pieces as it grows, twice, as several
 * files in any order, and with the program killed in between as often as one likes. And they are what
 * a plain sum over the log's rows says.
 *
 * The stories are told by their seeds: STINT_PROPERTY_SEEDS=200 tells more than the usual few,
 * STINT_PROPERTY_FIRST=17 begins at another.
 */

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>

#include "base/zone.h"
#include "facts/journal.h"
#include "service/core/service.h"
#include "support/facts_at.h"
#include "unit/ingest/toy_log.h"
#include "unit/ingest/toy_store.h"
#include "unit/ingest/toy_story.h"

extern char **environ;

enum { MOST = 64 << 20, JOBS_MOST = 120, SEEDS = 3, LONG_ROW = 40000 };

static const char *program;

static int64_t number_from(const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoll(text, NULL, 10) : otherwise;
}

static int64_t toy_now(void)
{
    return TOY_NOW;
}

/* --- the same facts --------------------------------------------------------------------------- */

static void expect_facts(struct toy *toy, const char *want)
{
    char *got = toy_facts(toy);
    expect_text(got, want);
    free(got);
}

static char *whole_facts(struct toy *toy, struct str text)
{
    toy_write(toy, "whole", text);
    (void)toy_import(toy, "whole");
    return toy_facts(toy);
}

/* What may be too little to be recognised yet is no failure, but for the whole. */
static void import_piece(struct toy *toy, const char *name, bool last, int64_t *rejected)
{
    struct ingest_options options = toy_options(toy, name);
    struct ingest_summary summary;
    struct error err = {0};
    int failed = ingest_file(toy->facts, &options, &summary, &err);
    if (failed && (last || failed != ERROR_INPUT)) {
        expect_fail("%s", err.text);
    }
    *rejected += failed ? 0 : summary.rejected;
    toy_follow(toy);
}

static void grow(struct toy *toy, struct toy_random *random, struct str text, int64_t bad)
{
    int64_t rejected = 0;
    toy_empty(toy);
    toy_write(toy, "growing", STR(""));
    for (size_t at = 0; at < text.len;) {
        size_t most = toy_chance(random, 30) ? 500 : text.len / 3 + 1;
        size_t piece = 1 + (size_t)toy_below(random, (int64_t)most);
        piece = piece > text.len - at ? text.len - at : piece;
        toy_append(toy, "growing", (struct str){text.ptr + at, piece});
        at += piece;
        import_piece(toy, "growing", at == text.len, &rejected);
    }
    expect_int(rejected, bad);
    expect_int(toy_number(toy, "SELECT count(*) FROM quarantine"), bad);
    expect_int(unlink(toy_path(toy, "growing")), 0);
}

/* Once more, from where it was; then from the start, since its beginning is another. */
static void import_again(struct toy *toy, struct str text, const char *facts)
{
    struct ingest_summary summary = toy_import(toy, "whole");
    expect_int(summary.verdict, INGEST_UNCHANGED);
    toy_write(toy, "again", STR("# once more\n"));
    toy_append(toy, "again", text);
    summary = toy_import(toy, "again");
    expect_int(summary.added, 0);
    expect_int(summary.records, summary.replaced + summary.unchanged + summary.parts);
    expect_facts(toy, facts);
    expect_int(unlink(toy_path(toy, "again")), 0);
}

/* --- the same sums ---------------------------------------------------------------------------- */

/* What nobody knows counts as nothing here. */
static int64_t number_at(const struct table *table, size_t column, size_t row)
{
    return table_has(table, column, row) ? (int64_t)table_wide(table, column, row) : 0;
}

static void expect_report(struct toy *toy, const struct story_total *total)
{
    const struct request_value values[] = {
        {"measure", STR("jobs,cpu_hours,wall_hours")},
        {"by", STR("user")},
        {"sort", STR("user")},
        {"from", STR("2000-01-01")},
        {"to", STR("2039-12-31")},
    };
    const struct request request = {operation_find(STR("report")), values, COUNT_OF(values),
                                    NULL};
    struct zone *zone = NULL;
    struct answer answer = {0};
    struct error err = {0};
    toy_away(toy);
    expect_int(zone_open("UTC", &zone, &err), 0);
    const struct caller admin = {.name = "root", CALLER_AS(ADMIN)};
    struct session session = {.folder = toy->store};
    struct service service = {.store = toy->store,
                              .session = &session,
                              .caller = &admin,
                              .zone = zone,
                              .now = toy_now};
    if (service_call(&service, &request, &answer, &err) != 0) {
        expect_fail("%s", err.text);
    }
    size_t row = 0;
    for (int i = 0; i < STORY_USERS; i++) {
        const struct story_user *user = &total->users[i];
        if (user->started == 0) {
            continue;
        }
        expect_true(row < answer.table.row_count);
        struct str name = answer.table.columns[0].cells[row].text;
        expect_text_n(name.ptr, name.len, user->name);
        expect_int(number_at(&answer.table, 1, row), user->jobs);
        expect_int(number_at(&answer.table, 2, row), user->cpu_us);
        expect_int(number_at(&answer.table, 3, row), user->wall_us);
        row++;
    }
    expect_int((int64_t)answer.table.row_count, (int64_t)row);
    answer_release(&answer);
    zone_close(zone);
    toy_back(toy);
}

static void expect_total(struct toy *toy, const struct story_total *total)
{
    struct buf want;
    buf_init(&want, MOST);
    for (int i = 0; i < STORY_USERS; i++) {
        const struct story_user *user = &total->users[i];
        if (user->runs > 0) {
            buf_addf(&want, "%s|%" PRId64 "|%" PRId64 "\n", user->name, user->runs,
                     user->used_us);
        }
    }
    toy_expect(toy,
               "SELECT \"user\", count(*), sum(cpu_used_us)::BIGINT FROM runs GROUP BY ALL "
               "ORDER BY ALL",
               want.ptr);
    expect_int(toy_number(toy, "SELECT count(*) FROM runs"), total->runs);
    expect_int(toy_number(toy, "SELECT count(*) FROM parts WHERE part <> ''"), total->parts);
    struct table overview = {0};
    struct error err = {0};
    expect_int(journal_overview(toy->facts, &overview, &err), 0);
    expect_text(overview.columns[5].id, "waiting_parts");
    expect_int((int64_t)table_wide(&overview, 5, 0), total->waiting);
    table_release(&overview);
    buf_release(&want);
    expect_report(toy, total);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void facts_do_not_depend_on_the_way_in(void **state)
{
    const uint64_t seed = *(const uint64_t *)*state;
    struct toy toy;
    struct story story;
    struct buf text;
    toy_open(&toy);
    buf_init(&text, MOST);
    struct toy_random random = {seed ^ 0xf00d};
    story_make(&story, seed, 1 + toy_below(&random, JOBS_MOST), false, 0);
    int64_t bad = story_print(&story, 0, story.count, true, &text);
    struct story_total total = story_count(&story);
    char *facts = whole_facts(&toy, buf_str(&text));
    expect_total(&toy, &total);
    import_again(&toy, buf_str(&text), facts);
    grow(&toy, &random, buf_str(&text), bad);
    expect_facts(&toy, facts);
    free(facts);
    buf_release(&text);
    story_release(&story);
    toy_close(&toy);
}

/* Rows fall into files at random, and files come in any order. */
static void facts_do_not_depend_on_the_order_of_files(void **state)
{
    enum { FILES = 4 };

    const uint64_t seed = *(const uint64_t *)*state;
    struct toy toy;
    struct story story;
    struct buf text, files[FILES];
    struct toy_random random = {seed ^ 0xcafe};
    toy_open(&toy);
    buf_init(&text, MOST);
    story_make(&story, seed, FILES + toy_below(&random, JOBS_MOST), true, 0);
    (void)story_print(&story, 0, story.count, false, &text);
    struct story_total total = story_count(&story);
    char *facts = whole_facts(&toy, buf_str(&text));
    expect_total(&toy, &total);
    toy_empty(&toy);
    for (int i = 0; i < FILES; i++) {
        buf_init(&files[i], MOST);
        buf_addf(&files[i], "# Version: %d\n", i);
    }
    for (size_t i = 0; i < story.count; i++) {
        toy_row_add(&files[toy_below(&random, FILES)], &story.rows[i].row);
    }
    for (int i = 0, first = (int)toy_below(&random, FILES); i < FILES; i++) {
        const char *const names[FILES] = {"f0", "f1", "f2", "f3"};
        int which = (first + i) % FILES;
        toy_write(&toy, names[which], buf_str(&files[which]));
        (void)toy_import(&toy, names[which]);
    }
    expect_facts(&toy, facts);
    for (int i = 0; i < FILES; i++) {
        buf_release(&files[i]);
    }
    free(facts);
    buf_release(&text);
    story_release(&story);
    toy_close(&toy);
}

/* --- kill -9 ---------------------------------------------------------------------------------- */

/* What the child does: test_property --import STORE FILE. One slice a batch. */
static int import_as_child(const char *store, const char *file)
{
    struct facts *facts = NULL;
    struct error err = {0};
    struct ingest_summary summary;
    const struct ingest_options options = {
        .driver = source_find(STR("sge")),
        .path = file,
        .cluster = "toy",
        .now = TOY_NOW,
        .batch_bytes = 1,
    };
    int failed = facts_at(store, FACTS_WRITE, &facts, &err);
    if (!failed) {
        failed = ingest_file(facts, &options, &summary, &err);
    }
    facts_leave(facts);
    if (failed) {
        fprintf(stderr, "%s\n", err.text);
    }
    return failed ? 1 : 0;
}

static int64_t clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND_US + now.tv_nsec / 1000;
}

/* Starts the import and, if `after` is not 0, kills it then; whether it had come to its end. */
static bool import_and_kill(const struct toy *toy, const char *name, int64_t after_us)
{
    char import_word[] = "--import", path[128], store[128], self[512];
    snprintf(path, sizeof(path), "%s", toy_path(toy, name));
    snprintf(store, sizeof(store), "%s", toy->store);
    snprintf(self, sizeof(self), "%s", program);
    char *const arguments[] = {self, import_word, store, path, NULL};
    pid_t pid = 0;
    int status = 0;
    expect_int(posix_spawn(&pid, self, NULL, NULL, arguments, environ), 0);
    if (after_us > 0) {
        const struct timespec pause = {after_us / SECOND_US, after_us % SECOND_US * 1000};
        nanosleep(&pause, NULL);
        kill(pid, SIGKILL);
    }
    expect_int(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status)) {
        expect_int(WTERMSIG(status), SIGKILL);
        return false;
    }
    expect_int(WEXITSTATUS(status), 0);
    return true;
}

/* Killed at a random moment, then again and again, until it once had the time to finish. */
static int import_killing(const struct toy *toy, const char *name, struct toy_random *random,
                          int64_t span_us)
{
    int kills = 0;
    while (!import_and_kill(toy, name, 1 + toy_below(random, span_us))) {
        kills++;
        span_us += span_us / 8; /* so that it ends, also on a busy machine */
    }
    return kills;
}

static void facts_survive_being_killed(void **state)
{
    const uint64_t seed = *(const uint64_t *)*state;
    struct toy toy;
    struct story story;
    struct buf text;
    struct toy_random random = {seed ^ 0xdead};
    toy_make(&toy);
    buf_init(&text, MOST);
    story_make(&story, seed, 120, false, LONG_ROW); /* some 12 MB */
    int64_t bad = story_print(&story, 0, story.count, true, &text);
    struct story_total total = story_count(&story);
    toy_write(&toy, "whole", buf_str(&text));
    int64_t begun = clock_us();
    expect_true(import_and_kill(&toy, "whole", 0));
    int64_t span_us = clock_us() - begun;
    toy_back(&toy);
    expect_true(toy_number(&toy, "SELECT count(*) FROM batches") >= 3);
    char *facts = toy_facts(&toy);
    expect_total(&toy, &total);
    for (int round = 0; round < 2; round++) {
        toy_away(&toy);
        toy_remove(toy.store);
        (void)import_killing(&toy, "whole", &random, span_us);
        toy_back(&toy);
        toy_follow(&toy);
        expect_facts(&toy, facts);
        expect_int(toy_number(&toy, "SELECT count(*) FROM quarantine"), bad);
        expect_int(toy_number(&toy, "SELECT count(*) FROM files"), 1);
        expect_int(toy_number(&toy, "SELECT max(to_byte) FROM batches"), (int64_t)text.len);
        expect_int(toy_number(&toy, "SELECT sum(to_byte - from_byte) FROM batches"),
                   (int64_t)text.len);
    }
    free(facts);
    buf_release(&text);
    story_release(&story);
    toy_close(&toy);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--import") == 0) {
        return import_as_child(argv[2], argv[3]);
    }
    program = argv[0];
    struct suite suite = {0};
    const int64_t first = number_from("STINT_PROPERTY_FIRST", 1);
    const int64_t count = number_from("STINT_PROPERTY_SEEDS", SEEDS);
    uint64_t *seeds = mem_alloc((size_t)count, sizeof(*seeds));
    for (int64_t i = 0; i < count; i++) {
        char name[64];
        seeds[i] = (uint64_t)(first + i);
        snprintf(name, sizeof(name), "facts_do_not_depend_on_the_way_in: seed %" PRIu64,
                 seeds[i]);
        suite_test_with(&suite, name, facts_do_not_depend_on_the_way_in, NULL, NULL, &seeds[i]);
        snprintf(name, sizeof(name), "facts_do_not_depend_on_the_order_of_files: seed %" PRIu64,
                 seeds[i]);
        suite_test_with(&suite, name, facts_do_not_depend_on_the_order_of_files, NULL, NULL,
                        &seeds[i]);
        if (i % 4 == 0) {
            snprintf(name, sizeof(name), "facts_survive_being_killed: seed %" PRIu64, seeds[i]);
            suite_test_with(&suite, name, facts_survive_being_killed, NULL, NULL, &seeds[i]);
        }
    }
    int status = suite_run(&suite, "property");
    free(seeds);
    return status;
}
