/* SPDX-License-Identifier: MIT */
#include "bank/costing.h"

#include <stdio.h>
#include <stdlib.h>

#include "bank/amount.h"
#include "bank/name_ids.h"
#include "bank/price.h"
#include "bank/usage.h"
#include "base/limit.h"
#include "base/mem.h"
#include "books/cluster_rule.h"
#include "facts/changed_runs.h"
#include "record/run_id.h"

/* One call, on its way. */
struct pass {
    const struct costing *costing;
    struct costing_result *result;
    struct cluster_rules rules;
    struct name_ids names;
    struct usage usage;
    enum run_field field; /* by which the runs at hand were found */
};

static const struct {
    const char *kind;
    enum run_field field;
} ways[] = {{"user", RUN_user}, {"project", RUN_project}, {"account", RUN_account}};

/* The cluster a run counts under. */
static struct str cluster_of(const struct pass *pass, const struct run *run)
{
    const struct str none = {0};
    return cluster_rule_apply(&pass->rules, run->cluster, RUN_HAS(run, node) ? run->node : none,
                              RUN_HAS(run, partition) ? run->partition : none);
}

/*
 * Whether a run has ended and draws on the account by the field that it was found by: so each
 * counts once.
 */
static bool is_charged(const struct pass *pass, const struct run *run)
{
    if (!RUN_HAS(run, start) || !RUN_HAS(run, end)) {
        return false;
    }
    const struct ledger_drawn drawn = ledger_drawn_of(run, cluster_of(pass, run));
    const struct ledger_draw_row *row = ledger_draws_find(pass->costing->draws, &drawn);
    bool is = row && ledger_draw_is_of(row, pass->costing->account);
    for (size_t i = 0; is && i < COUNT_OF(ways); i++) {
        is = !str_eq(row->kind, str_of(ways[i].kind)) || ways[i].field == pass->field;
    }
    return is;
}

/* cost x amount / charged, where amount may be below zero. */
static int price_refund(struct costing_refund *refund, int64_t cost, struct error *err)
{
    const int sign = refund->amount < 0 ? -1 : 1;
    int failed = refund->charged > 0 ? amount_scale(cost, sign * refund->amount,
                                                    refund->charged, &refund->cost, err)
                                     : 0;
    refund->cost *= sign;
    refund->has_cost = refund->charged > 0;
    return failed;
}

static int price_refunds(const struct pass *pass, const struct run *run, int64_t cost,
                         struct error *err)
{
    const struct costing *costing = pass->costing;
    struct buf name;
    int failed = 0;
    if (costing->refund_count == 0) {
        return 0;
    }
    buf_init(&name, LIMIT_RUN_ID);
    run_id_print(run, &name);
    for (size_t i = 0; !failed && i < costing->refund_count; i++) {
        if (str_eq(costing->refunds[i].run, buf_str(&name))) {
            failed = price_refund(&costing->refunds[i], cost, err);
        }
    }
    buf_release(&name);
    return failed;
}

static int take_run(struct pass *pass, const struct run *run, struct error *err)
{
    const struct costing *costing = pass->costing;
    const struct str none = {0};
    struct price price;
    struct run counted = *run;
    counted.cluster = cluster_of(pass, run);
    int failed =
        price_of(costing->rates, &counted, run->end, costing->zone, costing->unit, &price, err);
    if (failed || price.outcome == PRICE_UNKNOWN) {
        if (!failed && pass->result->unpriced++ == 0) {
            (void)snprintf(pass->result->why, sizeof(pass->result->why), "%s", price.why);
        }
        return failed;
    }
    failed = price_refunds(pass, run, price.amount, err);
    return failed
               ? failed
               : usage_add(&pass->usage,
                           &(struct usage_charge){
                               costing->account->id, name_ids_id(&pass->names, counted.cluster),
                               name_ids_id(&pass->names, RUN_HAS(run, user) ? run->user : none),
                               run->start, run->end > run->start ? run->end : run->start,
                               price.amount, INT64_MIN},
                           err);
}

static int take_chunk(void *context, const struct table *chunk, struct error *err)
{
    struct pass *pass = context;
    struct run run = {0};
    int failed = 0;
    for (size_t i = 0; !failed && i < chunk->row_count; i++) {
        if (changed_runs_read(&changed_columns_all, chunk, i, &run) && is_charged(pass, &run)) {
            failed = take_run(pass, &run, err);
        }
    }
    return failed;
}

static int read_runs(struct pass *pass, struct error *err)
{
    const struct costing *costing = pass->costing;
    const struct table_sink sink = {pass, take_chunk};
    int failed = 0;
    for (size_t i = 0; !failed && i < costing->draws->count; i++) {
        const struct ledger_draw_row *row = &costing->draws->rows[i];
        for (size_t k = 0; !failed && k < COUNT_OF(ways); k++) {
            if (ledger_draw_is_of(row, costing->account) &&
                str_eq(row->kind, str_of(ways[k].kind))) {
                pass->field = ways[k].field;
                failed =
                    changed_runs_of(costing->facts, ways[k].field, row->name,
                                    costing->account->opened, &changed_columns_all, &sink, err);
            }
        }
    }
    return failed;
}

static int compare_costs(const void *a, const void *b)
{
    const struct ledger_use *x = a, *y = b;
    const int by_cluster = str_compare(x->cluster, y->cluster);
    return by_cluster ? by_cluster : str_compare(x->user, y->user);
}

static struct str cost_name(const struct name_ids *names, int64_t id, struct arena *arena)
{
    for (size_t i = 0; i < names->room; i++) {
        if (names->rows[i].name.ptr && names->rows[i].id == id) {
            return arena_copy(arena, names->rows[i].name);
        }
    }
    return STR("");
}

static int compare_cells(const void *a, const void *b)
{
    const struct packed_cell *x = a, *y = b;
    const int by_cluster = (x->cluster > y->cluster) - (x->cluster < y->cluster);
    return by_cluster ? by_cluster : (x->user > y->user) - (x->user < y->user);
}

/*
 * The cells of the days that are asked for, those of one cluster and user one after the other;
 * freed by the caller.
 */
static struct packed_cell *pick_cells(const struct pass *pass, size_t *count)
{
    const struct costing *costing = pass->costing;
    struct packed_cell *cells = mem_alloc(pass->usage.count + 1, sizeof(*cells));
    *count = 0;
    for (size_t i = 0; i < pass->usage.count; i++) {
        const struct packed_cell cell = usage_cell_of(&pass->usage.cells[i]);
        if (cell.day >= costing->first && cell.day < costing->last) {
            cells[(*count)++] = cell;
        }
    }
    qsort(cells, *count, sizeof(*cells), compare_cells);
    return cells;
}

static int add_up(struct pass *pass, struct error *err)
{
    struct ledger_uses *out = &pass->result->uses;
    size_t count = 0;
    int failed = usage_join(&pass->usage, err);
    struct packed_cell *cells = pick_cells(pass, &count);
    out->rows = mem_alloc(count + 1, sizeof(*out->rows));
    for (size_t i = 0; !failed && i < count; i++) {
        if (i == 0 || compare_cells(&cells[i - 1], &cells[i]) != 0) {
            out->rows[out->count++] =
                (struct ledger_use){cost_name(&pass->names, cells[i].cluster, &out->arena),
                                    cost_name(&pass->names, cells[i].user, &out->arena), 0};
        }
        int64_t *amount = &out->rows[out->count - 1].amount;
        failed = amount_add(*amount, cells[i].amount, amount, err);
    }
    free(cells);
    qsort(out->rows, out->count, sizeof(*out->rows), compare_costs);
    return failed;
}

int costing_run(const struct costing *costing, struct costing_result *out, struct error *err)
{
    struct pass pass = {.costing = costing, .result = out, .usage = {.zone = costing->zone}};
    int failed;
    *out = (struct costing_result){0};
    (void)((failed = books_cluster_rules(costing->books, &pass.rules, err)) ||
           (failed = read_runs(&pass, err)) || (failed = add_up(&pass, err)));
    cluster_rules_release(&pass.rules);
    name_ids_release(&pass.names);
    usage_release(&pass.usage);
    return failed;
}

void costing_result_release(struct costing_result *result)
{
    ledger_uses_release(&result->uses);
}
