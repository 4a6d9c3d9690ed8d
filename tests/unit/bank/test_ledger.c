/* SPDX-License-Identifier: MIT */
#include "bank/ledger.h"

#include "unit/bank/some_bank.h"

static void a_grant_is_what_the_account_has(void **state)
{
    (void)state;
    struct some_books some;
    some_open(&some, "UTC");
    struct ledger_account chem = some_account(&some, "chem");
    some_grant(&some, chem.id, 100 * AMOUNT_ONE, DAY(0), DAY(100), NULL);
    some_grant(&some, chem.id, 7 * AMOUNT_ONE, DAY(50), DAY(60), "birch");
    expect_int(some_balance(&some, "chem", DAY(10)).free, 100 * AMOUNT_ONE);
    expect_int(some_balance(&some, "chem", DAY(50)).balance, 107 * AMOUNT_ONE);
    expect_int(some_balance(&some, "chem", DAY(50)).end, DAY(60));
    expect_int(some_balance(&some, "chem", DAY(100)).balance, 0);
    some_check(&some);
    some_close(&some);
}

static void the_same_id_again_changes_nothing(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    enum ledger_outcome outcome;
    some_open(&some, "UTC");
    struct ledger_account chem = some_account(&some, "chem");
    struct ledger_allotment grant = some_grant(&some, chem.id, 5, DAY(0), DAY(100), NULL);
    for (int i = 0; i < 3; i++) {
        expect_int(some_post(&some, "invoice-7", LEDGER_GRANT, LEDGER_GRANTED, grant.pot, 10,
                             &outcome, &err),
                   0);
        expect_int(outcome, i ? LEDGER_KNOWN : LEDGER_POSTED);
    }
    expect_int(some_post(&some, "invoice-7", LEDGER_GRANT, LEDGER_GRANTED, grant.pot, 11,
                         &outcome, &err),
               ERROR_CONFLICT);
    expect_contains(err.text, "another entry has the id 'invoice-7'");
    expect_int(some_balance(&some, "chem", DAY(1)).balance, 15);
    some_close(&some);
}

struct refused_row {
    const char *name, *sql, *part;
};

/* Whoever writes to the file: nothing that was posted can be made undone. */
static const struct refused_row refused_rows[] = {
    {"an entry is edited", "UPDATE bank_entry SET amount = 1", "never edited"},
    {"an entry is removed", "DELETE FROM bank_entry", "never removed"},
    {"an entry of nothing",
     "INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, \"at\", who) "
     "VALUES ('x', 'grant', 1, 5, 0, 0, 'ann')",
     "CHECK"},
    {"an entry of less than nothing",
     "INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, \"at\", who) "
     "VALUES ('x', 'grant', 1, 5, -1, 0, 'ann')",
     "CHECK"},
    {"an entry with one side",
     "INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, \"at\", who) "
     "VALUES ('x', 'grant', 1, 99, 1, 0, 'ann')",
     "between these two"},
    {"an entry with one side, without foreign keys",
     "PRAGMA foreign_keys = OFF; INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, "
     "\"at\", who) VALUES ('x', 'grant', 1, 99, 1, 0, 'ann')",
     "between these two"},
    {"a charge that nobody pays",
     "INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, \"at\", who) "
     "VALUES ('x', 'charge', 1, 2, 1, 0, 'ann')",
     "between these two"},
    {"a refund of what was not used",
     "INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, \"at\", who) "
     "VALUES ('x', 'refund', 1, 5, 1, 0, 'ann')",
     "between these two"},
    {"an expiry that is used",
     "INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, \"at\", who) "
     "VALUES ('x', 'expiry', 5, 2, 1, 0, 'ann')",
     "between these two"},
    {"a transfer to the site",
     "INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, \"at\", who) "
     "VALUES ('x', 'transfer', 5, 1, 1, 0, 'ann')",
     "between these two"},
    {"a half of a millionth",
     "INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, \"at\", who) "
     "VALUES ('x', 'grant', 1, 5, 0.5, 0, 'ann')",
     "CHECK"},
    {"more than an allotment has",
     "INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, \"at\", who) "
     "VALUES ('x', 'charge', 5, 2, 101, 0, 'ann')",
     "more than the allotment has"},
    {"a pot is filled without an entry", "UPDATE bank_pot SET \"in\" = \"in\" + 1 WHERE id = 5",
     "by entries only"},
    {"a pot beyond 64 bits",
     "INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, \"at\", who) "
     "VALUES ('x', 'grant', 1, 5, 9223372036854775807, 0, 'ann')",
     "more than 9223372036854.775807 SU"},
    {"what a pot was charged changes without an entry",
     "UPDATE bank_pot SET charged = charged + 1 WHERE id = 5", "by entries only"},
    {"a pot loses its limit", "UPDATE bank_pot SET limited = 0 WHERE id = 5",
     "by entries only"},
    {"a pot is given to nobody", "UPDATE bank_pot SET account = NULL WHERE id = 5",
     "by entries only"},
    {"a pot that is full from the beginning",
     "INSERT INTO bank_pot (kind, account, limited, \"in\") VALUES ('allotment', 1, 1, 9)",
     "by entries only"},
    {"an allotment gets longer", "UPDATE bank_allotment SET \"to\" = \"to\" + 1",
     "never edited"},
    {"an allotment is removed", "PRAGMA foreign_keys = OFF; DELETE FROM bank_allotment",
     "never removed"},
    {"a charge is edited", "UPDATE bank_lines SET round = 9", "never edited"},
    {"a charge is removed", "DELETE FROM bank_lines", "never removed"},
    {"a charge with the number of another",
     "INSERT INTO bank_lines (id, round, count, lines) VALUES (1, 1, 1, x'00')", "UNIQUE"},
    {"charges without lines",
     "INSERT INTO bank_lines (id, round, count, lines) VALUES (2, 1, 0, x'00')", "CHECK"},
    {"a lien is edited", "UPDATE bank_lien SET amount = 1", "never edited"},
    {"a lien is removed", "DELETE FROM bank_lien", "never removed"},
    {"a lien is settled twice",
     "INSERT INTO bank_lien_end VALUES (1, 'settled', 0, 0), (1, 'voided', 0, 0)", "UNIQUE"},
};

static void the_database_refuses(void **state)
{
    const struct refused_row *row = *state;
    struct some_books some;
    struct error err = {0};
    some_open(&some, "UTC");
    struct ledger_account chem = some_account(&some, "chem");
    struct ledger_allotment grant = some_grant(&some, chem.id, 100, DAY(0), DAY(100), NULL);
    expect_int(grant.pot, 5);
    expect_int(ledger_lien_place(some.books,
                                 &(struct ledger_lien){STR("birch:1"), chem.id, 3, .at = 0},
                                 &err),
               0);
    expect_int(sqlite3_exec(some.books->db, "INSERT INTO bank_lines VALUES (1, 1, 1, x'')",
                            NULL, NULL, NULL),
               SQLITE_OK);
    char *message = NULL;
    int code = sqlite3_exec(some.books->db, row->sql, NULL, NULL, &message);
    expect_true(code != SQLITE_OK);
    expect_contains(message ? message : "", row->part);
    sqlite3_free(message);
    expect_int(some_balance(&some, "chem", DAY(1)).balance, 100);
    some_check(&some);
    some_close(&some);
}

struct damage_row {
    const char *name, *sql, *part;
};

/* What somebody does to the file who takes the rules out first. */
static const struct damage_row damage_rows[] = {
    {"nothing", "SELECT 1", NULL},
    {"a pot has more", "UPDATE bank_pot SET \"in\" = \"in\" + 1 WHERE id = 5",
     "chem: one of its pots holds 0.000097 SU, but its entries sum to 0.000096 SU"},
    {"a pot received and gave more",
     "UPDATE bank_pot SET \"in\" = \"in\" + 1, \"out\" = \"out\" + 1 WHERE id = 5",
     "chem: one of its pots received 0.000101 SU, but its entries sum to 0.0001 SU"},
    {"a pot was charged more", "UPDATE bank_pot SET charged = charged + 1 WHERE id = 5",
     "chem: one of its pots was charged 0.000001 SU, but its entries sum to 0 SU"},
    {"more of a pot expired", "UPDATE bank_pot SET expired = expired + 1 WHERE id = 5",
     "chem: of one of its pots expired 0.000005 SU, but its entries sum to 0.000004 SU"},
    {"more of a pot was carried", "UPDATE bank_pot SET carried = carried - 1 WHERE id = 5",
     "chem: from one of its pots was carried over -0.000001 SU, but its entries sum to 0 SU"},
    {"an entry has one side",
     "PRAGMA foreign_keys = OFF; INSERT INTO bank_entry (key, kind, \"from\", \"to\", amount, "
     "\"at\", who) VALUES ('x', 'grant', 1, 999999999999, 1, 0, 'ann')",
     "all pots together hold -0.000001 SU, but must hold 0 SU"},
};

static void what_is_damaged_is_found(void **state)
{
    const struct damage_row *row = *state;
    struct some_books some;
    struct error err = {0};
    struct ledger_findings findings;
    enum ledger_outcome outcome;
    some_open(&some, "UTC");
    struct ledger_account chem = some_account(&some, "chem");
    struct ledger_allotment grant = some_grant(&some, chem.id, 100, DAY(0), DAY(100), NULL);
    expect_int(
        some_post(&some, NULL, LEDGER_EXPIRY, grant.pot, LEDGER_EXPIRED, 4, &outcome, &err), 0);
    expect_int(sqlite3_exec(some.books->db,
                            "DROP TRIGGER bank_pot_follows_entries; DROP TRIGGER "
                            "bank_entry_fits_its_kind",
                            NULL, NULL, NULL),
               SQLITE_OK);
    expect_int(sqlite3_exec(some.books->db, row->sql, NULL, NULL, NULL), SQLITE_OK);
    expect_int(ledger_check(some.books, &findings, &err), 0);
    expect_true((findings.count == 0) == (row->part == NULL));
    if (row->part && findings.count > 0) {
        bool found = false;
        for (size_t i = 0; i < findings.count; i++) {
            found = found || str_eq(findings.rows[i], str_of(row->part));
        }
        expect_text(found ? row->part : findings.rows[findings.count - 1].ptr, row->part);
    }
    ledger_findings_release(&findings);
    some_close(&some);
}

/* All that an amount can be was granted, and some of it moved: sums on the way need more than 64 bits. */
static void the_largest_amount_is_checked(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    enum ledger_outcome outcome;
    some_open(&some, "UTC");
    struct ledger_account chem = some_account(&some, "chem");
    struct ledger_allotment grant =
        some_grant(&some, chem.id, INT64_MAX, DAY(0), DAY(100), NULL);
    expect_int(some_post(&some, NULL, LEDGER_EXPIRY, grant.pot, LEDGER_EXPIRED, INT64_MAX - 5,
                         &outcome, &err),
               0);
    expect_int(some_balance(&some, "chem", DAY(1)).balance, 5);
    some_check(&some);
    expect_true(some_post(&some, NULL, LEDGER_GRANT, LEDGER_GRANTED, grant.pot, 1, &outcome,
                          &err) != 0);
    expect_contains(err.text, "all amounts together would be more than 9223372036854.775807");
    some_close(&some);
}

static void a_transfer_leaves_what_is_held(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    enum ledger_outcome outcome;
    some_open(&some, "UTC");
    struct ledger_account chem = some_account(&some, "chem"), bio = some_account(&some, "bio");
    struct ledger_allotment a = some_grant(&some, chem.id, 100, DAY(0), DAY(100), NULL),
                            b = some_grant(&some, bio.id, 1, DAY(0), DAY(100), NULL);
    expect_int(ledger_lien_place(some.books,
                                 &(struct ledger_lien){STR("birch:1"), chem.id, 40, .at = 0},
                                 &err),
               0);
    expect_int(some_balance(&some, "chem", DAY(1)).free, 60);
    expect_int(some_post(&some, NULL, LEDGER_TRANSFER, a.pot, b.pot, 61, &outcome, &err),
               ERROR_CONFLICT);
    expect_contains(err.text, "running jobs hold a part");
    expect_int(some_post(&some, NULL, LEDGER_TRANSFER, a.pot, b.pot, 60, &outcome, &err), 0);
    expect_int(some_balance(&some, "chem", DAY(1)).free, 0);
    expect_int(some_balance(&some, "bio", DAY(1)).free, 61);
    some_check(&some);
    some_close(&some);
}

static void a_lien_is_settled_once(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    some_open(&some, "UTC");
    struct ledger_account chem = some_account(&some, "chem");
    const struct str run = STR("birch:1");
    expect_int(
        ledger_lien_place(some.books, &(struct ledger_lien){run, chem.id, 40, .at = 0}, &err),
        0);
    expect_int(
        ledger_lien_place(some.books, &(struct ledger_lien){run, chem.id, 40, .at = 1}, &err),
        0); /* the same again */
    expect_int(some_balance(&some, "chem", DAY(1)).held, 40);
    expect_int(
        ledger_lien_place(some.books, &(struct ledger_lien){run, chem.id, 50, .at = 2}, &err),
        0); /* its limit grew */
    expect_int(some_balance(&some, "chem", DAY(1)).held, 50);
    for (int i = 0; i < 2; i++) {
        expect_int(ledger_lien_settle(some.books, run, LIEN_SETTLED, 7, 3, &err), 0);
        expect_int(some_balance(&some, "chem", DAY(1)).held, 0);
    }
    some_check(&some);
    some_close(&some);
}

static void soonest_to_end_is_first_and_narrowest_next(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    struct ledger_allotments list;
    some_open(&some, "UTC");
    struct ledger_account chem = some_account(&some, "chem");

    const struct {
        int64_t to;
        const char *clusters;
    } given[] = {{DAY(200), NULL},
                 {DAY(100), NULL},
                 {DAY(100), "birch,alder"},
                 {DAY(100), "birch"},
                 {INSTANT_MAX, "birch"}};

    const size_t want[] = {3, 2, 1, 0, 4};
    int64_t ids[COUNT_OF(given)];
    for (size_t i = 0; i < COUNT_OF(given); i++) {
        ids[i] = some_grant(&some, chem.id, 1, DAY(0), given[i].to, given[i].clusters).id;
    }
    expect_int(ledger_allotments_list(some.books, chem.id, &list, &err), 0);
    for (size_t i = 0; i < COUNT_OF(given); i++) {
        expect_int(list.rows[i].id, ids[want[i]]);
    }
    expect_true(ledger_allotment_is_for(&list.rows[1], STR("alder")));
    expect_false(ledger_allotment_is_for(&list.rows[0], STR("alder")));
    ledger_allotments_release(&list);
    some_close(&some);
}

/* Lists that are brought up to date account by account are what a list of all is. */
static void a_list_brought_up_to_date_is_the_list_there_is(void **state)
{
    (void)state;
    static const char *const names[] = {"m", "z", "a", "n"};
    struct some_books some;
    struct error err = {0};
    struct ledger_accounts accounts, all;
    struct ledger_allotments list, every;
    some_open(&some, "UTC");
    expect_int(ledger_accounts_list(some.books, &accounts, &err), 0);
    expect_int(ledger_allotments_list(some.books, 0, &list, &err), 0);
    expect_int(ledger_accounts_update(some.books, STR("m"), &accounts, &err), 0);
    expect_uint(accounts.count, 0);
    for (size_t i = 0; i < 3 * COUNT_OF(names); i++) {
        const char *name = names[i % COUNT_OF(names)];
        const int64_t account = i < COUNT_OF(names)
                                    ? some_account(&some, name).id
                                    : ledger_accounts_find(&accounts, str_of(name))->id;
        (void)some_grant(&some, account, 1 + (int64_t)i, DAY(0), DAY(100 - (int64_t)i),
                         "birch");
        expect_int(ledger_accounts_update(some.books, str_of(name), &accounts, &err), 0);
        expect_int(ledger_allotments_update(some.books, account, &list, &err), 0);
    }
    expect_int(ledger_accounts_list(some.books, &all, &err), 0);
    expect_int(ledger_allotments_list(some.books, 0, &every, &err), 0);
    expect_uint(accounts.count, all.count);
    for (size_t i = 0; i < all.count; i++) {
        expect_true(str_eq(accounts.rows[i].name, all.rows[i].name));
        expect_int(accounts.rows[i].id, all.rows[i].id);
    }
    expect_uint(list.count, every.count);
    for (size_t i = 0; i < every.count; i++) {
        expect_int(list.rows[i].id, every.rows[i].id);
        expect_int(list.rows[i].balance, every.rows[i].balance);
        expect_true(str_eq(list.rows[i].clusters, STR("birch")));
    }
    ledger_accounts_release(&accounts);
    ledger_accounts_release(&all);
    ledger_allotments_release(&list);
    ledger_allotments_release(&every);
    some_close(&some);
}

/* The account that a run draws on; 0: none. */
static int64_t payer(const struct ledger_draws *draws, struct str user, struct str account,
                     struct str cluster, int64_t start)
{
    const struct ledger_drawn run = {
        .user = user, .account = account, .cluster = cluster, .start = start};
    const struct ledger_draw_row *row = ledger_draws_find(draws, &run);
    return row ? row->account : 0;
}

static void a_draw_holds_for_its_time_and_cluster(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    struct ledger_draws draws;
    some_open(&some, "UTC");
    struct ledger_account chem = some_account(&some, "chem"), bio = some_account(&some, "bio");
    struct ledger_draw_row row = {.kind = STR("user"),
                                  .name = STR("ann"),
                                  .account = bio.id,
                                  .from = DAY(10),
                                  .to = DAY(20)};
    expect_int(ledger_draw_add(some.books, &row, &err), 0);
    row.account = chem.id;
    row.from = DAY(19);
    row.to = DAY(30);
    expect_int(ledger_draw_add(some.books, &row, &err), ERROR_CONFLICT);
    row.from = DAY(20);
    expect_int(ledger_draw_add(some.books, &row, &err), 0);
    row.account = bio.id;
    row.cluster = STR("cedar");
    row.from = INT64_MIN;
    row.to = INSTANT_MAX;
    expect_int(ledger_draw_add(some.books, &row, &err), 0);
    expect_int(ledger_draws_list(some.books, &draws, &err), 0);
    const struct str none = {0}, ann = STR("ann"), birch = STR("birch"), cedar = STR("cedar");
    expect_int(payer(&draws, ann, none, birch, DAY(10) - 1), 0);
    expect_int(payer(&draws, ann, none, birch, DAY(10)), bio.id);
    expect_int(payer(&draws, ann, none, birch, DAY(20) - 1), bio.id);
    expect_int(payer(&draws, ann, none, birch, DAY(20)), chem.id);
    expect_int(payer(&draws, ann, none, birch, DAY(30)), 0);
    expect_int(payer(&draws, ann, none, none, DAY(30)), 0);
    expect_int(payer(&draws, ann, none, cedar, DAY(1)), bio.id);
    expect_int(payer(&draws, ann, none, cedar, DAY(25)), bio.id);
    ledger_draws_release(&draws);
    some_close(&some);
}

static void a_name_draws_on_one_account(void **state)
{
    (void)state;
    struct some_books some;
    struct error err = {0};
    struct ledger_draws draws;
    some_open(&some, "UTC");
    struct ledger_account chem = some_account(&some, "chem"), bio = some_account(&some, "bio");
    expect_int(ledger_draw(some.books, &bio, "user", STR("ann"), &err), 0);
    expect_int(ledger_draw(some.books, &bio, "user", STR("ann"), &err), 0);
    expect_int(ledger_draw(some.books, &chem, "user", STR("ann"), &err), ERROR_CONFLICT);
    expect_contains(err.text, "runs of user 'ann' draw on 'bio' already");
    expect_int(ledger_draws_list(some.books, &draws, &err), 0);
    const struct str chem_name = STR("chem");
    expect_int(payer(&draws, STR("ann"), chem_name, STR("birch"), DAY(3)), bio.id);
    expect_int(payer(&draws, STR("bob"), chem_name, STR("birch"), DAY(3)), chem.id);
    expect_int(payer(&draws, STR("bob"), (struct str){0}, STR("birch"), DAY(3)), 0);
    ledger_draws_release(&draws);
    some_close(&some);
}

/* --- any order of anything ------------------------------------------------------------------------ */

static unsigned dice(uint64_t *seed, unsigned sides)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*seed >> 33) % sides;
}

enum { ACCOUNTS = 4, STEPS = 400 };

/* What a small model in this test says of each pot, against the ledger, after random postings of which many are refused. */
static void random_postings_agree_with_a_model(void **state)
{
    (void)state;
    static const char *const names[ACCOUNTS] = {"a", "b", "c", "d"};
    uint64_t seed = 20261116;
    struct some_books some;
    int64_t pots[ACCOUNTS], model[ACCOUNTS] = {0};
    some_open(&some, "UTC");
    for (size_t i = 0; i < ACCOUNTS; i++) {
        struct ledger_account account = some_account(&some, names[i]);
        pots[i] = some_grant(&some, account.id, 0, DAY(0), DAY(100), NULL).pot;
    }
    for (int step = 0; step < STEPS; step++) {
        static const enum ledger_kind kinds_of[] = {LEDGER_GRANT, LEDGER_TRANSFER,
                                                    LEDGER_ADJUSTMENT, LEDGER_EXPIRY};
        const enum ledger_kind kind = kinds_of[dice(&seed, 4)];
        const size_t x = dice(&seed, ACCOUNTS), y = dice(&seed, ACCOUNTS);
        const int64_t amount = 1 + dice(&seed, 1000);
        const int64_t from = kind == LEDGER_GRANT ? LEDGER_GRANTED : pots[x];
        const int64_t to = kind == LEDGER_GRANT        ? pots[y]
                           : kind == LEDGER_TRANSFER   ? pots[y]
                           : kind == LEDGER_ADJUSTMENT ? LEDGER_GRANTED
                                                       : LEDGER_EXPIRED;
        const bool may = kind == LEDGER_GRANT || (from != to && model[x] >= amount);
        struct error err = {0};
        enum ledger_outcome outcome;
        int failed = some_post(&some, NULL, kind, from, to, amount, &outcome, &err);
        expect_true((failed == 0) == may);
        if (may) {
            model[x] -= kind == LEDGER_GRANT ? 0 : amount;
            model[y] += kind == LEDGER_GRANT || kind == LEDGER_TRANSFER ? amount : 0;
        }
    }
    for (size_t i = 0; i < ACCOUNTS; i++) {
        expect_int(some_balance(&some, names[i], DAY(1)).balance, model[i]);
    }
    some_check(&some);
    some_close(&some);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_grant_is_what_the_account_has);
    SUITE_TEST(&suite, the_same_id_again_changes_nothing);
    SUITE_ROWS(&suite, the_database_refuses, refused_rows);
    SUITE_TEST(&suite, the_largest_amount_is_checked);
    SUITE_ROWS(&suite, what_is_damaged_is_found, damage_rows);
    SUITE_TEST(&suite, a_transfer_leaves_what_is_held);
    SUITE_TEST(&suite, a_lien_is_settled_once);
    SUITE_TEST(&suite, soonest_to_end_is_first_and_narrowest_next);
    SUITE_TEST(&suite, a_list_brought_up_to_date_is_the_list_there_is);
    SUITE_TEST(&suite, a_name_draws_on_one_account);
    SUITE_TEST(&suite, a_draw_holds_for_its_time_and_cluster);
    SUITE_TEST(&suite, random_postings_agree_with_a_model);
    return suite_run(&suite, "ledger");
}
