-- SPDX-License-Identifier: MIT
--
-- A listing of what waits and runs, against the runs (src/facts/duckdb/live_jobs.c). Statements over the identity of runs are
-- built there.

-- name: snapshot_listed
CREATE OR REPLACE TEMP TABLE listed AS SELECT *, NULL::BIGINT AS start_expected FROM runs LIMIT 0

-- Listed runs and their rows: whether the listing knows more (learns), the run has not ended (open), and the listing says
-- what is known (just_so).
-- name: snapshot_sighted
CREATE OR REPLACE TEMP TABLE sighted (listed_row BIGINT, run_row BIGINT, learns BOOLEAN, "open" BOOLEAN, just_so BOOLEAN)

-- name: snapshot_fresh
CREATE OR REPLACE TEMP TABLE fresh AS
SELECT *, rowid AS listed_row FROM listed WHERE rowid NOT IN (SELECT listed_row FROM sighted)

-- name: snapshot_pairs
CREATE OR REPLACE TEMP TABLE pairs AS
SELECT run_row AS old_row, listed_row AS new_row FROM sighted WHERE NOT just_so

-- name: snapshot_count_pairs
SELECT count(*) FROM pairs

-- name: snapshot_merged_just_so
UPDATE sighted
SET just_so = true
FROM outcomes m
WHERE m.old_row = run_row AND (is_old OR NOT (moves OR learns))

-- name: snapshot_going
CREATE OR REPLACE TEMP TABLE going AS SELECT DISTINCT run_row FROM sighted WHERE NOT just_so

-- name: snapshot_coming
CREATE OR REPLACE TEMP TABLE coming AS
SELECT rowid AS listed_row
FROM listed
WHERE rowid NOT IN (SELECT listed_row FROM sighted WHERE just_so)

-- name: snapshot_count_listed
SELECT count(*) FROM listed

-- name: snapshot_count_coming
SELECT count(*) FROM coming

-- name: snapshot_count_going
SELECT count(*) FROM going

-- name: snapshot_write_seen
UPDATE runs SET seen = ? WHERE rowid IN (SELECT run_row FROM sighted WHERE just_so AND open)

-- name: snapshot_seen_clusters
SELECT cluster FROM listed WHERE rowid IN (SELECT listed_row FROM sighted WHERE just_so AND open)

-- name: snapshot_remove_going
DELETE FROM runs WHERE rowid IN (SELECT run_row FROM going)

-- name: snapshot_write_merged
INSERT INTO runs BY NAME
SELECT * EXCLUDE (old_row) FROM merged WHERE old_row IN (SELECT run_row FROM going)

-- name: snapshot_write_replacing
INSERT INTO runs BY NAME
SELECT * EXCLUDE (start_expected)
FROM listed
WHERE rowid IN (SELECT new_row FROM outcomes WHERE is_new AND old_row IN (SELECT run_row FROM going))

-- name: snapshot_write_new
INSERT INTO runs BY NAME
SELECT * EXCLUDE (start_expected) FROM listed WHERE rowid NOT IN (SELECT listed_row FROM sighted)

-- name: snapshot_note_coming
INSERT INTO rollup_dirty
SELECT first, last
FROM (SELECT least(min(submit), min(start), min("end")) AS first, greatest(max(submit), max(start), max("end")) AS last
      FROM listed
      WHERE rowid IN (SELECT listed_row FROM coming))
WHERE first IS NOT NULL

-- name: snapshot_batch
SELECT max(batch) FROM listed

-- Runs that were seen later than this: the clock was wrong then.
-- name: snapshot_ahead
CREATE OR REPLACE TEMP TABLE ahead AS
SELECT rowid AS run_row FROM runs WHERE cluster = ? AND until = ? AND seen > ?

-- name: snapshot_mend_ahead
UPDATE runs SET seen = ? WHERE rowid IN (SELECT run_row FROM ahead)

-- What only listings have, and that has not ended or has vanished.
-- name: snapshot_sightings
CREATE OR REPLACE TEMP TABLE sightings AS
SELECT rowid AS run_row, cluster, job, job_key, task, het, submit, start, until
FROM runs
WHERE cluster = ? AND seen IS NOT NULL AND (until = ? OR (flags >= ? AND (flags & ?) <> 0))

-- name: snapshot_count_sightings
SELECT count(*) FROM sightings

-- Of these, the ones that a record with an end is of: started at the same time as far as two clocks can tell, or submitted at
-- the same time where the listing had seen no start.
-- name: snapshot_superseded
CREATE OR REPLACE TEMP TABLE superseded AS
SELECT DISTINCT v.run_row
FROM sightings v
JOIN runs r ON r.cluster = v.cluster AND r.job IS NOT DISTINCT FROM v.job
           AND r.job_key IS NOT DISTINCT FROM v.job_key AND r.het IS NOT DISTINCT FROM v.het
WHERE r.seen IS NULL AND r."end" IS NOT NULL
  AND r."end" >= (SELECT min(coalesce(start, submit)) FROM sightings)
  AND ((r.task IS NOT DISTINCT FROM v.task AND r.start BETWEEN v.start - ? AND v.start + ? AND r."end" >= v.start)
       OR (v.start IS NULL AND v.until <> ? AND r.submit = v.submit AND (v.task IS NULL OR v.task = r.task)))

-- name: snapshot_remove_superseded
DELETE FROM runs WHERE rowid IN (SELECT run_row FROM superseded)
