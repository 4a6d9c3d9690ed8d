/* SPDX-License-Identifier: MIT */
#include "bank/receipt.h"

#include <stdlib.h>
#include <string.h>

#include "bank/amount.h"
#include "bank/price.h"
#include "base/limit.h"
#include "base/mem.h"
#include "record/run_id.h"

void receipt_release(struct receipt *receipt)
{
    for (size_t i = 0; i < receipt->rate_count; i++) {
        rate_list_release(&receipt->rates[i].list);
    }
    zone_close(receipt->zone);
    usage_release(&receipt->usage);
    free(receipt->findings);
    arena_release(&receipt->arena);
    *receipt = (struct receipt){0};
}

void receipt_find(struct receipt *receipt, const char *text)
{
    receipt->findings =
        mem_resize(receipt->findings, receipt->finding_count + 1, sizeof(*receipt->findings));
    receipt->findings[receipt->finding_count++] = str_of(text);
}

static const char *shown(struct receipt *receipt, int64_t amount)
{
    return amount_print(&receipt->arena, amount).ptr;
}

static int compare_run(const void *key, const void *row)
{
    return str_compare(*(const struct str *)key, ((const struct receipt_run *)row)->run);
}

static int compare_name(const void *key, const void *row)
{
    return str_compare(*(const struct str *)key, *(const struct str *)row);
}

static const struct rate_list *rates_of(const struct receipt *receipt, int64_t epoch)
{
    for (size_t i = 0; i < receipt->rate_count; i++) {
        if (receipt->rates[i].epoch == epoch) {
            return &receipt->rates[i].list;
        }
    }
    return NULL;
}

/* What of an amount lies on the days of the receipt. */
static int count_days(struct receipt *receipt, const struct run *run, int64_t amount,
                      int64_t floor, int64_t *out, struct error *err)
{
    const struct usage_charge charge = {
        1, 1, 1, run->start, run->end > run->start ? run->end : run->start, amount, floor};
    *out = 0;
    receipt->usage.zone = receipt->zone;
    receipt->usage.count = 0;
    int failed = usage_add(&receipt->usage, &charge, err);
    for (size_t i = 0; !failed && i < receipt->usage.count; i++) {
        const struct packed_cell cell = usage_cell_of(&receipt->usage.cells[i]);
        if (cell.day >= receipt->first && cell.day < receipt->last) {
            failed = amount_add(*out, cell.amount, out, err);
        }
    }
    return failed;
}

/* A run that the receipt has: price, rate and what counts have to be the same. */
static int compare_receipt_run(struct receipt *receipt, struct receipt_run *row,
                               const struct run *run, const struct price *price,
                               struct error *err)
{
    int64_t counted = 0;
    const int64_t said = row->counted - row->earlier;
    const int failed = count_days(receipt, run, price->amount, row->floor, &counted, err);
    if (failed) {
        return failed;
    }
    if (price->amount != row->amount) {
        receipt_find(receipt,
                     arena_printf(&receipt->arena,
                                  "%.*s: the receipt says %s SU, its record and rates give %s",
                                  STR_ARG(row->run), shown(receipt, row->amount),
                                  shown(receipt, price->amount)));
    } else if (counted != said) {
        receipt_find(
            receipt,
            arena_printf(&receipt->arena,
                         "%.*s: the receipt counts %s SU in the period, its record gives %s",
                         STR_ARG(row->run), shown(receipt, said), shown(receipt, counted)));
    }
    if (price->rate && row->rate.ptr && !str_eq(price->rate->name, row->rate)) {
        receipt_find(receipt, arena_printf(&receipt->arena,
                                           "%.*s: the receipt names rate '%.*s', '%.*s' fits",
                                           STR_ARG(row->run), STR_ARG(row->rate),
                                           STR_ARG(price->rate->name)));
    }
    return amount_add(receipt->recomputed, counted, &receipt->recomputed, err);
}

/* Whether one of the draws of the account is for the run. */
static bool draws(const struct receipt *receipt, const struct run *run, struct str cluster)
{
    const struct ledger_drawn drawn = ledger_drawn_of(run, cluster);
    for (size_t i = 0; i < receipt->draw_count; i++) {
        const struct ledger_draw_row *row = &receipt->draws[i];
        const struct str name = str_eq(row->kind, STR("user"))      ? drawn.user
                                : str_eq(row->kind, STR("project")) ? drawn.project
                                                                    : drawn.account;
        if (name.ptr && str_eq(name, row->name) && row->from <= drawn.start &&
            drawn.start < row->to && row->opened <= drawn.start && drawn.start < row->closed &&
            (!row->cluster.ptr || str_eq(row->cluster, cluster))) {
            return true;
        }
    }
    return false;
}

/* A run that the receipt does not have: whether it ought to. */
static int look_at_other(struct receipt *receipt, struct str name, const struct run *run,
                         struct str cluster, struct error *err)
{
    int64_t counted = 0;
    struct price price;
    struct error ignored = {0};
    const struct rate_list *rates =
        receipt->rate_count ? &receipt->rates[receipt->rate_count - 1].list : NULL;
    const bool known =
        receipt->elsewhere_count && bsearch(&name, receipt->elsewhere, receipt->elsewhere_count,
                                            sizeof(*receipt->elsewhere), compare_name);
    if (known || !rates || !draws(receipt, run, cluster) ||
        price_of(rates, run, run->end, receipt->zone, STR("SU"), &price, &ignored) != 0 ||
        price.amount == 0) {
        return 0;
    }
    const int failed = count_days(receipt, run, price.amount, INT64_MIN, &counted, err);
    if (!failed && counted != 0) {
        receipt_find(receipt,
                     arena_printf(&receipt->arena,
                                  "%.*s: is charged to the account and not in the receipt; "
                                  "%s SU by its rates",
                                  STR_ARG(name), shown(receipt, counted)));
    }
    return failed;
}

/* By which rate a run was charged: what is for metagroups, a receipt does not say otherwise. */
static const struct rate *find_named(const struct rate_list *rates, struct str name,
                                     int64_t start)
{
    for (size_t i = 0; name.ptr && i < rates->count; i++) {
        const struct rate *rate = &rates->rows[i];
        if (str_eq(rate->name, name) && rate->period.from <= start && start < rate->period.to) {
            return rate;
        }
    }
    return NULL;
}

int receipt_take_run(struct receipt *receipt, const struct run *run, struct error *err)
{
    const struct str none = {0};
    struct price price;
    struct error ignored = {0};
    struct run counted = *run;
    struct buf id;
    if (!RUN_HAS(run, start) || !RUN_HAS(run, end)) {
        return 0;
    }
    buf_init(&id, LIMIT_RUN_ID);
    run_id_print(run, &id);
    const struct str name = buf_str(&id);
    counted.cluster =
        cluster_rule_apply(&receipt->rules, run->cluster, RUN_HAS(run, node) ? run->node : none,
                           RUN_HAS(run, partition) ? run->partition : none);
    struct receipt_run *row = receipt->run_count
                                  ? bsearch(&name, receipt->runs, receipt->run_count,
                                            sizeof(*receipt->runs), compare_run)
                                  : NULL;
    int failed = 0;
    if (!row) {
        failed = look_at_other(receipt, name, &counted, counted.cluster, err);
    } else if (!row->seen) {
        const struct rate_list *rates = rates_of(receipt, row->epoch);
        row->seen = true;
        if (!row->is_charged) {
            /* nothing is charged now: what counts is of records of before */
        } else if (!rates ||
                   price_of_kept(rates, find_named(rates, row->rate, run->start), &counted,
                                 run->end, receipt->zone, STR("SU"), &price, &ignored) != 0 ||
                   price.outcome == PRICE_UNKNOWN) {
            receipt_find(receipt,
                         arena_printf(&receipt->arena,
                                      "%.*s: the rates of the receipt have no price for it",
                                      STR_ARG(row->run)));
        } else {
            failed = compare_receipt_run(receipt, row, &counted, &price, err);
        }
    }
    buf_release(&id);
    return failed;
}

void receipt_finish(struct receipt *receipt)
{
    wide_int sum = 0, earlier = 0;
    for (size_t i = 0; i < receipt->run_count; i++) {
        const struct receipt_run *row = &receipt->runs[i];
        sum += row->counted;
        earlier += row->earlier;
        if (!row->seen && row->is_charged) {
            receipt_find(receipt, arena_printf(&receipt->arena,
                                               "%.*s: is not among the accounting records",
                                               STR_ARG(row->run)));
        }
    }
    if (sum != receipt->total) {
        receipt_find(receipt,
                     arena_printf(&receipt->arena,
                                  "the receipt says %s SU in all, and its runs sum to %s",
                                  shown(receipt, receipt->total),
                                  shown(receipt, (int64_t)sum)));
    }
    if (receipt->finding_count == 0 && receipt->recomputed + earlier != receipt->total) {
        receipt_find(receipt,
                     arena_printf(&receipt->arena,
                                  "the accounting records give %s SU, the receipt says %s",
                                  shown(receipt, receipt->recomputed),
                                  shown(receipt, receipt->total)));
    }
}
