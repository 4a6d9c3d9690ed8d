/* SPDX-License-Identifier: MIT */
#include "demo/demo.h"

#include "base/civil.h"
#include "unit/demo/demo_rows.h"

/* The site that `stint demo` makes when nothing else is asked for, looked at from outside. */

static struct rows site[DEMO_CLUSTERS];
static struct demo_summary site_summary;
static char site_folder[64];

/* Made by the first test that needs it. */
static void need_site(void)
{
    if (site_summary.count > 0) {
        return;
    }
    struct demo_plan plan = demo_plan_default(now);
    plan.folder = make_folder(site_folder);
    struct error err;
    expect_int(demo_write(&plan, NULL, NULL, &site_summary, &err), 0);
    for (size_t i = 0; i < DEMO_CLUSTERS; i++) {
        site[i] = read_rows(site_summary.clusters[i].path);
    }
}

static void drop_site(void)
{
    if (site_summary.count == 0) {
        return;
    }
    for (size_t i = 0; i < DEMO_CLUSTERS; i++) {
        free(site[i].rows);
    }
    demo_summary_release(&site_summary);
    nftw(site_folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void every_outcome_occurs(void **state)
{
    (void)state;
    need_site();
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
    need_site();
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
    need_site();
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
    need_site();
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

/* Counts submissions, not runs: an array at Christmas is one decision. */
static void people_work_by_day_in_the_week_and_not_at_christmas(void **state)
{
    (void)state;
    need_site();
    int64_t weekdays[7] = {0}, hours[24] = {0}, christmas = 0, december = 0;
    int64_t eve = civil_days(2024, 12, 23);
    for (size_t i = 0; i < site[1].count; i++) {
        const struct row *row = &site[1].rows[i];
        if (row->part || row->task > 1) {
            continue;
        }
        int64_t day = row->submit / 86400;
        weekdays[civil_weekday(civil_of_days(day))]++;
        hours[row->submit % 86400 / 3600]++;
        christmas += day >= eve && day < eve + 9;
        december += day >= eve - 18 && day < eve - 9;
    }
    expect_true(weekdays[1] + weekdays[2] > 2 * (weekdays[5] + weekdays[6]));
    expect_true(hours[10] + hours[14] > 4 * (hours[3] + hours[4]));
    expect_true(december * 2 > christmas * 3);
}

static void some_wait_and_most_do_not_wait_long(void **state)
{
    (void)state;
    need_site();
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
    need_site();

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

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_outcome_occurs);
    SUITE_TEST(&suite, job_numbers_wrap_on_the_old_cluster);
    SUITE_TEST(&suite, only_one_cluster_has_slaves_and_one_gpus);
    SUITE_TEST(&suite, restarted_runs_come_back);
    SUITE_TEST(&suite, people_work_by_day_in_the_week_and_not_at_christmas);
    SUITE_TEST(&suite, some_wait_and_most_do_not_wait_long);
    SUITE_TEST(&suite, somebody_always_crashes);
    int rc = suite_run(&suite, "demo_site");
    drop_site();
    return rc;
}
