/* SPDX-License-Identifier: MIT */

/* stint bank enforce, release, limits: what schedulers let start, and what the bank shows. */

#include "service/bank/bank_enforce.h"

#include "bank/amount.h"
#include "base/lockfile.h"
#include "enforce/drift.h"
#include "service/bank/enforcement.h"

/* --- which clusters ----------------------------------------------------------------------- */

static bool is_wanted(const struct bank *bank, const struct config_section *section)
{
    const struct str list = request_text(bank->request, "cluster");
    bool wanted = !list.ptr;
    for (struct str rest = list; rest.ptr && !wanted;) {
        wanted = str_eq(str_trim(str_cut(&rest, ',')), section->name);
    }
    return wanted && str_eq(section->kind, STR("enforce"));
}

static size_t count_wanted(const struct bank *bank)
{
    const struct config *config = bank->service->config;
    size_t count = 0;
    for (size_t i = 0; config && i < config->section_count; i++) {
        count += is_wanted(bank, &config->sections[i]);
    }
    return count;
}

/*
 * Each cluster for itself: one that does not answer keeps no other from being looked at. If it
 * is the only one, what is wrong with it is the answer.
 */
static int each_cluster(struct bank *bank,
                        int (*look)(struct bank *bank, const struct config_section *section,
                                    struct error *err))
{
    const struct config *config = bank->service->config;
    const size_t wanted = count_wanted(bank);
    int failed = config ? config_check_plain(config, bank->err) : 0;
    if (!failed && wanted == 0) {
        return error_set(
            bank->err, ERROR_USAGE,
            "stint.conf has no section [enforce NAME]%s: stint config example shows one",
            request_has(bank->request, "cluster") ? " of that cluster" : "");
    }
    for (size_t i = 0; !failed && i < config->section_count; i++) {
        struct error why = {0};
        const int broken =
            is_wanted(bank, &config->sections[i]) ? look(bank, &config->sections[i], &why) : 0;
        if (broken && (wanted == 1 || broken == ERROR_STORE || broken == ERROR_STOPPED)) {
            *bank->err = why;
            failed = broken;
        } else if (broken) {
            answer_note(bank->answer, NOTE_WARNING, "%s; nothing was changed there", why.text);
            bank->answer->status = 1;
        }
    }
    return failed;
}

/* --- the plan ----------------------------------------------------------------------------- */

enum step_column {
    CLUSTER_C,
    ACCOUNT_C,
    KIND_C,
    NAME_C,
    UNDER_C,
    LIMIT_C,
    ACTION_C,
    FROM_C,
    TO_C,
    FOUND_C,
    STATE_C,
    WHY_C,
};

static const struct heading step_headings[] = {
    [CLUSTER_C] = {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [KIND_C] = {"kind", "Kind", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [NAME_C] = {"name", "Name", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [UNDER_C] = {"under", "In", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [LIMIT_C] = {"mode", "Mode", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [ACTION_C] = {"action", "Action", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [FROM_C] = {"from", "From", CELL_INT, UNIT_COUNT, COLUMN_BESIDE},
    [TO_C] = {"to", "To", CELL_INT, UNIT_COUNT, COLUMN_BESIDE},
    [FOUND_C] = {"found", "Found", CELL_INT, UNIT_COUNT, COLUMN_BESIDE},
    [STATE_C] = {"state", "State", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [WHY_C] = {"why", "Why", CELL_TEXT, UNIT_NONE, COLUMN_PROSE},
};

static void set_text(struct table *table, size_t column, size_t row, struct str text)
{
    if (text.len > 0) {
        table_set_text(table, column, row, text);
    }
}

static void set_value(struct table *table, size_t column, size_t row,
                      struct enforce_value value)
{
    if (value.is) {
        table_set_int(table, column, row, value.n);
    }
}

/* The first columns of both tables. */
static size_t add_target(struct table *table, const struct enforcement *enforcing,
                         const struct limit_plan_row *of)
{
    const size_t row = table_row(table);
    table_set_text(table, CLUSTER_C, row, enforcing->site.cluster);
    set_text(table, ACCOUNT_C, row, of->demand ? of->demand->account : (struct str){0});
    table_set_text(table, KIND_C, row, str_of(enforce_kind_name(of->target.kind)));
    table_set_text(table, NAME_C, row, of->target.name);
    set_text(table, UNDER_C, row, of->target.under);
    table_set_text(table, LIMIT_C, row, str_of(enforce_mode_name(of->mode)));
    return row;
}

/*
 * Steps, what ought to be stopped and is left alone, and what is stopped by a limit of which
 * nobody knows whose it is.
 */
static void add_step(struct table *table, struct enforcement *enforcing,
                     const struct limit_plan_row *step)
{
    const bool is_step = limit_plan_is_step(step);
    const bool spared = !is_step && step->untouched && step->demand &&
                        !step->demand->unlimited && step->demand->room <= 0;
    const bool foreign = !is_step && step->foreign < ENFORCE_MODES;
    if (!is_step && !spared && !foreign) {
        return;
    }
    const size_t row = add_target(table, enforcing, step);
    set_value(table, FROM_C, row, step->now);
    table_set_text(table, ACTION_C, row, str_of(limit_plan_action_name(step->action)));
    table_set_text(table, STATE_C, row,
                   str_of(is_step ? limit_plan_outcome_name(step->outcome)
                                  : enforcement_verdict(enforcing, step)));
    set_text(table, WHY_C, row,
             str_of(is_step ? step->why : enforcement_finding(enforcing, step)));
    if (is_step) {
        set_value(table, TO_C, row, step->to);
    }
    if (step->asked) {
        set_value(table, FOUND_C, row, step->found);
    }
}

static void note_outcomes(struct bank *bank, const struct enforcement *enforcing)
{
    size_t counts[PLAN_OUTCOMES] = {0};
    const struct limit_plan *plan = &enforcing->plan;
    for (size_t i = 0; i < plan->count; i++) {
        counts[plan->rows[i].outcome] += limit_plan_is_step(&plan->rows[i]);
    }
    if (request_flag(bank->request, "apply")) {
        answer_note(bank->answer, NOTE_RESULT,
                    "%.*s: %zu done, %zu failed, %zu not tried, %zu withheld",
                    STR_ARG(enforcing->site.cluster), counts[PLAN_DONE], counts[PLAN_FAILED],
                    counts[PLAN_NOT_TRIED], counts[PLAN_WITHHELD]);
        if (counts[PLAN_FAILED] || counts[PLAN_NOT_TRIED] || counts[PLAN_WITHHELD]) {
            bank->answer->status = 1;
        }
    } else if (counts[PLAN_SHOWN] || counts[PLAN_WITHHELD]) {
        answer_note(bank->answer, NOTE_RESULT,
                    "%.*s: nothing was changed; with --apply, %zu limits are, and %zu are "
                    "withheld",
                    STR_ARG(enforcing->site.cluster), counts[PLAN_SHOWN],
                    counts[PLAN_WITHHELD]);
    }
}

static int carry_out(struct bank *bank, struct enforcement *enforcing, struct error *err)
{
    const struct limit_plan_work work = {
        .driver = enforcing->driver,
        .site = &enforcing->site,
        .books = bank->books,
        .who = str_of(bank->service->caller->name),
        .now = bank->service->now,
    };
    int failed = limit_plan_recover(&work, &enforcing->states, err);
    return failed ? failed : limit_plan_apply(&enforcing->plan, &work, err);
}

/*
 * How far each account is from what it should be once the plan was carried out, for those who
 * watch: the largest difference of its limits of the mode that holds.
 */
static int record_drift(struct bank *bank, const struct enforcement *enforcing,
                        struct error *err)
{
    const struct limit_plan *plan = &enforcing->plan;
    int failed;
    (void)((failed = books_begin(bank->books, err)) ||
           (failed = drift_clear(bank->books, enforcing->site.cluster, err)));
    for (size_t i = 0; !failed && i < plan->count; i++) {
        int64_t amount;
        const struct limit_plan_row *row = &plan->rows[i];
        if (row->demand && row->mode == enforcing->site.mode &&
            limit_plan_drift_left(row, &amount)) {
            failed = drift_put(bank->books, enforcing->site.cluster, row->demand->account,
                               amount, bank->now, err);
        }
    }
    failed = failed ? failed : books_commit(bank->books, err);
    books_rollback(bank->books);
    return failed;
}

static int look_at_plan(struct bank *bank, const struct config_section *section, bool release,
                        struct error *err)
{
    struct enforcement enforcing;
    struct str account = {0};
    const bool all = !request_each(bank->request, "word", 0, &account);
    int failed = enforcement_open(bank, section, release, account, &enforcing, err);
    if (!failed && request_flag(bank->request, "apply")) {
        failed = carry_out(bank, &enforcing, err);
        if (!failed && all && !release) {
            failed = record_drift(bank, &enforcing, err);
        }
    }
    for (size_t i = 0; !failed && i < enforcing.plan.count; i++) {
        add_step(&bank->answer->table, &enforcing, &enforcing.plan.rows[i]);
    }
    if (!failed) {
        note_outcomes(bank, &enforcing);
    }
    enforcement_close(&enforcing);
    return failed;
}

static int look_at_balances(struct bank *bank, const struct config_section *section,
                            struct error *err)
{
    return look_at_plan(bank, section, false, err);
}

static int look_at_kept(struct bank *bank, const struct config_section *section,
                        struct error *err)
{
    return look_at_plan(bank, section, true, err);
}

static int show_plan(struct bank *bank,
                     int (*look)(struct bank *bank, const struct config_section *section,
                                 struct error *err))
{
    table_columns(&bank->answer->table, step_headings, COUNT_OF(step_headings));
    bank->answer->table.columns[KIND_C].audience = COLUMN_FOR_MACHINES;
    bank->answer->table.columns[FOUND_C].audience = COLUMN_FOR_MACHINES;
    struct lockfile lock = LOCKFILE_NONE;
    int failed =
        request_flag(bank->request, "apply")
            ? lockfile_take(bank->service->store, "enforce",
                            "'stint bank enforce' or 'release' with --apply", &lock, bank->err)
            : 0;
    failed = failed ? failed : each_cluster(bank, look);
    lockfile_release(&lock);
    if (!failed && bank->answer->table.row_count == 0 && bank->answer->status == 0) {
        answer_note(bank->answer, NOTE_EMPTY,
                    "nothing to change: limits are as they should be");
    }
    return failed;
}

int bank_do_enforce(struct bank *bank)
{
    return show_plan(bank, look_at_balances);
}

int bank_do_release(struct bank *bank)
{
    return show_plan(bank, look_at_kept);
}

/* --- limits ------------------------------------------------------------------------------- */

enum limit_column { SHOWN_C = LIMIT_C + 1, ENFORCED_C, USED_C, DRIFT_C, VERDICT_C, LEFT_WHY_C };

static const struct heading limit_headings[] = {
    [CLUSTER_C] = {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [KIND_C] = {"kind", "Kind", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [NAME_C] = {"name", "Name", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [UNDER_C] = {"under", "In", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [LIMIT_C] = {"mode", "Mode", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [SHOWN_C] = {"shown", "Shown", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [ENFORCED_C] = {"enforced", "Enforced", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [USED_C] = {"used", "Used", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [DRIFT_C] = {"drift", "Drift", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [VERDICT_C] = {"state", "State", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [LEFT_WHY_C] = {"why", "Why", CELL_TEXT, UNIT_NONE, COLUMN_PROSE},
};

static void add_limit(struct table *table, struct enforcement *enforcing,
                      const struct limit_plan_row *of)
{
    const size_t row = add_target(table, enforcing, of);
    int64_t amount;
    if (of->demand && !of->demand->unlimited) {
        table_set_int(table, SHOWN_C, row, of->demand->room);
    }
    if (limit_plan_enforced(of, &amount)) {
        table_set_int(table, ENFORCED_C, row, amount);
    }
    if (of->state && of->state->counted) {
        table_set_int(table, USED_C, row,
                      (int64_t)((wide_int)of->state->used_s * AMOUNT_ONE / 3600));
    }
    if (limit_plan_drift(of, &amount)) {
        table_set_int(table, DRIFT_C, row, amount);
    }
    table_set_text(table, VERDICT_C, row, str_of(enforcement_verdict(enforcing, of)));
    set_text(table, LEFT_WHY_C, row, str_of(enforcement_finding(enforcing, of)));
}

static int look_at_limits(struct bank *bank, const struct config_section *section,
                          struct error *err)
{
    struct enforcement enforcing;
    struct str account = {0};
    (void)request_each(bank->request, "word", 0, &account);
    int failed = enforcement_open(bank, section, false, account, &enforcing, err);
    for (size_t i = 0; !failed && i < enforcing.plan.count; i++) {
        add_limit(&bank->answer->table, &enforcing, &enforcing.plan.rows[i]);
    }
    const char *caps = failed ? NULL : enforcement_caps(&enforcing);
    if (caps) {
        answer_note(bank->answer, NOTE_WARNING, "%.*s: %s", STR_ARG(enforcing.site.cluster),
                    caps);
    }
    const char *factors = failed ? NULL : enforcement_factors(&enforcing);
    if (factors) {
        answer_note(bank->answer, NOTE_WARNING, "%.*s: %s", STR_ARG(enforcing.site.cluster),
                    factors);
    }
    enforcement_close(&enforcing);
    return failed;
}

int bank_show_limits(struct bank *bank)
{
    table_columns(&bank->answer->table, limit_headings, COUNT_OF(limit_headings));
    bank->answer->table.columns[KIND_C].audience = COLUMN_FOR_MACHINES;
    int failed = each_cluster(bank, look_at_limits);
    if (!failed) {
        answer_note(bank->answer, NOTE_READING,
                    "shown: what the bank lets the account still start; enforced: what the "
                    "scheduler does; used: by the scheduler's own count; drift: enforced less "
                    "shown");
    }
    return failed;
}
