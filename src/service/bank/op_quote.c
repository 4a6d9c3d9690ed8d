/* SPDX-License-Identifier: MIT */

/*
 * stint quote: what a job would cost that somebody is about to submit, whether its account can
 * pay for it now, and if not, when.
 */

#include "bank/amount.h"
#include "bank/caps.h"
#include "bank/price.h"
#include "bank/submit_script.h"
#include "base/limit.h"
#include "service/bank/bank.h"
#include "service/bank/beside.h"
#include "service/bank/quote_site.h"
#include "service/core/inputs.h"
#include "service/core/operations.h"

enum { FLAGS_MAX = 64, BURN_DAYS = 30, PARTS_MAX = 16 };

struct quote {
    struct bank bank;
    struct submit_script batch;            /* of several components the first */
    struct submit_script parts[PARTS_MAX]; /* the others, of a heterogeneous job */
    size_t part_count;
    struct rate_list rates;
    struct price price;
    struct price cost; /* in a currency, if rates have just one */
    bool has_cost;
    int64_t cost_total;
    int64_t total; /* of all tasks; what the account would hold */
    struct buf script;
    struct quote_site site;
    /* NULL: none is charged, or the caller does not see it */
    const struct ledger_account *account;
};

/* --- what is asked ------------------------------------------------------------------------ */

/* Grid Engine says -pe and -l, which sbatch has in no other sense that matters here. */
static enum submit_script_scheduler guess(const struct str *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_eq(words[i], STR("-pe")) || str_eq(words[i], STR("-l"))) {
            return SUBMIT_SCRIPT_SGE;
        }
    }
    return SUBMIT_SCRIPT_SLURM;
}

/* The options of each component: a colon stands between them. */
static int read_parts(struct quote *quote, enum submit_script_scheduler scheduler,
                      const struct str *words, size_t count)
{
    struct submit_script *batch = &quote->batch;
    size_t first = 0;
    int failed = 0;
    for (size_t i = 0; !failed && i <= count; i++) {
        if (i < count && !(scheduler == SUBMIT_SCRIPT_SLURM && str_eq(words[i], STR(":")))) {
            continue;
        }
        failed = submit_script_read_words(batch, scheduler, words + first, i - first,
                                          quote->bank.err);
        first = i + 1;
        if (!failed && i < count && quote->part_count == PARTS_MAX) {
            failed = error_set(quote->bank.err, ERROR_LIMIT,
                               "a job of more than %d components has no quote", PARTS_MAX + 1);
        } else if (i < count) {
            batch = &quote->parts[quote->part_count++];
        }
    }
    return failed;
}

static int read_flags(struct quote *quote, enum submit_script_scheduler scheduler, bool known)
{
    struct str words[FLAGS_MAX];
    size_t count = 0;
    const struct request *request = quote->bank.request;
    while (count < FLAGS_MAX && request_each(request, "flag", count, &words[count])) {
        count++;
    }
    const struct str as = request_text(request, "as");
    scheduler = as.ptr  ? str_eq(as, STR("sge")) ? SUBMIT_SCRIPT_SGE : SUBMIT_SCRIPT_SLURM
                : known ? scheduler
                        : guess(words, count);
    return read_parts(quote, scheduler, words, count);
}

static int read_batch(struct quote *quote)
{
    const struct request *request = quote->bank.request;
    struct error *err = quote->bank.err;
    const bool has_script = request_has(request, "script");
    enum submit_script_scheduler scheduler = SUBMIT_SCRIPT_SLURM;
    struct str word;
    if (!has_script && !request_each(request, "flag", 0, &word)) {
        return error_set(err, ERROR_USAGE,
                         "describe the job: stint quote -- -n 4 -t 2:00:00, or --script FILE");
    }
    int failed =
        has_script ? inputs_read(request, "script", INPUTS_LAST, &quote->script, err) : 0;
    (void)(failed ||
           (has_script && (failed = submit_script_read_script(
                               &quote->batch, buf_str(&quote->script), &scheduler, err))) ||
           (failed = read_flags(quote, scheduler, has_script)) ||
           (failed = submit_script_finish(&quote->batch, err)));
    for (size_t i = 0; !failed && i < quote->part_count; i++) {
        failed = submit_script_finish(&quote->parts[i], err);
    }
    return failed;
}

/* Whose job it is, on which cluster, from now on. */
static int complete_batch(struct quote *quote, struct submit_script *batch)
{
    const struct caller *caller = quote->bank.service->caller;
    const struct str cluster = request_text(quote->bank.request, "cluster");
    struct run *run = &batch->run;
    if (cluster.ptr) {
        RUN_SET(run, cluster, cluster);
    }
    const int failed =
        quote_site_complete(&quote->site, batch, quote->bank.answer, quote->bank.err);
    if (failed) {
        return failed;
    }
    if (!RUN_HAS(run, user) && caller->login_count > 0) {
        RUN_SET(run, user, caller->logins[0]);
    }
    RUN_SET(run, start, quote->bank.now);
    if (!RUN_HAS(run, req_wall_us)) {
        return error_set(quote->bank.err, ERROR_USAGE,
                         "the job has no time limit, so its price is unknown: add -t 2:00:00, "
                         "or -l h_rt=2:00:00");
    }
    return 0;
}

/* What a component does not say holds as for the first, but for what it asks for. */
static void follow_first(const struct run *first, struct run *run)
{
    if (!RUN_HAS(run, req_wall_us) && RUN_HAS(first, req_wall_us)) {
        RUN_SET(run, req_wall_us, first->req_wall_us);
    }
    if (!RUN_HAS(run, account) && RUN_HAS(first, account)) {
        RUN_SET(run, account, first->account);
    }
}

/* --- what it costs ------------------------------------------------------------------------ */

/* The only currency that rates have; the null string: none, or several. */
static struct str find_currency(const struct rate_list *rates)
{
    struct str found = {0};
    for (size_t i = 0; i < rates->count; i++) {
        const struct str unit = rates->rows[i].unit;
        if (found.ptr && !str_eq(unit, STR("SU")) && !str_eq(unit, found)) {
            return (struct str){0};
        }
        found = str_eq(unit, STR("SU")) ? found : unit;
    }
    return found;
}

/* What the same costs in the currency; a job that has no price there is quoted in SU alone. */
static int work_out_cost(struct quote *quote)
{
    const struct run *run = &quote->batch.run;
    const struct str unit = find_currency(&quote->rates);
    if (!unit.ptr || quote->part_count > 0) {
        return 0;
    }
    int failed = price_of(&quote->rates, run, run->start + run->req_wall_us, quote->bank.zone,
                          unit, &quote->cost, quote->bank.err);
    quote->has_cost = !failed && quote->cost.rate && quote->cost.outcome != PRICE_UNKNOWN;
    return failed ? failed
                  : amount_of((wide_int)quote->cost.amount * quote->batch.tasks,
                              &quote->cost_total, quote->bank.err);
}

/* Adds the price of a further component to that of the first. */
static int add_part(struct quote *quote, const struct run *run)
{
    struct price price;
    struct error *err = quote->bank.err;
    int failed = price_of(&quote->rates, run, run->start + run->req_wall_us, quote->bank.zone,
                          STR("SU"), &price, err);
    if (!failed && price.outcome == PRICE_UNKNOWN) {
        failed = error_set(err, ERROR_MISSING,
                           "a component of the job has no price: %s; see: stint rate list",
                           price.why);
    }
    return failed ? failed
                  : amount_add(quote->price.amount, price.amount, &quote->price.amount, err);
}

/* Why a job has no price; of billing units that nobody knows also what to do. */
static int refuse_price(const struct quote *quote, const struct price *price,
                        const struct run *run)
{
    if (price->rate && price->rate->how == RATE_RECORDED && !RUN_HAS(run, billing)) {
        return error_set(quote->bank.err, ERROR_MISSING,
                         "the job has no price: rate '%.*s' goes by what the scheduler bills, "
                         "and how partition '%.*s' does is not known: name cluster and "
                         "partition (-M, -p), or see: stint help pull",
                         STR_ARG(price->rate->name),
                         STR_ARG(RUN_HAS(run, partition) ? run->partition : STR("?")));
    }
    return error_set(quote->bank.err, ERROR_MISSING,
                     "the job has no price: %s; see: stint rate list", price->why);
}

static int work_out(struct quote *quote)
{
    const struct run *run = &quote->batch.run;
    struct error *err = quote->bank.err;
    int failed;
    (void)((failed = books_rates(quote->bank.books, quote->bank.zone, &quote->rates, err)) ||
           (failed = price_of(&quote->rates, run, run->start + run->req_wall_us,
                              quote->bank.zone, STR("SU"), &quote->price, err)));
    if (failed) {
        return failed;
    }
    if (quote->price.outcome == PRICE_UNKNOWN) {
        return refuse_price(quote, &quote->price, run);
    }
    for (size_t i = 0; !failed && i < quote->part_count; i++) {
        failed = add_part(quote, &quote->parts[i].run);
    }
    if (failed) {
        return failed;
    }
    failed = amount_of((wide_int)quote->price.amount * quote->batch.tasks, &quote->total, err);
    return failed ? failed : work_out_cost(quote);
}

static void find_account(struct quote *quote)
{
    const struct run *run = &quote->batch.run;
    struct ledger_drawn drawn =
        ledger_drawn_of(run, RUN_HAS(run, cluster) ? run->cluster : (struct str){0});
    drawn.start = quote->bank.now;
    const struct ledger_draw_row *row = ledger_draws_find(&quote->bank.draws, &drawn);
    quote->account = row ? bank_account_of(&quote->bank, row->account) : NULL;
}

/* --- whether and when --------------------------------------------------------------------- */

/*
 * What the account can spend at an instant, if it continues using as much as in the last 30
 * days.
 */
static int room_at(const struct quote *quote, int64_t instant, int64_t used_30, bool *unlimited,
                   wide_int *out)
{
    struct ledger_balance balance;
    int failed = ledger_balance(quote->account, &quote->bank.allotments, instant, &balance,
                                quote->bank.err);
    *unlimited = balance.unlimited;
    *out = (wide_int)balance.free + balance.floor -
           (wide_int)used_30 * (instant - quote->bank.now) / DAY_US / BURN_DAYS;
    return failed;
}

/*
 * The first instant from now on at which the account can pay; INSTANT_MAX: none that is known
 * of today.
 */
static int find_when(const struct quote *quote, int64_t used_30, int64_t *out)
{
    const struct ledger_allotments *all = &quote->bank.allotments;
    bool unlimited = false;
    wide_int room = 0;
    int failed = room_at(quote, quote->bank.now, used_30, &unlimited, &room);
    *out = unlimited || room >= quote->total ? quote->bank.now : INSTANT_MAX;
    for (size_t i = 0; !failed && *out != quote->bank.now && i < all->count; i++) {
        const struct ledger_allotment *row = &all->rows[i];
        if (row->account != quote->account->payer || row->from <= quote->bank.now ||
            row->from >= *out) {
            continue;
        }
        failed = room_at(quote, row->from, used_30, &unlimited, &room);
        if (unlimited || room >= quote->total) {
            *out = row->from;
        }
    }
    return failed;
}

enum quote_column {
    JOBS_C,
    CPUS_C,
    GPUS_C,
    MEM_C,
    LIMIT_C,
    RATE_C,
    EACH_C,
    TOTAL_C,
    ACCOUNT_C,
    FREE_C,
    AFFORDED_C,
    WHEN_C,
    LAST_C,
    COST_C,
    UNIT_C,
};

static const struct heading headings[] = {
    [JOBS_C] = {"jobs", "Jobs", CELL_INT, UNIT_COUNT, COLUMN_BESIDE},
    [CPUS_C] = {"cpus", "CPUs", CELL_INT, UNIT_COUNT, COLUMN_BESIDE},
    [GPUS_C] = {"gpus", "GPUs", CELL_INT, UNIT_COUNT, COLUMN_BESIDE},
    [MEM_C] = {"mem", "Memory", CELL_INT, UNIT_BYTES, COLUMN_BESIDE},
    [LIMIT_C] = {"time_limit", "Time limit", CELL_INT, UNIT_SECONDS, COLUMN_BESIDE},
    [RATE_C] = {"rate", "Rate", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [EACH_C] = {"price", "SU each", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [TOTAL_C] = {"total", "SU in all", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [FREE_C] = {"free", "Free", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [AFFORDED_C] = {"affordable", "Affordable", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [WHEN_C] = {"from", "From", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [LAST_C] = {"until", "Until", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [COST_C] = {"cost", "Cost in all", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [UNIT_C] = {"unit", "Unit", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

static void show_price(const struct quote *quote)
{
    struct table *table = &quote->bank.answer->table;
    const struct run *run = &quote->batch.run;
    const size_t row = table_row(table);
    table_set_int(table, JOBS_C, row, quote->batch.tasks);
    if (RUN_HAS(run, cpus)) {
        table_set_int(table, CPUS_C, row, run->cpus);
    }
    table_set_int(table, GPUS_C, row, run->gpus);
    if (RUN_HAS(run, mem_bytes)) {
        table_set_int(table, MEM_C, row, run->mem_bytes);
    }
    table_set_int(table, LIMIT_C, row, run->req_wall_us);
    if (quote->price.rate) {
        table_set_text(table, RATE_C, row, quote->price.rate->name);
    }
    table_set_int(table, EACH_C, row, quote->price.amount);
    table_set_int(table, TOTAL_C, row, quote->total);
    if (quote->has_cost) {
        table_set_int(table, COST_C, row, quote->cost_total);
        table_set_text(table, UNIT_C, row, quote->cost.rate->unit);
    }
}

/* The end of the period of a cap; INT64_MAX: it ends with the allotments. */
static int64_t cap_end(const struct quote *quote, const struct cap_state *state)
{
    const struct civil first = zone_civil(quote->bank.zone, state->from);
    const int months = first.month - 1 + state->cap->months;
    const struct civil next = {
        .year = first.year + months / 12, .month = months % 12 + 1, .day = 1};
    return state->cap->months > 0 ? zone_instant(quote->bank.zone, next) : INT64_MAX;
}

/* Ceilings are of everybody, also where nobody is known to submit the job. */
static bool is_of_user(const struct cap_states *states, struct str user,
                       const struct cap_state *state)
{
    bool own = false;
    if (cap_is_ceiling(state->cap) || !user.ptr) {
        return cap_is_ceiling(state->cap);
    }
    for (size_t i = 0; i < states->count; i++) {
        own = own || str_eq(states->rows[i].user, user);
    }
    return str_eq(state->user, own ? user : STR("*"));
}

/*
 * Whether the user may use that much of an account, by all caps of theirs; *when is when they
 * may, where that is later: INT64_MAX, as far as is known never.
 */
static int check_caps_of(const struct quote *quote, const struct caps *caps,
                         const struct ledger_account *account, int64_t *when)
{
    const struct bank *bank = &quote->bank;
    const struct run *run = &quote->batch.run;
    const struct str user = RUN_HAS(run, user) ? run->user : (struct str){0};
    struct cap_states states = {0};
    const int failed = caps_of(bank->books, bank->zone, bank->now, caps, account,
                               &bank->allotments, &states, bank->err);
    for (size_t i = 0; !failed && i < states.count; i++) {
        const struct cap_state *state = &states.rows[i];
        if (state->limit == INT64_MAX || state->left >= quote->total ||
            !is_of_user(&states, user, state)) {
            continue;
        }
        struct arena *arena = &bank->answer->table.arena;
        const int64_t end = quote->total <= state->limit ? cap_end(quote, state) : INT64_MAX;
        *when = end > *when ? end : *when;
        answer_note(bank->answer, NOTE_WARNING,
                    "%.*s has %.*s SU left of a cap of %.*s in %.*s: the job does not fit",
                    STR_ARG(cap_is_ceiling(state->cap) ? STR("everybody together") : user),
                    STR_ARG(amount_print(arena, state->left > 0 ? state->left : 0)),
                    STR_ARG(amount_print(arena, state->limit)), STR_ARG(account->name));
    }
    cap_states_release(&states);
    return failed;
}

/* The same by caps of the account and of its parent. */
static int check_caps(const struct quote *quote, int64_t *when)
{
    const struct bank *bank = &quote->bank;
    const struct ledger_account parent = bank_parent_of(quote->account);
    struct caps caps;
    int failed = caps_list(bank->books, bank->zone, bank->now, &caps, bank->err);
    failed = failed ? failed : check_caps_of(quote, &caps, quote->account, when);
    failed = failed || !ledger_has_parent(quote->account)
                 ? failed
                 : check_caps_of(quote, &caps, &parent, when);
    caps_release(&caps);
    return failed;
}

/* Until when what is free now lasts for the job beside what others use. */
static void set_last(const struct quote *quote, wide_int spare, int64_t used_30)
{
    if (used_30 > 0) {
        const wide_int at = quote->bank.now + spare * BURN_DAYS * DAY_US / used_30;
        if (at < INSTANT_MAX) {
            table_set_int(&quote->bank.answer->table, LAST_C, 0, (int64_t)at);
        }
    }
}

static int show_account(const struct quote *quote)
{
    struct table *table = &quote->bank.answer->table;
    const int64_t today = bank_day(&quote->bank, quote->bank.now);
    int64_t used_30 = 0, when = INSTANT_MAX, allowed = quote->bank.now;
    bool unlimited = false;
    wide_int room = 0;
    struct error *err = quote->bank.err;
    int failed;
    (void)((failed = ledger_used(quote->bank.books, quote->account->payer, today - BURN_DAYS,
                                 today, &used_30, err)) ||
           (failed = room_at(quote, quote->bank.now, 0, &unlimited, &room)) ||
           (failed = find_when(quote, used_30, &when)) ||
           (failed = check_caps(quote, &allowed)));
    if (failed) {
        return failed;
    }
    when = allowed > when ? allowed : when;
    table_set_text(table, ACCOUNT_C, 0, quote->account->name);
    if (!unlimited) {
        table_set_int(table, FREE_C, 0, (int64_t)room);
    }
    const bool now = when == quote->bank.now;
    table_set_text(table, AFFORDED_C, 0,
                   now                  ? STR("now")
                   : when < INSTANT_MAX ? STR("later")
                                        : STR("no"));
    if (!now && when < INSTANT_MAX) {
        table_set_int(table, WHEN_C, 0, when);
    }
    if (now && !unlimited) {
        set_last(quote, room - quote->total, used_30);
    }
    return 0;
}

/* What a request says that is not in the price. */
static void note_batch(struct answer *answer, const struct submit_script *batch)
{
    if (batch->whole_nodes) {
        answer_note(
            answer, NOTE_WARNING,
            "the job asks for whole nodes: what their cpus and memory cost is not in the "
            "price");
    }
    if (batch->all_memory) {
        answer_note(
            answer, NOTE_WARNING,
            "the job asks for all memory of its nodes (--mem=0): what that costs is not "
            "in the price");
    }
    for (size_t i = 0; i < batch->unknown_count; i++) {
        answer_note(answer, NOTE_WARNING,
                    "'%.*s' is not understood: if it asks for something, that is not in the "
                    "price",
                    STR_ARG(batch->unknown[i]));
    }
}

static void add_notes(const struct quote *quote)
{
    struct answer *answer = quote->bank.answer;
    answer_note(answer, NOTE_READING,
                "the price is for the whole time limit, at the current rates; a job that ends "
                "earlier costs less");
    if (quote->part_count > 0) {
        answer_note(
            answer, NOTE_READING,
            "the price is of all %zu components; cpus, GPUs and memory are of the first",
            quote->part_count + 1);
    }
    note_batch(answer, &quote->batch);
    for (size_t i = 0; i < quote->part_count; i++) {
        note_batch(answer, &quote->parts[i]);
    }
    if (!quote->account) {
        answer_note(answer, NOTE_READING,
                    "no account of the bank that is visible to you would be charged");
    }
}

/* Where the job would run, if somebody says so. */
static struct str asked_cluster(const struct quote *quote)
{
    const struct str cluster = request_text(quote->bank.request, "cluster");
    const struct run *run = &quote->batch.run;
    return cluster.ptr ? cluster : RUN_HAS(run, cluster) ? run->cluster : (struct str){0};
}

static int make_quote(struct quote *quote)
{
    static const char *const shown_beside[] = {"total", NULL};
    struct beside beside;
    int failed = read_batch(quote);
    failed = failed ? failed
                    : quote_site_read(quote->bank.service, asked_cluster(quote), &quote->site,
                                      quote->bank.err);
    failed = failed ? failed : complete_batch(quote, &quote->batch);
    for (size_t i = 0; !failed && i < quote->part_count; i++) {
        follow_first(&quote->batch.run, &quote->parts[i].run);
        failed = complete_batch(quote, &quote->parts[i]);
    }
    failed = failed ? failed : work_out(quote);
    if (failed) {
        return failed;
    }
    find_account(quote);
    table_columns(&quote->bank.answer->table, headings, COUNT_OF(headings));
    beside_columns(quote->bank.service, &quote->bank.answer->table, shown_beside, &beside);
    table_exact(&quote->bank.answer->table);
    quote->bank.answer->as_records = true;
    show_price(quote);
    failed = quote->account ? show_account(quote) : 0;
    failed =
        failed ? failed : beside_fill(&beside, &quote->bank.answer->table, quote->bank.err);
    add_notes(quote);
    return failed;
}

static int run_quote(struct service *service, const struct request *request,
                     struct answer *answer, struct error *err)
{
    struct quote quote = {0};
    buf_init(&quote.script, LIMIT_BATCH_SCRIPT);
    int failed = bank_open(service, request, answer, BOOKS_READ, &quote.bank, err);
    failed = failed ? failed : make_quote(&quote);
    rate_list_release(&quote.rates);
    quote_site_release(&quote.site);
    buf_release(&quote.script);
    bank_close(&quote.bank);
    return failed;
}

static const struct param params[] = {
    {.name = "flag",
     .type = PARAM_TEXT,
     .value = "FLAG",
     .help = "after --, the options for sbatch or qsub: -- -n 4 -t 2:00:00 --mem 8G",
     .positional = true,
     .repeated = true},
    {.name = "script",
     .type = PARAM_INPUT,
     .value = "FILE",
     .help = "batch script with #SBATCH or #$ lines; flags override them"},
    {.name = "as",
     .type = PARAM_CHOICE,
     .value = "WHAT",
     .choices = "slurm sge",
     .help =
         "which scheduler's options they are; default sge if there is -pe or -l, else slurm"},
    {.name = "cluster",
     .letter = 'M',
     .type = PARAM_TEXT,
     .value = "NAME",
     .help = "cluster the job would run on"},
};

const struct operation operation_quote = {
    .name = "quote",
    .summary = "show what a job would cost, and when its account can pay",
    .description =
        "Reads the request of a job from options of sbatch or qsub, or from the "
        "batch script, and computes its price at its time limit with the current "
        "rates. The price of an array is that of a task times the number of tasks; that "
        "of components, with : between their options, is their sum. Options that "
        "are not understood are named. What the job does not say (time limit, memory, what "
        "whole nodes have), and what the scheduler would bill, comes from its partition as the "
        "last pull saw it.\n"
        "It also shows whether the account can pay now, or from which day on: when "
        "its next allotment begins, less what the account is expected to use until "
        "then, by its usage of the last 30 days. A cap of the user that has less left than the "
        "job costs is named.",
    .examples = "stint quote -- -n 16 -t 1-00:00 --mem 64G -A chem # as for sbatch\n"
                "stint quote -- -pe mpi 8 -l h_rt=2:00:00,h_vmem=4G -P chem # as for qsub\n"
                "stint quote -M birch -- -p gpu --gres gpu:2 # with the limit and memory of "
                "the partition\n"
                "stint quote --script job.sh # its #SBATCH or #$ lines\n"
                "stint quote --script job.sh -- -t 2:00:00 # with another time limit",
    .rights = RIGHT_OWN,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_quote,
};
