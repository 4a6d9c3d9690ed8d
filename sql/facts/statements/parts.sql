-- SPDX-License-Identifier: MIT
--
-- Parts of runs: which run each belongs to, and which runs have to be summed again (src/facts/duckdb/parts.c; the rule is in
-- parts.h). What is put together from the measured fields is built there.
--
-- A job is (k_cluster, k_job, k_key, k_task), with values in the place of NULL: joins on plain equality are hashed, those
-- on IS NOT DISTINCT FROM not always.

-- name: parts_any
SELECT count(*) FROM (FROM parts LIMIT 1)

-- Lines of a batch that the pool is not sure of; there but empty if it did not say.
-- name: parts_make_open
CREATE TEMP TABLE IF NOT EXISTS open_parts (line BIGINT)

-- Jobs with parts that have to be looked at, of a batch ($1): of parts in the batch (of those that are open, if that is
-- known: $4), of runs in it with older parts, of parts in it with older runs. Its records lie between $2 and $3, with what
-- clocks may differ added. Parts of a run that has not ended may start at any time, up to the last instant there is.
-- name: parts_find_touched
CREATE OR REPLACE TEMP TABLE touched AS
WITH batch_parts AS NOT MATERIALIZED (
    SELECT cluster AS k_cluster, coalesce(job, -1) AS k_job, coalesce(job_key, '') AS k_key,
           coalesce(task, -1) AS k_task, line
    FROM parts
    WHERE batch = $1 AND part <> ''),
batch_runs AS NOT MATERIALIZED (
    SELECT cluster AS k_cluster, coalesce(job, -1) AS k_job, coalesce(job_key, '') AS k_key,
           coalesce(task, -1) AS k_task
    FROM runs
    WHERE batch = $1),
older_parts AS NOT MATERIALIZED (
    SELECT cluster AS k_cluster, coalesce(job, -1) AS k_job, coalesce(job_key, '') AS k_key,
           coalesce(task, -1) AS k_task
    FROM parts
    WHERE batch <> $1
      AND start >= $2
      AND start <= coalesce((SELECT max(9223372036854775807)
                             FROM runs
                             WHERE batch = $1 AND start IS NOT NULL AND "end" IS NULL),
                            $3)),
older_runs AS NOT MATERIALIZED (
    SELECT cluster AS k_cluster, coalesce(job, -1) AS k_job, coalesce(job_key, '') AS k_key,
           coalesce(task, -1) AS k_task
    FROM runs
    WHERE batch <> $1
      AND start <= $3
      AND ("end" IS NULL OR "end" >= $2))
SELECT k_cluster, k_job, k_key, k_task
FROM batch_parts
WHERE $4 = 0 OR line IN (SELECT line FROM open_parts)
UNION
SELECT *
FROM batch_runs
SEMI JOIN older_parts USING (k_cluster, k_job, k_key, k_task)
UNION
SELECT k_cluster, k_job, k_key, k_task
FROM batch_parts
SEMI JOIN older_runs USING (k_cluster, k_job, k_key, k_task)

-- name: parts_count_touched
SELECT count(*) FROM touched

-- The parts of touched jobs.
-- name: parts_find_waiting
CREATE OR REPLACE TEMP TABLE waiting AS
SELECT p.rowid AS part_row, p.start, p.digest, t.*
FROM parts p
JOIN touched t ON p.cluster = t.k_cluster
              AND coalesce(p.job, -1) = t.k_job
              AND coalesce(p.job_key, '') = t.k_key
              AND coalesce(p.task, -1) = t.k_task
WHERE p.part <> ''

-- The runs of touched jobs that any of these may belong to, clocks being $1 apart; $2 is the flag of runs with parts.
-- name: parts_find_candidates
CREATE OR REPLACE TEMP TABLE candidates AS
SELECT r.rowid AS run_row, r.attempt, r.start, r."end", r.digest, (r.flags & $2) <> 0 AS merged, t.*
FROM runs r
JOIN touched t ON r.cluster = t.k_cluster
              AND coalesce(r.job, -1) = t.k_job
              AND coalesce(r.job_key, '') = t.k_key
              AND coalesce(r.task, -1) = t.k_task
WHERE r.start <= (SELECT max(start) FROM waiting) + $1
  AND (r."end" IS NULL OR r."end" >= (SELECT min(start) FROM waiting) - $1)

-- For each part the run that was running when it started, the latest of several.
-- name: parts_assign
CREATE OR REPLACE TEMP TABLE assigned AS
SELECT w.part_row, arg_max(c.run_row, c.start) AS run_row, any_value(w.digest) AS digest
FROM waiting w
JOIN candidates c USING (k_cluster, k_job, k_key, k_task)
WHERE w.start >= c.start - $1
  AND w.start <= coalesce(c."end", w.start) + $1
GROUP BY w.part_row

-- The own records of runs of touched jobs: what each said before any part was added.
-- name: parts_find_own
CREATE OR REPLACE TEMP TABLE own AS
SELECT p.rowid AS own_row, p.attempt, p.digest, p.whole, t.*
FROM parts p
JOIN touched t ON p.cluster = t.k_cluster
              AND coalesce(p.job, -1) = t.k_job
              AND coalesce(p.job_key, '') = t.k_key
              AND coalesce(p.task, -1) = t.k_task
WHERE p.part = ''

-- Runs whose sums are not those of the parts assigned to them, and the own record of those that had parts before.
-- name: parts_find_dirty
CREATE OR REPLACE TEMP TABLE dirty AS
SELECT c.run_row, max(CASE WHEN c.merged THEN o.own_row END) AS own_row
FROM candidates c
LEFT JOIN (SELECT run_row, bit_xor(digest) AS digests FROM assigned GROUP BY run_row) a USING (run_row)
LEFT JOIN own o ON o.k_cluster = c.k_cluster
               AND o.k_job = c.k_job
               AND o.k_key = c.k_key
               AND o.k_task = c.k_task
               AND o.attempt = c.attempt
               AND o.digest = c.digest
WHERE coalesce(a.digests, 0) <> coalesce(CASE WHEN c.merged THEN o.whole END, 0)
GROUP BY c.run_row

-- name: parts_count_dirty
SELECT count(*) FROM dirty

-- Own records of dirty runs, of whatever version of the run: newer ones take their place.
-- name: parts_remove_own
DELETE FROM parts
WHERE rowid IN (
    SELECT p.rowid
    FROM parts p
    JOIN (SELECT c.* FROM candidates c JOIN dirty USING (run_row)) c
      ON p.cluster = c.k_cluster
     AND coalesce(p.job, -1) = c.k_job
     AND coalesce(p.job_key, '') = c.k_key
     AND coalesce(p.task, -1) = c.k_task
     AND p.attempt = c.attempt
    WHERE p.part = '')

-- The rows that take the place of the dirty runs.
-- name: parts_make_renewed
CREATE OR REPLACE TEMP TABLE renewed AS FROM runs LIMIT 0

-- name: parts_remove_dirty
DELETE FROM runs WHERE rowid IN (SELECT run_row FROM dirty)

-- name: parts_write_renewed
INSERT INTO runs FROM renewed

-- name: parts_drop_renewed
DROP TABLE renewed
