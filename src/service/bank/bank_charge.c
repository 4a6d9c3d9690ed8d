/* SPDX-License-Identifier: MIT */

/* stint bank charge: posts what runs cost, and charges again by other rates. */

#include "service/bank/bank_change.h"
#include "service/import/rollup_update.h"

static void show_charged(const struct bank *bank, const struct charging_result *result)
{
    const struct {
        const char *id, *label;
        int64_t count;
    } columns[] = {
        {"runs", "Runs", result->runs},
        {"charged", "Charged", result->charged},
        {"reversed", "Taken back", result->reversed},
        {"running", "Running", result->liens},
        {"unpriced", "Not charged", result->unpriced},
        {"entries", "Entries", result->entries},
    };
    struct table *table = &bank->answer->table;
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        table_column(table, columns[i].id, columns[i].label, CELL_INT, UNIT_COUNT,
                     COLUMN_MEASURE);
    }
    const size_t row = table_row(table);
    for (size_t i = 0; i < COUNT_OF(columns); i++) {
        table_set_int(table, i, row, columns[i].count);
    }
    if (result->unpriced) {
        answer_note(bank->answer, NOTE_WARNING, "the first that was not charged: %s",
                    result->why);
    }
}

enum recharge_column {
    RECHARGE_ACCOUNT,
    RECHARGE_LINES,
    RECHARGE_BACK,
    RECHARGE_CHARGED,
    RECHARGE_DIFFERENCE
};

static const struct heading recharge_headings[] = {
    [RECHARGE_ACCOUNT] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [RECHARGE_LINES] = {"lines", "Lines", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
    [RECHARGE_BACK] = {"taken_back", "Taken back", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [RECHARGE_CHARGED] = {"charged", "Charged", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [RECHARGE_DIFFERENCE] = {"difference", "Difference", CELL_INT, UNIT_SU, COLUMN_MEASURE},
};

void change_show_differences(const struct bank *bank, const struct charging_plan *plan,
                             bool applied, const char *same)
{
    struct table *table = &bank->answer->table;
    table_columns(table, recharge_headings, COUNT_OF(recharge_headings));
    table_exact(table);
    for (size_t i = 0; i < plan->count; i++) {
        const struct charging_difference *one = &plan->rows[i];
        const struct ledger_account *account = bank_account_of(bank, one->account);
        const size_t row = table_row(table);
        table_set_text(table, RECHARGE_ACCOUNT, row, account ? account->name : STR("---"));
        table_set_int(table, RECHARGE_LINES, row, one->lines);
        table_set_int(table, RECHARGE_BACK, row, one->taken_back);
        table_set_int(table, RECHARGE_CHARGED, row, one->charged);
        table_set_int(table, RECHARGE_DIFFERENCE, row, one->charged - one->taken_back);
    }
    if (plan->count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "%s", same);
    } else if (!applied) {
        answer_note(bank->answer, NOTE_RESULT,
                    "nothing was changed: this is the plan; --apply posts it");
    }
}

/*
 * Prices runs of a time by the rates of today: said with its dates, shown first, done with
 * --apply.
 */
static int recharge(struct bank *bank, const struct zone *zone)
{
    struct charging_result result = {0};
    struct charging_plan plan = {0};
    const bool apply = request_flag(bank->request, "apply");
    struct charging_wish wish = {.which = CHARGING_ALL,
                                 .why = STR("charged again by the current rates"),
                                 .who = str_of(bank->service->caller->name),
                                 .now = bank->now,
                                 .plan = &plan,
                                 .plan_only = !apply};
    const struct str note = request_text(bank->request, "note");
    wish.why = note.ptr ? note : wish.why;
    if (!request_has(bank->request, "from")) {
        return error_set(bank->err, ERROR_USAGE,
                         "say from when on runs are charged again: --recharge --from DAY");
    }
    int failed = bank_instant(bank, "from", false, 0, &wish.since);
    failed = failed ? failed : bank_instant(bank, "to", true, 0, &wish.until);
    failed = failed ? failed
                    : charging_run(bank->books, bank->service->session, zone, &wish, &result,
                                   bank->err);
    if (!failed) {
        change_show_differences(bank, &plan, apply,
                                "the present rates give every run the price it was charged");
    }
    charging_plan_release(&plan);
    return failed;
}

int bank_do_charge(struct bank *bank)
{
    struct charging_result result = {0};
    struct zone *zone = NULL;
    struct facts *facts = NULL;
    struct charging_wish wish = {.which = CHARGING_CHANGED,
                                 .who = str_of(bank->service->caller->name),
                                 .now = bank->now};
    int failed;
    (void)((failed = session_facts(bank->service->session, FACTS_READ, &facts, bank->err)) ||
           (failed = rollup_update_zone(bank->service, facts, &zone, bank->err)));
    session_close(bank->service->session); /* it is asked again inside, for what is newest */
    if (!failed && request_flag(bank->request, "recharge")) {
        failed = recharge(bank, zone);
    } else if (!failed) {
        failed =
            charging_run(bank->books, bank->service->session, zone, &wish, &result, bank->err);
        show_charged(bank, &result);
    }
    zone_close(zone);
    return failed;
}
