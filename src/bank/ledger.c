/* SPDX-License-Identifier: MIT */
#include "bank/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "bank/amount.h"
#include "bank/statements.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/zone.h"
#include "books/chain.h"
#include "books/query.h"

static const char CANNOT_READ[] = "cannot read the bank";
static const char CANNOT_CHANGE[] = "cannot change the bank";

/* --- words of the database ---------------------------------------------------------------- */

const char *ledger_kind_name(enum ledger_kind kind)
{
    static const char *const names[LEDGER_KINDS] = {
        [LEDGER_GRANT] = "grant",           [LEDGER_CHARGE] = "charge",
        [LEDGER_REFUND] = "refund",         [LEDGER_TRANSFER] = "transfer",
        [LEDGER_ADJUSTMENT] = "adjustment", [LEDGER_EXPIRY] = "expiry",
        [LEDGER_CARRY_OVER] = "carry-over",
    };
    return names[kind];
}

static const char *overdraft_name(enum ledger_overdraft overdraft)
{
    static const char *const names[OVERDRAFTS] = {
        [OVERDRAFT_NONE] = "none", [OVERDRAFT_AMOUNT] = "amount", [OVERDRAFT_SHARE] = "share"};
    return names[overdraft];
}

static enum ledger_overdraft overdraft_of(struct str name)
{
    unsigned i = 0;
    while (i + 1 < OVERDRAFTS && !str_eq(name, str_of(overdraft_name(i)))) {
        i++;
    }
    return i;
}

enum ledger_kind ledger_kind_of(struct str name)
{
    unsigned i = 0;
    while (i + 1 < LEDGER_KINDS && !str_eq(name, str_of(ledger_kind_name(i)))) {
        i++;
    }
    return i;
}

/* Room for one more row of a list that doubles. */
static void *grow_ledger_rows(void *rows, size_t count, size_t size)
{
    return count && (count & (count - 1)) ? rows
                                          : mem_resize(rows, count ? 2 * count : 1, size);
}

static int last_id(struct books *books, int64_t *id, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_LAST_ID);
    *id = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, CANNOT_CHANGE, err);
}

/* --- accounts ----------------------------------------------------------------------------- */

bool ledger_has_parent(const struct ledger_account *account)
{
    return account->payer != account->id;
}

/* Those of the names from `name` to itself; the null string: all. */
static int list_accounts(struct books *books, struct str name, struct ledger_accounts *out,
                         struct error *err)
{
    *out = (struct ledger_accounts){0};
    struct query q = query_begin(books, SQL_BANK_ACCOUNTS);
    query_text(&q, name.ptr ? name : STR(""));
    if (name.ptr) {
        query_text(&q, name);
    } else {
        query_blob(&q, STR(""));
    }
    while (query_row(&q)) {
        out->rows = grow_ledger_rows(out->rows, out->count, sizeof(*out->rows));
        out->rows[out->count++] = (struct ledger_account){
            .id = query_int_at(&q, 0),
            .name = query_text_at(&q, 1, &out->arena),
            .opened = query_int_at(&q, 2),
            .closed = query_has_at(&q, 3) ? query_int_at(&q, 3) : INSTANT_MAX,
            .overdraft = overdraft_of(query_view_at(&q, 4)),
            .overdraft_micro = query_int_at(&q, 5),
            .held = query_int_at(&q, 6),
            .over_pot = query_int_at(&q, 7),
            .over = query_int_at(&q, 8),
            .over_charged = query_int_at(&q, 9),
            .note = query_text_at(&q, 10, &out->arena),
            .payer = query_int_at(&q, 11),
            .payer_name = query_text_at(&q, 12, &out->arena),
        };
        struct ledger_account *row = &out->rows[out->count - 1];
        row->own_held = ledger_has_parent(row) ? query_int_at(&q, 13) : row->held;
    }
    return query_finish(&q, CANNOT_READ, err);
}

int ledger_accounts_list(struct books *books, struct ledger_accounts *out, struct error *err)
{
    return list_accounts(books, (struct str){0}, out, err);
}

int ledger_accounts_one(struct books *books, int64_t account, struct ledger_accounts *out,
                        struct error *err)
{
    struct arena arena = {0};
    struct query q = query_begin(books, SQL_BANK_ACCOUNT_NAME);
    query_int(&q, account);
    const struct str name = query_row(&q) ? query_text_at(&q, 0, &arena) : STR("");
    int failed = query_finish(&q, CANNOT_READ, err);
    *out = (struct ledger_accounts){0};
    failed = failed ? failed : list_accounts(books, name, out, err);
    arena_release(&arena);
    return failed;
}

void ledger_accounts_release(struct ledger_accounts *accounts)
{
    free(accounts->rows);
    arena_release(&accounts->arena);
    *accounts = (struct ledger_accounts){0};
}

/* Index of the account of a name, or of the first one behind it. */
static size_t place_of_name(const struct ledger_accounts *accounts, struct str name)
{
    size_t first = 0, last = accounts->count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (str_compare(accounts->rows[middle].name, name) < 0) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first;
}

const struct ledger_account *ledger_accounts_find(const struct ledger_accounts *accounts,
                                                  struct str name)
{
    const size_t at = place_of_name(accounts, name);
    return at < accounts->count && str_eq(accounts->rows[at].name, name) ? &accounts->rows[at]
                                                                         : NULL;
}

int ledger_accounts_update(struct books *books, struct str name, struct ledger_accounts *list,
                           struct error *err)
{
    struct ledger_accounts read;
    const size_t at = place_of_name(list, name);
    const bool there = at < list->count && str_eq(list->rows[at].name, name);
    const int failed = list_accounts(books, name, &read, err);
    if (!failed && read.count == 1) {
        if (!there) {
            list->rows = grow_ledger_rows(list->rows, list->count, sizeof(*list->rows));
            memmove(list->rows + at + 1, list->rows + at,
                    (list->count++ - at) * sizeof(*list->rows));
        }
        struct ledger_account *row = &list->rows[at];
        const struct str kept = there ? row->name : arena_copy(&list->arena, name);
        *row = read.rows[0];
        row->name = kept;
        row->payer_name = arena_copy(&list->arena, row->payer_name);
        row->note = row->note.ptr ? arena_copy(&list->arena, row->note) : row->note;
    }
    ledger_accounts_release(&read);
    return failed;
}

int ledger_accounts_get(const struct ledger_accounts *accounts, struct str name,
                        const struct ledger_account **out, struct error *err)
{
    *out = ledger_accounts_find(accounts, name);
    if (*out) {
        return 0;
    }
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < accounts->count; i++) {
        nearest_try(&nearest, accounts->rows[i].name);
    }
    (void)nearest_refuse(&nearest, "account of the bank",
                         "see them all with: stint bank balance", err);
    if (err) {
        err->kind = ERROR_MISSING;
    }
    return ERROR_MISSING;
}

static int add_pot(struct books *books, const char *kind, int64_t account, int64_t allotment,
                   bool limited, int64_t *id, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_POT_ADD);
    query_text(&q, str_of(kind));
    query_int(&q, account);
    if (allotment) {
        query_int(&q, allotment);
    } else {
        query_null(&q);
    }
    query_int(&q, limited);
    query_run(&q);
    int failed = query_finish(&q, CANNOT_CHANGE, err);
    return failed ? failed : last_id(books, id, err);
}

static int has_account(struct books *books, struct str name, bool *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_ACCOUNT_IS_THERE);
    query_text(&q, name);
    *out = query_row(&q);
    return query_finish(&q, CANNOT_READ, err);
}

int ledger_open(struct books *books, struct ledger_account *account, struct error *err)
{
    bool there = false;
    int failed = has_account(books, account->name, &there, err);
    if (!failed && there) {
        failed = error_set(err, ERROR_CONFLICT, "the bank has an account '%.*s' already",
                           STR_ARG(account->name));
    }
    if (failed) {
        return failed;
    }
    struct query q = query_begin(books, SQL_BANK_ACCOUNT_ADD);
    query_text(&q, account->name);
    query_int(&q, account->opened);
    query_text(&q, str_of(overdraft_name(account->overdraft)));
    query_int(&q, account->overdraft_micro);
    query_text(&q, account->note);
    query_run(&q);
    (void)((failed = query_finish(&q, CANNOT_CHANGE, err)) ||
           (failed = last_id(books, &account->id, err)) ||
           (failed = add_pot(books, "over", account->id, 0, false, &account->over_pot, err)) ||
           (failed = chain_note_account(books, "open", account->id, account->note, err)));
    account->payer = account->id;
    account->payer_name = account->name;
    return failed;
}

int ledger_set_parent(struct books *books, struct ledger_account *account,
                      const struct ledger_account *parent, struct str why, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_PARENT_ADD);
    query_int(&q, account->id);
    query_int(&q, parent->id);
    query_run(&q);
    account->payer = parent->id;
    account->payer_name = parent->name;
    const int failed = query_finish(&q, CANNOT_CHANGE, err);
    return failed ? failed : chain_note_account(books, "parent", account->id, why, err);
}

int ledger_set(struct books *books, const struct ledger_account *account, const char *what,
               struct str why, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_ACCOUNT_SET);
    if (account->closed < INSTANT_MAX) {
        query_int(&q, account->closed);
    } else {
        query_null(&q);
    }
    query_text(&q, str_of(overdraft_name(account->overdraft)));
    query_int(&q, account->overdraft_micro);
    query_text(&q, account->note);
    query_int(&q, account->id);
    query_run(&q);
    const int failed = query_finish(&q, CANNOT_CHANGE, err);
    return failed ? failed : chain_note_account(books, what, account->id, why, err);
}

/* --- allotments --------------------------------------------------------------------------- */

static int mark_stays(struct books *books, int64_t allotment, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_STAYS_ADD);
    query_int(&q, allotment);
    query_run(&q);
    return query_finish(&q, CANNOT_CHANGE, err);
}

int ledger_allot(struct books *books, struct ledger_allotment *allotment, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_ALLOTMENT_ADD);
    query_int(&q, allotment->account);
    query_text(&q, allotment->kind);
    query_int(&q, allotment->unlimited);
    query_int(&q, allotment->from);
    query_int(&q, allotment->to);
    query_text(&q, allotment->clusters);
    query_int(&q, allotment->carry);
    query_text(&q, allotment->note);
    query_int(&q, allotment->then);
    query_int(&q, allotment->after);
    query_run(&q);
    int failed;
    (void)((failed = query_finish(&q, CANNOT_CHANGE, err)) ||
           (failed = last_id(books, &allotment->id, err)) ||
           (failed = add_pot(books, "allotment", allotment->account, allotment->id,
                             !allotment->unlimited, &allotment->pot, err)));
    return failed || !allotment->stays ? failed : mark_stays(books, allotment->id, err);
}

int ledger_allotments_list(struct books *books, int64_t account, struct ledger_allotments *out,
                           struct error *err)
{
    *out = (struct ledger_allotments){0};
    struct query q = query_begin(books, SQL_BANK_ALLOTMENTS);
    query_int(&q, account);
    query_int(&q, account ? account : INT64_MAX);
    while (query_row(&q)) {
        out->rows = grow_ledger_rows(out->rows, out->count, sizeof(*out->rows));
        out->rows[out->count++] = (struct ledger_allotment){
            .id = query_int_at(&q, 0),
            .account = query_int_at(&q, 1),
            .kind = query_text_at(&q, 2, &out->arena),
            .unlimited = query_int_at(&q, 3) != 0,
            .from = query_int_at(&q, 4),
            .to = query_int_at(&q, 5),
            .clusters = query_text_at(&q, 6, &out->arena),
            .carry = query_int_at(&q, 7),
            .note = query_text_at(&q, 8, &out->arena),
            .pot = query_int_at(&q, 9),
            .balance = query_int_at(&q, 10),
            .granted = query_int_at(&q, 11),
            .charged = query_int_at(&q, 12),
            .expired = query_int_at(&q, 13),
            .carried = query_int_at(&q, 14),
            .then = query_int_at(&q, 15),
            .refunded = query_int_at(&q, 16),
            .stays = query_int_at(&q, 17) != 0,
        };
    }
    return query_finish(&q, CANNOT_READ, err);
}

/* Index of the first one of an account, or where it would be. */
static size_t first_of(const struct ledger_allotments *allotments, int64_t account)
{
    size_t first = 0, last = allotments->count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (allotments->rows[middle].account < account) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first;
}

int ledger_allotments_update(struct books *books, int64_t account,
                             struct ledger_allotments *list, struct error *err)
{
    struct ledger_allotments read;
    const size_t at = first_of(list, account), end = first_of(list, account + 1);
    const int failed = ledger_allotments_list(books, account, &read, err);
    if (!failed && read.count > 0) {
        for (size_t n = end - at; n < read.count; n++) {
            list->rows = grow_ledger_rows(list->rows, list->count++, sizeof(*list->rows));
        }
        memmove(list->rows + at + read.count, list->rows + end,
                (list->count - at - read.count) * sizeof(*list->rows));
        for (size_t i = 0; i < read.count; i++) {
            struct ledger_allotment *row = &list->rows[at + i];
            *row = read.rows[i];
            row->kind = arena_copy(&list->arena, row->kind);
            row->clusters =
                row->clusters.ptr ? arena_copy(&list->arena, row->clusters) : row->clusters;
            row->note = row->note.ptr ? arena_copy(&list->arena, row->note) : row->note;
        }
    }
    ledger_allotments_release(&read);
    return failed;
}

void ledger_allotments_release(struct ledger_allotments *allotments)
{
    free(allotments->rows);
    arena_release(&allotments->arena);
    *allotments = (struct ledger_allotments){0};
}

bool ledger_allotment_is_for(const struct ledger_allotment *allotment, struct str cluster)
{
    if (!allotment->clusters.ptr) {
        return true;
    }
    for (struct str rest = allotment->clusters; rest.ptr;) {
        if (str_eq(str_cut(&rest, ','), cluster)) {
            return true;
        }
    }
    return false;
}

int ledger_balance(const struct ledger_account *account,
                   const struct ledger_allotments *allotments, int64_t now,
                   struct ledger_balance *out, struct error *err)
{
    wide_int granted = 0, balance = account->over, floor;
    *out = (struct ledger_balance){.held = account->held, .end = INSTANT_MAX};
    for (size_t i = first_of(allotments, account->payer);
         i < allotments->count && allotments->rows[i].account == account->payer; i++) {
        const struct ledger_allotment *allotment = &allotments->rows[i];
        if (allotment->from > now || allotment->to <= now) {
            continue;
        }
        out->unlimited = out->unlimited || allotment->unlimited;
        out->end = allotment->to < out->end ? allotment->to : out->end;
        granted += (wide_int)allotment->granted - allotment->carried;
        balance += allotment->balance;
    }
    floor = account->overdraft == OVERDRAFT_NONE ? 0
            : account->overdraft == OVERDRAFT_AMOUNT
                ? account->overdraft_micro
                : granted * account->overdraft_micro / AMOUNT_ONE;
    int failed;
    (void)((failed = amount_of(granted, &out->granted, err)) ||
           (failed = amount_of(balance, &out->balance, err)) ||
           (failed = amount_of(balance - account->held, &out->free, err)) ||
           (failed = amount_of(floor, &out->floor, err)));
    return failed;
}

/* --- entries ------------------------------------------------------------------------------ */

/* What is there under the key of an entry that was not taken: the same, or something else. */
static int compare_known(struct books *books, const struct ledger_entry *entry,
                         struct error *err)
{
    bool same = false;
    struct query q = query_begin(books, SQL_BANK_ENTRY_OF_KEY);
    query_text(&q, entry->key);
    while (query_row(&q)) {
        same = str_eq(query_view_at(&q, 0), str_of(ledger_kind_name(entry->kind))) &&
               query_int_at(&q, 1) == entry->from && query_int_at(&q, 2) == entry->to &&
               query_int_at(&q, 3) == entry->amount;
    }
    int failed = query_finish(&q, CANNOT_READ, err);
    return failed || same
               ? failed
               : error_set(err, ERROR_CONFLICT,
                           "another entry has the id '%.*s': give this one an id of its own",
                           STR_ARG(entry->key));
}

int ledger_post(struct books *books, const struct ledger_entry *entry,
                enum ledger_outcome *outcome, struct error *err)
{
    *outcome = LEDGER_POSTED;
    if (entry->amount <= 0) {
        return error_set(err, ERROR_USAGE, "an amount must be more than 0");
    }
    struct query q = query_begin(books, SQL_BANK_ENTRY_ADD);
    query_text(&q, entry->key);
    query_text(&q, str_of(ledger_kind_name(entry->kind)));
    query_int(&q, entry->from);
    query_int(&q, entry->to);
    query_int(&q, entry->amount);
    query_int(&q, entry->at);
    query_text(&q, entry->who);
    query_text(&q, entry->why);
    query_text(&q, entry->run);
    query_int(&q, entry->round);
    query_run(&q);
    const bool taken = query_changed(&q) > 0;
    int failed = query_finish(&q, CANNOT_CHANGE, err);
    if (!failed && !taken) {
        *outcome = LEDGER_KNOWN;
        failed = compare_known(books, entry, err);
    }
    return failed;
}

int ledger_entry_find(struct books *books, struct str key, struct ledger_entry *out,
                      bool *found, struct error *err)
{
    *found = false;
    *out = (struct ledger_entry){.key = key};
    struct query q = query_begin(books, SQL_BANK_ENTRY_OF_KEY);
    query_text(&q, key);
    while (query_row(&q)) {
        *found = true;
        out->kind = ledger_kind_of(query_view_at(&q, 0));
        out->from = query_int_at(&q, 1);
        out->to = query_int_at(&q, 2);
        out->amount = query_int_at(&q, 3);
    }
    return query_finish(&q, CANNOT_READ, err);
}

/* The key of bank_state under which an allotment without an entry has its id. */
static struct str allotted_key(struct arena *arena, struct str key)
{
    return str_of(arena_printf(arena, "allotted %.*s", STR_ARG(key)));
}

int ledger_allotted_find(struct books *books, struct str key, struct arena *arena,
                         struct str *out, struct error *err)
{
    *out = (struct str){0};
    struct query q = query_begin(books, SQL_BANK_STATE_GET);
    query_text(&q, allotted_key(arena, key));
    while (query_row(&q)) {
        *out = query_text_at(&q, 0, arena);
    }
    return query_finish(&q, CANNOT_READ, err);
}

int ledger_allotted_add(struct books *books, struct str key, struct arena *arena,
                        struct str account, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_STATE_PUT);
    query_text(&q, allotted_key(arena, key));
    query_text(&q, account);
    query_run(&q);
    return query_finish(&q, CANNOT_CHANGE, err);
}

int ledger_entries_list(struct books *books, int64_t account, int64_t from, int64_t to,
                        struct ledger_entries *out, struct error *err)
{
    *out = (struct ledger_entries){0};
    struct query q = query_begin(books, SQL_BANK_ENTRIES);
    query_int(&q, account);
    query_int(&q, from);
    query_int(&q, to);
    while (query_row(&q)) {
        out->rows = grow_ledger_rows(out->rows, out->count, sizeof(*out->rows));
        out->rows[out->count++] = (struct ledger_entry){
            .id = query_int_at(&q, 0),
            .key = query_text_at(&q, 1, &out->arena),
            .kind = ledger_kind_of(query_view_at(&q, 2)),
            .from = query_int_at(&q, 3),
            .to = query_int_at(&q, 4),
            .amount = query_int_at(&q, 5),
            .at = query_int_at(&q, 6),
            .who = query_text_at(&q, 7, &out->arena),
            .why = query_text_at(&q, 8, &out->arena),
            .run = query_text_at(&q, 9, &out->arena),
            .round = query_int_at(&q, 10),
        };
    }
    return query_finish(&q, CANNOT_READ, err);
}

void ledger_entries_release(struct ledger_entries *entries)
{
    free(entries->rows);
    arena_release(&entries->arena);
    *entries = (struct ledger_entries){0};
}

int ledger_pot_account(struct books *books, int64_t pot, int64_t *account, int64_t *allotment,
                       struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_POT_ACCOUNT);
    query_int(&q, pot);
    const bool found = query_row(&q);
    *account = found ? query_int_at(&q, 0) : 0;
    *allotment = found ? query_int_at(&q, 1) : 0;
    return query_finish(&q, CANNOT_READ, err);
}

/* --- liens -------------------------------------------------------------------------------- */

struct lien {
    int64_t id, n, account, amount;
    bool open;
};

/* The newest of a run; n is -1 where it never had one. */
static int find_lien(struct books *books, struct str run, struct lien *out, struct error *err)
{
    *out = (struct lien){.n = -1};
    struct query q = query_begin(books, SQL_BANK_LIEN_OF_RUN);
    query_text(&q, run);
    while (query_row(&q)) {
        *out = (struct lien){query_int_at(&q, 0), query_int_at(&q, 1), query_int_at(&q, 2),
                             query_int_at(&q, 3), !query_has_at(&q, 4)};
    }
    return query_finish(&q, CANNOT_READ, err);
}

static int end_lien(struct books *books, const struct lien *lien, enum ledger_lien_end how,
                    int64_t amount, int64_t at, struct error *err)
{
    static const char *const names[] = {[LIEN_SETTLED] = "settled", [LIEN_VOIDED] = "voided"};
    struct query q = query_begin(books, SQL_BANK_LIEN_END);
    query_int(&q, lien->id);
    query_text(&q, str_of(names[how]));
    query_int(&q, amount);
    query_int(&q, at);
    query_run(&q);
    return query_finish(&q, CANNOT_CHANGE, err);
}

int ledger_lien_settle(struct books *books, struct str run, enum ledger_lien_end how,
                       int64_t amount, int64_t at, struct error *err)
{
    struct lien lien;
    int failed = find_lien(books, run, &lien, err);
    return failed || !lien.open ? failed : end_lien(books, &lien, how, amount, at, err);
}

int ledger_lien_place(struct books *books, const struct ledger_lien *wanted, struct error *err)
{
    struct lien lien;
    int failed = find_lien(books, wanted->run, &lien, err);
    if (failed ||
        (lien.open && lien.account == wanted->account && lien.amount == wanted->amount)) {
        return failed;
    }
    if (lien.open) {
        failed = end_lien(books, &lien, LIEN_VOIDED, 0, wanted->at, err);
    }
    if (failed || wanted->amount <= 0) {
        return failed;
    }
    struct query q = query_begin(books, SQL_BANK_LIEN_ADD);
    query_text(&q, wanted->run);
    query_int(&q, lien.n + 1);
    query_int(&q, wanted->account);
    query_int(&q, wanted->amount);
    query_int(&q, wanted->at);
    if (wanted->until) {
        query_int(&q, wanted->until);
    } else {
        query_null(&q);
    }
    query_text(&q, wanted->user);
    query_run(&q);
    return query_finish(&q, CANNOT_CHANGE, err);
}

int ledger_liens_time_out(struct books *books, int64_t from, int64_t to, int64_t at,
                          int64_t *count, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_LIENS_TIME_OUT);
    query_int(&q, from);
    query_int(&q, to);
    query_int(&q, at);
    query_run(&q);
    *count = query_changed(&q);
    return query_finish(&q, CANNOT_CHANGE, err);
}
