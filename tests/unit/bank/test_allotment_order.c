/* SPDX-License-Identifier: MIT */

/* What will expire at the next end, by hand. */

#include "bank/allotment_order.h"
#include "unit/bank/some_bank.h"

enum { ALLOTMENTS = 4, USES = 2 };

struct expiring_row {
    const char *name;

    struct {
        int64_t micro, from, to; /* days; to 0: no end */
        const char *clusters;
        int64_t carry, then;
    } given[ALLOTMENTS];

    struct {
        const char *cluster;
        int64_t in_30_days;
    } uses[USES];

    int64_t held, end, expires; /* on day 100 */
};

/* All on day 100. 30 days from there is day 130. */
static const struct expiring_row expiring_rows[] = {
    {"one, not used", {{42, 0, 130, NULL, 0, 0}}, {{NULL, 0}}, 0, 130, 42},
    {"another that ends later keeps what it has",
     {{42, 0, 130, NULL, 0, 0}, {100, 0, 300, NULL, 0, 0}},
     {{NULL, 0}},
     0,
     130,
     42},
    {"use is taken from the soonest to end",
     {{42, 0, 130, NULL, 0, 0}, {100, 0, 300, NULL, 0, 0}},
     {{"birch", 30}},
     0,
     130,
     12},
    {"all of it is used before its end",
     {{42, 0, 130, NULL, 0, 0}, {100, 0, 300, NULL, 0, 0}},
     {{"birch", 90}},
     0,
     130,
     0},
    {"what is held is taken from it",
     {{42, 0, 130, NULL, 0, 0}, {100, 0, 300, NULL, 0, 0}},
     {{"birch", 30}},
     5,
     130,
     7},
    {"more is held than it has",
     {{42, 0, 130, NULL, 0, 0}, {100, 0, 300, NULL, 0, 0}},
     {{NULL, 0}},
     60,
     130,
     0},
    {"two end at once",
     {{42, 0, 130, NULL, 0, 0}, {8, 0, 130, NULL, 0, 0}, {100, 0, 300, NULL, 0, 0}},
     {{"birch", 45}},
     0,
     130,
     5},
    {"use elsewhere does not draw on it",
     {{42, 0, 130, "birch", 0, 0}, {100, 0, 300, NULL, 0, 0}},
     {{"cedar", 30}},
     0,
     130,
     42},
    {"use on its cluster does",
     {{42, 0, 130, "birch", 0, 0}, {100, 0, 300, NULL, 0, 0}},
     {{"cedar", 30}, {"birch", 12}},
     0,
     130,
     30},
    {"one that begins and ends before takes its part",
     {{10, 110, 120, NULL, 0, 0}, {42, 0, 130, NULL, 0, 0}},
     {{"birch", 30}},
     0,
     130,
     22},
    {"one that ended does not count",
     {{7, 0, 90, NULL, 0, 0}, {42, 0, 130, NULL, 0, 0}},
     {{NULL, 0}},
     0,
     130,
     42},
    {"half is carried over",
     {{42, 0, 130, NULL, 500000, 0}, {100, 0, 300, NULL, 0, 0}},
     {{NULL, 0}},
     0,
     130,
     21},
    {"nothing follows: nothing is carried",
     {{42, 0, 130, NULL, 500000, 0}},
     {{NULL, 0}},
     0,
     130,
     42},
    {"a default allotment will follow",
     {{42, 0, 130, NULL, 500000, 10}},
     {{NULL, 0}},
     0,
     130,
     21},
    {"nothing ends", {{42, 0, 0, NULL, 0, 0}}, {{"birch", 30}}, 0, 0, 0},
    {"what was taken back is no use", {{42, 0, 130, NULL, 0, 0}}, {{"birch", -30}}, 0, 130, 42},
};

static void what_expires_is_of_the_next_end_alone(void **state)
{
    const struct expiring_row *row = *state;
    struct ledger_allotment rows[ALLOTMENTS];
    struct ledger_allotments list = {.rows = rows};
    struct draw_day uses[USES];
    size_t use_count = 0;
    int64_t end, expires;
    struct error err = {0};
    for (; list.count < ALLOTMENTS && row->given[list.count].micro > 0; list.count++) {
        const size_t i = list.count;
        rows[i] = (struct ledger_allotment){
            .id = (int64_t)i + 1,
            .account = 7,
            .from = DAY(row->given[i].from),
            .to = row->given[i].to ? DAY(row->given[i].to) : INSTANT_MAX,
            .clusters = str_of(row->given[i].clusters),
            .carry = row->given[i].carry,
            .then = row->given[i].then,
            .granted = row->given[i].micro + 1000, /* which was used */
            .balance = row->given[i].micro};
    }
    for (; use_count < USES && row->uses[use_count].cluster; use_count++) {
        uses[use_count] = (struct draw_day){.cluster = str_of(row->uses[use_count].cluster),
                                            .amount = row->uses[use_count].in_30_days};
    }
    expect_int(draw_expiring(&list, 7, uses, use_count, DAY(30), row->held, DAY(100), &end,
                             &expires, &err),
               0);
    expect_int(end, row->end ? DAY(row->end) : INSTANT_MAX);
    expect_int(expires, row->expires);
    expect_int(
        draw_expiring(&list, 8, uses, use_count, DAY(30), 0, DAY(100), &end, &expires, &err),
        0);
    expect_int(end, INSTANT_MAX); /* another account has none of them */
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, what_expires_is_of_the_next_end_alone, expiring_rows);
    return suite_run(&suite, "draw");
}
