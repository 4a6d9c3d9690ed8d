-- SPDX-License-Identifier: MIT
--
-- Listings of what waits and runs, as rows of `askings`, and what follows from them (src/facts/duckdb/listings.c). The
-- kind of question (`what`) and the way it was asked (`via`) are those of facts/listings.h.

-- Once, however often a listing is taken.
-- name: sighting_note
INSERT INTO askings ("at", cluster, what, via, took_us, bytes, records)
SELECT $1, $2, $3, $4, 0, 0, $5
WHERE NOT EXISTS (SELECT 1 FROM askings WHERE cluster = $2 AND "at" = $1 AND what = $3 AND via = $4)

-- Open runs that a later listing did not have. Only those that listings alone speak of: the origin of the record that says
-- how a run stands is a character of field_origins ($3 is its place), or that of the whole run.
-- name: sighting_find_vanished
CREATE OR REPLACE TEMP TABLE vanished AS
SELECT o.rowid AS run_row, o.cluster, o.job, o.job_key, o.task, o.het, o.name, o.account, o."user", o.submit, o.start,
       o."end", o.seen
FROM runs o
WHERE o.cluster = $1
  AND o.source = $2
  AND o."end" IS NULL
  AND coalesce(substr(o.field_origins, $3, 1), o.origin::VARCHAR) = $4::VARCHAR
  AND o.seen < (SELECT max("at") FROM askings WHERE cluster = $1 AND what = $5 AND via = $6)

-- name: sighting_overview
WITH listed AS (
    SELECT DISTINCT cluster, "at" FROM askings WHERE what = ? AND via = ? AND failure IS NULL),
spaced AS (
    SELECT cluster, "at", lead("at") OVER (PARTITION BY cluster ORDER BY "at") AS following FROM listed),
kept AS (
    SELECT cluster, count(*) AS listings, min("at") AS first, max("at") AS last,
           quantile_disc(following - "at", 0.5) AS usual
    FROM spaced
    GROUP BY cluster)
SELECT cluster, listings, first, last, CASE WHEN listings >= ? THEN usual END AS usual
FROM kept
ORDER BY cluster

-- Longer than one and a half times what is usual between two listings.
-- name: sighting_gaps
WITH listed AS (
    SELECT DISTINCT cluster, "at" FROM askings WHERE what = ? AND via = ? AND failure IS NULL),
spaced AS (
    SELECT cluster, "at", lead("at") OVER (PARTITION BY cluster ORDER BY "at") AS following FROM listed),
kept AS (
    SELECT cluster, count(*) AS listings, quantile_disc(following - "at", 0.5) AS usual
    FROM spaced
    GROUP BY cluster)
SELECT cluster, s."at" AS "from", following AS "to", usual
FROM spaced s
JOIN kept USING (cluster)
WHERE listings >= ?
  AND 2 * (following - s."at") > 3 * usual
ORDER BY 2 DESC, 1
