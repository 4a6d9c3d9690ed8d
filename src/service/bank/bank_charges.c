/* SPDX-License-Identifier: MIT */

/* stint bank charges: what runs were charged, line by line, and by which rates. */

#include <stdlib.h>

#include "bank/charges.h"
#include "bank/name_ids.h"
#include "bank/pins.h"
#include "bank/price.h"
#include "base/limit.h"
#include "base/mem.h"
#include "facts/changed_runs.h"
#include "record/run_id.h"
#include "service/bank/bank.h"
#include "service/bank/beside.h"

enum charge_column {
    RUN_C,
    KIND_C,
    ACCOUNT_C,
    CLUSTER_C,
    USER_C,
    START_C,
    END_C,
    RATE_C,
    VERSION_C,
    QUANTITY_C,
    AMOUNT_C,
    COUNTED_C,
    AT_C,
    WHO_C,
    WHY_C,
    CORRECTS_C,
};

static const struct heading headings[] = {
    [RUN_C] = {"run", "Run", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [KIND_C] = {"kind", "Kind", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [CLUSTER_C] = {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [USER_C] = {"user", "User", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [START_C] = {"start", "Start", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [END_C] = {"end", "End", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [RATE_C] = {"rate", "Rate", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [VERSION_C] = {"version", "Version", CELL_INT, UNIT_COUNT, COLUMN_BESIDE},
    [QUANTITY_C] = {"quantity", "Quantity", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [AMOUNT_C] = {"amount", "Amount", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [COUNTED_C] = {"in_period", "In period", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [AT_C] = {"at", "Posted", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [WHO_C] = {"who", "Who", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [WHY_C] = {"why", "Why", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [CORRECTS_C] = {"corrects", "Corrects", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

/* --- quantities --------------------------------------------------------------------------- */

/*
 * What a charge was for is in the record of its run. It is shown with the last line of the run,
 * if the rates of that line give just that amount for the record as it is now; of what was
 * taken back it is not known any more.
 */
struct quantities {
    struct bank *bank;
    const struct charges *charges;
    struct name_ids runs;
    size_t *last; /* index of the last line of a run, by its number in `runs` */
    struct pins pins;
    struct buf id;
};

static void add_quantities(struct table *table, size_t row, const struct price *price)
{
    const char *text = "";
    for (size_t i = 0; i < price->line_count; i++) {
        const struct price_line *line = &price->lines[i];
        const bool bytes = str_eq(str_of(line->what), STR("mem"));
        const int64_t quantity = bytes ? line->quantity >> 20 : line->quantity;
        if (!line->counts || line->quantity <= 0) {
            continue;
        }
        if (line->is_energy) {
            text = arena_printf(&table->arena, "%s%s%.4g kWh", text, *text ? ", " : "",
                                (double)line->quantity / (double)HOUR_US);
        } else {
            text = arena_printf(&table->arena, "%s%s%lld %s%s", text, *text ? ", " : "",
                                (long long)quantity, bytes ? "MiB " : "", line->what);
        }
    }
    if (*text) {
        table_set_text(table, QUANTITY_C, row, str_of(text));
    }
}

static int take_run(struct quantities *q, const struct run *run, struct error *err)
{
    struct price price;
    struct error ignored = {0};
    const struct rate_list *rates;
    buf_clear(&q->id);
    run_id_print(run, &q->id);
    if (!name_ids_has(&q->runs, buf_str(&q->id))) {
        return 0;
    }
    const size_t row = q->last[name_ids_id(&q->runs, buf_str(&q->id))];
    const struct charges_item *item = &q->charges->rows[row];
    const int failed = pins_rates(&q->pins, item->epoch, &rates, err);
    if (!failed && item->amount > 0 && RUN_HAS(run, end) &&
        price_of_kept(rates, rate_list_find(rates, item->rate_id), run, run->end, q->bank->zone,
                      STR("SU"), &price, &ignored) == 0 &&
        price.amount == item->amount) {
        add_quantities(&q->bank->answer->table, row, &price);
    }
    return failed;
}

static int take_chunk(void *context, const struct table *chunk, struct error *err)
{
    struct quantities *q = context;
    struct run run = {0};
    int failed = 0;
    for (size_t i = 0; !failed && i < chunk->row_count; i++) {
        if (changed_runs_read(&changed_columns_all, chunk, i, &run)) {
            failed = take_run(q, &run, err);
        }
    }
    return failed;
}

/* Those of an account are among the runs that draw on it, those of a job by its number. */
static int read_runs(struct quantities *q, const struct charges_filter *filter, int64_t since,
                     struct facts *facts)
{
    const struct bank *bank = q->bank;
    const struct table_sink sink = {q, take_chunk};
    struct run run = {0};
    struct arena arena = {0};
    int failed = 0;
    for (size_t i = 0; !failed && filter->account && i < bank->draws.count; i++) {
        const struct ledger_draw_row *draw = &bank->draws.rows[i];
        failed = draw->account != filter->account && draw->payer != filter->account
                     ? 0
                     : changed_runs_of(facts, ledger_draw_field(draw->kind), draw->name, since,
                                       &changed_columns_all, &sink, bank->err);
    }
    if (!filter->account && run_id_parse(q->charges->rows[0].run, &arena, &run) &&
        RUN_HAS(&run, job)) {
        failed = changed_runs_of_job(facts, run.job, &sink, bank->err);
    } else if (!filter->account) {
        failed = changed_runs_since(facts, since, &changed_columns_all, &sink, bank->err);
    }
    arena_release(&arena);
    return failed;
}

static int show_quantities(struct bank *bank, const struct charges_filter *filter,
                           const struct charges *charges)
{
    struct quantities q = {.bank = bank, .charges = charges};
    struct facts *facts = NULL;
    int64_t since = INT64_MAX;
    q.last = mem_alloc(charges->count + 1, sizeof(*q.last));
    buf_init(&q.id, LIMIT_RUN_ID);
    for (size_t i = 0; i < charges->count; i++) {
        const int64_t start = charges->rows[i].start;
        q.last[name_ids_id(&q.runs, charges->rows[i].run)] =
            i; /* those of a run are in order */
        since = start < since ? start : since;
    }
    int failed = pins_read(bank->books, bank->zone, &q.pins, bank->err);
    failed =
        failed ? failed : session_facts(bank->service->session, FACTS_READ, &facts, bank->err);
    failed = failed ? failed : read_runs(&q, filter, since, facts);
    pins_release(&q.pins);
    name_ids_release(&q.runs);
    buf_release(&q.id);
    free(q.last);
    return failed == ERROR_MISSING ? 0 : failed; /* charges without facts are shown without */
}

/* --- lines -------------------------------------------------------------------------------- */

static const char *kind_of(const struct charges_item *item)
{
    return item->amount < 0    ? "taken back"
           : item->n > 0       ? "correction"
           : item->amount == 0 ? "free"
                               : "charge";
}

static void add_item(const struct bank *bank, const struct charges_item *item)
{
    struct table *table = &bank->answer->table;
    const struct ledger_account *account = bank_account_of(bank, item->account);
    const size_t row = table_row(table);

    const struct {
        enum charge_column column;
        struct str text;
    } texts[] = {{RUN_C, item->run},         {KIND_C, str_of(kind_of(item))},
                 {ACCOUNT_C, account->name}, {CLUSTER_C, item->cluster},
                 {USER_C, item->user},       {RATE_C, item->rate},
                 {WHO_C, item->who},         {WHY_C, item->why}};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (texts[i].text.ptr) {
            table_set_text(table, texts[i].column, row, texts[i].text);
        }
    }
    table_set_int(table, START_C, row, item->start);
    table_set_int(table, END_C, row, item->end);
    table_set_int(table, AMOUNT_C, row, item->amount);
    table_set_int(table, COUNTED_C, row, item->counted);
    table_set_int(table, AT_C, row, item->at);
    if (item->is_late) {
        const struct civil first = civil_of_days(item->late_first),
                           last = civil_of_days(item->late_last);
        table_set_text(table, CORRECTS_C, row,
                       str_of(arena_printf(
                           &table->arena, "closed %04d-%02d-%02d to %04d-%02d-%02d", first.year,
                           first.month, first.day, last.year, last.month, last.day)));
    }
    if (item->version > 0) {
        table_set_int(table, VERSION_C, row, item->version);
    }
}

/*
 * Takes out the lines of accounts that the caller does not see, and of users that are not
 * theirs where they manage none.
 */
static int leave_visible(const struct bank *bank, struct charges *charges)
{
    const struct caller *caller = bank->service->caller;
    size_t kept = 0;
    for (size_t i = 0; i < charges->count; i++) {
        const struct ledger_account *account = bank_account_of(bank, charges->rows[i].account);
        bool visible = account && bank_manages(bank, account);
        for (size_t k = 0; account && !visible && k < caller->login_count; k++) {
            visible =
                charges->rows[i].user.ptr && str_eq(charges->rows[i].user, caller->logins[k]);
        }
        if (visible) {
            charges->rows[kept++] = charges->rows[i];
        }
    }
    charges->count = kept;
    return 0;
}

/* An account of that name, else a run or a job. */
static int read_filter(const struct bank *bank, struct charges_filter *out)
{
    struct str name;
    int64_t from = 0, to = INSTANT_MAX;
    int failed = bank_word(bank, 0, "the account or job", &name);
    failed = failed ? failed : bank_instant(bank, "from", false, INT64_MIN, &from);
    failed = failed ? failed : bank_instant(bank, "to", true, INSTANT_MAX, &to);
    if (failed) {
        return failed;
    }
    const struct ledger_account *account = ledger_accounts_find(&bank->accounts, name);
    *out = (struct charges_filter){
        .account = account ? account->id : 0,
        .run = account ? (struct str){0} : name,
        .first = request_has(bank->request, "from") ? bank_day(bank, from) : INT32_MIN,
        .last = request_has(bank->request, "to") ? bank_day(bank, to - 1) + 1 : INT32_MAX,
        .zone = bank->zone};
    return 0;
}

int bank_show_charges(struct bank *bank)
{
    struct charges_filter filter;
    struct charges charges = {0};
    struct beside beside;
    static const char *const shown_beside[] = {"amount", "in_period", NULL};
    struct table *table = &bank->answer->table;
    int failed = read_filter(bank, &filter);
    failed = failed ? failed : charges_list(bank->books, &filter, &charges, bank->err);
    failed = failed ? failed : leave_visible(bank, &charges);
    table_columns(table, headings, COUNT_OF(headings));
    beside_columns(bank->service, table, shown_beside, &beside);
    table_exact(table);
    for (size_t i = 0; !failed && i < charges.count; i++) {
        add_item(bank, &charges.rows[i]);
    }
    failed = failed ? failed : beside_fill(&beside, table, bank->err);
    if (!failed && charges.count > 0) {
        failed = show_quantities(bank, &filter, &charges);
    } else if (!failed && filter.run.ptr) {
        failed =
            error_set(bank->err, ERROR_MISSING,
                      "'%.*s' is neither an account of the bank nor a run that was charged "
                      "in the period; see: stint bank balance",
                      STR_ARG(filter.run));
    } else if (!failed) {
        answer_note(bank->answer, NOTE_EMPTY, "nothing was charged");
    }
    charges_release(&charges);
    return failed;
}
