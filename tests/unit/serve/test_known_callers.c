/* SPDX-License-Identifier: MIT */
#include "serve/auth/known_callers.h"

#include "support/expect.h"

/* All secrets of a caller lead to one number, and those of others to another. */
static void what_was_seen_stands_for_its_caller(void **state)
{
    (void)state;
    struct known_callers *known = known_callers_new(1);
    expect_true(known_callers_find(known, STR("token")) == 0);
    known_callers_put(known, STR("token"), STR("ann"));
    known_callers_put(known, STR("session"), STR("ann"));
    known_callers_put(known, STR("other"), STR("bob"));
    const uint64_t ann = known_callers_find(known, STR("token"));
    expect_true(ann != 0);
    expect_true(known_callers_find(known, STR("session")) == ann);
    expect_true(known_callers_find(known, STR("other")) != ann);
    expect_true(known_callers_find(known, STR("guess")) == 0);
    expect_true(known_callers_find(known, (struct str){0}) == 0);
    known_callers_free(known);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, what_was_seen_stands_for_its_caller);
    return suite_run(&suite, "known_callers");
}
