-- SPDX-License-Identifier: MIT
--
-- Samples of processes. A batch comes into the temporary table `incoming`; `repeats` and `twins` are what of it is there
-- already (facts/duckdb/samples.c).

-- name: samples_make_incoming
CREATE OR REPLACE TEMP TABLE incoming AS FROM samples LIMIT 0

-- name: samples_count
SELECT count(*) FILTER (same), count(*) FILTER (NOT same AND NOT again), count(*) FILTER (again)
FROM (SELECT same, false AS again FROM repeats UNION ALL SELECT same, again FROM twins)

-- name: samples_drop_replaced
DELETE FROM samples WHERE rowid IN (SELECT old FROM twins WHERE again)

-- name: samples_insert
INSERT INTO samples
FROM incoming
WHERE rowid NOT IN (SELECT fresh FROM repeats UNION ALL SELECT fresh FROM twins WHERE NOT again)

-- name: samples_overview
WITH taken AS (
    SELECT cluster, source, count(*) AS samples, count(DISTINCT node) AS nodes, min("time") AS first_time,
           max("time") AS last_time
    FROM samples
    GROUP BY ALL),
read_files AS (SELECT DISTINCT cluster, source, file FROM samples UNION SELECT cluster, source, file FROM files),
reach AS (
    SELECT cluster, source, max(b.last_time) AS seen_to
    FROM read_files
    JOIN batches b USING (file)
    WHERE what = 'sample'
    GROUP BY ALL)
SELECT cluster, source, samples, nodes, first_time, last_time, greatest(last_time, seen_to) AS reach
FROM taken
LEFT JOIN reach USING (cluster, source)
ORDER BY cluster, source

-- name: samples_drop_incoming
DROP TABLE incoming
