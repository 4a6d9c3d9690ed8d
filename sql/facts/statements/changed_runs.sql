-- SPDX-License-Identifier: MIT
--
-- Which runs changed, by the change feed (src/facts/duckdb/changed_runs.c). What reads their columns is built there.

-- Where the runs lie that changes are about: the batches, and the numbers of the jobs that changed one by one.
-- name: changed_runs_window
SELECT
    max(batch) FILTER (kind = 'all'),
    count(DISTINCT batch) FILTER (kind = 'added'),
    min(batch) FILTER (kind = 'added'),
    max(batch) FILTER (kind = 'added'),
    count(*) FILTER (kind IN ('replaced', 'ended')),
    count(job) FILTER (kind IN ('replaced', 'ended')),
    min(job) FILTER (kind IN ('replaced', 'ended')),
    max(job) FILTER (kind IN ('replaced', 'ended')),
    count(*) FILTER (kind = 'removed'),
    count(job) FILTER (kind = 'removed'),
    min(job) FILTER (kind = 'removed'),
    max(job) FILTER (kind = 'removed')
FROM changes
WHERE seq > ? AND seq <= ?
