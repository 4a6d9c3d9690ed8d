/* SPDX-License-Identifier: MIT */
#include "demo/demo.h"

#include <unistd.h>

#include "unit/demo/demo_rows.h"

/* --- what is written agrees with the summary and with itself ---------------------------------- */

static struct demo_plan plan_of(int64_t runs, int users, int64_t hours, uint64_t seed)
{
    struct demo_plan plan = demo_plan_default(now);
    plan.runs = runs;
    plan.users = users;
    plan.seed = seed;
    plan.period.from = now - hours * HOUR_US;
    return plan;
}

/* Rows in order of their ends, in the period, slaves right before their master. */
static void expect_order(const struct rows *all, struct period period)
{
    int64_t last_end = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct row *row = &all->rows[i];
        expect_true(row->submit >= period.from / SECOND_US);
        expect_true(row->submit < period.to / SECOND_US);
        if (row->part) {
            expect_true(i + 1 < all->count);
            expect_int(all->rows[i + 1].job, row->job);
            expect_int(all->rows[i + 1].start, row->start);
        }
        if (row->start == 0) {
            expect_int(row->end, 0);
            continue;
        }
        expect_true(row->start >= row->submit && row->end >= row->start);
        expect_true(row->end >= last_end && row->end < period.to / SECOND_US);
        last_end = row->end;
    }
}

static void expect_totals(const struct rows *all, const struct demo_cluster_summary *summary)
{
    int64_t runs = 0, slot_wall = 0, gpu_wall = 0, cpu = 0, wait = 0, never = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct row *row = &all->rows[i];
        cpu += row->cpu_us;
        if (!row->part) {
            runs++;
            never += row->start == 0;
            slot_wall += row->slots * (row->end - row->start) * SECOND_US;
            gpu_wall += row->gpus * (row->end - row->start) * SECOND_US;
            wait += row->start > 0 ? (row->start - row->submit) * SECOND_US : 0;
        }
    }
    expect_int(all->comments, 4);
    expect_int(all->bytes, summary->bytes);
    expect_int((int64_t)all->count, summary->rows);
    expect_int(runs, summary->runs);
    expect_int(summary->rows - summary->runs, summary->parts);
    expect_int(never, summary->outcomes[DEMO_NOT_STARTED]);
    expect_int(slot_wall, summary->slot_wall_us);
    expect_int(gpu_wall, summary->gpu_wall_us);
    expect_int(cpu, summary->cpu_used_us);
    expect_int(wait, summary->wait_us);
    expect_true(all->longest < DEMO_ROW_MAX);
}

struct change {
    int64_t time, slots;
};

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a;
    const struct change *y = b;
    if (x->time != y->time) {
        return x->time < y->time ? -1 : 1;
    }
    return (x->slots > y->slots) - (x->slots < y->slots); /* what ends frees first */
}

/* The slots of what runs never exceed those of the machine, before and after it grew. */
static void expect_not_over_allocated(const struct rows *all,
                                      const struct demo_cluster_summary *summary)
{
    struct change *changes = calloc(2 * all->count + 1, sizeof(*changes));
    expect_true(changes != NULL);
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct row *row = &all->rows[i];
        if (!row->part && row->end > row->start) {
            changes[count++] = (struct change){row->start, row->slots};
            changes[count++] = (struct change){row->end, -row->slots};
        }
    }
    qsort(changes, count, sizeof(*changes), compare_changes);
    int64_t busy = 0;
    for (size_t i = 0; i < count; i++) {
        bool grown = changes[i].time >= summary->grown_at / SECOND_US;
        busy += changes[i].slots;
        expect_true(busy <= (grown ? summary->slots : summary->slots_before));
    }
    expect_int(busy, 0);
    free(changes);
}

struct plan_row {
    const char *name;
    int64_t runs;
    int users;
    int64_t hours;
    uint64_t seed;
};

static const struct plan_row plan_rows[] = {
    {"one run", 1, 10, 8760, 1},
    {"a few in a year", 25, 120, 8760, 2},
    {"a small site", 3000, 10, 8760, 3},
    {"a year", 60000, 120, 8760, 4},
    {"a year, many people", 20000, 10000, 8760, 5},
    {"a busy month", 60000, 300, 720, 6},
    {"a busy day", 30000, 100, 24, 7},
    {"an hour", 5000, 50, 1, 8},
    {"twenty years", 20000, 80, 175200, 9},
};

static void writes_what_it_promises(void **state)
{
    const struct plan_row *row = *state;
    char folder[64];
    struct demo_plan plan = plan_of(row->runs, row->users, row->hours, row->seed);
    plan.folder = make_folder(folder);
    struct demo_summary summary;
    struct error err;
    expect_int(demo_write(&plan, NULL, NULL, &summary, &err), 0);
    expect_int((int64_t)summary.count, DEMO_CLUSTERS);
    int64_t runs = 0;
    for (size_t i = 0; i < summary.count; i++) {
        const struct demo_cluster_summary *cluster = &summary.clusters[i];
        struct rows all = read_rows(cluster->path);
        expect_order(&all, plan.period);
        expect_totals(&all, cluster);
        expect_not_over_allocated(&all, cluster);
        runs += cluster->runs;
        free(all.rows);
    }
    expect_int(runs, row->runs);
    demo_summary_release(&summary);
    remove_folder(folder);
}

/* --- the same bytes --------------------------------------------------------------------------- */

static void hash_site(const struct demo_plan *plan, uint64_t hashes[DEMO_CLUSTERS])
{
    char folder[64];
    struct demo_plan mine = *plan;
    mine.folder = make_folder(folder);
    struct demo_summary summary;
    struct error err;
    expect_int(demo_write(&mine, NULL, NULL, &summary, &err), 0);
    for (size_t i = 0; i < summary.count; i++) {
        struct rows all = read_rows(summary.clusters[i].path);
        hashes[i] = all.hash;
        free(all.rows);
    }
    demo_summary_release(&summary);
    remove_folder(folder);
}

/* Pinned: if the generator is changed on purpose, put the new values here. */
static void bytes_depend_on_the_plan_alone(void **state)
{
    (void)state;
    static const uint64_t pinned[DEMO_CLUSTERS] = {UINT64_C(1463662335130224460),
                                                   UINT64_C(15303866852528070603),
                                                   UINT64_C(12827459309408698898)};
    uint64_t hashes[DEMO_CLUSTERS];
    struct demo_plan plan = plan_of(20000, 120, 8760, 1);
    hash_site(&plan, hashes);
    for (size_t i = 0; i < DEMO_CLUSTERS; i++) {
        expect_uint(hashes[i], pinned[i]);
    }
    uint64_t others[DEMO_CLUSTERS];
    plan.seed = 2;
    hash_site(&plan, others);
    for (size_t i = 0; i < DEMO_CLUSTERS; i++) {
        expect_true(others[i] != hashes[i]);
    }
}

/* --- what is refused, and what goes wrong ----------------------------------------------------- */

struct refused_row {
    const char *name;
    struct demo_plan plan;
    const char *says;
};

#define PLAN(runs_, users_, from_, to_, format_)                                               \
    {                                                                                          \
        .runs = (runs_), .users = (users_), .period = {(from_), (to_)}, .folder = "/nowhere",  \
        .format = (format_)                                                                    \
    }

static const struct refused_row refused_rows[] = {
    {"no runs", PLAN(0, 120, DAY_US, 9 * DAY_US, "sge"), "1 to 50000000 runs, not 0"},
    {"too many runs", PLAN(50000001, 120, DAY_US, 9 * DAY_US, "sge"), "not 50000001"},
    {"too few users", PLAN(10, 9, DAY_US, 9 * DAY_US, "sge"), "10 to 10000 users, not 9"},
    {"too many users", PLAN(10, 10001, DAY_US, 9 * DAY_US, "sge"), "not 10001"},
    {"too short", PLAN(10, 20, DAY_US, DAY_US + HOUR_US - 1, "sge"), "at least an hour"},
    {"reversed", PLAN(10, 20, 9 * DAY_US, DAY_US, "sge"), "at least an hour"},
    {"too long", PLAN(10, 20, DAY_US, 20000 * DAY_US, "sge"), "at most 50 years"},
    {"before 1970", PLAN(10, 20, -DAY_US, 9 * DAY_US, "sge"), "1970 to 2261"},
    {"too dense", PLAN(200001, 20, DAY_US, DAY_US + HOUR_US, "sge"), "too many for this short"},
    {"format", PLAN(10, 20, DAY_US, 9 * DAY_US, "slum"),
     "no demo format 'slum', only sge, slurm"},
};

static void refuses(void **state)
{
    const struct refused_row *row = *state;
    struct demo_summary summary;
    struct error err = {0};
    expect_int(demo_write(&row->plan, NULL, NULL, &summary, &err), ERROR_USAGE);
    expect_contains(err.text, row->says);
    expect_int((int64_t)summary.count, 0);
}

struct watch {
    int64_t calls, last, total, stop_at;
};

static bool watch(void *context, int64_t done, int64_t total)
{
    struct watch *seen = context;
    expect_true(done >= seen->last && done <= total);
    seen->calls++;
    seen->last = done;
    seen->total = total;
    return done < seen->stop_at;
}

static void progress_reaches_the_total(void **state)
{
    (void)state;
    char folder[64];
    struct demo_plan plan = plan_of(100000, 40, 2000, 3);
    plan.folder = make_folder(folder);
    struct demo_summary summary;
    struct error err;
    struct watch seen = {.stop_at = INT64_MAX};
    expect_int(demo_write(&plan, watch, &seen, &summary, &err), 0);
    expect_true(seen.calls >= 3);
    expect_int(seen.last, 100000);
    expect_int(seen.total, 100000);
    demo_summary_release(&summary);
    remove_folder(folder);
}

static void a_stop_leaves_no_half_file(void **state)
{
    (void)state;
    char folder[64];
    struct demo_plan plan = plan_of(100000, 40, 2000, 3);
    plan.folder = make_folder(folder);
    struct demo_summary summary;
    struct error err;
    struct watch seen = {.stop_at = 34000}; /* alder is done, birch has begun */
    expect_int(demo_write(&plan, watch, &seen, &summary, &err), ERROR_STOPPED);
    expect_int((int64_t)summary.count, 0);
    char path[128];

    static const struct {
        const char *file;
        bool there;
    } files[] = {{"alder/accounting", true},
                 {"alder/accounting.part", false},
                 {"birch/accounting", false},
                 {"birch/accounting.part", false}};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, files[i].file);
        expect_int(access(path, F_OK) == 0, files[i].there);
    }
    remove_folder(folder);
}

static void a_folder_that_is_a_file_is_an_error(void **state)
{
    (void)state;
    char folder[64];
    char path[128];
    make_folder(folder);
    snprintf(path, sizeof(path), "%s/file", folder);
    FILE *file = fopen(path, "w");
    expect_true(file != NULL);
    fclose(file);
    struct demo_plan plan = plan_of(100, 40, 2000, 3);
    plan.folder = path;
    struct demo_summary summary;
    struct error err;
    expect_true(demo_write(&plan, NULL, NULL, &summary, &err) < 0);
    expect_contains(err.text, path);
    remove_folder(folder);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    char folder[64];
    char path[128];
    make_folder(folder);
    snprintf(path, sizeof(path), "%s/alder", folder);
    expect_int(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/alder/accounting.part", folder);
    expect_int(symlink("/dev/full", path), 0);
    struct demo_plan plan = plan_of(100, 40, 2000, 3);
    plan.folder = folder;
    struct demo_summary summary;
    struct error err;
    expect_int(demo_write(&plan, NULL, NULL, &summary, &err), ERROR_IO);
    expect_contains(err.text, "/alder/accounting'");
    remove_folder(folder);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, writes_what_it_promises, plan_rows);
    SUITE_TEST(&suite, bytes_depend_on_the_plan_alone);
    SUITE_ROWS(&suite, refuses, refused_rows);
    SUITE_TEST(&suite, progress_reaches_the_total);
    SUITE_TEST(&suite, a_stop_leaves_no_half_file);
    SUITE_TEST(&suite, a_folder_that_is_a_file_is_an_error);
    SUITE_TEST(&suite, a_full_disk_is_an_error);
    return suite_run(&suite, "demo");
}
