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

-- name: values_runs
SELECT count(*) FROM runs

-- The names of every list of several nodes, in order, and a row without a name for nodes that are not listed (`rest`).
-- The empty list stands for runs without one, or whose list is their first node; a list that cannot be read is like
-- it: no names.
-- name: values_make_hosts
CREATE OR REPLACE TEMP TABLE hosts AS
WITH
    lists AS (
        SELECT nodes AS list, @items(@hosts(nodes)) AS host
        FROM (SELECT DISTINCT nodes FROM runs WHERE nodes <> '' AND @differs(nodes, node))
        UNION ALL
        SELECT '', NULL
    ),
    places AS (
        SELECT
            list,
            host,
            row_number() OVER (PARTITION BY list ORDER BY host) - 1 AS place,
            count(host) OVER (PARTITION BY list) AS names
        FROM lists
    )
SELECT list, host, place, names, false AS rest FROM places
UNION ALL
SELECT list, NULL, names, names, true FROM places WHERE place = 0
