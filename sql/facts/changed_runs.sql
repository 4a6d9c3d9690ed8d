-- SPDX-License-Identifier: MIT
--
-- Which runs changed, by the change feed (src/facts/duckdb/changed_runs.c). What reads their columns is built there.

-- name: changed_runs_count_single
SELECT count(*)
FROM changes
WHERE seq > ? AND seq <= ?
  AND kind IN ('replaced', 'ended', 'removed')
