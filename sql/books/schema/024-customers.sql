-- SPDX-License-Identifier: MIT
--
-- What an invoice says beside its lines (parties, number as it is printed, due date, rounding, tax, which invoice it corrects), as it was issued,
-- and who the customers are.
CREATE TABLE customer (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "account" TEXT NOT NULL,
    "name" TEXT,
    "address" TEXT,
    "tax_id" TEXT,
    "reference" TEXT,
    "tax" INTEGER,
    "tax_note" TEXT,
    "note" TEXT
);
CREATE UNIQUE INDEX customer_key ON customer ("account");

CREATE TABLE bank_invoice_term (
    "invoice" INTEGER NOT NULL REFERENCES bank_invoice (id),
    "name" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    PRIMARY KEY ("invoice", "name")
) WITHOUT ROWID;
CREATE TRIGGER bank_invoice_term_is_not_changed BEFORE UPDATE ON bank_invoice_term
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
CREATE TRIGGER bank_invoice_term_is_not_removed BEFORE DELETE ON bank_invoice_term
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
CREATE TRIGGER bank_invoice_term_comes_first BEFORE INSERT ON bank_invoice_term
WHEN EXISTS (SELECT 1 FROM bank_invoice WHERE id = new."invoice") AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
