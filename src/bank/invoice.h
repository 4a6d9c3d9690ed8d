/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Invoices: what an account used in a period, or what it was granted, with what that costs. One that was issued is kept as it is, with its
 * lines and the rates it rests on, so that it can be printed again to the byte; the database refuses to edit it. Numbers have no gaps.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/str.h"
#include "books/books.h"

enum invoice_basis { INVOICE_USAGE, INVOICE_ALLOTMENT, INVOICE_BASES };

const char *invoice_basis_name(enum invoice_basis basis);

struct invoice_line {
    struct str what, cluster, user; /* null strings: absent */
    bool has_su, has_cost;
    int64_t su, cost; /* millionths */
};

struct invoice_rate {
    struct str name, text;
};

struct invoice {
    int64_t number; /* 0: not issued */
    int64_t account;
    enum invoice_basis basis;
    struct period period;
    struct str unit; /* of costs; the null string: there are none */
    int64_t at;      /* when it was issued; of a draft, when it was made */
    struct str who, note;
    int64_t replaces; /* 0: none */
    struct invoice_line *lines;
    size_t line_count;
    struct invoice_rate *rates;
    size_t rate_count;
    struct arena arena; /* holds all of the above */
};

void invoice_release(struct invoice *invoice);

/* Adds a line or a rate; text is copied. */
void invoice_add_line(struct invoice *invoice, struct invoice_line line);
void invoice_add_rate(struct invoice *invoice, struct str name, struct str text);

/* A last line with the sums of the others; ERROR_LIMIT if they do not fit. */
int invoice_add_total(struct invoice *invoice, struct error *err) MUST_CHECK;

/* Writes it with the next number, inside a transaction of the caller. */
int invoice_issue(struct books *books, struct invoice *invoice, struct error *err) MUST_CHECK;

/* The last that was issued of the same account, basis and period; 0: none. */
int invoice_find(struct books *books, const struct invoice *like, int64_t *number,
                 struct error *err) MUST_CHECK;

/* One that was issued; ERROR_MISSING if there is none of that number. `out` is released also when it fails. */
int invoice_read(struct books *books, int64_t number, struct invoice *out,
                 struct error *err) MUST_CHECK;

/* Whether they say the same: lines, rates, unit. */
bool invoice_is_same(const struct invoice *a, const struct invoice *b);

/* All that were issued, without lines and rates, in their order. */
struct invoice_list {
    struct invoice *rows;
    size_t count;
};

int invoice_list_read(struct books *books, struct invoice_list *out,
                      struct error *err) MUST_CHECK; /* released also when it fails */
void invoice_list_release(struct invoice_list *list);
