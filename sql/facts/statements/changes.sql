-- SPDX-License-Identifier: MIT
--
-- The change feed and what roll-ups have to make again (src/facts/duckdb/changes.c). Statements over the identity of runs
-- are built there.

-- name: changes_latest
SELECT coalesce(max(seq), 0) FROM changes

-- The row that stands for all changes that were pruned.
-- name: changes_pruned_to
SELECT coalesce(max(seq), 0) FROM changes WHERE kind = 'all'

-- name: changes_last_batch
SELECT max(batch) FROM changes WHERE seq <= ?

-- name: changes_remove
DELETE FROM changes WHERE seq <= ?

-- name: changes_note_pruned
INSERT INTO changes (seq, kind, batch) VALUES (?, 'all', ?)

-- The engine knows both without reading a row.
-- name: changes_counts
SELECT (SELECT count(*) FROM changes), (SELECT count(*) FROM runs)

-- name: changes_nth_from_last
SELECT seq FROM changes ORDER BY seq DESC LIMIT 1 OFFSET ?

-- name: changes_note_batch
INSERT INTO changes (kind, batch) VALUES ('added', ?)

-- name: changes_note_span
INSERT INTO rollup_dirty VALUES (?, ?)

-- Of a change, some of those before it, and what their batches read and when: another history differs in one of these.
-- name: changes_digest
SELECT sha256(concat_ws('|', any_value(i.id), any_value(i.epoch), string_agg(concat_ws(',', c.seq, c.kind, c.batch, c.seen,
    c."cluster", c.job, c.job_key, c.task, c.het, c.attempt, b.committed, b.from_byte, b.to_byte, b.records, b.added,
    b.first_time, b.last_time), ';' ORDER BY c.seq)))
FROM changes c LEFT JOIN batches b ON b.batch = c.batch, identity i
WHERE c.seq > ?1 - 16 AND c.seq <= ?1
HAVING max(c.seq) = ?1
