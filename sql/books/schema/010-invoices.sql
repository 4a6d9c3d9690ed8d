-- SPDX-License-Identifier: MIT
--
-- Invoices as they were issued: what one says does not change when runs or rates do. src/bank/invoice.h is the way in.
CREATE TABLE bank_invoice (
    id INTEGER PRIMARY KEY,             -- its number: 1, 2, ... without gaps
    "account" INTEGER NOT NULL REFERENCES bank_account (id),
    "basis" TEXT NOT NULL CHECK ("basis" IN ('usage', 'allotment')),
    "from" INTEGER NOT NULL,
    "to" INTEGER NOT NULL CHECK ("from" < "to"),
    "unit" TEXT,                        -- the currency of its costs; NULL: it is in SU alone
    "at" INTEGER NOT NULL,
    "who" TEXT NOT NULL,
    "replaces" INTEGER REFERENCES bank_invoice (id),
    "note" TEXT
);
CREATE TABLE bank_invoice_line (
    "invoice" INTEGER NOT NULL REFERENCES bank_invoice (id),
    "n" INTEGER NOT NULL,
    "what" TEXT NOT NULL,
    "cluster" TEXT,
    "user" TEXT,
    "su" INTEGER CHECK ("su" IS NULL OR typeof("su") = 'integer'),
    "cost" INTEGER CHECK ("cost" IS NULL OR typeof("cost") = 'integer'),
    PRIMARY KEY ("invoice", "n")
) WITHOUT ROWID;
-- The annex: the prices it rests on, in words.
CREATE TABLE bank_invoice_rate (
    "invoice" INTEGER NOT NULL REFERENCES bank_invoice (id),
    "n" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    PRIMARY KEY ("invoice", "n")
) WITHOUT ROWID;
CREATE TRIGGER bank_invoice_has_the_next_number BEFORE INSERT ON bank_invoice
WHEN new.id <> (SELECT coalesce(max(id), 0) + 1 FROM bank_invoice)
BEGIN
    SELECT raise(ABORT, 'invoices are numbered without gaps');
END;
CREATE TRIGGER bank_invoice_is_not_changed BEFORE UPDATE ON bank_invoice
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
CREATE TRIGGER bank_invoice_is_not_removed BEFORE DELETE ON bank_invoice
BEGIN
    SELECT raise(ABORT, 'an invoice is never removed: issue another');
END;
CREATE TRIGGER bank_invoice_line_is_not_changed BEFORE UPDATE ON bank_invoice_line
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
CREATE TRIGGER bank_invoice_line_is_not_removed BEFORE DELETE ON bank_invoice_line
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
CREATE TRIGGER bank_invoice_rate_is_not_changed BEFORE UPDATE ON bank_invoice_rate
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
CREATE TRIGGER bank_invoice_rate_is_not_removed BEFORE DELETE ON bank_invoice_rate
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
