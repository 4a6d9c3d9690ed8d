-- SPDX-License-Identifier: MIT
--
-- Periods that are closed, and what was posted for them later: src/bank/closings.c.

-- The periods of a parent are those of the accounts that it pays for.
-- name: bank_closings
SELECT account, "until", day, round, id FROM bank_closing
UNION ALL
SELECT b.account, c."until", c.day, c.round, c.id FROM bank_closing c JOIN bank_parent b ON b.parent = c.account
ORDER BY 1, 5

-- name: bank_closing_add
INSERT INTO bank_closing (account, "until", day, entry, round, "at", who, why)
VALUES (?1, ?2, ?3, (SELECT coalesce(max(id), 0) FROM bank_entry), ?4, ?5, ?6, ?7)

-- name: bank_closings_shown
SELECT a.name, c."until", c."at", c.who, c.why, c.account FROM bank_closing c JOIN bank_account a ON a.id = c.account ORDER BY c.id

-- name: bank_lates
SELECT account, round, cluster, user, day, amount, first, last FROM bank_late
WHERE (?1 = 0 OR account IN (SELECT ?1 UNION ALL SELECT account FROM bank_parent WHERE parent = ?1)) AND day >= ?2 AND day < ?3 ORDER BY account, round, cluster, user

-- name: bank_late_add
INSERT INTO bank_late (account, round, cluster, user, day, amount, first, last) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
