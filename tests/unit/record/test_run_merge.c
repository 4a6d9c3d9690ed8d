/* SPDX-License-Identifier: MIT */

/*
 * Records of one run from two listings, a log and a database, by chance: merged in every order they give the same run, nothing
 * that one of them knows is lost, and merging any of them again changes nothing.
 */

#include <string.h>

#include "base/zone.h"
#include "record/precedence.h"
#include "record/run_merge.h"
#include "support/chance.h"
#include "support/expect.h"

enum { RECORDS = 4, STORIES = 6000, ORDERS = 24 };

static const enum run_origin origins[RECORDS] = {ORIGIN_LISTING, ORIGIN_LOG, ORIGIN_DATABASE,
                                                 ORIGIN_LISTING};

/* The number-th order of the records. */
static void put_in_order(int number, int order[RECORDS])
{
    bool taken[RECORDS] = {false};
    for (int i = 0; i < RECORDS; i++) {
        int skip = number % (RECORDS - i), next = 0;
        number /= RECORDS - i;
        while (taken[next] || skip-- > 0) {
            next++;
        }
        taken[next] = true;
        order[i] = next;
    }
}

/* The records of a story; one of them may be missing. */
struct story {
    int64_t number;
    struct run records[RECORDS];
    bool has[RECORDS];
    struct arena arena;
};

/* The second listing differs from the first in when it was made and how the run stood then. */
static struct run listed_again(const struct run *first, const struct run *other)
{
    struct run run = *first;
    RUN_CLEAR(&run, start);
    if (RUN_HAS(other, start)) {
        RUN_SET(&run, start, other->start);
    }
    RUN_SET(&run, class, other->class);
    RUN_SET(&run, seen, other->seen);
    return run;
}

static void tell(struct chance *chance, int64_t number, const struct zone *zone,
                 struct story *story)
{
    arena_reset(&story->arena);
    story->number = number;
    for (int i = 0; i < RECORDS; i++) {
        story->records[i] = chance_record(chance, origins[i], number, zone);
        if (i == RECORDS - 1) {
            story->records[i] = listed_again(&story->records[0], &story->records[i]);
        }
        RUN_SET(&story->records[i], file, i + 1);
        RUN_SET(&story->records[i], digest, number * 10 + i);
        struct error err = {0};
        story->has[i] = number % (RECORDS + 1) != i && run_check(&story->records[i], &err) == 0;
    }
}

static struct run merged_in(struct story *story, const int *order)
{
    struct run run = {0};
    bool any = false;
    for (int i = 0; i < RECORDS; i++) {
        const struct run *record = &story->records[order[i]];
        struct run merged;
        if (story->has[order[i]]) {
            if (any) {
                (void)run_merge(&run, record, &story->arena, &merged);
            }
            run = any ? merged : *record;
            any = true;
        }
    }
    return run;
}

static void expect_same_run(const struct run *got, const struct run *want,
                            const struct story *story)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        const void *a = (const char *)got + run_fields[i].offset;
        const void *b = (const char *)want + run_fields[i].offset;
        if (i == RUN_batch || i == RUN_line) {
            continue;
        }
        bool same = run_has(got, (enum run_field)i) == run_has(want, (enum run_field)i);
        if (same && run_has(got, (enum run_field)i)) {
            same = run_fields[i].type == FIELD_TEXT
                       ? str_eq(*(const struct str *)a, *(const struct str *)b)
                       : *(const int64_t *)a == *(const int64_t *)b;
        }
        if (!same) {
            expect_fail("%s of story %lld depends on the order", run_fields[i].id,
                        (long long)story->number);
        }
    }
}

static void expect_nothing_lost(const struct run *run, const struct story *story)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        const enum run_field field = (enum run_field)i;
        const enum precedence precedence = precedence_of(field);
        if (field == RUN_mem_basis ||
            (precedence != PRECEDENCE_VALUE && precedence != PRECEDENCE_USE)) {
            continue;
        }
        for (int origin = 0; origin < RECORDS; origin++) {
            if (story->has[origin] && run_has(&story->records[origin], field) &&
                !run_has(run, field)) {
                expect_fail("%s of story %lld is lost", run_fields[i].id,
                            (long long)story->number);
            }
        }
    }
}

static void expect_story(struct story *story)
{
    int order[RECORDS];
    put_in_order(0, order);
    const struct run first = merged_in(story, order);
    for (int o = 1; o < ORDERS; o++) {
        put_in_order(o, order);
        const struct run other = merged_in(story, order);
        expect_same_run(&other, &first, story);
    }
    expect_nothing_lost(&first, story);
    for (int i = 0; i < RECORDS; i++) {
        struct run again;
        if (story->has[i]) {
            (void)run_merge(&first, &story->records[i], &story->arena, &again);
            expect_same_run(&again, &first, story);
        }
    }
}

static void every_order_gives_the_same_run(void **state)
{
    (void)state;
    struct story story = {0};
    struct chance chance;
    struct zone *zone = NULL;
    struct error err = {0};
    expect_int(zone_open("UTC", &zone, &err), 0);
    chance_init(&chance, 11);
    for (int64_t number = 0; number < STORIES; number++) {
        tell(&chance, number, zone, &story);
        expect_story(&story);
    }
    zone_close(zone);
    arena_release(&story.arena);
}

static void oddities_of_either_record_stay(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct run older = {0}, newer = {0}, merged;
    RUN_SET(&older, origin, ORIGIN_DATABASE);
    RUN_SET(&older, flags, RUN_FLAG_FIELDS_ODD);
    RUN_SET(&newer, origin, ORIGIN_LISTING);
    RUN_SET(&newer, flags, RUN_FLAG_RECODED);
    (void)run_merge(&older, &newer, &arena, &merged);
    expect_int(merged.flags, RUN_FLAG_FIELDS_ODD | RUN_FLAG_RECODED);
    (void)run_merge(&newer, &older, &arena, &merged);
    expect_int(merged.flags, RUN_FLAG_FIELDS_ODD | RUN_FLAG_RECODED);
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_order_gives_the_same_run);
    SUITE_TEST(&suite, oddities_of_either_record_stay);
    return suite_run(&suite, "run_merge");
}
