/* SPDX-License-Identifier: MIT */

/* The line of a job's screen about what the bank charged for it. */

#include "bank/amount.h"
#include "bank/charges.h"
#include "bank/ledger.h"
#include "service/core/service.h"
#include "service/jobs/job_screen.h"

/* "8 SU to chem by version 2 of rate cpu, posted ...; 2 SU were refunded" */
static struct str sentence(const struct ledger_charge *charge, const struct charges_item *last,
                           size_t lines, struct arena *arena)
{
    const struct str amount = amount_print(arena, charge->amount),
                     back = amount_print(arena, charge->refunded);
    const char *text =
        arena_printf(arena, "%.*s SU to %.*s", STR_ARG(amount), STR_ARG(charge->account));
    if (last->rate.ptr && last->version > 0) {
        text = arena_printf(arena, "%s by version %lld of the rate %.*s", text,
                            (long long)last->version, STR_ARG(last->rate));
    }
    if (lines > 1) {
        text = arena_printf(arena, "%s, as corrected", text);
    }
    if (charge->refunded > 0) {
        text = arena_printf(arena, "%s; %.*s SU of it were refunded", text, STR_ARG(back));
    }
    return str_of(text);
}

static int read_charge(const struct service *service, struct str run, struct arena *arena,
                       struct str *out, struct error *err)
{
    const struct charges_filter filter = {
        .run = run, .first = INT32_MIN, .last = INT32_MAX, .zone = service->zone};
    struct books *books = NULL;
    struct charges charges = {0};
    struct ledger_charge charge = {0};
    int failed = service_books(service, BOOKS_READ, &books, err);
    failed = failed ? failed : charges_list(books, &filter, &charges, err);
    if (!failed && charges.count > 0) {
        failed = ledger_charge_of(books, run, arena, &charge, err);
        if (!failed) {
            *out = sentence(&charge, &charges.rows[charges.count - 1], charges.count, arena);
        } else if (failed == ERROR_MISSING) { /* what was charged was taken back */
            *out = STR("nothing any more: the charge was taken back, or the run is free");
            failed = 0;
        }
    }
    charges_release(&charges);
    return failed;
}

int job_charged(const struct service *service, const struct table *runs, size_t row,
                struct arena *arena, struct str *out, struct error *err)
{
    const size_t column = job_column(runs, "run_id");
    *out = (struct str){0};
    return table_has(runs, column, row) && books_exist(service->store)
               ? read_charge(service, runs->columns[column].cells[row].text, arena, out, err)
               : 0;
}
