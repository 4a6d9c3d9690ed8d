/* SPDX-License-Identifier: MIT */
#pragma once

/* What an invoice would say: from the ledger, the facts and the rates, by what the request asks for. Inside service/ only. */

#include "bank/invoice.h"
#include "service/bank/bank.h"

/* `out` is released also when it fails. */
int invoice_draft(const struct bank *bank, const struct ledger_account *account,
                  struct invoice *out) MUST_CHECK;

/* An invoice as a page for printing. `account` is its name. */
void invoice_page(struct buf *out, const struct bank *bank, const struct invoice *invoice,
                  struct str account);
