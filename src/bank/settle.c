/* SPDX-License-Identifier: MIT */
#include "bank/settle.h"

#include <stdlib.h>

#include "bank/amount.h"
#include "bank/draw.h"
#include "bank/statements.h"
#include "base/mem.h"
#include "books/query.h"

/* What an account used, by day and cluster. */
struct days {
    struct draw_day *rows;
    size_t count;
    struct arena arena;
};

static int read_days(const struct settle *settle, int64_t account, struct days *out,
                     struct error *err)
{
    size_t room = 0;
    *out = (struct days){0};
    struct query q = query_begin(settle->books, SQL_BANK_USAGE_DAYS);
    query_int(&q, account);
    while (query_row(&q)) {
        const struct civil midnight = civil_of_days(query_int_at(&q, 0));
        if (out->count == room) {
            room = room ? 2 * room : 64;
            out->rows = mem_resize(out->rows, room, sizeof(*out->rows));
        }
        out->rows[out->count++] =
            (struct draw_day){zone_instant(settle->zone, midnight),
                              query_text_at(&q, 1, &out->arena), query_int_at(&q, 2)};
    }
    return query_finish(&q, "cannot read what was used", err);
}

static void days_release(struct days *days)
{
    free(days->rows);
    arena_release(&days->arena);
}

/* Posts a difference: above zero from `pot` to `other`, below zero back. */
static int post(struct settle *settle, enum ledger_kind kind, int64_t pot, int64_t other,
                int64_t difference, struct error *err)
{
    enum ledger_outcome outcome;
    if (difference == 0) {
        return 0;
    }
    settle->entries++;
    return ledger_post(
        settle->books,
        &(struct ledger_entry){.kind = kind,
                               .from = difference > 0 ? pot : other,
                               .to = difference > 0 ? other : pot,
                               .amount = difference > 0 ? difference : -difference,
                               .at = settle->now,
                               .who = settle->who,
                               .why = settle->why,
                               .round = settle->round},
        &outcome, err);
}

/* What an allotment that is over gives back to the site. */
static int64_t expiry_of(const struct ledger_allotment *allotment, int64_t drawn, int64_t now)
{
    return allotment->to <= now && !allotment->unlimited && allotment->granted > drawn
               ? allotment->granted - drawn
               : 0;
}

/*
 * First what comes back, then what goes out: so no pot is asked for more than it has on the way. `outward` says which of
 * the two.
 */
static int post_all(struct settle *settle, const struct ledger_account *account,
                    const struct ledger_allotments *allotments, const int64_t *drawn,
                    int64_t over, bool outward, struct error *err)
{
    int64_t difference = over - account->over_charged;
    int failed = (difference > 0) == outward ? post(settle, LEDGER_CHARGE, account->over_pot,
                                                    LEDGER_USED, difference, err)
                                             : 0;
    for (size_t i = 0; !failed && i < allotments->count; i++) {
        const struct ledger_allotment *allotment = &allotments->rows[i];
        const int64_t charge = drawn[i] - allotment->charged;
        const int64_t expiry = expiry_of(allotment, drawn[i], settle->now) - allotment->expired;
        if ((charge > 0) == outward) {
            failed = post(settle, LEDGER_CHARGE, allotment->pot, LEDGER_USED, charge, err);
        }
        if (!failed && (expiry > 0) == outward) {
            failed = post(settle, LEDGER_EXPIRY, allotment->pot, LEDGER_EXPIRED, expiry, err);
        }
    }
    return failed;
}

int settle_account(struct settle *settle, const struct ledger_account *account,
                   struct error *err)
{
    struct ledger_allotments allotments = {0};
    struct days days = {0};
    int64_t over = 0, *drawn = NULL;
    int failed;
    (void)((failed = ledger_allotments_list(settle->books, account->id, &allotments, err)) ||
           (failed = read_days(settle, account->id, &days, err)));
    if (!failed) {
        drawn = mem_alloc(allotments.count + 1, sizeof(*drawn));
        (void)((failed = draw_share(&allotments, days.rows, days.count, drawn, &over, err)) ||
               (failed = post_all(settle, account, &allotments, drawn, over, false, err)) ||
               (failed = post_all(settle, account, &allotments, drawn, over, true, err)));
    }
    free(drawn);
    days_release(&days);
    ledger_allotments_release(&allotments);
    return failed ? error_prepend(err, "account '%.*s': ", STR_ARG(account->name)) : 0;
}

int settle_ended(struct settle *settle, const struct ledger_accounts *accounts,
                 struct error *err)
{
    bool *due = mem_alloc(accounts->count + 1, sizeof(*due));
    struct query q = query_begin(settle->books, SQL_BANK_ENDED);
    query_int(&q, settle->now);
    while (query_row(&q)) {
        for (size_t i = 0; i < accounts->count; i++) {
            due[i] = due[i] || accounts->rows[i].id == query_int_at(&q, 0);
        }
    }
    int failed = query_finish(&q, "cannot read the bank", err);
    for (size_t i = 0; !failed && i < accounts->count; i++) {
        failed = due[i] ? settle_account(settle, &accounts->rows[i], err) : 0;
    }
    free(due);
    return failed;
}
