-- SPDX-License-Identifier: MIT
--
-- Who tells what of a run, and up to when a run without an end was seen.
ALTER TABLE runs ADD COLUMN "teller" BIGINT;        -- who tells of it: 1 a listing, 2 a log, 3 a database
ALTER TABLE runs ADD COLUMN "told" VARCHAR;         -- who told each field, where several did
ALTER TABLE batches ADD COLUMN witnessed BIGINT;    -- up to when runs without an end were seen to go on; NULL: no witness

-- A run without an end whose state says neither that it runs nor that it is over ran for a time that nobody knows.
INSERT INTO rollup_dirty SELECT first, last
FROM (SELECT least(min(submit), min(start)) AS first, greatest(max(submit), max(start)) AS last
      FROM runs
      WHERE until = 9223372036854775807 AND seen IS NULL
            AND coalesce(class, 'other') NOT IN ('pending', 'running', 'suspended'))
WHERE first IS NOT NULL;

-- What files that are no listings say counts up to their newest event.
UPDATE batches SET witnessed = least(last_time, committed)
WHERE what = 'run' AND file IN (SELECT file FROM files WHERE NOT starts_with(path, 'pull:'));

UPDATE runs SET
    teller = CASE WHEN seen IS NOT NULL THEN 1 WHEN source = 'slurm' THEN 3 ELSE 2 END,
    until = CASE WHEN until = 9223372036854775807 AND seen IS NULL
                      AND coalesce(class, 'other') NOT IN ('pending', 'running', 'suspended')
                 THEN start - 1 ELSE until END,
    seen = coalesce(seen, CASE WHEN until = 9223372036854775807 AND class IN ('pending', 'running', 'suspended')
                               THEN (SELECT max(witnessed) FROM batches b WHERE b.file = runs.file) END);

-- Runs changed without their batches: whoever follows begins anew.
DELETE FROM changes;
INSERT INTO changes (kind, batch) SELECT 'all', coalesce(max(batch), 0) FROM runs HAVING count(*) > 0;
