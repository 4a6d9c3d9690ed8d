-- SPDX-License-Identifier: MIT
--
-- Charges of runs: src/bank/charging.c, usage.c and settle.c.

-- name: bank_usage_add
INSERT INTO bank_usage (account, day, cluster, user, amount) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (account, day, cluster, user) DO UPDATE SET amount = amount + excluded.amount

-- Where there is none yet.
-- name: bank_usage_first
INSERT OR FAIL INTO bank_usage (account, day, cluster, user, amount) VALUES (?, ?, ?, ?, ?)

-- Added up in the order of the table, so that nothing is sorted but the days.
-- name: bank_usage_days
SELECT u.day, n.name, u.amount FROM (
    SELECT day, cluster, sum(amount) AS amount FROM bank_usage WHERE account = ? GROUP BY day, cluster HAVING sum(amount) > 0) u
JOIN bank_name n ON n.id = u.cluster ORDER BY u.day, n.name

-- name: bank_usage_by_user
SELECT c.name, n.name, sum(u.amount)
FROM bank_usage u JOIN bank_name n ON n.id = u.user JOIN bank_name c ON c.id = u.cluster
WHERE u.account = ? AND u.day >= ? AND u.day < ? GROUP BY c.name, n.name HAVING sum(u.amount) <> 0
ORDER BY 3 DESC, 1, 2

-- name: bank_usage_sum
SELECT coalesce(sum(amount), 0) FROM bank_usage WHERE account = ? AND day >= ? AND day < ?

-- name: bank_charge_last
SELECT n, account, cluster, user, rate, start, "end", amount FROM bank_charge WHERE run = ? ORDER BY n DESC LIMIT 1

-- name: bank_charge_add
INSERT OR FAIL INTO bank_charge (run, n, round, account, cluster, user, rate, start, "end", amount)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: bank_charges_of_run
SELECT n, round, a.name, c.rate, c.start, c."end", c.amount
FROM bank_charge c JOIN bank_account a ON a.id = c.account WHERE c.run = ? ORDER BY n

-- name: bank_is_fresh
SELECT NOT EXISTS (SELECT 1 FROM bank_charge), NOT EXISTS (SELECT 1 FROM bank_lien)

-- name: bank_state_get
SELECT value FROM bank_state WHERE key = ?

-- name: bank_state_put
INSERT INTO bank_state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value

-- name: bank_names
SELECT id, name FROM bank_name ORDER BY id

-- name: bank_name_add
INSERT INTO bank_name (id, name) VALUES (?, ?)

-- name: bank_charged_runs_like
SELECT DISTINCT run FROM bank_charge WHERE run = ?1 OR run GLOB (?1 || '[.+@]*') OR run GLOB ('*:' || ?1) OR run GLOB ('*:' || ?1 || '[.+@]*') LIMIT 20

-- Runs come in no order, and their lines are kept by their names: more of the tree than usual is kept in memory.
-- name: bank_grow
PRAGMA cache_size = -262144
