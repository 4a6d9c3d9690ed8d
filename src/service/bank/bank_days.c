/* SPDX-License-Identifier: MIT */

/*
 * stint bank days: the balance of an account day by day, what moved on each, and a forecast at
 * the rate of the last days.
 */

#include "bank/amount.h"
#include "base/attribute.h"
#include "base/calendar.h"
#include "service/bank/bank.h"
#include "service/core/params.h"

enum {
    DAYS_MAX = 3700,    /* that are shown: ten years */
    FORECAST_MAX = 366, /* of them, days ahead */
    FORECAST_LONG = 30, /* days whose use the forecast goes by */
    FORECAST_SHORT = 7, /* and the days beside it, which make the band */
};

enum days_column {
    DAY_C,
    GRANTED_C,
    CHARGED_C,
    EXPIRED_C,
    BALANCE_C,
    LONG_C,
    SHORT_C,
    REFUNDED_C
};

static const struct heading headings[] = {
    [DAY_C] = {"period", "Day", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [GRANTED_C] = {"granted", "Granted", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [CHARGED_C] = {"charged", "Charged", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [EXPIRED_C] = {"expired", "Expired", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [BALANCE_C] = {"balance", "Balance", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [LONG_C] = {"forecast", "Forecast", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [SHORT_C] = {"forecast_recent", "By 7 days", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [REFUNDED_C] = {"refunded", "Refunded", CELL_INT, UNIT_SU, COLUMN_MEASURE},
};

/* An account on its way through the days. */
struct days {
    struct bank *bank;
    const struct ledger_account *account;
    struct ledger_moves moves;
    int64_t today, last; /* numbers of days; `last` is the last one shown */
    bool unlimited;
    int64_t balance;           /* at the end of the day before */
    int64_t by_long, by_short; /* the forecasts, likewise */
    int64_t used_long, used_short;
};

/* What came and went on days, but for charges. */
struct moved {
    int64_t granted, refunded, expired; /* granted: all else */
};

/* On days [first, last). */
static int moved(const struct days *days, int64_t first, int64_t last, struct moved *out)
{
    const struct bank *bank = days->bank;
    int failed = 0;
    *out = (struct moved){0};
    for (size_t i = 0; !failed && i < days->moves.count; i++) {
        const struct ledger_move *move = &days->moves.rows[i];
        const int64_t day = bank_day(bank, move->effect);
        if (day < first || day >= last) {
            continue;
        }
        int64_t *sum = move->kind == LEDGER_EXPIRY   ? &out->expired
                       : move->kind == LEDGER_REFUND ? &out->refunded
                                                     : &out->granted;
        const int64_t sign = move->kind == LEDGER_EXPIRY ? -1 : 1;
        failed = amount_add(*sum, sign * move->amount, sum, bank->err);
    }
    return failed;
}

/* Takes days [first, last) into the balance. */
static int pass_days(struct days *days, int64_t first, int64_t last, struct moved *sums,
                     int64_t *used)
{
    const struct bank *bank = days->bank;
    int failed = moved(days, first, last, sums);
    failed = failed ? failed
                    : ledger_used(bank->books, days->account->id, first, last, used, bank->err);
    const int64_t parts[] = {sums->granted, sums->refunded, -sums->expired, -*used};
    for (size_t i = 0; !failed && i < COUNT_OF(parts); i++) {
        failed = amount_add(days->balance, parts[i], &days->balance, bank->err);
    }
    return failed;
}

/* The balance at the beginning of a day. */
static int open_at(struct days *days, int64_t day)
{
    struct moved sums;
    int64_t used = 0;
    days->balance = 0;
    return pass_days(days, INT32_MIN, day, &sums, &used);
}

static size_t add_day(const struct days *days, int64_t day)
{
    struct table *table = &days->bank->answer->table;
    const struct civil civil = civil_of_days(day);
    const size_t row = table_row(table);
    table_set_text(table, DAY_C, row,
                   str_of(arena_printf(&table->arena, "%04d-%02d-%02d", civil.year, civil.month,
                                       civil.day)));
    return row;
}

/* A day that has come. */
static int add_past(struct days *days, int64_t day)
{
    struct table *table = &days->bank->answer->table;
    struct moved sums;
    int64_t used = 0;
    const int failed = pass_days(days, day, day + 1, &sums, &used);
    if (failed) {
        return failed;
    }
    const size_t row = add_day(days, day);
    table_set_int(table, GRANTED_C, row, sums.granted);
    table_set_int(table, CHARGED_C, row, used);
    table_set_int(table, EXPIRED_C, row, sums.expired);
    table_set_int(table, REFUNDED_C, row, sums.refunded);
    if (!days->unlimited) {
        table_set_int(table, BALANCE_C, row, days->balance);
    }
    if (day == days->today && !days->unlimited && days->last > day) {
        table_set_int(table, LONG_C, row, days->balance);
        table_set_int(table, SHORT_C, row, days->balance);
        days->by_long = days->by_short = days->balance;
    }
    return 0;
}

/* A forecast is not drawn below zero: there it has run out. */
static void set_forecast(struct table *table, size_t column, size_t row, int64_t *value,
                         int64_t change)
{
    if (*value > 0) {
        *value = *value + change > 0 ? *value + change : 0;
        table_set_int(table, column, row, *value);
    }
}

/* A day ahead, at the same rate; allotments that begin then are known today. */
static int add_ahead(struct days *days, int64_t day)
{
    struct table *table = &days->bank->answer->table;
    struct moved sums;
    const int failed = moved(days, day, day + 1, &sums);
    if (!failed) {
        const int64_t came = sums.granted + sums.refunded;
        const size_t row = add_day(days, day);
        set_forecast(table, LONG_C, row, &days->by_long,
                     came - days->used_long / FORECAST_LONG);
        set_forecast(table, SHORT_C, row, &days->by_short,
                     came - days->used_short / FORECAST_SHORT);
    }
    return failed;
}

/* How far ahead is shown: to the next end, if the period reaches to today. */
static int find_last(struct days *days, const struct period *period)
{
    const struct bank *bank = days->bank;
    struct ledger_balance balance;
    int failed =
        ledger_balance(days->account, &bank->allotments, bank->now, &balance, bank->err);
    days->last = bank_day(bank, period->to - 1);
    /* an account with a parent has no balance of its own */
    days->unlimited = balance.unlimited || ledger_has_parent(days->account);
    if (failed || days->last < days->today) {
        return failed;
    }
    const int64_t end =
        balance.end < INSTANT_MAX ? bank_day(bank, balance.end) : days->today + 90;
    days->last = days->unlimited || balance.granted == 0 ? days->today
                 : end > days->today + FORECAST_MAX      ? days->today + FORECAST_MAX
                                                         : end;
    (void)((failed = ledger_used(bank->books, days->account->id, days->today - FORECAST_LONG,
                                 days->today, &days->used_long, bank->err)) ||
           (failed = ledger_used(bank->books, days->account->id, days->today - FORECAST_SHORT,
                                 days->today, &days->used_short, bank->err)));
    return failed;
}

/* Columns of the picture: what is left, and from today on between which two rates it lies. */
enum { DRAWN_DAY, DRAWN_LEFT, DRAWN_LOW, DRAWN_HIGH };

static const struct heading drawn_headings[] = {
    [DRAWN_DAY] = {"period", "Day", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [DRAWN_LEFT] = {"balance", "Balance", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [DRAWN_LOW] = {"low", "Low", CELL_INT, UNIT_SU, COLUMN_BESIDE},
    [DRAWN_HIGH] = {"high", "High", CELL_INT, UNIT_SU, COLUMN_BESIDE},
};

static int64_t forecast_at(const struct table *table, size_t column, size_t row)
{
    /* after it has run out there is nothing left */
    return table_has(table, column, row) ? table->columns[column].cells[row].integer : 0;
}

/* Of an account that lasts, or whose days lie all behind, the numbers themselves are drawn. */
static void draw_days(const struct days *days)
{
    const struct table *table = &days->bank->answer->table;
    struct table *out = &days->bank->answer->drawn;
    bool ahead = false;
    for (size_t row = 0; row < table->row_count; row++) {
        ahead = ahead || !table_has(table, BALANCE_C, row);
    }
    if (days->unlimited || !ahead) {
        return;
    }
    table_columns(out, drawn_headings, COUNT_OF(drawn_headings));
    bool owes = false;
    for (size_t row = 0; row < table->row_count; row++) {
        const bool past = table_has(table, BALANCE_C, row);
        if (!past && owes) {
            return; /* what is owed does not end by itself: there is nothing to forecast */
        }
        const size_t to = table_row(out);
        table_copy_cell(table, DAY_C, row, out, DRAWN_DAY, to);
        if (past) {
            owes = table->columns[BALANCE_C].cells[row].integer < 0;
            table_copy_cell(table, BALANCE_C, row, out, DRAWN_LEFT, to);
            continue;
        }
        const int64_t by_long = forecast_at(table, LONG_C, row);
        const int64_t by_short = forecast_at(table, SHORT_C, row);
        table_set_int(out, DRAWN_LEFT, to, by_long);
        table_set_int(out, DRAWN_LOW, to, by_long < by_short ? by_long : by_short);
        table_set_int(out, DRAWN_HIGH, to, by_long < by_short ? by_short : by_long);
    }
}

static void name_columns(struct table *table)
{
    table_columns(table, headings, COUNT_OF(headings));
    for (size_t i = BALANCE_C; i <= SHORT_C; i++) {
        table_picture(table, i,
                      i == BALANCE_C ? "Balance"
                      : i == LONG_C  ? "Forecast, 30 days"
                                     : "Forecast, 7 days",
                      false);
    }
}

static int show_days(struct days *days, const struct period *period)
{
    struct bank *bank = days->bank;
    const int64_t first = bank_day(bank, period->from);
    if (days->last - first > DAYS_MAX) {
        return error_set(bank->err, ERROR_LIMIT,
                         "at most %d days are shown: choose a shorter period", DAYS_MAX);
    }
    name_columns(&bank->answer->table);
    int failed = open_at(days, first);
    for (int64_t day = first; !failed && day <= days->last; day++) {
        failed = day <= days->today ? add_past(days, day) : add_ahead(days, day);
    }
    if (!failed) {
        draw_days(days);
    }
    answer_note(
        bank->answer, NOTE_READING,
        "what an allotment is granted first counts on its first day, what is added later on "
        "the "
        "day it was posted, a charge on the days its run used; the forecasts go by the use of "
        "the last 30 and the last 7 days");
    return failed;
}

int bank_show_days(struct bank *bank)
{
    struct days days = {.bank = bank, .today = bank_day(bank, bank->now)};
    struct period period;
    int failed;
    (void)((failed = bank_account(bank, 0, &days.account)) ||
           (failed =
                ledger_moves_list(bank->books, days.account->id, &days.moves, bank->err)) ||
           (failed = params_period(bank->service, bank->request, &period, bank->err)) ||
           (failed = find_last(&days, &period)) || (failed = show_days(&days, &period)));
    ledger_moves_release(&days.moves);
    return failed;
}
