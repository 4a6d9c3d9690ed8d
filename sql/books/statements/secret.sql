-- SPDX-License-Identifier: MIT
--
-- Who may log in and who did (src/books/secret.c), in the words of SQLite.

-- All of that kind and name, or the one with this hash.
-- name: secret_remove
DELETE FROM secret
WHERE kind = ?1
  AND name = ?2
  AND (?3 IS NULL OR hash = ?3)

-- name: secret_put
INSERT INTO secret (kind, name, hash, until) VALUES (?, ?, ?, nullif(?, 0))

-- name: secret_owner
SELECT name
FROM secret
WHERE kind = ?
  AND hash = ?
  AND (until IS NULL OR until > ?)

-- name: secret_of
SELECT hash FROM secret WHERE kind = ? AND name = ?

-- name: secret_audit
INSERT INTO audit ("at", who, "from", what) VALUES (?, ?, ?, ?)

-- Those that are older than the newest 200000; the trigger refuses others.
-- name: secret_audit_prune
DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - 200000

-- The last ?2 of one who, or of all where that is NULL, oldest first.
-- name: secret_events
SELECT "at", who, "from", what
FROM (SELECT * FROM audit WHERE ?1 IS NULL OR who = ?1 ORDER BY id DESC LIMIT ?2)
ORDER BY id
