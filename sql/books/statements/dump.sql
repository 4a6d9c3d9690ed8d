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
UPDATE bank_pot SET "in" = 0, "out" = 0, charged = 0, expired = 0, carried = 0, refunded = 0

-- name: ledger_numbers_anew
DELETE FROM sqlite_sequence WHERE name IN ('bank_account', 'bank_allotment', 'bank_entry', 'bank_lien')

-- All runs are looked at once more: those in the store may not be those of the dump.
-- name: ledger_read_anew
INSERT INTO bank_state (key, value) SELECT 'seq', '0' WHERE EXISTS (SELECT 1 FROM bank_account)

-- Dumps of before there were rounds and pins: as in 018-pins.sql.
-- name: ledger_rounds_of_before
INSERT INTO bank_round (id, "at", "who", "history")
WITH posted AS (
    SELECT "round", min("at") AS "at", min("who") AS "who" FROM bank_entry WHERE "round" IS NOT NULL GROUP BY "round"),
numbers AS (SELECT "round" FROM posted UNION SELECT "round" FROM bank_lines),
known AS (
    SELECT n."round", p."who",
        coalesce(min(p."at") OVER (ORDER BY n."round" ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING),
            max(p."at") OVER (), 0) AS "at"
    FROM numbers n LEFT JOIN posted p ON p."round" = n."round")
SELECT k."round", k."at", coalesce(k."who", 'not recorded'),
    coalesce((SELECT max(id) FROM history h WHERE h."at" <= k."at"), 0)
FROM known k WHERE NOT EXISTS (SELECT 1 FROM bank_round)

-- name: ledger_pins_of_before
INSERT INTO bank_pin (id, "rate")
SELECT id, id FROM (SELECT id FROM rate UNION SELECT item FROM history WHERE kind = 'rate')
WHERE NOT EXISTS (SELECT 1 FROM bank_pin)

-- Dumps of before there was a chain: as in 019-chain.sql.
-- name: ledger_events_of_before
INSERT INTO bank_event ("at", "who", "what", "account", "after")
SELECT opened, 'not recorded', 'known', id,
    json_object('name', name, 'opened', opened, 'closed', closed, 'overdraft', overdraft, 'overdraft_micro', overdraft_micro,
        'note', note)
FROM bank_account WHERE NOT EXISTS (SELECT 1 FROM bank_event) ORDER BY id

-- name: ledger_draws_of_before
INSERT INTO bank_event ("at", "who", "what", "account", "after")
SELECT 0, 'not recorded', 'draw', account, json_object('kind', kind, 'name', name)
FROM bank_draw WHERE NOT EXISTS (SELECT 1 FROM bank_event WHERE what = 'draw') ORDER BY kind, name
