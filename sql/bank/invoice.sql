-- SPDX-License-Identifier: MIT
--
-- Invoices: src/bank/invoice.c.

-- name: bank_invoice_next
SELECT coalesce(max(id), 0) + 1 FROM bank_invoice

-- What refers to the invoice may be written before it, until the transaction ends.
-- name: bank_invoice_parts_first
PRAGMA defer_foreign_keys = ON

-- name: bank_invoice_add
INSERT INTO bank_invoice (id, account, basis, "from", "to", unit, "at", who, replaces, note)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?)

-- name: bank_invoice_line_add
INSERT INTO bank_invoice_line (invoice, n, what, cluster, user, su, cost) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: bank_invoice_rate_add
INSERT INTO bank_invoice_rate (invoice, n, name, text) VALUES (?, ?, ?, ?)

-- The last that was issued of an account, a basis and a period.
-- name: bank_invoice_find
SELECT max(id) FROM bank_invoice WHERE account = ? AND basis = ? AND "from" = ? AND "to" = ?

-- Of one account, or with 0 of all.
-- name: bank_invoices
SELECT i.id, i.account, i.basis, i."from", i."to", i.unit, i."at", i.who, coalesce(i.replaces, 0), i.note
FROM bank_invoice i WHERE (?1 = 0 OR i.id = ?1) ORDER BY i.id

-- name: bank_invoice_lines
SELECT what, cluster, user, su, cost FROM bank_invoice_line WHERE invoice = ? ORDER BY n

-- name: bank_invoice_rates
SELECT name, text FROM bank_invoice_rate WHERE invoice = ? ORDER BY n
