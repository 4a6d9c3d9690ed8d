-- SPDX-License-Identifier: MIT
--
-- The rows that a recomputation goes through, a stretch of them at a time.

-- name: recompute_rows
SELECT max(rowid) + 1 FROM runs
