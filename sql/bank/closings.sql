-- SPDX-License-Identifier: MIT
--
-- Periods that are closed, and what was posted for them later: src/bank/closings.c.

-- name: bank_closings
SELECT account, "until", day, round FROM bank_closing ORDER BY account, id

-- name: bank_closing_add
INSERT INTO bank_closing (account, "until", day, entry, round, "at", who, why)
VALUES (?1, ?2, ?3, (SELECT coalesce(max(id), 0) FROM bank_entry), ?4, ?5, ?6, ?7)

-- name: bank_closings_shown
SELECT a.name, c."until", c."at", c.who, c.why, c.account FROM bank_closing c JOIN bank_account a ON a.id = c.account ORDER BY c.id

-- name: bank_lates
SELECT account, round, cluster, user, day, amount, first, last FROM bank_late
WHERE (?1 = 0 OR account = ?1) AND day >= ?2 AND day < ?3 ORDER BY account, round, cluster, user

-- name: bank_late_add
INSERT INTO bank_late (account, round, cluster, user, day, amount, first, last) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
