-- SPDX-License-Identifier: MIT
--
-- What a connection that may see a part only is shown (src/facts/duckdb/restrict.c). The views are built there.

-- Runs first: the view of samples looks into that of runs.
-- name: restrict_tables
SELECT table_name, database_name
FROM duckdb_tables()
WHERE NOT temporary
  AND NOT internal
ORDER BY table_name <> 'runs'

-- Stretches of time in which runs of somebody are managed by the caller, or by others.
-- name: restrict_make_managed
CREATE OR REPLACE TEMP TABLE managed (rank INTEGER, name VARCHAR, lower BIGINT, upper BIGINT, mine BOOLEAN)
