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

-- Nodes of which the scheduler does not say what it has allocated; 9223372036854775807 is a stretch that has not ended.
-- name: values_nodes_unsaid
SELECT count(*) FROM nodes
WHERE "until" = 9223372036854775807 AND (cpus_alloc IS NULL OR (gpus > 0 AND gpus_alloc IS NULL))

-- name: values_first_look
SELECT min(seen_to) FROM marks WHERE what = 'node'

-- name: values_members
SELECT DISTINCT "user", account, "group" FROM runs

-- The span of all runs; three columns of all of them are read.
-- name: values_span
SELECT least(min(submit), min(start), min("end")), greatest(max(submit), max(start), max("end")) FROM runs

-- name: values_runs
SELECT count(*) FROM runs

-- The names of every list of several nodes that runs have which end not before, and begin before, an instant, and have a
-- node to do with, where one is named (not ''); in order,
-- and a row without a name for nodes that are not listed (`rest`).
-- Where a list says the cpus of each of its nodes, these are those from cpus_low to cpus_high of cpus_of; earlier names
-- lie higher.
-- The empty list stands for runs without one, or whose list is their first node; a list that cannot be read is like
-- it: no names.
-- name: values_make_hosts
CREATE OR REPLACE TEMP TABLE hosts AS
WITH
    lists AS (
        SELECT nodes AS list, @hosts(nodes) AS hosts, @host_cpus(nodes) AS host_cpus
        FROM (
            SELECT DISTINCT nodes
            FROM runs
            WHERE
                nodes <> ''
                AND @differs(nodes, node)
                AND coalesce(least(submit, start, "end") < ?, true)
                AND coalesce(greatest(submit, start, "end", "until") >= ?, true)
                AND (@text(?) = '' OR coalesce(node = @text(?), false) OR @has_host(nodes, @text(?)))
        )
        UNION ALL
        SELECT '', NULL, NULL
    ),
    counted AS (
        SELECT
            list, hosts, host_cpus, coalesce(length(hosts) - length(replace(hosts, ',', '')) + 1, 0) AS names
        FROM lists
    ),
    places AS (
        SELECT list, names, @items(hosts) AS host, @long(@items(host_cpus)) AS cpus, @each(0, names) AS place
        FROM counted
    ),
    weighed AS (
        SELECT
            list, host, place, names, cpus,
            @long(sum(cpus) OVER (PARTITION BY list)) AS cpus_of,
            @long(sum(cpus) OVER (PARTITION BY list ORDER BY place DESC)) AS cpus_high
        FROM places
        WHERE cpus IS NOT NULL
    )
SELECT list, host, place, names, false AS rest, cpus_of, cpus_high - cpus AS cpus_low, cpus_high
FROM weighed
UNION ALL
SELECT list, host, coalesce(place, 0), names, false, NULL, NULL, NULL FROM places WHERE cpus IS NULL
UNION ALL
SELECT list, NULL, names, names, true, NULL, NULL, NULL FROM counted
