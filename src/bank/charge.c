/* SPDX-License-Identifier: MIT */
#include "bank/charge.h"

#include <stdlib.h>

#include "bank/amount.h"
#include "bank/charge_pass.h"
#include "bank/charge_state.h"
#include "bank/posting.h"
#include "bank/price.h"
#include "bank/refunds.h"
#include "bank/statements.h"
#include "base/limit.h"
#include "base/mem.h"
#include "books/query.h"
#include "record/run_id.h"

/*
 * Of every line that is posted: what it comes to by day, and whose account has to be settled.
 */
static int take_posted(void *context, const struct packed_line *line, struct error *err)
{
    struct pass *pass = context;
    if (line->amount == 0) {
        return 0;
    }
    pass->touched[pass->by_id[pass->accounts.rows[pass->by_id[line->account]].payer]] = true;
    if (pass->differences) {
        struct charging_difference *sum = &pass->differences[pass->by_id[line->account]];
        int64_t *side = line->amount < 0 ? &sum->taken_back : &sum->charged;
        const int failed =
            amount_add(*side, line->amount < 0 ? -line->amount : line->amount, side, err);
        sum->account = line->account;
        sum->lines++;
        if (failed) {
            return failed;
        }
    }
    const struct usage_charge charge = {
        line->account,
        line->cluster,
        line->user,
        line->start,
        line->end,
        line->amount,
        closings_floor(&pass->closings, line->account, pass->round)};
    const int failed = usage_add(&pass->usage, &charge, err);
    const struct usage_late *late = &pass->usage.late;
    if (!failed && late->is) {
        lates_add(&pass->lates,
                  (struct late){line->account, pass->round, line->cluster, line->user,
                                charge.floor, late->amount, late->first, late->last});
    }
    return failed;
}

/* All liens that are open. */
static int read_liens(struct pass *pass, struct error *err)
{
    struct query q = query_begin(pass->books, SQL_BANK_LIENS_OPEN);
    while (query_row(&q)) {
        (void)name_ids_id(&pass->liens, query_view_at(&q, 0));
    }
    pass->all_liens = true;
    return query_finish(&q, "cannot read the bank", err);
}

/*
 * Whether the run may hold a lien. A few are looked for one by one; before many are, all that
 * are open are read, which takes as long as there are liens, open or not.
 */
static int may_hold(struct pass *pass, struct str id, bool *out, struct error *err)
{
    enum { SOUGHT_MAX = 4096 };

    int failed = 0;
    if (!pass->all_liens && pass->sought++ == SOUGHT_MAX) {
        (void)((failed = charge_lines_wait(&pass->lines, err)) ||
               (failed = read_liens(pass, err)));
    }
    *out = !pass->all_liens || name_ids_has(&pass->liens, id);
    return failed;
}

static int set_lien(struct pass *pass, const struct run *run, const struct charge *wanted,
                    struct error *err)
{
    const struct str id = buf_str(&pass->id);
    bool holds = false;
    int failed;
    if (wanted->lien > 0) {
        pass->result->liens++;
        (void)name_ids_id(&pass->liens, id);
        failed = charge_lines_wait(&pass->lines, err);
        return failed ? failed
                      : ledger_lien_place(pass->books,
                                          &(struct ledger_lien){.run = id,
                                                                .account = wanted->line.account,
                                                                .amount = wanted->lien,
                                                                .until = wanted->lien_until,
                                                                .at = pass->wish->now,
                                                                .user = RUN_HAS(run, user)
                                                                            ? run->user
                                                                            : (struct str){0}},
                                          err);
    }
    failed = may_hold(pass, id, &holds, err);
    (void)(failed || !holds || (failed = charge_lines_wait(&pass->lines, err)) ||
           (failed = ledger_lien_settle(pass->books, id,
                                        wanted->line.amount > 0 ? LIEN_SETTLED : LIEN_VOIDED,
                                        wanted->line.amount, pass->wish->now, err)));
    return failed;
}

/*
 * Whether there is nothing to compare the run with: nothing was ever charged, and it holds no
 * lien.
 */
static bool has_nothing(const struct pass *pass)
{
    return pass->fresh && pass->all_liens && pass->liens.count == 0;
}

static int charge_run(struct pass *pass, struct run *run, bool there, struct error *err)
{
    struct charge wanted = {0};
    pass->result->runs++;
    if (there) {
        pass_want(pass, run, &wanted);
    }
    if (wanted.line.rate == 0 && wanted.lien == 0 && has_nothing(pass)) {
        return 0;
    }
    buf_clear(&pass->id);
    run_id_print(run, &pass->id);
    int failed = pass->comparison ? 0 : set_lien(pass, run, &wanted, err);
    wanted.line.run = buf_str(&pass->id);
    wanted.line.end = wanted.is_ended ? wanted.line.end : 0;
    struct charge_lines_price input;
    if (!failed && pass->keeps_pins) {
        input = pass_price_input(pass, run, wanted.cluster, wanted.is_unpriced);
    }
    return failed ? failed
                  : charge_lines_want(&pass->lines, run, &wanted.line,
                                      pass->keeps_pins ? &input : NULL, err);
}

int pass_take_chunk(void *context, const struct table *chunk, struct error *err)
{
    struct pass *pass = context;
    struct run run = {0};
    int failed = 0;
    for (size_t i = 0; !failed && i < chunk->row_count; i++) {
        const bool there = changed_runs_read(&pass->columns, chunk, i, &run);
        const bool meant = pass->wish->until == 0 || run.start < pass->wish->until;
        failed = meant ? charge_run(pass, &run, there, err) : 0;
    }
    return failed;
}

/* --- a pass ------------------------------------------------------------------------------- */

static int grow_books(struct books *books, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_GROW);
    query_run(&q);
    return query_finish(&q, "cannot read the bank", err);
}

static int read_fresh(struct pass *pass, struct error *err)
{
    struct query q = query_begin(pass->books, SQL_BANK_IS_FRESH);
    while (query_row(&q)) {
        pass->fresh = query_int_at(&q, 0) != 0;
        pass->all_liens = query_int_at(&q, 1) != 0;
    }
    return query_finish(&q, "cannot read the bank", err);
}

static void index_accounts(struct pass *pass)
{
    for (size_t i = 0; i < pass->accounts.count; i++) {
        const size_t id = (size_t)pass->accounts.rows[i].id;
        pass->by_id_count = id >= pass->by_id_count ? id + 1 : pass->by_id_count;
    }
    pass->by_id = mem_alloc(pass->by_id_count + 1, sizeof(*pass->by_id));
    pass->touched = mem_alloc(pass->accounts.count + 1, sizeof(*pass->touched));
    for (size_t i = 0; i < pass->accounts.count; i++) {
        pass->by_id[pass->accounts.rows[i].id] = i;
    }
    if (pass->wish->plan) {
        pass->differences = mem_alloc(pass->accounts.count + 1, sizeof(*pass->differences));
    }
}

/* Fields that neither a rate nor a rule of clusters nor a draw goes by need not be read. */
static void choose_columns(struct pass *pass)
{
    const struct {
        enum run_field field;
        bool needed;
    } fields[] = {
        {RUN_project, pass->draws.by_project},
        {RUN_partition, pass->rules.count > 0 || price_goes_by(&pass->rates, RUN_partition)},
        {RUN_node, pass->rules.count > 0},
        {RUN_qos, price_goes_by(&pass->rates, RUN_qos)},
        {RUN_gpu_type, price_goes_by(&pass->rates, RUN_gpu_type)},
        {RUN_group, price_goes_by(&pass->rates, RUN_group)},
        {RUN_energy_mj, price_goes_by(&pass->rates, RUN_energy_mj)},
        {RUN_resources, price_goes_by(&pass->rates, RUN_resources)},
        {RUN_mem_bytes, price_goes_by(&pass->rates, RUN_mem_bytes)},
        {RUN_node_count, price_goes_by(&pass->rates, RUN_node_count)},
        {RUN_billing, price_goes_by(&pass->rates, RUN_billing)},
        {RUN_state, price_goes_by(&pass->rates, RUN_state)},
        {RUN_class, price_goes_by(&pass->rates, RUN_class)},
    };

    pass->columns = changed_columns_all;
    for (size_t i = 0; i < COUNT_OF(fields); i++) {
        if (!fields[i].needed && !pass->keeps_pins) {
            changed_columns_drop(&pass->columns, fields[i].field);
        }
    }
}

int pass_prepare(struct pass *pass, const struct zone *site, struct error *err)
{
    struct changes_position position;
    bool reads_on = false;
    int failed;
    (void)((failed = pass->comparison
                         ? charging_zone(pass->books, site, &pass->zone, err)
                         : charging_open_zone(pass->books, site, &pass->zone, err)) ||
           (failed = books_rates(pass->books, pass->zone, &pass->rates, err)) ||
           (failed = pins_read(pass->books, pass->zone, &pass->pins, err)) ||
           (failed = ledger_draws_list(pass->books, &pass->draws, err)) ||
           (failed = ledger_accounts_list(pass->books, &pass->accounts, err)) ||
           (failed = books_cluster_rules(pass->books, &pass->rules, err)) ||
           (failed = name_ids_read(pass->books, &pass->names, err)) ||
           (failed = closings_read(pass->books, &pass->closings, err)) ||
           (failed = read_fresh(pass, err)) || (failed = grow_books(pass->books, err)) ||
           (failed = charging_get_position(pass->books, &position, &reads_on, err)) ||
           (failed = charging_get_number(pass->books, "round", &pass->round, err)));
    if (!failed) {
        index_accounts(pass);
        pass->keeps_pins = (pass->pins.changed || pass->rates.by_metagroup) &&
                           pass->wish->which != CHARGING_ALL;
        choose_columns(pass);
        pass->round++;
        pass->first = !reads_on;
        pass->usage.zone = pass->zone;
        pass->lines =
            (struct charge_lines_batch){.books = pass->books,
                                        .round = pass->round,
                                        .missing_only = pass->wish->which == CHARGING_MISSING,
                                        .reprice = pass_reprice,
                                        .posted = take_posted,
                                        .context = pass};
        buf_init(&pass->id, LIMIT_RUN_ID);
    }
    return failed;
}

void pass_release(struct pass *pass)
{
    zone_close(pass->zone);
    rate_list_release(&pass->rates);
    ledger_draws_release(&pass->draws);
    ledger_accounts_release(&pass->accounts);
    cluster_rules_release(&pass->rules);
    name_ids_release(&pass->names);
    name_ids_release(&pass->texts);
    pins_release(&pass->pins);
    name_ids_release(&pass->liens);
    usage_release(&pass->usage);
    closings_release(&pass->closings);
    lates_release(&pass->lates);
    buf_release(&pass->id);
    charge_lines_batch_release(&pass->lines);
    free(pass->by_id);
    free(pass->touched);
    free(pass->differences);
}

/*
 * The runs that changed since the last time. Where the facts are others than those that were
 * read, all of them: what is charged already is found to be.
 */
static int read_changed(struct pass *pass, struct facts *facts, const struct table_sink *sink,
                        struct error *err)
{
    struct changes_position position;
    bool reads_on = false, known = false;
    int failed = charging_get_position(pass->books, &position, &reads_on, err);
    failed = failed ? failed : charging_is_known_to(facts, &position, &known, err);
    if (failed) {
        return failed;
    }
    pass->result->restarted = !known;
    const int64_t after = known ? position.seq : 0;
    return after == pass->upto.seq
               ? 0
               : changed_runs_by_feed(facts, after, pass->upto.seq, &pass->columns, sink, err);
}

/* Goes through the runs that are asked for. */
static int read_runs(struct pass *pass, struct facts *facts, struct error *err)
{
    const struct charging_wish *wish = pass->wish;
    const struct table_sink sink = {pass, pass_take_chunk};
    int64_t latest = 0;
    int failed = changes_latest(facts, &latest, err);
    failed = failed ? failed : changes_position(facts, latest, &pass->upto, err);
    if (failed) {
        return failed;
    }
    switch (wish->which) {
    case CHARGING_OF_NAME:
        return changed_runs_of(facts, ledger_draw_field(str_of(wish->kind)), wish->name,
                               wish->since, &pass->columns, &sink, err);
    case CHARGING_MISSING:
    case CHARGING_ALL:
        return changed_runs_since(facts, wish->since, &pass->columns, &sink, err);
    case CHARGING_CHANGED:
    default:
        return read_changed(pass, facts, &sink, err);
    }
}

/*
 * The lines of all runs that are asked for. However it ends, the books are not in use any more.
 */
static int post_lines(struct pass *pass, struct facts *facts, struct error *err)
{
    struct error other = {0};
    const int failed = read_runs(pass, facts, err);
    const int second = charge_lines_wait(&pass->lines, failed ? &other : err);
    return failed ? failed : second ? second : charge_lines_flush(&pass->lines, err);
}

/*
 * Liens of runs whose limit is over, and of whose end nobody has heard. Up to where that was
 * looked for is kept, so that a pass need not look at all of them; where the clock was set
 * back, it goes back.
 */
static int time_out_liens(struct pass *pass, struct error *err)
{
    const int64_t to = pass->wish->now - LIEN_GRACE_US;
    int64_t from = 0;
    int failed;
    (void)((failed = charging_get_number(pass->books, "liens_timed_out", &from, err)) ||
           (from < to && (failed = ledger_liens_time_out(pass->books, from, to, pass->wish->now,
                                                         &pass->result->timed_out, err))) ||
           (failed = charging_put_number(pass->books, "liens_timed_out", to, err)));
    return failed;
}

/*
 * In books of before refunds followed the charges of their runs, some may be more than those:
 * the accounts of refunds are settled once.
 */
static int touch_refunded(struct pass *pass, struct error *err)
{
    struct refunds refunds = {0};
    int64_t done = 0;
    int failed = charging_get_number(pass->books, "refunds_follow", &done, err);
    if (failed || done) {
        return failed;
    }
    failed = refunds_read(pass->books, &refunds, err);
    for (size_t i = 0; !failed && i < refunds.count; i++) {
        pass->touched[pass->by_id[refunds.rows[i].account]] = true;
    }
    refunds_release(&refunds);
    return failed ? failed : charging_put_number(pass->books, "refunds_follow", 1, err);
}

static int settle_touched(struct pass *pass, struct error *err)
{
    struct settle settle = {.books = pass->books,
                            .zone = pass->zone,
                            .now = pass->wish->now,
                            .who = pass->wish->who,
                            .why = pass->wish->why,
                            .round = pass->round};
    int failed = touch_refunded(pass, err);
    for (size_t i = 0; !failed && i < pass->accounts.count; i++) {
        failed = pass->touched[i] ? settle_account(&settle, &pass->accounts.rows[i], err) : 0;
    }
    struct ledger_accounts accounts = {0}; /* as they are now */
    (void)(failed || (failed = ledger_accounts_list(pass->books, &accounts, err)) ||
           (failed = settle_ended(&settle, &accounts, err)));
    ledger_accounts_release(&accounts);
    settle_release(&settle);
    pass->result->entries = settle.entries;
    return failed;
}

/* The round as it is remembered, if anything was posted in it. */
static int put_round(struct pass *pass, struct error *err)
{
    int failed = charging_put_number(pass->books, "round", pass->round, err);
    if (failed || (pass->lines.chain.count == 0 && pass->result->entries == 0)) {
        return failed;
    }
    struct query q = query_begin(pass->books, SQL_BANK_ROUND_ADD);
    query_int(&q, pass->round);
    query_int(&q, pass->wish->now);
    query_text(&q, pass->wish->who);
    query_text(&q, pass->wish->why);
    query_run(&q);
    failed = query_finish(&q, "cannot change the bank", err);
    chain_lines_sort(&pass->lines.chain);
    return failed ? failed : chain_lines_write(pass->books, &pass->lines.chain, err);
}

static int do_pass(struct pass *pass, struct facts *facts, const struct zone *site,
                   struct error *err)
{
    int failed = pass_prepare(pass, site, err);
    if (failed) {
        return failed;
    }
    (void)((failed = time_out_liens(pass, err)) || (failed = post_lines(pass, facts, err)) ||
           (failed = name_ids_write(&pass->names, pass->books, err)) ||
           (failed = pins_write(&pass->pins, err)) ||
           (failed = usage_write(&pass->usage, pass->books, err)) ||
           (failed = lates_join(&pass->lates, err)) ||
           (failed = lates_write(&pass->lates, pass->books, err)) ||
           (failed = settle_touched(pass, err)) || (failed = put_round(pass, err)));
    /*
     * Before the first account there was nothing to charge, and its older runs were just looked
     * at.
     */
    pass->result->charged = pass->lines.charged;
    pass->result->reversed = pass->lines.reversed;
    pass->result->unpriced -= pass->pinned;
    if (!failed && pass->result->restarted) {
        failed = charging_put_number(pass->books, "restarted", 1, err);
    }
    if (!failed && (pass->first || pass->wish->which == CHARGING_CHANGED)) {
        failed = charging_put_position(pass->books, &pass->upto, err);
    }
    return failed;
}

/* The accounts that something is posted to. */
static void fill_plan(const struct pass *pass, struct charging_plan *plan)
{
    plan->rows = mem_alloc(pass->accounts.count + 1, sizeof(*plan->rows));
    for (size_t i = 0; i < pass->accounts.count; i++) {
        if (pass->differences[i].lines > 0) {
            plan->rows[plan->count++] = pass->differences[i];
        }
    }
}

void charging_plan_release(struct charging_plan *plan)
{
    free(plan->rows);
    *plan = (struct charging_plan){0};
}

int charging_run_within(struct books *books, struct session *session, const struct zone *zone,
                        const struct charging_wish *wish, struct charging_result *out,
                        struct error *err)
{
    struct pass pass = {.books = books, .wish = wish, .result = out};
    struct facts *facts = NULL;
    *out = (struct charging_result){0};
    int failed = session_facts(session, FACTS_READ, &facts, err);
    failed = failed ? failed : do_pass(&pass, facts, zone, err);
    if (!failed && wish->plan) {
        fill_plan(&pass, wish->plan);
    }
    pass_release(&pass);
    return failed;
}

int charging_run(struct books *books, struct session *session, const struct zone *zone,
                 const struct charging_wish *wish, struct charging_result *out,
                 struct error *err)
{
    struct facts *facts = NULL;
    *out = (struct charging_result){0};
    /*
     * The facts before the books, as an import has them when it charges: or two processes would
     * wait for each other. Where the store is open already nobody waits, and the connection is
     * made inside, for what is newest.
     */
    int failed = session->store ? 0 : session_facts(session, FACTS_READ, &facts, err);
    failed = failed ? failed : books_begin(books, err);
    failed = failed ? failed : charging_run_within(books, session, zone, wish, out, err);
    failed = failed || wish->plan_only ? failed : books_commit(books, err);
    books_rollback(books);
    return failed;
}

int charging_settle(struct books *books, const struct zone *zone, int64_t account, int64_t now,
                    struct str who, struct error *err)
{
    struct settle settle = {.books = books, .now = now, .who = who};
    struct ledger_accounts accounts = {0};
    struct zone *own = NULL;
    int failed;
    (void)((failed = charging_open_zone(books, zone, &own, err)) ||
           (failed = account ? ledger_accounts_one(books, account, &accounts, err)
                             : ledger_accounts_list(books, &accounts, err)));
    settle.zone = own;
    for (size_t i = 0; !failed && i < accounts.count; i++) {
        const struct ledger_account *row = &accounts.rows[i];
        if (account != 0 || !ledger_has_parent(row)) {
            failed = settle_account(&settle, row, err);
        }
    }
    ledger_accounts_release(&accounts);
    settle_release(&settle);
    zone_close(own);
    return failed;
}
