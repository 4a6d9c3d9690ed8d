/* SPDX-License-Identifier: MIT */
#include "bank/price.h"

#include <stdio.h>

#include "unit/bank/some_bank.h"

#define HOURS(n) ((n)*HOUR_US)

/* 2025-03-03T08:00Z, a Monday. */
#define MONDAY (INT64_C(1740988800) * SECOND_US)

/* A run of 4 cpus, 8 GiB, 2 nodes, 3 hours, an hour of which it was suspended. */
static struct run a_run(void)
{
    struct run run = {0};
    RUN_SET(&run, cluster, STR("birch"));
    RUN_SET(&run, job, 1);
    RUN_SET(&run, partition, STR("long"));
    RUN_SET(&run, start, MONDAY);
    RUN_SET(&run, end, MONDAY + HOURS(3));
    RUN_SET(&run, suspended_us, HOURS(1));
    RUN_SET(&run, cpus, 4);
    RUN_SET(&run, mem_bytes, INT64_C(8) << 30);
    RUN_SET(&run, node_count, 2);
    RUN_SET(&run, billing, 7);
    RUN_SET(&run, class, STR("completed"));
    RUN_SET(&run, account, STR("ind-acme"));
    RUN_SET(&run, energy_mj, INT64_C(5400000000)); /* 1.5 kWh */
    RUN_SET(&run, resources, STR("gres/shard=3,license/matlab=2"));
    return run;
}

struct price_row {
    const char *name;
    const char *rates; /* of the kind, with ; between them */
    const char *want;  /* what it costs, or why not */
};

static const struct price_row price_rows[] = {
    {"a cpu hour an SU: 4 x 2 h", "name=a|cpu=1", "8"},
    {"memory: 8 GiB x 2 h x 0.25", "name=a|mem=0.25", "4"},
    {"the sum of 8, 4 and 2 x 2 h x 10", "name=a|cpu=1|mem=0.25|node=10", "52"},
    {"the largest of 8, 4 and 40", "name=a|how=max|cpu=1|mem=0.25|node=10", "40"},
    {"as recorded: 7 x 2 h", "name=a|how=recorded", "14"},
    {"as recorded, with a factor", "name=a|how=recorded|factor=0.5", "7"},
    {"a factor of 0 is free of charge, and a price", "name=a|cpu=1|factor=0", "0"},
    {"at least", "name=a|cpu=1|least=8.000001", "8.000001"},
    {"energy: 1.5 kWh, however long", "name=a|kwh=0.3", "0.45"},
    {"cpus and energy", "name=a|cpu=1|kwh=0.3", "8.45"},
    {"a licence: 2 x 2 h x 0.5", "name=a|resources=license/matlab=0.5", "2"},
    {"cpus, shards and licences", "name=a|cpu=1|resources=gres/shard=0.1,license/matlab=2",
     "16.6"},
    {"the largest of 8 and 6 x 10", "name=a|cpu=1|how=max|resources=gres/shard=10", "60"},
    {"a resource that it did not have", "name=a|cpu=1|resources=license/abaqus=9", "8"},
    {"nothing but that", "name=a|resources=license/abaqus=9", "0"},
    {"a name that begins like another", "name=a|resources=license/mat=9", "0"},
    {"a customer", "name=a|cpu=1;name=b|cpu=5|account=ind-*", "40"},
    {"another customer", "name=a|cpu=1;name=b|cpu=5|account=uni-*", "8"},
    {"a group that was not recorded", "name=a|cpu=1;name=b|cpu=5|group=*", "8"},
    {"a customer on a partition",
     "name=a|cpu=5|account=i*;name=b|cpu=2|account=i*|partition=long", "16"},
    {"a millionth an hour: 8 millionths", "name=a|cpu=0.000001", "0.000008"},
    {"half of a millionth is rounded up", "name=a|cpu=0.000001|factor=0.0625", "0.000001"},
    {"less than half is nothing", "name=a|cpu=0.000001|factor=0.06", "0"},
    {"0.1 x 3 is 0.3", "name=a|cpu=0.1|factor=0.375", "0.3"},
    {"of two that fit the narrower", "name=a|cpu=1;name=b|cpu=2|partition=lo*", "16"},
    {"one for another partition", "name=a|cpu=1;name=b|cpu=2|partition=short", "8"},
    {"of equals the one that began later", "name=a|cpu=1;name=b|cpu=3|from=2025-01-01", "24"},
    {"one that begins later than the run", "name=a|cpu=1;name=a|cpu=3|from=2025-03-04", "8"},
    {"one that is over", "name=a|cpu=1;name=b|cpu=3|partition=*|to=2025-03-02", "8"},
    {"in the morning", "name=a|cpu=1;name=b|cpu=3|hours=6-9", "24"},
    {"not in the night", "name=a|cpu=1;name=b|cpu=3|hours=22-6", "8"},
    {"a night that lasts", "name=a|cpu=1;name=b|cpu=3|hours=22-9", "24"},
    {"not at the weekend", "name=a|cpu=1;name=b|cpu=3|days=sat,sun", "8"},
    {"on a Monday", "name=a|cpu=1;name=b|cpu=3|days=mon", "24"},
    {"other currencies are other prices", "name=a|cpu=1;name=b|cpu=3|unit=EUR|partition=*",
     "8"},
    {"classes that are free", "name=a|cpu=1|free=node_fail, Completed",
     "its rate does not charge runs that ended so"},
    {"other classes", "name=a|cpu=1|free=node_fail,requeued", "8"},
    {"short runs", "name=a|cpu=1|under=7201", "its rate does not charge runs as short as that"},
    {"not as short", "name=a|cpu=1|under=7200", "8"},
    {"no rate", "name=a|cpu=1|cluster=alder", "no rate fits it"},
    {"no rate at all", "", "no rate fits it"},
    {"GPUs that it does not have", "name=a|cpu=1|gpu=100", "8"},
};

static void some_rates_in(struct some_books *some, const char *zone, const char *text,
                          struct rate_list *rates)
{
    struct error err = {0};
    some_open(some, zone);
    for (struct str rest = str_of(text); rest.ptr && rest.len;) {
        char row[256];
        const struct str one = str_cut(&rest, ';');
        (void)snprintf(row, sizeof row, "%.*s", STR_ARG(one));
        some_add(some, "rate", row);
    }
    if (books_rates(some->books, some->zone, rates, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static void some_rates(struct some_books *some, const char *text, struct rate_list *rates)
{
    some_rates_in(some, "UTC", text, rates);
}

static void a_run_costs_what_its_rate_says(void **state)
{
    const struct price_row *row = *state;
    struct some_books some;
    struct rate_list rates;
    struct error err = {0};
    struct price price;
    struct arena arena = {0};
    const struct run run = a_run();
    some_rates(&some, row->rates, &rates);
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_text(price.why ? price.why : amount_print(&arena, price.amount).ptr, row->want);
    expect_true((price.why == NULL) == (price.outcome == PRICE_CHARGED));
    int64_t sum = 0;
    for (size_t i = 0; i < price.line_count; i++) {
        sum += price.lines[i].counts ? price.lines[i].amount : 0;
    }
    expect_int(sum, price.sum);
    arena_release(&arena);
    rate_list_release(&rates);
    some_close(&some);
}

/* At its edges a rate of 3 applies, or no longer does: then that of 1, which is always there. */
struct edge_row {
    const char *name;
    const char *zone;
    const char *when; /* of the rate of 3 */
    int64_t start;    /* in seconds since 1970 */
    bool applies;
};

#define UTC_0303 INT64_C(1740960000) /* 2025-03-03T00:00Z, a Monday */
#define OSLO_0330                                                                              \
    INT64_C(1743289200) /* 2025-03-30T00:00 in Oslo, whose clocks go from 02:00 to 03:00 */
#define OSLO_1026                                                                              \
    INT64_C(1761429600) /* 2025-10-26T00:00 in Oslo, whose clocks go from 03:00 to 02:00 */
#define SECONDS(h, m, s) ((h)*3600 + (m)*60 + (s))

static const struct edge_row edge_rows[] = {
    {"before its last day is over", "UTC", "to=2025-03-02", UTC_0303 - 1, true},
    {"when its last day is over", "UTC", "to=2025-03-02", UTC_0303, false},
    {"before its first day", "UTC", "from=2025-03-03", UTC_0303 - 1, false},
    {"when its first day begins", "UTC", "from=2025-03-03", UTC_0303, true},
    {"before its hours", "UTC", "hours=6-9", UTC_0303 + SECONDS(5, 59, 59), false},
    {"when its hours begin", "UTC", "hours=6-9", UTC_0303 + SECONDS(6, 0, 0), true},
    {"before its hours end", "UTC", "hours=6-9", UTC_0303 + SECONDS(8, 59, 59), true},
    {"when its hours end", "UTC", "hours=6-9", UTC_0303 + SECONDS(9, 0, 0), false},
    {"before its night", "UTC", "hours=22-6", UTC_0303 + SECONDS(21, 59, 59), false},
    {"when its night begins", "UTC", "hours=22-6", UTC_0303 + SECONDS(22, 0, 0), true},
    {"before its night ends", "UTC", "hours=22-6", UTC_0303 + SECONDS(5, 59, 59), true},
    {"when its night ends", "UTC", "hours=22-6", UTC_0303 + SECONDS(6, 0, 0), false},
    {"up to midnight", "UTC", "hours=22-24", UTC_0303 - 1, true},
    {"not at midnight", "UTC", "hours=22-24", UTC_0303, false},
    {"on its day, out of its hours", "UTC", "days=mon|hours=6-9", UTC_0303, false},
    {"in its hours, on another day", "UTC", "days=tue|hours=6-9", UTC_0303 + SECONDS(8, 0, 0),
     false},
    {"in its hours on its day", "UTC", "days=mon|hours=6-9", UTC_0303 + SECONDS(8, 0, 0), true},
    {"a day of its zone", "Europe/Oslo", "days=mon", UTC_0303 - SECONDS(1, 0, 0), true},
    {"which is another one elsewhere", "UTC", "days=mon", UTC_0303 - SECONDS(1, 0, 0), false},
    {"a first day of its zone", "Europe/Oslo", "from=2025-03-30", OSLO_0330, true},
    {"before a first day of its zone", "Europe/Oslo", "from=2025-03-30", OSLO_0330 - 1, false},
    /* 30 March has 23 hours there */
    {"the hour after a jump forward", "Europe/Oslo", "hours=3-4", OSLO_0330 + SECONDS(2, 0, 0),
     true},
    {"the hour that was left out", "Europe/Oslo", "hours=2-3", OSLO_0330 + SECONDS(2, 0, 0),
     false},
    {"in the morning of a short day", "Europe/Oslo", "hours=6-9", OSLO_0330 + SECONDS(5, 0, 0),
     true},
    {"the end of a short day", "Europe/Oslo", "to=2025-03-30", OSLO_0330 + SECONDS(22, 59, 59),
     true},
    {"after a short day", "Europe/Oslo", "to=2025-03-30", OSLO_0330 + SECONDS(23, 0, 0), false},
    /* 26 October has 25 */
    {"an hour that comes twice, first", "Europe/Oslo", "hours=2-3",
     OSLO_1026 + SECONDS(2, 30, 0), true},
    {"an hour that comes twice, then", "Europe/Oslo", "hours=2-3",
     OSLO_1026 + SECONDS(3, 30, 0), true},
    {"after an hour that comes twice", "Europe/Oslo", "hours=2-3", OSLO_1026 + SECONDS(4, 0, 0),
     false},
    {"the end of a long day", "Europe/Oslo", "to=2025-10-26", OSLO_1026 + SECONDS(24, 59, 59),
     true},
    {"after a long day", "Europe/Oslo", "to=2025-10-26", OSLO_1026 + SECONDS(25, 0, 0), false},
};

static void a_rate_applies_from_edge_to_edge(void **state)
{
    const struct edge_row *row = *state;
    struct some_books some;
    struct rate_list rates;
    struct error err = {0};
    struct price price;
    struct run run = a_run();
    char text[128];
    RUN_SET(&run, start, row->start * SECOND_US);
    RUN_SET(&run, end, row->start * SECOND_US + HOURS(3));
    (void)snprintf(text, sizeof(text), "name=a|cpu=1;name=b|cpu=3|partition=*|%s", row->when);
    some_rates_in(&some, row->zone, text, &rates);
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.amount, (row->applies ? 24 : 8) * AMOUNT_ONE);
    rate_list_release(&rates);
    some_close(&some);
}

static void states_are_free_as_classes_are(void **state)
{
    (void)state;
    struct some_books some;
    struct rate_list rates;
    struct error err = {0};
    struct price price;
    struct run run = a_run();
    some_rates(&some, "name=a|cpu=1|free=BOOT_FAIL", &rates);
    RUN_SET(&run, class, STR("node_fail"));
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.outcome, PRICE_CHARGED);
    RUN_SET(&run, state, STR("BOOT_FAIL"));
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.outcome, PRICE_FREE);
    rate_list_release(&rates);
    some_close(&some);
}

static void a_resource_that_was_not_recorded_is_named(void **state)
{
    (void)state;
    struct some_books some;
    struct rate_list rates;
    struct error err = {0};
    struct price price;
    struct run run = a_run();
    some_rates(&some, "name=a|cpu=1|resources=license/matlab=2", &rates);
    RUN_CLEAR(&run, resources);
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.outcome, PRICE_UNKNOWN);
    expect_text(price.why, "how many license/matlab it had was not recorded, for which its "
                           "rate has a price");
    RUN_SET(&run, resources, STR(""));
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.amount, 8 * AMOUNT_ONE);
    RUN_CLEAR(&run, cpus); /* neither what it had nor what it had not */
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.outcome, PRICE_UNKNOWN);
    rate_list_release(&rates);
    some_close(&some);
}

static void gpus_of_a_model_without_a_price_are_not_free(void **state)
{
    (void)state;
    struct some_books some;
    struct rate_list rates;
    struct error err = {0};
    struct price price;
    struct run run = a_run();
    some_rates(&some, "name=a|cpu=1|resources=gres/gpu:a100=10,gres/gpu:h100=20", &rates);
    RUN_SET(&run, gpus, 3);
    RUN_SET(&run, resources, STR("gres/gpu:a100=1,gres/gpu:h100=2"));
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.amount, 108 * AMOUNT_ONE);
    RUN_SET(&run, resources, STR("gres/gpu:a100=1,gres/gpu:v100=2"));
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.outcome, PRICE_UNKNOWN);
    expect_contains(price.why, "GPUs");
    rate_list_release(&rates);
    some_close(&some);
}

static void what_a_run_was_charged_for_a_metagroup_stays(void **state)
{
    (void)state;
    struct some_books some;
    struct rate_list rates;
    struct error err = {0};
    struct price price;
    struct run run = a_run();
    RUN_SET(&run, user, STR("ann"));
    some_rates(&some, "name=a|cpu=1;name=b|cpu=3|metagroup=ind*;name=c|cpu=9|metagroup=uni",
               &rates);
    rate_list_release(&rates);
    some_add(&some, "metagroup", "name=industry");
    some_add(&some, "metagroup", "name=uni");
    some_add(&some, "member", "metagroup=industry|kind=user|name=ann|to=2025-03-03");
    some_add(&some, "member", "metagroup=uni|kind=user|name=ann|from=2025-03-04");
    expect_int(books_rates(some.books, some.zone, &rates, &err), 0);
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.amount, 24 * AMOUNT_ONE);
    const struct rate *kept = price.rate;
    RUN_SET(&run, start, MONDAY + HOURS(24));
    RUN_SET(&run, end, MONDAY + HOURS(27));
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.amount, 72 * AMOUNT_ONE);
    expect_int(price_of_kept(&rates, kept, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.amount, 24 * AMOUNT_ONE);
    RUN_SET(&run, user, STR("bob"));
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.amount, 8 * AMOUNT_ONE);
    rate_list_release(&rates);
    some_close(&some);
}

static void what_is_not_recorded_is_not_free(void **state)
{
    (void)state;
    struct some_books some;
    struct rate_list rates;
    struct error err = {0};
    struct price price;
    struct run run = a_run();
    some_rates(&some, "name=a|cpu=1;name=b|how=recorded|partition=short", &rates);
    RUN_SET(&run, gpus, 2);
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.outcome, PRICE_UNKNOWN);
    expect_contains(price.why, "GPUs");
    run = a_run();
    RUN_CLEAR(&run, cpus);
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.outcome, PRICE_UNKNOWN);
    RUN_SET(&run, partition, STR("short"));
    RUN_CLEAR(&run, billing);
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.outcome, PRICE_UNKNOWN);
    expect_contains(price.why, "was not recorded");
    rate_list_release(&rates);
    some_close(&some);
}

/* Of a run without GPUs whose cpus nobody recorded: "unknown", or what it costs. */
static const char *without_cpus(const char *rate)
{
    static char text[32];
    struct some_books some;
    struct rate_list rates;
    struct error err = {0};
    struct price price;
    struct arena arena = {0};
    struct run run = a_run();
    RUN_CLEAR(&run, cpus);
    RUN_CLEAR(&run, gpus);
    RUN_CLEAR(&run, mem_bytes);
    some_rates(&some, rate, &rates);
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    (void)snprintf(text, sizeof(text), "%s",
                   price.outcome == PRICE_UNKNOWN ? "unknown"
                                                  : amount_print(&arena, price.amount).ptr);
    arena_release(&arena);
    rate_list_release(&rates);
    some_close(&some);
    return text;
}

static void that_a_run_had_no_gpus_does_not_make_it_free(void **state)
{
    (void)state;
    expect_text(without_cpus("name=a|cpu=1"), "unknown");
    expect_text(without_cpus("name=a|cpu=1|gpu=20"), "unknown");
    expect_text(without_cpus("name=a|cpu=1|gpu=20|least=3|mem=0"), "unknown");
    expect_text(without_cpus("name=a|cpu=1|mem=0.25|gpu=20|how=max"), "unknown");
    expect_text(without_cpus("name=a|gpu=20"), "0");
    expect_text(without_cpus("name=a|cpu=0|gpu=20"), "0");
}

static void a_running_run_is_priced_up_to_an_instant(void **state)
{
    (void)state;
    struct some_books some;
    struct rate_list rates;
    struct error err = {0};
    struct price price;
    struct run run = a_run();
    some_rates(&some, "name=a|cpu=1", &rates);
    RUN_CLEAR(&run, end);
    RUN_CLEAR(&run, suspended_us);
    expect_int(price_of(&rates, &run, MONDAY + HOURS(10), some.zone, STR("SU"), &price, &err),
               0);
    expect_int(price.amount, 40 * AMOUNT_ONE);
    rate_list_release(&rates);
    some_close(&some);
}

static void a_century_is_exact_or_refused(void **state)
{
    (void)state;
    struct some_books some;
    struct rate_list rates;
    struct error err = {0};
    struct price price;
    struct run run = a_run();
    some_rates(&some, "name=a|cpu=1;name=b|mem=9000000000000|partition=huge", &rates);
    RUN_SET(&run, start, 0);
    RUN_SET(&run, end, DAY(36525));
    RUN_CLEAR(&run, suspended_us);
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), 0);
    expect_int(price.amount, INT64_C(36525) * 24 * 4 * AMOUNT_ONE);
    RUN_SET(&run, cpus, RUN_CPUS_MAX);
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), ERROR_LIMIT);
    expect_contains(err.text, "the price of the run");
    RUN_SET(&run, partition, STR("huge"));
    RUN_SET(&run, mem_bytes, RUN_AMOUNT_MAX);
    expect_int(price_of(&rates, &run, 0, some.zone, STR("SU"), &price, &err), ERROR_LIMIT);
    rate_list_release(&rates);
    some_close(&some);
}

static const struct price_row bad_rows[] = {
    {"nothing to pay", "name=a", "say what is paid for"},
    {"hours", "name=a|cpu=1|hours=25-3", "hours cannot be '25-3'"},
    {"no hours", "name=a|cpu=1|hours=3-3", "hours cannot be"},
    {"days", "name=a|cpu=1|days=sat,son", "days cannot be"},
};

static void a_rate_that_says_nothing_is_refused(void **state)
{
    const struct price_row *row = *state;
    struct some_books some;
    some_open(&some, "UTC");
    some_refuse(&some, "rate", row->rates, ERROR_USAGE, row->want);
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_run_costs_what_its_rate_says, price_rows);
    SUITE_ROWS(&suite, a_rate_applies_from_edge_to_edge, edge_rows);
    SUITE_TEST(&suite, states_are_free_as_classes_are);
    SUITE_TEST(&suite, what_a_run_was_charged_for_a_metagroup_stays);
    SUITE_TEST(&suite, a_resource_that_was_not_recorded_is_named);
    SUITE_TEST(&suite, gpus_of_a_model_without_a_price_are_not_free);
    SUITE_TEST(&suite, what_is_not_recorded_is_not_free);
    SUITE_TEST(&suite, that_a_run_had_no_gpus_does_not_make_it_free);
    SUITE_TEST(&suite, a_running_run_is_priced_up_to_an_instant);
    SUITE_TEST(&suite, a_century_is_exact_or_refused);
    SUITE_ROWS(&suite, a_rate_that_says_nothing_is_refused, bad_rows);
    return suite_run(&suite, "price");
}
