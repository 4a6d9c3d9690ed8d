-- SPDX-License-Identifier: MIT
--
-- The change feed: which runs were added, replaced, ended or removed, in the order of `seq`; see src/facts/changes.h.
-- Rows are written in the transaction that changes the runs.
CREATE SEQUENCE change_numbers;
CREATE TABLE changes (
    seq BIGINT NOT NULL DEFAULT nextval('change_numbers'),
    kind VARCHAR NOT NULL,          -- all, added, replaced, ended, removed, seen
    batch BIGINT,                   -- added: of which batch; all: everything up to this batch
    seen BIGINT,                    -- seen: the instant of the listing
    "cluster" VARCHAR,              -- seen: of which cluster; else, with what follows, the identity of one run
    "job" BIGINT,
    "job_key" VARCHAR,
    "task" BIGINT,
    "het" BIGINT,
    "attempt" BIGINT
);

-- What is there already: all of it was added before anybody read.
INSERT INTO changes (kind, batch) SELECT 'all', coalesce(max(batch), 0) FROM runs HAVING count(*) > 0;
