/* SPDX-License-Identifier: MIT */
#include "bank/charging.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bank/amount.h"
#include "bank/ledger.h"
#include "bank/lines.h"
#include "bank/names.h"
#include "bank/pins.h"
#include "bank/price.h"
#include "bank/refunds.h"
#include "bank/settle.h"
#include "bank/statements.h"
#include "bank/usage.h"
#include "base/buf.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "books/cluster_rule.h"
#include "books/query.h"
#include "facts/changed_runs.h"
#include "facts/changes.h"
#include "record/run_id.h"

/* A set of runs, by hashes of their names: there may be millions. */
struct seen {
    uint64_t *rows; /* bit 0: whether it is in the set; 0: a free place */
    size_t count, room;
};

/* One call, on its way. */
struct pass {
    struct books *books;
    struct zone *zone; /* of the bank's days */
    const struct charging_wish *wish;
    struct charging_result *result;
    struct rate_list rates;
    struct pins pins;
    bool keeps_pins;    /* some charges were made by earlier rates, and stay with them */
    int64_t pinned;     /* runs that are priced by earlier rates, and not by the present ones */
    struct names texts; /* of runs that may have to be priced by earlier rates */
    struct ledger_draws draws;
    struct ledger_accounts accounts;
    size_t *by_id; /* index of an account in `accounts`, by its number */
    size_t by_id_count;
    bool *touched;                           /* which accounts have to be settled */
    struct charging_difference *differences; /* of each account; NULL: nobody wants them */
    struct cluster_rules rules;
    struct changed_columns columns; /* of runs, that are read */
    struct names names;
    struct str cluster; /* of the last run, and its number */
    int64_t cluster_id;
    struct usage usage;
    struct lines_batch lines;
    bool fresh;         /* nothing was ever charged */
    struct names liens; /* runs that hold one; all of them, if all_liens */
    bool all_liens;
    int64_t sought; /* liens that were looked for in the books */
    int64_t round;
    struct changes_position upto;           /* the end of the change feed */
    bool first;                             /* nothing of the change feed was read before */
    struct buf id;                          /* of the run at hand */
    struct charging_comparison *comparison; /* or NULL: nothing is posted */
    struct seen seen;                       /* charged runs that the facts have */
};

/* What a run ought to be charged. */
struct charge {
    struct packed_line line; /* amount 0: nothing; its rate is that of the price */
    bool is_ended, is_unpriced;
    struct str cluster; /* that it counts under */
    int64_t lien;       /* of a run that has not ended */
    int64_t lien_until; /* its end at its limit; 0: it has none */
};

/* How long after the limit of a run its lien is kept: records of ends come late. */
#define LIEN_GRACE_US DAY_US

/* --- the state of charging ------------------------------------------------------------------------ */

static int get_state(struct books *books, const char *key, struct arena *arena, struct str *out,
                     struct error *err)
{
    *out = (struct str){0};
    struct query q = query_begin(books, SQL_BANK_STATE_GET);
    query_text(&q, str_of(key));
    while (query_row(&q)) {
        *out = query_text_at(&q, 0, arena);
    }
    return query_finish(&q, "cannot read the bank", err);
}

static int put_state(struct books *books, const char *key, struct str value, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_STATE_PUT);
    query_text(&q, str_of(key));
    query_text(&q, value);
    query_run(&q);
    return query_finish(&q, "cannot change the bank", err);
}

static int get_number(struct books *books, const char *key, int64_t *out, struct error *err)
{
    struct arena arena = {0};
    struct str text;
    *out = 0;
    int failed = get_state(books, key, &arena, &text, err);
    if (!failed && text.ptr && !scan_int(text, out)) {
        failed = error_set(err, ERROR_STORE, "the bank's '%s' is not a number", key);
    }
    arena_release(&arena);
    return failed;
}

static int put_number(struct books *books, const char *key, int64_t value, struct error *err)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%" PRId64, value);
    return put_state(books, key, str_of(text), err);
}

/* How far the change feed was read; *read: whether it ever was. */
static int get_position(struct books *books, struct changes_position *out, bool *read,
                        struct error *err)
{
    struct arena arena = {0};
    struct str seq, digest;
    *out = (struct changes_position){0};
    int failed = get_state(books, "seq", &arena, &seq, err);
    failed = failed ? failed : get_state(books, "seq_digest", &arena, &digest, err);
    failed = failed ? failed : get_number(books, "seq", &out->seq, err);
    if (!failed) {
        *read = seq.ptr != NULL;
        (void)snprintf(out->digest, sizeof(out->digest), "%.*s", STR_ARG(digest));
    }
    arena_release(&arena);
    return failed;
}

static int put_position(struct books *books, const struct changes_position *position,
                        struct error *err)
{
    const int failed = put_number(books, "seq", position->seq, err);
    return failed ? failed : put_state(books, "seq_digest", str_of(position->digest), err);
}

/*
 * Whether the facts have the change that was read last. Books of before there were digests have none: what they say is
 * then believed, if there are that many changes.
 */
static int is_known_to(struct facts *facts, const struct changes_position *position,
                       bool *known, struct error *err)
{
    int64_t latest = 0;
    if (position->digest[0] || position->seq == 0) {
        return changes_is_known(facts, position, known, err);
    }
    const int failed = changes_latest(facts, &latest, err);
    *known = position->seq <= latest;
    return failed;
}

int charging_follows(struct books *books, struct facts *facts, bool *follows, struct error *err)
{
    struct changes_position position;
    bool reads_on = false;
    *follows = true;
    const int failed = get_position(books, &position, &reads_on, err);
    return failed || !reads_on ? failed : is_known_to(facts, &position, follows, err);
}

/* The zone that the bank began with: the site's of that time. */
static int open_zone(struct books *books, const struct zone *site, struct zone **out,
                     struct error *err)
{
    struct arena arena = {0};
    struct str name;
    int failed = get_state(books, "zone", &arena, &name, err);
    if (!failed && !name.ptr) {
        name = arena_copy(&arena, str_of(zone_name(site)));
        failed = put_state(books, "zone", name, err);
    }
    failed = failed ? failed : zone_open(name.ptr, out, err);
    arena_release(&arena);
    return failed;
}

int charging_zone(struct books *books, const struct zone *site, struct zone **out,
                  struct error *err)
{
    struct arena arena = {0};
    struct str name;
    int failed = get_state(books, "zone", &arena, &name, err);
    failed = failed ? failed : zone_open(name.ptr ? name.ptr : zone_name(site), out, err);
    arena_release(&arena);
    return failed;
}

int charging_is_on(struct books *books, bool *on, struct error *err)
{
    struct ledger_accounts accounts;
    int failed = ledger_accounts_list(books, &accounts, err);
    *on = accounts.count > 0;
    ledger_accounts_release(&accounts);
    return failed;
}

/* --- what ought to be ----------------------------------------------------------------------------- */

static void note_unpriced(struct pass *pass, const char *why)
{
    if (pass->result->unpriced++ == 0) {
        (void)snprintf(pass->result->why, sizeof(pass->result->why), "%s", why);
    }
}

/* The account that a run draws on, if it started while that was open; NULL: none. */
static const struct ledger_account *account_of(const struct pass *pass, const struct run *run)
{
    const struct str none = {0};
    const int64_t id = ledger_draws_find(&pass->draws, RUN_HAS(run, user) ? run->user : none,
                                         RUN_HAS(run, project) ? run->project : none,
                                         RUN_HAS(run, account) ? run->account : none);
    if (id <= 0 || (size_t)id >= pass->by_id_count || !RUN_HAS(run, start)) {
        return NULL;
    }
    const struct ledger_account *account = &pass->accounts.rows[pass->by_id[id]];
    return account->opened <= run->start && run->start < account->closed ? account : NULL;
}

/* Until when a run that has not ended is held: its limit, else the end of today. */
static int64_t held_until(struct pass *pass, const struct run *run)
{
    const int64_t now = pass->wish->now;
    const struct civil civil = zone_civil(pass->zone, now);
    const struct civil midnight = {
        .year = civil.year, .month = civil.month, .day = civil.day + 1};
    int64_t until = zone_instant(pass->zone, midnight);
    if (RUN_HAS(run, req_wall_us) && run->req_wall_us < INSTANT_MAX - run->start) {
        until = run->start + run->req_wall_us;
    }
    return until > run->start ? until : run->start;
}

/* Prices the run into the charge; a price that is not known is noted. */
static void set_price(struct pass *pass, const struct run *run, struct charge *out)
{
    struct price price;
    struct error err = {0};
    const bool ended = RUN_HAS(run, end);
    const int64_t until = ended ? run->end : held_until(pass, run);
    out->is_ended = ended;
    out->is_unpriced = true;
    out->line.start = run->start;
    out->line.end = until > run->start ? until : run->start;
    if (price_of(&pass->rates, run, until, pass->zone, STR("SU"), &price, &err) != 0) {
        note_unpriced(pass, err.text);
    } else if (price.outcome == PRICE_UNKNOWN) {
        note_unpriced(pass, price.why);
    } else {
        out->is_unpriced = false;
        if (ended) {
            out->line.rate = price.rate ? price.rate->id : 0;
            out->line.amount = price.amount;
        } else if (until >= pass->wish->now - LIEN_GRACE_US) {
            out->lien = price.amount;
            out->lien_until = RUN_HAS(run, req_wall_us) ? until : 0;
        }
    }
}

/* Most runs are of the cluster of the one before. */
static int64_t cluster_id(struct pass *pass, struct str cluster)
{
    if (!pass->cluster.ptr || !str_eq(cluster, pass->cluster)) {
        pass->cluster_id = names_id(&pass->names, cluster);
        pass->cluster = arena_copy(&pass->names.arena, cluster);
    }
    return pass->cluster_id;
}

static void want(struct pass *pass, struct run *run, struct charge *out)
{
    const struct str none = {0};
    const struct ledger_account *account = account_of(pass, run);
    if (!account) {
        return;
    }
    const bool is_running =
        !RUN_HAS(run, end) && RUN_HAS(run, until) && run->until == RUN_NOT_ENDED;
    if (!is_running && !RUN_HAS(run, end)) {
        note_unpriced(pass, "its end was not recorded");
        return;
    }
    const struct str cluster =
        cluster_rule_apply(&pass->rules, run->cluster, RUN_HAS(run, node) ? run->node : none,
                           RUN_HAS(run, partition) ? run->partition : none);
    out->line.account = account->id;
    out->line.cluster = cluster_id(pass, cluster);
    out->line.user = names_id(&pass->names, RUN_HAS(run, user) ? run->user : none);
    const struct str own = run->cluster; /* its name is made from it */
    out->cluster = cluster;
    run->cluster = cluster;
    set_price(pass, run, out);
    run->cluster = own;
}

/* --- what is, and the difference ------------------------------------------------------------------ */

/* What earlier rates may go by. Text is kept once, for as long as the pass. */
static struct lines_price price_input(struct pass *pass, const struct run *run,
                                      struct str cluster, bool is_unpriced)
{
    struct lines_price out = {.is_unpriced = is_unpriced};

    const struct {
        struct str text, *to;
        bool has;
    } texts[] = {
        {cluster, &out.cluster, true},
        {run->partition, &out.partition, RUN_HAS(run, partition)},
        {run->qos, &out.qos, RUN_HAS(run, qos)},
        {run->gpu_type, &out.gpu_type, RUN_HAS(run, gpu_type)},
        {run->state, &out.state, RUN_HAS(run, state)},
        {run->class, &out.class, RUN_HAS(run, class)},
    };

    const struct {
        int64_t number, *to;
        bool has;
    } numbers[] = {
        {run->suspended_us, &out.suspended_us, RUN_HAS(run, suspended_us)},
        {run->cpus, &out.cpus, RUN_HAS(run, cpus)},
        {run->gpus, &out.gpus, RUN_HAS(run, gpus)},
        {run->mem_bytes, &out.mem_bytes, RUN_HAS(run, mem_bytes)},
        {run->node_count, &out.node_count, RUN_HAS(run, node_count)},
        {run->billing, &out.billing, RUN_HAS(run, billing)},
    };

    for (unsigned i = 0; i < COUNT_OF(texts); i++) {
        if (texts[i].has) {
            *texts[i].to = names_kept(&pass->texts, texts[i].text);
            out.has |= 1U << i;
        }
    }
    for (unsigned i = 0; i < COUNT_OF(numbers); i++) {
        if (numbers[i].has) {
            *numbers[i].to = numbers[i].number;
            out.has |= 1U << (COUNT_OF(texts) + i);
        }
    }
    return out;
}

/* The run again, as far as a price goes by it. */
static struct run run_of(const struct lines_price *price, const struct packed_line *line)
{
    struct run run = {0};
    unsigned bit = 1;
    RUN_SET(&run, start, line->start);
    RUN_SET(&run, end, line->end);
#define TAKE(field)                                                                            \
    if (price->has & bit) {                                                                    \
        RUN_SET(&run, field, price->field);                                                    \
    }                                                                                          \
    bit <<= 1
    TAKE(cluster);
    TAKE(partition);
    TAKE(qos);
    TAKE(gpu_type);
    TAKE(state);
    TAKE(class);
    TAKE(suspended_us);
    TAKE(cpus);
    TAKE(gpus);
    TAKE(mem_bytes);
    TAKE(node_count);
    TAKE(billing);
#undef TAKE
    return run;
}

/* Prices a run by the rates of an earlier epoch; where they do not have a price for it now, its charge stays as it is. */
static int price_as_then(struct pass *pass, int64_t epoch, const struct lines_price *input,
                         const struct packed_line *last, struct packed_line *wanted,
                         struct error *err)
{
    const struct run run = run_of(input, wanted);
    const struct rate_list *rates;
    struct price price;
    struct error ignored = {0};
    const int failed = pins_rates(&pass->pins, epoch, &rates, err);
    if (failed) {
        return failed;
    }
    pass->pinned += input->is_unpriced;
    if (price_of(rates, &run, run.end, pass->zone, STR("SU"), &price, &ignored) != 0 ||
        price.outcome == PRICE_UNKNOWN) {
        const struct str name = wanted->run;
        *wanted = *last;
        wanted->run = name;
        wanted->amount = last->amount > 0 ? last->amount : 0;
        return 0;
    }
    wanted->amount = price.amount;
    wanted->rate = pins_id(&pass->pins, epoch, price.rate ? price.rate->id : 0);
    return 0;
}

static size_t seen_place(const struct seen *seen, uint64_t key)
{
    size_t at = (size_t)(key >> 1) & (seen->room - 1);
    while (seen->rows[at] && (seen->rows[at] & ~UINT64_C(1)) != key) {
        at = (at + 1) & (seen->room - 1);
    }
    return at;
}

static uint64_t key_of(struct str run)
{
    const uint64_t key = str_hash(run, 0) & ~UINT64_C(1);
    return key ? key : 2;
}

static bool seen_has(const struct seen *seen, struct str run)
{
    return seen->room > 0 && (seen->rows[seen_place(seen, key_of(run))] & 1);
}

static void seen_set(struct seen *seen, struct str run, bool on)
{
    if (2 * seen->count >= seen->room) {
        const struct seen old = *seen;
        seen->room = old.room ? 2 * old.room : 1024;
        seen->rows = mem_alloc(seen->room, sizeof(*seen->rows));
        for (size_t i = 0; i < old.room; i++) {
            if (old.rows[i]) {
                seen->rows[seen_place(seen, old.rows[i] & ~UINT64_C(1))] = old.rows[i];
            }
        }
        free(old.rows);
    }
    const size_t at = seen_place(seen, key_of(run));
    seen->count += seen->rows[at] == 0;
    seen->rows[at] = key_of(run) | on;
}

/* A charge stays with the rates that made it; a new one is pinned to the present ones. */
static int reprice(void *context, const struct lines_price *input,
                   const struct packed_line *last, struct packed_line *wanted,
                   struct error *err)
{
    struct pass *pass = context;
    int64_t rate = 0, epoch = pass->pins.epoch;
    if (pass->comparison && last && last->amount > 0) {
        seen_set(&pass->seen, last->run, true);
    }
    int failed = last && input ? pins_of(&pass->pins, last, &rate, &epoch, err) : 0;
    if (failed) {
        return failed;
    }
    if (epoch != pass->pins.epoch && wanted->account > 0 && wanted->end > 0) {
        return price_as_then(pass, epoch, input, last, wanted, err);
    }
    wanted->rate = wanted->rate > 0 ? pins_id(&pass->pins, pass->pins.epoch, wanted->rate) : 0;
    return 0;
}

/* Of every line that is posted: what it comes to by day, and whose account has to be settled. */
static int take_posted(void *context, const struct packed_line *line, struct error *err)
{
    struct pass *pass = context;
    if (line->amount == 0) {
        return 0;
    }
    pass->touched[pass->by_id[line->account]] = true;
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
    return usage_add(&pass->usage,
                     &(struct usage_charge){line->account, line->cluster, line->user,
                                            line->start, line->end, line->amount},
                     err);
}

/* All liens that are open. */
static int read_liens(struct pass *pass, struct error *err)
{
    struct query q = query_begin(pass->books, SQL_BANK_LIENS_OPEN);
    while (query_row(&q)) {
        (void)names_id(&pass->liens, query_view_at(&q, 0));
    }
    pass->all_liens = true;
    return query_finish(&q, "cannot read the bank", err);
}

/*
 * Whether the run may hold a lien. A few are looked for one by one; before many are, all that are open are read, which takes as long as there are
 * liens, open or not.
 */
static int may_hold(struct pass *pass, struct str id, bool *out, struct error *err)
{
    enum { SOUGHT_MAX = 4096 };

    int failed = 0;
    if (!pass->all_liens && pass->sought++ == SOUGHT_MAX) {
        (void)((failed = lines_wait(&pass->lines, err)) || (failed = read_liens(pass, err)));
    }
    *out = !pass->all_liens || names_has(&pass->liens, id);
    return failed;
}

static int set_lien(struct pass *pass, const struct charge *wanted, struct error *err)
{
    const struct str id = buf_str(&pass->id);
    bool holds = false;
    int failed;
    if (wanted->lien > 0) {
        pass->result->liens++;
        (void)names_id(&pass->liens, id);
        failed = lines_wait(&pass->lines, err);
        return failed ? failed
                      : ledger_lien_place(
                            pass->books,
                            &(struct ledger_lien){id, wanted->line.account, wanted->lien,
                                                  wanted->lien_until, pass->wish->now},
                            err);
    }
    failed = may_hold(pass, id, &holds, err);
    (void)(failed || !holds || (failed = lines_wait(&pass->lines, err)) ||
           (failed = ledger_lien_settle(pass->books, id,
                                        wanted->line.amount > 0 ? LIEN_SETTLED : LIEN_VOIDED,
                                        wanted->line.amount, pass->wish->now, err)));
    return failed;
}

/* Whether there is nothing to compare the run with: nothing was ever charged, and it holds no lien. */
static bool has_nothing(const struct pass *pass)
{
    return pass->fresh && pass->all_liens && pass->liens.count == 0;
}

static int charge_run(struct pass *pass, struct run *run, bool there, struct error *err)
{
    struct charge wanted = {0};
    pass->result->runs++;
    if (there) {
        want(pass, run, &wanted);
    }
    if (wanted.line.rate == 0 && wanted.lien == 0 && has_nothing(pass)) {
        return 0;
    }
    buf_clear(&pass->id);
    run_id_print(run, &pass->id);
    int failed = pass->comparison ? 0 : set_lien(pass, &wanted, err);
    wanted.line.run = buf_str(&pass->id);
    wanted.line.end = wanted.is_ended ? wanted.line.end : 0;
    struct lines_price input;
    if (!failed && pass->keeps_pins) {
        input = price_input(pass, run, wanted.cluster, wanted.is_unpriced);
    }
    return failed ? failed
                  : lines_want(&pass->lines, run, &wanted.line,
                               pass->keeps_pins ? &input : NULL, err);
}

static int take_chunk(void *context, const struct table *chunk, struct error *err)
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

/* --- a pass --------------------------------------------------------------------------------------- */

static int grow(struct books *books, struct error *err)
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

static int prepare(struct pass *pass, const struct zone *site, struct error *err)
{
    struct changes_position position;
    bool reads_on = false;
    int failed;
    (void)((failed = pass->comparison ? charging_zone(pass->books, site, &pass->zone, err)
                                      : open_zone(pass->books, site, &pass->zone, err)) ||
           (failed = books_rates(pass->books, pass->zone, &pass->rates, err)) ||
           (failed = pins_read(pass->books, pass->zone, &pass->pins, err)) ||
           (failed = ledger_draws_list(pass->books, &pass->draws, err)) ||
           (failed = ledger_accounts_list(pass->books, &pass->accounts, err)) ||
           (failed = books_cluster_rules(pass->books, &pass->rules, err)) ||
           (failed = names_read(pass->books, &pass->names, err)) ||
           (failed = read_fresh(pass, err)) || (failed = grow(pass->books, err)) ||
           (failed = get_position(pass->books, &position, &reads_on, err)) ||
           (failed = get_number(pass->books, "round", &pass->round, err)));
    if (!failed) {
        index_accounts(pass);
        pass->keeps_pins = pass->pins.changed && pass->wish->which != CHARGING_ALL;
        choose_columns(pass);
        pass->round++;
        pass->first = !reads_on;
        pass->usage.zone = pass->zone;
        pass->lines =
            (struct lines_batch){.books = pass->books,
                                 .round = pass->round,
                                 .missing_only = pass->wish->which == CHARGING_MISSING,
                                 .reprice = reprice,
                                 .posted = take_posted,
                                 .context = pass};
        buf_init(&pass->id, LIMIT_RUN_ID);
    }
    return failed;
}

static void release(struct pass *pass)
{
    zone_close(pass->zone);
    rate_list_release(&pass->rates);
    ledger_draws_release(&pass->draws);
    ledger_accounts_release(&pass->accounts);
    cluster_rules_release(&pass->rules);
    names_release(&pass->names);
    names_release(&pass->texts);
    pins_release(&pass->pins);
    names_release(&pass->liens);
    usage_release(&pass->usage);
    buf_release(&pass->id);
    lines_batch_release(&pass->lines);
    free(pass->by_id);
    free(pass->touched);
    free(pass->differences);
}

static enum run_field field_of(const char *kind)
{
    const struct str name = str_of(kind);
    return str_eq(name, STR("user"))      ? RUN_user
           : str_eq(name, STR("project")) ? RUN_project
                                          : RUN_account;
}

/*
 * The runs that changed since the last time. Where the facts are others than those that were read, all of them: what is
 * charged already is found to be.
 */
static int read_changed(struct pass *pass, struct facts *facts, const struct table_sink *sink,
                        struct error *err)
{
    struct changes_position position;
    bool reads_on = false, known = false;
    int failed = get_position(pass->books, &position, &reads_on, err);
    failed = failed ? failed : is_known_to(facts, &position, &known, err);
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
    const struct table_sink sink = {pass, take_chunk};
    int64_t latest = 0;
    int failed = changes_latest(facts, &latest, err);
    failed = failed ? failed : changes_position(facts, latest, &pass->upto, err);
    if (failed) {
        return failed;
    }
    switch (wish->which) {
    case CHARGING_OF_NAME:
        return changed_runs_of(facts, field_of(wish->kind), wish->name, wish->since,
                               &pass->columns, &sink, err);
    case CHARGING_MISSING:
    case CHARGING_ALL:
        return changed_runs_since(facts, wish->since, &pass->columns, &sink, err);
    case CHARGING_CHANGED:
    default:
        return read_changed(pass, facts, &sink, err);
    }
}

/* The lines of all runs that are asked for. However it ends, the books are not in use any more. */
static int post_lines(struct pass *pass, struct facts *facts, struct error *err)
{
    struct error other = {0};
    const int failed = read_runs(pass, facts, err);
    const int second = lines_wait(&pass->lines, failed ? &other : err);
    return failed ? failed : second ? second : lines_flush(&pass->lines, err);
}

/*
 * Liens of runs whose limit is over, and of whose end nobody has heard. Up to where that was looked for is kept, so that a pass need not
 * look at all of them; where the clock was set back, it goes back.
 */
static int time_out_liens(struct pass *pass, struct error *err)
{
    const int64_t to = pass->wish->now - LIEN_GRACE_US;
    int64_t from = 0;
    int failed;
    (void)((failed = get_number(pass->books, "liens_timed_out", &from, err)) ||
           (from < to && (failed = ledger_liens_time_out(pass->books, from, to, pass->wish->now,
                                                         &pass->result->timed_out, err))) ||
           (failed = put_number(pass->books, "liens_timed_out", to, err)));
    return failed;
}

/*
 * In books of before refunds followed the charges of their runs, some may be more than those: the accounts of refunds are
 * settled once.
 */
static int touch_refunded(struct pass *pass, struct error *err)
{
    struct refunds refunds = {0};
    int64_t done = 0;
    int failed = get_number(pass->books, "refunds_follow", &done, err);
    if (failed || done) {
        return failed;
    }
    failed = refunds_read(pass->books, &refunds, err);
    for (size_t i = 0; !failed && i < refunds.count; i++) {
        pass->touched[pass->by_id[refunds.rows[i].account]] = true;
    }
    refunds_release(&refunds);
    return failed ? failed : put_number(pass->books, "refunds_follow", 1, err);
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
    int failed = put_number(pass->books, "round", pass->round, err);
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
    int failed = prepare(pass, site, err);
    if (failed) {
        return failed;
    }
    (void)((failed = time_out_liens(pass, err)) || (failed = post_lines(pass, facts, err)) ||
           (failed = names_write(&pass->names, pass->books, err)) ||
           (failed = pins_write(&pass->pins, err)) ||
           (failed = usage_write(&pass->usage, pass->books, err)) ||
           (failed = settle_touched(pass, err)) || (failed = put_round(pass, err)));
    /* Before the first account there was nothing to charge, and its older runs were just looked at. */
    pass->result->charged = pass->lines.charged;
    pass->result->reversed = pass->lines.reversed;
    pass->result->unpriced -= pass->pinned;
    if (!failed && (pass->first || pass->wish->which == CHARGING_CHANGED)) {
        failed = put_position(pass->books, &pass->upto, err);
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

int charging_run(struct books *books, struct session *session, const struct zone *zone,
                 const struct charging_wish *wish, struct charging_result *out,
                 struct error *err)
{
    struct pass pass = {.books = books, .wish = wish, .result = out};
    struct facts *facts = NULL;
    *out = (struct charging_result){0};
    int failed;
    (void)((failed = books_begin(books, err)) ||
           (failed = session_facts(session, FACTS_READ, &facts, err)) ||
           (failed = do_pass(&pass, facts, zone, err)));
    if (!failed && wish->plan) {
        fill_plan(&pass, wish->plan);
    }
    failed = failed || wish->plan_only ? failed : books_commit(books, err);
    books_rollback(books);
    release(&pass);
    return failed;
}

/* --- comparing ------------------------------------------------------------------------------------ */

enum { TOLD = 20 }; /* differences that are told one by one */

static void tell(struct charging_comparison *out, const char *text)
{
    out->rows = mem_resize(out->rows, out->count + 1, sizeof(*out->rows));
    out->rows[out->count++] = str_of(text);
}

static int take_difference(void *context, const struct packed_line *is,
                           const struct packed_line *ought, struct error *err)
{
    struct charging_comparison *out = ((struct pass *)context)->comparison;
    (void)err;
    if (out->differing++ < TOLD) {
        tell(out, arena_printf(&out->arena,
                               "%.*s: was charged %s SU%s, but its record and the rates of its "
                               "charge give %s SU",
                               STR_ARG(ought->run), amount_print(&out->arena, is->amount).ptr,
                               is->amount == ought->amount ? " otherwise" : "",
                               amount_print(&out->arena, ought->amount).ptr));
    }
    return 0;
}

/* Lines come in the order of the table, those of a run in their own: so the last says whether it is charged. */
static int take_charged(void *context, const struct packed_line *line, struct error *err)
{
    (void)err;
    seen_set(context, line->run, line->amount > 0);
    return 0;
}

struct missing {
    struct pass *pass;
    struct seen charged;
};

static int take_missing(void *context, const struct packed_line *line, struct error *err)
{
    struct missing *missing = context;
    struct charging_comparison *out = missing->pass->comparison;
    (void)err;
    if (!seen_has(&missing->charged, line->run) || seen_has(&missing->pass->seen, line->run)) {
        return 0;
    }
    seen_set(&missing->charged, line->run, false); /* told once */
    if (out->missing++ < TOLD) {
        tell(out, arena_printf(&out->arena, "%.*s: was charged, and is not among the facts",
                               STR_ARG(line->run)));
    }
    return 0;
}

static int find_missing(struct pass *pass, struct error *err)
{
    struct missing missing = {.pass = pass};
    const struct lines_taker first = {&missing.charged, take_charged, NULL},
                             second = {&missing, take_missing, NULL};
    int failed = lines_each(pass->books, &first, err);
    failed = failed ? failed : lines_each(pass->books, &second, err);
    free(missing.charged.rows);
    return failed;
}

static int compare_all(struct pass *pass, struct facts *facts, struct error *err)
{
    const struct table_sink sink = {pass, take_chunk};
    struct changes_position position;
    struct error other = {0};
    int64_t latest = 0;
    bool reads_on = false, known = false;
    int failed = changes_latest(facts, &latest, err);
    failed = failed ? failed : get_position(pass->books, &position, &reads_on, err);
    failed = failed ? failed : is_known_to(facts, &position, &known, err);
    pass->comparison->behind = !failed && (!known || position.seq != latest);
    if (failed || pass->comparison->behind) {
        return failed;
    }
    failed = changed_runs_since(facts, INT64_MIN, &pass->columns, &sink, err);
    const int second = lines_wait(&pass->lines, failed ? &other : err);
    failed = failed ? failed : second;
    failed = failed ? failed : lines_flush(&pass->lines, err);
    return failed ? failed : find_missing(pass, err);
}

int charging_compare(struct books *books, struct session *session, const struct zone *zone,
                     int64_t now, struct charging_comparison *out, struct error *err)
{
    const struct charging_wish wish = {.which = CHARGING_CHANGED, .now = now};
    struct charging_result result = {0};
    struct pass pass = {.books = books, .wish = &wish, .result = &result, .comparison = out};
    struct facts *facts = NULL;
    *out = (struct charging_comparison){0};
    int failed = books_begin_reading(books, err);
    failed = failed ? failed : session_facts(session, FACTS_READ, &facts, err);
    failed = failed ? failed : prepare(&pass, zone, err);
    pass.lines.differs = take_difference;
    failed = failed ? failed : compare_all(&pass, facts, err);
    books_rollback(books);
    out->runs = result.runs;
    free(pass.seen.rows);
    release(&pass);
    return failed;
}

void charging_comparison_release(struct charging_comparison *comparison)
{
    free(comparison->rows);
    arena_release(&comparison->arena);
    *comparison = (struct charging_comparison){0};
}

int charging_settle(struct books *books, const struct zone *zone, int64_t account, int64_t now,
                    struct str who, struct error *err)
{
    struct settle settle = {.books = books, .now = now, .who = who};
    struct ledger_accounts accounts = {0};
    struct zone *own = NULL;
    int failed;
    (void)((failed = open_zone(books, zone, &own, err)) ||
           (failed = ledger_accounts_list(books, &accounts, err)));
    settle.zone = own;
    for (size_t i = 0; !failed && i < accounts.count; i++) {
        if (account == 0 || accounts.rows[i].id == account) {
            failed = settle_account(&settle, &accounts.rows[i], err);
        }
    }
    ledger_accounts_release(&accounts);
    settle_release(&settle);
    zone_close(own);
    return failed;
}
