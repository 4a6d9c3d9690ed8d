/* SPDX-License-Identifier: MIT */
#include "bank/charge_state.h"

#include <inttypes.h>
#include <stdio.h>

#include "bank/charge.h"
#include "bank/ledger.h"
#include "bank/statements.h"
#include "base/scan.h"
#include "books/query.h"

static int charging_get_text(struct books *books, const char *key, struct arena *arena,
                             struct str *out, struct error *err)
{
    *out = (struct str){0};
    struct query q = query_begin(books, SQL_BANK_STATE_GET);
    query_text(&q, str_of(key));
    while (query_row(&q)) {
        *out = query_text_at(&q, 0, arena);
    }
    return query_finish(&q, "cannot read the bank", err);
}

static int charging_put_text(struct books *books, const char *key, struct str value,
                             struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_STATE_PUT);
    query_text(&q, str_of(key));
    query_text(&q, value);
    query_run(&q);
    return query_finish(&q, "cannot change the bank", err);
}

int charging_get_number(struct books *books, const char *key, int64_t *out, struct error *err)
{
    struct arena arena = {0};
    struct str text;
    *out = 0;
    int failed = charging_get_text(books, key, &arena, &text, err);
    if (!failed && text.ptr && !scan_int(text, out)) {
        failed = error_set(err, ERROR_STORE, "the bank's '%s' is not a number", key);
    }
    arena_release(&arena);
    return failed;
}

int charging_put_number(struct books *books, const char *key, int64_t value, struct error *err)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%" PRId64, value);
    return charging_put_text(books, key, str_of(text), err);
}

/* How far the change feed was read; *read: whether it ever was. */
int charging_get_position(struct books *books, struct changes_position *out, bool *read,
                          struct error *err)
{
    struct arena arena = {0};
    struct str seq, digest;
    *out = (struct changes_position){0};
    int failed = charging_get_text(books, "seq", &arena, &seq, err);
    failed = failed ? failed : charging_get_text(books, "seq_digest", &arena, &digest, err);
    failed = failed ? failed : charging_get_number(books, "seq", &out->seq, err);
    if (!failed) {
        *read = seq.ptr != NULL;
        (void)snprintf(out->digest, sizeof(out->digest), "%.*s", STR_ARG(digest));
    }
    arena_release(&arena);
    return failed;
}

int charging_put_position(struct books *books, const struct changes_position *position,
                          struct error *err)
{
    const int failed = charging_put_number(books, "seq", position->seq, err);
    return failed ? failed
                  : charging_put_text(books, "seq_digest", str_of(position->digest), err);
}

/*
 * Whether the facts have the change that was read last. Books of before there were digests have
 * none: what they say is then believed, if there are that many changes.
 */
int charging_is_known_to(struct facts *facts, const struct changes_position *position,
                         bool *known, struct error *err)
{
    int64_t latest = 0;
    if (position->digest[0] || position->seq == 0) {
        return changes_is_known(facts, position, known, err);
    }
    const int failed = changes_latest(facts, &latest, err);
    *known = position->seq <= latest;
    return failed;
}

int charging_follows(struct books *books, struct facts *facts, bool *follows, struct error *err)
{
    struct changes_position position;
    bool reads_on = false;
    *follows = true;
    const int failed = charging_get_position(books, &position, &reads_on, err);
    return failed || !reads_on ? failed : charging_is_known_to(facts, &position, follows, err);
}

/* The zone that the bank began with: the site's of that time. */
int charging_open_zone(struct books *books, const struct zone *site, struct zone **out,
                       struct error *err)
{
    struct arena arena = {0};
    struct str name;
    int failed = charging_get_text(books, "zone", &arena, &name, err);
    if (!failed && !name.ptr) {
        name = arena_copy(&arena, str_of(zone_name(site)));
        failed = charging_put_text(books, "zone", name, err);
    }
    failed = failed ? failed : zone_open(name.ptr, out, err);
    arena_release(&arena);
    return failed;
}

int charging_zone(struct books *books, const struct zone *site, struct zone **out,
                  struct error *err)
{
    struct arena arena = {0};
    struct str name;
    int failed = charging_get_text(books, "zone", &arena, &name, err);
    failed = failed ? failed : zone_open(name.ptr ? name.ptr : zone_name(site), out, err);
    arena_release(&arena);
    return failed;
}

int charging_is_on(struct books *books, bool *on, struct error *err)
{
    struct ledger_accounts accounts;
    int failed = ledger_accounts_list(books, &accounts, err);
    *on = accounts.count > 0;
    ledger_accounts_release(&accounts);
    return failed;
}

int charging_is_behind(struct books *books, struct session *session, bool *behind,
                       struct error *err)
{
    struct changes_position position;
    struct facts *facts = NULL;
    bool reads_on = false, known = false;
    int64_t latest = 0;
    *behind = false;
    int failed = session_facts(session, FACTS_READ, &facts, err);
    failed = failed ? failed : changes_latest(facts, &latest, err);
    failed = failed ? failed : charging_get_position(books, &position, &reads_on, err);
    failed = failed ? failed : charging_is_known_to(facts, &position, &known, err);
    *behind = !failed && (!known || position.seq != latest);
    return failed;
}

int charging_last_round(struct books *books, int64_t *out, struct error *err)
{
    return charging_get_number(books, "round", out, err);
}

int charging_was_restarted(struct books *books, bool *was, struct error *err)
{
    int64_t number = 0;
    const int failed = charging_get_number(books, "restarted", &number, err);
    *was = number != 0;
    return failed;
}
