-- SPDX-License-Identifier: MIT
--
-- Pairs of rows that are merged, in slices (src/facts/duckdb/merge.c).

-- name: merge_outcomes
CREATE OR REPLACE TEMP TABLE outcomes (
    old_row BIGINT, new_row BIGINT, is_old BOOLEAN, is_new BOOLEAN, ends BOOLEAN, moves BOOLEAN)

-- name: merge_slices
SELECT min(old_row), max(old_row), min(new_row), max(new_row)
FROM (SELECT old_row, new_row, row_number() OVER (ORDER BY old_row) - 1 AS place FROM pairs)
GROUP BY place // ?
ORDER BY 1
