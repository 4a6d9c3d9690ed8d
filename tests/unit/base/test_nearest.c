/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include "support/expect.h"

struct near_row {
    const char *name, *typed, *names; /* names with blanks between */
    const char *want;                 /* "": none is near */
};

static const struct near_row near_rows[] = {
    {"a slip", "usre", "user group account", "user"},
    {"the nearest, not the first", "grup", "grape group", "group"},
    {"of two as near the first", "ab1", "ab2 ab3", "ab2"},
    {"itself", "user", "users user", "user"},
    {"nothing like it", "frobnicate", "user group", ""},
    {"three edits", "abcdefgh", "abcde", "abcde"},
    {"four are too many", "abcdefgh", "abcd", ""},
    {"a short word is not near every other", "ab", "xy cd", ""},
    {"a short word with a letter in common", "ab", "xy ax", "ax"},
    {"a word that shares one letter", "root", "bob ann", ""},
    {"two slips in a short word", "otot", "otto", "otto"},
    {"nothing typed", "", "a b", ""},
    {"no names", "user", "", ""},
};

static void the_nearest_name_is_found(void **state)
{
    const struct near_row *row = *state;
    struct nearest nearest = nearest_to(str_of(row->typed));
    for (struct str rest = str_of(row->names); rest.len > 0;) {
        nearest_try(&nearest, str_cut(&rest, ' '));
    }
    expect_int((int64_t)nearest.name.len, (int64_t)strlen(row->want));
    expect_true(str_eq(nearest.name, str_of(row->want)));
}

static void a_refusal_offers_it(void **state)
{
    (void)state;
    struct error err = {0};
    struct nearest nearest = nearest_to(STR("usre"));
    expect_int(nearest_refuse(&nearest, "field", "see: stint fields", &err), ERROR_USAGE);
    expect_text(err.text, "there is no field 'usre'; see: stint fields");
    nearest_try(&nearest, STR("user"));
    expect_int(nearest_refuse(&nearest, "field", "see: stint fields", &err), ERROR_USAGE);
    expect_text(err.text, "there is no field 'usre'; did you mean 'user'? see: stint fields");
}

static void a_refusal_repeats_the_beginning_of_what_is_long(void **state)
{
    (void)state;
    struct error err = {0};
    char typed[2000];
    memset(typed, 'x', sizeof typed);
    struct nearest nearest = nearest_to((struct str){typed, sizeof typed});
    expect_int(nearest_refuse(&nearest, "field", "see", &err), ERROR_USAGE);
    expect_int((int64_t)strlen(err.text), (int64_t)strlen("there is no field ''; see") + 80);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, the_nearest_name_is_found, near_rows);
    SUITE_TEST(&suite, a_refusal_offers_it);
    SUITE_TEST(&suite, a_refusal_repeats_the_beginning_of_what_is_long);
    return suite_run(&suite, "nearest");
}
