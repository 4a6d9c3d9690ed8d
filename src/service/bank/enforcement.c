/* SPDX-License-Identifier: MIT */
#include "service/bank/enforcement.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bank/amount.h"
#include "bank/caps.h"
#include "base/mem.h"
#include "facts/journal.h"
#include "facts/pull_state.h"
#include "service/query/query_context.h"

static int64_t number_of(const struct enforcement *enforcing, enum config_enforce_key key)
{
    return config_number(enforcing->site.section, &config_enforce_keys[key], 0);
}

/* Micro-SU by which a limit may differ from the balance. */
static int64_t tolerance_of(const struct enforcement *enforcing)
{
    const int64_t whole = number_of(enforcing, CONFIG_ENFORCE_TOLERANCE);
    return whole > INT64_MAX / AMOUNT_ONE ? INT64_MAX : whole * AMOUNT_ONE;
}

/* --- what the bank wants ------------------------------------------------------------------ */

/* What of the bank counts on one cluster. */
struct share {
    struct ledger_allotments allotments; /* borrowed rows of the bank */
    struct saved_limits_helds helds;     /* of running runs of the cluster */
    struct caps caps;                    /* on all clusters */
};

static int share_read(const struct bank *bank, struct str cluster, struct share *out,
                      struct error *err)
{
    *out = (struct share){0};
    out->allotments.rows = mem_alloc(bank->allotments.count + 1, sizeof(*out->allotments.rows));
    for (size_t i = 0; i < bank->allotments.count; i++) {
        if (ledger_allotment_is_for(&bank->allotments.rows[i], cluster)) {
            out->allotments.rows[out->allotments.count++] = bank->allotments.rows[i];
        }
    }
    const int failed = saved_limits_helds_read(bank->books, cluster, &out->helds, err);
    return failed ? failed : caps_list(bank->books, bank->zone, bank->now, &out->caps, err);
}

static void share_release(struct share *share)
{
    free(share->allotments.rows);
    saved_limits_helds_release(&share->helds);
    caps_release(&share->caps);
}

/*
 * Where allotments are for some clusters only, jobs of other clusters hold nothing of what is
 * left here.
 */
static int64_t held_of(const struct bank *bank, const struct share *share,
                       const struct ledger_account *account)
{
    bool some = false;
    for (size_t i = 0; i < bank->allotments.count; i++) {
        some = some || (bank->allotments.rows[i].account == account->payer &&
                        bank->allotments.rows[i].clusters.ptr);
    }
    for (size_t i = 0; some && i < share->helds.count; i++) {
        if (share->helds.rows[i].account == account->payer) {
            return share->helds.rows[i].amount;
        }
    }
    return some ? 0 : account->held;
}

/* What an account may still start by its balance, and by its ceilings. */
static int set_room(const struct bank *bank, const struct share *share,
                    const struct ledger_account *account, struct limit_plan_demand *out,
                    struct error *err)
{
    struct ledger_account here = *account;
    struct ledger_balance balance;
    here.held = held_of(bank, share, account);
    int64_t ceiling = 0;
    int failed = ledger_balance(&here, &share->allotments, bank->now, &balance, err);
    failed = failed ? failed : bank_ceiling(bank, &share->caps, account, &ceiling);
    if (!failed && account->closed > bank->now) {
        const wide_int room =
            balance.unlimited ? INT64_MAX : (wide_int)balance.free + balance.floor;
        out->unlimited = balance.unlimited && ceiling == INT64_MAX;
        out->room = room > ceiling ? ceiling : room < INT64_MIN ? INT64_MIN : (int64_t)room;
    }
    return failed;
}

/*
 * Whether runs that start now on a cluster draw by this row: no other of the same name comes
 * before it.
 */
static bool holds_now(const struct bank *bank, size_t index, struct str cluster)
{
    const struct ledger_draw_row *rows = bank->draws.rows;
    for (size_t i = index + 1; i-- > 0 && str_eq(rows[i].kind, rows[index].kind) &&
                               str_eq(rows[i].name, rows[index].name);) {
        const bool holds = rows[i].from <= bank->now && bank->now < rows[i].to &&
                           (!rows[i].cluster.ptr || str_eq(rows[i].cluster, cluster));
        if (holds != (i == index)) {
            return false;
        }
    }
    return true;
}

/* One for each name that draws, by account of the bank. */
static int read_demands(struct enforcement *enforcing, struct error *err)
{
    const struct bank *bank = enforcing->bank;
    struct share share;
    int failed = share_read(bank, enforcing->site.cluster, &share, err);
    enforcing->demands = mem_alloc(bank->draws.count + 1, sizeof(*enforcing->demands));
    for (size_t a = 0; !failed && a < bank->accounts.count; a++) {
        const struct ledger_account *account = &bank->accounts.rows[a];
        struct limit_plan_demand demand = {
            .account = account->name,
            .parent = ledger_has_parent(account) ? account->payer_name : (struct str){0}};
        failed = set_room(bank, &share, account, &demand, err);
        for (size_t d = 0; !failed && d < bank->draws.count; d++) {
            const enum enforce_kind kind = enforce_kind_of(bank->draws.rows[d].kind);
            if (bank->draws.rows[d].account == account->id && kind < ENFORCE_KINDS &&
                holds_now(bank, d, enforcing->site.cluster)) {
                demand.kind = kind;
                demand.name = bank->draws.rows[d].name;
                enforcing->demands[enforcing->demand_count++] = demand;
            }
        }
    }
    share_release(&share);
    return failed;
}

/*
 * Whether a user's runs are charged to an account of their own, whatever account they run in.
 */
static bool draws_alone(const struct enforcement *enforcing, struct str user)
{
    for (size_t i = 0; i < enforcing->demand_count; i++) {
        if (enforcing->demands[i].kind == ENFORCE_USER &&
            str_eq(enforcing->demands[i].name, user)) {
            return true;
        }
    }
    return false;
}

static struct limit_plan_demand *find_user(const struct enforcement *enforcing,
                                           const struct enforce_target *target)
{
    for (size_t i = 0; i < enforcing->user_count; i++) {
        struct limit_plan_demand *row = &enforcing->users[i];
        if (str_eq(row->name, target->name) && str_eq(row->under, target->under)) {
            return row;
        }
    }
    return NULL;
}

/*
 * The users of one of the scheduler's accounts, whose runs draw on an account of the bank with
 * caps.
 */
static void add_users(struct enforcement *enforcing, const struct limit_plan_demand *of,
                      const struct cap_states *caps, size_t *room)
{
    for (size_t i = 0; i < enforcing->states.count; i++) {
        const struct enforce_target *target = &enforcing->states.rows[i].target;
        if (target->kind != ENFORCE_USER || !str_eq(target->under, of->name) ||
            draws_alone(enforcing, target->name)) {
            continue;
        }
        const int64_t left = caps_left(caps, target->name);
        struct limit_plan_demand *known = find_user(enforcing, target);
        if (known) { /* by caps of the account and of its parent */
            known->room = left < known->room ? left : known->room;
            known->unlimited = known->room == INT64_MAX;
            continue;
        }
        enforcing->users =
            mem_grow(enforcing->users, enforcing->user_count, room, sizeof(*enforcing->users));
        enforcing->users[enforcing->user_count++] =
            (struct limit_plan_demand){.account = of->account,
                                       .kind = ENFORCE_USER,
                                       .name = target->name,
                                       .under = target->under,
                                       .unlimited = left == INT64_MAX,
                                       .room = left};
    }
}

/*
 * What users may still start by their caps: asked after the scheduler, which knows who is in
 * which account.
 */
static int read_caps(struct enforcement *enforcing, struct error *err)
{
    const struct bank *bank = enforcing->bank;
    struct caps caps;
    size_t room = 0;
    int failed = caps_list(bank->books, bank->zone, bank->now, &caps, err);
    enforcing->has_caps = caps_limit_users(&caps);
    for (size_t a = 0; !failed && enforcing->has_caps && a < bank->accounts.count; a++) {
        const struct ledger_account *account = &bank->accounts.rows[a];
        struct cap_states states;
        failed = caps_of(bank->books, bank->zone, bank->now, &caps, account, &bank->allotments,
                         &states, err);
        for (size_t d = 0; !failed && states.count > 0 && d < enforcing->demand_count; d++) {
            const struct limit_plan_demand *demand = &enforcing->demands[d];
            if (demand->kind == ENFORCE_ACCOUNT && (str_eq(demand->account, account->name) ||
                                                    str_eq(demand->parent, account->name))) {
                add_users(enforcing, demand, &states, &room);
            }
        }
        cap_states_release(&states);
    }
    caps_release(&caps);
    return failed;
}

/* --- guards ------------------------------------------------------------------------------- */

/* The latest instant in a column, of the rows of this cluster. */
static int64_t latest(const struct table *table, size_t column, struct str cluster,
                      int64_t than)
{
    for (size_t row = 0; row < table->row_count; row++) {
        if (str_eq(table->columns[0].cells[row].text, cluster) &&
            table_has(table, column, row)) {
            const int64_t at = (int64_t)table_wide(table, column, row);
            than = at > than ? at : than;
        }
    }
    return than;
}

static int read_age(struct enforcement *enforcing, struct facts *facts, struct error *err)
{
    enum { LAST_READ = 8, GOOD = 3 };
    struct table read = {0}, marks = {0};
    struct guard *guard = &enforcing->guard;
    int failed;
    guard->facts_at = -1;
    (void)((failed = journal_overview(facts, &read, err)) ||
           (failed = pull_states_overview(facts, &marks, err)));
    if (!failed) {
        guard->facts_at = latest(&read, LAST_READ, enforcing->site.cluster, guard->facts_at);
        guard->facts_at = latest(&marks, GOOD, enforcing->site.cluster, guard->facts_at);
    }
    table_release(&read);
    table_release(&marks);
    return failed;
}

/* A cluster of which there are data since a short while only is covered since then. */
static int read_coverage(struct enforcement *enforcing, struct facts *facts, struct error *err)
{
    const struct filter all = {0};
    struct coverage coverage = {0};
    struct guard *guard = &enforcing->guard;
    const struct str *cluster = &enforcing->site.cluster;
    int failed = query_context_coverage(enforcing->bank->service, facts, &all, guard->now,
                                        &coverage, err);
    if (!failed) {
        const struct period span = coverage_span(&coverage, cluster);
        const int64_t from = guard->now - number_of(enforcing, CONFIG_ENFORCE_COVERAGE);
        const struct period period = {from > span.from ? from : span.from, guard->now};
        guard->covered =
            span.from < span.to && coverage_of(&coverage, cluster, period) == COVERED_WHOLLY;
    }
    coverage_release(&coverage);
    return failed;
}

static int read_guard(struct enforcement *enforcing, struct error *err)
{
    struct session *session = enforcing->bank->service->session;
    const struct str file = enforce_site_text(&enforcing->site, CONFIG_ENFORCE_STOP_FILE);
    struct facts *facts = NULL;
    enforcing->guard = (struct guard){
        .off = number_of(enforcing, CONFIG_ENFORCE_OFF) != 0,
        .stop_file = file.ptr && access(file.ptr, F_OK) == 0 ? file.ptr : NULL,
        .now = enforcing->bank->now,
        .max_age_us = number_of(enforcing, CONFIG_ENFORCE_MAX_AGE),
        .max_accounts = number_of(enforcing, CONFIG_ENFORCE_MAX_ACCOUNTS),
        .max_share = number_of(enforcing, CONFIG_ENFORCE_MAX_SHARE),
    };
    int failed;
    (void)((failed = session_facts(session, FACTS_READ, &facts, err)) ||
           (failed = read_age(enforcing, facts, err)) ||
           (failed = read_coverage(enforcing, facts, err)));
    session_close(session); /* a scheduler is asked next, which may take long */
    return failed;
}

/* --- opening ------------------------------------------------------------------------------ */

static int ask_scheduler(struct enforcement *enforcing, struct error *err)
{
    const struct enforce_driver *driver = enforcing->driver;
    int failed = driver->ask ? driver->ask(&enforcing->site, &enforcing->states, err) : 0;
    return failed ? error_prepend(err, "%.*s: ", STR_ARG(enforcing->site.cluster)) : 0;
}

static void make(struct enforcement *enforcing, bool release, struct str account)
{
    const struct limit_plan_question question = {
        .driver = enforcing->driver,
        .mode = enforcing->site.mode,
        .ends_running = enforcing->site.ends_running,
        .tolerance = tolerance_of(enforcing),
        .never = enforce_site_text(&enforcing->site, CONFIG_ENFORCE_NEVER),
        .release = release,
        .account = account,
        .demands = enforcing->demands,
        .demand_count = enforcing->demand_count,
        .caps = enforcing->users,
        .cap_count = enforcing->user_count,
        .states = &enforcing->states,
        .kept = &enforcing->kept,
    };
    limit_plan_make(&question, &enforcing->plan);
    if (!release) {
        guard_apply(&enforcing->guard, &enforcing->plan);
    }
}

int enforcement_open(struct bank *bank, const struct config_section *section, bool release,
                     struct str account, struct enforcement *out, struct error *err)
{
    *out = (struct enforcement){
        .bank = bank,
        .site = enforce_site_of(bank->service->config, section, bank->service->stop),
        .driver = enforce_driver_find(
            config_text(section, &config_enforce_keys[CONFIG_ENFORCE_DRIVER])),
    };
    out->site.releases = release;
    int failed;
    (void)((failed = enforce_driver_check(out->driver, &out->site, err)) ||
           (failed = release ? 0 : read_guard(out, err)) ||
           (failed = ask_scheduler(out, err)) || (failed = read_demands(out, err)) ||
           (failed = read_caps(out, err)) ||
           (failed = saved_limits_list_read(bank->books, out->site.cluster, &out->kept, err)) ||
           (failed = books_rates(bank->books, bank->zone, &out->rates, err)));
    if (!failed) {
        make(out, release, account);
    }
    return failed;
}

void enforcement_close(struct enforcement *enforcing)
{
    limit_plan_release(&enforcing->plan);
    rate_list_release(&enforcing->rates);
    saved_limits_list_release(&enforcing->kept);
    enforce_states_release(&enforcing->states);
    free(enforcing->demands);
    free(enforcing->users);
}

/* --- what is found ------------------------------------------------------------------------ */

/* Whether the scheduler does something else than the bank shows, by more than may be. */
static bool differs(const struct enforcement *enforcing, const struct limit_plan_row *row)
{
    int64_t drift;
    const int64_t most = limit_plan_tolerance(row->mode, tolerance_of(enforcing));
    if (limit_plan_is_step(row) && row->action != PLAN_FORGET) {
        return true;
    }
    const bool known = row->stricter || row->foreign < ENFORCE_MODES;
    return !known && limit_plan_drift(row, &drift) && (drift > most || drift < -most);
}

const char *enforcement_verdict(const struct enforcement *enforcing,
                                const struct limit_plan_row *row)
{
    return differs(enforcing, row)                 ? "differs"
           : row->untouched                        ? "left alone"
           : row->foreign < ENFORCE_MODES          ? "not ours"
           : row->override.ptr                     ? "overridden"
           : row->demand && row->demand->unlimited ? "unlimited"
           : limit_plan_stops_now(row)             ? "stopped"
           : row->stricter                         ? "stricter"
                                                   : "ok";
}

static const char *limit_name(const struct enforcement *enforcing, enum enforce_mode mode)
{
    return enforcing->driver->limits ? enforcing->driver->limits[mode]
                                     : enforce_mode_name(mode);
}

static const char *foreign_finding(struct enforcement *enforcing,
                                   const struct limit_plan_row *row)
{
    struct arena *arena = &enforcing->plan.arena;
    const struct enforce_change change = {.target = row->target, .mode = row->foreign};
    const char *command = enforcing->driver->command
                              ? enforcing->driver->command(&enforcing->site, &change, arena)
                              : NULL;
    return arena_printf(arena,
                        "nothing may start by a %s that nothing says stint has set; if nobody "
                        "wants it any more%s%s",
                        limit_name(enforcing, row->foreign), command ? ": " : ", take it away",
                        command ? command : "");
}

const char *enforcement_finding(struct enforcement *enforcing, const struct limit_plan_row *row)
{
    struct arena *arena = &enforcing->plan.arena;
    if (row->untouched) {
        return row->untouched;
    }
    if (row->foreign < ENFORCE_MODES) {
        return foreign_finding(enforcing, row);
    }
    if (row->override.ptr) {
        return arena_printf(arena,
                            "jobs in the QOS '%.*s' start nevertheless: its own %s counts "
                            "instead of the account's",
                            STR_ARG(row->override), limit_name(enforcing, row->mode));
    }
    return row->stricter ? "the site's own limit is lower than the balance, and stays" : NULL;
}

static bool has_rate(const struct enforcement *enforcing, const struct enforce_qos *qos)
{
    for (size_t i = 0; i < enforcing->rates.count; i++) {
        const struct rate *rate = &enforcing->rates.rows[i];
        const struct str cluster = rate->patterns[RATE_CLUSTER];
        if (rate->patterns[RATE_QOS].ptr && str_glob(rate->patterns[RATE_QOS], qos->name) &&
            (!cluster.ptr || str_glob(cluster, enforcing->site.cluster)) &&
            rate->factor == qos->usage_factor && enforcing->bank->now >= rate->period.from &&
            enforcing->bank->now < rate->period.to) {
            return true;
        }
    }
    return false;
}

/* Whether what Slurm has counted matters to what is charged. */
static bool counts_usage(const struct enforcement *enforcing)
{
    bool counts = enforcing->site.mode == ENFORCE_LIMIT && enforcing->rates.count > 0;
    for (size_t i = 0; i < enforcing->rates.count; i++) {
        counts = counts || enforcing->rates.rows[i].how == RATE_RECORDED;
    }
    return counts;
}

const char *enforcement_caps(const struct enforcement *enforcing)
{
    return enforcing->has_caps && !enforcing->driver->lists_all
               ? "caps of users in an account are not enforced there: its limits are of "
                 "accounts, projects or users as a whole"
               : NULL;
}

const char *enforcement_factors(struct enforcement *enforcing)
{
    struct arena *arena = &enforcing->plan.arena;
    const char *list = "";
    for (size_t i = 0; counts_usage(enforcing) && i < enforcing->states.qos_count; i++) {
        const struct enforce_qos *qos = &enforcing->states.qos[i];
        if (qos->usable && qos->usage_factor != AMOUNT_ONE && !has_rate(enforcing, qos)) {
            const struct str factor = amount_print(arena, qos->usage_factor);
            list = arena_printf(arena, "%s%s'%.*s' %.*s times", list, *list ? ", " : "",
                                STR_ARG(qos->name), STR_ARG(factor));
        }
    }
    return *list ? arena_printf(arena,
                                "the scheduler counts the usage of the QOS %s, and no rate "
                                "charges it so: stint rate add NAME --how recorded --qos NAME "
                                "--factor N",
                                list)
                 : NULL;
}
