/* SPDX-License-Identifier: MIT */
#include "bank/posting.h"

#include <stdlib.h>

#include "bank/allotment_order.h"
#include "bank/amount.h"
#include "bank/name_ids.h"
#include "bank/refunds.h"
#include "bank/statements.h"
#include "bank/usage.h"
#include "base/mem.h"
#include "books/query.h"

/* What an account pays for, by day and cluster. */
struct days {
    struct used_day {
        int64_t day, cluster, amount;
    } * used; /* a cell each, then added up */

    struct draw_day *rows;
    size_t count, room;
    struct arena arena;
};

static int take_cell(void *context, int64_t account, const struct packed_cell *cell,
                     struct error *err)
{
    struct days *days = context;
    (void)account;
    (void)err;
    days->used = mem_grow(days->used, days->count, &days->room, sizeof(*days->used));
    days->used[days->count++] = (struct used_day){cell->day, cell->cluster, cell->amount};
    return 0;
}

static int compare_used(const void *a, const void *b)
{
    const struct used_day *x = a, *y = b;
    return x->day != y->day           ? (x->day < y->day ? -1 : 1)
           : x->cluster != y->cluster ? (x->cluster < y->cluster ? -1 : 1)
                                      : 0;
}

/* The users of a day and cluster together; days that come to nothing are left out. */
static int add_up_users(struct days *days, struct error *err)
{
    size_t kept = 0;
    int failed = 0;
    if (days->count == 0) {
        return 0;
    }
    qsort(days->used, days->count, sizeof(*days->used), compare_used);
    for (size_t i = 0, end = 0; !failed && i < days->count; i = end) {
        struct used_day sum = days->used[i];
        for (end = i + 1; !failed && end < days->count &&
                          compare_used(&days->used[i], &days->used[end]) == 0;
             end++) {
            failed = amount_add(sum.amount, days->used[end].amount, &sum.amount, err);
        }
        if (sum.amount != 0) {
            days->used[kept++] = sum;
        }
    }
    days->count = kept;
    return failed;
}

/*
 * By day, then by the name of the cluster: which numbers they have depends on what was imported
 * first.
 */
static int compare_days(const void *a, const void *b)
{
    const struct draw_day *x = a, *y = b;
    return x->start != y->start ? (x->start < y->start ? -1 : 1)
                                : str_compare(x->cluster, y->cluster);
}

static int name_days(const struct settle *settle, struct days *days, struct error *err)
{
    int64_t cluster = 0, day = INT64_MIN, start = 0;
    struct str name = {0};
    int failed = 0;
    days->rows = mem_alloc(days->count + 1, sizeof(*days->rows));
    for (size_t i = 0; !failed && i < days->count; i++) {
        const struct used_day *used = &days->used[i];
        if (!name.ptr || used->cluster != cluster) {
            cluster = used->cluster;
            failed = name_ids_of(settle->books, cluster, &days->arena, &name, err);
        }
        start = used->day == day ? start : zone_instant(settle->zone, civil_of_days(used->day));
        day = used->day;
        days->rows[i] = (struct draw_day){start, name, used->amount};
    }
    qsort(days->rows, days->count, sizeof(*days->rows), compare_days);
    return failed;
}

static int read_days(const struct settle *settle, int64_t account, struct days *out,
                     struct error *err)
{
    const struct usage_taker taker = {out, take_cell, NULL};
    int failed;
    *out = (struct days){0};
    (void)((failed = usage_paid(settle->books, account, INT32_MIN, INT32_MAX, &taker, err)) ||
           (failed = add_up_users(out, err)) || (failed = name_days(settle, out, err)));
    return failed;
}

static void days_release(struct days *days)
{
    free(days->used);
    free(days->rows);
    arena_release(&days->arena);
}

/* --- default allotments ------------------------------------------------------------------- */

/* The day as many days after `to` as that is after `from`. */
static int64_t as_long_after(const struct zone *zone, int64_t from, int64_t to)
{
    const struct civil a = zone_civil(zone, from), b = zone_civil(zone, to);
    const int64_t days =
        civil_days(b.year, b.month, b.day) - civil_days(a.year, a.month, a.day);
    struct civil end =
        civil_of_days(civil_days(b.year, b.month, b.day) + (days > 0 ? days : 1));
    return zone_instant(zone, end);
}

/*
 * The allotment that follows one which is over: of the same length, for the same clusters, with
 * what was said then.
 */
static int add_follower(struct settle *settle, const struct ledger_allotment *ended,
                        struct error *err)
{
    enum ledger_outcome outcome;
    struct ledger_allotment next = *ended;
    next.kind = STR("default");
    next.unlimited = false;
    next.from = ended->to;
    next.to = as_long_after(settle->zone, ended->from, ended->to);
    next.after = ended->id;
    int failed = ledger_allot(settle->books, &next, err);
    settle->entries++;
    return failed ? failed
                  : ledger_post(settle->books,
                                &(struct ledger_entry){.kind = LEDGER_GRANT,
                                                       .from = LEDGER_GRANTED,
                                                       .to = next.pot,
                                                       .amount = ended->then,
                                                       .at = settle->now,
                                                       .who = settle->who,
                                                       .why = STR("default allotment")},
                                &outcome, err);
}

static int next_to_follow(const struct settle *settle, int64_t account, int64_t *id,
                          struct error *err)
{
    struct query q = query_begin(settle->books, SQL_BANK_TO_FOLLOW);
    query_int(&q, account);
    query_int(&q, settle->now);
    *id = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, "cannot read the bank", err);
}

/* One after the other up to now: a default allotment is followed by another. */
static int add_followers(struct settle *settle, int64_t account, struct error *err)
{
    int64_t id = 0;
    int failed = next_to_follow(settle, account, &id, err);
    while (!failed && id > 0) {
        struct ledger_allotments allotments;
        failed = ledger_allotments_list(settle->books, account, &allotments, err);
        for (size_t i = 0; !failed && i < allotments.count; i++) {
            if (allotments.rows[i].id == id) {
                failed = add_follower(settle, &allotments.rows[i], err);
                break;
            }
        }
        ledger_allotments_release(&allotments);
        failed = failed ? failed : next_to_follow(settle, account, &id, err);
    }
    return failed;
}

/* --- differences -------------------------------------------------------------------------- */

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
static int64_t expiry_of(const struct ledger_allotment *allotment, const struct draw_part *part)
{
    const wide_int left = (wide_int)allotment->granted + allotment->refunded +
                          part->carried_in - part->drawn - part->carried;
    return part->over && !allotment->unlimited && left > 0 ? (int64_t)left : 0;
}

/*
 * First what comes back, then what goes out: so no pot is asked for more than it has on the
 * way. `outward` says which of the two.
 */
static int post_all(struct settle *settle, const struct ledger_account *account,
                    const struct ledger_allotments *allotments, const struct draw_part *parts,
                    int64_t owed, bool outward, struct error *err)
{
    int64_t difference = owed - account->over_charged;
    int failed = (difference > 0) == outward ? post(settle, LEDGER_CHARGE, account->over_pot,
                                                    LEDGER_USED, difference, err)
                                             : 0;
    for (size_t i = 0; !failed && i < allotments->count; i++) {
        const struct ledger_allotment *allotment = &allotments->rows[i];
        const int64_t charge = parts[i].drawn - allotment->charged;
        const int64_t expiry = expiry_of(allotment, &parts[i]) - allotment->expired;
        if ((charge > 0) == outward) {
            failed = post(settle, LEDGER_CHARGE, allotment->pot, LEDGER_USED, charge, err);
        }
        if (!failed && (expiry > 0) == outward) {
            failed = post(settle, LEDGER_EXPIRY, allotment->pot, LEDGER_EXPIRED, expiry, err);
        }
    }
    return failed;
}

/*
 * What was carried from allotment to allotment so far: rows by columns, what came back taken
 * off.
 */
static int read_carried(const struct settle *settle, const struct ledger_allotments *allotments,
                        int64_t account, int64_t *carried, struct error *err)
{
    const size_t count = allotments->count;
    struct query q = query_begin(settle->books, SQL_BANK_CARRIED);
    query_int(&q, account);
    while (query_row(&q)) {
        size_t from = 0, to = 0;
        for (size_t i = 0; i < count; i++) {
            from = allotments->rows[i].pot == query_int_at(&q, 0) ? i : from;
            to = allotments->rows[i].pot == query_int_at(&q, 1) ? i : to;
        }
        carried[from * count + to] += query_int_at(&q, 2);
        carried[to * count + from] -= query_int_at(&q, 2);
    }
    return query_finish(&q, "cannot read the bank", err);
}

/* What is wanted to be carried from allotment `at / count` to allotment `at % count`. */
static int64_t wanted_at(const struct draw_part *parts, size_t count, size_t at)
{
    const struct draw_part *part = &parts[at / count];
    return part->carried > 0 && part->into == at % count ? part->carried : 0;
}

static bool is_carried_otherwise(const struct draw_part *parts, size_t count,
                                 const int64_t *carried)
{
    bool otherwise = false;
    for (size_t at = 0; !otherwise && at < count * count; at++) {
        otherwise = wanted_at(parts, count, at) != (carried[at] > 0 ? carried[at] : 0);
    }
    return otherwise;
}

/*
 * Takes back all that an account was charged, what expired and what was carried over, the last
 * allotment first: what was carried may have been spent where it went, so that no other order
 * leaves every pot with what it has to give.
 */
static int take_back(struct settle *settle, struct ledger_allotments *allotments,
                     const int64_t *carried, struct error *err)
{
    const size_t count = allotments->count;
    int failed = 0;
    for (size_t i = 0; !failed && i < count; i++) {
        struct ledger_allotment *row = &allotments->rows[i];
        (void)((failed =
                    post(settle, LEDGER_CHARGE, row->pot, LEDGER_USED, -row->charged, err)) ||
               (failed =
                    post(settle, LEDGER_EXPIRY, row->pot, LEDGER_EXPIRED, -row->expired, err)));
        row->charged = row->expired = 0;
    }
    for (size_t at = count * count; !failed && at-- > 0;) {
        if (carried[at] > 0) {
            failed = post(settle, LEDGER_CARRY_OVER, allotments->rows[at / count].pot,
                          allotments->rows[at % count].pot, -carried[at], err);
        }
    }
    return failed;
}

/* In the order in which they end. */
static int carry_over(struct settle *settle, const struct ledger_allotments *allotments,
                      const struct draw_part *parts, struct error *err)
{
    const size_t count = allotments->count;
    int failed = 0;
    for (size_t at = 0; !failed && at < count * count; at++) {
        failed = post(settle, LEDGER_CARRY_OVER, allotments->rows[at / count].pot,
                      allotments->rows[at % count].pot, wanted_at(parts, count, at), err);
    }
    return failed;
}

static bool has_carried(const struct ledger_allotments *allotments)
{
    bool any = false;
    for (size_t i = 0; i < allotments->count; i++) {
        any = any || allotments->rows[i].carry > 0 || allotments->rows[i].carried != 0;
    }
    return any;
}

/* What is carried over, where that is to change. */
static int post_carried(struct settle *settle, int64_t account,
                        struct ledger_allotments *allotments, const struct draw_part *parts,
                        struct error *err)
{
    const size_t count = allotments->count;
    if (!has_carried(allotments)) {
        return 0;
    }
    int64_t *carried = mem_alloc(count * count, sizeof(*carried));
    int failed = read_carried(settle, allotments, account, carried, err);
    if (!failed && is_carried_otherwise(parts, count, carried)) {
        (void)((failed = take_back(settle, allotments, carried, err)) ||
               (failed = carry_over(settle, allotments, parts, err)));
    }
    free(carried);
    return failed;
}

/* --- refunds ------------------------------------------------------------------------------ */

/* The refunds of an account, with what they ought to be; the allotments have that already. */
struct refunding {
    struct refund *rows;
    size_t count;
};

/* Refunds follow the charges of runs, so they change in a round of charging only. */
static int read_refunds(struct settle *settle, int64_t account,
                        struct ledger_allotments *allotments, struct refunding *out,
                        struct error *err)
{
    *out = (struct refunding){0};
    if (settle->round == 0) {
        return 0;
    }
    int failed = settle->has_refunds ? 0 : refunds_read(settle->books, &settle->refunds, err);
    settle->has_refunds = true;
    out->rows = failed ? NULL : refunds_of(&settle->refunds, account, &out->count);
    failed = failed ? failed : refunds_work_out(settle->books, out->rows, out->count, err);
    for (size_t i = 0; !failed && i < out->count; i++) {
        for (size_t k = 0; k < allotments->count; k++) {
            if (allotments->rows[k].pot == out->rows[i].pot) {
                allotments->rows[k].refunded += out->rows[i].ought - out->rows[i].is;
            }
        }
    }
    return failed;
}

/* Posts what is given again, or what is taken back. */
static int post_refunds(struct settle *settle, const struct refunding *refunding, bool back,
                        struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < refunding->count; i++) {
        const struct refund *row = &refunding->rows[i];
        const int64_t less = row->is - row->ought;
        enum ledger_outcome outcome;
        if (less == 0 || (less > 0) != back) {
            continue;
        }
        const struct ledger_entry entry = {
            .kind = LEDGER_REFUND,
            .from = back ? row->pot : LEDGER_USED,
            .to = back ? LEDGER_USED : row->pot,
            .amount = back ? less : -less,
            .at = settle->now,
            .who = settle->who,
            .why = back ? STR("the run costs less than was refunded")
                        : STR("the run costs more again: what was refunded is given again"),
            .run = row->run,
            .round = settle->round};
        settle->entries++;
        failed = ledger_post(settle->books, &entry, &outcome, err);
    }
    return failed;
}

/*
 * What comes in before what goes out. A refund is taken back after the charge of its run, which
 * may have used what was refunded.
 */
static int post_parts(struct settle *settle, const struct ledger_account *account,
                      struct ledger_allotments *allotments, const struct draw_part *parts,
                      const struct refunding *refunding, int64_t owed, struct error *err)
{
    int failed = post_refunds(settle, refunding, false, err);
    failed = failed ? failed : post_carried(settle, account->payer, allotments, parts, err);
    failed = failed ? failed : post_all(settle, account, allotments, parts, owed, false, err);
    failed = failed ? failed : post_refunds(settle, refunding, true, err);
    return failed ? failed : post_all(settle, account, allotments, parts, owed, true, err);
}

int settle_account(struct settle *settle, const struct ledger_account *account,
                   struct error *err)
{
    struct ledger_allotments allotments = {0};
    struct days days = {0};
    struct refunding refunding = {0};
    const int64_t payer = account->payer;
    int64_t owed = 0;
    int failed = add_followers(settle, payer, err);
    failed = failed ? failed : ledger_allotments_list(settle->books, payer, &allotments, err);
    failed = failed ? failed : read_days(settle, payer, &days, err);
    failed = failed ? failed : read_refunds(settle, payer, &allotments, &refunding, err);
    struct draw_part *parts = mem_alloc(allotments.count + 1, sizeof(*parts));
    failed =
        failed ? failed
               : draw_share(&allotments, days.rows, days.count, settle->now, parts, &owed, err);
    failed = failed ? failed
                    : post_parts(settle, account, &allotments, parts, &refunding, owed, err);
    free(parts);
    days_release(&days);
    ledger_allotments_release(&allotments);
    return failed ? error_prepend(err, "account '%.*s': ", STR_ARG(account->name)) : 0;
}

void settle_release(struct settle *settle)
{
    refunds_release(&settle->refunds);
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
