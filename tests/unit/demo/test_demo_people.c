/* SPDX-License-Identifier: MIT */
#include "demo/demo_people.h"

#include <stdlib.h>
#include <string.h>

#include "support/expect.h"

struct count_row {
    const char *name;
    size_t count;
};

static const struct count_row count_rows[] = {{"few", 10}, {"usual", 120}, {"all", 10000}};

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void logins_are_plain_and_unique(void **state)
{
    const struct count_row *row = *state;
    struct demo_people people;
    demo_people_init(&people, 5, row->count);
    const char **logins = calloc(row->count, sizeof(*logins));
    expect_true(logins != NULL);
    for (size_t i = 0; i < row->count; i++) {
        logins[i] = people.persons[i].login;
        size_t length = strspn(logins[i], "abcdefghijklmnopqrstuvwxyz0123456789.");
        expect_int((int64_t)length, (int64_t)strlen(logins[i]));
        expect_true(length >= 2);
        expect_true(people.persons[i].group < people.group_count);
    }
    qsort(logins, row->count, sizeof(*logins), compare);
    for (size_t i = 1; i < row->count; i++) {
        expect_true(strcmp(logins[i - 1], logins[i]) != 0);
    }
    free(logins);
    demo_people_release(&people);
}

static void every_cluster_has_people(void **state)
{
    const struct count_row *row = *state;
    struct demo_people people;
    demo_people_init(&people, 6, row->count);
    for (size_t cluster = 0; cluster < DEMO_CLUSTERS; cluster++) {
        uint64_t sum = 0;
        for (int i = 0; i < DEMO_RHYTHM_COUNT; i++) {
            struct demo_crowd crowd;
            demo_people_crowd(&people, cluster, (enum demo_rhythm)i, &crowd);
            sum += demo_people_crowd_weight(&crowd);
            demo_people_crowd_release(&crowd);
        }
        expect_true(sum > 0);
    }
    demo_people_release(&people);
}

static void groups_and_projects_have_distinct_names(void **state)
{
    (void)state;
    struct demo_people people;
    demo_people_init(&people, 7, 1000);
    for (size_t i = 0; i < people.group_count; i++) {
        for (size_t k = 0; k < i; k++) {
            expect_true(strcmp(people.groups[i].name, people.groups[k].name) != 0);
            expect_true(strcmp(people.groups[i].projects[1], people.groups[k].projects[1]) !=
                        0);
        }
    }
    demo_people_release(&people);
}

static int busier(const void *a, const void *b)
{
    const struct demo_person *first = a;
    const struct demo_person *second = b;
    return (first->activity < second->activity) - (first->activity > second->activity);
}

static void a_tenth_does_most_of_the_work(void **state)
{
    (void)state;
    struct demo_people people;
    demo_people_init(&people, 8, 1000);
    qsort(people.persons, people.count, sizeof(*people.persons), busier);
    uint64_t top = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < people.count; i++) {
        all += people.persons[i].activity;
        top += i < 100 ? people.persons[i].activity : 0;
    }
    expect_true(top * 2 > all);
    demo_people_release(&people);
}

static void draw_prefers_the_busy_and_those_who_are_here(void **state)
{
    (void)state;
    struct demo_people people;
    demo_people_init(&people, 9, 200);
    struct demo_crowd crowd;
    demo_people_crowd(&people, 1, DEMO_RHYTHM_OFFICE, &crowd);
    struct demo_random random;
    demo_random_init(&random, 1, 1);
    int absent = 0;
    for (int i = 0; i < 10000; i++) {
        const struct demo_person *person =
            &people.persons[demo_people_draw(&people, &crowd, &random, 100, i % 50)];
        expect_int((int64_t)demo_site_habits[person->habit].rhythm, DEMO_RHYTHM_OFFICE);
        absent += person->came > 100 || person->left <= 100;
    }
    expect_true(absent < 100);
    demo_people_crowd_release(&crowd);
    demo_people_release(&people);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, logins_are_plain_and_unique, count_rows);
    SUITE_ROWS(&suite, every_cluster_has_people, count_rows);
    SUITE_TEST(&suite, groups_and_projects_have_distinct_names);
    SUITE_TEST(&suite, a_tenth_does_most_of_the_work);
    SUITE_TEST(&suite, draw_prefers_the_busy_and_those_who_are_here);
    return suite_run(&suite, "demo_people");
}
