/* SPDX-License-Identifier: MIT */
#include "service/bank/bank_people.h"

#include <string.h>

#include "message/message.h"
#include "service/access/grant.h"

enum { RECENT_DAYS = 90 };

int bank_people_open(const struct bank *bank, struct bank_people *out)
{
    int failed;
    *out = (struct bank_people){.bank = bank};
    (void)((failed = books_people(bank->books, &out->people, bank->err)) ||
           (failed = books_list(bank->books, kind_find(STR("user")), &out->users, bank->err)));
    return failed;
}

void bank_people_close(struct bank_people *people)
{
    people_list_release(&people->people);
    books_rows_release(&people->users);
}

static void add_address(struct bank_addresses *out, struct str address)
{
    for (size_t i = 0; i < out->count; i++) {
        if (str_eq(out->rows[i], address)) {
            return;
        }
    }
    if (out->count == out->room) {
        struct str *old = out->rows;
        out->room = out->room ? 2 * out->room : 8;
        out->rows = arena_alloc(out->arena, out->room * sizeof(*out->rows));
        if (out->count > 0) {
            memcpy(out->rows, old, out->count * sizeof(*out->rows));
        }
    }
    out->rows[out->count++] = arena_copy(out->arena, address);
}

/* The address of the person behind the login, if the books have one. */
static void add_login(const struct bank_people *people, struct str cluster, struct str login,
                      struct bank_addresses *out)
{
    const struct people_login *found = people_find(&people->people, cluster, login);
    if (found && found->email.len > 0) {
        add_address(out, found->email);
    }
}

/* Those of a list with commas or blanks between. */
static void add_logins(const struct bank_people *people, struct str list,
                       struct bank_addresses *out)
{
    size_t count = 0;
    const struct str *names = grant_names(list, out->arena, &count);
    for (size_t i = 0; i < count; i++) {
        add_login(people, (struct str){0}, names[i], out);
    }
}

/* Whether one of the names is a scheduler's account whose runs draw on the account. */
static bool draws_on(const struct bank *bank, const struct ledger_account *account,
                     struct str list, struct arena *arena)
{
    size_t count = 0;
    const struct str *names = grant_names(list, arena, &count);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < bank->draws.count; k++) {
            const struct ledger_draw_row *row = &bank->draws.rows[k];
            if (row->account == account->id && str_eq(row->kind, STR("account")) &&
                str_eq(row->name, names[i])) {
                return true;
            }
        }
    }
    return false;
}

static void add_managers_of_books(const struct bank_people *people,
                                  const struct ledger_account *account,
                                  struct bank_addresses *out)
{
    const struct kind *kind = people->users.kind;
    for (size_t i = 0; i < people->users.count; i++) {
        const struct kind_row *row = &people->users.rows[i];
        if (str_eq(kind_cell(kind, row, "role"), STR("manager")) &&
            draws_on(people->bank, account, kind_cell(kind, row, "accounts"), out->arena)) {
            const struct str logins = kind_cell(kind, row, "logins");
            add_logins(people, logins.len > 0 ? logins : kind_cell(kind, row, "name"), out);
        }
    }
}

static void add_managers_of_rules(const struct bank_people *people,
                                  const struct ledger_account *account,
                                  struct bank_addresses *out)
{
    const struct config *config = people->bank->service->config;
    for (size_t i = 0; config && i < config->section_count; i++) {
        const struct config_section *rule = &config->sections[i];
        if (str_eq(rule->kind, STR("access")) &&
            draws_on(people->bank, account,
                     config_text(rule, &config_access_keys[CONFIG_ACCESS_MANAGES_ACCOUNTS]),
                     out->arena)) {
            add_logins(people, config_text(rule, &config_access_keys[CONFIG_ACCESS_USERS]),
                       out);
        }
    }
}

static int add_users(const struct bank_people *people, const struct ledger_account *account,
                     struct bank_addresses *out)
{
    const struct bank *bank = people->bank;
    const int64_t today = bank_day(bank, bank->now);
    struct ledger_uses uses;
    int failed = ledger_uses_list(bank->books, account->id, today - RECENT_DAYS, today + 1,
                                  &uses, bank->err);
    for (size_t i = 0; !failed && i < uses.count; i++) {
        add_login(people, uses.rows[i].cluster, uses.rows[i].user, out);
    }
    ledger_uses_release(&uses);
    for (size_t i = 0; !failed && i < bank->draws.count; i++) {
        const struct ledger_draw_row *row = &bank->draws.rows[i];
        if (row->account == account->id && str_eq(row->kind, STR("user"))) {
            add_login(people, (struct str){0}, row->name, out);
        }
    }
    return failed;
}

void bank_people_managers(const struct bank_people *people,
                          const struct ledger_account *account, struct bank_addresses *out)
{
    add_managers_of_books(people, account, out);
    add_managers_of_rules(people, account, out);
}

void bank_people_named(const struct bank_people *people, struct str name,
                       struct bank_addresses *out)
{
    const struct kind *kind = people->users.kind;
    struct str logins = name;
    for (size_t i = 0; i < people->users.count; i++) {
        const struct kind_row *row = &people->users.rows[i];
        const struct str own = kind_cell(kind, row, "logins");
        if (own.len > 0 && str_eq(kind_cell(kind, row, "name"), name)) {
            logins = own;
        }
    }
    add_logins(people, logins, out);
}

void bank_people_staff(const struct bank_people *people, struct bank_addresses *out)
{
    const struct str staff = message_staff(people->bank->service->config);
    if (staff.ptr) {
        add_address(out, staff);
    }
}

int bank_people_of(const struct bank_people *people, const struct ledger_account *account,
                   struct bank_addresses *out)
{
    int failed = 0;
    bank_people_managers(people, account, out);
    if (out->count == 0) {
        failed = add_users(people, account, out);
    }
    if (out->count == 0) {
        bank_people_staff(people, out);
    }
    return failed;
}
