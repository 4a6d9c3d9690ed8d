-- SPDX-License-Identifier: MIT
--
-- What the store has ever heard of.

-- name: values_logins
SELECT DISTINCT cluster, "user"
FROM runs
WHERE cluster IS NOT NULL AND "user" IS NOT NULL
ORDER BY 2, 1

-- name: values_jobs
SELECT job_key FROM runs WHERE job_key IS NOT NULL
UNION
SELECT name FROM runs WHERE job IS NULL AND name IS NOT NULL
ORDER BY 1

-- name: values_clusters
SELECT count(DISTINCT cluster) FROM runs

-- name: values_clusters_seen
SELECT count(*) FROM marks WHERE what = 'node'

-- name: values_first_look
SELECT min(seen_to) FROM marks WHERE what = 'node'

-- name: values_members
SELECT DISTINCT "user", account, "group" FROM runs

-- The span of all runs, from the statistics of three columns: no row is read.
-- name: values_first_instant
SELECT least(min(submit), min(start), min("end")) FROM runs

-- name: values_last_instant
SELECT greatest(max(submit), max(start), max("end")) FROM runs
