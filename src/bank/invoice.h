/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Invoices: what an account used in a period, or what it was granted, with what that costs. One
 * that was issued is kept as it is, with its lines and the rates it rests on, so that it can be
 * printed again to the byte; the database refuses to edit it. Numbers have no gaps.
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

/* What it says beside its lines, in words; each is kept as it was issued. */
enum invoice_term {
    INVOICE_NUMBER,   /* as it is printed, by the site's pattern */
    INVOICE_CANCELS,  /* number of the invoice that this credit note takes back */
    INVOICE_CORRECTS, /* number of the invoice whose difference this is */
    INVOICE_SELLER,
    INVOICE_SELLER_ADDRESS,
    INVOICE_SELLER_TAX_ID,
    INVOICE_CUSTOMER,
    INVOICE_CUSTOMER_ADDRESS,
    INVOICE_CUSTOMER_TAX_ID,
    INVOICE_REFERENCE, /* of the customer */
    INVOICE_DUE,       /* a day */
    INVOICE_PAYMENT,   /* how to pay */
    INVOICE_PRICE,     /* of an SU, where it is not by rates */
    INVOICE_ROUNDING,  /* the rule, and what it leaves */
    INVOICE_TAX_RATE,  /* in percent */
    INVOICE_TAX_NOTE,  /* why no tax is due, or what it is called */
    INVOICE_TERMS,
};

struct invoice_term_row {
    const char *id;    /* in the books */
    const char *label; /* for people; NULL: it is shown otherwise, or not at all */
};

extern const struct invoice_term_row invoice_terms[INVOICE_TERMS];

struct invoice {
    int64_t number; /* 0: not issued */
    int64_t account;
    enum invoice_basis basis;
    struct period period;
    struct str unit; /* of costs; the null string: none */
    int64_t at;      /* when it was issued; of a draft, when it was made */
    struct str who, note;
    int64_t replaces; /* 0: none */
    struct invoice_line *lines;
    size_t line_count;
    struct invoice_rate *rates;
    size_t rate_count;
    struct str terms[INVOICE_TERMS]; /* the null string: not said */
    struct arena arena;              /* holds all of the above */
};

void invoice_release(struct invoice *invoice);

/* Adds a line or a rate; text is copied. */
void invoice_add_line(struct invoice *invoice, struct invoice_line line);
void invoice_add_rate(struct invoice *invoice, struct str name, struct str text);

void invoice_set_term(struct invoice *invoice, enum invoice_term term, struct str text);

/* Lines of this name are sums of those above them. */
#define INVOICE_NET   "net"
#define INVOICE_TOTAL "total"
#define INVOICE_TAX   "tax"

bool invoice_line_is_sum(const struct invoice_line *line);

/* Whether it gives back more than it asks for. */
bool invoice_is_credit(const struct invoice *invoice);

/* The number that the next one gets. */
int invoice_next_number(struct books *books, int64_t *out, struct error *err) MUST_CHECK;

/* Writes it with the next number, inside a transaction of the caller. */
int invoice_issue(struct books *books, struct invoice *invoice, struct error *err) MUST_CHECK;

/*
 * The last that was issued of the same account, basis and period, and was not taken back; 0:
 * none.
 */
int invoice_find(struct books *books, const struct invoice *like, int64_t *number,
                 struct error *err) MUST_CHECK;

/*
 * The first of the same account and basis that has days in common with it, and was not taken
 * back; 0: none.
 */
int invoice_overlapping(struct books *books, const struct invoice *like, int64_t *number,
                        struct error *err) MUST_CHECK;

/* The number of the one that is printed as `text`; 0: none. */
int invoice_number_of(struct books *books, struct str text, int64_t *number,
                      struct error *err) MUST_CHECK;

/* What was issued about another: what corrects it, and what takes it back. */
struct invoice_corrections {
    int64_t numbers[64];
    size_t count;
    int64_t cancelled_by; /* 0: it stands */
};

int invoice_corrections(struct books *books, int64_t number, struct invoice_corrections *out,
                        struct error *err) MUST_CHECK;

/*
 * One that was issued; ERROR_MISSING if no invoice has that number. `out` is released also
 * when it fails.
 */
int invoice_read(struct books *books, int64_t number, struct invoice *out,
                 struct error *err) MUST_CHECK;

/* All that were issued, with their terms but without lines and rates, in their order. */
struct invoice_list {
    struct invoice *rows;
    size_t count;
};

int invoice_list_read(struct books *books, struct invoice_list *out,
                      struct error *err) MUST_CHECK; /* released also when it fails */
void invoice_list_release(struct invoice_list *list);
