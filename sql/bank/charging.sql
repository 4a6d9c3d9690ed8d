-- SPDX-License-Identifier: MIT
--
-- Charges of runs: src/bank/charge.c, lines.c, usage.c and posting.c.

-- name: bank_lines_of
SELECT id, lines, round FROM bank_lines WHERE id BETWEEN ? AND ? ORDER BY id

-- name: bank_lines_all
SELECT id, lines, round FROM bank_lines ORDER BY id

-- name: bank_lines_add
INSERT INTO bank_lines (id, round, count, lines) VALUES (?, ?, ?, ?)

-- name: bank_used_all
SELECT account, stretch, amount, cells FROM bank_used WHERE stretch BETWEEN ? AND ? ORDER BY account, stretch

-- name: bank_used_of
SELECT account, stretch, amount, cells FROM bank_used WHERE stretch BETWEEN ? AND ? AND account = ? ORDER BY stretch

-- The same with those of the accounts that it pays for.
-- name: bank_used_paid
SELECT account, stretch, amount, cells FROM bank_used
WHERE stretch BETWEEN ?1 AND ?2 AND account IN (SELECT ?3 UNION ALL SELECT account FROM bank_parent WHERE parent = ?3)
ORDER BY account, stretch

-- name: bank_used_put
INSERT INTO bank_used (account, stretch, amount, cells) VALUES (?, ?, ?, ?)
ON CONFLICT (account, stretch) DO UPDATE SET amount = excluded.amount, cells = excluded.cells

-- name: bank_name_of
SELECT name FROM bank_name WHERE id = ?

-- name: bank_name_id
SELECT id FROM bank_name WHERE name = ?

-- name: bank_account_name
SELECT name FROM bank_account WHERE id = ?

-- name: bank_is_fresh
SELECT NOT EXISTS (SELECT 1 FROM bank_lines), NOT EXISTS (SELECT 1 FROM bank_account WHERE held > 0)

-- name: bank_liens_open
SELECT run FROM bank_lien l WHERE NOT EXISTS (SELECT 1 FROM bank_lien_end x WHERE x.lien = l.id)

-- name: bank_state_get
SELECT value FROM bank_state WHERE key = ?

-- name: bank_state_put
INSERT INTO bank_state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value

-- name: bank_names
SELECT id, name FROM bank_name ORDER BY id

-- name: bank_name_add
INSERT INTO bank_name (id, name) VALUES (?, ?)

-- Runs come in no order, and their lines are kept by their names: more of the tree than usual is kept in memory.
-- name: bank_grow
PRAGMA cache_size = -262144
