-- SPDX-License-Identifier: MIT
--
-- The rule for runs that vanished (src/facts/duckdb/vanished.h), on the temporary table `vanished` that the caller made.

-- Those that vanished before while they waited: what they waited for may have come since. The plain comparison of flags
-- lets the engine skip most of the table.
-- name: vanished_add_earlier
INSERT INTO vanished (run_row, cluster, job, job_key, task, het, name, account, "user", submit, start, "end", seen)
SELECT rowid, cluster, job, job_key, task, het, name, account, "user", submit, start, "end", seen
FROM runs
WHERE cluster = ?
  AND flags >= ?
  AND (flags & ?) <> 0
  AND start IS NULL
  AND "end" IS NOT NULL

-- The waiting ones whose job is there as another run (r) that did something since. A task that waited with others is
-- distinguished from them once it starts, so that any task of the array is another run of it. Where jobs have no number
-- (Nomad), runs have names of their own, and the job is identified by its name, account and user.
-- name: vanished_find_moved
CREATE OR REPLACE TEMP TABLE moved AS
SELECT v.run_row
FROM vanished v
JOIN runs r ON r.cluster = v.cluster
           AND r.job IS NOT DISTINCT FROM v.job
           AND r.job_key IS NOT DISTINCT FROM v.job_key
           AND (v.task IS NULL OR v.task = r.task)
           AND (v.het IS NULL OR v.het = r.het)
WHERE v.start IS NULL
  AND r.rowid NOT IN (SELECT run_row FROM vanished WHERE start IS NULL)
  AND (v.submit IS NULL OR greatest(r.submit, r.start, r."end") >= v.submit)
UNION
SELECT v.run_row
FROM vanished v
JOIN runs r ON r.cluster = v.cluster
           AND r.name IS NOT DISTINCT FROM v.name
           AND r.account IS NOT DISTINCT FROM v.account
           AND r."user" IS NOT DISTINCT FROM v."user"
WHERE v.job IS NULL
  AND r.job IS NULL
  AND r.start IS NOT NULL
  AND v.start IS NULL
  AND r.rowid NOT IN (SELECT run_row FROM vanished WHERE start IS NULL)
  AND (v.submit IS NULL OR greatest(r.submit, r.start, r."end") >= v.submit)

-- The others ended when they were last seen, never before they started.
-- name: vanished_find_capped
CREATE OR REPLACE TEMP TABLE capped AS
SELECT run_row, greatest(coalesce(seen, start, submit), coalesce(start, submit)) AS ended
FROM vanished
WHERE "end" IS NULL
  AND run_row NOT IN (SELECT run_row FROM moved)

-- name: vanished_remove_moved
DELETE FROM runs WHERE rowid IN (SELECT run_row FROM moved)
