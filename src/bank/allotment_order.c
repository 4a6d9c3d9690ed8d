/* SPDX-License-Identifier: MIT */
#include "bank/allotment_order.h"

#include <stdlib.h>

#include "bank/amount.h"
#include "base/mem.h"

static int64_t left_of(const struct ledger_allotment *allotment, const struct draw_part *part)
{
    const wide_int left =
        (wide_int)allotment->granted + allotment->refunded + part->carried_in - part->drawn;
    return left > INT64_MAX ? INT64_MAX : (int64_t)left; /* more than can be drawn */
}

static bool holds(const struct ledger_allotment *allotment, const struct draw_day *day)
{
    return day->start >= allotment->from && day->start < allotment->to &&
           ledger_allotment_is_for(allotment, day->cluster);
}

/* What a day takes from an allotment. */
static int64_t take_from_allotment(const struct ledger_allotment *allotment,
                                   const struct draw_part *part, const struct draw_day *day,
                                   int64_t left)
{
    if (!holds(allotment, day)) {
        return 0;
    }
    const int64_t has = left_of(allotment, part);
    return allotment->unlimited || left < has ? left : has > 0 ? has : 0;
}

/* Whether what is left of `ended` is carried over to `next`. */
static bool follows(const struct ledger_allotment *ended, const struct ledger_allotment *next)
{
    return next->from <= ended->to && ended->to < next->to && !next->unlimited &&
           (!next->clusters.ptr ||
            (ended->clusters.ptr && str_eq(next->clusters, ended->clusters)));
}

static int end_one(const struct ledger_allotments *allotments, size_t index,
                   struct draw_part *parts, struct error *err)
{
    const struct ledger_allotment *ended = &allotments->rows[index];
    struct draw_part *part = &parts[index];
    const int64_t left = left_of(ended, part);
    part->over = true;
    for (size_t i = 0; i < allotments->count && ended->carry > 0 && left > 0; i++) {
        if (i != index && follows(ended, &allotments->rows[i])) {
            part->into = i;
            part->carried = (int64_t)((wide_int)left * ended->carry / AMOUNT_ONE);
            return amount_add(parts[i].carried_in, part->carried, &parts[i].carried_in, err);
        }
    }
    return 0;
}

/* Ends those that are over by an instant, in the order they end, which is that of the list. */
static int end_by(const struct ledger_allotments *allotments, int64_t instant, size_t *next,
                  struct draw_part *parts, struct error *err)
{
    int failed = 0;
    for (; !failed && *next < allotments->count && allotments->rows[*next].to <= instant;
         ++*next) {
        failed = end_one(allotments, *next, parts, err);
    }
    return failed;
}

static int draw_day(const struct ledger_allotments *allotments, const struct draw_day *day,
                    struct draw_part *parts, int64_t *owed, struct error *err)
{
    int64_t left = day->amount;
    int failed = 0;
    for (size_t i = 0; !failed && left < 0 && i < allotments->count; i++) {
        if (holds(&allotments->rows[i], day)) {
            failed = amount_add(parts[i].drawn, left, &parts[i].drawn, err);
            left = 0;
        }
    }
    for (size_t i = 0; !failed && left > 0 && i < allotments->count; i++) {
        const int64_t taken = take_from_allotment(&allotments->rows[i], &parts[i], day, left);
        failed = amount_add(parts[i].drawn, taken, &parts[i].drawn, err);
        left -= taken;
    }
    return failed ? failed : amount_add(*owed, left, owed, err);
}

int draw_share(const struct ledger_allotments *allotments, const struct draw_day *days,
               size_t day_count, int64_t now, struct draw_part *parts, int64_t *owed,
               struct error *err)
{
    size_t next = 0; /* that has not ended */
    int failed = 0;
    *owed = 0;
    for (size_t d = 0; !failed && d < day_count; d++) {
        const int64_t instant = days[d].start < now ? days[d].start : now;
        failed = end_by(allotments, instant, &next, parts, err);
        failed = failed ? failed : draw_day(allotments, &days[d], parts, owed, err);
    }
    return failed ? failed : end_by(allotments, now, &next, parts, err);
}

/* --- what will expire --------------------------------------------------------------------- */

/*
 * Those of an account that are not over, with what is in them now, and the default allotments
 * that will follow them.
 */
static void list_present(const struct ledger_allotments *allotments, int64_t account,
                         int64_t now, struct ledger_allotments *out)
{
    size_t own = 0;
    *out = (struct ledger_allotments){
        .rows = mem_alloc(2 * allotments->count + 1, sizeof(*out->rows))};
    for (size_t i = 0; i < allotments->count; i++) {
        if (allotments->rows[i].account == account && allotments->rows[i].to > now) {
            struct ledger_allotment *row = &out->rows[own++];
            *row = allotments->rows[i];
            row->granted = row->balance;
            row->refunded = 0;
        }
    }
    out->count = own;
    for (size_t i = 0; i < own; i++) {
        if (out->rows[i].then > 0 && out->rows[i].to < INSTANT_MAX) {
            out->rows[out->count++] = (struct ledger_allotment){
                .from = out->rows[i].to, .to = INSTANT_MAX, .clusters = out->rows[i].clusters};
        }
    }
}

/* Takes what is held out of those that hold now. */
static void take_held(struct ledger_allotments *present, int64_t now, int64_t held)
{
    for (size_t i = 0; held > 0 && i < present->count; i++) {
        struct ledger_allotment *allotment = &present->rows[i];
        if (allotment->from <= now && allotment->granted > 0) {
            const int64_t taken = held < allotment->granted ? held : allotment->granted;
            allotment->granted -= taken;
            held -= taken;
        }
    }
}

/*
 * The next instant after `from`, and no later than `end`, at which an allotment begins or ends.
 */
static int64_t next_edge(const struct ledger_allotments *present, int64_t from, int64_t end)
{
    int64_t edge = end;
    for (size_t i = 0; i < present->count; i++) {
        const int64_t edges[] = {present->rows[i].from, present->rows[i].to};
        for (size_t j = 0; j < COUNT_OF(edges); j++) {
            edge = edges[j] > from && edges[j] < edge ? edges[j] : edge;
        }
    }
    return edge;
}

/*
 * What is used from `now` to `end`: between two edges the same allotments hold, so one row for
 * each cluster will do.
 */
static size_t list_ahead(const struct ledger_allotments *present, const struct draw_day *uses,
                         size_t use_count, int64_t span_us, int64_t now, int64_t end,
                         struct draw_day *out)
{
    size_t count = 0;
    for (int64_t from = now, to; from < end; from = to) {
        to = next_edge(present, from, end);
        for (size_t i = 0; i < use_count; i++) {
            const wide_int amount = (wide_int)uses[i].amount * (to - from) / span_us;
            if (amount <= 0) {
                continue; /* more was taken back than used: nothing to go by */
            }
            out[count++] = (struct draw_day){
                .start = from,
                .cluster = uses[i].cluster,
                .amount = amount > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)amount};
        }
    }
    return count;
}

int draw_expiring(const struct ledger_allotments *allotments, int64_t account,
                  const struct draw_day *uses, size_t use_count, int64_t span_us, int64_t held,
                  int64_t now, int64_t *end, int64_t *expires, struct error *err)
{
    struct ledger_allotments present;
    struct draw_day *ahead = NULL;
    struct draw_part *parts = NULL;
    int64_t owed;
    int failed = 0;
    wide_int left = 0;
    *expires = 0;
    *end = INSTANT_MAX;
    list_present(allotments, account, now, &present);
    for (size_t i = 0; i < present.count; i++) {
        if (present.rows[i].from <= now && present.rows[i].to < *end) {
            *end = present.rows[i].to;
        }
    }
    if (*end == INSTANT_MAX) {
        goto out;
    }
    take_held(&present, now, held);
    parts = mem_alloc(present.count, sizeof(*parts));
    ahead = mem_resize(NULL, (2 * present.count + 1) * use_count + 1, sizeof(*ahead));
    const size_t count = list_ahead(&present, uses, use_count, span_us, now, *end, ahead);
    failed = draw_share(&present, ahead, count, *end, parts, &owed, err);
    for (size_t i = 0; !failed && i < present.count; i++) {
        if (present.rows[i].to == *end) {
            left += (wide_int)present.rows[i].granted + parts[i].carried_in - parts[i].drawn -
                    parts[i].carried;
        }
    }
    failed = failed ? failed : amount_of(left > 0 ? left : 0, expires, err);
out:
    free(ahead);
    free(parts);
    free(present.rows);
    return failed;
}
