/* SPDX-License-Identifier: MIT */
#include "demo/demo.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/scan.h"
#include "support/expect.h"

/* --- a folder, and the files in it, read as a stranger would ---------------------------------- */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static char *make_folder(char folder[64])
{
    snprintf(folder, 64, "/tmp/stint-demo-XXXXXX");
    expect_true(mkdtemp(folder) != NULL);
    return folder;
}

static void remove_folder(const char *folder)
{
    expect_int(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

enum { FIELDS = 45 };

struct row {
    int64_t job, task, submit, start, end, failed, exit, slots, gpus, cpu_us;
    bool part;
    char user[32];
};

struct rows {
    struct row *rows;
    size_t count, room;
    int64_t bytes, comments;
    size_t longest;
    uint64_t hash; /* FNV-1a of all bytes */
};

static int64_t number(struct str text, int scale)
{
    int64_t value = 0;
    expect_true(scan_decimal(text, scale, &value));
    return value;
}

static int64_t requested_gpus(struct str category)
{
    static const char key[] = " -l gpu=";
    const char *at = memmem(category.ptr, category.len, key, sizeof(key) - 1);
    return at ? at[sizeof(key) - 1] - '0' : 0;
}

static struct row parse(struct str line)
{
    struct str fields[FIELDS];
    size_t count = 0;
    for (struct str rest = line; rest.ptr; count++) {
        expect_true(count < FIELDS);
        fields[count] = str_cut(&rest, ':');
    }
    expect_int((int64_t)count, FIELDS);
    struct row row = {
        .job = number(fields[5], 0),
        .task = number(fields[35], 0),
        .submit = number(fields[8], 0),
        .start = number(fields[9], 0),
        .end = number(fields[10], 0),
        .failed = number(fields[11], 0),
        .exit = number(fields[12], 0),
        .slots = number(fields[34], 0),
        .gpus = requested_gpus(fields[39]),
        .cpu_us = number(fields[36], 6),
        .part = !str_eq(fields[41], STR("NONE")),
    };
    expect_int(number(fields[13], 0), row.end - row.start);
    snprintf(row.user, sizeof(row.user), "%.*s", STR_ARG(fields[3]));
    return row;
}

static struct rows read_rows(const char *path)
{
    struct rows all = {.hash = UINT64_C(14695981039346656037)};
    FILE *file = fopen(path, "r");
    expect_true(file != NULL);
    char *line = NULL;
    size_t room = 0;
    ssize_t length = 0;
    while ((length = getline(&line, &room, file)) > 0) {
        for (ssize_t i = 0; i < length; i++) {
            all.hash = (all.hash ^ (unsigned char)line[i]) * UINT64_C(1099511628211);
        }
        all.bytes += length;
        all.longest = (size_t)length > all.longest ? (size_t)length : all.longest;
        if (line[0] == '#') {
            expect_true(all.count == 0);
            all.comments++;
            continue;
        }
        if (all.count == all.room) {
            all.room = all.room ? 2 * all.room : 1024;
            all.rows = realloc(all.rows, all.room * sizeof(*all.rows));
            expect_true(all.rows != NULL);
        }
        all.rows[all.count++] = parse((struct str){line, (size_t)length - 1});
    }
    free(line);
    fclose(file);
    return all;
}

/* --- what is written agrees with the summary and with itself ---------------------------------- */

static const int64_t now = INT64_C(1762214400) * SECOND_US; /* 2025-11-04 */

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
    static const uint64_t pinned[DEMO_CLUSTERS] = {1, 2, 3};
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

/* --- the default site ------------------------------------------------------------------------- */

static struct rows site[DEMO_CLUSTERS];
static struct demo_summary site_summary;
static char site_folder[64];

static int make_site(void **state)
{
    (void)state;
    struct demo_plan plan = demo_plan_default(now);
    plan.folder = make_folder(site_folder);
    struct error err;
    expect_int(demo_write(&plan, NULL, NULL, &site_summary, &err), 0);
    for (size_t i = 0; i < DEMO_CLUSTERS; i++) {
        site[i] = read_rows(site_summary.clusters[i].path);
    }
    return 0;
}

static int drop_site(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEMO_CLUSTERS; i++) {
        free(site[i].rows);
        site[i] = (struct rows){0};
    }
    demo_summary_release(&site_summary);
    remove_folder(site_folder);
    return 0;
}

static void every_outcome_occurs(void **state)
{
    (void)state;
    for (int k = 0; k < DEMO_OUTCOMES; k++) {
        int64_t sum = 0;
        for (size_t i = 0; i < DEMO_CLUSTERS; i++) {
            sum += site_summary.clusters[i].outcomes[k];
        }
        expect_true(sum > 0);
    }
    expect_true(site_summary.clusters[0].outcomes[DEMO_DONE] > 28000);
}

static void job_numbers_wrap_on_the_old_cluster(void **state)
{
    (void)state;
    bool last = false;
    bool first = false;
    for (size_t i = 0; i < site[0].count; i++) {
        last = last || site[0].rows[i].job == 9999999;
        first = first || site[0].rows[i].job == 1;
        expect_true(site[0].rows[i].job >= 1 && site[0].rows[i].job <= 9999999);
    }
    expect_true(first && last);
}

static void only_one_cluster_has_slaves_and_one_gpus(void **state)
{
    (void)state;
    expect_int(site_summary.clusters[0].parts, 0);
    expect_true(site_summary.clusters[1].parts > 1000);
    expect_int(site_summary.clusters[2].parts, 0);
    expect_int(site_summary.clusters[0].gpu_wall_us, 0);
    expect_true(site_summary.clusters[2].gpu_wall_us > 0);
    expect_true(site_summary.clusters[1].slots > site_summary.clusters[1].slots_before);
}

/* A run that was given up is followed by another of the same job and task, never overlapping. */
static void restarted_runs_come_back(void **state)
{
    (void)state;
    int found = 0;
    int restarts = 0;
    for (size_t i = 0; i < site[1].count; i++) {
        const struct row *row = &site[1].rows[i];
        if (row->failed != 25 || row->part) {
            continue;
        }
        restarts++;
        for (size_t k = i + 1; k < site[1].count; k++) {
            const struct row *later = &site[1].rows[k];
            if (later->job == row->job && later->task == row->task && !later->part) {
                expect_int(later->submit, row->submit);
                expect_true(later->start == 0 || later->start >= row->end);
                found++;
                break;
            }
        }
    }
    expect_true(restarts > 50);
    expect_true(found >= restarts - 3); /* the last ones may not have come back yet */
}

static void people_work_by_day_in_the_week_and_not_at_christmas(void **state)
{
    (void)state;
    int64_t weekdays[7] = {0}, hours[24] = {0}, christmas = 0, december = 0;
    int64_t eve = civil_days(2024, 12, 23);
    for (size_t i = 0; i < site[1].count; i++) {
        int64_t day = site[1].rows[i].submit / 86400;
        weekdays[civil_weekday(civil_of_days(day))]++;
        hours[site[1].rows[i].submit % 86400 / 3600]++;
        christmas += day >= eve && day < eve + 9;
        december += day >= eve - 18 && day < eve - 9;
    }
    expect_true(weekdays[1] + weekdays[2] > 2 * (weekdays[5] + weekdays[6]));
    expect_true(hours[10] + hours[14] > 4 * (hours[3] + hours[4]));
    expect_true(december > 2 * christmas);
}

static void some_wait_and_most_do_not_wait_long(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEMO_CLUSTERS; i++) {
        int64_t started = 0, soon = 0, late = 0;
        for (size_t k = 0; k < site[i].count; k++) {
            const struct row *row = &site[i].rows[k];
            if (!row->part && row->start > 0) {
                started++;
                soon += row->start - row->submit < 600;
                late += row->start - row->submit > 4 * 3600;
            }
        }
        expect_true(soon * 4 > started);
        expect_true(late > 100 && late * 2 < started);
    }
}

static void somebody_always_crashes(void **state)
{
    (void)state;

    static struct {
        char user[32];
        int64_t runs, failed;
    } people[256];

    size_t count = 0;
    for (size_t i = 0; i < site[0].count; i++) {
        const struct row *row = &site[0].rows[i];
        size_t k = 0;
        while (k < count && strcmp(people[k].user, row->user) != 0) {
            k++;
        }
        if (k == count) {
            expect_true(count < 256);
            memcpy(people[count++].user, row->user, sizeof(row->user));
        }
        people[k].runs++;
        people[k].failed += row->failed != 0 || row->exit != 0;
    }
    int crashing = 0;
    for (size_t k = 0; k < count; k++) {
        crashing += people[k].runs > 50 && people[k].failed * 10 > people[k].runs * 7;
    }
    expect_int(crashing, 1);
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
    {"too dense", PLAN(200001, 20, DAY_US, DAY_US + HOUR_US, "sge"), "too many for so short"},
    {"format", PLAN(10, 20, DAY_US, 9 * DAY_US, "slum"), "no demo format 'slum', only sge"},
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
#define SITE_TEST(function)                                                                    \
    suite_test_with(&suite, #function, function, make_site, drop_site, NULL)
    SITE_TEST(every_outcome_occurs);
    SITE_TEST(job_numbers_wrap_on_the_old_cluster);
    SITE_TEST(only_one_cluster_has_slaves_and_one_gpus);
    SITE_TEST(restarted_runs_come_back);
    SITE_TEST(people_work_by_day_in_the_week_and_not_at_christmas);
    SITE_TEST(some_wait_and_most_do_not_wait_long);
    SITE_TEST(somebody_always_crashes);
    SUITE_ROWS(&suite, refuses, refused_rows);
    SUITE_TEST(&suite, progress_reaches_the_total);
    SUITE_TEST(&suite, a_stop_leaves_no_half_file);
    SUITE_TEST(&suite, a_folder_that_is_a_file_is_an_error);
    SUITE_TEST(&suite, a_full_disk_is_an_error);
    return suite_run(&suite, "demo");
}
