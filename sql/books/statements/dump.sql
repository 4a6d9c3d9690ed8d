-- SPDX-License-Identifier: MIT
--
-- Books that are restored from a dump (src/books/dump.c), in the words of SQLite. What names the table of a kind is built
-- there.

-- Lets the history be removed, which a trigger forbids while the table is empty.
-- name: dump_allow_removal
INSERT INTO restoring VALUES (1)

-- name: dump_remove_history
DELETE FROM history

-- name: dump_forbid_removal
DELETE FROM restoring

-- The pots of the site stay, and have nothing.
-- name: ledger_empty_pots
UPDATE bank_pot SET "in" = 0, "out" = 0, charged = 0, expired = 0, carried = 0

-- name: ledger_numbers_anew
DELETE FROM sqlite_sequence WHERE name IN ('bank_account', 'bank_allotment', 'bank_entry', 'bank_lien')

-- All runs are looked at once more: those in the store may not be those of the dump.
-- name: ledger_read_anew
INSERT INTO bank_state (key, value) SELECT 'seq', '0' WHERE EXISTS (SELECT 1 FROM bank_account)
