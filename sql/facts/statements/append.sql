-- SPDX-License-Identifier: MIT
--
-- A batch of runs among older ones (src/facts/duckdb/append.c). What is over the identity of runs is built there, into the
-- tables that are declared here first.

-- Rows of the batch that another row of it replaces.
-- name: append_repeats
CREATE OR REPLACE TEMP TABLE run_repeats (doomed_row BIGINT, same BOOLEAN, own BOOLEAN)

-- Rows of the batch and older rows of the same runs: which of the two is to go.
-- name: append_twins
CREATE OR REPLACE TEMP TABLE run_twins (
    stays BOOLEAN, earlier BIGINT, change VARCHAR, same BOOLEAN, doomed_row BIGINT, kept_row BIGINT, own BOOLEAN,
    new_row BIGINT, old_row BIGINT, mixed BOOLEAN, merges BOOLEAN)

-- name: append_count_merges
SELECT count(*) FROM run_twins WHERE merges

-- name: append_count_mixed
SELECT count(*) FROM run_twins WHERE mixed

-- name: append_count_changes
SELECT count(change) FROM run_twins

-- name: append_count_earlier
SELECT count(earlier) FROM run_twins

-- name: append_pairs
CREATE OR REPLACE TEMP TABLE pairs AS SELECT old_row, new_row FROM run_twins WHERE merges

-- name: append_decide_merged
UPDATE run_twins
SET stays = is_old, same = is_old, mixed = NOT is_old AND NOT is_new,
    doomed_row = CASE WHEN is_old THEN m.new_row ELSE m.old_row END,
    kept_row = CASE WHEN is_old THEN m.old_row ELSE m.new_row END,
    earlier = NULL,
    change = CASE WHEN is_old THEN NULL WHEN ends THEN 'ended' ELSE 'replaced' END
FROM outcomes m
WHERE merges AND m.old_row = run_twins.old_row

-- name: append_remove_mixed
DELETE FROM runs WHERE rowid IN (SELECT new_row FROM run_twins WHERE mixed)

-- name: append_write_mixed
INSERT INTO runs BY NAME
SELECT * EXCLUDE (old_row) FROM merged WHERE old_row IN (SELECT old_row FROM run_twins WHERE mixed)

-- name: append_changed_twins
SELECT DISTINCT kept_row AS run_row, change AS kind FROM run_twins

-- name: append_keep_sightings
UPDATE runs
SET seen = t.seen
FROM (SELECT kept_row, max(o.seen) AS seen
      FROM run_twins
      JOIN runs o ON o.rowid = doomed_row
      JOIN runs k ON k.rowid = kept_row
      WHERE o.seen IS NOT NULL AND o.until = ? AND NOT merges
        -- what was inferred from a file gives way to what a record of it says (seen-recorded)
        AND NOT (o.file = k.file AND o.flags & 4096 = 0 AND k.flags & 4096 <> 0)
      GROUP BY kept_row) t
WHERE runs.rowid = t.kept_row AND (runs.seen IS NULL OR runs.seen < t.seen) AND runs.until = ?

-- name: append_keep_starts
UPDATE runs
SET start = t.earlier
FROM (SELECT kept_row, min(earlier) AS earlier FROM run_twins WHERE earlier IS NOT NULL GROUP BY kept_row) t
WHERE runs.rowid = t.kept_row

-- Records of tasks that wait together, of an array whose last task has its own record: one of the two is of the batch.
-- name: append_outgrown
CREATE OR REPLACE TEMP TABLE outgrown AS
SELECT DISTINCT o.rowid AS doomed_row, o.batch = ? AS same, false AS own
FROM runs o
JOIN runs n ON n.cluster = o.cluster AND n.job = o.job
WHERE o.task_count IS NOT NULL AND o.task IS NULL AND o."end" IS NULL
  AND n.task IS NOT NULL AND n.job_raw = n.job AND n.attempt >= o.attempt
  AND (n.batch = ? OR o.batch = ?)
  AND o.rowid NOT IN (SELECT doomed_row FROM run_repeats UNION ALL SELECT doomed_row FROM run_twins)

-- name: append_most_tasks
SELECT max(task_count) FROM runs

-- name: append_announce
INSERT INTO unsettled VALUES (?, ?, ?, ?)

-- name: append_unsettled
SELECT batch, first_time, last_time, doubled::BIGINT FROM unsettled ORDER BY batch

-- name: append_settled
DELETE FROM unsettled WHERE batch = ?

-- The same record of a file as two runs: it was read again in another zone. The later one holds.
-- name: append_find_outdated
CREATE OR REPLACE TEMP TABLE outdated AS
SELECT DISTINCT o.rowid AS run_row
FROM runs o
JOIN runs n ON n.file = o.file AND n.line = o.line AND n.digest = o.digest AND n.job IS NOT DISTINCT FROM o.job
WHERE o.file = ? AND o.batch < n.batch

-- name: append_drop_outdated
DELETE FROM runs WHERE rowid IN (SELECT run_row FROM outdated)
