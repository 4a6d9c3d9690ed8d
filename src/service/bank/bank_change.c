/* SPDX-License-Identifier: MIT */

/* What the commands that change the ledger share. */

#include "service/bank/bank_change.h"
#include "bank/amount.h"

int change_amount(const struct bank *bank, size_t index, int64_t *out)
{
    struct str text;
    int failed = bank_word(bank, index, "the amount", &text);
    failed = failed ? failed : amount_parse(text, out, bank->err);
    return failed || *out > 0
               ? failed
               : error_set(bank->err, ERROR_USAGE, "the amount must be more than 0");
}

struct ledger_entry change_entry(const struct bank *bank, enum ledger_kind kind, int64_t from,
                                 int64_t to, int64_t amount)
{
    return (struct ledger_entry){.key = request_text(bank->request, "id"),
                                 .kind = kind,
                                 .from = from,
                                 .to = to,
                                 .amount = amount,
                                 .at = bank->now,
                                 .who = str_of(bank->service->caller->name),
                                 .why = request_text(bank->request, "note")};
}

int change_post(struct bank *bank, const struct ledger_entry *entry)
{
    enum ledger_outcome outcome;
    int failed = ledger_post(bank->books, entry, &outcome, bank->err);
    if (!failed && outcome == LEDGER_KNOWN) {
        answer_note(bank->answer, NOTE_RESULT, "'%.*s' was posted before: nothing was changed",
                    STR_ARG(entry->key));
    }
    return failed;
}

int change_is_known(struct bank *bank, const struct change_repeated *wanted, bool *known)
{
    struct ledger_entry entry;
    struct str taken = {0};
    int64_t from = 0, to = 0, ignored;
    const struct str key = request_text(bank->request, "id");
    *known = false;
    if (!key.ptr) {
        return 0;
    }
    int failed = ledger_entry_find(bank->books, key, &entry, known, bank->err);
    failed = failed ? failed
                    : ledger_allotted_find(bank->books, key, &bank->answer->table.arena, &taken,
                                           bank->err);
    if (!failed && *known) {
        failed = ledger_pot_account(bank->books, entry.from, &from, &ignored, bank->err);
        failed = failed ? failed
                        : ledger_pot_account(bank->books, entry.to, &to, &ignored, bank->err);
    }
    const bool sides = (from == wanted->from && to == wanted->to) ||
                       (wanted->either && from == wanted->to && to == wanted->from);
    const bool same = *known && entry.kind == wanted->kind && sides &&
                      (wanted->amount == 0 || entry.amount == wanted->amount);
    if (failed || (!*known && !taken.ptr)) {
        return failed;
    }
    if (!same) {
        return error_set(bank->err, ERROR_CONFLICT,
                         "another entry has the id '%.*s': give this one an id of its own",
                         STR_ARG(key));
    }
    answer_note(bank->answer, NOTE_RESULT, "'%.*s' was posted before: nothing was changed",
                STR_ARG(key));
    return 0;
}

int change_in_transaction(struct bank *bank, int (*change)(struct bank *bank))
{
    int failed;
    (void)((failed = books_begin(bank->books, bank->err)) || (failed = bank_read(bank)) ||
           (failed = change(bank)) || (failed = books_commit(bank->books, bank->err)));
    books_rollback(bank->books);
    (void)(failed || (failed = bank_read(bank)) || (failed = bank_show_balance(bank, false)));
    return failed;
}

int change_allotment(const struct bank *bank, const struct ledger_account *account,
                     int64_t amount, const struct ledger_allotment **out)
{
    int64_t wanted = 0;
    int failed = request_number(bank->request, "allotment", 0, &wanted, bank->err);
    *out = NULL;
    for (size_t i = 0; !failed && !*out && i < bank->allotments.count; i++) {
        const struct ledger_allotment *row = &bank->allotments.rows[i];
        const bool holds = row->from <= bank->now && bank->now < row->to &&
                           (row->unlimited || row->balance >= amount);
        if (row->account == account->id && (wanted ? row->id == wanted : holds)) {
            *out = row;
        }
    }
    if (failed || *out) {
        return failed;
    }
    struct arena *arena = &bank->answer->table.arena;
    return error_set(bank->err, ERROR_MISSING,
                     "'%.*s' has no allotment that holds now%s%s; see: stint bank allotments "
                     "%.*s",
                     STR_ARG(account->name), amount > 0 ? " with a balance of " : "",
                     amount > 0 ? amount_print(arena, amount).ptr : "", STR_ARG(account->name));
}
