/* SPDX-License-Identifier: MIT */

/* The measures `su` and `cost`: the price of every run in SQL is the one that bank/price.h works out, by every rate. */

#include "bank/amount.h"
#include "bank/price.h"
#include "support/chance.h"
#include "unit/bank/some_bank.h"
#include "unit/report/ask.h"

enum { RUNS = 400 };

struct priced {
    struct some_books books;
    struct runs_store store;
    struct rate_list rates;
    struct zone *zone;
    struct run runs[RUNS];
    struct question question;
};

static const char *const rate_rows[] = {
    "name=cpu|cpu=1|mem=0.25|gpu=20",
    "name=odd|cluster=b*|cpu=0.333333|node=1.000001|factor=0.7|least=0.5",
    "name=largest|cluster=c*|how=max|cpu=1|mem=0.3|gpu=7",
    "name=slurm|partition=l*|how=recorded|factor=0.5",
    "name=night|hours=22-6|cpu=0.5|gpu=1|under=600",
    "name=weekend|days=sat,sun|cpu=0.1|gpu=0.2|free=failed,NODE_FAIL",
    "name=later|qos=*|cpu=3|from=2024-06-01",
    "name=bracket|gpu_type=a[1]?|cpu=9|gpu=9",
    "name=money|unit=EUR|cpu=0.03|gpu=0.9",
    "name=more|unit=EUR|cluster=b?rch|cpu=0.05",
    "name=industry|account=c*|group=*|cpu=4|gpu=8|kwh=0.3",
    "name=power|qos=*|partition=*|kwh=250.000001",
    "name=parts|cluster=*|partition=short|cpu=0.5|resources=gres/shard=0.333333,license/m=7",
    ("name=models|cluster=*|partition=long|group=g*|how=max|mem=0.1|"
     "resources=gres/gpu:a=3,x/y=0"),
    "name=licences|unit=EUR|account=*|qos=q*|resources=license/m=0.5,gres/gpu:a=1",
    "name=ind|metagroup=ind*|cluster=*|cpu=11|gpu=3",
    "name=fir|metagroup=startups|cluster=*|cpu=5|gpu=2",
    "name=inside|unit=EUR|metagroup=internal|cpu=0.5|gpu=1",
    "name=staff|unit=EUR|group=b*|cpu=0.01|kwh=0.25",
};

/* Who is in them, and when: a user before an account before a group. */
static const char *const metagroup_rows[] = {"name=industry", "name=startups", "name=internal"};
static const char *const member_rows[] = {
    "metagroup=industry|kind=user|name=ann|from=2024-03-01|to=2025-02-28",
    "metagroup=internal|kind=user|name=ann|from=2025-03-01",
    "metagroup=internal|kind=account|name=climate",
    "metagroup=startups|kind=group|name=bio|to=2024-12-31",
    "metagroup=industry|kind=metagroup|name=startups|from=2024-06-01",
};

/* Of one in seven nobody knows them. */
static void set_resources(struct run *run)
{
    static const char *const some[] = {"",
                                       "gres/shard=3,license/m=2",
                                       "license/m=1",
                                       "gres/gpu:a=1,gres/shard=12,x/y=5",
                                       "gres/gpu:a=46116",
                                       "license/mm=4"};
    const size_t which = (size_t)(run->job % (int64_t)(COUNT_OF(some) + 1));
    if (which < COUNT_OF(some)) {
        RUN_SET(run, resources, str_of(some[which]));
    }
}

static void begin(struct priced *p, uint64_t seed)
{
    struct error err = {0};
    struct chance chance;
    *p = (struct priced){0};
    some_open(&p->books, "Europe/Oslo");
    runs_open(&p->store);
    p->zone = p->books.zone;
    for (size_t i = 0; i < COUNT_OF(rate_rows); i++) {
        some_add(&p->books, "rate", rate_rows[i]);
    }
    for (size_t i = 0; i < COUNT_OF(metagroup_rows); i++) {
        some_add(&p->books, "metagroup", metagroup_rows[i]);
    }
    for (size_t i = 0; i < COUNT_OF(member_rows); i++) {
        some_add(&p->books, "member", member_rows[i]);
    }
    if (books_rates(p->books.books, p->zone, &p->rates, &err) != 0) {
        expect_fail("rates: %s", err.text);
    }
    chance_init(&chance, seed);
    size_t count = 0;
    for (int64_t job = 1; count < RUNS; job++) {
        struct run run = chance_run(&chance, p->zone);
        RUN_SET(&run, job, job);
        set_resources(&run);
        if (run_check(&run, &err) == 0 && RUN_HAS(&run, start) && RUN_HAS(&run, end) &&
            run.end >= run.start) {
            p->runs[count++] = run;
        }
    }
    runs_add(&p->store, p->runs, RUNS);
    p->question = (struct question){.zone = p->zone,
                                    .now = p->books.world.kind.now,
                                    .period = {0, INSTANT_MAX},
                                    .rates = &p->rates,
                                    .rate_zone = p->zone};
}

static void end(struct priced *p)
{
    rate_list_release(&p->rates);
    runs_close(&p->store);
    some_close(&p->books);
}

/* What the pure function says; UNKNOWN where it does not know. */
static int64_t price(const struct priced *p, const struct run *run, struct str unit)
{
    struct price price;
    struct error err = {0};
    if (price_of(&p->rates, run, run->end, p->zone, unit, &price, &err) != 0) {
        expect_fail("job %" PRId64 ": %s", run->job, err.text);
    }
    return price.outcome == PRICE_UNKNOWN ? UNKNOWN : price.amount;
}

static void every_run_costs_in_sql_what_it_costs_in_c(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct priced p;
        struct table table;
        begin(&p, seed);
        ask_measures(&p.question, "su,cost");
        ask_by(&p.question, "job");
        ask(p.store.facts, &p.question, &table);
        expect_uint(table.row_count, RUNS);
        for (size_t row = 0; row < table.row_count; row++) {
            const int64_t job = ask_number(&table, "job", row);
            size_t i = 0;
            while (p.runs[i].job != job) {
                i++;
            }
            expect_int(ask_number(&table, "su", row), price(&p, &p.runs[i], STR("SU")));
            expect_int(ask_number(&table, "cost", row), price(&p, &p.runs[i], STR("EUR")));
        }
        table_release(&table);
        end(&p);
    }
}

static int64_t total(struct priced *p, const char *by, enum bucket bucket)
{
    struct table table;
    int64_t sum = 0;
    p->question.dimension_count = 0;
    if (by) {
        ask_by(&p->question, by);
    }
    p->question.bucket = bucket;
    ask(p->store.facts, &p->question, &table);
    for (size_t row = 0; row < table.row_count; row++) {
        const int64_t value = ask_number(&table, "su", row);
        sum += value == UNKNOWN ? 0 : value;
    }
    table_release(&table);
    return sum;
}

/* Rows and buckets add up to the whole, to the millionth. */
static void prices_are_shared_out_without_a_rest(void **state)
{
    (void)state;
    struct priced p;
    begin(&p, 9);
    int64_t want = 0;
    for (size_t i = 0; i < RUNS; i++) {
        const int64_t one = price(&p, &p.runs[i], STR("SU"));
        want += one == UNKNOWN ? 0 : one;
    }
    p.question.period = ask_period(p.zone, "2023-01-01", "2026-12-31");
    ask_measures(&p.question, "su");
    expect_int(total(&p, NULL, BUCKET_NONE), want);
    expect_int(total(&p, NULL, BUCKET_DAY), want);
    expect_int(total(&p, "cluster,user", BUCKET_MONTH), want);
    expect_int(total(&p, "node", BUCKET_NONE), want);
    expect_int(total(&p, "weekday", BUCKET_NONE), want);
    end(&p);
}

static void without_rates_in_a_currency_an_su_has_its_price(void **state)
{
    (void)state;
    struct priced p;
    struct table table;
    struct error err = {0};
    begin(&p, 4);
    size_t kept = 0;
    for (size_t i = 0; i < p.rates.count; i++) {
        if (str_eq(p.rates.rows[i].unit, STR("SU"))) {
            p.rates.rows[kept++] = p.rates.rows[i];
        }
    }
    p.rates.count = kept;
    p.question.su_price = 23457; /* 0.023457 */
    ask_measures(&p.question, "su,cost");
    ask_by(&p.question, "job");
    ask(p.store.facts, &p.question, &table);
    for (size_t row = 0; row < table.row_count; row++) {
        const int64_t su = ask_number(&table, "su", row);
        int64_t cost = UNKNOWN;
        if (su != UNKNOWN) {
            expect_int(amount_scale(su, p.question.su_price, AMOUNT_ONE, &cost, &err), 0);
        }
        expect_int(ask_number(&table, "cost", row), cost);
    }
    table_release(&table);
    end(&p);
}

static void without_rates_nobody_knows_the_price(void **state)
{
    (void)state;
    struct priced p;
    struct table table;
    begin(&p, 3);
    p.question.rates = NULL;
    ask_measures(&p.question, "su,cost");
    ask(p.store.facts, &p.question, &table);
    expect_int(ask_number(&table, "su", 0), UNKNOWN);
    expect_int(ask_number(&table, "cost", 0), UNKNOWN);
    table_release(&table);
    end(&p);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_run_costs_in_sql_what_it_costs_in_c);
    SUITE_TEST(&suite, prices_are_shared_out_without_a_rest);
    SUITE_TEST(&suite, without_rates_in_a_currency_an_su_has_its_price);
    SUITE_TEST(&suite, without_rates_nobody_knows_the_price);
    return suite_run(&suite, "price_sql");
}
