-- SPDX-License-Identifier: MIT
--
-- What is learnt by asking a scheduler that runs, rather than from its logs.

-- When a source last said that the run was so; absent in what comes from logs.
ALTER TABLE runs ADD COLUMN "seen" BIGINT;

-- How far each source was asked, see src/facts/pull_state.h.
CREATE TABLE marks (
    cluster VARCHAR NOT NULL,
    what VARCHAR NOT NULL,          -- history, queue, node, partition, reservation
    seen_to BIGINT NOT NULL,        -- everything up to here was asked for
    "index" BIGINT NOT NULL         -- the source's own place to go on from; 0: it has none
);

-- Every time it was asked, and what that took.
CREATE TABLE askings (
    "at" BIGINT NOT NULL,
    cluster VARCHAR NOT NULL,
    what VARCHAR NOT NULL,
    via VARCHAR NOT NULL,           -- program or interface
    took_us BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    records BIGINT NOT NULL,
    failure VARCHAR                 -- why it did not go well
);

-- Things of a cluster, a row for each stretch of time in which one stayed the same; see src/facts/inventory.h.
-- Columns from the third on are those of src/record/inventory_item.h; a test compares them.
CREATE TABLE nodes (
    cluster VARCHAR NOT NULL,
    "from" BIGINT NOT NULL,         -- first sighting that showed it so
    "until" BIGINT NOT NULL,        -- the one that showed it otherwise; the largest number there is while it stays so
    node VARCHAR NOT NULL,
    cpus BIGINT,
    cores BIGINT,
    mem_bytes BIGINT,
    disk_bytes BIGINT,
    gpus BIGINT,
    gpu_type VARCHAR,
    partitions VARCHAR,
    features VARCHAR,
    os VARCHAR,
    state VARCHAR,
    class VARCHAR,
    reason VARCHAR,
    reason_by VARCHAR
);

CREATE TABLE partitions (
    cluster VARCHAR NOT NULL,
    "from" BIGINT NOT NULL,
    "until" BIGINT NOT NULL,
    "partition" VARCHAR NOT NULL,
    state VARCHAR,
    nodes VARCHAR,
    node_count BIGINT,
    cpus BIGINT,
    max_wall_us BIGINT,
    is_default BIGINT
);

CREATE TABLE reservations (
    cluster VARCHAR NOT NULL,
    "from" BIGINT NOT NULL,
    "until" BIGINT NOT NULL,
    reservation VARCHAR NOT NULL,
    "start" BIGINT,
    "end" BIGINT,
    nodes VARCHAR,
    node_count BIGINT,
    cpus BIGINT,
    users VARCHAR,
    accounts VARCHAR,
    "partition" VARCHAR,
    flags VARCHAR
);
