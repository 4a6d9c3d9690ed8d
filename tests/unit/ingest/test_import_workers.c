/* SPDX-License-Identifier: MIT */

/*
 * Imports through the engine with more workers than this machine may have cores. What the workers
 * do to each other is looked at in test_import_threads.c.
 */

#include <stdio.h>

#include "demo/demo.h"
#include "unit/ingest/toy_log.h"
#include "unit/ingest/toy_store.h"

enum { THREADS = 6, MOST = 64 << 20 };

/*
 * The feed asks how many cores there are; here there are always several. The sanitizers ask, too,
 * before they can be asked anything themselves.
 */
extern long __sysconf(int name);

__attribute__((no_sanitize("thread", "address", "undefined"))) long sysconf(int name)
{
    return name == _SC_NPROCESSORS_ONLN ? THREADS : __sysconf(name);
}

static void use_threads(struct toy *toy)
{
    struct error err = {0};
    char sql[64];
    snprintf(sql, sizeof(sql), "SET threads = %d", THREADS);
    if (facts_execute(toy->facts, sql, (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

struct watch {
    int calls, stop_at;
    struct stop stop;
};

static void watch(void *watcher, const struct ingest_progress *progress)
{
    struct watch *w = watcher;
    (void)progress;
    w->calls++;
    if (w->calls == w->stop_at) {
        stop_ask(&w->stop);
    }
}

/* The largest cluster of a demo, some 20 MB, into a store; then sums against its own account. */
static void a_demo_is_imported_by_many_workers(void **state)
{
    (void)state;
    struct toy toy;
    struct demo_summary summary = {0};
    struct error err = {0};
    toy_open(&toy);
    use_threads(&toy);
    struct demo_plan plan = demo_plan_default(TOY_NOW);
    char folder[128];
    snprintf(folder, sizeof(folder), "%s", toy_path(&toy, "demo"));
    plan.folder = folder;
    plan.runs = 100000;
    plan.seed = 3;
    if (demo_write(&plan, NULL, NULL, &summary, &err) != 0) {
        expect_fail("%s", err.text);
    }
    const struct demo_cluster_summary *cluster = &summary.clusters[1];
    struct watch watcher = {0};
    struct ingest_options options = toy_options(&toy, "demo");
    options.path = cluster->path;
    options.watcher = &watcher;
    options.progress = watch;
    struct ingest_summary got = toy_import_as(&toy, &options);
    expect_true(watcher.calls >= 3);
    expect_int(got.added, cluster->runs);
    expect_int(got.parts, cluster->parts);
    expect_int(got.rejected, 0);
    expect_int(toy_number(&toy, "SELECT sum(cpu_used_us) FROM runs"), cluster->cpu_used_us);
    expect_int(
        toy_number(&toy,
                   "SELECT sum(cpus * (\"end\" - start)) FROM runs WHERE start IS NOT NULL"),
        cluster->slot_wall_us);
    expect_int(toy_number(&toy,
                          "SELECT count(DISTINCT line) FROM (SELECT line FROM runs UNION ALL "
                          "SELECT line FROM parts WHERE part <> '')"),
               cluster->rows);
    demo_summary_release(&summary);
    toy_close(&toy);
}

/* Bad records everywhere: all workers at the list of rejects, and one that stops the others. */
static void many_workers_reject_and_stop(void **state)
{
    (void)state;
    struct toy toy;
    struct buf text;
    toy_open(&toy);
    use_threads(&toy);
    buf_init(&text, MOST);
    for (int i = 0; i < 600; i++) {
        int64_t at = TOY_EPOCH + i * 60;
        toy_row_add(&text, &(struct toy_row){.job = i + 1,
                                             .submit = at,
                                             .start = at,
                                             .end = at + 1,
                                             .slots = 1,
                                             .pad = 40000});
        buf_addz(&text, "bad:line\n");
    }
    toy_write(&toy, "accounting", buf_str(&text));
    struct ingest_options options = toy_options(&toy, "accounting");
    struct ingest_summary summary;
    struct error err = {0};
    options.on_error = INGEST_STOP;
    expect_int(ingest_file(toy.facts, &options, &summary, &err), ERROR_INPUT);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs"), 0);

    struct watch watcher = {.stop_at = 2};
    options.on_error = INGEST_QUARANTINE;
    options.watcher = &watcher;
    options.progress = watch;
    options.stop = &watcher.stop;
    expect_int(ingest_file(toy.facts, &options, &summary, &err), ERROR_STOPPED);
    expect_int(toy_number(&toy, "SELECT count(*) FROM runs"), 0);

    watcher = (struct watch){0};
    summary = toy_import_as(&toy, &options);
    expect_int(summary.added, 600);
    expect_int(summary.rejected, 600);
    expect_contains(summary.first_reject.text, "line 2: ");
    expect_int(toy_number(&toy, "SELECT count(DISTINCT line) FROM quarantine"), 600);
    buf_release(&text);
    toy_close(&toy);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_demo_is_imported_by_many_workers);
    SUITE_TEST(&suite, many_workers_reject_and_stop);
    return suite_run(&suite, "import_workers");
}
