/* SPDX-License-Identifier: MIT */
#include "bank/draw.h"

#include "bank/amount.h"

/* What a day takes from an allotment. */
static int64_t take(const struct ledger_allotment *allotment, const struct draw_day *day,
                    int64_t left, int64_t drawn)
{
    if (day->start < allotment->from || day->start >= allotment->to ||
        !ledger_allotment_is_for(allotment, day->cluster)) {
        return 0;
    }
    const int64_t has = allotment->granted - drawn;
    return allotment->unlimited || left < has ? left : has > 0 ? has : 0;
}

int draw_share(const struct ledger_allotments *allotments, const struct draw_day *days,
               size_t day_count, int64_t *drawn, int64_t *over, struct error *err)
{
    int failed = 0;
    *over = 0;
    for (size_t i = 0; i < allotments->count; i++) {
        drawn[i] = 0;
    }
    for (size_t d = 0; !failed && d < day_count; d++) {
        int64_t left = days[d].amount;
        for (size_t i = 0; !failed && left > 0 && i < allotments->count; i++) {
            const int64_t taken = take(&allotments->rows[i], &days[d], left, drawn[i]);
            failed = amount_add(drawn[i], taken, &drawn[i], err);
            left -= taken;
        }
        failed = failed ? failed : amount_add(*over, left, over, err);
    }
    return failed;
}
