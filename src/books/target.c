/* SPDX-License-Identifier: MIT */
#include "books/target.h"

#include <stdlib.h>

#include "base/mem.h"
#include "books/books_internal.h"

const char *const target_filter_ids[TARGET_FILTERS] = {
    [TARGET_CLUSTER] = "cluster", [TARGET_USER] = "user",           [TARGET_GROUP] = "group",
    [TARGET_ACCOUNT] = "account", [TARGET_METAGROUP] = "metagroup",
};

int target_check(const struct kind *kind, const struct kind_row *row, struct error *err)
{
    if (kind_cell(kind, row, "per").ptr ||
        (kind_cell(kind, row, "from").ptr && kind_cell(kind, row, "to").ptr)) {
        return 0;
    }
    return error_set(
        err, ERROR_USAGE,
        "set the period of the amount: --per year, quarter or month, or both --from and --to");
}

static void read_target(const struct kind *kind, const struct kind_row *row,
                        const struct zone *zone, struct target *out)
{
    struct str per = kind_cell(kind, row, "per");
    struct error ignored;
    *out = (struct target){
        .name = kind_cell(kind, row, "name"),
        .measure = kind_cell(kind, row, "measure"),
        .amount_micro = kind_micro(kind_cell(kind, row, "amount")),
        .per = BUCKET_NONE,
    };
    if (per.ptr) {
        (void)!bucket_parse(per, &out->per, &ignored);
    }
    for (size_t i = 0; i < TARGET_FILTERS; i++) {
        out->filters[i] = kind_cell(kind, row, target_filter_ids[i]);
    }
    kind_period(kind, row, zone, &out->period.from, &out->period.to);
}

bool target_is_for(const struct target *target, const struct target_question *question)
{
    const struct period period = question->period;
    bool same = str_eq(target->measure, question->measure) && target->period.from < period.to &&
                period.from < target->period.to;
    for (size_t i = 0; same && i < TARGET_FILTERS; i++) {
        same = !target->filters[i].ptr == !question->filters[i].ptr &&
               str_eq(target->filters[i], question->filters[i]);
    }
    return same;
}

int books_all_targets(struct books *books, const struct zone *zone, struct target_list *out,
                      struct error *err)
{
    const struct kind *kind = kind_find(STR("target"));
    struct books_rows rows;
    int failed = books_list(books, kind, &rows, err);
    *out = (struct target_list){.arena = rows.arena}; /* whose text the targets keep */
    rows.arena = (struct arena){0};
    out->rows = mem_alloc(rows.count + 1, sizeof(*out->rows));
    for (size_t i = 0; !failed && i < rows.count; i++) {
        read_target(kind, &rows.rows[i], zone, &out->rows[out->count++]);
    }
    books_rows_release(&rows);
    return failed;
}

int books_targets(struct books *books, const struct zone *zone,
                  const struct target_question *question, struct target_list *out,
                  struct error *err)
{
    int failed = books_all_targets(books, zone, out, err);
    size_t kept = 0;
    for (size_t i = 0; !failed && i < out->count; i++) {
        if (target_is_for(&out->rows[i], question)) {
            out->rows[kept++] = out->rows[i];
        }
    }
    out->count = kept;
    return failed;
}

void target_list_release(struct target_list *list)
{
    free(list->rows);
    arena_release(&list->arena);
    *list = (struct target_list){0};
}

__extension__ typedef __int128 wide;

static int64_t overlap(struct period a, struct period b)
{
    int64_t from = a.from > b.from ? a.from : b.from, to = a.to < b.to ? a.to : b.to;
    return from < to ? to - from : 0;
}

int target_amount(const struct target *target, const struct zone *zone, struct period period,
                  int64_t *micro, bool *any, struct error *err)
{
    struct period common = {
        period.from > target->period.from ? period.from : target->period.from,
        period.to < target->period.to ? period.to : target->period.to,
    };
    int64_t *edges = NULL;
    size_t count = 0;
    *micro = 0;
    *any = common.from < common.to;
    if (!*any) {
        return 0;
    }
    int failed = calendar_edges(target->per == BUCKET_NONE ? target->period : common,
                                target->per, zone, &edges, &count, err);
    wide whole = 0; /* the sum of what whole buckets bring; the rest is rounded once a bucket */
    for (size_t i = 0; !failed && i < count; i++) {
        struct period bucket = {edges[i], edges[i + 1]};
        int64_t length = bucket.to - bucket.from;
        whole += ((wide)target->amount_micro * overlap(bucket, common) + length / 2) / length;
    }
    free(edges);
    if (!failed && whole > INT64_MAX) {
        failed = error_set(err, ERROR_LIMIT, "target '%.*s' is too large for this period",
                           STR_ARG(target->name));
    }
    *micro = failed ? 0 : (int64_t)whole;
    return failed;
}
