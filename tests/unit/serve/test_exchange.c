/* SPDX-License-Identifier: MIT */

/* What comes over HTTP, as handlers see it: targets, forms, cookies, lists of what a client takes. */

#include "serve/http/exchange.h"

#include "base/mem.h"
#include "serve/auth/login.h"
#include "serve/auth/login_attempts.h"
#include "serve/http/accept.h"
#include "serve/http/reply_cache.h"
#include "support/expect.h"

#define expect_str(got, want) expect_text_n((got).ptr, (got).len, (want))

static struct str header_text;

/* --- targets -------------------------------------------------------------------------------------- */

struct target_row {
    const char *name;
    const char *target, *prefix;
    const char *path;  /* NULL: it is refused */
    const char *query; /* "name=value;name=value", decoded */
};

static const struct target_row target_rows[] = {
    {"a path alone", "/api/v1/report", "", "/api/v1/report", ""},
    {"the root", "/", "", "/", ""},
    {"a query", "/x?measure=jobs&by=user", "", "/x", "measure=jobs;by=user;"},
    {"encoded values", "/x?user=a%20b+c%26d", "", "/x", "user=a b c&d;"},
    {"a name alone is a flag", "/x?reverse&top=3", "", "/x", "reverse=;top=3;"},
    {"nothing between ampersands", "/x?&&a=1&", "", "/x", "a=1;"},
    {"an encoded slash stays in its segment", "/jobs/a%2Fb", "", "/jobs/a%2Fb", ""},
    {"below a prefix", "/stint/api", "/stint", "/api", ""},
    {"the prefix itself", "/stint", "/stint", "/", ""},
    {"only like the prefix", "/stinted/api", "/stint", "/stinted/api", ""},
    {"a proxy that took the prefix away", "/api", "/stint", "/api", ""},
    {"no path", "api", "", NULL, NULL},
    {"a whole address", "http://elsewhere/", "", NULL, NULL},
    {"up", "/static/../store", "", NULL, NULL},
    {"up, encoded", "/static/%2e%2e/store", "", NULL, NULL},
    {"an empty segment", "//elsewhere/x", "", NULL, NULL},
    {"a NUL", "/a%00b", "", NULL, NULL},
    {"not UTF-8", "/x?a=%ff%fe", "", NULL, NULL},
    {"half an escape", "/x?a=%2", "", NULL, NULL},
    {"no escape at all", "/x?a=%zz", "", NULL, NULL},
};

static void a_target_is_read_or_refused(void **state)
{
    const struct target_row *row = *state;
    struct exchange exchange;
    struct error err = {0};
    struct buf query;
    exchange_init(&exchange);
    buf_init(&query, 1024);
    int failed = exchange_read_target(&exchange, str_of(row->target), row->prefix, &err);
    expect_int(failed, row->path ? 0 : ERROR_INPUT);
    if (row->path) {
        expect_str(exchange.path, row->path);
        for (size_t i = 0; i < exchange.query.count; i++) {
            buf_addf(&query, "%.*s=%.*s;", STR_ARG(exchange.query.rows[i].name),
                     STR_ARG(exchange.query.rows[i].value));
        }
        expect_text(query.ptr, row->query);
    }
    buf_release(&query);
    exchange_release(&exchange);
}

static void too_much_is_refused(void **state)
{
    (void)state;
    struct exchange exchange;
    struct error err = {0};
    struct buf target;
    exchange_init(&exchange);
    buf_init(&target, 1 << 20);
    buf_addz(&target, "/x?");
    for (int i = 0; i <= EXCHANGE_PAIRS_MAX; i++) {
        buf_addz(&target, "a=1&");
    }
    expect_int(exchange_read_target(&exchange, buf_str(&target), "", &err), ERROR_INPUT);
    buf_fill(&target, 'x', EXCHANGE_TARGET_MAX);
    expect_int(exchange_read_target(&exchange, buf_str(&target), "", &err), ERROR_LIMIT);
    buf_release(&target);
    exchange_release(&exchange);
}

static void a_form_is_read_where_it_is_one(void **state)
{
    (void)state;
    struct exchange exchange;
    struct error err = {0};
    exchange_init(&exchange);
    exchange.body = STR("name=ann&password=a+b%21");
    expect_int(exchange_read_form(&exchange, &err), 0);
    expect_true(exchange_form(&exchange, "name").ptr == NULL);
    exchange_add_header(&exchange, STR("content-type"),
                        STR("application/x-www-form-urlencoded; charset=utf-8"));
    expect_int(exchange_read_form(&exchange, &err), 0);
    expect_str(exchange_form(&exchange, "name"), "ann");
    expect_str(exchange_form(&exchange, "password"), "a b!");
    exchange_release(&exchange);
}

struct head_row {
    const char *name;
    const char *headers[4]; /* a name and its value, one after the other */
    int failed;
};

static const struct head_row head_rows[] = {
    {"one of each", {"Host", "x", "Content-Length", "4"}, 0},
    {"others may be there twice", {"Accept", "a", "Accept", "b"}, 0},
    {"two lengths", {"Content-Length", "4", "content-length", "5"}, ERROR_USAGE},
    {"the same length twice", {"Content-Length", "4", "Content-Length", "4"}, ERROR_USAGE},
    {"two hosts", {"Host", "a", "host", "b"}, ERROR_USAGE},
    {"a length and chunks",
     {"Content-Length", "4", "Transfer-Encoding", "chunked"},
     ERROR_USAGE},
    {"two tokens", {"Authorization", "Bearer a", "Authorization", "Bearer b"}, ERROR_USAGE},
};

static void a_head_can_be_understood_in_one_way(void **state)
{
    const struct head_row *row = *state;
    struct exchange exchange;
    struct error err = {0};
    exchange_init(&exchange);
    exchange_add_header(&exchange, str_of(row->headers[0]), str_of(row->headers[1]));
    exchange_add_header(&exchange, str_of(row->headers[2]), str_of(row->headers[3]));
    expect_int(exchange_check_head(&exchange, &err), row->failed);
    exchange_release(&exchange);
}

static void a_cookie_is_found_among_others(void **state)
{
    (void)state;
    struct exchange exchange;
    exchange_init(&exchange);
    exchange_add_header(&exchange, STR("Cookie"), STR("a=1; stint_session=x=y ; b"));
    expect_str(exchange_cookie(&exchange, "stint_session"), "x=y");
    expect_true(exchange_cookie(&exchange, "b").ptr == NULL);
    expect_true(exchange_cookie(&exchange, "session").ptr == NULL);
    exchange_release(&exchange);
}

/* --- what a client takes -------------------------------------------------------------------------- */

struct accept_row {
    const char *name;
    const char *header;
    int best; /* of json, csv, svg */
};

static const struct accept_row accept_rows[] = {
    {"nothing said", "", 0},
    {"anything", "*/*", 0},
    {"one", "text/csv", 1},
    {"the heavier", "application/json;q=0.5, text/csv;q=0.8", 1},
    {"the first of equals", "text/csv, application/json", 0},
    {"a whole kind", "image/*", 2},
    {"the closest range holds", "text/*;q=0.2, text/csv;q=0, application/json;q=0.1", 0},
    {"a browser", "text/html,application/xhtml+xml,image/webp,*/*;q=0.8", 0},
    {"none of them", "text/html", -1},
    {"a weight that is none", "text/csv;q=much", -1},
};

static void the_type_a_client_likes_best_is_taken(void **state)
{
    const struct accept_row *row = *state;
    static const char *const types[] = {"application/json", "text/csv", "image/svg+xml"};
    header_text = str_of(row->header);
    expect_int(accept_best(header_text, types, COUNT_OF(types)), row->best);
}

static void words_and_tags_of_lists_are_found(void **state)
{
    (void)state;
    expect_true(accept_has(STR("br, gzip"), "gzip"));
    expect_true(accept_has(STR("GZIP;q=0.1"), "gzip"));
    expect_true(!accept_has(STR("gzip;q=0"), "gzip"));
    expect_true(!accept_has((struct str){0}, "gzip"));
    expect_true(accept_tag(STR("\"a\", W/\"b\""), STR("W/\"b\"")));
    expect_true(accept_tag(STR("\"b\""), STR("W/\"b\"")));
    expect_true(accept_tag(STR("*"), STR("\"b\"")));
    expect_true(!accept_tag((struct str){0}, STR("\"b\"")));
    expect_true(!accept_tag(STR("\"bc\""), STR("\"b\"")));
}

/* --- replies -------------------------------------------------------------------------------------- */

struct sent {
    struct buf bytes;
    size_t calls;
};

static int keep_sent(void *sender, struct str bytes, struct error *err)
{
    struct sent *sent = sender;
    (void)err;
    buf_add(&sent->bytes, bytes);
    sent->calls++;
    return 0;
}

static void a_short_reply_can_be_taken_back_a_long_one_streams(void **state)
{
    (void)state;
    struct exchange exchange;
    struct error err = {0};
    struct sent sent = {0};
    struct buf block;
    buf_init(&sent.bytes, 8 << 20);
    buf_init(&block, 8 << 20);
    buf_fill(&block, 'x', EXCHANGE_WHOLE_MAX + 1);
    exchange_init(&exchange);
    exchange.send = keep_sent;
    exchange.sender = &sent;
    expect_int(exchange_write(&exchange, STR("short"), &err), 0);
    exchange_set(&exchange, "X-Mine", "1");
    expect_true(exchange_reset(&exchange));
    expect_true(exchange_get(&exchange, "X-Mine").ptr == NULL);
    expect_str(exchange_get(&exchange, "X-Frame-Options"), "DENY");
    expect_int(exchange_write(&exchange, buf_str(&block), &err), 0);
    expect_true(exchange.streaming);
    expect_true(!exchange_reset(&exchange));
    expect_int(exchange_write(&exchange, STR("end"), &err), 0);
    expect_int(exchange_finish(&exchange, &err), 0);
    expect_int((int64_t)sent.bytes.len, EXCHANGE_WHOLE_MAX + 4);
    buf_release(&block);
    buf_release(&sent.bytes);
    exchange_release(&exchange);
}

static void a_stopped_exchange_takes_no_more(void **state)
{
    (void)state;
    struct exchange exchange;
    struct error err = {0};
    exchange_init(&exchange);
    stop_ask(&exchange.stop);
    expect_int(exchange_write(&exchange, STR("x"), &err), ERROR_STOPPED);
    exchange_release(&exchange);
}

/* --- what is kept --------------------------------------------------------------------------------- */

static void a_reply_is_kept_until_something_was_written_or_its_time_is_over(void **state)
{
    (void)state;
    struct reply_cache *cache = reply_cache_new(10000);
    struct arena arena = {0};
    struct cached found;
    const struct cached reply = {STR("text/csv"), STR("\"1\""), STR("a,b\n"), STR("noon"),
                                 STR("old")};
    const struct reply_cache_state now = {.generation = 1, .books = 2};
    reply_cache_keep(cache, STR("key"), now, 100, &reply);
    expect_true(reply_cache_find(cache, STR("key"), now, 99, &arena, &found));
    expect_str(found.body, "a,b\n");
    expect_str(found.type, "text/csv");
    expect_true(!reply_cache_find(cache, STR("other"), now, 99, &arena, &found));
    expect_true(!reply_cache_find(cache, STR("key"), now, 100, &arena, &found));
    reply_cache_keep(cache, STR("key"), now, 100, &reply);
    expect_true(!reply_cache_find(cache, STR("key"), (struct reply_cache_state){2, 2}, 1,
                                  &arena, &found));
    reply_cache_keep(cache, STR("key"), now, 100, &reply);
    expect_true(!reply_cache_find(cache, STR("key"), (struct reply_cache_state){1, 3}, 1,
                                  &arena, &found));
    arena_release(&arena);
    reply_cache_free(cache);
}

static void the_cache_has_a_limit(void **state)
{
    (void)state;

    enum { LIMIT = 20000, KEYS = 200 };

    struct reply_cache *cache = reply_cache_new(LIMIT);
    struct arena arena = {0};
    struct cached found;
    uint64_t hits, misses;
    size_t bytes;
    char body[1000] = "";
    for (int i = 0; i < KEYS; i++) {
        const struct cached reply = {
            .type = STR("t"), .tag = STR("g"), .body = {body, sizeof(body)}};
        char *key = arena_printf(&arena, "key %d", i);
        reply_cache_keep(cache, str_of(key), (struct reply_cache_state){0}, 100, &reply);
    }
    reply_cache_count(cache, &hits, &misses, &bytes);
    expect_true(bytes <= LIMIT);
    expect_true(!reply_cache_find(cache, STR("key 0"), (struct reply_cache_state){0}, 1, &arena,
                                  &found));
    expect_true(reply_cache_find(cache, STR("key 199"), (struct reply_cache_state){0}, 1,
                                 &arena, &found));
    arena_release(&arena);
    reply_cache_free(cache);
}

static void who_fails_too_often_has_to_wait(void **state)
{
    (void)state;
    struct login_attempts *attempts = login_attempts_new();
    const char *attacker = "198.51.100.7", *owner = "203.0.113.5";
    for (int i = 0; i < LOGIN_ATTEMPTS_MAX; i++) {
        expect_true(login_attempts_allow(attempts, attacker, STR("ann"), 1000));
        login_attempts_failed(attempts, attacker, STR("ann"), 1000);
    }
    expect_false(login_attempts_allow(attempts, attacker, STR("ann"), 1001));
    expect_true(login_attempts_allow(attempts, owner, STR("ann"), 1001));
    expect_true(login_attempts_allow(attempts, attacker, STR("bob"), 1001));
    expect_true(
        login_attempts_allow(attempts, attacker, STR("ann"), 1001 + LOGIN_ATTEMPTS_WINDOW_US));
    for (int i = 0; i < LOGIN_ATTEMPTS_CLIENT_MAX; i++) {
        login_attempts_failed(attempts, "2001:db8::1", STR("x"), 1000);
    }
    expect_false(login_attempts_allow(attempts, "2001:db8::2", STR("y"), 1001));
    expect_true(login_attempts_allow(attempts, "2001:db8:0:1::2", STR("y"), 1001));
    login_attempts_free(attempts);
}

static void a_ticket_is_good_once_it_is_old_enough(void **state)
{
    (void)state;
    struct login_attempts *attempts = login_attempts_new();
    struct arena arena = {0};
    struct str ticket;
    struct error err;
    const char *client = "198.51.100.7";
    const int64_t good = 1000 + LOGIN_ATTEMPTS_WAIT_US;
    expect_int(login_attempts_ticket("key", client, 1000, &arena, &ticket, &err), 0);
    expect_false(login_attempts_redeem(attempts, "key", client, ticket, good - 1));
    expect_false(login_attempts_redeem(attempts, "key", "203.0.113.5", ticket, good));
    expect_false(login_attempts_redeem(attempts, "another", client, ticket, good));
    expect_false(login_attempts_redeem(attempts, "key", client, STR("1000."), good));
    expect_false(login_attempts_redeem(attempts, "key", client, STR("x"), good));
    expect_false(login_attempts_redeem(attempts, "key", client, (struct str){0}, good));
    expect_true(login_attempts_redeem(attempts, "key", client, ticket, good));
    expect_false(login_attempts_redeem(attempts, "key", client, ticket, good + 1));
    expect_true(
        login_attempts_redeem(attempts, "key", client, ticket, good + LOGIN_ATTEMPTS_WAIT_US));
    expect_false(login_attempts_redeem(attempts, "key", client, ticket,
                                       good + 1000 * LOGIN_ATTEMPTS_WAIT_US));
    arena_release(&arena);
    login_attempts_free(attempts);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_target_is_read_or_refused, target_rows);
    SUITE_TEST(&suite, too_much_is_refused);
    SUITE_TEST(&suite, a_form_is_read_where_it_is_one);
    SUITE_ROWS(&suite, a_head_can_be_understood_in_one_way, head_rows);
    SUITE_TEST(&suite, a_cookie_is_found_among_others);
    SUITE_ROWS(&suite, the_type_a_client_likes_best_is_taken, accept_rows);
    SUITE_TEST(&suite, words_and_tags_of_lists_are_found);
    SUITE_TEST(&suite, a_short_reply_can_be_taken_back_a_long_one_streams);
    SUITE_TEST(&suite, a_stopped_exchange_takes_no_more);
    SUITE_TEST(&suite, a_reply_is_kept_until_something_was_written_or_its_time_is_over);
    SUITE_TEST(&suite, the_cache_has_a_limit);
    SUITE_TEST(&suite, who_fails_too_often_has_to_wait);
    SUITE_TEST(&suite, a_ticket_is_good_once_it_is_old_enough);
    return suite_run(&suite, "exchange");
}
