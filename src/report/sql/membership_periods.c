/* SPDX-License-Identifier: MIT */
#include "report/sql/membership_periods.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/statement.h"
#include "report/sql/statements.h"

/* What decides of a run, strongest first; the columns of the table begin with these. */
static const enum membership_rank ranks[] = {MEMBERSHIP_USER, MEMBERSHIP_ACCOUNT,
                                             MEMBERSHIP_GROUP};

static const struct statement_column columns[] = {
    {"user", TYPE_TEXT},          {"account", TYPE_TEXT},  {"group", TYPE_TEXT},
    {"lower", TYPE_INTEGER},      {"upper", TYPE_INTEGER}, {"metagroup", TYPE_TEXT},
    {"metagroup_top", TYPE_TEXT}, {"rates", TYPE_TEXT},
};

enum { RANKS = COUNT_OF(ranks), COLUMNS = COUNT_OF(columns) };

/* Rows of the table, being collected. */
struct rows {
    struct facts_value *values;
    size_t count, room;
    const struct rate_list *rates;
    struct arena arena;
};

static void add_value(struct rows *rows, struct facts_value value)
{
    rows->values = mem_grow(rows->values, rows->count, &rows->room, sizeof(*rows->values));
    rows->values[rows->count++] = value;
}

static struct facts_value text_value(const struct str *text)
{
    return text ? FACTS_TEXT(*text) : FACTS_NULL;
}

/* The membership that decides at an instant, and until when it does; NULL: none. */
static const struct membership *decide(const struct membership_list *members,
                                       const struct str *const names[RANKS], int64_t at,
                                       int64_t *until)
{
    const struct membership *found = NULL;
    *until = INSTANT_MAX;
    for (size_t r = 0; members && r < RANKS && !found; r++) {
        for (size_t i = 0; names[r] && i < members->count; i++) {
            const struct membership *m = &members->rows[i];
            if (m->rank != ranks[r] || !str_eq(m->name, *names[r])) {
                continue;
            }
            if (m->from <= at && at < m->to) {
                found = m;
                *until = m->to < *until ? m->to : *until;
            } else if (m->from > at && m->from < *until) {
                *until = m->from; /* a stronger one begins, or the next of this */
            }
        }
    }
    return found;
}

/* ",3,17,": the rates for metagroups that are for it. */
static struct str rates_for(struct rows *rows, const struct membership *member)
{
    const char *text = ",";
    for (size_t i = 0; rows->rates && member && i < rows->rates->count; i++) {
        const struct rate *rate = &rows->rates->rows[i];
        if (rate->patterns[RATE_METAGROUP].ptr && rate_is_for(rate, member)) {
            text = arena_printf(&rows->arena, "%s%" PRId64 ",", text, rate->id);
        }
    }
    return str_of(text);
}

static void add_moves(struct rows *rows, const struct membership_list *members,
                      const struct str *const names[RANKS])
{
    int64_t until;
    for (int64_t at = 0; at < INSTANT_MAX; at = until) {
        const struct membership *m = decide(members, names, at, &until);
        for (size_t r = 0; r < RANKS; r++) {
            add_value(rows, text_value(names[r]));
        }
        add_value(rows, FACTS_INT(at));
        add_value(rows, FACTS_INT(until == INSTANT_MAX ? RUN_NOT_ENDED : until));
        add_value(rows, text_value(m ? &m->metagroup : NULL));
        add_value(rows, text_value(m ? &m->top : NULL));
        add_value(rows, FACTS_TEXT(rates_for(rows, m)));
    }
}

static int load(struct facts *facts, struct identifier name,
                const struct membership_list *members, const struct rate_list *rates,
                struct error *err)
{
    struct table who = {0};
    struct rows rows = {.rates = rates};
    int failed = facts_query(facts, SQL_VALUES_MEMBERS, (struct facts_values){0}, &who, err);
    for (size_t row = 0; !failed && row < who.row_count; row++) {
        const struct str *names[RANKS];
        for (size_t r = 0; r < RANKS; r++) {
            names[r] = table_has(&who, r, row) ? &who.columns[r].cells[row].text : NULL;
        }
        add_moves(&rows, members, names);
    }
    if (!failed) {
        failed = statement_load(facts, name, columns, COLUMNS,
                                (struct facts_values){rows.values, rows.count}, err);
    }
    table_release(&who);
    arena_release(&rows.arena);
    free(rows.values);
    return failed;
}

int membership_periods_load(struct facts *facts, const struct membership_list *members,
                            struct error *err)
{
    return load(facts, IDENTIFIER(SQL_MEMBERSHIP_PERIODS), members, NULL, err);
}

int membership_periods_load_prices(struct facts *facts, const struct rate_list *rates,
                                   struct error *err)
{
    return load(facts, IDENTIFIER(SQL_PRICE_MEMBERS), &rates->members, rates, err);
}
