-- SPDX-License-Identifier: MIT
--
-- The history of the books (src/books/history.c), in the words of SQLite.

-- With its number if it has one (a dump that is restored), else with the next.
-- name: history_add
INSERT INTO history (id, "at", who, operation, kind, item, before, after)
VALUES (nullif(?, 0), ?, ?, ?, ?, ?, ?, ?)

-- The last ?6 changes, oldest first. A condition that is NULL or 0 is none; -1 is no limit.
-- name: history_list
SELECT *
FROM (SELECT id, "at", who, operation, kind, item, before, after
      FROM history
      WHERE ifnull(who = ?1, 1)
        AND ifnull(kind = ?2, 1)
        AND (?3 = 0 OR item = ?3)
        AND "at" >= ?4
        AND (?5 = 0 OR "at" < ?5)
      ORDER BY id DESC
      LIMIT ?6)
ORDER BY id

-- The rows of a kind as they were after change ?2.
-- name: history_rows_of
SELECT h.item, h.after FROM history h
WHERE h.kind = ?1 AND h.id <= ?2 AND h.after IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM history x WHERE x.kind = h.kind AND x.item = h.item AND x.id > h.id AND x.id <= ?2)
ORDER BY h.item
