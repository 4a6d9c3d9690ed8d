/* SPDX-License-Identifier: MIT */

/* stint bank caps: what users have left of what they may use of an account. */

#include "bank/amount.h"
#include "bank/caps.h"
#include "service/bank/bank.h"

enum caps_column { ACCOUNT_C, USER_C, PER_C, SINCE_C, CAP_C, USED_C, HELD_C, LEFT_C };

static const struct heading headings[] = {
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [USER_C] = {"user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [PER_C] = {"per", "Per", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [SINCE_C] = {"since", "Since", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [CAP_C] = {"cap", "Cap", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [USED_C] = {"used", "Used", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [HELD_C] = {"held", "Held", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [LEFT_C] = {"left", "Left", CELL_INT, UNIT_SU, COLUMN_MEASURE},
};

static const char *period_name(const struct cap *cap)
{
    return cap->months == 1    ? "month"
           : cap->months == 3  ? "quarter"
           : cap->months == 12 ? "year"
                               : "allotment";
}

static bool is_caller(const struct bank *bank, struct str user)
{
    const struct caller *caller = bank->service->caller;
    for (size_t i = 0; i < caller->login_count; i++) {
        if (str_eq(caller->logins[i], user)) {
            return true;
        }
    }
    return false;
}

static void add_state(struct bank *bank, const struct ledger_account *account,
                      const struct cap_state *state)
{
    struct table *table = &bank->answer->table;
    const size_t row = table_row(table);
    table_set_text(table, ACCOUNT_C, row, account->name);
    table_set_text(table, USER_C, row, arena_copy(&table->arena, state->user));
    table_set_text(table, PER_C, row, str_of(period_name(state->cap)));
    table_set_int(table, SINCE_C, row, state->from);
    table_set_int(table, USED_C, row, state->used);
    table_set_int(table, HELD_C, row, state->held);
    if (state->limit < INT64_MAX) {
        table_set_int(table, CAP_C, row, state->limit);
        table_set_int(table, LEFT_C, row, state->left);
    }
}

/*
 * Managers see all users; others themselves, what anybody may use who has used nothing, and the
 * ceiling.
 */
static int add_account(struct bank *bank, const struct caps *caps,
                       const struct ledger_account *account)
{
    struct cap_states states;
    const bool all = bank_manages(bank, account);
    const int failed = caps_of(bank->books, bank->zone, bank->now, caps, account,
                               &bank->allotments, &states, bank->err);
    for (size_t i = 0; !failed && i < states.count; i++) {
        if (all || cap_is_ceiling(states.rows[i].cap) || is_caller(bank, states.rows[i].user) ||
            str_eq(states.rows[i].user, STR("*"))) {
            add_state(bank, account, &states.rows[i]);
        }
    }
    cap_states_release(&states);
    return failed;
}

int bank_show_caps(struct bank *bank)
{
    struct str name;
    const struct ledger_account *one = NULL;
    struct caps caps = {0};
    int failed = request_each(bank->request, "word", 0, &name)
                     ? ledger_accounts_get(&bank->accounts, name, &one, bank->err)
                     : 0;
    table_columns(&bank->answer->table, headings, COUNT_OF(headings));
    failed = failed ? failed : caps_list(bank->books, bank->zone, bank->now, &caps, bank->err);
    for (size_t i = 0; !failed && i < bank->accounts.count; i++) {
        const struct ledger_account *account = &bank->accounts.rows[i];
        failed = one && one != account ? 0 : add_account(bank, &caps, account);
    }
    caps_release(&caps);
    if (!failed && bank->answer->table.row_count == 0) {
        answer_note(bank->answer, NOTE_EMPTY,
                    "no cap holds now; to add one: stint cap add ACCOUNT USER --amount SU");
    }
    return failed;
}

struct ledger_account bank_parent_of(const struct ledger_account *account)
{
    struct ledger_account parent = *account;
    parent.id = account->payer;
    parent.name = account->payer_name;
    parent.own_held = account->held;
    return parent;
}

static int ceiling_of(const struct bank *bank, const struct caps *caps,
                      const struct ledger_account *account, int64_t *out)
{
    struct cap_states states;
    const int failed = caps_of(bank->books, bank->zone, bank->now, caps, account,
                               &bank->allotments, &states, bank->err);
    *out = failed ? 0 : caps_ceiling(&states);
    cap_states_release(&states);
    return failed;
}

int bank_ceiling(const struct bank *bank, const struct caps *caps,
                 const struct ledger_account *account, int64_t *out)
{
    int64_t above = INT64_MAX;
    int failed = ceiling_of(bank, caps, account, out);
    if (!failed && ledger_has_parent(account)) {
        const struct ledger_account parent = bank_parent_of(account);
        failed = ceiling_of(bank, caps, &parent, &above);
    }
    *out = above < *out ? above : *out;
    return failed;
}

int bank_note_caps(struct bank *bank, const struct ledger_account *account)
{
    struct caps caps;
    struct cap_states states = {0};
    int failed = caps_list(bank->books, bank->zone, bank->now, &caps, bank->err);
    failed = failed ? failed
                    : caps_of(bank->books, bank->zone, bank->now, &caps, account,
                              &bank->allotments, &states, bank->err);
    for (size_t i = 0; !failed && i < states.count; i++) {
        const struct cap_state *state = &states.rows[i];
        struct arena *arena = &bank->answer->table.arena;
        const bool ceiling = cap_is_ceiling(state->cap);
        if (state->limit == INT64_MAX || (!ceiling && !is_caller(bank, state->user))) {
            continue;
        }
        const struct str limit = amount_print(arena, state->limit),
                         left = amount_print(arena, state->left > 0 ? state->left : 0);
        answer_note(bank->answer, NOTE_READING,
                    "%.*s may use %.*s SU of %.*s per %s, and %s %.*s left",
                    STR_ARG(state->user), STR_ARG(limit), STR_ARG(account->name),
                    period_name(state->cap), ceiling ? "have" : "has", STR_ARG(left));
    }
    cap_states_release(&states);
    caps_release(&caps);
    return failed;
}
