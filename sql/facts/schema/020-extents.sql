-- SPDX-License-Identifier: MIT
--
-- From when to when a batch has data of each cluster that its records name.
CREATE TABLE extents (
    batch BIGINT NOT NULL,
    cluster VARCHAR NOT NULL,
    first_time BIGINT NOT NULL,
    last_time BIGINT NOT NULL
);

-- Files whose runs are all of the cluster they were imported for: as their batches say.
INSERT INTO extents
SELECT b.batch, f.cluster, b.first_time, b.last_time
FROM batches b JOIN files f USING (file)
WHERE b.what = 'run' AND b.first_time IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.file = f.file AND r.cluster <> f.cluster);

-- Others: as their runs say.
INSERT INTO extents
SELECT r.batch, r.cluster, min(coalesce(least(r.submit, r.start, r."end", r.seen), 0)),
       max(coalesce(greatest(r.submit, r.start, r."end", r.seen), 0))
FROM runs r
WHERE coalesce(r.submit, r.start, r."end", r.seen) IS NOT NULL
  AND r.batch IS NOT NULL
  AND r.batch NOT IN (SELECT batch FROM extents)
GROUP BY r.batch, r.cluster;

-- Roll-ups count the tasks of arrays that wait together: those of before counted their records.
INSERT INTO rollup_dirty SELECT first, last
FROM (SELECT min(coalesce(submit, "end")) AS first, max(coalesce("end", submit)) AS last FROM runs WHERE task_count > 1)
WHERE first IS NOT NULL;
