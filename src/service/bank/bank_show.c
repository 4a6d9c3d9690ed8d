/* SPDX-License-Identifier: MIT */

/* stint bank balance, statement, history, check. */

#include <inttypes.h>
#include <stdlib.h>

#include "bank/allotment_order.h"
#include "bank/amount.h"
#include "bank/closings.h"
#include "bank/name_ids.h"
#include "base/mem.h"
#include "books/chain.h"
#include "service/bank/bank.h"
#include "service/bank/beside.h"
#include "service/core/params.h"

/* --- balance ------------------------------------------------------------------------------ */

enum balance_column {
    ACCOUNT_C,
    STATE_C,
    GRANTED_C,
    USED_C,
    SHARE_C,
    BALANCE_C,
    HELD_C,
    FREE_C,
    END_C,
    OUT_C,
    OUT_FIRST_C,
    OUT_LAST_C,
    EXPIRES_C,
    PARENT_C,
};

static const struct heading balance_headings[] = {
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [STATE_C] = {"state", "State", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [GRANTED_C] = {"granted", "Granted", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [USED_C] = {"used", "Used", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [SHARE_C] = {"share", "Share", CELL_REAL, UNIT_RATIO, COLUMN_BESIDE},
    [BALANCE_C] = {"balance", "Balance", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [HELD_C] = {"held", "Held", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [FREE_C] = {"free", "Free", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [END_C] = {"ends", "Ends", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [OUT_C] = {"runs_out", "Runs out", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [OUT_FIRST_C] = {"runs_out_earliest", "Earliest", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [OUT_LAST_C] = {"runs_out_latest", "Latest", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [EXPIRES_C] = {"will_expire", "Will expire", CELL_INT, UNIT_SU, COLUMN_BESIDE},
    [PARENT_C] = {"parent", "Paid by", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

static const char *state_of(const struct ledger_balance *balance)
{
    return balance->unlimited                               ? "unlimited"
           : balance->granted == 0 && balance->balance == 0 ? "empty"
           : balance->free + balance->floor <= 0            ? "over"
           : balance->free * 10 <= balance->granted         ? "low"
                                                            : "ok";
}

/* When `free` is gone at this many SU a day; -1: never, or after instants end. */
static int64_t runs_out(int64_t free_micro, int64_t used, int64_t days, int64_t now)
{
    if (used <= 0 || free_micro <= 0) {
        return free_micro <= 0 ? now : -1;
    }
    const wide_int at = now + (wide_int)free_micro * days * DAY_US / used;
    return at < INSTANT_MAX ? (int64_t)at : -1;
}

static void set_instant(struct table *table, size_t column, size_t row, int64_t instant)
{
    if (instant >= 0 && instant < INSTANT_MAX) {
        table_set_int(table, column, row, instant);
    }
}

/*
 * When it runs out by what was used in the last 30 days; the band is between that and the last
 * 7.
 */
struct forecast {
    bool is;             /* there is something to run out of */
    int64_t out;         /* -1: never */
    int64_t first, last; /* -1: never */
    int64_t expires;     /* at the next end; -1: nothing ends */
};

enum { RATE_DAYS = 30 };

/*
 * What expires at the next end, at the rate of the last 30 days of each cluster; -1: nothing
 * ends.
 */
static int will_expire(const struct bank *bank, const struct ledger_account *account,
                       const struct ledger_uses *uses, int64_t *out)
{
    struct draw_day *clusters = mem_alloc(uses->count + 1, sizeof(*clusters));
    size_t count = 0;
    int64_t end;
    int failed = 0;
    for (size_t i = 0; !failed && i < uses->count; i++) {
        size_t c = 0;
        while (c < count && !str_eq(clusters[c].cluster, uses->rows[i].cluster)) {
            c++;
        }
        count += c == count;
        clusters[c].cluster = uses->rows[i].cluster;
        failed = amount_add(clusters[c].amount, uses->rows[i].amount, &clusters[c].amount,
                            bank->err);
    }
    failed = failed ? failed
                    : draw_expiring(&bank->allotments, account->payer, clusters, count,
                                    RATE_DAYS * DAY_US, account->held, bank->now, &end, out,
                                    bank->err);
    if (!failed && end == INSTANT_MAX) {
        *out = -1;
    }
    free(clusters);
    return failed;
}

static int forecast(const struct bank *bank, const struct ledger_account *account,
                    const struct ledger_balance *balance, struct forecast *out)
{
    const int64_t today = bank_day(bank, bank->now);
    struct ledger_uses uses;
    int64_t used_30 = 0, used_7 = 0;
    *out = (struct forecast){.is = !balance->unlimited && balance->granted != 0};
    int failed = ledger_uses_list(bank->books, account->payer, today - RATE_DAYS, today, &uses,
                                  bank->err);
    for (size_t i = 0; !failed && i < uses.count; i++) {
        failed = amount_add(used_30, uses.rows[i].amount, &used_30, bank->err);
    }
    (void)(failed ||
           (failed = ledger_used(bank->books, account->payer, today - 7, today, &used_7,
                                 bank->err)) ||
           (failed = will_expire(bank, account, &uses, &out->expires)));
    ledger_uses_release(&uses);
    if (ledger_has_parent(account)) {
        out->expires = -1; /* it is the parent's */
    }
    const int64_t by_30 = runs_out(balance->free, used_30, RATE_DAYS, bank->now),
                  by_7 = runs_out(balance->free, used_7, 7, bank->now);
    const bool later = by_7 < 0 || (by_30 >= 0 && by_7 > by_30);
    out->out = by_30;
    out->first = later ? by_30 : by_7;
    out->last = later ? by_7 : by_30;
    return failed;
}

static int add_forecast(const struct bank *bank, const struct ledger_account *account,
                        const struct ledger_balance *balance, size_t row)
{
    struct table *table = &bank->answer->table;
    struct forecast of;
    int failed = forecast(bank, account, balance, &of);
    if (failed || !of.is) {
        return failed;
    }
    set_instant(table, OUT_C, row, of.out);
    set_instant(table, OUT_FIRST_C, row, of.first);
    set_instant(table, OUT_LAST_C, row, of.last);
    if (of.expires >= 0) {
        table_set_int(table, EXPIRES_C, row, of.expires);
    }
    return 0;
}

/*
 * What an account with a parent used since the first of the allotments that hold now began, and
 * what its own jobs hold: the rest is the parent's.
 */
static int set_own(const struct bank *bank, const struct ledger_account *account, size_t row)
{
    struct table *table = &bank->answer->table;
    int64_t from = bank->now, used = 0;
    for (size_t i = 0; i < bank->allotments.count; i++) {
        const struct ledger_allotment *allotment = &bank->allotments.rows[i];
        if (allotment->account == account->payer && bank->now < allotment->to &&
            allotment->from < from) {
            from = allotment->from;
        }
    }
    const int failed = ledger_used(bank->books, account->id, bank_day(bank, from), INT32_MAX,
                                   &used, bank->err);
    table_set_int(table, USED_C, row, used);
    table_set_int(table, HELD_C, row, account->own_held);
    table_set_text(table, PARENT_C, row, account->payer_name);
    return failed;
}

static void set_balance(struct table *table, const struct ledger_balance *balance, size_t row)
{
    const int64_t used = balance->granted - balance->balance;
    table_set_int(table, USED_C, row, used);
    table_set_int(table, HELD_C, row, balance->held);
    if (!balance->unlimited) {
        table_set_int(table, GRANTED_C, row, balance->granted);
        table_set_int(table, BALANCE_C, row, balance->balance);
    }
    if (!balance->unlimited && balance->granted > 0) {
        table_set_real(table, SHARE_C, row, (double)used / (double)balance->granted);
    }
}

static int add_balance(const struct bank *bank, const struct caps *caps,
                       const struct ledger_account *account)
{
    struct table *table = &bank->answer->table;
    struct ledger_balance balance;
    int64_t ceiling = 0;
    int failed = ledger_balance(account, &bank->allotments, bank->now, &balance, bank->err);
    failed = failed ? failed : bank_ceiling(bank, caps, account, &ceiling);
    if (failed) {
        return failed;
    }
    const size_t row = table_row(table);
    table_set_text(table, ACCOUNT_C, row, account->name);
    table_set_text(table, STATE_C, row,
                   account->closed <= bank->now ? STR("closed")
                   : ceiling <= 0               ? STR("over")
                                                : str_of(state_of(&balance)));
    if (ledger_has_parent(account)) {
        failed = set_own(bank, account, row);
    } else {
        set_balance(table, &balance, row);
    }
    const int64_t open = balance.unlimited ? INT64_MAX : balance.free;
    if (open < INT64_MAX || ceiling < INT64_MAX) {
        table_set_int(table, FREE_C, row, ceiling < open ? ceiling : open);
    }
    set_instant(table, END_C, row, balance.end);
    return failed ? failed : add_forecast(bank, account, &balance, row);
}

/* Which balances are shown: of one account, of those that one pays for, or of all. */
struct balances {
    const struct ledger_account *one, *parent; /* or NULL */
    bool own;                                  /* of all: of those that the caller is in */
};

static int is_shown(const struct bank *bank, const struct balances *which,
                    const struct ledger_account *account, bool *out)
{
    if (which->one || which->parent || !which->own) {
        *out = (!which->one || which->one == account) &&
               (!which->parent ||
                (account->payer == which->parent->id && ledger_has_parent(account)));
        return 0;
    }
    return bank_is_in(bank, account, out);
}

static int show_balances(struct bank *bank, const struct balances *which)
{
    static const char *const shown_beside[] = {"used", "free", NULL};
    struct beside beside;
    struct caps caps;
    int failed = caps_list(bank->books, bank->zone, bank->now, &caps, bank->err);
    table_columns(&bank->answer->table, balance_headings, COUNT_OF(balance_headings));
    beside_columns(bank->service, &bank->answer->table, shown_beside, &beside);
    bank->answer->table.columns[OUT_FIRST_C].audience = COLUMN_FOR_MACHINES;
    bank->answer->table.columns[OUT_LAST_C].audience = COLUMN_FOR_MACHINES;
    bank->answer->table.columns[PARENT_C].audience = COLUMN_FOR_MACHINES;
    for (size_t i = 0; !failed && i < bank->accounts.count; i++) {
        const struct ledger_account *account = &bank->accounts.rows[i];
        bool shown = false;
        failed = is_shown(bank, which, account, &shown);
        failed = failed || !shown ? failed : add_balance(bank, &caps, account);
        if (shown && ledger_has_parent(account)) {
            bank->answer->table.columns[PARENT_C].audience = COLUMN_FOR_ALL;
        }
        failed = failed || !shown || !(which->own || which->one)
                     ? failed
                     : bank_note_caps(bank, account);
    }
    failed = failed ? failed : beside_fill(&beside, &bank->answer->table, bank->err);
    caps_release(&caps);
    if (bank->answer->table.row_count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "%s",
                    which->own      ? "none of your runs was charged to an account of the bank"
                    : which->parent ? "it pays for no other account"
                    : caller_may(bank->service->caller, RIGHT_ALL)
                        ? "the bank has no account yet: stint bank open ACCOUNT"
                        : "no account of the bank is visible to you; see: stint help bank");
    } else {
        answer_note(bank->answer, NOTE_READING,
                    "free is the balance without what running jobs may still cost; it runs out "
                    "at the rate of the last 30 days");
    }
    return failed;
}

int bank_show_balance(struct bank *bank, bool own)
{
    struct str name = {0};
    const struct str parent = own ? name : request_text(bank->request, "parent");
    struct balances which = {.own = own};
    int failed = request_each(bank->request, "word", 0, &name)
                     ? ledger_accounts_get(&bank->accounts, name, &which.one, bank->err)
                     : 0;
    if (!failed && parent.ptr) {
        failed = ledger_accounts_get(&bank->accounts, parent, &which.parent, bank->err);
    }
    return failed ? failed : show_balances(bank, &which);
}

int bank_list_balances(struct bank *bank)
{
    return show_balances(bank, &(struct balances){0});
}

/* --- statement ---------------------------------------------------------------------------- */

enum line_column { WHAT_C, CLUSTER_C, USER_C, AMOUNT_C };

static const struct heading statement_headings[] = {
    [WHAT_C] = {"what", "What", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [CLUSTER_C] = {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [USER_C] = {"user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [AMOUNT_C] = {"amount", "SU", CELL_INT, UNIT_SU, COLUMN_MEASURE},
};

static void add_line(const struct bank *bank, const char *what, struct str cluster,
                     struct str user, int64_t amount)
{
    struct table *table = &bank->answer->table;
    const size_t row = table_row(table);
    table_set_text(table, WHAT_C, row, str_of(what));
    if (cluster.ptr) {
        table_set_text(table, CLUSTER_C, row, cluster);
        table_set_text(table, USER_C, row, user);
    }
    table_set_int(table, AMOUNT_C, row, amount);
}

int bank_balance_at(const struct bank *bank, const struct ledger_account *account,
                    int64_t instant, int64_t *out)
{
    int64_t used = 0;
    int failed;
    *out = 0;
    if (ledger_has_parent(account)) {
        return 0;
    }
    (void)((failed = ledger_moved(bank->books, account->id, instant, out, bank->err)) ||
           (failed = ledger_used(bank->books, account->id, INT32_MIN, bank_day(bank, instant),
                                 &used, bank->err)) ||
           (failed = amount_add(*out, -used, out, bank->err)));
    return failed;
}

/* Sums by kind of what counts in the period, but for charges. */
static int add_moved(const struct bank *bank, const struct ledger_account *account,
                     struct period period)
{
    const struct str none = {0};
    int64_t sums[LEDGER_KINDS];
    int failed =
        ledger_moved_between(bank->books, account->id, period.from, period.to, sums, bank->err);
    for (unsigned i = 0; !failed && i < LEDGER_KINDS; i++) {
        if (sums[i] != 0) {
            add_line(bank, ledger_kind_name(i), none, none, sums[i]);
        }
    }
    return failed;
}

/* What its parent paid in the period. */
static int add_paid(const struct bank *bank, const struct ledger_account *account,
                    struct period period)
{
    struct arena *arena = &bank->answer->table.arena;
    int64_t used = 0;
    if (!ledger_has_parent(account)) {
        return 0;
    }
    const int failed = ledger_used(bank->books, account->id, bank_day(bank, period.from),
                                   bank_day(bank, period.to), &used, bank->err);
    if (!failed && used != 0) {
        add_line(bank, arena_printf(arena, "paid by %.*s", STR_ARG(account->payer_name)),
                 (struct str){0}, (struct str){0}, used);
    }
    return failed;
}

static bool is_caller(const struct bank *bank, struct str user)
{
    const struct caller *caller = bank->service->caller;
    size_t i = 0;
    while (i < caller->login_count && !str_eq(caller->logins[i], user)) {
        i++;
    }
    return i < caller->login_count;
}

/* Takes what was posted for closed periods off the use of the same cluster and user. */
static int take_late(const struct bank *bank, const struct late *late, struct ledger_uses *uses,
                     struct ledger_use *out)
{
    struct arena *arena = &bank->answer->table.arena;
    int failed = name_ids_of(bank->books, late->cluster, arena, &out->cluster, bank->err);
    failed =
        failed ? failed : name_ids_of(bank->books, late->user, arena, &out->user, bank->err);
    out->amount = late->amount;
    for (size_t i = 0; !failed && i < uses->count; i++) {
        struct ledger_use *use = &uses->rows[i];
        if (str_eq(use->cluster, out->cluster) && str_eq(use->user, out->user)) {
            use->amount -= late->amount;
            return 0;
        }
    }
    /* all of it was taken back on another day of the period */
    uses->rows = mem_resize(uses->rows, uses->count + 1, sizeof(*uses->rows));
    uses->rows[uses->count++] = (struct ledger_use){out->cluster, out->user, -late->amount};
    return failed;
}

/* What was posted for closed periods, by the days that it corrects. */
static int add_late(const struct bank *bank, const struct ledger_account *account,
                    struct period period, struct ledger_uses *uses)
{
    struct lates lates;
    int failed = lates_read(bank->books, account->id, bank_day(bank, period.from),
                            bank_day(bank, period.to), &lates, bank->err);
    for (size_t i = 0; !failed && i < lates.count; i++) {
        const struct civil first = civil_of_days(lates.rows[i].first),
                           last = civil_of_days(lates.rows[i].last);
        struct ledger_use use;
        failed = take_late(bank, &lates.rows[i], uses, &use);
        if (failed || use.amount == 0) {
            continue;
        }
        const bool seen = bank_manages(bank, account) || is_caller(bank, use.user);
        add_line(bank,
                 arena_printf(&bank->answer->table.arena,
                              "correction of closed %04d-%02d-%02d to %04d-%02d-%02d",
                              first.year, first.month, first.day, last.year, last.month,
                              last.day),
                 seen ? use.cluster : (struct str){0}, seen ? use.user : (struct str){0},
                 -use.amount);
    }
    lates_release(&lates);
    return failed;
}

static int add_charges(const struct bank *bank, const struct ledger_account *account,
                       struct period period)
{
    struct ledger_uses uses;
    int failed = ledger_uses_list(bank->books, account->id, bank_day(bank, period.from),
                                  bank_day(bank, period.to), &uses, bank->err);
    failed = failed ? failed : add_late(bank, account, period, &uses);
    int64_t others = 0; /* whose names the caller does not see */
    for (size_t i = 0; !failed && i < uses.count; i++) {
        const struct ledger_use *use = &uses.rows[i];
        if (use->amount == 0) {
            continue;
        }
        if (bank_manages(bank, account) || is_caller(bank, use->user)) {
            add_line(bank, "charge", use->cluster, use->user, -use->amount);
        } else {
            others += use->amount;
        }
    }
    if (others != 0) {
        add_line(bank, "charges of others", (struct str){0}, (struct str){0}, -others);
    }
    ledger_uses_release(&uses);
    return failed;
}

/* Statements are of whole days: charges are kept by day. */
static int whole_days(const struct bank *bank, struct period *period)
{
    const struct civil from = zone_civil(bank->zone, period->from),
                       to = zone_civil(bank->zone, period->to - 1);
    period->from =
        zone_instant(bank->zone, (struct civil){from.year, from.month, from.day, 0, 0, 0, 0});
    period->to =
        zone_instant(bank->zone, (struct civil){to.year, to.month, to.day + 1, 0, 0, 0, 0});
    return 0;
}

static void add_day(struct buf *out, const struct bank *bank, int64_t instant)
{
    const struct civil civil = zone_civil(bank->zone, instant);
    buf_addf(out, "%04d-%02d-%02d", civil.year, civil.month, civil.day);
}

/* Of a statement that reaches up to today: when the account runs out, and what will expire. */
static int note_forecast(const struct bank *bank, const struct ledger_account *account)
{
    enum { TEXT_MAX = 512 };

    struct ledger_balance balance;
    struct forecast of = {0};
    struct buf text;
    struct arena arena = {0};
    int failed;
    (void)((failed =
                ledger_balance(account, &bank->allotments, bank->now, &balance, bank->err)) ||
           (failed = forecast(bank, account, &balance, &of)));
    if (failed || !of.is) {
        return failed;
    }
    buf_init(&text, TEXT_MAX);
    buf_addz(&text, "at the rate of the last 30 days, ");
    if (of.out >= 0) {
        buf_addz(&text, "what is free runs out on ");
        add_day(&text, bank, of.out);
        buf_addz(&text, "; at that of the last 7, ");
        const int64_t other = of.out == of.first ? of.last : of.first;
        if (other >= 0) {
            buf_addz(&text, "on ");
            add_day(&text, bank, other);
        } else {
            buf_addz(&text, "it does not");
        }
    } else {
        buf_addz(&text, "what is free does not run out");
    }
    if (of.expires > 0) {
        buf_addf(&text, "; %.*s SU will expire on ",
                 STR_ARG(amount_print(&arena, of.expires / AMOUNT_ONE * AMOUNT_ONE)));
        add_day(&text, bank, balance.end);
    }
    answer_note(bank->answer, NOTE_ESTIMATE, "%s", text.ptr);
    arena_release(&arena);
    buf_release(&text);
    return 0;
}

/* The last head, which a statement carries: its holder can have it looked for later. */
static int note_head(const struct bank *bank)
{
    struct chain_link last;
    const int failed = chain_last(bank->books, &last, bank->err);
    if (!failed && last.number > 0) {
        answer_note(bank->answer, NOTE_READING, "head of the ledger, link %" PRId64 ": %s",
                    last.number, last.head);
    }
    return failed;
}

int bank_show_statement(struct bank *bank)
{
    static const char *const shown_beside[] = {"amount", NULL};
    const struct str none = {0};
    const struct ledger_account *account;
    struct beside beside;
    struct period period;
    int64_t opening = 0, closing = 0;
    int failed;
    (void)((failed = bank_account(bank, 0, &account)) ||
           (failed = params_period(bank->service, bank->request, &period, bank->err)) ||
           (failed = whole_days(bank, &period)) ||
           (failed = bank_balance_at(bank, account, period.from, &opening)) ||
           (failed = bank_balance_at(bank, account, period.to, &closing)));
    if (failed) {
        return failed;
    }
    table_columns(&bank->answer->table, statement_headings, COUNT_OF(statement_headings));
    beside_columns(bank->service, &bank->answer->table, shown_beside, &beside);
    table_exact(&bank->answer->table);
    add_line(bank, "opening balance", none, none, opening);
    (void)((failed = add_moved(bank, account, period)) ||
           (failed = add_paid(bank, account, period)) ||
           (failed = add_charges(bank, account, period)));
    add_line(bank, "closing balance", none, none, closing);
    failed = failed ? failed : beside_fill(&beside, &bank->answer->table, bank->err);
    bank->answer->period = period;
    params_note_time(bank->service, period, bank->now, bank->answer);
    answer_note(bank->answer, NOTE_READING,
                "charges count on the days their runs used, whenever they were posted; grants "
                "on the day their allotment begins, expiry at its end");
    failed = failed ? failed : note_head(bank);
    return failed || period.to <= bank->now ? failed : note_forecast(bank, account);
}

/* --- history ------------------------------------------------------------------------------ */

enum history_column {
    ID_C,
    AT_C,
    KIND_C,
    SU_C,
    FROM_C,
    TO_C,
    WHO_C,
    WHY_C,
    RUN_C,
    KEY_C,
    FROM_ALLOTMENT_C,
    TO_ALLOTMENT_C
};

static const struct heading history_headings[] = {
    [ID_C] = {"entry", "Entry", CELL_INT, UNIT_NONE, COLUMN_DIMENSION},
    [AT_C] = {"at", "At", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION},
    [KIND_C] = {"kind", "Kind", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [SU_C] = {"amount", "SU", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [FROM_C] = {"from", "From", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [TO_C] = {"to", "To", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [WHO_C] = {"who", "Who", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [WHY_C] = {"why", "Why", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [RUN_C] = {"run", "Run", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [KEY_C] = {"key", "Id", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [FROM_ALLOTMENT_C] = {"from_allotment", "From allotment", CELL_INT, UNIT_NONE,
                          COLUMN_BESIDE},
    [TO_ALLOTMENT_C] = {"to_allotment", "To allotment", CELL_INT, UNIT_NONE, COLUMN_BESIDE},
};

/*
 * "chem" and the number of its allotment, 0 for what is owed; or for the site's pots what they
 * are.
 */
static int pot_name(const struct bank *bank, int64_t pot, struct str *out, int64_t *allotment)
{
    static const char *const site[] = {
        [LEDGER_GRANTED] = "granted", [LEDGER_USED] = "used", [LEDGER_EXPIRED] = "expired"};
    int64_t id = 0;
    *allotment = 0;
    if (pot <= LEDGER_EXPIRED) {
        *out = str_of(site[pot]);
        return 0;
    }
    int failed = ledger_pot_account(bank->books, pot, &id, allotment, bank->err);
    const struct ledger_account *account = bank_account_of(bank, id);
    *out = account ? account->name : STR("another account");
    *allotment = account ? *allotment : 0;
    return failed;
}

static int add_entry(const struct bank *bank, const struct ledger_entry *entry)
{
    struct table *table = &bank->answer->table;
    struct str from, to;
    int64_t from_allotment, to_allotment;
    int failed;
    (void)((failed = pot_name(bank, entry->from, &from, &from_allotment)) ||
           (failed = pot_name(bank, entry->to, &to, &to_allotment)));
    if (failed) {
        return failed;
    }
    const struct str texts[] = {[KIND_C] = str_of(ledger_kind_name(entry->kind)),
                                [FROM_C] = from,
                                [TO_C] = to,
                                [WHO_C] = entry->who,
                                [WHY_C] = entry->why,
                                [RUN_C] = entry->run,
                                [KEY_C] = entry->key};
    const size_t row = table_row(table);
    table_set_int(table, ID_C, row, entry->id);
    table_set_int(table, AT_C, row, entry->at);
    table_set_int(table, SU_C, row, entry->amount);
    if (from_allotment) {
        table_set_int(table, FROM_ALLOTMENT_C, row, from_allotment);
    }
    if (to_allotment) {
        table_set_int(table, TO_ALLOTMENT_C, row, to_allotment);
    }
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (texts[i].ptr) {
            table_set_text(table, i, row, texts[i]);
        }
    }
    return 0;
}

int bank_show_history(struct bank *bank)
{
    struct str name;
    const struct ledger_account *account = NULL;
    struct ledger_entries list = {0};
    int64_t from = 0, to = INSTANT_MAX;
    int failed = request_each(bank->request, "word", 0, &name)
                     ? ledger_accounts_get(&bank->accounts, name, &account, bank->err)
                     : 0;
    if (!failed && !account && !caller_may(bank->service->caller, RIGHT_ALL)) {
        return error_set(bank->err, ERROR_USAGE, "say of which account; see: stint balance");
    }
    (void)(failed || (failed = bank_instant(bank, "from", false, 0, &from)) ||
           (failed = bank_instant(bank, "to", true, INSTANT_MAX, &to)) ||
           (failed = ledger_entries_list(bank->books, account ? account->id : 0, from, to,
                                         &list, bank->err)));
    table_columns(&bank->answer->table, history_headings, COUNT_OF(history_headings));
    table_exact(&bank->answer->table);
    bank->answer->table.columns[KEY_C].audience = COLUMN_FOR_MACHINES;
    for (size_t i = 0; !failed && i < list.count; i++) {
        failed = add_entry(bank, &list.rows[i]);
    }
    if (!failed && list.count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "nothing was posted");
    }
    ledger_entries_release(&list);
    return failed;
}

/* --- check -------------------------------------------------------------------------------- */

/* Whether a head that somebody kept is one of the chain. */
static int check_head(const struct bank *bank)
{
    const struct str head = request_text(bank->request, "head");
    struct table *table = &bank->answer->table;
    struct chain_link link;
    if (!head.ptr) {
        return 0;
    }
    const int failed = chain_find(bank->books, head, &link, bank->err);
    if (!failed && link.number == 0) {
        table_set_text(table, 0, table_row(table),
                       STR("the head that was given is not in the chain: what led to it was "
                           "changed, or is not in these books"));
    } else if (!failed) {
        answer_note(bank->answer, NOTE_READING,
                    "the head that was given is that of link %" PRId64, link.number);
    }
    return failed;
}

static int check_chain(const struct bank *bank)
{
    struct chain_findings findings;
    struct table *table = &bank->answer->table;
    int failed = chain_check(bank->books, &findings, bank->err);
    for (size_t i = 0; !failed && i < findings.count; i++) {
        table_set_text(table, 0, table_row(table), findings.rows[i]);
    }
    failed = failed ? failed : check_head(bank);
    failed = failed ? failed : note_head(bank);
    chain_findings_release(&findings);
    return failed;
}

/* Charges beside the records of their runs; without facts there is nothing to compare. */
static int check_runs(const struct bank *bank)
{
    struct charging_comparison found;
    struct table *table = &bank->answer->table;
    int failed = charging_compare(bank->books, bank->service->session, bank->zone, bank->now,
                                  &found, bank->err);
    for (size_t i = 0; !failed && i < found.count; i++) {
        table_set_text(table, 0, table_row(table), found.rows[i]);
    }
    if (!failed && found.behind) {
        answer_note(bank->answer, NOTE_WARNING,
                    "charges were not compared with their runs: some changes of runs are not "
                    "charged yet; charge them with: stint bank charge");
    } else if (!failed) {
        answer_note(bank->answer, NOTE_RESULT,
                    "%" PRId64 " runs were compared with their charges: %" PRId64
                    " differ, %" PRId64 " that were charged are not among the facts",
                    found.runs, found.differing, found.missing);
    }
    charging_comparison_release(&found);
    return failed == ERROR_MISSING ? 0 : failed;
}

int bank_show_check(struct bank *bank)
{
    struct table *table = &bank->answer->table;
    struct ledger_findings findings = {0};
    table_column(table, "finding", "Finding", CELL_TEXT, UNIT_NONE, COLUMN_PROSE);
    int failed = books_verify(bank->books, bank->err);
    failed = failed ? failed : ledger_check(bank->books, &findings, bank->err);
    for (size_t i = 0; !failed && i < findings.count; i++) {
        table_set_text(table, 0, table_row(table), findings.rows[i]);
    }
    failed = failed ? failed : check_chain(bank);
    failed = failed ? failed : check_runs(bank);
    if (!failed) {
        bank->answer->status = table->row_count > 0;
        answer_note(bank->answer, NOTE_RESULT,
                    "%" PRId64 " entries and %" PRId64 " charges of runs were added up: %s",
                    findings.entries, findings.charges,
                    table->row_count ? "what is above is wrong" : "all sums are right");
    }
    ledger_findings_release(&findings);
    return failed;
}

/* --- allotments --------------------------------------------------------------------------- */

enum allotment_column {
    A_ID_C,
    A_ACCOUNT_C,
    A_KIND_C,
    A_FROM_C,
    A_TO_C,
    A_CLUSTERS_C,
    A_GRANTED_C,
    A_CHARGED_C,
    A_EXPIRED_C,
    A_BALANCE_C,
    A_CARRIED_C,
    A_NOTE_C,
    A_REFUNDED_C,
    A_TRANSFERABLE_C,
};

static const struct heading allotment_headings[] = {
    [A_ID_C] = {"allotment", "Number", CELL_INT, UNIT_NONE, COLUMN_DIMENSION},
    [A_ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [A_KIND_C] = {"kind", "Kind", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [A_FROM_C] = {"from", "From", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [A_TO_C] = {"to", "Ends", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [A_CLUSTERS_C] = {"clusters", "Clusters", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [A_GRANTED_C] = {"granted", "Granted", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [A_CHARGED_C] = {"charged", "Charged", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [A_EXPIRED_C] = {"expired", "Expired", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [A_BALANCE_C] = {"balance", "Balance", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [A_CARRIED_C] = {"carried", "Carried in", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [A_NOTE_C] = {"note", "Note", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [A_REFUNDED_C] = {"refunded", "Refunded", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [A_TRANSFERABLE_C] = {"transferable", "Transferable", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

static void add_allotment(const struct bank *bank, const struct ledger_account *account,
                          const struct ledger_allotment *allotment)
{
    struct table *table = &bank->answer->table;
    const size_t row = table_row(table);
    table_set_int(table, A_ID_C, row, allotment->id);
    table_set_text(table, A_ACCOUNT_C, row, account->name);
    table_set_text(table, A_KIND_C, row, allotment->kind);
    set_instant(table, A_FROM_C, row, allotment->from);
    set_instant(table, A_TO_C, row, allotment->to);
    table_set_text(table, A_CLUSTERS_C, row,
                   allotment->clusters.ptr ? allotment->clusters : STR("any"));
    table_set_int(table, A_CHARGED_C, row, allotment->charged);
    table_set_int(table, A_EXPIRED_C, row, allotment->expired);
    table_set_int(table, A_REFUNDED_C, row, allotment->refunded);
    table_set_text(table, A_TRANSFERABLE_C, row,
                   allotment->stays || allotment->unlimited ? STR("no") : STR("yes"));
    if (!allotment->unlimited) {
        table_set_int(table, A_GRANTED_C, row, allotment->granted);
        table_set_int(table, A_BALANCE_C, row, allotment->balance);
        table_set_int(table, A_CARRIED_C, row, -allotment->carried);
    }
    if (allotment->note.ptr) {
        table_set_text(table, A_NOTE_C, row, allotment->note);
    }
}

int bank_show_allotments(struct bank *bank)
{
    struct str name;
    const struct ledger_account *one = NULL;
    int failed = request_each(bank->request, "word", 0, &name)
                     ? ledger_accounts_get(&bank->accounts, name, &one, bank->err)
                     : 0;
    table_columns(&bank->answer->table, allotment_headings, COUNT_OF(allotment_headings));
    for (size_t i = 0; !failed && i < bank->allotments.count; i++) {
        const struct ledger_allotment *allotment = &bank->allotments.rows[i];
        const struct ledger_account *account = bank_account_of(bank, allotment->account);
        if (account && (!one || one == account)) {
            add_allotment(bank, account, allotment);
        }
    }
    if (!failed && bank->answer->table.row_count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "nothing was granted; see: stint help bank");
    }
    return failed;
}
