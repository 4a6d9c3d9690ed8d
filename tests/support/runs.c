/* SPDX-License-Identifier: MIT */
#include "support/runs.h"
#include "support/facts_at.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/zone.h"
#include "facts/append.h"
#include "support/expect.h"

void runs_open(struct runs_store *store)
{
    struct error err = {0};
    *store = (struct runs_store){0};
    suite_folder(store->folder, sizeof(store->folder), "runs");
    if (facts_at(store->folder, FACTS_WRITE, &store->facts, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

void runs_remove_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry = NULL;
    while (dir && (entry = readdir(dir)) != NULL) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        (void)unlink(path); /* not those two that are no files */
    }
    if (dir) {
        closedir(dir);
    }
    (void)rmdir(folder);
}

void runs_close(struct runs_store *store)
{
    facts_leave(store->facts);
    runs_remove_folder(store->folder);
    *store = (struct runs_store){0};
}

int runs_suite(struct suite *suite, struct runs_store *store, const char *name)
{
    runs_open(store);
    int status = suite_run(suite, name);
    runs_close(store);
    return status;
}

/* The feed: an array, handed out once. Whichever of the engine's threads comes first gets all. */
struct array_feed {
    const struct run *runs;
    size_t count;
    size_t next;
};

static void *array_worker(void *context)
{
    return context;
}

static void array_worker_free(void *worker)
{
    (void)worker;
}

static int array_next(void *worker, struct run *runs, size_t max, size_t *count,
                      struct error *err)
{
    (void)err;
    struct array_feed *feed = worker;
    size_t first = __atomic_fetch_add(&feed->next, max, __ATOMIC_RELAXED);
    *count = 0;
    while (*count < max && first + *count < feed->count) {
        runs[*count] = feed->runs[first + *count];
        (*count)++;
    }
    return 0;
}

static struct run complete(struct runs_store *store, struct run run)
{
    store->line++;
    if (!RUN_HAS(&run, cluster)) {
        RUN_SET(&run, cluster, STR("toy"));
    }
    if (!RUN_HAS(&run, job)) {
        RUN_SET(&run, job, store->line);
    }
    if (!RUN_HAS(&run, attempt)) {
        RUN_SET(&run, attempt, 0);
    }
    if (!RUN_HAS(&run, flags)) {
        RUN_SET(&run, flags, 0);
    }
    if (!RUN_HAS(&run, source)) {
        RUN_SET(&run, source, STR("test"));
    }
    if (!RUN_HAS(&run, file)) {
        RUN_SET(&run, file, 1);
    }
    if (!RUN_HAS(&run, digest)) {
        RUN_SET(&run, digest, store->line);
    }
    RUN_SET(&run, line, store->line);
    RUN_SET(&run, batch, store->batch);
    struct error err = {0};
    if (run_check(&run, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return run;
}

void runs_always_seen(struct run *run)
{
    if (!RUN_HAS(run, class)) {
        RUN_SET(run, class, RUN_HAS(run, start) ? STR("running") : STR("pending"));
    }
    RUN_SET(run, seen, INSTANT_MAX - 1);
}

void runs_put(struct runs_store *store, const struct run *runs, size_t count,
              struct append_counts *counts)
{
    struct error err = {0};
    struct run *all = mem_alloc(count, sizeof(*all));
    store->batch++;
    for (size_t i = 0; i < count; i++) {
        all[i] = complete(store, runs[i]);
    }
    struct array_feed array = {.runs = all, .count = count};
    const struct run_feed feed = {
        .context = &array,
        .worker_new = array_worker,
        .worker_free = array_worker_free,
        .next = array_next,
    };
    int failed;
    (void)((failed = facts_begin(store->facts, &err)) ||
           (failed = facts_append(store->facts, &feed, store->batch, counts, &err)) ||
           (failed = facts_commit(store->facts, &err)) ||
           (failed = facts_settle(store->facts, &err)));
    free(all);
    if (failed) {
        expect_fail("%s", err.text);
    }
}

void runs_add(struct runs_store *store, const struct run *runs, size_t count)
{
    struct append_counts counts;
    runs_put(store, runs, count, &counts);
    expect_int(counts.added, (int64_t)count);
}

void runs_clear(struct runs_store *store)
{
    struct error err = {0};
    if (facts_execute(store->facts, "DELETE FROM runs; DELETE FROM parts",
                      (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
    store->line = 0;
}

void runs_clear_things(struct runs_store *store)
{
    struct error err = {0};
    if (facts_execute(store->facts,
                      "DELETE FROM nodes; DELETE FROM partitions; DELETE FROM reservations; "
                      "DELETE FROM marks",
                      (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

void runs_stage(struct runs_store *store, const struct runs_texts *lists, size_t count)
{
    runs_clear(store);
    runs_clear_things(store);
    for (size_t i = 0; i < count; i++) {
        for (size_t t = 0; t < lists[i].room && lists[i].texts[t]; t++) {
            lists[i].read(lists[i].texts[t]);
        }
    }
}
