/* SPDX-License-Identifier: MIT */

/*
 * stint bank notices: levels that allotments reached and days before their end, each once. Of
 * several that are due at once (nobody looked for a month) the strongest is shown, and with
 * --apply all of them count as sent.
 */

#include "service/bank/bank_notices.h"

#include <stdio.h>
#include <stdlib.h>

#include "bank/amount.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "message/message.h"
#include "service/access/grant.h"
#include "service/bank/bank_change.h"

enum { STEPS_MAX = 32 };

enum notice_column { ACCOUNT_C, ALLOTMENT_C, WHAT_C, SHARE_C, LEFT_C, ENDS_C, TO_C };

static const struct heading headings[] = {
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [ALLOTMENT_C] = {"allotment", "Allotment", CELL_INT, UNIT_NONE, COLUMN_DIMENSION},
    [WHAT_C] = {"what", "What", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [SHARE_C] = {"share", "Used", CELL_REAL, UNIT_RATIO, COLUMN_BESIDE},
    [LEFT_C] = {"balance", "Left", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [ENDS_C] = {"ends", "Ends", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [TO_C] = {"to", "To", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

/* --- what is due -------------------------------------------------------------------------- */

/* Levels in percent, or days before an end: of [bank], the strongest first. */
struct steps {
    int64_t rows[STEPS_MAX];
    size_t count;
};

static int read_steps(const struct bank *bank, enum config_bank_key key, bool descending,
                      struct steps *out)
{
    const struct config *config = bank->service->config;
    const struct config_section *section =
        config ? config_find(config, STR("bank"), (struct str){0}) : NULL;
    const struct str text = section ? config_text(section, &config_bank_keys[key])
                                    : str_of(config_bank_keys[key].fallback);
    struct arena arena = {0};
    size_t count = 0;
    int failed = 0;
    const struct str *words = grant_names(text, &arena, &count);
    *out = (struct steps){0};
    for (size_t i = 0; !failed && i < count; i++) {
        int64_t value = 0;
        if (!scan_int(words[i], &value) || value < 1 || value > 1000 || i == STEPS_MAX) {
            failed = error_set(bank->err, ERROR_INPUT,
                               "'%s' of [bank] in stint.conf is a list of at most %d whole "
                               "numbers from 1 to 1000, not '%.*s'",
                               config_bank_keys[key].name, STEPS_MAX, STR_ARG(text));
            break;
        }
        size_t at = out->count++;
        for (; at > 0 && (out->rows[at - 1] < value) == descending; at--) {
            out->rows[at] = out->rows[at - 1];
        }
        out->rows[at] = value;
    }
    arena_release(&arena);
    return failed;
}

/* What it has to give, with what was carried into it. */
static int64_t size_of(const struct ledger_allotment *allotment)
{
    return allotment->granted - allotment->carried;
}

/* A thing that is due, unless it was sent: news if nothing stronger of its sort is or was. */
static int consider(const struct bank *bank, struct notice notice, bool *stronger,
                    struct notices *out)
{
    bool sent = false;
    int failed =
        ledger_notice_sent(bank->books, notice.allotment->id, notice.what, &sent, bank->err);
    if (!failed && !sent) {
        out->rows = mem_grow(out->rows, out->count, &out->room, sizeof(*out->rows));
        notice.covered = *stronger;
        out->rows[out->count++] = notice;
    }
    *stronger = true;
    return failed;
}

static int look_at(const struct bank *bank, struct notice notice, const struct steps *levels,
                   const struct steps *days, struct notices *out)
{
    const struct ledger_allotment *allotment = notice.allotment;
    bool stronger = false;
    int failed = 0;
    for (size_t i = 0; !failed && i < levels->count; i++) {
        if (((wide_int)allotment->charged - allotment->refunded) * 100 >=
            (wide_int)size_of(allotment) * levels->rows[i]) {
            (void)snprintf(notice.what, sizeof(notice.what), "%d %%", (int)levels->rows[i]);
            failed = consider(bank, notice, &stronger, out);
        }
    }
    stronger = false;
    for (size_t i = 0; !failed && i < days->count; i++) {
        if (allotment->to < INSTANT_MAX &&
            allotment->to - days->rows[i] * DAY_US <= bank->now) {
            (void)snprintf(notice.what, sizeof(notice.what), "%d days", (int)days->rows[i]);
            failed = consider(bank, notice, &stronger, out);
        }
    }
    return failed;
}

static int look_at_all(const struct bank *bank, struct notices *out)
{
    struct steps levels, days;
    int failed;
    (void)((failed = read_steps(bank, CONFIG_BANK_LEVELS, true, &levels)) ||
           (failed = read_steps(bank, CONFIG_BANK_DAYS, false, &days)));
    for (size_t i = 0; !failed && i < bank->allotments.count; i++) {
        const struct ledger_allotment *allotment = &bank->allotments.rows[i];
        const struct notice notice = {.account = bank_account_of(bank, allotment->account),
                                      .allotment = allotment};
        if (notice.account && bank->now < notice.account->closed && !allotment->unlimited &&
            size_of(allotment) > 0 && allotment->from <= bank->now &&
            bank->now < allotment->to) {
            failed = look_at(bank, notice, &levels, &days, out);
        }
    }
    return failed;
}

static int find_people(const struct bank *bank, struct notices *notices)
{
    struct bank_people people;
    int failed = bank_people_open(bank, &people);
    for (size_t i = 0; !failed && i < notices->count; i++) {
        notices->rows[i].to = (struct bank_addresses){.arena = &notices->arena};
        failed = notices->rows[i].covered
                     ? 0
                     : bank_people_of(&people, notices->rows[i].account, &notices->rows[i].to);
    }
    bank_people_close(&people);
    return failed;
}

/* --- showing ------------------------------------------------------------------------------ */

static void add_notice_row(const struct bank *bank, const struct notice *notice)
{
    struct table *table = &bank->answer->table;
    const struct ledger_allotment *allotment = notice->allotment;
    const size_t row = table_row(table);
    struct buf to;
    buf_init(&to, LIMIT_TEXT_FIELD);
    for (size_t i = 0; i < notice->to.count; i++) {
        buf_addf(&to, "%s%.*s", i ? ", " : "", STR_ARG(notice->to.rows[i]));
    }
    table_set_text(table, ACCOUNT_C, row, notice->account->name);
    table_set_int(table, ALLOTMENT_C, row, allotment->id);
    table_set_text(table, WHAT_C, row, str_of(notice->what));
    table_set_real(table, SHARE_C, row,
                   (double)(allotment->charged - allotment->refunded) /
                       (double)size_of(allotment));
    table_set_int(table, LEFT_C, row, allotment->balance);
    if (allotment->to < INSTANT_MAX) {
        table_set_int(table, ENDS_C, row, allotment->to);
    }
    if (to.len > 0) {
        table_set_text(table, TO_C, row, buf_str(&to));
    }
    buf_release(&to);
}

static void show_notices(const struct bank *bank, const struct notices *notices)
{
    for (size_t i = 0; i < notices->count; i++) {
        if (!notices->rows[i].covered) {
            add_notice_row(bank, &notices->rows[i]);
        }
    }
    if (bank->answer->table.row_count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "nothing new");
    } else if (!request_flag(bank->request, "apply")) {
        answer_note(bank->answer, NOTE_RESULT,
                    "shown and not sent; with --apply each is sent once");
    }
}

/*
 * Where nothing says how to send, the reader of what is shown does it: all of it counts as
 * sent.
 */
static int record_all(const struct bank *bank, const struct notices *notices)
{
    int failed = books_begin(bank->books, bank->err);
    for (size_t i = 0; !failed && i < notices->count; i++) {
        failed = ledger_tell(bank->books, notices->rows[i].allotment->id, notices->rows[i].what,
                             bank->now, bank->err);
    }
    failed = failed ? failed : books_commit(bank->books, bank->err);
    books_rollback(bank->books);
    if (!failed && bank->answer->table.row_count > 0) {
        answer_note(
            bank->answer, NOTE_RESULT,
            "recorded as sent; to have them sent by mail or to a webhook, add [mail] or "
            "[webhook] to stint.conf");
    }
    return failed;
}

int bank_do_notices(struct bank *bank)
{
    struct notices notices = {0};
    int failed;
    table_columns(&bank->answer->table, headings, COUNT_OF(headings));
    (void)((failed = look_at_all(bank, &notices)) || (failed = find_people(bank, &notices)));
    if (!failed) {
        show_notices(bank, &notices);
    }
    if (!failed && request_flag(bank->request, "apply")) {
        failed = message_is_configured(bank->service->config)
                     ? bank_notices_send(bank, &notices)
                     : record_all(bank, &notices);
    }
    free(notices.rows);
    arena_release(&notices.arena);
    return failed;
}
