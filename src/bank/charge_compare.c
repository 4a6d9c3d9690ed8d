/* SPDX-License-Identifier: MIT */

/*
 * Charges beside what the records of their runs and their rates give, without posting anything.
 */

#include <stdlib.h>

#include "bank/amount.h"
#include "bank/charge_pass.h"
#include "bank/charge_state.h"
#include "base/mem.h"

static size_t seen_place(const struct seen *seen, uint64_t key)
{
    size_t at = (size_t)(key >> 1) & (seen->room - 1);
    while (seen->rows[at] && (seen->rows[at] & ~UINT64_C(1)) != key) {
        at = (at + 1) & (seen->room - 1);
    }
    return at;
}

static uint64_t key_of(struct str run)
{
    const uint64_t key = str_hash(run, 0) & ~UINT64_C(1);
    return key ? key : 2;
}

static bool seen_has(const struct seen *seen, struct str run)
{
    return seen->room > 0 && (seen->rows[seen_place(seen, key_of(run))] & 1);
}

void seen_set(struct seen *seen, struct str run, bool on)
{
    if (2 * seen->count >= seen->room) {
        const struct seen old = *seen;
        seen->room = old.room ? 2 * old.room : 1024;
        seen->rows = mem_alloc(seen->room, sizeof(*seen->rows));
        for (size_t i = 0; i < old.room; i++) {
            if (old.rows[i]) {
                seen->rows[seen_place(seen, old.rows[i] & ~UINT64_C(1))] = old.rows[i];
            }
        }
        free(old.rows);
    }
    const size_t at = seen_place(seen, key_of(run));
    seen->count += seen->rows[at] == 0;
    seen->rows[at] = key_of(run) | on;
}

enum { TOLD = 20 }; /* differences that are told one by one */

static void tell(struct charging_comparison *out, const char *text)
{
    out->rows = mem_resize(out->rows, out->count + 1, sizeof(*out->rows));
    out->rows[out->count++] = str_of(text);
}

static int take_difference(void *context, const struct packed_line *is,
                           const struct packed_line *ought, struct error *err)
{
    struct charging_comparison *out = ((struct pass *)context)->comparison;
    (void)err;
    if (out->differing++ < TOLD) {
        tell(out, arena_printf(&out->arena,
                               "%.*s: was charged %s SU%s, but its record and the rates of its "
                               "charge give %s SU",
                               STR_ARG(ought->run), amount_print(&out->arena, is->amount).ptr,
                               is->amount == ought->amount ? " otherwise" : "",
                               amount_print(&out->arena, ought->amount).ptr));
    }
    return 0;
}

/*
 * Lines come in the order of the table, those of a run in their own: so the last says whether
 * it is charged.
 */
static int take_charged(void *context, const struct packed_line *line, struct error *err)
{
    (void)err;
    seen_set(context, line->run, line->amount > 0);
    return 0;
}

struct missing {
    struct pass *pass;
    struct seen charged;
};

static int take_missing(void *context, const struct packed_line *line, struct error *err)
{
    struct missing *missing = context;
    struct charging_comparison *out = missing->pass->comparison;
    (void)err;
    if (!seen_has(&missing->charged, line->run) || seen_has(&missing->pass->seen, line->run)) {
        return 0;
    }
    seen_set(&missing->charged, line->run, false); /* told once */
    if (out->missing++ < TOLD) {
        tell(out, arena_printf(&out->arena, "%.*s: was charged, and is not among the facts",
                               STR_ARG(line->run)));
    }
    return 0;
}

static int find_missing(struct pass *pass, struct error *err)
{
    struct missing missing = {.pass = pass};
    const struct charge_lines_taker first = {&missing.charged, take_charged, NULL},
                                    second = {&missing, take_missing, NULL};
    int failed = charge_lines_each(pass->books, &first, err);
    failed = failed ? failed : charge_lines_each(pass->books, &second, err);
    free(missing.charged.rows);
    return failed;
}

static int compare_all(struct pass *pass, struct facts *facts, struct error *err)
{
    const struct table_sink sink = {pass, pass_take_chunk};
    struct error other = {0};
    int failed = changed_runs_since(facts, INT64_MIN, &pass->columns, &sink, err);
    const int second = charge_lines_wait(&pass->lines, failed ? &other : err);
    failed = failed ? failed : second;
    failed = failed ? failed : charge_lines_flush(&pass->lines, err);
    return failed ? failed : find_missing(pass, err);
}

int charging_compare(struct books *books, struct session *session, const struct zone *zone,
                     int64_t now, struct charging_comparison *out, struct error *err)
{
    const struct charging_wish wish = {.which = CHARGING_CHANGED, .now = now};
    struct charging_result result = {0};
    struct pass pass = {.books = books, .wish = &wish, .result = &result, .comparison = out};
    struct facts *facts = NULL;
    *out = (struct charging_comparison){0};
    int failed = books_begin_reading(books, err);
    failed = failed ? failed : session_facts(session, FACTS_READ, &facts, err);
    failed = failed ? failed : pass_prepare(&pass, zone, err);
    failed = failed ? failed : charging_is_behind(books, session, &out->behind, err);
    pass.lines.differs = take_difference;
    failed = failed || out->behind ? failed : compare_all(&pass, facts, err);
    books_rollback(books);
    out->runs = result.runs;
    free(pass.seen.rows);
    pass_release(&pass);
    return failed;
}

void charging_comparison_release(struct charging_comparison *comparison)
{
    free(comparison->rows);
    arena_release(&comparison->arena);
    *comparison = (struct charging_comparison){0};
}
