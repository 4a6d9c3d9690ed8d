-- SPDX-License-Identifier: MIT
--
-- The chain of the ledger (src/books/chain.c), in the words of SQLite. What names the tables that are chained is built there.

-- name: chain_last
SELECT id, "at", head, upto FROM bank_link ORDER BY id DESC LIMIT 1

-- name: chain_find
SELECT id, "at", head, upto FROM bank_link WHERE head = ?

-- name: chain_all
SELECT id, "at", head, upto, who FROM bank_link ORDER BY id

-- name: chain_add
INSERT INTO bank_link (id, "at", who, upto, head) VALUES (?, ?, ?, ?, ?)

-- name: chain_lines
SELECT round, id, count, lines FROM bank_lines ORDER BY id

-- name: chain_lines_add
INSERT INTO bank_round_lines (round, rows, digest) VALUES (?, ?, ?)

-- name: chain_lines_of_rounds
SELECT round, digest FROM bank_round_lines ORDER BY round

-- name: chain_guards
SELECT group_concat(name || ': ' || sql, char(10)) FROM (SELECT name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name)

-- name: chain_restoring
SELECT 'table restoring' FROM restoring LIMIT 1

-- Accounts whose last event says something else, or that have none.
-- name: chain_accounts
SELECT a.name FROM bank_account a
WHERE json_object('name', a.name, 'opened', a.opened, 'closed', a.closed, 'overdraft', a.overdraft, 'overdraft_micro', a.overdraft_micro,
        'note', a.note)
    IS NOT (SELECT e."after" FROM bank_event e WHERE e.account = a.id AND e.what <> 'draw' ORDER BY e.id DESC LIMIT 1)
UNION ALL
SELECT 'number ' || e.account FROM bank_event e WHERE e.account NOT IN (SELECT id FROM bank_account) GROUP BY e.account

-- Draws that are not as their last event says, and events without a draw. Events of before draws had numbers have none: they are of draws
-- that hold always.
-- name: chain_draws
SELECT d.name FROM bank_draw d
WHERE NOT EXISTS (
    SELECT 1 FROM bank_event e WHERE e.what = 'draw' AND e.account = d.account
        AND json_extract(e."after", '$.kind') = d.kind AND json_extract(e."after", '$.name') = d.name
        AND json_extract(e."after", '$.cluster') IS d.cluster AND json_extract(e."after", '$.from') IS d."from"
        AND json_extract(e."after", '$.to') IS d."to"
        AND (json_extract(e."after", '$.draw') IS NULL OR json_extract(e."after", '$.draw') = d.id)
        AND NOT EXISTS (SELECT 1 FROM bank_event later WHERE later.what = 'draw' AND later.account = d.account
            AND later.id > e.id AND json_extract(later."after", '$.draw') = d.id))
UNION ALL
SELECT json_extract(e."after", '$.name') FROM bank_event e
WHERE e.what = 'draw' AND NOT EXISTS (
    SELECT 1 FROM bank_draw d WHERE d.account = e.account AND d.kind = json_extract(e."after", '$.kind')
        AND d.name = json_extract(e."after", '$.name')
        AND (json_extract(e."after", '$.draw') IS NULL OR json_extract(e."after", '$.draw') = d.id))

-- name: chain_event_account
INSERT INTO bank_event ("at", who, what, account, "after")
SELECT ?1, ?2, ?3, id,
    json_object('name', name, 'opened', opened, 'closed', closed, 'overdraft', overdraft, 'overdraft_micro', overdraft_micro, 'note', note)
FROM bank_account WHERE id = ?4

-- name: chain_event_draw
INSERT INTO bank_event ("at", who, what, account, "after")
SELECT ?1, ?2, 'draw', account,
    json_object('draw', id, 'kind', kind, 'name', name, 'cluster', cluster, 'from', "from", 'to', "to")
FROM bank_draw WHERE id = ?3

-- name: chain_event_why
INSERT INTO bank_event_why (event, why) SELECT max(id), ? FROM bank_event

-- name: chain_event_secret
INSERT INTO secret_event ("at", who, what, kind, name) VALUES (?, ?, ?, ?, ?)

-- name: chain_restart
DELETE FROM bank_link
