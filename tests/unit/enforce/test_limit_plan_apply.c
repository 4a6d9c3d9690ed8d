/* SPDX-License-Identifier: MIT */

/*
 * Carrying out a plan at a scheduler that notes what it is told: in which order, what is in the books by then, and what is left
 * alone after failures.
 */

#include "enforce/limit_plan.h"

#include <stdio.h>
#include <string.h>

#include "enforce/saved_limits.h"
#include "unit/bank/some_bank.h"

enum { ROWS_MAX = 8 };

static struct some_books some;
static char told[256];      /* names of accounts, in the order in which their limits were set */
static const char *refused; /* names of those whose limits cannot be set */

static int64_t now(void)
{
    return 7;
}

/* A process that is killed now must find in the books what it was about to do. */
static bool is_in_the_books(const struct enforce_change *change)
{
    struct saved_limits_list list;
    struct error err = {0};
    expect_int(saved_limits_list_read(some.books, STR("birch"), &list, &err), 0);
    const struct saved_limits *kept =
        saved_limits_list_find(&list, &change->target, change->mode);
    const bool is = kept && kept->trying && enforce_value_eq(kept->next, change->to) &&
                    enforce_value_eq(kept->before, change->before);
    saved_limits_list_release(&list);
    return is;
}

static int toy_set(const struct enforce_site *site, const struct enforce_change *change,
                   struct error *err)
{
    (void)site;
    const size_t len = strlen(told);
    (void)snprintf(told + len, sizeof(told) - len, "%s%.*s", len > 0 ? " " : "",
                   STR_ARG(change->target.name));
    expect_true(is_in_the_books(change));
    return memchr(refused, change->target.name.ptr[0], strlen(refused))
               ? error_set(err, ERROR_CONFLICT, "no")
               : 0;
}

static const struct enforce_driver toy = {.name = "toy", .set = toy_set};

struct apply_row {
    const char *name;
    const char *rows; /* NAME and - tightens, + loosens, ! withheld, . nothing to do */
    const char *refused;
    const char *told;
    const char *outcomes; /* D done, F failed, N not tried, W withheld, S only shown */
};

static const struct apply_row apply_rows[] = {
    {"what loosens comes first", "a- b+ c- d+", "", "b d a c", "DDDD"},
    {"in the order of the plan", "d+ c- b+ a-", "", "d b c a", "DDDD"},
    {"what is withheld is not set", "a- b! c+", "", "c a", "DWD"},
    {"what is as it should be is not set", "a. b- c.", "", "b", "SDS"},
    {"a failure keeps none from the rest", "a+ b+ c- d-", "b", "a b c d", "DFDD"},
    {"two in a row do", "a+ b+ c- d-", "ab", "a b", "FFNN"},
    {"also where the last of one kind and the first of the other fail", "a- b- c+ d+", "da",
     "c d a", "FNDF"},
    {"two that are not in a row do not", "a+ b+ c+ d+", "ac", "a b c d", "FDFD"},
};

static void read_rows(const char *text, struct limit_plan *plan)
{
    static const struct limit_plan_demand demand = {.account = {"bank", 4}};
    for (struct str rest = str_of(text); rest.ptr;) {
        const struct str word = str_cut(&rest, ' ');
        struct limit_plan_row *row = &plan->rows[plan->count++];
        const char sign = word.ptr[1];
        *row = (struct limit_plan_row){
            .demand = &demand,
            .target = {ENFORCE_ACCOUNT, {word.ptr, 1}, {0}},
            .mode = ENFORCE_HOLD,
            .owner = {.before = {true, 50}},
            .action = sign == '.' ? PLAN_NONE : PLAN_SET,
            .now = {true, 9},
            .to = {true, sign == '+' ? 20 : 0},
            .tightens = sign != '+',
            .outcome = sign == '!' ? PLAN_WITHHELD : PLAN_SHOWN,
        };
    }
}

static void a_plan_is_carried_out(void **state)
{
    const struct apply_row *row = *state;
    static const char letters[PLAN_OUTCOMES] = {[PLAN_SHOWN] = 'S',
                                                [PLAN_DONE] = 'D',
                                                [PLAN_FAILED] = 'F',
                                                [PLAN_NOT_TRIED] = 'N',
                                                [PLAN_WITHHELD] = 'W'};
    const struct enforce_site site = {.cluster = STR("birch"), .mode = ENFORCE_HOLD};
    struct limit_plan_row rows[ROWS_MAX];
    struct limit_plan plan = {.rows = rows};
    char outcomes[ROWS_MAX + 1] = "";
    struct error err = {0};
    some_open(&some, "UTC");
    told[0] = '\0';
    refused = row->refused;
    read_rows(row->rows, &plan);
    const struct limit_plan_work work = {
        .driver = &toy, .site = &site, .books = some.books, .who = STR("ann"), .now = now};
    expect_int(limit_plan_apply(&plan, &work, &err), 0);
    for (size_t i = 0; i < plan.count; i++) {
        outcomes[i] = letters[plan.rows[i].outcome];
    }
    expect_text(told, row->told);
    expect_text(outcomes, row->outcomes);
    arena_release(&plan.arena);
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_plan_is_carried_out, apply_rows);
    return suite_run(&suite, "limit_plan_apply");
}
