/* SPDX-License-Identifier: MIT */

/*
 * Memberships worked out, among others against a slow and obvious computation: for every day and every
 * name, look through all rows.
 */
#include "books/membership.h"

#include <stdio.h>

#include "base/calendar.h"
#include "unit/books/some_books.h"

static int64_t instant(const struct zone *zone, const char *text)
{
    struct period span = {0, 0};
    struct error err = {0};
    expect_int(calendar_span(str_of(text), zone, 0, &span, &err), 0);
    return span.from;
}

static struct membership_list resolve(struct some_books *some)
{
    struct membership_list list;
    struct error err = {0};
    if (books_memberships(some->books, some->zone, &list, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return list;
}

/* "top/.../own" of a name at an instant, or "". */
static const char *where(const struct membership_list *list, enum membership_rank rank,
                         const char *name, int64_t at, char out[128])
{
    const struct membership *row = membership_find(list, rank, str_of(name), at);
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; row && i < row->depth; i++) {
        len += (size_t)snprintf(out + len, 128 - len, "%s%.*s", i ? "/" : "",
                                STR_ARG(row->levels[i]));
    }
    return out;
}

static void a_person_who_moved_is_counted_where_they_were(void **state)
{
    (void)state;
    struct some_books some;
    char text[128];
    some_open(&some, "Europe/Oslo");
    some_add(&some, "metagroup", "name=a");
    some_add(&some, "metagroup", "name=b");
    some_add(&some, "member", "metagroup=a|kind=user|name=ann|to=2025-03-29");
    some_add(&some, "member", "metagroup=b|kind=user|name=ann|from=2025-03-30");
    struct membership_list list = resolve(&some);
    const int64_t move = instant(some.zone, "2025-03-30");
    expect_int((int64_t)list.count, 2);
    expect_text(where(&list, MEMBERSHIP_USER, "ann", move - 1, text), "a");
    expect_text(where(&list, MEMBERSHIP_USER, "ann", move, text), "b");
    expect_text(where(&list, MEMBERSHIP_USER, "ann", 0, text), "a");
    expect_text(where(&list, MEMBERSHIP_USER, "ann", INSTANT_MAX - 1, text), "b");
    expect_text(where(&list, MEMBERSHIP_USER, "an", move, text), "");
    expect_text(where(&list, MEMBERSHIP_GROUP, "ann", move, text), "");
    membership_list_release(&list);
    some_close(&some);
}

static void a_chain_changes_with_time(void **state)
{
    (void)state;
    struct some_books some;
    char text[128];
    some_open(&some, "UTC");
    some_add(&some, "metagroup", "name=lab");
    some_add(&some, "metagroup", "name=old");
    some_add(&some, "metagroup", "name=new");
    some_add(&some, "metagroup", "name=all");
    some_add(&some, "member", "metagroup=lab|kind=group|name=g|from=2020|to=2025");
    some_add(&some, "member", "metagroup=old|kind=metagroup|name=lab|from=2021|to=2022");
    some_add(&some, "member", "metagroup=new|kind=metagroup|name=lab|from=2024");
    some_add(&some, "member", "metagroup=all|kind=metagroup|name=new|from=2025");
    struct membership_list list = resolve(&some);

    static const struct {
        const char *at, *want;
    } days[] = {{"2019-12-31", ""},
                {"2020-01-01", "lab"},
                {"2021-01-01", "old/lab"},
                {"2022-12-31", "old/lab"},
                {"2023-01-01", "lab"},
                {"2024-01-01", "new/lab"},
                {"2025-01-01", "all/new/lab"},
                {"2025-12-31", "all/new/lab"},
                {"2026-01-01", ""}};

    for (size_t i = 0; i < COUNT_OF(days); i++) {
        expect_text(where(&list, MEMBERSHIP_GROUP, "g", instant(some.zone, days[i].at), text),
                    days[i].want);
    }
    expect_int((int64_t)list.count, 5);
    membership_list_release(&list);
    some_close(&some);
}

static void two_at_once_are_refused_by_name(void **state)
{
    (void)state;
    struct some_books some;
    some_open(&some, "UTC");
    some_add(&some, "metagroup", "name=a");
    some_add(&some, "metagroup", "name=b");
    some_add(&some, "member", "metagroup=a|kind=user|name=ann|from=2024-01-01|to=2024-06-30");
    some_refuse(&some, "member", "metagroup=b|kind=user|name=ann", ERROR_CONFLICT,
                "in 'a' (from 2024-01-01 to 2024-06-30), number 1, and in 'b' (always)");
    some_refuse(&some, "member", "metagroup=b|kind=user|name=ann|from=2024-06-30",
                ERROR_CONFLICT, "number 1");
    some_refuse(&some, "member", "metagroup=a|kind=user|name=ann|to=2024-01-01", ERROR_CONFLICT,
                "number 1");
    expect_int((int64_t)some_count(&some, "member"), 1);
    /* another kind of the same name, or before and after, are no conflict */
    some_add(&some, "member", "metagroup=b|kind=group|name=ann");
    some_add(&some, "member", "metagroup=b|kind=account|name=ann");
    some_add(&some, "member", "metagroup=b|kind=user|name=ann|from=2024-07-01");
    some_add(&some, "member", "metagroup=b|kind=user|name=ann|to=2023-12-31");
    some_close(&some);
}

static void circles_are_refused_with_their_path(void **state)
{
    (void)state;
    struct some_books some;
    some_open(&some, "UTC");
    some_add(&some, "metagroup", "name=a");
    some_add(&some, "metagroup", "name=b");
    some_add(&some, "metagroup", "name=c");
    some_refuse(&some, "member", "metagroup=a|kind=metagroup|name=a", ERROR_CONFLICT,
                "'a' in 'a'");
    some_add(&some, "member", "metagroup=b|kind=metagroup|name=a|from=2024");
    some_add(&some, "member", "metagroup=c|kind=metagroup|name=b|to=2024-06-30");
    some_refuse(&some, "member", "metagroup=a|kind=metagroup|name=c", ERROR_CONFLICT,
                "'a' in 'b' in 'c' in 'a'");
    some_refuse(&some, "member", "metagroup=a|kind=metagroup|name=c|from=2024-06-30",
                ERROR_CONFLICT, "'a' in 'b' in 'c' in 'a'");
    /* where they are not there at the same time, there is no circle */
    some_add(&some, "member", "metagroup=a|kind=metagroup|name=c|from=2024-07-01");
    some_refuse(&some, "member", "metagroup=a|kind=metagroup|name=d", ERROR_USAGE,
                "there is no metagroup 'd'");
    some_close(&some);
}

static void depth_has_a_limit(void **state)
{
    (void)state;
    struct some_books some;
    char text[128];
    some_open(&some, "UTC");
    for (int i = 0; i <= MEMBERSHIP_DEPTH_MAX; i++) {
        (void)snprintf(text, sizeof text, "name=m%d", i);
        some_add(&some, "metagroup", text);
    }
    for (int i = 1; i < MEMBERSHIP_DEPTH_MAX; i++) {
        (void)snprintf(text, sizeof text, "metagroup=m%d|kind=metagroup|name=m%d", i, i - 1);
        some_add(&some, "member", text);
    }
    some_add(&some, "member", "metagroup=m0|kind=user|name=ann");
    struct membership_list list = resolve(&some);
    expect_int((int64_t)list.rows[0].depth, MEMBERSHIP_DEPTH_MAX);
    membership_list_release(&list);
    (void)snprintf(text, sizeof text, "metagroup=m%d|kind=metagroup|name=m%d",
                   MEMBERSHIP_DEPTH_MAX, MEMBERSHIP_DEPTH_MAX - 1);
    some_refuse(&some, "member", text, ERROR_LIMIT, "deep");
    some_close(&some);
}

/* --- the slow and obvious computation -------------------------------------------------------------- */

enum { DAYS = 120, METAGROUPS = 6, NAMES = 4, TRIES = 60, STORIES = 12 };

struct fact {
    int rank, name, metagroup, first, last; /* days, both included; first > last: not there */
};

static uint64_t chance;

static int dice(int sides)
{
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((chance >> 33) % (uint64_t)sides);
}

/* Days since the first of the story, as a date; 2025-03-01 is day 0, so that a clock change is inside. */
static const char *date(int day, char out[16])
{
    struct civil civil = civil_of_days(civil_days(2025, 3, 1) + day);
    (void)snprintf(out, 16, "%04d-%02d-%02d", civil.year % 10000, civil.month % 100,
                   civil.day % 100);
    return out;
}

static bool holds(const struct fact *fact, int rank, int name, int day)
{
    return fact->rank == rank && fact->name == name && fact->first <= day && day <= fact->last;
}

/* The chain of a name on a day, by looking through all facts; -1 if there is more than one answer. */
static int compute(const struct fact *facts, size_t count, int rank, int name, int day,
                   char out[128])
{
    int levels[METAGROUPS + 2], depth = 0;
    size_t len = 0;
    out[0] = '\0';
    for (;;) {
        int found = -1, times = 0;
        for (size_t i = 0; i < count; i++) {
            if (holds(&facts[i], rank, name, day)) {
                found = facts[i].metagroup;
                times++;
            }
        }
        if (times > 1 || depth > METAGROUPS) {
            return -1;
        }
        if (times == 0) {
            break;
        }
        levels[depth++] = found;
        rank = MEMBERSHIP_METAGROUP;
        name = found;
    }
    while (depth-- > 0) {
        len += (size_t)snprintf(out + len, 128 - len, "%sm%d", len ? "/" : "", levels[depth]);
    }
    return 0;
}

static bool is_allowed(const struct fact *facts, size_t count)
{
    char text[128];
    for (int day = -1; day <= DAYS; day++) {
        for (int rank = 0; rank <= MEMBERSHIP_USER; rank++) {
            for (int name = 0; name < METAGROUPS; name++) {
                if (compute(facts, count, rank, name, day, text) != 0) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Writes a fact down; whether the books took it. */
static bool write_down(struct some_books *some, const struct fact *fact)
{
    char text[256], first[16], last[16];
    int64_t id;
    struct error err = {0};
    (void)snprintf(text, sizeof text, "metagroup=m%d|kind=%s|name=%s%d|from=%s|to=%s",
                   fact->metagroup, membership_rank_name((enum membership_rank)fact->rank),
                   fact->rank == MEMBERSHIP_METAGROUP ? "m" : "n", fact->name,
                   fact->first < 0 ? "" : date(fact->first, first),
                   fact->last > DAYS ? "" : date(fact->last, last));
    int failed = some_try(some, "member", text, &id, &err);
    expect_true(failed == 0 || failed == ERROR_CONFLICT);
    return failed == 0;
}

static struct fact make_up(void)
{
    struct fact fact = {.rank = dice(MEMBERSHIP_USER + 1), .metagroup = dice(METAGROUPS)};
    fact.name = dice(fact.rank == MEMBERSHIP_METAGROUP ? METAGROUPS : NAMES);
    fact.first = dice(5) == 0 ? -1 : dice(DAYS);
    fact.last = dice(5) == 0 ? DAYS + 1 : (fact.first < 0 ? 0 : fact.first) + dice(30);
    return fact;
}

/* On every day, at its first and last instant, the list says what the computation says. */
static void compare(struct some_books *some, const struct fact *facts, size_t count)
{
    struct membership_list list = resolve(some);
    for (int day = 0; day <= DAYS; day++) {
        char text[16];
        const int64_t begin = instant(some->zone, date(day, text));
        const int64_t end = instant(some->zone, date(day + 1, text)) - 1;
        for (int rank = MEMBERSHIP_GROUP; rank <= MEMBERSHIP_USER; rank++) {
            for (int name = 0; name < NAMES; name++) {
                char want[128], got[128], who[16];
                (void)snprintf(who, sizeof who, "n%d", name);
                expect_int(compute(facts, count, rank, name, day, want), 0);
                expect_text(where(&list, (enum membership_rank)rank, who, begin, got), want);
                expect_text(where(&list, (enum membership_rank)rank, who, end, got), want);
            }
        }
    }
    for (size_t i = 1; i < list.count; i++) { /* disjoint and in order */
        const struct membership *a = &list.rows[i - 1], *b = &list.rows[i];
        expect_true(a->from < a->to);
        expect_true(a->rank > b->rank ||
                    (a->rank == b->rank && (str_compare(a->name, b->name) < 0 ||
                                            (str_eq(a->name, b->name) && a->to <= b->from))));
    }
    membership_list_release(&list);
}

static void the_list_says_what_looking_at_every_day_says(void **state)
{
    (void)state;
    size_t taken = 0, refused = 0;
    for (int story = 0; story < STORIES; story++) {
        struct some_books some;
        struct fact facts[TRIES];
        size_t count = 0;
        chance = (uint64_t)story;
        some_open(&some, story % 2 ? "Europe/Oslo" : "America/New_York");
        for (int i = 0; i < METAGROUPS; i++) {
            char text[16];
            (void)snprintf(text, sizeof text, "name=m%d", i % 10);
            some_add(&some, "metagroup", text);
        }
        for (int i = 0; i < TRIES; i++) {
            facts[count] = make_up();
            bool allowed = is_allowed(facts, count + 1);
            bool wrote = write_down(&some, &facts[count]);
            if (wrote != allowed) {
                expect_fail("story %d, try %d: the books say %d, the computation %d", story, i,
                            wrote, allowed);
            }
            count += wrote;
            taken += wrote;
            refused += !wrote;
        }
        compare(&some, facts, count);
        some_close(&some);
    }
    expect_true(taken > 100 && refused > 100); /* or the stories would show little */
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_person_who_moved_is_counted_where_they_were);
    SUITE_TEST(&suite, a_chain_changes_with_time);
    SUITE_TEST(&suite, two_at_once_are_refused_by_name);
    SUITE_TEST(&suite, circles_are_refused_with_their_path);
    SUITE_TEST(&suite, depth_has_a_limit);
    SUITE_TEST(&suite, the_list_says_what_looking_at_every_day_says);
    return suite_run(&suite, "membership");
}
