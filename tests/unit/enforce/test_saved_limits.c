/* SPDX-License-Identifier: MIT */
#include "enforce/saved_limits.h"

#include "unit/bank/some_bank.h"

static const struct enforce_value NONE = {0};

static struct enforce_value value(int64_t n)
{
    return (struct enforce_value){true, n};
}

static struct enforce_change change(struct enforce_value before, struct enforce_value to)
{
    return (struct enforce_change){
        .account = STR("chem"),
        .target = {ENFORCE_USER, STR("ann"), STR("chem")},
        .mode = ENFORCE_HOLD,
        .before = before,
        .from = before,
        .to = to,
    };
}

static int64_t begin(struct some_books *some, const struct enforce_change *of)
{
    struct error err = {0};
    int64_t step = 0;
    expect_int(saved_limits_begin(some->books, STR("birch"), of, 5, STR("ann"), &step, &err),
               0);
    expect_true(step > 0);
    return step;
}

static void finish(struct some_books *some, int64_t step, const struct enforce_change *of,
                   bool done, bool restored)
{
    struct error err = {0};
    const struct saved_limits_end end = {.done = done, .restored = restored, .at = 6};
    expect_int(saved_limits_finish(some->books, STR("birch"), step, of, &end, &err), 0);
}

/* What is kept of ann in chem; false: nothing. */
static bool kept_now(struct some_books *some, struct saved_limits *out)
{
    struct error err = {0};
    struct saved_limits_list list;
    const struct enforce_target ann = {ENFORCE_USER, STR("ann"), STR("chem")};
    expect_int(saved_limits_list_read(some->books, STR("birch"), &list, &err), 0);
    const struct saved_limits *found = saved_limits_list_find(&list, &ann, ENFORCE_HOLD);
    const bool is = found != NULL;
    if (is) {
        *out = *found;
        out->target = ann;
    }
    saved_limits_list_release(&list);
    return is;
}

static void what_the_site_has_set_last_is_kept(void **state)
{
    (void)state;
    struct some_books some;
    struct saved_limits kept;
    some_open(&some, "UTC");
    const struct enforce_change first = change(value(77), value(0));
    const struct enforce_change second = change(value(88), value(3));
    finish(&some, begin(&some, &first), &first, true, false);
    finish(&some, begin(&some, &second), &second, true, false);
    expect_true(kept_now(&some, &kept));
    expect_true(enforce_value_eq(kept.before, value(88)));
    expect_true(saved_limits_is_own(&kept, value(3)));
    expect_false(saved_limits_is_own(&kept, value(0)));
    some_close(&some);
}

static void a_step_that_was_only_begun_may_have_been_done(void **state)
{
    (void)state;
    struct some_books some;
    struct saved_limits kept;
    some_open(&some, "UTC");
    const struct enforce_change of = change(NONE, value(0));
    (void)begin(&some, &of);
    expect_true(kept_now(&some, &kept));
    expect_true(saved_limits_is_own(&kept, value(0)));
    expect_false(saved_limits_is_own(&kept, NONE));
    some_close(&some);
}

static void a_step_that_failed_is_still_stints(void **state)
{
    (void)state;
    struct some_books some;
    struct saved_limits kept;
    some_open(&some, "UTC");
    const struct enforce_change of = change(value(9), value(0));
    finish(&some, begin(&some, &of), &of, false, false);
    expect_true(kept_now(&some, &kept));
    expect_true(enforce_value_eq(kept.before, value(9)));
    expect_true(saved_limits_is_own(&kept, value(0)));
    some_close(&some);
}

static void what_is_restored_is_nobodys(void **state)
{
    (void)state;
    struct some_books some;
    struct saved_limits kept;
    some_open(&some, "UTC");
    const struct enforce_change set = change(NONE, value(0)), back = change(NONE, NONE);
    finish(&some, begin(&some, &set), &set, true, false);
    finish(&some, begin(&some, &back), &back, true, true);
    expect_false(kept_now(&some, &kept));
    some_close(&some);
}

static void steps_without_an_end_are_found(void **state)
{
    (void)state;
    struct some_books some;
    struct saved_limits_steps steps;
    struct error err = {0};
    some_open(&some, "UTC");
    const struct enforce_change of = change(value(9), value(0));
    finish(&some, begin(&some, &of), &of, true, false);
    const int64_t open = begin(&some, &of);
    expect_int(saved_limits_steps_open(some.books, STR("birch"), &steps, &err), 0);
    expect_uint(steps.count, 1);
    expect_int(steps.rows[0].id, open);
    expect_true(enforce_value_eq(steps.rows[0].change.from, value(9)));
    expect_true(enforce_target_compare(&steps.rows[0].change.target, &of.target) == 0);
    saved_limits_steps_release(&steps);
    finish(&some, open, &of, false, false);
    finish(&some, open, &of, false, false); /* twice is once */
    expect_int(saved_limits_steps_open(some.books, STR("birch"), &steps, &err), 0);
    expect_uint(steps.count, 0);
    saved_limits_steps_release(&steps);
    some_close(&some);
}

static void steps_are_never_edited(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "UPDATE enforce_step SET \"to\" = 1",
        "DELETE FROM enforce_step",
        "UPDATE enforce_step_end SET how = 'done'",
        "DELETE FROM enforce_step_end",
    };
    struct some_books some;
    some_open(&some, "UTC");
    const struct enforce_change of = change(value(9), value(0));
    finish(&some, begin(&some, &of), &of, false, false);
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        expect_int(sqlite3_exec(some.books->db, changes[i], NULL, NULL, NULL),
                   SQLITE_CONSTRAINT_TRIGGER);
    }
    some_close(&some);
}

static void liens_are_those_of_the_cluster(void **state)
{
    (void)state;
    struct some_books some;
    struct saved_limits_helds helds;
    struct error err = {0};
    some_open(&some, "UTC");
    const struct ledger_account chem = some_account(&some, "chem");
    expect_int(books_begin(some.books, &err), 0);
    expect_int(ledger_lien_place(some.books,
                                 &(struct ledger_lien){STR("birch:1@5"), chem.id, 7, .at = 1},
                                 &err),
               0);
    expect_int(ledger_lien_place(some.books,
                                 &(struct ledger_lien){STR("birch:2@5"), chem.id, 5, .at = 1},
                                 &err),
               0);
    expect_int(
        ledger_lien_place(
            some.books, &(struct ledger_lien){STR("birch2:1@5"), chem.id, 100, .at = 1}, &err),
        0);
    expect_int(ledger_lien_settle(some.books, STR("birch:2@5"), LIEN_SETTLED, 5, 2, &err), 0);
    expect_int(books_commit(some.books, &err), 0);
    expect_int(saved_limits_helds_read(some.books, STR("birch"), &helds, &err), 0);
    expect_uint(helds.count, 1);
    expect_int(helds.rows[0].account, chem.id);
    expect_int(helds.rows[0].amount, 7);
    saved_limits_helds_release(&helds);
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, what_the_site_has_set_last_is_kept);
    SUITE_TEST(&suite, a_step_that_was_only_begun_may_have_been_done);
    SUITE_TEST(&suite, a_step_that_failed_is_still_stints);
    SUITE_TEST(&suite, what_is_restored_is_nobodys);
    SUITE_TEST(&suite, steps_without_an_end_are_found);
    SUITE_TEST(&suite, steps_are_never_edited);
    SUITE_TEST(&suite, liens_are_those_of_the_cluster);
    return suite_run(&suite, "kept");
}
