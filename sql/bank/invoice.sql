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

-- The last that was issued of an account, a basis and a period, and that stands.
-- name: bank_invoice_find
SELECT max(i.id) FROM bank_invoice i WHERE i.account = ? AND i.basis = ? AND i."from" = ? AND i."to" = ?
    AND NOT EXISTS (SELECT 1 FROM bank_invoice_term t WHERE t.name = 'cancels' AND t.text = CAST(i.id AS TEXT))
    AND NOT EXISTS (SELECT 1 FROM bank_invoice_term t WHERE t.invoice = i.id AND t.name IN ('cancels', 'corrects'))

-- Of one account, or with 0 of all.
-- name: bank_invoices
SELECT i.id, i.account, i.basis, i."from", i."to", i.unit, i."at", i.who, coalesce(i.replaces, 0), i.note
FROM bank_invoice i WHERE (?1 = 0 OR i.id = ?1) ORDER BY i.id

-- name: bank_invoice_lines
SELECT what, cluster, user, su, cost FROM bank_invoice_line WHERE invoice = ? ORDER BY n

-- name: bank_invoice_rates
SELECT name, text FROM bank_invoice_rate WHERE invoice = ? ORDER BY n

-- name: bank_invoice_term_add
INSERT INTO bank_invoice_term (invoice, name, text) VALUES (?, ?, ?)

-- name: bank_invoice_terms
SELECT name, text FROM bank_invoice_term WHERE invoice = ?

-- The first of an account and a basis that has a day in common with a period, and that no credit note takes back.
-- name: bank_invoice_overlap
SELECT coalesce(min(i.id), 0) FROM bank_invoice i
WHERE i.account = ?1 AND i.basis = ?2 AND i."from" < ?4 AND i."to" > ?3
    AND NOT EXISTS (SELECT 1 FROM bank_invoice_term t WHERE t.name = 'cancels' AND t.text = CAST(i.id AS TEXT))
    AND NOT EXISTS (SELECT 1 FROM bank_invoice_term t WHERE t.invoice = i.id AND t.name IN ('cancels', 'corrects'))
    AND NOT EXISTS (SELECT 1 FROM bank_invoice r WHERE r.replaces = i.id)

-- The number of the invoice that is printed as a text.
-- name: bank_invoice_printed
SELECT coalesce(min(invoice), 0) FROM bank_invoice_term WHERE name = 'number' AND text = ?

-- What cancels an invoice (0: nothing does), and what corrects it, in their order.
-- name: bank_invoice_corrections
SELECT t.invoice, t.name = 'cancels' FROM bank_invoice_term t
WHERE t.name IN ('cancels', 'corrects') AND t.text = CAST(? AS TEXT) ORDER BY t.invoice
