/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whom messages about an account are for: the people who manage it, by `stint user` or [access
 * RULE]; where none of these has an address in `stint people`, those on whose login it draws
 * and who used it in the last 90 days; where nobody of them has one, the staff's address.
 * Inside service/ only.
 */

#include "books/people.h"
#include "service/bank/bank.h"

struct bank_people {
    const struct bank *bank;
    struct people_list people;
    struct books_rows users;
};

/* Reads the books; closed also when it failed. */
int bank_people_open(const struct bank *bank, struct bank_people *out) MUST_CHECK;
void bank_people_close(struct bank_people *people);

/* Addresses, each once; in `arena`. */
struct bank_addresses {
    struct str *rows;
    size_t count, room;
    struct arena *arena;
};

/* Adds those of the people who manage an account, and no others. */
void bank_people_managers(const struct bank_people *people,
                          const struct ledger_account *account, struct bank_addresses *out);

/* Adds those of somebody who is known by that name to the server, or has it as login. */
void bank_people_named(const struct bank_people *people, struct str name,
                       struct bank_addresses *out);

/* Adds the staff's, if stint.conf has one. */
void bank_people_staff(const struct bank_people *people, struct bank_addresses *out);

/* Adds those of an account to `out`; none: there is nobody to send to. */
int bank_people_of(const struct bank_people *people, const struct ledger_account *account,
                   struct bank_addresses *out) MUST_CHECK;
