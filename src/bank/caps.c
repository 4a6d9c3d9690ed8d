/* SPDX-License-Identifier: MIT */
#include "bank/caps.h"

#include <stdlib.h>

#include "bank/amount.h"
#include "base/mem.h"
#include "books/kind.h"

#define EACH STR("*")

/* --- what was decided --------------------------------------------------------------------- */

static int months_of(struct str per)
{
    return str_eq(per, STR("month"))     ? 1
           : str_eq(per, STR("quarter")) ? 3
           : str_eq(per, STR("year"))    ? 12
                                         : 0;
}

int caps_list(struct books *books, const struct zone *zone, int64_t now, struct caps *out,
              struct error *err)
{
    const struct kind *kind = kind_find(STR("cap"));
    struct books_rows rows;
    size_t room = 0;
    *out = (struct caps){0};
    const int failed = books_list(books, kind, &rows, err);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        const struct kind_row *row = &rows.rows[i];
        const struct str amount = kind_cell(kind, row, "amount"),
                         share = kind_cell(kind, row, "share");
        int64_t from, to;
        kind_period(kind, row, zone, &from, &to);
        if (now < from || now >= to) {
            continue;
        }
        out->rows = mem_grow(out->rows, out->count, &room, sizeof(*out->rows));
        out->rows[out->count++] = (struct cap){
            .id = row->id,
            .account = arena_copy(&out->arena, kind_cell(kind, row, "account")),
            .user = arena_copy(&out->arena, kind_cell(kind, row, "user")),
            .amount = amount.ptr ? kind_micro(amount) : -1,
            .share = share.ptr ? kind_micro(share) / 100 : 0,
            .months = months_of(kind_cell(kind, row, "per")),
        };
    }
    books_rows_release(&rows);
    return failed;
}

void caps_release(struct caps *caps)
{
    free(caps->rows);
    arena_release(&caps->arena);
    *caps = (struct caps){0};
}

/* --- what is left ------------------------------------------------------------------------- */

/* What the states of one account are worked out from. */
struct working {
    struct books *books;
    const struct zone *zone;
    int64_t now;
    const struct caps *caps;
    const struct ledger_account *account;
    const struct ledger_allotments *allotments;
    struct ledger_balance balance;
    struct ledger_uses held;
    struct cap_states *out;
    size_t room;
};

static bool is_of(const struct working *w, const struct cap *cap)
{
    return str_eq(cap->account, w->account->name);
}

/* Whether the user has a cap of their own, so that those of '*' do not hold. */
static bool is_named(const struct working *w, struct str user)
{
    for (size_t i = 0; i < w->caps->count; i++) {
        if (is_of(w, &w->caps->rows[i]) && !cap_is_ceiling(&w->caps->rows[i]) &&
            str_eq(w->caps->rows[i].user, user)) {
            return true;
        }
    }
    return false;
}

/* The day on which the period of a cap began. */
static struct civil first_day(const struct working *w, const struct cap *cap)
{
    struct civil day = zone_civil(w->zone, w->now);
    if (cap->months > 0) {
        return (struct civil){
            .year = day.year, .month = day.month - (day.month - 1) % cap->months, .day = 1};
    }
    int64_t from = w->now;
    for (size_t i = 0; i < w->allotments->count; i++) {
        const struct ledger_allotment *row = &w->allotments->rows[i];
        if (row->account == w->account->payer && row->from <= w->now && w->now < row->to &&
            row->from < from) {
            from = row->from;
        }
    }
    day = zone_civil(w->zone, from);
    return (struct civil){.year = day.year, .month = day.month, .day = day.day};
}

static int64_t limit_of(const struct working *w, const struct cap *cap)
{
    if (cap->amount >= 0) {
        return cap->amount;
    }
    return w->balance.unlimited
               ? INT64_MAX
               : (int64_t)((wide_int)w->balance.granted * cap->share / AMOUNT_ONE);
}

static struct cap_state *add_state(struct working *w, const struct cap *cap, struct str user,
                                   int64_t from)
{
    struct cap_states *out = w->out;
    out->rows = mem_grow(out->rows, out->count, &w->room, sizeof(*out->rows));
    struct cap_state *state = &out->rows[out->count++];
    *state = (struct cap_state){.cap = cap,
                                .user = arena_copy(&out->arena, user),
                                .from = from,
                                .limit = limit_of(w, cap)};
    return state;
}

/* The state of a user among those of one cap, which begin at `begin`. */
static struct cap_state *state_of(struct working *w, size_t begin, const struct cap *cap,
                                  struct str user, int64_t from)
{
    for (size_t i = begin; i < w->out->count; i++) {
        if (str_eq(w->out->rows[i].user, user)) {
            return &w->out->rows[i];
        }
    }
    return add_state(w, cap, user, from);
}

/* Under which name the use of a user counts for a cap; the null string: it does not. */
static struct str counted_as(const struct working *w, const struct cap *cap, struct str user)
{
    const bool is = str_eq(cap->user, user) ||
                    (str_eq(cap->user, EACH) && user.len > 0 && !is_named(w, user));
    return cap_is_ceiling(cap) ? cap->user : is ? user : (struct str){0};
}

static int compare_states(const void *a, const void *b)
{
    const struct cap_state *x = a, *y = b;
    const bool each_x = str_eq(x->user, EACH), each_y = str_eq(y->user, EACH);
    return each_x != each_y ? each_x - each_y : str_compare(x->user, y->user);
}

static int add_cap(struct working *w, const struct cap *cap, struct error *err)
{
    const struct civil first = first_day(w, cap);
    const int64_t from = zone_instant(w->zone, first);
    const size_t begin = w->out->count;
    struct ledger_uses uses;
    int failed =
        ledger_uses_list(w->books, w->account->id,
                         civil_days(first.year, first.month, first.day), INT32_MAX, &uses, err);
    (void)state_of(w, begin, cap, cap->user, from);
    for (size_t i = 0; !failed && i < uses.count; i++) {
        const struct str name = counted_as(w, cap, uses.rows[i].user);
        if (name.ptr) {
            struct cap_state *state = state_of(w, begin, cap, name, from);
            failed = amount_add(state->used, uses.rows[i].amount, &state->used, err);
        }
    }
    for (size_t i = 0; !failed && i < w->held.count; i++) {
        const struct str name = counted_as(w, cap, w->held.rows[i].user);
        if (name.ptr) {
            state_of(w, begin, cap, name, from)->held = w->held.rows[i].amount;
        }
    }
    if (cap_is_ceiling(cap)) {
        w->out->rows[begin].held = w->account->own_held; /* also of those without a name */
    }
    for (size_t i = begin; !failed && i < w->out->count; i++) {
        struct cap_state *state = &w->out->rows[i];
        const wide_int left = (wide_int)state->limit - state->used - state->held;
        state->left = state->limit == INT64_MAX ? INT64_MAX
                      : left < INT64_MIN        ? INT64_MIN
                                                : (int64_t)left;
    }
    qsort(w->out->rows + begin, w->out->count - begin, sizeof(*w->out->rows), compare_states);
    ledger_uses_release(&uses);
    return failed;
}

int caps_of(struct books *books, const struct zone *zone, int64_t now, const struct caps *caps,
            const struct ledger_account *account, const struct ledger_allotments *allotments,
            struct cap_states *out, struct error *err)
{
    struct working w = {.books = books,
                        .zone = zone,
                        .now = now,
                        .caps = caps,
                        .account = account,
                        .allotments = allotments,
                        .out = out};
    *out = (struct cap_states){0};
    size_t count = 0;
    for (size_t i = 0; i < caps->count; i++) {
        count += is_of(&w, &caps->rows[i]);
    }
    if (count == 0) {
        return 0;
    }
    int failed = ledger_balance(account, allotments, now, &w.balance, err);
    failed = failed ? failed : ledger_held_list(books, account->id, &w.held, err);
    for (size_t i = 0; !failed && i < caps->count; i++) {
        failed = is_of(&w, &caps->rows[i]) ? add_cap(&w, &caps->rows[i], err) : 0;
    }
    ledger_uses_release(&w.held);
    return failed;
}

void cap_states_release(struct cap_states *states)
{
    free(states->rows);
    arena_release(&states->arena);
    *states = (struct cap_states){0};
}

bool cap_is_ceiling(const struct cap *cap)
{
    return str_eq(cap->user, STR(CAPS_ALL));
}

bool caps_limit_users(const struct caps *caps)
{
    bool some = false;
    for (size_t i = 0; i < caps->count; i++) {
        some = some || !cap_is_ceiling(&caps->rows[i]);
    }
    return some;
}

int64_t caps_ceiling(const struct cap_states *states)
{
    int64_t left = INT64_MAX;
    for (size_t i = 0; i < states->count; i++) {
        const struct cap_state *state = &states->rows[i];
        left = cap_is_ceiling(state->cap) && state->left < left ? state->left : left;
    }
    return left;
}

int64_t caps_left(const struct cap_states *states, struct str user)
{
    int64_t left = INT64_MAX;
    bool own = false;
    for (int each = 0; each < 2 && !own; each++) {
        for (size_t i = 0; i < states->count; i++) {
            if (!cap_is_ceiling(states->rows[i].cap) &&
                str_eq(states->rows[i].user, each ? EACH : user)) {
                own = true;
                left = states->rows[i].left < left ? states->rows[i].left : left;
            }
        }
    }
    return left;
}
