-- SPDX-License-Identifier: MIT
--
-- Runs that have not ended and were seen later than is noted of them (src/facts/duckdb/last_seen.c).

-- name: witness_any
SELECT count(*)
FROM (SELECT 1 FROM runs WHERE until = ? AND file = ? AND (origin <> ? OR seen IS NULL) LIMIT 1)

-- Of the file of a batch: what was read of it last says that its open runs were still there, unless their time limit was
-- over by then: an end that was lost stays unrecorded for ever.
-- name: witness_find
CREATE OR REPLACE TEMP TABLE witnesses AS
SELECT * FROM (
    SELECT r.rowid AS run_row, r.batch, r.seen,
           CASE WHEN r.origin = ? THEN greatest(f.at, r.start)
                ELSE least(f.at, coalesce(r.start + r.req_wall_us + coalesce(r.suspended_us, 0), f.at)) END AS upto
    FROM runs r
    JOIN (SELECT file, max(witnessed) AS at
          FROM batches
          WHERE file = (SELECT max(file) FROM batches WHERE batch = ?)
          GROUP BY file) f USING (file)
    WHERE r.until = ?
      AND (r.origin <> ? OR r.seen IS NULL)
      AND coalesce(r.flags, 0) & 4096 = 0 -- seen-recorded: the record itself says it
      AND f.at IS NOT NULL)
WHERE seen IS NULL OR seen < upto

-- name: witness_count
SELECT count(*) FROM witnesses

-- name: witness_write_seen
UPDATE runs SET seen = w.upto FROM witnesses w WHERE runs.rowid = w.run_row

-- Those of the batch itself are in the change feed as added.
-- name: witness_drop_batch
DELETE FROM witnesses WHERE batch = ?

-- name: witness_changed
SELECT run_row, 'replaced' AS kind FROM witnesses
