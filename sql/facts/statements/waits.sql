-- SPDX-License-Identifier: MIT
--
-- What waits by a listing (the temporary table `listed` of snapshot.sql), against the open stretches of `waits`
-- (src/facts/duckdb/wait_stretches.c). $1 is the cluster, $2 the end of a stretch that has none.

-- What a batch of a file has of listings, with the starts that the scheduler expects.
-- name: waits_gather
INSERT INTO listed
SELECT r.*, e."start"
FROM runs r
LEFT JOIN (SELECT DISTINCT ON (digest) digest, "start" FROM waits_expected) e ON e.digest = r.digest
WHERE r.batch = ? AND r.origin = ? AND (r.seen IS NOT NULL OR r.class <> 'pending')

-- The listings in it: one for each instant.
-- name: waits_listings
SELECT DISTINCT cluster, seen FROM listed WHERE seen IS NOT NULL AND (start IS NULL OR start < seen) ORDER BY seen, cluster

-- By the listing of the instant $2; of a run that it has twice the last record stays.
-- name: waits_now
CREATE OR REPLACE TEMP TABLE waits_now AS
SELECT job_key, job, task, het, attempt, "user", "group", account, "partition", qos, submit,
       coalesce(task_count, 1) AS tasks, reason, priority, start_expected, rowid AS place
FROM listed
WHERE cluster = $1 AND coalesce(seen, $2) = $2 AND class = 'pending' AND start IS NULL
QUALIFY row_number() OVER (PARTITION BY job_key, job, task, het, attempt ORDER BY rowid DESC) = 1

-- The open stretches with what the listing says of their jobs; place is absent where they wait no more, and `named` says
-- whether it has them at all.
-- name: waits_open
CREATE OR REPLACE TEMP TABLE waits_open AS
SELECT o.rowid AS wait_row, o.reason IS NOT DISTINCT FROM n.reason AS same_reason, o."from", o.priority_last,
       o.expected_first, o.expected_last, o.tasks, n.place, n.priority AS now_priority,
       n.start_expected AS now_expected, n.tasks AS now_tasks, j.job IS NOT NULL AS named
FROM waits o
LEFT JOIN (SELECT DISTINCT job FROM listed WHERE cluster = $1 AND job IS NOT NULL) j ON j.job = o.job
LEFT JOIN waits_now n ON n.job_key IS NOT DISTINCT FROM o.job_key AND n.job IS NOT DISTINCT FROM o.job
                     AND n.task IS NOT DISTINCT FROM o.task AND n.het IS NOT DISTINCT FROM o.het
                     AND n.attempt IS NOT DISTINCT FROM o.attempt
WHERE o.cluster = $1 AND o."until" = $2

-- After a pause all of them end; else those of jobs that wait no more, or for another reason, and those whose expected
-- start has moved by more than $1, and by more than an eighth of what was left when it was first named.
-- name: waits_ending
CREATE OR REPLACE TEMP TABLE waits_ending AS
SELECT wait_row, place, place IS NULL AND NOT named AS silent
FROM waits_open
WHERE $2 = 1
   OR place IS NULL
   OR NOT same_reason
   OR coalesce(abs(now_expected - expected_first) > greatest($1, (expected_first - "from") // 8), false)

-- At $1; those of jobs that the listing does not name at $2.
-- name: waits_end
UPDATE waits
SET "until" = greatest("from", CASE WHEN e.silent THEN $2 ELSE $1 END)
FROM waits_ending e
WHERE waits.rowid = e.wait_row

-- name: waits_refresh
UPDATE waits
SET priority_last = coalesce(n.now_priority, waits.priority_last),
    expected_at = CASE WHEN waits.expected_first IS NULL AND n.now_expected IS NOT NULL THEN ? ELSE waits.expected_at END,
    expected_first = coalesce(waits.expected_first, n.now_expected),
    expected_last = coalesce(n.now_expected, waits.expected_last),
    tasks = n.now_tasks
FROM waits_open n
WHERE waits.rowid = n.wait_row
  AND n.wait_row NOT IN (SELECT wait_row FROM waits_ending)
  AND (n.now_priority IS DISTINCT FROM n.priority_last OR n.now_expected IS DISTINCT FROM n.expected_last
       OR n.now_tasks <> n.tasks)

-- name: waits_begin
INSERT INTO waits
SELECT $1, job_key, job, task, het, attempt, "user", "group", account, "partition", qos, submit, tasks, $2, $3, reason,
       priority, priority, start_expected, CASE WHEN start_expected IS NOT NULL THEN $2 END, start_expected
FROM waits_now
WHERE place NOT IN (SELECT place FROM waits_open
                    WHERE place IS NOT NULL AND wait_row NOT IN (SELECT wait_row FROM waits_ending))
ORDER BY job, task

-- name: waits_forget
DELETE FROM waits WHERE "until" < ?
