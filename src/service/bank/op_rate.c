/* SPDX-License-Identifier: MIT */

/* stint rate: what runs cost. And rate test: how the price of one came about, line by line. */

#include <stdlib.h>

#include "bank/amount.h"
#include "bank/charge.h"
#include "bank/ledger.h"
#include "bank/price.h"
#include "base/limit.h"
#include "base/scan.h"
#include "facts/changed_runs.h"
#include "record/run_id.h"
#include "service/books/kind_actions.h"
#include "service/core/operations.h"

/* --- test --------------------------------------------------------------------------------- */

struct test {
    struct service *service;
    struct answer *answer;
    struct zone *zone; /* of the bank */
    struct rate_list rates;
    struct str wanted; /* name of a run, or number of a job */
    struct buf id;
};

enum test_column { RUN_C, LINE_C, QUANTITY_C, PRICE_C, HOURS_C, AMOUNT_C, UNIT_C };

static const struct heading headings[] = {
    [RUN_C] = {"run", "Run", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [LINE_C] = {"line", "Line", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [QUANTITY_C] = {"quantity", "Quantity", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [PRICE_C] = {"price", "Price", CELL_INT, UNIT_SU, COLUMN_BESIDE},
    [HOURS_C] = {"hours", "Hours", CELL_INT, UNIT_HOURS, COLUMN_BESIDE},
    [AMOUNT_C] = {"amount", "Amount", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [UNIT_C] = {"unit", "Unit", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

static size_t add_test_row(const struct test *test, const char *line)
{
    struct table *table = &test->answer->table;
    const size_t row = table_row(table);
    table_set_text(table, RUN_C, row, buf_str(&test->id));
    table_set_text(table, LINE_C, row, str_of(line));
    return row;
}

static void add_amount(const struct test *test, const char *line, const struct price *price,
                       int64_t amount)
{
    struct table *table = &test->answer->table;
    const size_t row = add_test_row(test, line);
    table_set_int(table, AMOUNT_C, row, amount);
    table_set_text(table, UNIT_C, row, price->rate->unit);
}

static void add_line(const struct test *test, const struct price *price,
                     const struct price_line *line)
{
    struct table *table = &test->answer->table;
    const size_t row = add_test_row(test, line->what);
    const bool memory = str_eq(str_of(line->what), STR("mem"));
    const char *quantity =
        !line->recorded ? "not recorded"
        : line->is_energy
            ? arena_printf(&table->arena, "%.4g kWh", (double)line->quantity / (double)HOUR_US)
        : memory ? arena_printf(&table->arena, "%.4g GiB",
                                (double)line->quantity / (double)(INT64_C(1) << 30))
                 : arena_printf(&table->arena, "%lld", (long long)line->quantity);
    table_set_text(table, QUANTITY_C, row, str_of(quantity));
    table_set_int(table, PRICE_C, row, line->weight);
    if (!line->is_energy) {
        table_set_int(table, HOURS_C, row, price->wall_us);
    }
    if (line->recorded) {
        table_set_int(table, AMOUNT_C, row, line->amount);
        table_set_text(table, UNIT_C, row, price->rate->unit);
    }
}

static void add_price(const struct test *test, const struct price *price)
{
    struct arena *arena = &test->answer->table.arena;
    if (price->rate) {
        const size_t row = add_test_row(test, "rate");
        table_set_text(&test->answer->table, QUANTITY_C, row, price->rate->name);
    }
    for (size_t i = 0; i < price->line_count; i++) {
        add_line(test, price, &price->lines[i]);
    }
    if (price->outcome != PRICE_CHARGED) {
        const size_t row = add_test_row(
            test, price->outcome == PRICE_FREE ? "not charged" : "cannot be charged");
        table_set_text(&test->answer->table, QUANTITY_C, row, str_of(price->why));
        return;
    }
    if (price->line_count > 1) {
        add_amount(test, price->rate->how == RATE_MAX ? "largest" : "sum", price, price->sum);
    }
    if (price->rate->factor != AMOUNT_ONE) {
        const size_t row = add_test_row(test, "factor");
        table_set_text(&test->answer->table, QUANTITY_C, row,
                       amount_print(arena, price->rate->factor));
    }
    if (price->rate->least > 0) {
        add_amount(test, "at least", price, price->rate->least);
    }
    add_amount(test, "price", price, price->amount);
}

/* Whether the currencies of the rates before `index` have this one already. */
static bool is_new_unit(const struct rate_list *rates, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (str_eq(rates->rows[i].unit, rates->rows[index].unit)) {
            return false;
        }
    }
    return true;
}

static int test_run(struct test *test, const struct run *run, struct error *err)
{
    struct price price;
    int failed = 0;
    for (size_t i = 0; !failed && i < test->rates.count; i++) {
        if (is_new_unit(&test->rates, i)) {
            failed = price_of(&test->rates, run, test->service->now(), test->zone,
                              test->rates.rows[i].unit, &price, err);
            if (!failed) {
                add_price(test, &price);
            }
        }
    }
    return failed;
}

static int take_rate_chunk(void *context, const struct table *chunk, struct error *err)
{
    struct test *test = context;
    struct run run = {0};
    int failed = 0;
    int64_t number;
    for (size_t i = 0; !failed && i < chunk->row_count; i++) {
        (void)changed_runs_read(&changed_columns_all, chunk, i, &run);
        buf_clear(&test->id);
        run_id_print(&run, &test->id);
        if (scan_int(test->wanted, &number) || str_eq(buf_str(&test->id), test->wanted)) {
            failed = test_run(test, &run, err);
        }
    }
    return failed;
}

/* The job's number in what was asked: a run's name, or the number itself. */
static int read_job(struct str text, struct arena *arena, int64_t *job, struct error *err)
{
    struct run run = {0};
    if (scan_int(text, job)) {
        return 0;
    }
    if (!run_id_parse(text, arena, &run) || !RUN_HAS(&run, job)) {
        return error_set(err, ERROR_USAGE,
                         "'%.*s' is neither a job's number nor a run such as birch:4711",
                         STR_ARG(text));
    }
    *job = run.job;
    return 0;
}

/* What the first of the runs that are shown was charged. */
static int note_charged(const struct test *test, struct books *books, struct error *err)
{
    struct ledger_charge charge;
    struct error why = {0};
    struct arena *arena = &test->answer->table.arena;
    const int failed = ledger_charge_of(books, test->answer->table.columns[0].cells[0].text,
                                        arena, &charge, &why);
    if (failed && why.kind != ERROR_MISSING && why.kind != ERROR_USAGE) {
        *err = why;
        return failed;
    }
    if (!failed) {
        answer_note(test->answer, NOTE_READING, "%.*s was charged %s SU to '%.*s'%s%s",
                    STR_ARG(charge.run), amount_print(arena, charge.amount).ptr,
                    STR_ARG(charge.account), charge.refunded ? ", refunded " : "",
                    charge.refunded ? amount_print(arena, charge.refunded).ptr : "");
    }
    return 0;
}

static int run_test(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    struct test test = {.service = service, .answer = answer};
    struct books *books = NULL;
    struct facts *facts;
    int64_t job = 0;
    const struct table_sink sink = {&test, take_rate_chunk};
    if (!request_each(request, "word", 0, &test.wanted)) {
        return error_set(err, ERROR_USAGE, "test needs a job: stint rate test JOB");
    }
    table_columns(&answer->table, headings, COUNT_OF(headings));
    table_exact(&answer->table);
    buf_init(&test.id, LIMIT_RUN_ID);
    int failed;
    (void)((failed = read_job(test.wanted, &answer->table.arena, &job, err)) ||
           (failed = service_books(service, BOOKS_READ, &books, err)) ||
           (failed = charging_zone(books, service->zone, &test.zone, err)) ||
           (failed = books_rates(books, test.zone, &test.rates, err)) ||
           (failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = changed_runs_of_job(facts, job, &sink, err)));
    if (!failed && answer->table.row_count == 0) {
        failed =
            test.rates.count
                ? error_set(err, ERROR_MISSING, "there is no run of job '%.*s'",
                            STR_ARG(test.wanted))
                : error_set(err, ERROR_MISSING, "there is no rate yet; see: stint help rate");
    }
    if (!failed) {
        answer_note(answer, NOTE_READING,
                    "a simulation by the rates of today; what was charged: stint bank charges "
                    "%.*s",
                    STR_ARG(test.wanted));
        failed = note_charged(&test, books, err);
    }
    buf_release(&test.id);
    zone_close(test.zone);
    rate_list_release(&test.rates);
    return failed;
}

/* --- the operation ------------------------------------------------------------------------ */

static int run_rate(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    return str_eq(request_text(request, "action"), STR("test"))
               ? run_test(service, request, answer, err)
               : kind_actions_run(service, request, answer, err);
}

static const struct operation_action actions[] = {
    ENTRY_ACTIONS(RIGHT_OWN, RIGHT_MONEY),
    {"test", "simulate the price of a job by the rates of today, line by line", RIGHT_OWN, 0,
     NULL},
};

static const struct param params[] = {ENTRY_PARAMS(ENTRY_ACTION_NAMES " test")};

const struct operation operation_rate = {
    .name = "rate",
    .summary = "manage the prices of runs, and show how a price is computed",
    .description =
        "A rate sets the price of an hour of a cpu, a GPU, a GiB of memory or a node, and of a "
        "kilowatt-hour. It can be limited to accounts, groups, metagroups, clusters, "
        "partitions, "
        "QOS or GPU models, to hours of the day or days of the week at which runs start, and "
        "to a period; "
        "or it takes the billing units recorded "
        "by the scheduler as the price. If several rates match a run at its start, the one "
        "with the most patterns applies; among equals, the one that begins last. Amounts are "
        "rounded half up to a millionth.\n"
        "A rate in a currency (--unit EUR) is a second price next to that in SU. A run with "
        "GPUs is not charged if its rate has no price for GPUs: set --gpu, or --gpu 0 if they "
        "are free.",
    .examples =
        "stint rate add cpu --cpu 1 --mem 0.25 --gpu 20 # for all runs\n"
        "stint rate add night --cpu 0.5 --gpu 10 --hours 22-6 # for runs that start at night\n"
        "stint rate add industry --cpu 4 --gpu 60 -A 'ind-*' # for some accounts\n"
        "stint rate add partners --cpu 4 --gpu 60 --metagroup industry # for its members\n"
        "stint rate add lab --resources gres/shard=2,license/matlab=0.5 # and any other\n"
        "stint rate add slurm --how recorded -M birch # Slurm's billing units\n"
        "stint rate add cpu --cpu 1.2 --gpu 20 --from 2026-01-01 # a new price from then on\n"
        "stint rate test 4711 # what would job 4711 cost by the rates of today, and why?",
    .rights = RIGHT_OWN,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .sets = PARAMS_KIND,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_rate,
};
