/* SPDX-License-Identifier: MIT */

/*
 * What reservations held and what lay idle, by hand. Times are hours, the period is [0, 20) and now is 30 unless a row says
 * otherwise; answers are lines of "name start cpus held used idle", in cpu hours.
 */
#include "report/queries/reservations.h"

#include <inttypes.h>
#include <stdlib.h>

#include "facts/inventory.h"
#include "support/expect.h"
#include "unit/report/ask.h"

enum { LOOKS_MAX = 6, RUNS_MAX = 4 };

struct reserved_row {
    const char *name;
    const char *looks[LOOKS_MAX]; /* "hour name start end cpus, ...": all there were */
    const char *runs[RUNS_MAX];   /* "start end cpus suspended reservation" */
    int64_t from, to, now;        /* 0: as above */
    const char *pick;             /* reservations */
    const char *want;
};

static const struct reserved_row reserved_rows[] = {
    {.name = "nobody looked", .want = ""},
    /* 16 cpus from 2 to 10, first seen at 3, gone at 11: 16 x 8. */
    {.name = "it holds from its beginning to its end",
     .looks = {"3 lab 2 10 16", "9 lab 2 10 16", "11"},
     .want = "lab 2 16 128 0 128\n"},
    /* 2 cpus x 3 h, of which one suspended, and 4 x 1. Other reservations and none are not meant. */
    {.name = "what runs in it used is not idle",
     .looks = {"3 lab 2 10 16", "11"},
     .runs = {"2 5 2 1 lab", "4 5 4 0 lab", "3 8 16 0 other", "3 8 16 0 -"},
     .want = "lab 2 16 128 8 120\n"},
    /* Runs before and after it are not in it: from 1 to 3 one hour, from 9 to 12 one. */
    {.name = "runs count while it is there",
     .looks = {"3 lab 2 10 16", "11"},
     .runs = {"1 3 2 0 lab", "9 12 4 0 lab"},
     .want = "lab 2 16 128 6 122\n"},
    /* A run that is suspended for half of its time, half of which lies in the reservation. */
    {.name = "of a suspension it gets its share",
     .looks = {"3 lab 2 10 16", "11"},
     .runs = {"8 12 4 2 lab"},
     .want = "lab 2 16 128 4 124\n"},
    {.name = "within the period only",
     .looks = {"3 lab 2 10 16", "11"},
     .runs = {"2 10 2 0 lab"},
     .from = 4,
     .to = 6,
     .want = "lab 2 16 32 4 28\n"},
    {.name = "one that goes on counts up to now",
     .looks = {"3 lab 2 10 16"},
     .now = 5,
     .want = "lab 2 16 48 0 48\n"},
    {.name = "one that is planned holds nothing yet",
     .looks = {"1 lab 2 10 16"},
     .now = 2,
     .want = ""},
    /* 16 cpus from 2 to 5, then 32 from 5 on: 48 + 160. */
    {.name = "one that grew",
     .looks = {"3 lab 2 10 16", "5 lab 2 10 32", "11"},
     .want = "lab 2 32 208 0 208\n"},
    /* Its end was moved from 10 to 7: 16 x 5. */
    {.name = "one that was cut short",
     .looks = {"3 lab 2 10 16", "5 lab 2 7 16", "9"},
     .want = "lab 2 16 80 0 80\n"},
    {.name = "one that was deleted is gone when it is seen no more",
     .looks = {"3 lab 2 10 16", "5"},
     .want = "lab 2 16 48 0 48\n"},
    /* The same name and another beginning is another one. */
    {.name = "one that comes again",
     .looks = {"3 lab 2 4 16", "5 lab 5 6 8", "7"},
     .runs = {"2 3 1 0 lab", "5 6 2 0 lab"},
     .want = "lab 2 16 32 1 31\nlab 5 8 8 2 6\n"},
    /* Looked at with a pause of more than the slack, 9 hours: it was there before and after. */
    {.name = "over a pause in looking",
     .looks = {"3 lab 2 19 16", "14 lab 2 19 16", "20"},
     .want = "lab 2 16 272 0 272\n"},
    {.name = "whose size nobody tells",
     .looks = {"3 lab 2 10 -", "11"},
     .runs = {"2 5 2 0 lab"},
     .want = "lab 2 --- --- 6 ---\n"},
    /* With a flex reservation runs may have more than it: never below nothing. */
    {.name = "more used than held",
     .looks = {"3 lab 2 10 16", "11"},
     .runs = {"2 10 20 0 lab"},
     .want = "lab 2 16 128 160 0\n"},
    {.name = "two, of which one is picked",
     .looks = {"3 lab 2 10 16, class 4 6 8", "11"},
     .pick = "cl*",
     .want = "class 4 8 16 0 16\n"},
};

static struct runs_store store;

static void take_look(const char *text)
{
    struct inventory_item_list list = {0};
    struct inventory_counts counts;
    struct error err = {0};
    struct str rest = str_of(text), hour = str_cut(&rest, ' ');
    while (rest.ptr) {
        struct str words = str_trim(str_cut(&rest, ','));
        struct inventory_item *thing = inventory_item_list_add(&list);
        INVENTORY_ITEM_SET_TEXT(thing, RESERVATION_reservation, str_cut(&words, ' '));
        INVENTORY_ITEM_SET_INT(thing, RESERVATION_start,
                               strtoll(str_cut(&words, ' ').ptr, NULL, 10) * HOUR_US);
        INVENTORY_ITEM_SET_INT(thing, RESERVATION_end,
                               strtoll(str_cut(&words, ' ').ptr, NULL, 10) * HOUR_US);
        if (!str_eq(words, STR("-"))) {
            INVENTORY_ITEM_SET_INT(thing, RESERVATION_cpus, strtoll(words.ptr, NULL, 10));
        }
    }
    if (inventory_see(store.facts, INVENTORY_ITEM_RESERVATION, STR("toy"),
                      strtoll(hour.ptr, NULL, 10) * HOUR_US, 9 * HOUR_US, &list, &counts,
                      &err) != 0) {
        expect_fail("%s", err.text);
    }
    inventory_item_list_release(&list);
}

static void add_run(const char *text)
{
    struct run run = {0};
    struct str rest = str_of(text);
    RUN_SET(&run, start, strtoll(str_cut(&rest, ' ').ptr, NULL, 10) * HOUR_US);
    RUN_SET(&run, end, strtoll(str_cut(&rest, ' ').ptr, NULL, 10) * HOUR_US);
    RUN_SET(&run, cpus, strtoll(str_cut(&rest, ' ').ptr, NULL, 10));
    RUN_SET(&run, suspended_us, strtoll(str_cut(&rest, ' ').ptr, NULL, 10) * HOUR_US);
    if (!str_eq(rest, STR("-"))) {
        RUN_SET(&run, reservation, rest);
    }
    runs_add(&store, &run, 1);
}

static void prepare(const struct reserved_row *row)
{
    const struct runs_texts lists[] = {{row->looks, LOOKS_MAX, take_look},
                                       {row->runs, RUNS_MAX, add_run}};
    runs_stage(&store, lists, COUNT_OF(lists));
}

static void print_hours(const struct table *table, const char *id, size_t row, struct buf *out)
{
    const int64_t value = ask_number(table, id, row);
    const int64_t unit = str_eq(str_of(id), STR("cpus")) ? 1 : HOUR_US;
    if (value == UNKNOWN) {
        buf_addz(out, " ---");
    } else {
        expect_int(value % unit, 0);
        buf_addf(out, " %" PRId64, value / unit);
    }
}

static void print_table(const struct table *table, struct buf *out)
{
    static const char *const ids[] = {"start", "cpus", "cpu_hours_held", "cpu_hours_used",
                                      "cpu_hours_idle"};
    for (size_t row = 0; row < table->row_count; row++) {
        buf_add(out, table->columns[ask_column(table, "reservation")].cells[row].text);
        for (size_t i = 0; i < COUNT_OF(ids); i++) {
            print_hours(table, ids[i], row, out);
        }
        buf_addc(out, '\n');
    }
}

/* The total is the sum of the rows, unknown if one of them is. */
static void expect_total(const struct table *table, const struct table *total, const char *id)
{
    int64_t sum = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        const int64_t value = ask_number(table, id, row);
        sum = value == UNKNOWN || sum == UNKNOWN ? UNKNOWN : sum + value;
    }
    expect_int(ask_number(total, id, 0), table->row_count ? sum : UNKNOWN);
}

static void held_used_and_idle(void **state)
{
    const struct reserved_row *row = *state;
    struct reservations_question question = {
        .period = {row->from * HOUR_US, (row->to ? row->to : 20) * HOUR_US},
        .now = (row->now ? row->now : 30) * HOUR_US,
    };
    struct table table = {0}, total = {0};
    struct error err = {0};
    struct buf got;
    prepare(row);
    if (row->pick && filter_add(&question.filter, &run_fields[RUN_reservation],
                                str_of(row->pick), &err) != 0) {
        expect_fail("%s", err.text);
    }
    if (reservations_ask(store.facts, &question, &table, &err) != 0 ||
        reservations_total(store.facts, &question, &total, &err) != 0) {
        expect_fail("%s", err.text);
    }
    buf_init(&got, 1 << 16);
    buf_addz(&got, "");
    print_table(&table, &got);
    expect_text(got.ptr, row->want);
    expect_total(&table, &total, "cpu_hours_held");
    expect_total(&table, &total, "cpu_hours_used");
    expect_total(&table, &total, "cpu_hours_idle");
    buf_release(&got);
    table_release(&table);
    table_release(&total);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, held_used_and_idle, reserved_rows);
    return runs_suite(&suite, &store, "reserved");
}
