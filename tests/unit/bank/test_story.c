/* SPDX-License-Identifier: MIT */

/*
 * A bank that anything may happen to, in any order: grants, transfers, refunds,
 * adjustments, overdrafts, closed periods, draws with dates, runs that hold what they may
 * cost and end later, records in pieces and corrected ones, rates that change or go, facts
 * made again with some of their runs missing, books restored from an older dump, work that
 * is broken off, clocks that jump; in every second one, an account that another pays for. In the end, what every allotment has, every account and
 * each user with a cap may spend, and what itemised charges come to follows from the runs,
 * the rates and what was granted, worked out here a second time and without the bank.
 * STINT_STORIES says how many banks.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bank/caps.h"
#include "bank/charge.h"
#include "bank/charges.h"
#include "bank/closings.h"
#include "base/limit.h"
#include "books/dump.h"
#include "facts/session.h"
#include "record/run_id.h"
#include "support/chance.h"
#include "unit/bank/some_bank.h"

enum {
    ACCOUNTS = 3,
    RUNS = 40,
    STEPS = 70,
    ALLOTMENTS_MAX = 64,
    DAYS = 40,
    CLUSTERS = 2,
    REFUNDS_MAX = 64,
    LINES_MAX = 4096
};

static const char *const account_names[ACCOUNTS] = {"a", "b", "c"};
static const char *const cluster_names[CLUSTERS] = {"birch", "cedar"};

/* 2025-02-10T00:00Z: the first of the days; the bank's are those of UTC. */
#define FIRST (INT64_C(1739145600) * SECOND_US)

/* What the story knows of an allotment: what was put into it and taken out by hand. */
struct known {
    struct ledger_allotment row;
    size_t account;
    int64_t granted;
    int64_t refunded; /* what the charges of runs leave of the refunds */
    int64_t drawn, carried_in, carried, expired; /* worked out in the end */
};

/* A refund that somebody decided on. */
struct decided {
    size_t run, account;
    int64_t pot, amount;
};

/* A line of a charge, as it was posted: days before `floor` were closed by then, and count on it. */
struct posted {
    size_t run, account;
    int64_t start, end, amount;
    int64_t floor; /* days since the first */
};

/* What follows from the books: with a dump of these it is kept, and comes back with them. */
struct decided_so_far {
    struct ledger_account accounts[ACCOUNTS];
    size_t payers[ACCOUNTS]; /* who pays for the runs of each */
    struct known known[ALLOTMENTS_MAX];
    size_t known_count;
    struct decided refunds[REFUNDS_MAX];
    size_t refund_count;
    int64_t weight; /* of a cpu hour, as the last rate says */

    /* What a run was charged last, and the weight of the rate that made it; 0: none did. */
    struct {
        int64_t weight, amount, start, end;
        size_t account;
    } charged[RUNS];

    struct posted lines[LINES_MAX];
    size_t line_count;
    int rates;
    int64_t last_rate,
        before_last;          /* number of the last one, and the weight before it; 0: none */
    int64_t floors[ACCOUNTS]; /* the first open day */

    /* What an account had at the end of what is closed: moved, and used. */
    struct {
        int64_t moved, used;
    } closed[ACCOUNTS];

    /* zoe's runs that start on these days are this account's; account 0 of none */
    int64_t drawn_from, drawn_to;
    size_t drawn_by;
};

struct story {
    struct some_books books;
    struct runs_store runs;
    struct session session;
    struct chance chance;
    int64_t now;
    struct run records[RUNS];
    bool has[RUNS];
    bool lost[RUNS]; /* not among the facts any more */
    struct decided_so_far is;

    struct {
        struct decided_so_far was;
        struct buf dump;
        bool is;
    } kept;
};

/* All that runs of an account cost is paid by another, from the beginning on. */
static void set_parent(struct story *s, size_t account, size_t parent)
{
    struct error err = {0};
    int failed = books_begin(s->books.books, &err);
    failed = failed ? failed
                    : ledger_set_parent(s->books.books, &s->is.accounts[account],
                                        &s->is.accounts[parent], (struct str){0}, &err);
    failed = failed ? failed : books_commit(s->books.books, &err);
    if (failed) {
        expect_fail("parent: %s", err.text);
    }
    s->is.payers[account] = parent;
}

/* One of those that pay, and so have allotments. */
static size_t some_payer(struct story *s)
{
    return s->is.payers[chance_below(&s->chance, ACCOUNTS)];
}

static void story_open(struct story *s, uint64_t seed)
{
    char cap[64];
    memset(s, 0, sizeof(*s));
    some_open(&s->books, "UTC");
    runs_open(&s->runs);
    s->session = (struct session){.facts = s->runs.facts, .mode = FACTS_WRITE};
    chance_init(&s->chance, seed);
    s->now = FIRST + DAYS / 2 * DAY_US;
    s->is.weight = 333333;
    some_add(&s->books, "rate", "name=cpu|cpu=0.333333");
    for (size_t i = 0; i < ACCOUNTS; i++) {
        s->is.accounts[i] = some_account(&s->books, account_names[i]);
        s->is.floors[i] = INT64_MIN;
        (void)snprintf(cap, sizeof(cap), "account=%s|user=*|amount=50|per=month",
                       account_names[i]);
        some_add(&s->books, "cap", cap);
        (void)snprintf(cap, sizeof(cap), "account=%s|user=zoe|share=30", account_names[i]);
        some_add(&s->books, "cap", cap);
        s->is.payers[i] = i;
    }
    if (seed % 2) {
        set_parent(s, (size_t)(seed / 2 % 3), (size_t)((seed / 2 + 1 + seed / 6 % 2) % 3));
    }
}

static void story_close(struct story *s)
{
    if (s->kept.is) {
        buf_release(&s->kept.dump);
    }
    runs_close(&s->runs);
    some_close(&s->books);
}

static int64_t below(struct story *s, int64_t limit)
{
    return chance_below(&s->chance, limit);
}

/* --- what may happen ------------------------------------------------------------------------------ */

static void settle_all(struct story *s)
{
    struct error err = {0};
    int failed;
    (void)((failed = books_begin(s->books.books, &err)) ||
           (failed =
                charging_settle(s->books.books, s->books.zone, 0, s->now, STR("ann"), &err)) ||
           (failed = books_commit(s->books.books, &err)));
    books_rollback(s->books.books);
    if (failed) {
        expect_fail("settling: %s", err.text);
    }
}

static int64_t price_by(const struct run *run, int64_t weight)
{
    const int64_t span = RUN_HAS(run, end) ? run->end - run->start : run->req_wall_us;
    const wide_int product = (wide_int)run->cpus * weight * span;
    return (int64_t)((product + HOUR_US / 2) / HOUR_US);
}

static size_t account_of(const struct story *s, const struct run *run)
{
    size_t i = 0;
    if (str_eq(run->user, STR("zoe")) && run->start >= FIRST + s->is.drawn_from * DAY_US &&
        run->start < FIRST + s->is.drawn_to * DAY_US) {
        return s->is.drawn_by;
    }
    while (!str_eq(run->account, str_of(account_names[i]))) {
        i++;
    }
    return i;
}

/* What a run is charged, or is not any more, on the days that are open. */
static void add_line(struct story *s, size_t run, int sign)
{
    const size_t account = s->is.charged[run].account;
    if (s->is.line_count == LINES_MAX) {
        expect_fail("the story is too long");
    }
    s->is.lines[s->is.line_count++] = (struct posted){run,
                                                      account,
                                                      s->is.charged[run].start,
                                                      s->is.charged[run].end,
                                                      sign * s->is.charged[run].amount,
                                                      s->is.floors[s->is.payers[account]]};
}

/* A run stays with the weight it was charged by first, unless all are charged again and that makes a difference. */
static void note_charge(struct story *s, size_t i, enum charging_which which)
{
    const struct run *run = &s->records[i];
    if (!s->has[i] || s->lost[i] || !RUN_HAS(run, end)) {
        return;
    }
    const bool keeps = s->is.charged[i].weight > 0 && which != CHARGING_ALL;
    const int64_t weight = keeps ? s->is.charged[i].weight : s->is.weight;
    const int64_t amount = price_by(run, weight);
    const bool same = s->is.charged[i].weight > 0 && amount == s->is.charged[i].amount &&
                      (amount == 0 || (s->is.charged[i].account == account_of(s, run) &&
                                       s->is.charged[i].start == run->start &&
                                       s->is.charged[i].end == run->end));
    if (!same && s->is.charged[i].amount > 0) {
        add_line(s, i, -1);
    }
    if (!same) {
        s->is.charged[i].weight = weight;
        s->is.charged[i].amount = amount;
        s->is.charged[i].account = account_of(s, run);
        s->is.charged[i].start = run->start;
        s->is.charged[i].end = run->end;
        add_line(s, i, 1);
    }
}

static void charge(struct story *s, enum charging_which which)
{
    struct charging_result result;
    struct error err = {0};
    const struct charging_wish wish = {.which = which, .who = STR("ann"), .now = s->now};
    if (charging_run(s->books.books, &s->session, s->books.zone, &wish, &result, &err) != 0) {
        expect_fail("charging: %s", err.text);
    }
    for (size_t i = 0; i < RUNS; i++) {
        note_charge(s, i, which);
    }
}

static void grant(struct story *s)
{
    struct error err = {0};
    enum ledger_outcome outcome;
    if (s->is.known_count == ALLOTMENTS_MAX) {
        return;
    }
    struct known *known = &s->is.known[s->is.known_count++];
    const int64_t from = below(s, DAYS), length = 1 + below(s, DAYS);
    known->account = some_payer(s);
    known->granted = 1 + below(s, 500 * AMOUNT_ONE);
    known->row = (struct ledger_allotment){
        .account = s->is.accounts[known->account].id,
        .kind = STR("grant"),
        .from = FIRST + from * DAY_US,
        .to = FIRST + (from + length) * DAY_US,
        .clusters = below(s, 3) ? (struct str){0} : str_of(cluster_names[below(s, CLUSTERS)]),
        .carry = below(s, 2) * below(s, AMOUNT_ONE),
        .stays = below(s, 4) == 0};
    int failed;
    (void)((failed = books_begin(s->books.books, &err)) ||
           (failed = ledger_allot(s->books.books, &known->row, &err)) ||
           (failed = books_commit(s->books.books, &err)) ||
           (failed = some_post(&s->books, NULL, LEDGER_GRANT, LEDGER_GRANTED, known->row.pot,
                               known->granted, &outcome, &err)));
    if (failed) {
        expect_fail("grant: %s", err.text);
    }
}

/* Between two pots, or one and the site's; the database may refuse it, and then nothing has happened. */
static void move(struct story *s, enum ledger_kind kind)
{
    struct error err = {0};
    enum ledger_outcome outcome;
    if (s->is.known_count < 2) {
        return;
    }
    struct known *from = &s->is.known[below(s, (int64_t)s->is.known_count)];
    struct known *to = &s->is.known[below(s, (int64_t)s->is.known_count)];
    const int64_t amount = 1 + below(s, 100 * AMOUNT_ONE);
    const bool site = kind != LEDGER_TRANSFER;
    if (!site && from == to) {
        return;
    }
    const int64_t source = site ? LEDGER_GRANTED : from->row.pot;
    if (some_post(&s->books, NULL, kind, source, to->row.pot, amount, &outcome, &err) == 0) {
        if (!site && from->row.stays && from->account != to->account) {
            expect_fail("what is not transferable was moved to another account");
        }
        to->granted += amount;
        from->granted -= site ? 0 : amount;
    }
}

/* What the run costs the account that pays for it since it was charged last; 0 any other. */
static int64_t cost_of(const struct story *s, size_t run, size_t account)
{
    return s->is.charged[run].weight > 0 && s->is.payers[s->is.charged[run].account] == account
               ? s->is.charged[run].amount
               : 0;
}

/* What was decided for a run and a pot in all, if its first decision is the n-th; else 0. */
static int64_t decided_at(const struct story *s, size_t n)
{
    const struct decided *first = &s->is.refunds[n];
    int64_t sum = 0;
    for (size_t i = 0; i < s->is.refund_count; i++) {
        if (s->is.refunds[i].run == first->run && s->is.refunds[i].pot == first->pot) {
            if (i < n) {
                return 0;
            }
            sum += s->is.refunds[i].amount;
        }
    }
    return sum;
}

/* What the charge of a run leaves of its refunds on an account; of those into one pot, or with 0 into any. */
static int64_t refunded_of(const struct story *s, size_t run, size_t account, int64_t pot)
{
    int64_t left = cost_of(s, run, account), sum = 0;
    for (size_t i = 0; i < s->is.refund_count; i++) {
        const struct decided *refund = &s->is.refunds[i];
        if (refund->run == run && refund->account == account) {
            const int64_t decided = decided_at(s, i), is = decided < left ? decided : left;
            left -= is;
            sum += pot == 0 || refund->pot == pot ? is : 0;
        }
    }
    return sum;
}

/* A part of what some run was charged goes back into some allotment of its account. */
static void refund(struct story *s)
{
    struct error err = {0};
    enum ledger_outcome outcome;
    const size_t run = (size_t)below(s, RUNS),
                 account = s->is.payers[s->is.charged[run].account];
    const int64_t rest = cost_of(s, run, account) - refunded_of(s, run, account, 0);
    struct known *into =
        s->is.known_count ? &s->is.known[below(s, (int64_t)s->is.known_count)] : NULL;
    if (!into || rest <= 0 || into->account != account || s->is.refund_count == REFUNDS_MAX ||
        !s->has[run]) {
        return;
    }
    struct buf id;
    buf_init(&id, LIMIT_RUN_ID);
    run_id_print(&s->records[run], &id);
    const int64_t amount = 1 + below(s, rest);
    const struct ledger_entry entry = {.kind = LEDGER_REFUND,
                                       .from = LEDGER_USED,
                                       .to = into->row.pot,
                                       .amount = amount,
                                       .at = s->now,
                                       .run = buf_str(&id),
                                       .who = STR("ann")};
    int failed = books_begin(s->books.books, &err);
    failed = failed ? failed : ledger_post(s->books.books, &entry, &outcome, &err);
    failed = failed ? failed
                    : charging_settle(s->books.books, s->books.zone, into->row.account, s->now,
                                      STR("ann"), &err);
    failed = failed ? failed : books_commit(s->books.books, &err);
    books_rollback(s->books.books);
    buf_release(&id);
    if (failed) {
        expect_fail("refund: %s", err.text);
    }
    s->is.refunds[s->is.refund_count++] = (struct decided){run, account, into->row.pot, amount};
}

/* A run that is seen for the first time may have its end still before it: it has a limit, and holds what that costs. */
static void set_end(struct story *s, struct run *run, bool runs)
{
    if (runs) {
        RUN_SET(run, req_wall_us, below(s, 80 * HOUR_US));
        RUN_SET(run, class, STR("running"));
        runs_always_seen(run);
    } else {
        RUN_SET(run, end, run->start + below(s, 80 * HOUR_US));
        RUN_SET(run, class, STR("completed"));
    }
}

static void import(struct story *s)
{
    struct append_counts counts = {0};
    struct run batch[5];
    const size_t count = 1 + (size_t)below(s, COUNT_OF(batch));
    for (size_t n = 0; n < count; n++) {
        const int64_t job = below(s, RUNS), start = below(s, DAYS * 24);
        struct run *run = &s->records[job];
        *run = (struct run){0};
        RUN_SET(run, cluster, str_of(cluster_names[job % CLUSTERS]));
        RUN_SET(run, job, job + 1);
        RUN_SET(run, attempt, job + 1);
        RUN_SET(run, user, job % 3 ? STR("bob") : STR("zoe"));
        RUN_SET(run, account, str_of(account_names[below(s, ACCOUNTS)]));
        RUN_SET(run, cpus, 1 + below(s, 9));
        RUN_SET(run, start, FIRST + start * HOUR_US);
        set_end(s, run, !s->has[job] && below(s, 3) == 0);
        s->has[job] = true;
        s->lost[job] = false;
        batch[n] = *run;
    }
    runs_put(&s->runs, batch, count, &counts);
}

static void change_rate(struct story *s)
{
    char text[96];
    s->is.before_last = s->is.weight;
    s->is.weight = 1 + below(s, 3 * AMOUNT_ONE);
    /* the later a rate begins, the sooner it is tried: all of them hold for all of the days */
    (void)snprintf(text, sizeof(text), "name=r%d|cpu=%d.%06d|from=2024-%02d-%02d", s->is.rates,
                   (int)(s->is.weight / AMOUNT_ONE), (int)(s->is.weight % AMOUNT_ONE),
                   1 + s->is.rates / 28, 1 + s->is.rates % 28);
    s->is.rates++;
    s->is.last_rate = some_add(&s->books, "rate", text);
    if (below(s, 2)) {
        charge(s, CHARGING_ALL);
    }
}

/* Takes the last rate away: what it has charged stays. */
static void remove_rate(struct story *s)
{
    struct error err = {0};
    if (s->is.last_rate == 0) {
        return;
    }
    int failed = books_begin(s->books.books, &err);
    failed = failed
                 ? failed
                 : books_remove(s->books.books, kind_find(STR("rate")), s->is.last_rate, &err);
    failed = failed ? failed : books_commit(s->books.books, &err);
    if (failed) {
        expect_fail("rate: %s", err.text);
    }
    s->is.weight = s->is.before_last;
    s->is.last_rate = 0;
}

/* What the statements up to the first open day say in the end. */
static void read_closed(struct story *s, size_t account, int64_t *moved, int64_t *used)
{
    struct error err = {0};
    const int64_t until = FIRST + s->is.floors[account] * DAY_US,
                  id = s->is.accounts[account].id;
    if (ledger_moved(s->books.books, id, until, moved, &err) != 0 ||
        ledger_used(s->books.books, id, INT32_MIN, until / DAY_US, used, &err) != 0) {
        expect_fail("statement: %s", err.text);
    }
}

static void close_period(struct story *s)
{
    struct error err = {0};
    const size_t account = some_payer(s);
    const int64_t day = below(s, DAYS), until = FIRST + day * DAY_US;
    struct closing closing = {s->is.accounts[account].id, until, until / DAY_US, 0};
    if (day <= s->is.floors[account] || until > s->now) {
        return;
    }
    settle_all(s);
    int failed = books_begin(s->books.books, &err);
    failed = failed ? failed : charging_last_round(s->books.books, &closing.round, &err);
    failed = failed ? failed
                    : closings_add(s->books.books, &closing, s->now, STR("ann"),
                                   (struct str){0}, &err);
    failed = failed ? failed : books_commit(s->books.books, &err);
    if (failed) {
        expect_fail("closing: %s", err.text);
    }
    s->is.floors[account] = day;
    read_closed(s, account, &s->is.closed[account].moved, &s->is.closed[account].used);
}

/* Once: zoe's runs of some days draw on another account. */
static void draw_by_user(struct story *s)
{
    struct error err = {0};
    struct charging_result result;
    if (s->is.drawn_to > 0) {
        return;
    }
    s->is.drawn_from = below(s, DAYS);
    s->is.drawn_to = s->is.drawn_from + 1 + below(s, DAYS);
    s->is.drawn_by = (size_t)below(s, ACCOUNTS);
    const struct ledger_draw_row row = {.kind = STR("user"),
                                        .name = STR("zoe"),
                                        .account = s->is.accounts[s->is.drawn_by].id,
                                        .from = FIRST + s->is.drawn_from * DAY_US,
                                        .to = FIRST + s->is.drawn_to * DAY_US};
    const struct charging_wish wish = {.which = CHARGING_OF_NAME,
                                       .kind = "user",
                                       .name = row.name,
                                       .since = row.from,
                                       .who = STR("ann"),
                                       .now = s->now};
    int failed = books_begin(s->books.books, &err);
    failed = failed ? failed : ledger_draw_add(s->books.books, &row, &err);
    failed = failed ? failed : books_commit(s->books.books, &err);
    failed =
        failed ? failed
               : charging_run(s->books.books, &s->session, s->books.zone, &wish, &result, &err);
    if (failed) {
        expect_fail("draw: %s", err.text);
    }
    for (size_t i = 0; i < RUNS; i++) {
        if (s->has[i] && str_eq(s->records[i].user, row.name) &&
            s->records[i].start >= row.from) {
            note_charge(s, i, CHARGING_OF_NAME);
        }
    }
}

/* The facts are made again, in another order; `loses`: from older files, which lack some of the runs that have ended. */
static void rebuild_facts(struct story *s, bool loses)
{
    struct append_counts counts = {0};
    struct run batch[RUNS];
    size_t count = 0;
    runs_close(&s->runs);
    runs_open(&s->runs);
    s->session = (struct session){.facts = s->runs.facts, .mode = FACTS_WRITE};
    for (size_t i = RUNS; i-- > 0;) {
        s->lost[i] = loses && s->has[i] && RUN_HAS(&s->records[i], end) && below(s, 6) == 0;
        if (s->has[i] && !s->lost[i]) {
            batch[count++] = s->records[i];
        }
    }
    if (count > 0) {
        runs_put(&s->runs, batch, count, &counts);
    }
}

/* Runs that were lost are imported again. */
static void find_lost(struct story *s)
{
    struct append_counts counts = {0};
    struct run batch[RUNS];
    size_t count = 0;
    for (size_t i = 0; i < RUNS; i++) {
        if (s->lost[i]) {
            batch[count++] = s->records[i];
            s->lost[i] = false;
        }
    }
    if (count > 0) {
        runs_put(&s->runs, batch, count, &counts);
    }
}

static void keep_dump(struct story *s)
{
    struct error err = {0};
    if (s->kept.is) {
        buf_release(&s->kept.dump);
    }
    buf_init(&s->kept.dump, LIMIT_BOOKS_FILE);
    s->kept.is = true;
    s->kept.was = s->is;
    if (books_dump(s->books.books, &(struct text_sink){&s->kept.dump, text_sink_buf}, &err) !=
        0) {
        expect_fail("dump: %s", err.text);
    }
}

/* The books are those of the dump again, whatever was decided since; the facts go on. */
static void restore_dump(struct story *s)
{
    char kept[128];
    struct error err = {0};
    struct books_restored restored;
    if (!s->kept.is) {
        return;
    }
    (void)snprintf(kept, sizeof(kept), "%s/kept-before.json", s->books.folder);
    (void)remove(kept);
    if (books_restore(s->books.books, buf_str(&s->kept.dump), kept, &restored, &err) != 0) {
        expect_fail("restore: %s", err.text);
    }
    s->is = s->kept.was;
}

static void set_overdraft(struct story *s)
{
    struct error err = {0};
    struct ledger_account *account = &s->is.accounts[some_payer(s)];
    int failed;
    account->overdraft = (enum ledger_overdraft)below(s, OVERDRAFTS);
    account->overdraft_micro =
        below(s, account->overdraft == OVERDRAFT_SHARE ? AMOUNT_ONE : 100 * AMOUNT_ONE);
    (void)((failed = books_begin(s->books.books, &err)) ||
           (failed = ledger_set(s->books.books, account, "set", (struct str){0}, &err)) ||
           (failed = books_commit(s->books.books, &err)));
    if (failed) {
        expect_fail("overdraft: %s", err.text);
    }
}

/* Whoever settles is killed before it is written down: the database takes back what was begun, as it does after a crash. */
static void break_off(struct story *s)
{
    struct error err = {0};
    int failed;
    (void)((failed = books_begin(s->books.books, &err)) ||
           (failed =
                charging_settle(s->books.books, s->books.zone, 0, s->now, STR("ann"), &err)));
    if (failed) {
        expect_fail("settling: %s", err.text);
    }
    books_close(s->books.books);
    if (books_open(s->books.folder, BOOKS_WRITE, &s->books.world, &s->books.books, &err) != 0) {
        expect_fail("opening: %s", err.text);
    }
}

static void step(struct story *s)
{
    switch (below(s, 18)) {
    case 0:
    case 1:
        grant(s);
        break;
    case 2:
        move(s, LEDGER_TRANSFER);
        break;
    case 3:
        refund(s);
        break;
    case 4:
        move(s, LEDGER_ADJUSTMENT);
        break;
    case 5:
        s->now = FIRST + below(s, 2 * DAYS * DAY_US);
        settle_all(s);
        break;
    case 6:
        set_overdraft(s);
        break;
    case 7:
        break_off(s);
        break;
    case 8:
        if (below(s, 3) == 0) {
            change_rate(s);
        }
        break;
    case 12:
        close_period(s);
        break;
    case 13:
        draw_by_user(s);
        break;
    case 14:
        remove_rate(s);
        break;
    case 15:
        rebuild_facts(s, below(s, 2));
        break;
    case 16:
        keep_dump(s);
        break;
    case 17:
        restore_dump(s);
        break;
    default:
        import(s);
        if (below(s, 2)) {
            charge(s, below(s, 4) ? CHARGING_CHANGED : CHARGING_ALL);
        }
        break;
    }
}

/* --- the same, without the bank ------------------------------------------------------------------- */

/* Of a run that ended; of one that has not, at its limit. */
static int64_t price(const struct story *s, const struct run *run)
{
    const size_t i = (size_t)(run - s->records);
    return price_by(run, RUN_HAS(run, end) ? s->is.charged[i].weight : s->is.weight);
}

/* What of a line lies on the days before an instant. */
static int64_t reached(const struct posted *line, int64_t instant)
{
    const int64_t size = line->amount < 0 ? -line->amount : line->amount,
                  span = line->end - line->start;
    const int64_t part = instant >= line->end ? size
                         : instant <= line->start
                             ? 0
                             : (int64_t)((wide_int)size * (instant - line->start) / span);
    return line->amount < 0 ? -part : part;
}

/* On a day, with what was closed when it was posted and counts on the first open one. */
static int64_t line_on(const struct posted *line, int64_t day)
{
    const int64_t lower = FIRST + day * DAY_US, upper = lower + DAY_US;
    if (day < line->floor) {
        return 0;
    }
    if (line->end == line->start) {
        const bool here = line->start < upper && (line->start >= lower || day == line->floor);
        return here ? line->amount : 0;
    }
    return reached(line, upper) - (day == line->floor ? 0 : reached(line, lower));
}

/* Whether runs of one account are of another: it is the same, or pays for them. */
static bool is_of(const struct story *s, size_t one, size_t account)
{
    return one == account || s->is.payers[one] == account;
}

static int64_t used_on(const struct story *s, size_t account, size_t cluster, int64_t day)
{
    int64_t sum = 0;
    for (size_t i = 0; i < s->is.line_count; i++) {
        const struct posted *line = &s->is.lines[i];
        if (is_of(s, line->account, account) && line->run % CLUSTERS == cluster) {
            sum += line_on(line, day);
        }
    }
    return sum;
}

/* Whether x is drawn before y. */
static bool is_before(const struct known *x, const struct known *y)
{
    return x->row.to != y->row.to                         ? x->row.to < y->row.to
           : !x->row.clusters.ptr != !y->row.clusters.ptr ? x->row.clusters.ptr != NULL
                                                          : x->row.id < y->row.id;
}

static int compare(const void *a, const void *b)
{
    return is_before(a, b) ? -1 : 1;
}

static void end_one(struct story *s, struct known *ended)
{
    const int64_t left = ended->granted + ended->refunded + ended->carried_in - ended->drawn;
    for (size_t i = 0; i < s->is.known_count && left > 0; i++) {
        struct known *next = &s->is.known[i];
        const bool any = !next->row.clusters.ptr;
        const bool same = ended->row.clusters.ptr && next->row.clusters.ptr &&
                          str_eq(ended->row.clusters, next->row.clusters);
        if (next != ended && next->account == ended->account &&
            next->row.from <= ended->row.to && ended->row.to < next->row.to && (any || same)) {
            ended->carried = (int64_t)((wide_int)left * ended->row.carry / AMOUNT_ONE);
            next->carried_in += ended->carried;
            break;
        }
    }
    ended->expired = left - ended->carried;
}

static void draw(struct story *s, int64_t owed[ACCOUNTS])
{
    qsort(s->is.known, s->is.known_count, sizeof(*s->is.known), compare);
    for (int64_t day = 0; day <= 2 * DAYS; day++) {
        const int64_t instant = FIRST + day * DAY_US;
        for (size_t i = 0; i < s->is.known_count; i++) {
            if (s->is.known[i].row.to == instant && instant <= s->now) {
                end_one(s, &s->is.known[i]);
            }
        }
        for (size_t a = 0; a < ACCOUNTS * CLUSTERS; a++) {
            const bool pays = s->is.payers[a / CLUSTERS] == a / CLUSTERS;
            int64_t left = pays ? used_on(s, a / CLUSTERS, a % CLUSTERS, day) : 0;
            for (size_t i = 0; i < s->is.known_count && left != 0; i++) {
                struct known *k = &s->is.known[i];
                const bool holds =
                    k->account == a / CLUSTERS && k->row.from <= instant &&
                    instant < k->row.to &&
                    (!k->row.clusters.ptr ||
                     str_eq(k->row.clusters, str_of(cluster_names[a % CLUSTERS])));
                const int64_t has =
                    holds ? k->granted + k->refunded + k->carried_in - k->drawn : 0;
                const int64_t taken = left < 0     ? (holds ? left : 0)
                                      : has > left ? left
                                      : has > 0    ? has
                                                   : 0;
                k->drawn += taken;
                left -= taken;
            }
            owed[a / CLUSTERS] += left;
        }
    }
}

/* What running jobs hold of an account: those of a user, or with the null string all. */
static int64_t held_of(const struct story *s, size_t account, struct str user)
{
    int64_t sum = 0;
    for (size_t i = 0; i < RUNS; i++) {
        const struct run *run = &s->records[i];
        sum += s->has[i] && !RUN_HAS(run, end) &&
                       s->now - DAY_US <= run->start + run->req_wall_us &&
                       is_of(s, account_of(s, run), account) &&
                       (!user.ptr || str_eq(run->user, user))
                   ? price(s, run)
                   : 0;
    }
    return sum;
}

static int64_t held_by(const struct story *s, size_t account)
{
    return held_of(s, account, (struct str){0});
}

/* What the account has at one day after another, what of it is free, and how far below zero it may go. */
static void expect_balances(const struct story *s, const struct ledger_account *account,
                            const struct ledger_allotments *list, size_t which, int64_t owed)
{
    for (int64_t day = 0; day <= 2 * DAYS; day++) {
        struct error err = {0};
        struct ledger_balance is;
        const int64_t instant = FIRST + day * DAY_US;
        wide_int granted = 0, left = -(wide_int)owed;
        for (size_t i = 0; i < s->is.known_count; i++) {
            const struct known *k = &s->is.known[i];
            if (k->account == which && k->row.from <= instant && instant < k->row.to) {
                const int64_t rest = k->granted + k->refunded + k->carried_in - k->drawn -
                                     k->carried - k->expired;
                granted += k->granted + k->carried_in - k->carried;
                left += rest;
            }
        }
        const struct ledger_account *known = &s->is.accounts[which];
        const wide_int floor = known->overdraft == OVERDRAFT_NONE ? 0
                               : known->overdraft == OVERDRAFT_AMOUNT
                                   ? known->overdraft_micro
                                   : granted * known->overdraft_micro / AMOUNT_ONE;
        expect_int(ledger_balance(account, list, instant, &is, &err), 0);
        expect_int(is.granted, (int64_t)granted);
        expect_int(is.balance, (int64_t)left);
        expect_int(is.held, held_by(s, which));
        expect_int(is.free, (int64_t)left - held_by(s, which));
        expect_int(is.floor, (int64_t)floor);
    }
}

static void expect_allotments(struct story *s, int64_t owed[ACCOUNTS])
{
    struct error err = {0};
    struct ledger_allotments list;
    for (size_t i = 0; i < s->is.known_count; i++) {
        struct known *known = &s->is.known[i];
        known->drawn = known->carried_in = known->carried = known->expired = 0;
        known->refunded = 0;
        for (size_t run = 0; run < RUNS; run++) {
            known->refunded += refunded_of(s, run, known->account, known->row.pot);
        }
    }
    draw(s, owed);
    expect_int(ledger_allotments_list(s->books.books, 0, &list, &err), 0);
    expect_uint(list.count, s->is.known_count);
    for (size_t i = 0; i < list.count; i++) {
        size_t k = 0;
        while (s->is.known[k].row.id != list.rows[i].id) {
            k++;
        }
        const struct known *known = &s->is.known[k];
        expect_int(list.rows[i].granted, known->granted);
        expect_int(list.rows[i].refunded, known->refunded);
        expect_int(list.rows[i].charged, known->drawn);
        expect_int(list.rows[i].carried, known->carried - known->carried_in);
        expect_int(list.rows[i].expired, known->expired > 0 ? known->expired : 0);
    }
    ledger_allotments_release(&list);
}

/* What is closed is as it was when it was closed. */
static void expect_closed(struct story *s)
{
    for (size_t i = 0; i < ACCOUNTS; i++) {
        int64_t moved = 0, used = 0;
        if (s->is.floors[i] != INT64_MIN) {
            read_closed(s, i, &moved, &used);
            expect_int(moved, s->is.closed[i].moved);
            expect_int(used, s->is.closed[i].used);
        }
    }
}

/* The day that an instant lies in, since the first. */
static int64_t day_at(int64_t instant)
{
    return instant / DAY_US - FIRST / DAY_US;
}

/* What a user was charged on an account from a day on, and what their running jobs hold. */
static int64_t spent_by(const struct story *s, size_t account, struct str user, int64_t first)
{
    int64_t sum = 0;
    for (size_t i = 0; i < s->is.line_count; i++) {
        const struct posted *line = &s->is.lines[i];
        for (int64_t day = first > 0 ? first : 0;
             is_of(s, line->account, account) && str_eq(s->records[line->run].user, user) &&
             day <= 2 * DAYS;
             day++) {
            sum += line_on(line, day);
        }
    }
    return sum + held_of(s, account, user);
}

/*
 * Bob goes by the cap of everybody, by month; zoe by her own, a share since her account's
 * allotments began.
 */
static void expect_caps(struct story *s, const struct ledger_account *account,
                        const struct ledger_allotments *list, size_t which)
{
    struct error err = {0};
    struct caps caps;
    struct cap_states states;
    const struct civil now = zone_civil(s->books.zone, s->now);
    const int64_t month = civil_days(now.year, now.month, 1) - FIRST / DAY_US;
    int64_t begun = s->now;
    wide_int granted = 0;
    for (size_t i = 0; i < s->is.known_count; i++) {
        const struct known *k = &s->is.known[i];
        if (k->account == s->is.payers[which] && k->row.from <= s->now && s->now < k->row.to) {
            granted += k->granted + k->carried_in - k->carried;
            begun = k->row.from < begun ? k->row.from : begun;
        }
    }
    const int64_t bob = 50 * AMOUNT_ONE - spent_by(s, which, STR("bob"), month),
                  zoe = (int64_t)(granted * 30 / 100) -
                        spent_by(s, which, STR("zoe"), day_at(begun));
    expect_int(caps_list(s->books.books, s->books.zone, s->now, &caps, &err), 0);
    expect_int(
        caps_of(s->books.books, s->books.zone, s->now, &caps, account, list, &states, &err), 0);
    expect_int(caps_left(&states, STR("bob")), bob);
    expect_int(caps_left(&states, STR("zoe")), zoe);
    cap_states_release(&states);
    caps_release(&caps);
}

/* Itemised charges: of any days, the lines come to what counts on these. */
static void expect_items(struct story *s, const struct ledger_account *account, size_t which)
{
    struct error err = {0};
    struct charges charges;
    const int64_t first = below(s, DAYS), last = first + 1 + below(s, DAYS);
    const struct charges_filter filter = {.account = account->id,
                                          .first = first + FIRST / DAY_US,
                                          .last = last + FIRST / DAY_US,
                                          .zone = s->books.zone};
    int64_t is = 0, ought = 0;
    expect_int(charges_list(s->books.books, &filter, &charges, &err), 0);
    for (size_t i = 0; i < charges.count; i++) {
        is += charges.rows[i].counted;
    }
    for (int64_t day = first; day < last; day++) {
        for (size_t cluster = 0; cluster < CLUSTERS; cluster++) {
            ought += used_on(s, which, cluster, day);
        }
    }
    expect_int(is, ought);
    charges_release(&charges);
}

static void expect_the_same(struct story *s)
{
    struct error err = {0};
    struct ledger_allotments list;
    struct ledger_accounts accounts;
    int64_t owed[ACCOUNTS] = {0};
    expect_allotments(s, owed);
    expect_int(ledger_allotments_list(s->books.books, 0, &list, &err), 0);
    expect_int(ledger_accounts_list(s->books.books, &accounts, &err), 0);
    for (size_t i = 0; i < ACCOUNTS; i++) {
        expect_int(accounts.rows[i].over_charged, owed[s->is.payers[i]]);
    }
    for (size_t i = 0; i < ACCOUNTS; i++) {
        const size_t payer = s->is.payers[i];
        expect_balances(s, &accounts.rows[i], &list, payer, owed[payer]);
        expect_caps(s, &accounts.rows[i], &list, i);
        expect_items(s, &accounts.rows[i], i);
    }
    ledger_accounts_release(&accounts);
    ledger_allotments_release(&list);
}

static void whatever_happens_every_balance_follows_from_runs_rates_and_grants(void **state)
{
    (void)state;
    int64_t held = 0;
    const char *count = getenv("STINT_STORIES");
    const uint64_t stories = count ? (uint64_t)strtoul(count, NULL, 10) : 10;
    for (uint64_t seed = 1; seed <= stories; seed++) {
        struct story *s = malloc(sizeof(*s));
        printf("# story %d\n", (int)seed);
        story_open(s, seed);
        for (size_t i = 0; i < STEPS; i++) {
            step(s);
        }
        /* while some of it goes on, or when everything is over */
        s->now = FIRST + (seed % 2 ? below(s, DAYS / 4) : 3 * DAYS) * DAY_US;
        int64_t owed[ACCOUNTS] = {0};
        find_lost(s);
        charge(s, CHARGING_CHANGED);
        settle_all(s);
        some_check(&s->books);
        expect_allotments(s, owed); /* by the rates that charges were made by */
        charge(s, CHARGING_ALL);
        settle_all(s);
        some_check(&s->books);
        expect_the_same(s);
        expect_closed(s);
        held += held_by(s, 0) + held_by(s, 1) + held_by(s, 2);
        story_close(s);
        free(s);
    }
    expect_true(held > 0); /* some run goes on in the end */
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, whatever_happens_every_balance_follows_from_runs_rates_and_grants);
    return suite_run(&suite, "story");
}
