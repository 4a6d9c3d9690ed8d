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

-- The names of every list of several nodes that runs have which end not before, and begin before, an instant; in order,
-- and a row without a name for nodes that are not listed (`rest`).
-- The empty list stands for runs without one, or whose list is their first node; a list that cannot be read is like
-- it: no names.
-- name: values_make_hosts
CREATE OR REPLACE TEMP TABLE hosts AS
WITH
    lists AS (
        SELECT nodes AS list, @hosts(nodes) AS hosts
        FROM (
            SELECT DISTINCT nodes
            FROM runs
            WHERE
                nodes <> ''
                AND @differs(nodes, node)
                AND coalesce(least(submit, start, "end") < ?, true)
                AND coalesce(greatest(submit, start, "end", "until") >= ?, true)
        )
        UNION ALL
        SELECT '', NULL
    ),
    counted AS (
        SELECT list, hosts, coalesce(length(hosts) - length(replace(hosts, ',', '')) + 1, 0) AS names
        FROM lists
    ),
    places AS (SELECT list, names, @items(hosts) AS host, @each(0, names) AS place FROM counted)
SELECT list, host, coalesce(place, 0) AS place, names, false AS rest FROM places
UNION ALL
SELECT list, NULL, names, names, true FROM counted
