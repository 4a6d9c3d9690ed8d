/* SPDX-License-Identifier: MIT */
#include "bank/charges.h"

#include <stdlib.h>
#include <string.h>

#include "bank/amount.h"
#include "bank/charge_lines.h"
#include "bank/closings.h"
#include "bank/ledger.h"
#include "bank/pins.h"
#include "bank/statements.h"
#include "bank/usage.h"
#include "base/mem.h"
#include "books/query.h"
#include "record/run_id.h"

static const char CANNOT_READ[] = "cannot read the bank";

/* What numbers of lines stand for, by number. */
struct round {
    int64_t id, at;
    struct str who, why;
};

struct listing {
    struct books *books;
    const struct charges_filter *filter;
    struct charges *out;
    struct pins pins;
    struct usage usage; /* of one line */
    struct closings closings;
    struct str *names;
    size_t name_count;
    struct round *rounds;
    size_t round_count;
    int64_t *accounts; /* that are asked for, by number */
    size_t account_count;
};

static int read_names(struct listing *listing, struct error *err)
{
    size_t room = 0;
    struct query q = query_begin(listing->books, SQL_BANK_NAMES);
    while (query_row(&q)) {
        const size_t id = (size_t)query_int_at(&q, 0);
        while (listing->name_count <= id) {
            listing->names =
                mem_grow(listing->names, listing->name_count, &room, sizeof(*listing->names));
            listing->names[listing->name_count++] = (struct str){0};
        }
        listing->names[id] = query_text_at(&q, 1, &listing->out->arena);
    }
    return query_finish(&q, CANNOT_READ, err);
}

static int read_rounds(struct listing *listing, struct error *err)
{
    size_t room = 0;
    struct query q = query_begin(listing->books, SQL_BANK_ROUNDS);
    while (query_row(&q)) {
        struct arena *arena = &listing->out->arena;
        listing->rounds =
            mem_grow(listing->rounds, listing->round_count, &room, sizeof(*listing->rounds));
        listing->rounds[listing->round_count++] =
            (struct round){query_int_at(&q, 0), query_int_at(&q, 1),
                           query_text_at(&q, 2, arena), query_text_at(&q, 3, arena)};
    }
    return query_finish(&q, CANNOT_READ, err);
}

static int compare_rounds(const void *a, const void *b)
{
    const struct round *x = a, *y = b;
    return x->id != y->id ? (x->id < y->id ? -1 : 1) : 0;
}

static struct str charge_name(const struct listing *listing, int64_t id)
{
    return id > 0 && (size_t)id < listing->name_count ? listing->names[id] : (struct str){0};
}

/* What of a line lies on the days that are asked for, and whether any of its days does. */
static int count_days(struct listing *listing, const struct packed_line *line,
                      struct charges_item *item, bool *meant, struct error *err)
{
    const struct charges_filter *filter = listing->filter;
    const struct usage_charge charge = {
        line->account,
        line->cluster,
        line->user,
        line->start,
        line->end,
        line->amount ? line->amount : 1, /* so that a line of nothing has days as well */
        closings_floor(&listing->closings, line->account, line->round)};
    item->counted = 0;
    *meant = false;
    listing->usage.count = 0;
    int failed = usage_add(&listing->usage, &charge, err);
    if (listing->usage.late.is) {
        item->is_late = true;
        item->open_from = charge.floor;
        item->late_first = listing->usage.late.first;
        item->late_last = listing->usage.late.last;
    }
    for (size_t i = 0; !failed && i < listing->usage.count; i++) {
        const struct packed_cell cell = usage_cell_of(&listing->usage.cells[i]);
        if (cell.day >= filter->first && cell.day < filter->last) {
            *meant = true;
            failed =
                line->amount ? amount_add(item->counted, cell.amount, &item->counted, err) : 0;
        }
    }
    return failed;
}

static int compare_ids(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The account that is asked for, and those that it pays for. */
static int read_accounts(struct listing *listing, struct error *err)
{
    size_t room = 0;
    struct query q = query_begin(listing->books, SQL_BANK_PAID_FOR);
    query_int(&q, listing->filter->account);
    while (query_row(&q)) {
        listing->accounts = mem_grow(listing->accounts, listing->account_count, &room,
                                     sizeof(*listing->accounts));
        listing->accounts[listing->account_count++] = query_int_at(&q, 0);
    }
    return query_finish(&q, CANNOT_READ, err);
}

static bool is_of(const struct listing *listing, int64_t account)
{
    return bsearch(&account, listing->accounts, listing->account_count, sizeof(account),
                   compare_ids) != NULL;
}

static int take_charge_line(void *context, const struct packed_line *line, struct error *err)
{
    struct listing *listing = context;
    const struct charges_filter *filter = listing->filter;
    struct charges *out = listing->out;
    struct charges_item item = {.n = line->n,
                                .account = line->account,
                                .start = line->start,
                                .end = line->end,
                                .amount = line->amount};
    bool meant = false;
    int64_t rate = 0;
    if ((filter->account && !is_of(listing, line->account)) ||
        (filter->run.ptr && !ledger_run_is_meant(filter->run, line->run))) {
        return 0;
    }
    int failed = count_days(listing, line, &item, &meant, err);
    if (failed || !meant) {
        return failed;
    }
    failed = pins_of(&listing->pins, line, &rate, &item.epoch, err);
    item.rate_id = rate;
    failed = failed ? failed
                    : pins_version(&listing->pins, item.epoch, rate, &out->arena, &item.rate,
                                   &item.version, err);
    const struct round key = {.id = line->round};
    const struct round *round =
        listing->round_count
            ? bsearch(&key, listing->rounds, listing->round_count, sizeof(key), compare_rounds)
            : NULL;
    if (round) {
        item.at = round->at;
        item.who = round->who;
        item.why = round->why;
    }
    item.run = arena_copy(&out->arena, line->run);
    item.cluster = charge_name(listing, line->cluster);
    item.user = charge_name(listing, line->user);
    out->rows = mem_grow(out->rows, out->count, &out->room, sizeof(*out->rows));
    out->rows[out->count++] = item;
    return failed;
}

static int compare_items(const void *a, const void *b)
{
    const struct charges_item *x = a, *y = b;
    const int by_run = str_compare(x->run, y->run);
    return x->start != y->start && by_run ? (x->start < y->start ? -1 : 1)
           : by_run                       ? by_run
           : x->n < y->n                  ? -1
                                          : 1;
}

/* Of one run, or of any. */
static int list_lines(struct listing *listing, struct error *err)
{
    const struct charge_lines_taker taker = {listing, take_charge_line, NULL};
    struct arena arena = {0};
    struct run run = {0};
    const struct str name = listing->filter->run;
    const int failed = name.ptr && run_id_parse(name, &arena, &run)
                           ? charge_lines_near(listing->books, &run, &taker, err)
                           : charge_lines_each(listing->books, &taker, err);
    arena_release(&arena);
    return failed;
}

int charges_list(struct books *books, const struct charges_filter *filter, struct charges *out,
                 struct error *err)
{
    struct listing listing = {
        .books = books, .filter = filter, .out = out, .usage = {.zone = filter->zone}};
    *out = (struct charges){0};
    int failed = pins_read(books, filter->zone, &listing.pins, err);
    failed = failed ? failed : closings_read(books, &listing.closings, err);
    failed = failed ? failed : read_names(&listing, err);
    failed = failed ? failed : read_rounds(&listing, err);
    failed = failed ? failed : read_accounts(&listing, err);
    failed = failed ? failed : list_lines(&listing, err);
    if (!failed && out->count > 1) {
        qsort(out->rows, out->count, sizeof(*out->rows), compare_items);
    }
    pins_release(&listing.pins);
    usage_release(&listing.usage);
    closings_release(&listing.closings);
    free(listing.names);
    free(listing.rounds);
    free(listing.accounts);
    return failed;
}

void charges_release(struct charges *charges)
{
    free(charges->rows);
    arena_release(&charges->arena);
    *charges = (struct charges){0};
}
