/* SPDX-License-Identifier: MIT */
#include "serve/http/reply_cache.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/stop.h"
#include "support/expect.h"

enum { CLIENTS = 8 };

static struct reply_cache *cache;
static atomic_int made, wrong;
static const struct reply_cache_state state = {1, 2};

/* Asks for it, and makes it where nobody has; who makes it does not keep it where `key` is "large". */
static void *ask(void *data)
{
    const struct str key = str_of(data);
    struct arena arena = {0};
    struct cached reply;
    if (reply_cache_await(cache, key, state, 0, &arena, &reply)) {
        atomic_fetch_add(&wrong, !str_eq(reply.body, STR("page")));
    } else {
        const struct cached page = {
            .type = STR("text/html"), .tag = STR(""), .body = STR("page")};
        atomic_fetch_add(&made, 1);
        (void)stop_sleep(NULL, 1000); /* so that others come meanwhile */
        if (!str_eq(key, STR("large"))) {
            reply_cache_keep(cache, key, state, 1, &page);
        }
        reply_cache_made(cache, key);
    }
    arena_release(&arena);
    return NULL;
}

static void ask_all(char *key)
{
    pthread_t threads[CLIENTS];
    atomic_store(&made, 0);
    for (int i = 0; i < CLIENTS; i++) {
        expect_int(pthread_create(&threads[i], NULL, ask, key), 0);
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(threads[i], NULL);
    }
    expect_int(atomic_load(&wrong), 0);
}

static void what_many_ask_for_is_made_once(void **unused)
{
    (void)unused;
    char key[] = "start";
    cache = reply_cache_new(1 << 20);
    ask_all(key);
    expect_int(atomic_load(&made), 1);
    reply_cache_free(cache);
}

static void what_is_not_kept_is_made_by_each_and_nobody_waits_for_ever(void **unused)
{
    (void)unused;
    char key[] = "large";
    cache = reply_cache_new(1 << 20);
    ask_all(key);
    expect_int(atomic_load(&made), CLIENTS);
    reply_cache_free(cache);
}

static void what_was_made_before_a_change_is_not_good_after_it(void **unused)
{
    (void)unused;
    const struct cached page = {.type = STR("text/html"), .tag = STR(""), .body = STR("page")};
    struct reply_cache_state later = state;
    struct arena arena = {0};
    struct cached reply;
    cache = reply_cache_new(1 << 20);
    reply_cache_keep(cache, STR("start"), state, 1, &page);
    expect_true(reply_cache_find(cache, STR("start"), state, 0, &arena, &reply));
    later.books++;
    expect_false(reply_cache_find(cache, STR("start"), later, 0, &arena, &reply));
    expect_false(reply_cache_find(cache, STR("start"), state, 0, &arena, &reply));
    arena_release(&arena);
    reply_cache_free(cache);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, what_many_ask_for_is_made_once);
    SUITE_TEST(&suite, what_is_not_kept_is_made_by_each_and_nobody_waits_for_ever);
    SUITE_TEST(&suite, what_was_made_before_a_change_is_not_good_after_it);
    return suite_run(&suite, "cache_threads");
}
