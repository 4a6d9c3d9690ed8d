/* SPDX-License-Identifier: MIT */
#include "ingest/owner_set.h"

#include <stdio.h>

#include "support/expect.h"

static struct owner owner_of(const char *cluster, const char *login, const char *name,
                             int64_t when)
{
    return (struct owner){
        .cluster = str_of(cluster),
        .parts = {[OWNER_LOGIN] = str_of(login), [OWNER_NAME] = str_of(name)},
        .reported_at = when,
    };
}

static void expect_name(const struct owner_set *set, size_t i, const char *name)
{
    expect_true(str_eq(set->owners[i].parts[OWNER_NAME], str_of(name)));
}

/* What is set last stays, in whatever order it comes; of two at once the greater. */
static void the_later_one_stays(void **state)
{
    (void)state;
    const struct owner said[] = {owner_of("c", "ann", "Ann Old", 1),
                                 owner_of("c", "ann", "Ann New", 5),
                                 owner_of("c", "ann", "Ann Mid", 5)};
    for (size_t first = 0; first < COUNT_OF(said); first++) {
        struct owner_set set = {0};
        for (size_t i = 0; i < COUNT_OF(said); i++) {
            expect_false(owner_set_add(&set, &said[(first + i) % COUNT_OF(said)]));
        }
        expect_int((int64_t)set.count, 1);
        expect_name(&set, 0, "Ann New");
        owner_set_release(&set);
    }
}

static void a_login_on_two_clusters_is_two(void **state)
{
    (void)state;
    const struct owner a = owner_of("a", "ann", "Ann", 0), b = owner_of("b", "ann", "Anna", 0);
    struct owner_set set = {0};
    (void)owner_set_add(&set, &a);
    (void)owner_set_add(&set, &b);
    expect_int((int64_t)set.count, 2);
    expect_name(&set, 0, "Ann");
    expect_name(&set, 1, "Anna");
    owner_set_clear(&set);
    expect_int((int64_t)set.count, 0);
    (void)owner_set_add(&set, &b);
    expect_int((int64_t)set.count, 1);
    expect_name(&set, 0, "Anna");
    owner_set_release(&set);
}

/* However many there are, each is kept once; and it says when it had better end. */
static void many_are_told_apart_up_to_the_limit(void **state)
{
    (void)state;
    struct owner_set set = {0};
    bool full = false;
    for (int i = 0; i < OWNER_SET_FULL; i++) {
        char login[32];
        (void)snprintf(login, sizeof(login), "u%d", i);
        const struct owner owner = owner_of("c", login, login, i);
        expect_false(full);
        full = owner_set_add(&set, &owner);
        expect_int(owner_set_add(&set, &owner), full); /* known: no copy more */
    }
    expect_true(full);
    expect_int((int64_t)set.count, OWNER_SET_FULL);
    expect_name(&set, 4711, "u4711");
    owner_set_release(&set);
}

/* One login with ever new names is bounded like many logins. */
static void ever_new_names_are_bounded(void **state)
{
    (void)state;
    struct owner_set set = {0};
    int added = 0;
    char name[32];
    struct owner owner;
    do {
        (void)snprintf(name, sizeof(name), "n%d", added);
        owner = owner_of("c", "ann", name, ++added);
    } while (!owner_set_add(&set, &owner) && added <= OWNER_SET_FULL);
    expect_int(added, OWNER_SET_FULL);
    expect_int((int64_t)set.count, 1);
    owner_set_release(&set);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, the_later_one_stays);
    SUITE_TEST(&suite, a_login_on_two_clusters_is_two);
    SUITE_TEST(&suite, many_are_told_apart_up_to_the_limit);
    SUITE_TEST(&suite, ever_new_names_are_bounded);
    return suite_run(&suite, "set");
}
