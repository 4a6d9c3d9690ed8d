/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What an invoice would say: from the ledger, the facts, the rates and what the site says about
 * itself and its customers. Inside service/ only.
 */

#include "bank/invoice.h"
#include "bank/rounding.h"
#include "service/bank/bank.h"

/* What is to be invoiced. */
struct invoice_wish {
    enum invoice_basis basis;
    struct period period; /* whole days of the bank's calendar */
    bool in_su;           /* there are no costs, whatever rates there are */
    struct str unit;      /* the null string: that of the rates */
    bool has_price;
    int64_t price; /* of an SU */
};

/* What the request asks for: --from, --to, --by, --unit, --price. */
int invoice_wish_read(const struct bank *bank, struct invoice_wish *out) MUST_CHECK;

/* `out` is released also when it fails. */
int invoice_draft(const struct bank *bank, const struct ledger_account *account,
                  const struct invoice_wish *wish, struct invoice *out) MUST_CHECK;

/*
 * Rounds the lines, adds net, tax and total, and sets the terms of a draft: parties, price,
 * rounding, tax.
 */
int invoice_complete(const struct bank *bank, const struct ledger_account *account,
                     const struct invoice_wish *wish, struct invoice *invoice) MUST_CHECK;

/*
 * Gives it the next number, as the site prints it, and a due date; then writes it, inside the
 * transaction.
 */
int invoice_write(const struct bank *bank, struct invoice *invoice) MUST_CHECK;

/* A credit note that takes back all of `old`. `out` is released also when it fails. */
int invoice_cancel(const struct bank *bank, const struct invoice *old,
                   struct invoice *out) MUST_CHECK;

/*
 * The difference of an invoice, with what corrected it before, from a draft of the same today.
 * No lines: none.
 */
int invoice_correct(const struct bank *bank, const struct invoice *old,
                    struct invoice *out) MUST_CHECK;

/*
 * "Invoice 2025-0012", "Credit note 13", "Draft of an invoice": the heading of what is printed.
 */
void invoice_title(const struct invoice *invoice, struct buf *out);

/* What a line is of: "use", "tax 19 %". */
void invoice_line_title(const struct invoice *invoice, const struct invoice_line *line,
                        struct buf *out);

/* An invoice as a page for printing. `account` is its name. */
void invoice_page(struct buf *out, const struct bank *bank, const struct invoice *invoice,
                  struct str account);

/* The same as PDF, in sheets of A4; ERROR_MISSING where there is no librsvg. */
int invoice_pdf(struct buf *out, const struct bank *bank, const struct invoice *invoice,
                struct str account) MUST_CHECK;
