/* SPDX-License-Identifier: MIT */

/*
 * Until when a token, a user and a session are believed: to the last microsecond before their end, and not at it. The clock is
 * the test's.
 */

#include "service/access/access.h"

#include "books/secret.h"
#include "service/access/sodium.h"
#include "unit/books/some_books.h"

#define OSLO_0320 (INT64_C(1742425200) * SECOND_US) /* 2025-03-20T00:00 in Oslo */
#define HOURS(n)  ((n)*HOUR_US)

static int64_t clock_us;

static int64_t now(void)
{
    return clock_us;
}

static struct some_books some;
static struct service service;
static struct arena arena;

static int begins(void **state)
{
    (void)state;
    some_open(&some, "Europe/Oslo");
    service = (struct service){.store = some.folder, .zone = some.zone, .now = now};
    clock_us = OSLO_0320;
    return 0;
}

static int ends(void **state)
{
    (void)state;
    arena_release(&arena);
    some_close(&some);
    return 0;
}

/* Gives a row of the books its secret; `until` 0: no end of its own. */
static void put_secret(const char *kind, const char *name, const char *secret, int64_t until)
{
    char hash[SODIUM_HASH_MAX];
    struct error err = {0};
    const bool password = strcmp(kind, SECRET_USER) == 0;
    expect_int(password ? sodium_password(str_of(secret), hash, &err)
                        : sodium_hash(kind, str_of(secret), hash, &err),
               0);
    expect_int(secret_put(some.books, kind, str_of(name), str_of(hash), until, &err), 0);
}

static bool token_is_good(const char *token, int64_t at)
{
    struct caller caller;
    struct error err = {0};
    clock_us = at;
    const int failed = access_by_token(&service, str_of(token), &arena, &caller, &err);
    expect_true(failed == 0 || failed == ERROR_DENIED);
    return failed == 0;
}

static bool session_is_good(struct str session, int64_t at)
{
    struct caller caller;
    struct error err = {0};
    clock_us = at;
    const int failed = access_by_session(&service, session, &arena, &caller, &err);
    expect_true(failed == 0 || failed == ERROR_DENIED);
    return failed == 0;
}

static void a_token_is_good_to_the_end_of_its_last_day(void **state)
{
    (void)state;
    some_add(&some, "token", "name=bot|role=staff|to=2025-03-30");
    some_add(&some, "token", "name=ever|role=staff");
    put_secret(SECRET_TOKEN, "bot", "s3cret", 0);
    put_secret(SECRET_TOKEN, "ever", "for ever", 0);
    /* 30 March has 23 hours in Oslo */
    const int64_t last = OSLO_0320 + 11 * DAY_US - HOURS(1);
    expect_true(token_is_good("s3cret", OSLO_0320));
    expect_true(token_is_good("s3cret", last - 1));
    expect_false(token_is_good("s3cret", last));
    expect_false(token_is_good("s3cret", last + DAY_US));
    expect_true(token_is_good("for ever", last + 1000 * DAY_US));
    expect_false(token_is_good("s3cre", OSLO_0320));
}

static void a_session_is_good_until_its_end(void **state)
{
    (void)state;
    struct str session, other;
    struct error err = {0};
    some_add(&some, "user", "name=ann|role=staff");
    put_secret(SECRET_USER, "ann", "right and long", 0);
    const int64_t until = OSLO_0320 + HOURS(12);
    expect_int(access_log_in(&service, STR("ann"), STR("wrong and long"), "here", until, &arena,
                             &session, &err),
               ERROR_DENIED);
    expect_int(access_log_in(&service, STR("ann"), STR("right and long"), "here", until, &arena,
                             &session, &err),
               0);
    expect_int(access_log_in(&service, STR("ann"), STR("right and long"), "there",
                             until + HOURS(1), &arena, &other, &err),
               0);
    expect_true(session_is_good(session, OSLO_0320));
    expect_true(session_is_good(session, until - 1));
    expect_false(session_is_good(session, until));
    expect_true(session_is_good(other, until));
    clock_us = OSLO_0320;
    expect_int(access_log_out(&service, other, &err), 0);
    expect_false(session_is_good(other, OSLO_0320));
    expect_true(session_is_good(session, OSLO_0320));
}

static void a_session_by_a_provider_ends_too(void **state)
{
    (void)state;
    struct str session;
    struct error err = {0};
    const int64_t until = OSLO_0320 + HOURS(12);
    expect_int(access_let_in(&service, STR("kim"), STR("physics"), "here", until, &arena,
                             &session, &err),
               0);
    expect_true(session_is_good(session, until - 1));
    expect_false(session_is_good(session, until));
    /* behind the dot: physics, in base64 */
    const struct str groups = STR(".cGh5c2ljcw");
    expect_true(
        session.len > groups.len &&
        str_eq((struct str){session.ptr + session.len - groups.len, groups.len}, groups));
    char *forged = arena_text(&arena, session);
    forged[session.len - 1] = 'x';
    expect_false(session_is_good(str_of(forged), OSLO_0320));
}

/* Whoever is no user any more has no session, however long that was to last, and gets no other. */
static void a_session_is_good_no_longer_than_its_user(void **state)
{
    (void)state;
    struct str session;
    struct error err = {0};
    const int64_t until = OSLO_0320 + 10 * DAY_US;
    const int64_t id = some_add(&some, "user", "name=guest|role=staff");
    put_secret(SECRET_USER, "guest", "right and long", 0);
    expect_int(access_log_in(&service, STR("guest"), STR("right and long"), "here", until,
                             &arena, &session, &err),
               0);
    expect_true(session_is_good(session, OSLO_0320));
    expect_int(books_begin(some.books, &err), 0);
    expect_int(books_remove(some.books, kind_find(STR("user")), id, &err), 0);
    expect_int(books_commit(some.books, &err), 0);
    expect_false(session_is_good(session, OSLO_0320));
    expect_int(access_log_in(&service, STR("guest"), STR("right and long"), "here", until,
                             &arena, &session, &err),
               ERROR_DENIED);
}

/* A token that somebody made for themselves never allows more than its owner may, nor more than it was made for. */
static void a_token_of_somebody_is_no_more_than_they_are(void **state)
{
    (void)state;
    struct caller caller;
    struct error err = {0};
    some_add(&some, "user", "name=ann|role=user");
    some_add(&some, "token", "name=ann-1|role=admin|owner=ann");
    put_secret(SECRET_TOKEN, "ann-1", "s3cret", 0);
    expect_int(access_by_token(&service, STR("s3cret"), &arena, &caller, &err), 0);
    expect_int(caller.rights & ~role_rights(ROLE_USER), 0);
    expect_true(caller.token);
    expect_uint(caller.login_count, 1);
    expect_true(str_eq(caller.logins[0], STR("ann")));
}

static void a_token_has_the_part_of_the_rights_that_it_was_made_for(void **state)
{
    (void)state;
    struct caller caller;
    struct error err = {0};
    some_add(&some, "user", "name=sam|role=staff");
    some_add(&some, "token", "name=sam-1|role=staff|owner=sam|rights=own");
    some_add(&some, "token", "name=bot|role=staff|rights=own");
    some_add(&some, "token", "name=all|role=staff");
    put_secret(SECRET_TOKEN, "sam-1", "of sam", 0);
    put_secret(SECRET_TOKEN, "bot", "of nobody", 0);
    put_secret(SECRET_TOKEN, "all", "whole", 0);
    expect_int(access_by_token(&service, STR("of sam"), &arena, &caller, &err), 0);
    expect_true(caller.rights & RIGHT_OWN);
    expect_false(caller.rights & RIGHT_ALL);
    expect_int(access_by_token(&service, STR("of nobody"), &arena, &caller, &err), 0);
    expect_true(caller.rights & RIGHT_OWN);
    expect_false(caller.rights & RIGHT_ALL);
    expect_int(access_by_token(&service, STR("whole"), &arena, &caller, &err), 0);
    expect_true(caller.rights & RIGHT_ALL);
}

#define TEST(function) suite_test_with(&suite, #function, function, begins, ends, NULL)

int main(void)
{
    struct suite suite = {0};
    TEST(a_token_is_good_to_the_end_of_its_last_day);
    TEST(a_session_is_good_until_its_end);
    TEST(a_session_by_a_provider_ends_too);
    TEST(a_session_is_good_no_longer_than_its_user);
    TEST(a_token_of_somebody_is_no_more_than_they_are);
    TEST(a_token_has_the_part_of_the_rights_that_it_was_made_for);
    return suite_run(&suite, "access");
}
