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
SELECT cluster, what, seen_to, CASE WHEN what = 'pull' THEN any_good ELSE good END AS good,
       CASE WHEN coalesce(failed > any_good, true) THEN failed END AS failed,
       CASE WHEN coalesce(failed > any_good, true) THEN failure END AS failure
FROM (SELECT *, max(good) OVER (PARTITION BY cluster) AS any_good
      FROM (SELECT * FROM marks WHERE what <> 'waits')
      FULL JOIN (SELECT cluster, what, max("at") FILTER (failure IS NULL) AS good,
                        max("at") FILTER (failure IS NOT NULL) AS failed,
                        arg_max(failure, "at") FILTER (failure IS NOT NULL) AS failure
                 FROM askings
                 WHERE via <> ?
                 GROUP BY ALL) USING (cluster, what))
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
