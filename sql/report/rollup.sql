-- SPDX-License-Identifier: MIT
--
-- How the roll-ups stand (report/rollup/). Their tables have the columns of the catalogue, so they are built.

-- name: rollup_state
SELECT goes_on, suspended, signature LIKE '%; omissions;%' FROM rollup_state WHERE zone = ? AND NOT EXISTS (SELECT 1 FROM rollup_dirty)

-- Whether any run was suspended, and whether any has not ended: the engine passes over what its statistics exclude,
-- which it knows of literals only: hence the number, RUN_NOT_ENDED.
-- name: rollup_runs_state
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM runs WHERE suspended_us > 0 LIMIT 1)),
    (SELECT count(*) FROM (SELECT 1 FROM runs WHERE until = 9223372036854775807 LIMIT 1))

-- name: rollup_is_current
SELECT count(*) FROM rollup_state WHERE zone = ? AND signature = ?

-- name: rollup_drop_state
DELETE FROM rollup_state

-- name: rollup_put_state
INSERT INTO rollup_state (zone, signature) VALUES (?, ?)

-- What store_state.h says of a store with roll-ups: true until something changes, and then they are made anew.
-- name: rollup_note_state
UPDATE rollup_state
SET goes_on = EXISTS (SELECT 1 FROM runs WHERE until = ?),
    suspended = EXISTS (SELECT 1 FROM runs WHERE suspended_us > 0)

-- name: rollup_drop_dirty
DELETE FROM rollup_dirty

-- name: rollup_all_dirty
INSERT INTO rollup_dirty
SELECT first, last
FROM (SELECT least(min(submit), min(start), min("end")) AS first,
             greatest(max(submit), max(start), max("end")) AS last
      FROM runs)
WHERE first IS NOT NULL

-- name: rollup_count_dirty
SELECT count(*) FROM rollup_dirty

-- name: rollup_dirty
SELECT first_time, last_time FROM rollup_dirty ORDER BY first_time, last_time

-- On how many days of a period runs are, each day of each; a run that has not ended is on none.
-- name: rollup_count_run_days
SELECT @long(coalesce(sum(@wide(1) + @divide(greatest(least(until, ?) - greatest(start, ?), 0), ?)), 0))
FROM runs
WHERE start >= 0 AND until >= ? AND start < ? AND until < ?

-- name: rollup_count_overlapping
SELECT count(*) FROM runs WHERE start <= ? AND until >= ?
