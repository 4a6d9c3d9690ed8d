-- SPDX-License-Identifier: MIT
--
-- Which files were read how far, in which batches, and what of them could not be read.

-- name: journal_files
SELECT file, cluster, source, path, device, inode, size, raw_hash, head_length, head_hash, read_to, tail_hash, lines,
       first_read, last_read
FROM files
WHERE cluster = ? AND source = ?
ORDER BY last_read DESC, file DESC

-- name: journal_next_file
SELECT coalesce(max(file), 0) + 1 FROM files

-- name: journal_drop_file
DELETE FROM files WHERE file = ?

-- name: journal_put_file
INSERT INTO files (file, cluster, source, path, device, inode, size, raw_hash, head_length, head_hash, read_to,
                   tail_hash, lines, first_read, last_read)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: journal_next_batch
SELECT coalesce(max(batch), 0) + 1 FROM batches

-- name: journal_clusters_since
SELECT DISTINCT cluster FROM runs WHERE batch >= ? ORDER BY cluster

-- name: journal_put_batch
INSERT INTO batches (batch, file, committed, from_byte, to_byte, records, added, replaced, unchanged, rejected, parts,
                     first_time, last_time, what, witnessed)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- A file that is read from its start again has its bad records again: the earlier ones go. Records are compared by digest, here
-- and below the size of them is computed first: a join or a window would hold all records of a quarantine that is full.
-- name: journal_drop_old_rejects
DELETE FROM quarantine
WHERE rowid IN (
    SELECT o.id
    FROM (SELECT file, line, md5(record) AS digest FROM quarantine WHERE batch = ?) n
    JOIN files nf ON nf.file = n.file
    JOIN files f ON f.cluster = nf.cluster AND f.source = nf.source AND f.path = nf.path
    JOIN (SELECT rowid AS id, file, line, md5(record) AS digest FROM quarantine WHERE batch < ?) o
      ON o.file = f.file AND o.line = n.line AND o.digest = n.digest)

-- Whether quarantine is larger than its limits of records and bytes.
-- name: journal_quarantine_is_over
SELECT (count(*) > ? OR coalesce(sum(octet_length(record) + strlen(reason)), 0) > ?)::BIGINT FROM quarantine

-- The records beyond the limits: the oldest, of a batch the last lines.
-- name: journal_quarantine_find_beyond
CREATE OR REPLACE TEMP TABLE beyond AS
SELECT id, file
FROM (SELECT id, file, row_number() OVER newest AS place, sum(size) OVER newest AS bytes
      FROM (SELECT rowid AS id, file, batch, line, byte, octet_length(record) + strlen(reason) AS size FROM quarantine)
      WINDOW newest AS (ORDER BY batch DESC, line, byte, id ROWS UNBOUNDED PRECEDING))
WHERE place > ? OR bytes > ?

-- name: journal_quarantine_count_beyond
INSERT INTO quarantine_dropped (batch, cluster, records)
SELECT ?, f.cluster, count(*) FROM beyond JOIN files f USING (file) GROUP BY f.cluster

-- name: journal_quarantine_drop_beyond
DELETE FROM quarantine WHERE rowid IN (SELECT id FROM beyond)

-- name: journal_quarantine_forget_beyond
DROP TABLE beyond

-- name: journal_quarantine_not_kept
INSERT INTO quarantine_dropped (batch, cluster, records) SELECT ?, cluster, ? FROM files WHERE file = ?

-- name: journal_quarantine_dropped
SELECT coalesce(sum(records), 0)::BIGINT FROM quarantine_dropped WHERE ? = '' OR cluster = ?

-- name: journal_quarantine_forget_dropped
DELETE FROM quarantine_dropped WHERE ? = '' OR cluster = ?

-- name: journal_quarantine
SELECT f.cluster, f.path, q.line, q.byte, q.reason, q.record, b.committed
FROM quarantine q
JOIN files f USING (file)
LEFT JOIN batches b USING (batch)
WHERE ? = '' OR f.cluster = ?
ORDER BY q.batch DESC, q.line
LIMIT ?

-- name: journal_quarantine_clear
DELETE FROM quarantine WHERE ? = '' OR file IN (SELECT file FROM files WHERE cluster = ?)

-- A file counts for the clusters that its records name, and where they name none, for the one it was imported as.
-- The conditions on `parts` are those of facts/duckdb/parts.h: the job a part belongs to, and that it was started while
-- the run was running, with 300 s between the clocks of hosts.
-- name: journal_overview
WITH seen AS (
    SELECT coalesce(r.cluster, f.cluster) AS cluster, f.source, count(*) AS files, max(f.last_read) AS last_read
    FROM files f LEFT JOIN (SELECT DISTINCT cluster, file FROM runs) r USING (file) GROUP BY ALL),
done AS (
    SELECT cluster, source, count(*) AS runs, min(coalesce(start, submit, "end")) AS first_time,
           max(coalesce("end", start, submit)) AS last_time
    FROM runs
    GROUP BY ALL),
bad AS (
    SELECT cluster, source, count(*) AS rejected FROM quarantine JOIN files USING (file) GROUP BY ALL),
alone AS (
    SELECT w.cluster, w.source, count(*) AS waiting_parts
    FROM (SELECT cluster, source, start, cluster AS k_cluster, coalesce(job, -1) AS k_job,
                 coalesce(job_key, '') AS k_key, coalesce(task, -1) AS k_task
          FROM parts
          WHERE part <> '') w
    -- each condition compares a side with the other: one that mixes them is tried on every pair of rows
    ANTI JOIN (SELECT start - 300000000 AS since, coalesce("end" + 300000000, 9223372036854775807) AS upto,
                      cluster AS k_cluster, coalesce(job, -1) AS k_job,
                      coalesce(job_key, '') AS k_key, coalesce(task, -1) AS k_task
               FROM runs
               WHERE (flags & ?) <> 0) r
    ON w.k_cluster = r.k_cluster AND w.k_job = r.k_job AND w.k_key = r.k_key AND w.k_task = r.k_task
       AND w.start >= r.since AND w.start <= r.upto
    GROUP BY ALL)
SELECT cluster, source, coalesce(files, 0) AS files, coalesce(runs, 0) AS runs, coalesce(rejected, 0) AS rejected,
       coalesce(waiting_parts, 0) AS waiting_parts, first_time, last_time, last_read
FROM seen
FULL JOIN done USING (cluster, source)
LEFT JOIN bad USING (cluster, source)
LEFT JOIN alone USING (cluster, source)
ORDER BY cluster, source

-- name: journal_gaps
WITH busy AS (SELECT DISTINCT cluster, "end" // ? AS day FROM runs WHERE "end" IS NOT NULL),
next AS (SELECT cluster, day, lead(day) OVER (PARTITION BY cluster ORDER BY day) AS after FROM busy)
SELECT cluster, (day + 1) * ? AS "from", after * ? AS "to"
FROM next
WHERE after - day - 1 >= ?
ORDER BY cluster, day

-- What was imported last, newest first.
-- name: journal_last
SELECT b.committed AS "at", f.cluster, f.source, f.path, b.to_byte - b.from_byte AS bytes, b.records, b.added, b.replaced,
       b.unchanged, b.rejected
FROM batches b JOIN files f USING (file)
ORDER BY b.batch DESC
LIMIT ?
