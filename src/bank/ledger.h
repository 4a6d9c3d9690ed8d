/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The ledger of service units, in the books: double entry in whole millionths of an SU.
 *
 * SU are in pots. An entry moves an amount from one pot to another, so the sum over all pots is
 * always 0. Three pots are the site's: grants come out of one; what is used and what expires
 * goes into the others. Every allotment of an account has a pot, and every account has one for
 * its use beyond its allotments, which is above zero only by what was paid back.
 *
 *     kind        from            to
 *     grant       granted         an allotment
 *     charge      an allotment    used             and back, where a charge was too high
 *     refund      used            an allotment     and back, where the run turned out to cost
 *                                                  less (refunds.h)
 *     transfer    an allotment    another
 *     adjustment  granted         an allotment     or back
 *     expiry      an allotment    expired          and back, where a late record used it
 *     carry-over  an allotment    the one that follows
 *
 * Entries are never edited: the database refuses that, and it refuses to take more from an
 * allotment than there is. Each entry has a unique key: posting the same entry again is
 * harmless (LEDGER_KNOWN), posting another one under the same key is ERROR_CONFLICT. What
 * belongs together goes into one transaction of the caller (books_begin).
 *
 * A lien is what a running run may cost. The free amount of an account is its balance less its
 * liens. A lien is settled at most once.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "books/books.h"
#include "record/run.h"

/* The site's pots. */
enum { LEDGER_GRANTED = 1, LEDGER_USED = 2, LEDGER_EXPIRED = 3 };

enum ledger_kind {
    LEDGER_GRANT,
    LEDGER_CHARGE,
    LEDGER_REFUND,
    LEDGER_TRANSFER,
    LEDGER_ADJUSTMENT,
    LEDGER_EXPIRY,
    LEDGER_CARRY_OVER,
    LEDGER_KINDS,
};

const char *ledger_kind_name(enum ledger_kind kind);
enum ledger_kind ledger_kind_of(struct str name); /* of a name that is one */

/* How far an account may go below zero before its runs are over the limit. */
enum ledger_overdraft { OVERDRAFT_NONE, OVERDRAFT_AMOUNT, OVERDRAFT_SHARE, OVERDRAFTS };

struct ledger_account {
    int64_t id;
    struct str name;
    int64_t opened; /* runs that start before are not charged */
    int64_t closed; /* INSTANT_MAX: it is open */
    enum ledger_overdraft overdraft;
    int64_t overdraft_micro; /* an amount, or millionths of what was granted */
    int64_t held;            /* by liens */
    int64_t over_pot;        /* number of its pot for what is beyond its allotments */
    int64_t over;            /* what is in it: usually below zero or zero */
    int64_t over_charged;    /* what was charged to it */
    struct str note;         /* the null string: none */

    /*
     * Who pays for its runs: its parent, or itself. The allotments, the overdraft, what is held
     * and what is beyond the allotments are the payer's; those it pays for have none.
     */
    int64_t payer;
    struct str payer_name;
    int64_t own_held; /* by liens of the account, and of those that it pays for */
};

bool ledger_has_parent(const struct ledger_account *account);

struct ledger_allotment {
    int64_t id, account;
    struct str kind; /* grant, purchase, investment, default */
    bool unlimited;
    int64_t from, to;    /* instants; INSTANT_MAX: it has no end */
    struct str clusters; /* comma-separated; the null string: any */
    int64_t carry;       /* millionths of the rest that are carried over at its end */
    struct str note;
    int64_t pot;
    int64_t balance; /* in the pot */
    /*
     * what came in, but for charges, expiry, refunds and what was carried over, and what came
     * back of these
     */
    int64_t granted;
    int64_t refunded; /* into it, less what was taken back */
    int64_t charged, expired;
    int64_t carried; /* to the one that follows; below zero: from those before it */
    int64_t then;    /* what the default allotment has that follows; 0: none follows */
    int64_t after;   /* for ledger_allot: the allotment that it follows; 0: none */
    bool stays;      /* nothing of it is transferred to another account */
};

/* Whether it can be drawn on from this cluster. */
bool ledger_allotment_is_for(const struct ledger_allotment *allotment, struct str cluster);

struct ledger_accounts {
    struct ledger_account *rows; /* by name */
    size_t count;
    struct arena arena;
};

struct ledger_allotments {
    /* in the order they are drawn: soonest to end, then narrowest */
    struct ledger_allotment *rows;
    size_t count;
    struct arena arena;
};

/* `out` must be released also on failure. */
int ledger_accounts_list(struct books *books, struct ledger_accounts *out,
                         struct error *err) MUST_CHECK;

/* The account of a number alone. */
int ledger_accounts_one(struct books *books, int64_t account, struct ledger_accounts *out,
                        struct error *err) MUST_CHECK;

/* Brings the account of a name up to date in a list, or adds it where it was opened since. */
int ledger_accounts_update(struct books *books, struct str name, struct ledger_accounts *list,
                           struct error *err) MUST_CHECK;
void ledger_accounts_release(struct ledger_accounts *accounts);
const struct ledger_account *ledger_accounts_find(const struct ledger_accounts *accounts,
                                                  struct str name);

/* As _find; if no account has that name, ERROR_MISSING names the nearest one. */
int ledger_accounts_get(const struct ledger_accounts *accounts, struct str name,
                        const struct ledger_account **out, struct error *err) MUST_CHECK;

/* Those of one account; 0: those of all, ordered by account. */
int ledger_allotments_list(struct books *books, int64_t account, struct ledger_allotments *out,
                           struct error *err) MUST_CHECK;

/* Brings those of an account up to date in a list of those of all. */
int ledger_allotments_update(struct books *books, int64_t account,
                             struct ledger_allotments *list, struct error *err) MUST_CHECK;
void ledger_allotments_release(struct ledger_allotments *allotments);

/* What an account has at an instant: the allotments valid then, and what it overdrew. */
struct ledger_balance {
    bool unlimited;                              /* a valid allotment is */
    int64_t granted, balance, held, free, floor; /* floor: how far below zero it may go */
    int64_t end; /* of the allotment that ends next; INSTANT_MAX: none does */
};

int ledger_balance(const struct ledger_account *account,
                   const struct ledger_allotments *allotments, int64_t now,
                   struct ledger_balance *out, struct error *err) MUST_CHECK;

/* Opens an account; ERROR_CONFLICT if there is one of that name. Sets its id and pot. */
int ledger_open(struct books *books, struct ledger_account *account,
                struct error *err) MUST_CHECK;

/*
 * Lets another account pay for all of its runs, for good. The database refuses that where the
 * account has anything of its own, or the parent a parent.
 */
int ledger_set_parent(struct books *books, struct ledger_account *account,
                      const struct ledger_account *parent, struct str why,
                      struct error *err) MUST_CHECK;

/*
 * Changes when it is closed, its overdraft and its note. `what` ("set", "close") and why are
 * kept with who and when.
 */
int ledger_set(struct books *books, const struct ledger_account *account, const char *what,
               struct str why, struct error *err) MUST_CHECK;

/*
 * Whose runs an account pays for: those of a name of a kind, of all clusters or of one, that
 * start in a time. A run draws on the first account that was open when it started: by its user,
 * then its project, then its account; of draws of one name those of its cluster come before
 * those of any.
 */
struct ledger_draw_row {
    int64_t id;
    struct str kind, name; /* kind: account, project or user, of the scheduler */
    int64_t account;
    struct str cluster; /* that a run counts under; the null string: any */
    int64_t from, to;   /* runs that start in [from, to); INT64_MIN, INSTANT_MAX: always */
    struct str account_name;
    int64_t opened, closed; /* of the account */
    int64_t payer;          /* of its runs: the account, or its parent */
};

/* Whether an account, or one that it pays for, has these runs. */
bool ledger_draw_is_of(const struct ledger_draw_row *row, const struct ledger_account *account);

/*
 * Adds one, of which account_name, opened and closed do not count. ERROR_CONFLICT where such
 * runs draw on another account at that time.
 */
int ledger_draw_add(struct books *books, const struct ledger_draw_row *row,
                    struct error *err) MUST_CHECK;

/* The same for all clusters, always. */
int ledger_draw(struct books *books, const struct ledger_account *account, const char *kind,
                struct str name, struct error *err) MUST_CHECK;

/* Runs that start at `to` or later do not draw by it any more. */
int ledger_draw_end(struct books *books, int64_t id, int64_t to, struct error *err) MUST_CHECK;

struct ledger_draws {
    struct ledger_draw_row *rows; /* by kind and name; those of a cluster first */
    size_t count;

    struct ledger_draw_place {
        uint64_t hash; /* of kind and name */
        size_t row;    /* 1 + the index of the first; 0: a free place */
    } * places;

    size_t room;
    bool by_user, by_project; /* some row is: else these need not be looked up */
    struct arena arena;
};

int ledger_draws_list(struct books *books, struct ledger_draws *out,
                      struct error *err) MUST_CHECK;
void ledger_draws_release(struct ledger_draws *draws);

/* What of a run draws go by; null strings: absent. */
struct ledger_drawn {
    struct str user, project, account;
    struct str cluster; /* that it counts under */
    int64_t start;
};

/* The field of a run that draws of a kind name. */
enum run_field ledger_draw_field(struct str kind);

struct ledger_drawn ledger_drawn_of(const struct run *run, struct str cluster);

/* The draw that holds for a run; NULL: none. */
const struct ledger_draw_row *ledger_draws_find(const struct ledger_draws *draws,
                                                const struct ledger_drawn *run);

/* Makes an allotment and its pot, which is empty. Sets its id and pot. */
int ledger_allot(struct books *books, struct ledger_allotment *allotment,
                 struct error *err) MUST_CHECK;

struct ledger_entry {
    int64_t id;
    struct str key; /* the null string: a new one is made */
    enum ledger_kind kind;
    int64_t from, to; /* pots */
    int64_t amount;   /* above zero */
    int64_t at;
    struct str who, why, run; /* run: of a refund */
    int64_t round;            /* of a charge; 0: none */
};

enum ledger_outcome { LEDGER_POSTED, LEDGER_KNOWN };

int ledger_post(struct books *books, const struct ledger_entry *entry,
                enum ledger_outcome *outcome, struct error *err) MUST_CHECK;

/* Kind, pots and amount of the entry of a key; *found is false if no entry has it. */
int ledger_entry_find(struct books *books, struct str key, struct ledger_entry *out,
                      bool *found, struct error *err) MUST_CHECK;

/*
 * An unlimited allotment has no entry that could have a key: the name of the account that got
 * one under this key, the null string for none, and recording it.
 */
int ledger_allotted_find(struct books *books, struct str key, struct arena *arena,
                         struct str *out, struct error *err) MUST_CHECK;
int ledger_allotted_add(struct books *books, struct str key, struct arena *arena,
                        struct str account, struct error *err) MUST_CHECK;

/*
 * Entries of an account (0: of all), in [from, to), in the order they were posted. Text is in
 * `arena`.
 */
struct ledger_entries {
    struct ledger_entry *rows;
    size_t count;
    struct arena arena;
};

int ledger_entries_list(struct books *books, int64_t account, int64_t from, int64_t to,
                        struct ledger_entries *out, struct error *err) MUST_CHECK;
void ledger_entries_release(struct ledger_entries *entries);

/* The account and the allotment a pot belongs to; 0: the site's, and that of no allotment. */
int ledger_pot_account(struct books *books, int64_t pot, int64_t *account, int64_t *allotment,
                       struct error *err) MUST_CHECK;

/* What a running run may cost. */
struct ledger_lien {
    struct str run;
    int64_t account, amount;
    int64_t until; /* its end at its time limit; 0: it has none */
    int64_t at;
    struct str user; /* the null string: not recorded */
};

/*
 * Places a lien. An open lien of the run with another amount is voided first; an amount of 0
 * only voids it.
 */
int ledger_lien_place(struct books *books, const struct ledger_lien *lien,
                      struct error *err) MUST_CHECK;

/* Ends the open liens of runs whose time limits lie in [from, to); how many is in *count. */
int ledger_liens_time_out(struct books *books, int64_t from, int64_t to, int64_t at,
                          int64_t *count, struct error *err) MUST_CHECK;

/* Settles the open lien of a run, if it has one: `amount` is what was charged. */
enum ledger_lien_end { LIEN_SETTLED, LIEN_VOIDED };

int ledger_lien_settle(struct books *books, struct str run, enum ledger_lien_end how,
                       int64_t amount, int64_t at, struct error *err) MUST_CHECK;

/* What `stint bank check` found wrong, one sentence each. */
struct ledger_findings {
    struct str *rows;
    size_t count;
    int64_t entries, charges; /* that were looked at */
    struct arena arena;
};

/* Recomputes all sums from entries, liens and lines, and compares. */
int ledger_check(struct books *books, struct ledger_findings *out,
                 struct error *err) MUST_CHECK;
void ledger_findings_release(struct ledger_findings *findings);

/* --- for reports -------------------------------------------------------------------------- */

/* Whether runs of a user were charged to an account: to it, and not to one that it pays for. */
int ledger_used_by(struct books *books, int64_t account, struct str login, bool *out,
                   struct error *err) MUST_CHECK;

/*
 * What was used in [first, last) days, of the bank's calendar, by cluster and user, most first:
 * of the account and of those that it pays for.
 */
struct ledger_uses {
    struct ledger_use {
        struct str cluster, user;
        int64_t amount;
    } * rows;

    size_t count;
    struct arena arena;
};

int ledger_uses_list(struct books *books, int64_t account, int64_t first, int64_t last,
                     struct ledger_uses *out, struct error *err) MUST_CHECK;
void ledger_uses_release(struct ledger_uses *uses);

/*
 * The same of what open liens hold, with no cluster; those whose user was not recorded are left
 * out.
 */
int ledger_held_list(struct books *books, int64_t account, struct ledger_uses *out,
                     struct error *err) MUST_CHECK;
int ledger_used(struct books *books, int64_t account, int64_t first, int64_t last, int64_t *out,
                struct error *err) MUST_CHECK;

/*
 * What came in less what went out before an instant, without charges. A grant counts on the day
 * its allotment begins, expiry and carry-over at its end, everything else when it was posted
 * (sql/books/schema/011-effect.sql).
 */
int ledger_moved(struct books *books, int64_t account, int64_t before, int64_t *out,
                 struct error *err) MUST_CHECK;

/* The same in [from, to), by kind. */
int ledger_moved_between(struct books *books, int64_t account, int64_t from, int64_t to,
                         int64_t sums[LEDGER_KINDS], struct error *err) MUST_CHECK;

/*
 * The same one by one, in the order of effect; without unlimited allotments. `out` must be
 * released also on failure.
 */
struct ledger_moves {
    struct ledger_move {
        enum ledger_kind kind;
        int64_t amount; /* below zero: it went out */
        int64_t effect; /* when it counts */
    } * rows;

    size_t count;
};

int ledger_moves_list(struct books *books, int64_t account, struct ledger_moves *out,
                      struct error *err) MUST_CHECK;
void ledger_moves_release(struct ledger_moves *moves);

/* The present charge of a run. */
struct ledger_charge {
    struct str run, account, cluster;
    int64_t start, end;
    int64_t amount;   /* 0: none */
    int64_t refunded; /* of it */
};

/*
 * The charge of one run, by its name, or by its job number if only one run of that number was
 * charged; otherwise ERROR_USAGE names them. ERROR_MISSING if none was. Text is in `arena`.
 */
int ledger_charge_of(struct books *books, struct str name, struct arena *arena,
                     struct ledger_charge *out, struct error *err) MUST_CHECK;

/*
 * Whether a name means a run: it is its name, or "336698" or "birch:336698" for all runs of a
 * job.
 */
bool ledger_run_is_meant(struct str name, struct str run);

/*
 * Whether a notice about an allotment was sent ("90 %", "30 days"), and recording that it was;
 * recording twice is harmless.
 */
int ledger_notice_sent(struct books *books, int64_t allotment, const char *what, bool *out,
                       struct error *err) MUST_CHECK;
int ledger_tell(struct books *books, int64_t allotment, const char *what, int64_t at,
                struct error *err) MUST_CHECK;

/* The same for one address: a notice counts as sent once all its recipients have it. */
int ledger_message_sent(struct books *books, struct str to, int64_t allotment, const char *what,
                        bool *out, struct error *err) MUST_CHECK;
int ledger_message_add(struct books *books, struct str to, int64_t allotment, const char *what,
                       int64_t at, struct error *err) MUST_CHECK;

/* When a message was last sent to the address; INT64_MIN: never. */
int ledger_message_last(struct books *books, struct str to, int64_t *out,
                        struct error *err) MUST_CHECK;

/*
 * Deletes records of messages that are no longer needed: sent before an instant, and about a
 * notice that everybody has or an allotment that had ended by `now`.
 */
int ledger_messages_prune(struct books *books, int64_t before, int64_t now,
                          struct error *err) MUST_CHECK;
