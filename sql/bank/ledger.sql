-- SPDX-License-Identifier: MIT
--
-- The ledger of src/bank/ledger.c, in the words of SQLite.

-- Those whose names lie between two values; bytes lie behind all text.
-- What an account may spend is what its payer `y` may: its parent, or itself. The payer's is held by all that it pays for.
-- name: bank_accounts
SELECT a.id, a.name, a.opened, a.closed, y.overdraft, y.overdraft_micro,
    y.held + coalesce((SELECT sum(c.held) FROM bank_parent d JOIN bank_account c ON c.id = d.account WHERE d.parent = y.id), 0),
    p.id, p."in" - p."out", p.charged, a.note, y.id, y.name, a.held
FROM bank_account a LEFT JOIN bank_parent b ON b.account = a.id JOIN bank_account y ON y.id = coalesce(b.parent, a.id)
JOIN bank_pot p ON p.account = y.id AND p.kind = 'over'
WHERE a.name BETWEEN ? AND ?
ORDER BY a.name

-- name: bank_parent_add
INSERT INTO bank_parent (account, parent) VALUES (?, ?)

-- name: bank_parent_of
SELECT parent FROM bank_parent WHERE account = ?

-- An account and those that it pays for.
-- name: bank_paid_for
SELECT ?1 AS account UNION SELECT account FROM bank_parent WHERE parent = ?1 ORDER BY 1

-- name: bank_account_is_there
SELECT 1 FROM bank_account WHERE name = ?

-- name: bank_account_add
INSERT INTO bank_account (name, opened, overdraft, overdraft_micro, note) VALUES (?, ?, ?, ?, ?)

-- name: bank_account_set
UPDATE bank_account SET closed = ?1, note = ?4,
    overdraft = CASE WHEN id IN (SELECT account FROM bank_parent) THEN overdraft ELSE ?2 END,
    overdraft_micro = CASE WHEN id IN (SELECT account FROM bank_parent) THEN overdraft_micro ELSE ?3 END
WHERE id = ?5

-- name: bank_last_id
SELECT last_insert_rowid()

-- name: bank_pot_add
INSERT INTO bank_pot (kind, account, allotment, limited) VALUES (?, ?, ?, ?)

-- name: bank_pot_account
SELECT coalesce(account, 0), coalesce(allotment, 0) FROM bank_pot WHERE id = ?

-- name: bank_draw_add
INSERT INTO bank_draw (kind, name, account, cluster, "from", "to") VALUES (?, ?, ?, ?, ?, ?)

-- name: bank_draw_end
UPDATE bank_draw SET "to" = ? WHERE id = ?

-- name: bank_draws
SELECT d.id, d.kind, d.name, d.account, d.cluster, d."from", d."to", a.name, a.opened, a.closed, coalesce(b.parent, a.id)
FROM bank_draw d JOIN bank_account a ON a.id = d.account LEFT JOIN bank_parent b ON b.account = a.id
ORDER BY d.kind, d.name, d.cluster IS NULL, d.cluster, d."from", d.id

-- name: bank_draws_of
SELECT d.id, d.kind, d.name, d.account, d.cluster, d."from", d."to", a.name, a.opened, a.closed, coalesce(b.parent, a.id)
FROM bank_draw d JOIN bank_account a ON a.id = d.account LEFT JOIN bank_parent b ON b.account = a.id
WHERE d.kind = ? AND d.name = ?
ORDER BY d.cluster IS NULL, d.cluster, d."from", d.id

-- name: bank_allotment_add
INSERT INTO bank_allotment (account, kind, unlimited, "from", "to", clusters, carry, note, "then", "after")
VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), nullif(?, 0))

-- name: bank_stays_add
INSERT INTO bank_stays (allotment) VALUES (?)

-- Soonest to end first, then narrowest: fewer clusters before more, and these before any; then the older.
-- name: bank_allotments
SELECT l.id, l.account, l.kind, l.unlimited, l."from", l."to", l.clusters, l.carry, l.note, p.id, p."in" - p."out",
    p."in" - p."out" + p.charged + p.expired + p.carried - p.refunded, p.charged, p.expired, p.carried,
    coalesce(l."then", 0), p.refunded, EXISTS (SELECT 1 FROM bank_stays s WHERE s.allotment = l.id)
FROM bank_allotment l JOIN bank_pot p ON p.allotment = l.id
WHERE l.account BETWEEN ? AND ?
ORDER BY l.account, l."to", l.unlimited, l.clusters IS NULL,
    length(l.clusters) - length(replace(l.clusters, ',', '')), l.id

-- Keys without an id are e1, e2 and so on: an id that looks like one of these gets a key of its own.
-- name: bank_entry_add
INSERT INTO bank_entry (key, kind, "from", "to", amount, "at", who, why, run, round)
VALUES (coalesce(CASE WHEN ?1 GLOB 'e[0-9]*' AND substr(?1, 2) NOT GLOB '*[^0-9]*' THEN 'id ' || ?1 ELSE ?1 END, 'e' || (SELECT coalesce(max(id), 0) + 1 FROM bank_entry)), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,
    nullif(?10, 0))
ON CONFLICT (key) DO NOTHING

-- name: bank_entry_of_key
SELECT kind, "from", "to", amount FROM bank_entry
WHERE key = CASE WHEN ?1 GLOB 'e[0-9]*' AND substr(?1, 2) NOT GLOB '*[^0-9]*' THEN 'id ' || ?1 ELSE ?1 END

-- name: bank_entries
SELECT e.id, e.key, e.kind, e."from", e."to", e.amount, e."at", e.who, e.why, e.run, e.round
FROM bank_entry e
WHERE e."at" >= ?2 AND e."at" < ?3
    AND (?1 = 0 OR e."from" IN (SELECT id FROM bank_pot WHERE account = ?1)
        OR e."to" IN (SELECT id FROM bank_pot WHERE account = ?1))
ORDER BY e.id

-- name: bank_lien_of_run
SELECT l.id, l.n, l.account, l.amount, (SELECT 1 FROM bank_lien_end x WHERE x.lien = l.id)
FROM bank_lien l WHERE l.run = ? ORDER BY l.n DESC LIMIT 1

-- name: bank_lien_add
INSERT INTO bank_lien (run, n, account, amount, "at", "until", user) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: bank_held_by_user
SELECT l.user, sum(l.amount) FROM bank_lien l
WHERE l.account IN (SELECT ?1 UNION ALL SELECT account FROM bank_parent WHERE parent = ?1)
    AND l.user IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bank_lien_end x WHERE x.lien = l.id)
GROUP BY l.user ORDER BY l.user

-- Those of [from, to) that are open.
-- name: bank_liens_time_out
INSERT INTO bank_lien_end (lien, how, amount, "at")
SELECT l.id, 'timed-out', 0, ?3 FROM bank_lien l
WHERE l."until" >= ?1 AND l."until" < ?2 AND NOT EXISTS (SELECT 1 FROM bank_lien_end x WHERE x.lien = l.id)

-- name: bank_lien_end
INSERT INTO bank_lien_end (lien, how, amount, "at") VALUES (?, ?, ?, ?)

-- What must hold of all rows: each gives a row for everything that is wrong, with a name and two numbers.
-- In two halves, since the sum on the way may need more than 64 bits: amounts may.
-- name: bank_check_sum
WITH halves AS (
    SELECT sum(("in" - "out") >> 32) AS high, sum(("in" - "out") & 4294967295) AS low FROM bank_pot)
SELECT '', ((high + (low >> 32)) << 32) + (low & 4294967295), 0 FROM halves
WHERE high + (low >> 32) <> 0 OR low & 4294967295 <> 0

-- All entries, and what is kept of them. They are added up by who asks: grouping millions of rows takes several times as long as reading them.
-- name: bank_check_entries
SELECT "from", "to", amount, kind FROM bank_entry

-- name: bank_check_pots
SELECT p.id, coalesce((SELECT name FROM bank_account a WHERE a.id = p.account), p.kind), p."in", p."out", p.charged, p.expired, p.carried,
    p.refunded
FROM bank_pot p

-- name: bank_check_held
SELECT a.name, a.held, coalesce(l.amount, 0)
FROM bank_account a LEFT JOIN (
    SELECT account, sum(amount) AS amount FROM bank_lien
    WHERE id NOT IN (SELECT lien FROM bank_lien_end) GROUP BY account) l ON l.account = a.id
WHERE a.held <> coalesce(l.amount, 0)

-- name: bank_check_charged
WITH charged AS (SELECT account, sum(charged) AS amount FROM bank_pot WHERE account IS NOT NULL GROUP BY account),
used AS (SELECT coalesce(b.parent, u.account) AS account, sum(u.amount) AS amount
    FROM bank_used u LEFT JOIN bank_parent b ON b.account = u.account GROUP BY 1)
SELECT a.name, coalesce(c.amount, 0), coalesce(u.amount, 0)
FROM bank_account a LEFT JOIN charged c ON c.account = a.id LEFT JOIN used u ON u.account = a.id
WHERE coalesce(c.amount, 0) <> coalesce(u.amount, 0)

-- name: bank_counts
SELECT (SELECT count(*) FROM bank_entry), (SELECT coalesce(sum(count), 0) FROM bank_lines)

-- Allotments that are over and that a default one follows which is not there yet.
-- name: bank_to_follow
SELECT l.id FROM bank_allotment l
WHERE l.account = ? AND l."then" IS NOT NULL AND l."to" <= ?
    AND NOT EXISTS (SELECT 1 FROM bank_allotment f WHERE f."after" = l.id)
ORDER BY l.id

-- name: bank_carried
SELECT "from", "to", sum(amount) FROM bank_entry
WHERE kind = 'carry-over' AND "from" IN (SELECT id FROM bank_pot WHERE account = ?)
GROUP BY "from", "to"

-- name: bank_ended
SELECT DISTINCT l.account FROM bank_allotment l JOIN bank_pot p ON p.allotment = l.id
WHERE l."to" <= ?1 AND ((p.limited = 1 AND p."in" > p."out")
    OR (l."then" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM bank_allotment f WHERE f."after" = l.id)))

-- What a run was refunded on an account, less what of it was taken back.
-- name: bank_refunded
SELECT coalesce(sum(CASE WHEN e."from" = 2 THEN e.amount ELSE -e.amount END), 0)
FROM bank_entry e JOIN bank_pot p ON p.id = CASE WHEN e."from" = 2 THEN e."to" ELSE e."from" END
WHERE e.run = ?1 AND e.kind = 'refund' AND p.account = coalesce((SELECT parent FROM bank_parent WHERE account = ?2), ?2)

-- What people decided, which has no round, and what it comes to with what charging took back and gave again.
-- name: bank_refunds
SELECT p.account, e.run, p.id, sum(CASE WHEN e.round IS NULL THEN e.amount ELSE 0 END),
    sum(CASE WHEN e."from" = 2 THEN e.amount ELSE -e.amount END)
FROM bank_entry e JOIN bank_pot p ON p.id = CASE WHEN e."from" = 2 THEN e."to" ELSE e."from" END
WHERE e.run IS NOT NULL AND e.kind = 'refund'
GROUP BY p.account, e.run, p.id ORDER BY p.account, e.run, min(e.id)

-- What moved on an account before an instant, by when it counts: the view says when.
-- name: bank_moved_before
SELECT coalesce(sum(amount), 0) FROM bank_moved WHERE account = ? AND effect < ?

-- name: bank_moved_between
SELECT kind, sum(amount) FROM bank_moved WHERE account = ? AND effect >= ? AND effect < ? GROUP BY kind

-- name: bank_moves
SELECT m.kind, m.amount, m.effect FROM bank_moved m JOIN bank_entry e ON e.id = m.entry
JOIN bank_pot p ON p.id = CASE WHEN m.amount > 0 THEN e."to" ELSE e."from" END
WHERE m.account = ? AND (p.limited = 1 OR p.kind = 'over') ORDER BY m.effect, m.entry

-- name: bank_notice_sent
SELECT 1 FROM bank_notice_sent WHERE allotment = ? AND what = ?

-- name: bank_tell
INSERT INTO bank_notice_sent (allotment, what, "at") VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: bank_message_sent
SELECT 1 FROM bank_message WHERE "to" = ? AND allotment = ? AND what = ?

-- name: bank_message_last
SELECT max("at") FROM bank_message WHERE "to" = ?

-- name: bank_message_add
INSERT INTO bank_message ("to", allotment, what, "at") VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING

-- What everybody has, or what is about an allotment that is over, is not asked about again but for whether somebody got a message today.
-- name: bank_message_prune
DELETE FROM bank_message
WHERE "at" < ?1 AND (EXISTS (SELECT 1 FROM bank_notice_sent s WHERE s.allotment = bank_message.allotment AND s.what = bank_message.what)
    OR EXISTS (SELECT 1 FROM bank_allotment l WHERE l.id = bank_message.allotment AND l."to" <= ?2))
