/* SPDX-License-Identifier: MIT */

/*
 * Records of one run from two listings, a log and a database, by chance: merged in every order they give the same run, nothing
 * that one of them knows is lost, and merging any of them again changes nothing. Then pairs of records, with what is to come
 * of each: what depends on no order may still be wrong.
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

static bool same_field(const struct run *left, const struct run *right, enum run_field field)
{
    const void *a = (const char *)left + run_fields[field].offset;
    const void *b = (const char *)right + run_fields[field].offset;
    if (!run_has(left, field) || !run_has(right, field)) {
        return run_has(left, field) == run_has(right, field);
    }
    return run_fields[field].type == FIELD_TEXT
               ? str_eq(*(const struct str *)a, *(const struct str *)b)
               : *(const int64_t *)a == *(const int64_t *)b;
}

static void expect_same_run(const struct run *got, const struct run *want,
                            const struct story *story)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (i != RUN_batch && i != RUN_line && !same_field(got, want, (enum run_field)i)) {
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

/* --- two records ------------------------------------------------------------------------------ */

/* What a record says; 0 and NULL: it does not. A run without an end that waits or runs has not ended. */
struct said {
    enum run_origin origin;
    int64_t file;
    const char *class;
    int64_t start, end, seen;
    int64_t until; /* 0: as follows from these */
    int64_t flags;
    int64_t cpus, mem;
    const char *basis;
};

struct pair_row {
    const char *name;
    struct said older, newer;
    struct said want; /* its origin and file are not looked at */
};

static struct run run_of(const struct said *said)
{
    struct run run = {0};
    RUN_SET(&run, origin, said->origin);
    RUN_SET(&run, file, said->file);
    RUN_SET(&run, flags, said->flags);
    RUN_SET(&run, class, str_of(said->class));
    const bool open = !said->end && !run_class_is_over(run.class);
    const int64_t closed = said->until ? said->until : said->end;
    const int64_t until = open ? RUN_NOT_ENDED : closed;
#define SAY(member, value)                                                                     \
    if (value) {                                                                               \
        RUN_SET(&run, member, (value));                                                        \
    }
    SAY(start, said->start)
    SAY(end, said->end)
    SAY(seen, said->seen)
    SAY(until, until)
    SAY(cpus, said->cpus)
    SAY(mem_peak_bytes, said->mem)
#undef SAY
    if (said->basis) {
        RUN_SET(&run, mem_basis, str_of(said->basis));
    }
    return run;
}

#define LISTED(file_, ...)                                                                     \
    {                                                                                          \
        .origin = ORIGIN_LISTING, .file = (file_), __VA_ARGS__                                 \
    }
#define LOGGED(file_, ...)                                                                     \
    {                                                                                          \
        .origin = ORIGIN_LOG, .file = (file_), __VA_ARGS__                                     \
    }
#define RECORDED(file_, ...)                                                                   \
    {                                                                                          \
        .origin = ORIGIN_DATABASE, .file = (file_), __VA_ARGS__                                \
    }

static const struct pair_row pair_rows[] = {
    {"of two listings the later one, read last",
     LISTED(1, .class = "running", .start = 10, .seen = 90, .cpus = 2),
     LISTED(2, .class = "suspended", .start = 10, .seen = 100, .cpus = 3),
     {.class = "suspended", .start = 10, .seen = 100, .cpus = 3}},
    {"of two listings the later one, read first",
     LISTED(1, .class = "suspended", .start = 10, .seen = 100, .cpus = 3),
     LISTED(2, .class = "running", .start = 10, .seen = 90, .cpus = 2),
     {.class = "suspended", .start = 10, .seen = 100, .cpus = 3}},
    {"of two listings of one moment that in which the run had come further, read last",
     LISTED(1, .class = "pending", .seen = 100, .cpus = 2),
     LISTED(2, .class = "running", .start = 90, .seen = 100, .cpus = 3),
     {.class = "running", .start = 90, .seen = 100, .cpus = 3}},
    {"of two listings of one moment that in which the run had come further, read first",
     LISTED(1, .class = "running", .start = 90, .seen = 100, .cpus = 3),
     LISTED(2, .class = "pending", .seen = 100, .cpus = 2),
     {.class = "running", .start = 90, .seen = 100, .cpus = 3}},
    {"a run that had vanished and is listed later goes on",
     LISTED(1, .class = "other", .start = 10, .end = 100, .seen = 100,
            .flags = RUN_FLAG_VANISHED),
     LISTED(2, .class = "running", .start = 10, .seen = 300),
     {.class = "running", .start = 10, .seen = 300}},
    {"a run that vanished after an earlier listing is over",
     LISTED(1, .class = "other", .start = 10, .end = 300, .seen = 300,
            .flags = RUN_FLAG_VANISHED),
     LISTED(2, .class = "running", .start = 10, .seen = 100),
     {.class = "other", .start = 10, .end = 300, .seen = 300, .flags = RUN_FLAG_VANISHED}},
    {"the end of a record weighs more than that of a run that vanished",
     LISTED(1, .class = "other", .start = 10, .end = 300, .seen = 300,
            .flags = RUN_FLAG_VANISHED),
     LOGGED(2, .class = "failed", .start = 10, .end = 200),
     {.class = "failed", .start = 10, .end = 200}},
    {"the end of a record stays where the run vanished later",
     LOGGED(1, .class = "failed", .start = 10, .end = 200),
     LISTED(2, .class = "other", .start = 10, .end = 300, .seen = 300,
            .flags = RUN_FLAG_VANISHED),
     {.class = "failed", .start = 10, .end = 200}},
    {"use is whole where one record has all of it",
     LOGGED(1, .class = "completed", .start = 10, .end = 20, .flags = RUN_FLAG_USE_PARTIAL,
            .mem = 9, .basis = "job-rss"),
     LOGGED(2, .class = "completed", .start = 10, .end = 20, .mem = 5, .basis = "job-vmem"),
     {.class = "completed", .start = 10, .end = 20, .mem = 5, .basis = "job-vmem"}},
    {"also where that one was there first",
     LOGGED(1, .class = "completed", .start = 10, .end = 20, .mem = 5, .basis = "job-vmem"),
     LOGGED(2, .class = "completed", .start = 10, .end = 20, .flags = RUN_FLAG_USE_PARTIAL,
            .mem = 9, .basis = "job-rss"),
     {.class = "completed", .start = 10, .end = 20, .mem = 5, .basis = "job-vmem"}},
    {"use is partial where both say so",
     LOGGED(1, .class = "completed", .start = 10, .end = 20, .flags = RUN_FLAG_USE_PARTIAL),
     LOGGED(2, .class = "completed", .start = 10, .end = 20, .flags = RUN_FLAG_USE_PARTIAL),
     {.class = "completed", .start = 10, .end = 20, .flags = RUN_FLAG_USE_PARTIAL}},
    {"a listing of what is over is no sighting of a run that goes on",
     LOGGED(1, .class = "running", .start = 10, .seen = 100),
     LISTED(2, .class = "completed", .start = 10, .seen = 500),
     {.class = "running", .start = 10, .seen = 100}},
    {"also where it was there first",
     LISTED(1, .class = "completed", .start = 10, .seen = 500),
     LOGGED(2, .class = "running", .start = 10, .seen = 100),
     {.class = "running", .start = 10, .seen = 100}},
    {"a file read again says how long a run has run, which was inferred before",
     RECORDED(1, .class = "running", .start = 10, .seen = 500),
     RECORDED(1, .class = "running", .start = 10, .seen = 300, .flags = RUN_FLAG_SEEN_RECORDED),
     {.class = "running", .start = 10, .seen = 300, .flags = RUN_FLAG_SEEN_RECORDED}},
    {"another file does not",
     RECORDED(1, .class = "running", .start = 10, .seen = 500),
     RECORDED(2, .class = "running", .start = 10, .seen = 300, .flags = RUN_FLAG_SEEN_RECORDED),
     {.class = "running", .start = 10, .seen = 500, .flags = RUN_FLAG_SEEN_RECORDED}},
    {"of two starts by listings the earlier one, of the earlier listing",
     LISTED(1, .class = "running", .start = 10, .seen = 100),
     LISTED(2, .class = "running", .start = 12, .seen = 200),
     {.class = "running", .start = 10, .seen = 200}},
    {"of two starts by listings the earlier one, of the later listing",
     LISTED(1, .class = "running", .start = 12, .seen = 100),
     LISTED(2, .class = "running", .start = 10, .seen = 200),
     {.class = "running", .start = 10, .seen = 200}},
    {"an end before the start: no time was taken",
     LOGGED(1, .class = "failed", .start = 80, .end = 90),
     RECORDED(2, .class = "running", .start = 100),
     {.class = "failed", .start = 100, .end = 90, .until = 100}},
    {"a record read again without a field has it no longer",
     LOGGED(1, .class = "completed", .start = 10, .end = 20, .cpus = 4),
     LOGGED(1, .class = "completed", .start = 10, .end = 20),
     {.class = "completed", .start = 10, .end = 20}},
    {"a record of another file takes nothing away",
     LOGGED(1, .class = "completed", .start = 10, .end = 20, .cpus = 4),
     LOGGED(2, .class = "completed", .start = 10, .end = 20),
     {.class = "completed", .start = 10, .end = 20, .cpus = 4}},
    {"what another record measured does not describe a peak",
     RECORDED(1, .class = "completed", .start = 10, .end = 20, .mem = 5),
     LOGGED(2, .class = "completed", .start = 10, .end = 20, .mem = 7, .basis = "job-rss"),
     {.class = "completed", .start = 10, .end = 20, .mem = 5}},
    {"also where that was there first",
     LOGGED(1, .class = "completed", .start = 10, .end = 20, .mem = 7, .basis = "job-rss"),
     RECORDED(2, .class = "completed", .start = 10, .end = 20, .mem = 5),
     {.class = "completed", .start = 10, .end = 20, .mem = 5}},
};

static void two_records_give(void **state)
{
    const struct pair_row *row = *state;

    static const enum run_field looked_at[] = {RUN_class, RUN_start,          RUN_end,
                                               RUN_seen,  RUN_flags,          RUN_until,
                                               RUN_cpus,  RUN_mem_peak_bytes, RUN_mem_basis};
    struct arena arena = {0};
    const struct run older = run_of(&row->older), newer = run_of(&row->newer);
    const struct run want = run_of(&row->want);
    struct run merged;
    (void)run_merge(&older, &newer, &arena, &merged);
    for (size_t i = 0; i < COUNT_OF(looked_at); i++) {
        if (!same_field(&merged, &want, looked_at[i])) {
            expect_fail("%s: %s differs", row->name, run_fields[looked_at[i]].id);
        }
    }
    arena_release(&arena);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_order_gives_the_same_run);
    SUITE_TEST(&suite, oddities_of_either_record_stay);
    SUITE_ROWS(&suite, two_records_give, pair_rows);
    return suite_run(&suite, "run_merge");
}
