-- SPDX-License-Identifier: MIT
--
-- How far schedulers were asked, and how the asking went.

-- name: mark_get
SELECT seen_to, "index" FROM marks WHERE cluster = ? AND what = ?

-- name: mark_update
UPDATE marks SET seen_to = ?, "index" = ? WHERE cluster = ? AND what = ?

-- name: mark_insert
INSERT INTO marks (seen_to, "index", cluster, what) VALUES (?, ?, ?, ?)

-- name: asking_put
INSERT INTO askings ("at", cluster, what, via, took_us, bytes, records, failure) VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: asking_drop_old
DELETE FROM askings
WHERE cluster = ? AND ((what = ? AND via = ? AND "at" < ?) OR (via <> ? AND "at" > ?))

-- What we asked ourselves, not what files say: the value is the `via` of these.
-- name: marks_overview
WITH asked AS (SELECT * FROM askings WHERE via <> ?),
good AS (SELECT cluster, what, max("at") AS good FROM asked WHERE failure IS NULL GROUP BY ALL),
bad AS (
    SELECT cluster, what, max("at") AS failed, arg_max(failure, "at") AS failure
    FROM asked
    WHERE failure IS NOT NULL
    GROUP BY ALL),
any_good AS (SELECT cluster, max(good) AS good FROM good GROUP BY cluster),
known AS (SELECT cluster, what FROM marks UNION SELECT cluster, what FROM asked)
SELECT k.cluster, k.what, m.seen_to, CASE WHEN k.what = 'pull' THEN a.good ELSE g.good END AS good,
       CASE WHEN coalesce(b.failed > a.good, true) THEN b.failed END AS failed,
       CASE WHEN coalesce(b.failed > a.good, true) THEN b.failure END AS failure
FROM known k
LEFT JOIN marks m USING (cluster, what)
LEFT JOIN good g USING (cluster, what)
LEFT JOIN bad b USING (cluster, what)
LEFT JOIN any_good a USING (cluster)
ORDER BY cluster, what

-- name: asking_gaps
SELECT "at" AS "from", after AS "to"
FROM (SELECT "at", lead("at") OVER (ORDER BY "at") AS after
      FROM askings
      WHERE via <> ? AND cluster = ? AND failure IS NULL)
WHERE after - "at" > ?
ORDER BY "from" DESC

-- What was asked last, newest first.
-- name: asking_last
SELECT "at", cluster, what, via, took_us AS took, bytes, records, failure
FROM askings
WHERE via <> ?
ORDER BY "at" DESC
LIMIT ?
