/* SPDX-License-Identifier: MIT */
#include "ingest/told.h"

#include <stdio.h>

#include "support/expect.h"

static struct owner owner_of(const char *cluster, const char *login, const char *name,
                             int64_t told)
{
    return (struct owner){
        .cluster = str_of(cluster),
        .parts = {[OWNER_LOGIN] = str_of(login), [OWNER_NAME] = str_of(name)},
        .told = told,
    };
}

static void expect_name(const struct told *told, size_t i, const char *name)
{
    expect_true(str_eq(told->owners[i].parts[OWNER_NAME], str_of(name)));
}

/* What is told last stays, in whatever order it comes; of two at once the greater. */
static void the_later_one_stays(void **state)
{
    (void)state;
    const struct owner said[] = {owner_of("c", "ann", "Ann Old", 1),
                                 owner_of("c", "ann", "Ann New", 5),
                                 owner_of("c", "ann", "Ann Mid", 5)};
    for (size_t first = 0; first < COUNT_OF(said); first++) {
        struct told told = {0};
        for (size_t i = 0; i < COUNT_OF(said); i++) {
            expect_false(told_add(&told, &said[(first + i) % COUNT_OF(said)]));
        }
        expect_int((int64_t)told.count, 1);
        expect_name(&told, 0, "Ann New");
        told_release(&told);
    }
}

static void a_login_on_two_clusters_is_two(void **state)
{
    (void)state;
    const struct owner a = owner_of("a", "ann", "Ann", 0), b = owner_of("b", "ann", "Anna", 0);
    struct told told = {0};
    (void)told_add(&told, &a);
    (void)told_add(&told, &b);
    expect_int((int64_t)told.count, 2);
    expect_name(&told, 0, "Ann");
    expect_name(&told, 1, "Anna");
    told_clear(&told);
    expect_int((int64_t)told.count, 0);
    (void)told_add(&told, &b);
    expect_int((int64_t)told.count, 1);
    expect_name(&told, 0, "Anna");
    told_release(&told);
}

/* However many there are, each is kept once; and it says when it had better end. */
static void many_are_told_apart_up_to_the_limit(void **state)
{
    (void)state;
    struct told told = {0};
    bool full = false;
    for (int i = 0; i < TOLD_FULL; i++) {
        char login[32];
        (void)snprintf(login, sizeof(login), "u%d", i);
        const struct owner owner = owner_of("c", login, login, i);
        expect_false(full);
        full = told_add(&told, &owner);
        expect_int(told_add(&told, &owner), full); /* known: no copy more */
    }
    expect_true(full);
    expect_int((int64_t)told.count, TOLD_FULL);
    expect_name(&told, 4711, "u4711");
    told_release(&told);
}

/* One login with ever new names is bounded like many logins. */
static void ever_new_names_are_bounded(void **state)
{
    (void)state;
    struct told told = {0};
    int added = 0;
    char name[32];
    struct owner owner;
    do {
        (void)snprintf(name, sizeof(name), "n%d", added);
        owner = owner_of("c", "ann", name, ++added);
    } while (!told_add(&told, &owner) && added <= TOLD_FULL);
    expect_int(added, TOLD_FULL);
    expect_int((int64_t)told.count, 1);
    told_release(&told);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, the_later_one_stays);
    SUITE_TEST(&suite, a_login_on_two_clusters_is_two);
    SUITE_TEST(&suite, many_are_told_apart_up_to_the_limit);
    SUITE_TEST(&suite, ever_new_names_are_bounded);
    return suite_run(&suite, "told");
}
