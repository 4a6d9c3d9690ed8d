/* SPDX-License-Identifier: MIT */
#include "bank/draw.h"

#include "bank/amount.h"

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
static int64_t take(const struct ledger_allotment *allotment, const struct draw_part *part,
                    const struct draw_day *day, int64_t left)
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
        const int64_t taken = take(&allotments->rows[i], &parts[i], day, left);
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
