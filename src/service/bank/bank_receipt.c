/* SPDX-License-Identifier: MIT */

/*
 * stint bank receipt, verify: charges that can be computed again from the scheduler's
 * accounting files alone.
 */

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bank/amount.h"
#include "bank/charges.h"
#include "bank/pins.h"
#include "bank/receipt.h"
#include "base/calendar.h"
#include "base/limit.h"
#include "base/mem.h"
#include "books/chain.h"
#include "facts/changed_runs.h"
#include "facts/facts.h"
#include "ingest/ingest.h"
#include "record/run_id.h"
#include "service/bank/bank.h"
#include "service/core/inputs.h"

/* --- the receipt -------------------------------------------------------------------------- */

/* A receipt on its way out. */
struct making {
    struct bank *bank;
    const struct ledger_account *account;
    struct receipt receipt;
    struct period period;
    size_t rate_room, elsewhere_room;
    struct buf id;
};

/* The period of word 1, or of --from and --to. */
static int read_period(const struct bank *bank, struct period *out)
{
    struct str text;
    if (request_each(bank->request, "word", 1, &text)) {
        return calendar_span(text, bank->zone, bank->now, out, bank->err);
    }
    if (!request_has(bank->request, "from") || !request_has(bank->request, "to")) {
        return error_set(bank->err, ERROR_USAGE,
                         "say which period: stint bank receipt ACCOUNT 2025-06, or --from and "
                         "--to");
    }
    const int failed = bank_instant(bank, "from", false, 0, &out->from);
    return failed ? failed : bank_instant(bank, "to", true, 0, &out->to);
}

/* The lines of a run, from `at` on, as one row. Returns where the next run begins. */
static size_t join_lines(const struct charges *charges, size_t at, struct receipt_run *out)
{
    const struct charges_item *first = &charges->rows[at], *last = first;
    int64_t counted = 0;
    size_t end = at;
    for (; end < charges->count && str_eq(charges->rows[end].run, first->run); end++) {
        last = &charges->rows[end];
        counted += last->counted;
    }
    const bool charged = last->amount > 0 || (last->amount == 0 && last->n == 0);
    *out = (struct receipt_run){.run = last->run,
                                .user = last->user,
                                .cluster = last->cluster,
                                .rate = last->rate,
                                .version = last->version,
                                .epoch = last->epoch,
                                .is_charged = charged,
                                .amount = charged ? last->amount : 0,
                                .counted = counted,
                                .earlier = counted - (charged ? last->counted : 0),
                                .floor = last->is_late ? last->open_from : INT64_MIN};
    return end;
}

static int compare_runs(const void *a, const void *b)
{
    return str_compare(((const struct receipt_run *)a)->run,
                       ((const struct receipt_run *)b)->run);
}

static int add_runs(struct making *making, struct charges *charges)
{
    struct receipt *receipt = &making->receipt;
    int failed = 0;
    receipt->runs = arena_alloc(&receipt->arena, (charges->count + 1) * sizeof(*receipt->runs));
    for (size_t i = 0; !failed && i < charges->count;) {
        struct receipt_run *row = &receipt->runs[receipt->run_count++];
        i = join_lines(charges, i, row);
        failed = amount_add(receipt->total, row->counted, &receipt->total, making->bank->err);
    }
    qsort(receipt->runs, receipt->run_count, sizeof(*receipt->runs), compare_runs);
    return failed;
}

static int add_epoch(struct making *making, int64_t epoch)
{
    struct receipt *receipt = &making->receipt;
    struct books_rows rows;
    for (size_t i = 0; i < receipt->rate_count; i++) {
        if (receipt->rates[i].epoch == epoch) {
            return 0;
        }
    }
    const int failed = books_list_of(making->bank->books, kind_find(STR("rate")), epoch, &rows,
                                     making->bank->err);
    struct receipt_rates *grown =
        arena_alloc(&receipt->arena, (receipt->rate_count + 1) * sizeof(*grown));
    for (size_t i = 0; i < receipt->rate_count; i++) {
        grown[i] = receipt->rates[i];
    }
    struct receipt_rates *rates = &grown[receipt->rate_count++];
    *rates = (struct receipt_rates){.epoch = epoch, .count = rows.count};
    rates->rows = arena_alloc(&receipt->arena, (rows.count + 1) * sizeof(*rates->rows));
    for (size_t i = 0; i < rows.count; i++) {
        rates->rows[i] = rows.rows[i];
        for (size_t c = 0; c < rows.kind->column_count; c++) {
            const struct str cell = rows.rows[i].cells[c];
            rates->rows[i].cells[c] = cell.ptr ? arena_copy(&receipt->arena, cell) : cell;
        }
    }
    receipt->rates = grown;
    books_rows_release(&rows);
    return failed;
}

/* The rates that its charges were made by; the present ones last. */
static int add_rates(struct making *making)
{
    struct pins pins;
    int failed = pins_read(making->bank->books, making->bank->zone, &pins, making->bank->err);
    for (size_t i = 0; !failed && i < making->receipt.run_count; i++) {
        if (making->receipt.runs[i].epoch != pins.epoch) {
            failed = add_epoch(making, making->receipt.runs[i].epoch);
        }
    }
    failed = failed ? failed : add_epoch(making, pins.epoch);
    pins_release(&pins);
    return failed;
}

static void add_draws(struct making *making)
{
    struct receipt *receipt = &making->receipt;
    const struct ledger_draws *draws = &making->bank->draws;
    receipt->draws = arena_alloc(&receipt->arena, (draws->count + 1) * sizeof(*receipt->draws));
    for (size_t i = 0; i < draws->count; i++) {
        if (ledger_draw_is_of(&draws->rows[i], making->account)) {
            receipt->draws[receipt->draw_count++] = draws->rows[i];
        }
    }
}

/*
 * Runs that a draw names and that the account does not pay for: of another account, without a
 * price, not open.
 */
static int take_named(void *context, const struct table *chunk, struct error *err)
{
    struct making *making = context;
    struct receipt *receipt = &making->receipt;
    struct run run = {0};
    (void)err;
    for (size_t i = 0; i < chunk->row_count; i++) {
        if (!changed_runs_read(&changed_columns_all, chunk, i, &run) || !RUN_HAS(&run, start) ||
            !RUN_HAS(&run, end) || run.start >= making->period.to ||
            run.end < making->period.from) {
            continue;
        }
        buf_clear(&making->id);
        run_id_print(&run, &making->id);
        const struct receipt_run key = {.run = buf_str(&making->id)};
        if (receipt->run_count &&
            bsearch(&key, receipt->runs, receipt->run_count, sizeof(key), compare_runs)) {
            continue;
        }
        receipt->elsewhere = mem_grow(receipt->elsewhere, receipt->elsewhere_count,
                                      &making->elsewhere_room, sizeof(*receipt->elsewhere));
        receipt->elsewhere[receipt->elsewhere_count++] =
            arena_copy(&receipt->arena, buf_str(&making->id));
    }
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static int add_elsewhere(struct making *making)
{
    struct bank *bank = making->bank;
    struct receipt *receipt = &making->receipt;
    const struct table_sink sink = {making, take_named};
    struct facts *facts = NULL;
    int failed = session_facts(bank->service->session, FACTS_READ, &facts, bank->err);
    for (size_t i = 0; !failed && i < receipt->draw_count; i++) {
        failed = changed_runs_of(facts, ledger_draw_field(receipt->draws[i].kind),
                                 receipt->draws[i].name, INT64_MIN, &changed_columns_all, &sink,
                                 bank->err);
    }
    if (receipt->elsewhere_count > 1) {
        qsort(receipt->elsewhere, receipt->elsewhere_count, sizeof(*receipt->elsewhere),
              compare_names);
    }
    return failed == ERROR_MISSING ? 0 : failed; /* without a store there are no runs */
}

static int make(struct making *making, struct charges *charges)
{
    struct bank *bank = making->bank;
    struct receipt *receipt = &making->receipt;
    struct chain_link link;
    const struct charges_filter filter = {.account = making->account->id,
                                          .first = bank_day(bank, making->period.from),
                                          .last = bank_day(bank, making->period.to - 1) + 1,
                                          .zone = bank->zone};
    receipt->account = making->account->name;
    receipt->zone_name = str_of(zone_name(bank->zone));
    receipt->first = filter.first;
    receipt->last = filter.last;
    int failed = charges_list(bank->books, &filter, charges, bank->err);
    failed = failed ? failed : chain_last(bank->books, &link, bank->err);
    if (!failed && link.number > 0) {
        receipt->link = link.number;
        receipt->head = arena_copy(&receipt->arena, str_of(link.head));
    }
    failed = failed ? failed : add_runs(making, charges);
    failed = failed ? failed : add_rates(making);
    failed = failed ? failed : books_cluster_rules(bank->books, &receipt->rules, bank->err);
    add_draws(making);
    failed = failed ? failed : add_elsewhere(making);
    buf_init(&bank->answer->document, LIMIT_OUTPUT);
    return failed ? failed : receipt_write(receipt, &bank->answer->document, bank->err);
}

int bank_show_receipt(struct bank *bank)
{
    struct making making = {.bank = bank};
    struct charges charges = {0};
    int failed = bank_account(bank, 0, &making.account);
    failed = failed ? failed : read_period(bank, &making.period);
    if (!failed && !bank_manages(bank, making.account)) {
        failed = error_set(bank->err, ERROR_DENIED,
                           "a receipt names all runs of '%.*s': ask somebody who manages it",
                           STR_ARG(making.account->name));
    }
    buf_init(&making.id, LIMIT_RUN_ID);
    failed = failed ? failed : make(&making, &charges);
    free(making.receipt.elsewhere);
    cluster_rules_release(&making.receipt.rules);
    receipt_release(&making.receipt);
    charges_release(&charges);
    buf_release(&making.id);
    return failed;
}

/* --- verifying ---------------------------------------------------------------------------- */

/* A store of its own for the accounting files, in a folder that is removed. */
struct scratch {
    char folder[4096];
    struct store *store;
    struct facts *facts;
};

static int scratch_open(struct scratch *scratch, struct error *err)
{
    const char *parent = getenv("TMPDIR");
    const struct store_wait wait = {0};
    (void)snprintf(scratch->folder, sizeof(scratch->folder), "%s/stint-verify.XXXXXX",
                   parent && *parent ? parent : "/tmp");
    if (!mkdtemp(scratch->folder)) {
        const char *folder = parent && *parent ? parent : "/tmp";
        scratch->folder[0] = '\0';
        return error_set(err, ERROR_STORE, "cannot make a folder in %s: set TMPDIR to another",
                         folder);
    }
    const int failed = store_open(scratch->folder, FACTS_WRITE, &wait, &scratch->store, err);
    return failed ? failed
                  : facts_open(scratch->store, FACTS_WRITE, NULL, &scratch->facts, err);
}

static void scratch_close(struct scratch *scratch)
{
    facts_close(scratch->facts);
    store_close(scratch->store);
    DIR *dir = scratch->folder[0] ? opendir(scratch->folder) : NULL;
    if (!dir) {
        return;
    }
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        (void)unlinkat(dirfd(dir), entry->d_name, 0);
    }
    (void)closedir(dir);
    (void)rmdir(scratch->folder);
}

/*
 * The cluster of all runs of the receipt, by their names; the null string if they are of
 * several.
 */
static struct str only_cluster(const struct receipt *receipt)
{
    struct str only = {0};
    for (size_t i = 0; i < receipt->run_count; i++) {
        struct str rest = receipt->runs[i].run;
        const struct str cluster = str_cut(&rest, ':');
        if (only.ptr && !str_eq(only, cluster)) {
            return (struct str){0};
        }
        only = cluster;
    }
    return only;
}

static int read_options(const struct bank *bank, const struct receipt *receipt,
                        struct ingest_options *out, struct buf *map)
{
    struct arena *arena = &bank->answer->table.arena;
    const struct str said = request_text(bank->request, "source"),
                     source =
                         !said.ptr && request_has(bank->request, "map") ? STR("csv") : said,
                     given = request_text(bank->request, "cluster"),
                     cluster = given.ptr ? given : only_cluster(receipt);
    *out = (struct ingest_options){
        .driver = source.ptr ? source_find(source) : NULL,
        .cluster = arena_text(arena, cluster.ptr ? cluster : STR("default")),
        .cluster_of_records = !given.ptr,
        .source = {.zone = bank->service->zone},
        .now = bank->now};
    if (source.ptr && !out->driver) {
        return error_set(bank->err, ERROR_USAGE,
                         "no source is called '%.*s'; see: stint help import", STR_ARG(source));
    }
    if (request_has(bank->request, "map")) {
        const int failed = inputs_read(bank->request, "map", INPUTS_LAST, map, bank->err);
        out->source.map = buf_str(map);
        return failed;
    }
    return 0;
}

static int import_files(struct bank *bank, const struct receipt *receipt, struct facts *facts)
{
    struct arena *arena = &bank->answer->table.arena;
    struct ingest_options options;
    struct buf map;
    struct str name;
    buf_init(&map, LIMIT_MAP);
    int failed = read_options(bank, receipt, &options, &map);
    for (size_t i = 1; !failed && request_each(bank->request, "word", i, &name); i++) {
        struct ingest_summary summary;
        struct input *input = NULL;
        options.path = arena_text(arena, name);
        failed = inputs_open(bank->request, "word", i, &input, bank->err);
        failed = failed ? failed : ingest_input(facts, input, &options, &summary, bank->err);
        input_close(input);
        if (!failed && summary.rejected > 0) {
            answer_note(bank->answer, NOTE_WARNING,
                        "%s: %" PRId64 " records could not be read; the first: %s",
                        options.path, summary.rejected, summary.first_reject.text);
        }
    }
    buf_release(&map);
    return failed;
}

static int take_chunk(void *context, const struct table *chunk, struct error *err)
{
    struct receipt *receipt = context;
    struct run run = {0};
    int failed = 0;
    for (size_t i = 0; !failed && i < chunk->row_count; i++) {
        if (changed_runs_read(&changed_columns_all, chunk, i, &run)) {
            failed = receipt_take_run(receipt, &run, err);
        }
    }
    return failed;
}

static void show_findings(struct bank *bank, const struct receipt *receipt)
{
    struct arena *arena = &bank->answer->table.arena;
    struct table *table = &bank->answer->table;
    int64_t earlier = 0;
    table_column(table, "finding", "Finding", CELL_TEXT, UNIT_NONE, COLUMN_PROSE);
    for (size_t i = 0; i < receipt->finding_count; i++) {
        table_set_text(table, 0, table_row(table), arena_copy(arena, receipt->findings[i]));
    }
    for (size_t i = 0; i < receipt->run_count; i++) {
        earlier += receipt->runs[i].earlier;
    }
    bank->answer->status = receipt->finding_count > 0;
    answer_note(bank->answer, NOTE_RESULT,
                "%zu runs of '%.*s' were computed again: %s SU, the receipt says %s%s",
                receipt->run_count, STR_ARG(receipt->account),
                amount_print(arena, receipt->recomputed).ptr,
                amount_print(arena, receipt->total).ptr,
                receipt->finding_count ? "; what is above differs" : "; nothing differs");
    if (earlier != 0) {
        answer_note(bank->answer, NOTE_READING,
                    "%s SU of that come from records as they were before they were corrected, "
                    "which the accounting files do not have",
                    amount_print(arena, earlier).ptr);
    }
    if (receipt->head.ptr) {
        answer_note(bank->answer, NOTE_READING,
                    "head of the ledger, link %" PRId64 ": %.*s; to look for it in the "
                    "books: stint bank check --head",
                    receipt->link, STR_ARG(receipt->head));
    }
}

int bank_show_verify(struct bank *bank)
{
    struct receipt receipt = {0};
    struct scratch scratch = {0};
    struct buf text;
    struct str ignored;
    if (!request_each(bank->request, "word", 1, &ignored)) {
        return error_set(bank->err, ERROR_USAGE,
                         "say which receipt and accounting files: stint bank verify FILE "
                         "ACCOUNTING...");
    }
    const struct table_sink sink = {&receipt, take_chunk};
    buf_init(&text, LIMIT_BOOKS_FILE);
    int failed = inputs_read(bank->request, "word", 0, &text, bank->err);
    failed = failed ? failed : receipt_read(buf_str(&text), &receipt, bank->err);
    buf_release(&text);
    failed = failed ? failed : scratch_open(&scratch, bank->err);
    failed = failed ? failed : import_files(bank, &receipt, scratch.facts);
    failed = failed ? failed
                    : changed_runs_since(scratch.facts, INT64_MIN, &changed_columns_all, &sink,
                                         bank->err);
    if (!failed) {
        receipt_finish(&receipt);
        show_findings(bank, &receipt);
    }
    scratch_close(&scratch);
    receipt_release(&receipt);
    return failed;
}
