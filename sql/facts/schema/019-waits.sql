-- SPDX-License-Identifier: MIT
--
-- Why jobs waited: a row for each stretch of time in which a waiting job had one reason; see src/facts/duckdb/wait_stretches.h.
CREATE TABLE waits (
    cluster VARCHAR NOT NULL,
    job_key VARCHAR,
    job BIGINT,
    task BIGINT,
    het BIGINT,
    attempt BIGINT,
    "user" VARCHAR,
    "group" VARCHAR,
    account VARCHAR,
    "partition" VARCHAR,
    qos VARCHAR,
    submit BIGINT,
    tasks BIGINT NOT NULL,          -- array tasks that waited together, at the last sighting
    "from" BIGINT NOT NULL,         -- first sighting that showed it so
    "until" BIGINT NOT NULL,        -- the one that showed it otherwise; the largest number there is while it stays so
    reason VARCHAR,                 -- as the scheduler says
    priority_first BIGINT,          -- at the first sighting and at the last
    priority_last BIGINT,
    expected_first BIGINT,          -- start that the scheduler expected, at its first word on it ...
    expected_at BIGINT,             -- ... when that was ...
    expected_last BIGINT            -- ... and at its last
);
