-- SPDX-License-Identifier: MIT
--
-- What src/enforce/saved_limits.c asks of the books.

-- name: enforce_kept_list
SELECT kind, name, under, mode, before, value, known, next, trying, "at", marked FROM enforce_kept WHERE cluster = ?

-- What is restored is what the site had set last: a change of theirs since the first step counts.
-- name: enforce_kept_begin
INSERT INTO enforce_kept (cluster, kind, name, under, mode, before, known, next, trying, "at", marked)
VALUES (?, ?, ?, ?, ?, ?, 0, ?, 1, ?, ?)
ON CONFLICT (cluster, kind, name, under, mode)
DO UPDATE SET before = excluded.before, next = excluded.next, trying = 1, "at" = excluded."at", marked = excluded.marked

-- name: enforce_kept_set
UPDATE enforce_kept SET value = ?, known = 1, next = NULL, trying = 0, "at" = ?
WHERE cluster = ? AND kind = ? AND name = ? AND under = ? AND mode = ?

-- name: enforce_kept_forget
DELETE FROM enforce_kept WHERE cluster = ? AND kind = ? AND name = ? AND under = ? AND mode = ?

-- name: enforce_step_add
INSERT INTO enforce_step (cluster, account, kind, name, under, mode, "from", "to", "at", who)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: enforce_last_id
SELECT last_insert_rowid()

-- name: enforce_step_end
INSERT INTO enforce_step_end (step, how, asked, found, why, "at") VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (step) DO NOTHING

-- name: enforce_steps_open
SELECT s.id, s.account, s.kind, s.name, s.under, s.mode, s."from", s."to"
FROM enforce_step s LEFT JOIN enforce_step_end e ON e.step = s.id
WHERE e.step IS NULL AND s.cluster = ? ORDER BY s.id

-- name: enforce_held_on_cluster
SELECT coalesce(b.parent, l.account), sum(l.amount) FROM bank_lien l LEFT JOIN bank_parent b ON b.account = l.account
WHERE l.id NOT IN (SELECT lien FROM bank_lien_end) AND substr(l.run, 1, length(?1) + 1) = ?1 || ':'
GROUP BY 1
