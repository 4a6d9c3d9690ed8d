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
