/* SPDX-License-Identifier: MIT */

/* Whose runs an account pays for. */

#include <stdlib.h>
#include <string.h>

#include "bank/ledger.h"
#include "bank/statements.h"
#include "base/mem.h"
#include "base/zone.h"
#include "books/chain.h"
#include "books/query.h"

static const char CANNOT_READ[] = "cannot read the bank";
static const char CANNOT_CHANGE[] = "cannot change the bank";

/* --- changing ----------------------------------------------------------------------------- */

static bool is_same_cluster(struct str a, struct str b)
{
    return a.ptr && b.ptr ? str_eq(a, b) : a.ptr == b.ptr;
}

/* Of draws of one kind and name, that of the same cluster whose time overlaps; NULL: none. */
static const struct ledger_draw_row *find_overlap(const struct ledger_draws *draws,
                                                  const struct ledger_draw_row *like)
{
    for (size_t i = 0; i < draws->count; i++) {
        const struct ledger_draw_row *row = &draws->rows[i];
        if (is_same_cluster(row->cluster, like->cluster) && row->from < like->to &&
            like->from < row->to) {
            return row;
        }
    }
    return NULL;
}

static void take_rows(struct query *q, struct ledger_draws *out)
{
    size_t room = 0;
    while (query_row(q)) {
        out->rows = mem_grow(out->rows, out->count, &room, sizeof(*out->rows));
        out->rows[out->count++] = (struct ledger_draw_row){
            .id = query_int_at(q, 0),
            .kind = query_text_at(q, 1, &out->arena),
            .name = query_text_at(q, 2, &out->arena),
            .account = query_int_at(q, 3),
            .cluster = query_text_at(q, 4, &out->arena),
            .from = query_has_at(q, 5) ? query_int_at(q, 5) : INT64_MIN,
            .to = query_has_at(q, 6) ? query_int_at(q, 6) : INSTANT_MAX,
            .account_name = query_text_at(q, 7, &out->arena),
            .opened = query_int_at(q, 8),
            .payer = query_int_at(q, 10),
            .closed = query_has_at(q, 9) ? query_int_at(q, 9) : INSTANT_MAX,
        };
    }
}

static void bind_instant(struct query *q, int64_t instant)
{
    if (instant == INT64_MIN || instant >= INSTANT_MAX) {
        query_null(q);
    } else {
        query_int(q, instant);
    }
}

static int add(struct books *books, const struct ledger_draw_row *row, struct error *err)
{
    int64_t id = 0;
    struct query q = query_begin(books, SQL_BANK_DRAW_ADD);
    query_text(&q, row->kind);
    query_text(&q, row->name);
    query_int(&q, row->account);
    query_text(&q, row->cluster);
    bind_instant(&q, row->from);
    bind_instant(&q, row->to);
    query_run(&q);
    int failed = query_finish(&q, CANNOT_CHANGE, err);
    q = query_begin(books, SQL_BANK_LAST_ID);
    id = query_row(&q) ? query_int_at(&q, 0) : 0;
    const int second = query_finish(&q, CANNOT_CHANGE, err);
    failed = failed ? failed : second;
    return failed ? failed : chain_note_draw(books, id, err);
}

int ledger_draw_add(struct books *books, const struct ledger_draw_row *row, struct error *err)
{
    struct ledger_draws draws = {0};
    struct query q = query_begin(books, SQL_BANK_DRAWS_OF);
    query_text(&q, row->kind);
    query_text(&q, row->name);
    take_rows(&q, &draws);
    int failed = query_finish(&q, CANNOT_READ, err);
    const struct ledger_draw_row *other = failed ? NULL : find_overlap(&draws, row);
    const bool same = other && other->account == row->account && other->from <= row->from &&
                      row->to <= other->to;
    if (!failed && !other) {
        failed = add(books, row, err);
    } else if (!failed && !same) {
        failed =
            error_set(err, ERROR_CONFLICT,
                      "runs of %.*s '%.*s' draw on '%.*s' already: a run is charged once; "
                      "to end that: stint bank draw %.*s %.*s:%.*s --to DAY",
                      STR_ARG(row->kind), STR_ARG(row->name), STR_ARG(other->account_name),
                      STR_ARG(other->account_name), STR_ARG(row->kind), STR_ARG(row->name));
    }
    ledger_draws_release(&draws);
    return failed;
}

int ledger_draw(struct books *books, const struct ledger_account *account, const char *kind,
                struct str name, struct error *err)
{
    const struct ledger_draw_row row = {.kind = str_of(kind),
                                        .name = name,
                                        .account = account->id,
                                        .from = INT64_MIN,
                                        .to = INSTANT_MAX};
    return ledger_draw_add(books, &row, err);
}

int ledger_draw_end(struct books *books, int64_t id, int64_t to, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_DRAW_END);
    bind_instant(&q, to);
    query_int(&q, id);
    query_run(&q);
    const int failed = query_finish(&q, CANNOT_CHANGE, err);
    return failed ? failed : chain_note_draw(books, id, err);
}

bool ledger_draw_is_of(const struct ledger_draw_row *row, const struct ledger_account *account)
{
    return row->account == account->id || row->payer == account->id;
}

/* --- finding ------------------------------------------------------------------------------ */

/* Where the first row of this kind and name is, or would be. */
static struct ledger_draw_place *place_of(const struct ledger_draws *draws, struct str kind,
                                          struct str name)
{
    const uint64_t hash = str_hash(name, (uint64_t)kind.len);
    size_t at = (size_t)hash & (draws->room - 1);
    for (; draws->places[at].row > 0; at = (at + 1) & (draws->room - 1)) {
        const struct ledger_draw_row *row = &draws->rows[draws->places[at].row - 1];
        if (draws->places[at].hash == hash && str_eq(row->name, name) &&
            str_eq(row->kind, kind)) {
            break;
        }
    }
    return &draws->places[at];
}

/* They are looked up once a run: by a hash of the name. */
static void index_draws(struct ledger_draws *draws)
{
    for (draws->room = 16; draws->room < 2 * draws->count;) {
        draws->room *= 2;
    }
    draws->places = mem_alloc(draws->room, sizeof(*draws->places));
    for (size_t i = 0; i < draws->count; i++) {
        const struct ledger_draw_row *row = &draws->rows[i];
        struct ledger_draw_place *place = place_of(draws, row->kind, row->name);
        if (place->row == 0) {
            *place =
                (struct ledger_draw_place){str_hash(row->name, (uint64_t)row->kind.len), i + 1};
        }
        draws->by_user = draws->by_user || str_eq(row->kind, STR("user"));
        draws->by_project = draws->by_project || str_eq(row->kind, STR("project"));
    }
}

int ledger_draws_list(struct books *books, struct ledger_draws *out, struct error *err)
{
    *out = (struct ledger_draws){0};
    struct query q = query_begin(books, SQL_BANK_DRAWS);
    take_rows(&q, out);
    index_draws(out);
    return query_finish(&q, CANNOT_READ, err);
}

void ledger_draws_release(struct ledger_draws *draws)
{
    free(draws->places);
    free(draws->rows);
    arena_release(&draws->arena);
    *draws = (struct ledger_draws){0};
}

/* The draw of a kind that holds for a run; those of one cluster lie before those of any. */
static const struct ledger_draw_row *find_draw(const struct ledger_draws *draws,
                                               struct str kind, struct str name,
                                               const struct ledger_drawn *run)
{
    size_t at = name.ptr ? place_of(draws, kind, name)->row : 0;
    for (; at > 0 && at <= draws->count; at++) {
        const struct ledger_draw_row *row = &draws->rows[at - 1];
        if (!str_eq(row->name, name) || !str_eq(row->kind, kind)) {
            break;
        }
        if (row->from <= run->start && run->start < row->to && row->opened <= run->start &&
            run->start < row->closed &&
            (!row->cluster.ptr || (run->cluster.ptr && str_eq(row->cluster, run->cluster)))) {
            return row;
        }
    }
    return NULL;
}

const struct ledger_draw_row *ledger_draws_find(const struct ledger_draws *draws,
                                                const struct ledger_drawn *run)
{
    const struct ledger_draw_row *found = NULL;
    if (draws->by_user) {
        found = find_draw(draws, STR("user"), run->user, run);
    }
    if (!found && draws->by_project) {
        found = find_draw(draws, STR("project"), run->project, run);
    }
    return !found && draws->count > 0 ? find_draw(draws, STR("account"), run->account, run)
                                      : found;
}

struct ledger_drawn ledger_drawn_of(const struct run *run, struct str cluster)
{
    const struct str none = {0};
    return (struct ledger_drawn){.user = RUN_HAS(run, user) ? run->user : none,
                                 .project = RUN_HAS(run, project) ? run->project : none,
                                 .account = RUN_HAS(run, account) ? run->account : none,
                                 .cluster = cluster,
                                 .start = RUN_HAS(run, start) ? run->start : 0};
}

enum run_field ledger_draw_field(struct str kind)
{
    return str_eq(kind, STR("user"))      ? RUN_user
           : str_eq(kind, STR("project")) ? RUN_project
                                          : RUN_account;
}
