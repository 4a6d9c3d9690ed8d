/* SPDX-License-Identifier: MIT */

/*
 * Whether the ledger is as it must be: every sum is made again, from the rows it is a sum of.
 */

#include <stdlib.h>

#include "bank/amount.h"
#include "bank/charge_lines.h"
#include "bank/closings.h"
#include "bank/ledger.h"
#include "bank/refunds.h"
#include "bank/statements.h"
#include "bank/usage.h"
#include "base/mem.h"
#include "base/zone.h"
#include "books/query.h"

static const char CANNOT_CHECK[] = "cannot check the bank";

struct rule {
    const char *sql;          /* a row for everything that is wrong: a name and two amounts */
    const char *kept, *found; /* what the two are */
};

static const struct rule rules[] = {
    {SQL_BANK_CHECK_SUM, "all pots together hold", "must hold"},
    {SQL_BANK_CHECK_HELD, "running jobs hold", "its open liens sum to"},
    {SQL_BANK_CHECK_CHARGED, "its entries charge", "the days of its runs sum to"},
};

static void add_finding(struct ledger_findings *out, struct str name, const struct rule *rule,
                        int64_t kept, int64_t found)
{
    out->rows = mem_resize(out->rows, out->count + 1, sizeof(*out->rows));
    out->rows[out->count++] = str_of(
        arena_printf(&out->arena, "%.*s%s%s %s SU, but %s %s SU", STR_ARG(name),
                     name.len ? ": " : "", rule->kept, amount_print(&out->arena, kept).ptr,
                     rule->found, amount_print(&out->arena, found).ptr));
}

static int check_rule(struct books *books, const struct rule *rule, struct ledger_findings *out,
                      struct error *err)
{
    struct query q = query_begin(books, rule->sql);
    while (query_row(&q)) {
        add_finding(out, query_text_at(&q, 0, &out->arena), rule, query_int_at(&q, 1),
                    query_int_at(&q, 2));
    }
    return query_finish(&q, CANNOT_CHECK, err);
}

/* Sums by account or pot, whose numbers are small and dense. */
struct sums {
    wide_int *rows;
    size_t count;
};

static void add_to(struct sums *sums, int64_t number, int64_t amount)
{
    enum { NUMBER_MAX = 1 << 26 }; /* what is beyond is no number of ours: nobody has 0 */

    const size_t at = number < 0 || number > NUMBER_MAX ? 0 : (size_t)number;
    if (at >= sums->count) {
        const size_t room = 2 * at + 16;
        sums->rows = mem_resize(sums->rows, room, sizeof(*sums->rows));
        for (size_t i = sums->count; i < room; i++) {
            sums->rows[i] = 0;
        }
        sums->count = room;
    }
    sums->rows[at] += amount;
}

/* --- entries and pots --------------------------------------------------------------------- */

/*
 * What the entries of each pot come to: what came in and went out, and what of that was
 * charged, expired and was carried over.
 */
struct moved {
    struct sums in, out, charged, expired, carried, refunded;
};

static void add_both(struct sums *sums, int64_t from, int64_t to, int64_t amount)
{
    add_to(sums, from, amount);
    add_to(sums, to, -amount);
}

static int add_entries(struct books *books, struct moved *moved, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_CHECK_ENTRIES);
    while (query_row(&q)) {
        const int64_t from = query_int_at(&q, 0), to = query_int_at(&q, 1);
        const int64_t amount = query_int_at(&q, 2);
        const struct str kind = query_view_at(&q, 3);
        add_to(&moved->out, from, amount);
        add_to(&moved->in, to, amount);
        if (str_eq(kind, STR("charge"))) {
            add_both(&moved->charged, from, to, amount);
        } else if (str_eq(kind, STR("expiry"))) {
            add_both(&moved->expired, from, to, amount);
        } else if (str_eq(kind, STR("carry-over"))) {
            add_both(&moved->carried, from, to, amount);
        } else if (str_eq(kind, STR("refund"))) {
            add_to(&moved->refunded, from > LEDGER_EXPIRED ? from : to,
                   from > LEDGER_EXPIRED ? -amount : amount);
        }
    }
    return query_finish(&q, CANNOT_CHECK, err);
}

static wide_int sum_of(const struct sums *sums, int64_t at)
{
    return at >= 0 && (size_t)at < sums->count ? sums->rows[at] : 0;
}

/* One sum of a pot, beside what its entries come to. */
static void compare_pot(struct ledger_findings *out, struct str name, const char *kept_as,
                        int64_t kept, wide_int found)
{
    const struct rule rule = {NULL, kept_as, "its entries sum to"};
    if (kept != found) {
        add_finding(out, name, &rule, kept, (int64_t)found);
    }
}

static int compare_pots(struct books *books, const struct moved *moved,
                        struct ledger_findings *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_CHECK_POTS);
    while (query_row(&q)) {
        const int64_t pot = query_int_at(&q, 0);
        const struct str name = query_text_at(&q, 1, &out->arena);
        const int64_t in = query_int_at(&q, 2), gone = query_int_at(&q, 3);
        if (in - gone != sum_of(&moved->in, pot) - sum_of(&moved->out, pot)) {
            compare_pot(out, name, "one of its pots holds", in - gone,
                        sum_of(&moved->in, pot) - sum_of(&moved->out, pot));
        } else {
            compare_pot(out, name, "one of its pots received", in, sum_of(&moved->in, pot));
        }
        compare_pot(out, name, "one of its pots was charged", query_int_at(&q, 4),
                    sum_of(&moved->charged, pot));
        compare_pot(out, name, "of one of its pots expired", query_int_at(&q, 5),
                    sum_of(&moved->expired, pot));
        compare_pot(out, name, "from one of its pots was carried over", query_int_at(&q, 6),
                    sum_of(&moved->carried, pot));
        compare_pot(out, name, "into one of its pots was refunded", query_int_at(&q, 7),
                    sum_of(&moved->refunded, pot));
    }
    return query_finish(&q, CANNOT_CHECK, err);
}

static int check_pots(struct books *books, struct ledger_findings *out, struct error *err)
{
    struct moved moved = {0};
    int failed;
    (void)((failed = add_entries(books, &moved, err)) ||
           (failed = compare_pots(books, &moved, out, err)));
    free(moved.in.rows);
    free(moved.out.rows);
    free(moved.charged.rows);
    free(moved.expired.rows);
    free(moved.carried.rows);
    free(moved.refunded.rows);
    return failed;
}

/* No run is refunded more than it costs. */
static int check_refunds(struct books *books, struct ledger_findings *out, struct error *err)
{
    static const struct rule rule = {NULL, "was refunded", "its charge leaves of that"};
    struct refunds refunds;
    int failed = refunds_read(books, &refunds, err);
    for (size_t i = 0, count = 0; !failed && i < refunds.count; i += count) {
        struct refund *rows = refunds_of(&refunds, refunds.rows[i].account, &count);
        failed = refunds_work_out(books, rows, count, err);
    }
    for (size_t i = 0; !failed && i < refunds.count; i++) {
        const struct refund *row = &refunds.rows[i];
        if (row->is != row->ought) {
            add_finding(out, row->run, &rule, row->is, row->ought);
        }
    }
    refunds_release(&refunds);
    return failed;
}

/* --- lines and days ----------------------------------------------------------------------- */

/* What all lines and days come to, by account. */
struct totals {
    struct sums lines, days, kept; /* kept: the sums that stand beside the days */
    struct usage usage; /* of the lines, less what is kept by day; without a zone: of none */
    struct closings closings;
    struct lates lates; /* of the lines */
    struct ledger_findings *out;
};

static int take_line(void *context, const struct packed_line *line, struct error *err)
{
    struct totals *totals = context;
    const struct usage_charge charge = {
        line->account,
        line->cluster,
        line->user,
        line->start,
        line->end,
        line->amount,
        closings_floor(&totals->closings, line->account, line->round)};
    add_to(&totals->lines, line->account, line->amount);
    const int failed =
        totals->usage.zone && line->amount ? usage_add(&totals->usage, &charge, err) : 0;
    const struct usage_late *late = &totals->usage.late;
    if (!failed && line->amount && late->is) {
        lates_add(&totals->lates,
                  (struct late){line->account, line->round, line->cluster, line->user,
                                charge.floor, late->amount, late->first, late->last});
    }
    return failed;
}

static void tell_odd(void *context, struct str run)
{
    struct ledger_findings *out = ((struct totals *)context)->out;
    out->rows = mem_resize(out->rows, out->count + 1, sizeof(*out->rows));
    out->rows[out->count++] = str_of(arena_printf(
        &out->arena, "%.*s: its charges are not numbered one after the other", STR_ARG(run)));
}

static int take_cell(void *context, int64_t account, const struct packed_cell *cell,
                     struct error *err)
{
    struct totals *totals = context;
    add_to(&totals->days, account, cell->amount);
    if (!totals->usage.zone || cell->amount == INT64_MIN) {
        return 0;
    }
    const int64_t start = zone_instant(totals->usage.zone, civil_of_days(cell->day));
    const struct usage_charge less = {account, cell->cluster, cell->user, start,
                                      start,   -cell->amount, INT64_MIN};
    return usage_add(&totals->usage, &less, err);
}

static int take_sum(void *context, int64_t account, int64_t kept, struct error *err)
{
    struct totals *totals = context;
    (void)err;
    add_to(&totals->kept, account, kept);
    return 0;
}

static void compare_sums(const struct totals *totals, const struct ledger_account *account)
{
    static const struct rule lines = {NULL, "the charges of its runs sum to",
                                      "the days of its runs sum to"},
                             kept = {NULL, "the sums of the days of its runs are",
                                     "the days sum to"};
    const int64_t id = account->id;
    const wide_int days = totals->days.rows[id];
    if (totals->lines.rows[id] != days) {
        add_finding(totals->out, account->name, &lines, (int64_t)totals->lines.rows[id],
                    (int64_t)days);
    }
    if (totals->kept.rows[id] != days) {
        add_finding(totals->out, account->name, &kept, (int64_t)totals->kept.rows[id],
                    (int64_t)days);
    }
}

/* What is kept by day, cluster and user is what the lines come to, cell by cell. */
static int compare_days(struct totals *totals, struct error *err)
{
    const int failed = usage_join(&totals->usage, err);
    size_t wrong = 0;
    for (size_t i = 0; !failed && i < totals->usage.count; i++) {
        wrong += totals->usage.cells[i].amount != 0;
    }
    if (wrong > 0) {
        struct ledger_findings *out = totals->out;
        out->rows = mem_resize(out->rows, out->count + 1, sizeof(*out->rows));
        out->rows[out->count++] = str_of(arena_printf(
            &out->arena,
            "what is kept by day, cluster and user differs from the charges of runs "
            "in %zu places",
            wrong));
    }
    return failed;
}

/* What is kept of what was posted for closed days is what the lines come to. */
static int compare_lates(struct books *books, struct totals *totals, struct error *err)
{
    struct lates kept;
    int failed = lates_join(&totals->lates, err);
    failed = failed ? failed : lates_read(books, 0, INT32_MIN, INT32_MAX, &kept, err);
    bool same = !failed && kept.count == totals->lates.count;
    for (size_t i = 0; same && i < kept.count; i++) {
        const struct late *x = &kept.rows[i], *y = &totals->lates.rows[i];
        same = x->account == y->account && x->round == y->round && x->cluster == y->cluster &&
               x->user == y->user && x->day == y->day && x->amount == y->amount &&
               x->first == y->first && x->last == y->last;
    }
    if (!failed && !same) {
        struct ledger_findings *out = totals->out;
        out->rows = mem_resize(out->rows, out->count + 1, sizeof(*out->rows));
        out->rows[out->count++] =
            STR("what is kept of charges for closed periods differs from the charges of runs");
    }
    lates_release(&kept);
    return failed;
}

/* The zone of the bank's days; NULL before anything was charged. */
static int open_zone(struct books *books, struct zone **out, struct error *err)
{
    struct arena arena = {0};
    struct query q = query_begin(books, SQL_BANK_STATE_GET);
    query_text(&q, STR("zone"));
    const struct str name = query_row(&q) ? query_text_at(&q, 0, &arena) : (struct str){0};
    int failed = query_finish(&q, CANNOT_CHECK, err);
    *out = NULL;
    failed = failed || !name.ptr ? failed : zone_open(name.ptr, out, err);
    arena_release(&arena);
    return failed;
}

/* The lines of all runs, against what is kept by day. One pass, whatever there is. */
static int check_lines(struct books *books, struct ledger_findings *out, struct error *err)
{
    struct totals totals = {.out = out};
    const struct usage_taker taker = {&totals, take_cell, take_sum};
    const struct charge_lines_taker lines = {&totals, take_line, tell_odd};
    struct ledger_accounts accounts;
    struct zone *zone = NULL;
    int failed = ledger_accounts_list(books, &accounts, err);
    failed = failed ? failed : open_zone(books, &zone, err);
    failed = failed ? failed : closings_read(books, &totals.closings, err);
    totals.usage.zone = zone;
    failed = failed ? failed : charge_lines_each(books, &lines, err);
    failed = failed ? failed : usage_each(books, 0, INT32_MIN, INT32_MAX, &taker, err);
    for (size_t i = 0; !failed && i < accounts.count; i++) {
        add_to(&totals.lines, accounts.rows[i].id, 0);
        add_to(&totals.days, accounts.rows[i].id, 0);
        add_to(&totals.kept, accounts.rows[i].id, 0);
        compare_sums(&totals, &accounts.rows[i]);
    }
    failed = failed ? failed : compare_days(&totals, err);
    failed = failed ? failed : compare_lates(books, &totals, err);
    closings_release(&totals.closings);
    lates_release(&totals.lates);
    free(totals.lines.rows);
    free(totals.days.rows);
    free(totals.kept.rows);
    usage_release(&totals.usage);
    zone_close(zone);
    ledger_accounts_release(&accounts);
    return failed;
}

static int count_rows(struct books *books, struct ledger_findings *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_COUNTS);
    while (query_row(&q)) {
        out->entries = query_int_at(&q, 0);
        out->charges = query_int_at(&q, 1);
    }
    return query_finish(&q, CANNOT_CHECK, err);
}

int ledger_check(struct books *books, struct ledger_findings *out, struct error *err)
{
    *out = (struct ledger_findings){0};
    int failed = 0;
    for (size_t i = 0; !failed && i < COUNT_OF(rules); i++) {
        failed = check_rule(books, &rules[i], out, err);
    }
    (void)(failed || (failed = check_pots(books, out, err)) ||
           (failed = check_refunds(books, out, err)) ||
           (failed = check_lines(books, out, err)) || (failed = count_rows(books, out, err)));
    return failed;
}

void ledger_findings_release(struct ledger_findings *findings)
{
    free(findings->rows);
    arena_release(&findings->arena);
    *findings = (struct ledger_findings){0};
}
