/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdlib.h>

#include "support/expect.h"

static void buf_grows_and_stays_terminated(void **state)
{
    (void)state;
    struct buf buf;
    buf_init(&buf, 1 << 20);
    expect_text(buf.ptr, "");
    buf_addz(&buf, "one");
    buf_addc(&buf, ' ');
    buf_add(&buf, STR("two"));
    buf_addf(&buf, " %d", 3);
    buf_fill(&buf, '!', 2);
    buf_addz(&buf, NULL);
    buf_add(&buf, (struct str){0});
    expect_text(buf.ptr, "one two 3!!");
    expect_uint(buf.len, 11);
    expect_true(str_eq(buf_str(&buf), STR("one two 3!!")));
    for (int i = 0; i < 10000; i++) {
        buf_addf(&buf, "%04d", i);
    }
    expect_uint(buf.len, 40011);
    expect_text(buf.ptr + 40007, "9999");
    expect_false(buf.overflow);
    buf_release(&buf);
}

static void buf_takes_exactly_its_limit(void **state)
{
    (void)state;
    struct buf buf;
    buf_init(&buf, 5);
    buf_addz(&buf, "12345");
    expect_false(buf.overflow);
    buf_addz(&buf, "");
    buf_addf(&buf, "%s", "");
    expect_false(buf.overflow);
    buf_addc(&buf, '6');
    expect_true(buf.overflow);
    expect_text(buf.ptr, "12345");
    buf_release(&buf);
}

static void buf_overflow_stays_and_refuses_the_rest(void **state)
{
    (void)state;
    struct buf buf;
    buf_init(&buf, 5);
    buf_addz(&buf, "123");
    buf_addf(&buf, "%s", "456");
    expect_true(buf.overflow);
    expect_text(buf.ptr, "123");
    buf_addz(&buf, "4");
    buf_addf(&buf, "%d", 4);
    buf_addc(&buf, '4');
    buf_fill(&buf, '4', 1);
    expect_text(buf.ptr, "123");
    expect_uint(buf.len, 3);
    buf_clear(&buf);
    expect_false(buf.overflow);
    buf_addz(&buf, "4");
    expect_text(buf.ptr, "4");
    buf_release(&buf);
}

static void buf_addf_longer_than_all_room(void **state)
{
    (void)state;
    struct buf buf;
    buf_init(&buf, 10000);
    buf_addz(&buf, "x");
    buf_addf(&buf, "%*d", 5000, 7);
    expect_uint(buf.len, 5001);
    expect_int(buf.ptr[5000], '7');
    expect_int(buf.ptr[5001], 0);
    buf_release(&buf);
}

static void buf_reserve_makes_room_to_write(void **state)
{
    (void)state;
    struct buf buf;
    buf_init(&buf, 1000);
    buf_reserve(&buf, 1000);
    expect_true(buf.room > 1000);
    memset(buf.ptr, 'x', 1000);
    buf_reserve(&buf, 1001);
    expect_true(buf.overflow);
    buf_release(&buf);
}

static void buf_take_hands_over(void **state)
{
    (void)state;
    struct buf buf;
    buf_init(&buf, 100);
    buf_addz(&buf, "mine");
    char *text = buf_take(&buf);
    expect_text(text, "mine");
    expect_text(buf.ptr, "");
    buf_addz(&buf, "other");
    expect_text(text, "mine");
    free(text);
    buf_release(&buf);
}

static void buf_release_accepts_a_zeroed_one(void **state)
{
    (void)state;
    struct buf buf = {0};
    buf_release(&buf);
    buf_release(NULL);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, buf_grows_and_stays_terminated);
    SUITE_TEST(&suite, buf_takes_exactly_its_limit);
    SUITE_TEST(&suite, buf_overflow_stays_and_refuses_the_rest);
    SUITE_TEST(&suite, buf_addf_longer_than_all_room);
    SUITE_TEST(&suite, buf_reserve_makes_room_to_write);
    SUITE_TEST(&suite, buf_take_hands_over);
    SUITE_TEST(&suite, buf_release_accepts_a_zeroed_one);
    return suite_run(&suite, "buf");
}
