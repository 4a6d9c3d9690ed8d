/* SPDX-License-Identifier: MIT */
#include "enforce/sge/sge_quotas.h"

#include "support/expect.h"

#define SET(name, enabled)                                                                     \
    "{\n   name         " name "\n   description  NONE\n   enabled      " enabled              \
    "\n   limit        users {x} to slots=0\n}\n"

static void own_sets_are_found(void **state)
{
    (void)state;
    struct enforce_states states = {0};
    struct error err;
    expect_int(sge_quotas_read(STR(SET("stint_user_ann", "TRUE") SET("max_slots", "TRUE")
                                       SET("stint_project_chem", "FALSE")),
                               &states, &err),
               0);
    expect_uint(states.count, 2);
    expect_int(states.rows[0].target.kind, ENFORCE_PROJECT);
    expect_int(states.rows[0].values[ENFORCE_HOLD].n, 1);
    expect_true(str_eq(states.rows[1].target.name, STR("ann")));
    expect_int(states.rows[1].values[ENFORCE_HOLD].n, 0);
    enforce_states_release(&states);
}

struct bad_row {
    const char *name;
    const char *text;
};

static const struct bad_row bad_rows[] = {
    {"a message", "error: commlib error: got select error\n"},
    {"a set that is cut off", "{\n   name  stint_user_ann\n"},
    {"a set without a name", "{\n   enabled TRUE\n}\n"},
};

static void nonsense_is_refused(void **state)
{
    const struct bad_row *row = *state;
    struct enforce_states states = {0};
    struct error err;
    expect_int(sge_quotas_read(str_of(row->text), &states, &err), ERROR_INPUT);
    enforce_states_release(&states);
}

static void a_name_becomes_the_name_of_a_set(void **state)
{
    (void)state;
    char name[SGE_QUOTAS_NAME_MAX];
    struct error err;
    const struct enforce_target ann = {ENFORCE_USER, STR("ann"), {0}};
    const struct enforce_target list = {ENFORCE_USER, STR("ann,bob"), {0}};
    const struct enforce_target account = {ENFORCE_ACCOUNT, STR("chem"), {0}};
    expect_int(sge_quotas_name(&ann, name, &err), 0);
    expect_text(name, "stint_user_ann");
    expect_int(sge_quotas_name(&list, name, &err), ERROR_INPUT);
    expect_int(sge_quotas_name(&account, name, &err), ERROR_INPUT);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, own_sets_are_found);
    SUITE_ROWS(&suite, nonsense_is_refused, bad_rows);
    SUITE_TEST(&suite, a_name_becomes_the_name_of_a_set);
    return suite_run(&suite, "sge_quotas");
}
