/* SPDX-License-Identifier: MIT */

/* What a run ought to be charged, and to whom. */

#include <stdio.h>

#include "bank/charge_pass.h"
#include "bank/price.h"
#include "base/zone.h"

/* --- what ought to be --------------------------------------------------------------------- */

static void note_unpriced(struct pass *pass, const char *why)
{
    if (pass->result->unpriced++ == 0) {
        (void)snprintf(pass->result->why, sizeof(pass->result->why), "%s", why);
    }
}

/* The account that a run draws on; NULL: none. */
static const struct ledger_account *account_of(const struct pass *pass, const struct run *run,
                                               struct str cluster)
{
    const struct ledger_drawn drawn = ledger_drawn_of(run, cluster);
    const struct ledger_draw_row *row =
        RUN_HAS(run, start) ? ledger_draws_find(&pass->draws, &drawn) : NULL;
    return row && (size_t)row->account < pass->by_id_count
               ? &pass->accounts.rows[pass->by_id[row->account]]
               : NULL;
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
        pass->cluster_id = name_ids_id(&pass->names, cluster);
        pass->cluster = arena_copy(&pass->names.arena, cluster);
    }
    return pass->cluster_id;
}

void pass_want(struct pass *pass, struct run *run, struct charge *out)
{
    const struct str none = {0};
    const struct str cluster =
        cluster_rule_apply(&pass->rules, run->cluster, RUN_HAS(run, node) ? run->node : none,
                           RUN_HAS(run, partition) ? run->partition : none);
    const struct ledger_account *account = account_of(pass, run, cluster);
    if (!account) {
        return;
    }
    const bool is_running =
        !RUN_HAS(run, end) && RUN_HAS(run, until) && run->until == RUN_NOT_ENDED;
    if (!is_running && !RUN_HAS(run, end)) {
        note_unpriced(pass, "its end was not recorded");
        return;
    }
    out->line.account = account->id;
    out->line.cluster = cluster_id(pass, cluster);
    out->line.user = name_ids_id(&pass->names, RUN_HAS(run, user) ? run->user : none);
    const struct str own = run->cluster; /* its name is made from it */
    out->cluster = cluster;
    run->cluster = cluster;
    set_price(pass, run, out);
    run->cluster = own;
}

/* --- by earlier rates ------------------------------------------------------------------ */

/* What earlier rates may go by. Text is kept once, for as long as the pass. */
struct charge_lines_price pass_price_input(struct pass *pass, const struct run *run,
                                           struct str cluster, bool is_unpriced)
{
    struct charge_lines_price out = {.is_unpriced = is_unpriced};

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
        {run->account, &out.account, RUN_HAS(run, account)},
        {run->group, &out.group, RUN_HAS(run, group)},
        {run->resources, &out.resources, RUN_HAS(run, resources)},
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
        {run->energy_mj, &out.energy_mj, RUN_HAS(run, energy_mj)},
    };

    for (unsigned i = 0; i < COUNT_OF(texts); i++) {
        if (texts[i].has) {
            *texts[i].to = name_ids_kept(&pass->texts, texts[i].text);
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
static struct run run_of(const struct charge_lines_price *price, const struct packed_line *line)
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
    TAKE(account);
    TAKE(group);
    TAKE(resources);
    TAKE(suspended_us);
    TAKE(cpus);
    TAKE(gpus);
    TAKE(mem_bytes);
    TAKE(node_count);
    TAKE(billing);
    TAKE(energy_mj);
#undef TAKE
    return run;
}

/*
 * Prices a run by the rates of an earlier epoch; where they do not have a price for it now, its
 * charge stays as it is.
 */
static int price_as_then(struct pass *pass, int64_t epoch, int64_t rate,
                         const struct charge_lines_price *input, const struct packed_line *last,
                         struct packed_line *wanted, struct error *err)
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
    if (price_of_kept(rates, rate_list_find(rates, rate), &run, run.end, pass->zone, STR("SU"),
                      &price, &ignored) != 0 ||
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

/* A charge stays with the rates that made it; a new one is pinned to the present ones. */
int pass_reprice(void *context, const struct charge_lines_price *input,
                 const struct packed_line *last, struct packed_line *wanted, struct error *err)
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
    const bool stays = epoch != pass->pins.epoch || (input && rate && pass->rates.by_metagroup);
    if (stays && wanted->account > 0 && wanted->end > 0) {
        return price_as_then(pass, epoch, rate, input, last, wanted, err);
    }
    wanted->rate = wanted->rate > 0 ? pins_id(&pass->pins, pass->pins.epoch, wanted->rate) : 0;
    return 0;
}
