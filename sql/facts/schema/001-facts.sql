-- SPDX-License-Identifier: MIT
--
-- The facts: what happened. All instants are microseconds since 1970 UTC, all amounts integers in
-- the unit their name ends in. NULL is "the source did not tell", never zero.

-- One row a run. The columns are the rows of RUN_FIELDS in src/record/run.h; a test compares them.
-- There is no index: identity is kept by src/facts/duckdb/append.c, which knows the time range of what
-- it writes, and everything else scans columns.
CREATE TABLE runs (
    "cluster" VARCHAR,                  -- cluster the run was on, as named at import
    "job" BIGINT,                       -- the source's job number
    "job_key" VARCHAR,                  -- the source's job id where it is not a number
    "task" BIGINT,                      -- index of the array task
    "het" BIGINT,                       -- component of a heterogeneous job
    "attempt" BIGINT,                   -- what tells apart runs of one job id; meaning differs by source
    "array_job" BIGINT,                 -- id of the array the task belongs to
    "part" VARCHAR,                     -- name of a part of a run
    "whole" BIGINT,                     -- of a run's own record: which parts were added to it
    "name" VARCHAR,                     -- job name
    "user" VARCHAR,                     -- login of the owner
    "uid" BIGINT,                       -- numeric user id
    "group" VARCHAR,                    -- Unix group of the owner
    "gid" BIGINT,                       -- numeric group id
    "account" VARCHAR,                  -- account charged
    "project" VARCHAR,                  -- project of the job
    "department" VARCHAR,               -- department of the owner, as the scheduler knows it
    "wckey" VARCHAR,                    -- workload characterization key
    "partition" VARCHAR,                -- partition or queue
    "qos" VARCHAR,                      -- quality of service
    "reservation" VARCHAR,              -- reservation the run used
    "parallel_env" VARCHAR,             -- parallel environment granted
    "nodes" VARCHAR,                    -- nodes the run had, as the source lists them
    "node" VARCHAR,                     -- first node, where the job script ran
    "node_count" BIGINT,                -- number of nodes
    "submit_host" VARCHAR,              -- host the job was submitted from
    "work_dir" VARCHAR,                 -- working folder
    "command" VARCHAR,                  -- the submit command line
    "priority" BIGINT,                  -- priority given at submission
    "request" VARCHAR,                  -- the resource request, as the source has it
    "req_cpus" BIGINT,                  -- cpus or slots requested
    "req_nodes" BIGINT,                 -- nodes requested
    "req_mem_bytes" BIGINT,             -- memory requested, for the whole run
    "req_gpus" BIGINT,                  -- GPUs requested, for the whole run
    "req_wall_us" BIGINT,               -- longest run time allowed
    "cpus" BIGINT,                      -- cpus or slots allocated
    "mem_bytes" BIGINT,                 -- memory allocated, for the whole run
    "disk_bytes" BIGINT,                -- local disk allocated
    "gpus" BIGINT,                      -- GPUs allocated
    "gpu_type" VARCHAR,                 -- model of the GPUs
    "billing" BIGINT,                   -- billing units a second, as recorded
    "submit" BIGINT,                    -- when the job was submitted
    "eligible" BIGINT,                  -- when it could first have started
    "start" BIGINT,                     -- when it started; absent if it never did
    "end" BIGINT,                       -- when it ended; absent while it runs
    "suspended_us" BIGINT,              -- time spent suspended
    "state" VARCHAR,                    -- state as the source says it
    "class" VARCHAR,                    -- what became of it, in the same words for all sources
    "exit_code" BIGINT,                 -- exit status of the job
    "signal" BIGINT,                    -- signal that ended it
    "reason" VARCHAR,                   -- what the source says of a failure
    "cpu_user_us" BIGINT,               -- cpu time in user mode
    "cpu_system_us" BIGINT,             -- cpu time in system mode
    "cpu_used_us" BIGINT,               -- cpu time in all
    "mem_peak_bytes" BIGINT,            -- highest memory use; mem_basis says of what
    "mem_basis" VARCHAR,                -- what mem_peak measures: job-rss, job-vmem, process-rss, ...
    "vmem_peak_bytes" BIGINT,           -- highest virtual memory size
    "mem_integral_gib_us" BIGINT,       -- memory use summed over time
    "io_bytes" BIGINT,                  -- bytes read and written
    "io_ops" BIGINT,                    -- I/O operations
    "io_wait_us" BIGINT,                -- time waiting for I/O
    "energy_j" BIGINT,                  -- energy used
    "flags" BIGINT,                     -- oddities noticed in the record, a bit each
    "source" VARCHAR,                   -- driver that read the record
    "file" BIGINT,                      -- file it came from, in table files
    "line" BIGINT,                      -- line in that file
    "batch" BIGINT,                     -- import step that wrote it
    "digest" BIGINT                     -- hash of the record as read
);

-- Records that are part of a run (the slave tasks of a parallel job), and, with part = '', the
-- own record of a run that parts were added to, as it was before; its `whole` is a digest of them. Kept so that the sums can be made again whenever another part arrives, in whatever order.
-- Of the columns of runs, those that this takes.
CREATE TABLE parts (
    "cluster" VARCHAR,
    "job" BIGINT,
    "job_key" VARCHAR,
    "task" BIGINT,
    "het" BIGINT,
    "attempt" BIGINT,
    "part" VARCHAR,
    "whole" BIGINT,
    "nodes" VARCHAR,
    "node" VARCHAR,
    "node_count" BIGINT,
    "submit" BIGINT,
    "start" BIGINT,
    "end" BIGINT,
    "cpu_user_us" BIGINT,
    "cpu_system_us" BIGINT,
    "cpu_used_us" BIGINT,
    "mem_peak_bytes" BIGINT,
    "vmem_peak_bytes" BIGINT,
    "mem_integral_gib_us" BIGINT,
    "io_bytes" BIGINT,
    "io_ops" BIGINT,
    "io_wait_us" BIGINT,
    "energy_j" BIGINT,
    "flags" BIGINT,
    "source" VARCHAR,
    "file" BIGINT,
    "line" BIGINT,
    "batch" BIGINT,
    "digest" BIGINT
);

-- Batches with rows that are doubled, or parts not yet added to their runs: a row from the commit of a batch until the
-- commit that settles it, usually a moment later.
CREATE TABLE unsettled (
    batch BIGINT NOT NULL,
    first_time BIGINT NOT NULL,     -- span of the batch's records
    last_time BIGINT NOT NULL
);

-- What was read: a row for each content that was imported, whatever its names over time.
CREATE TABLE files (
    file BIGINT NOT NULL,           -- number of the file, from 1
    cluster VARCHAR NOT NULL,
    source VARCHAR NOT NULL,        -- driver
    path VARCHAR NOT NULL,          -- absolute path at the last import
    device BIGINT NOT NULL,
    inode BIGINT NOT NULL,
    size BIGINT NOT NULL,           -- bytes of the file itself when last seen
    raw_hash BIGINT NOT NULL,       -- hash of its first and last bytes as they lie on disk
    head_length BIGINT NOT NULL,    -- bytes of content hashed in head_hash
    head_hash BIGINT NOT NULL,
    read_to BIGINT NOT NULL,        -- content is imported up to this byte
    tail_hash BIGINT NOT NULL,      -- hash of the last bytes before read_to
    lines BIGINT NOT NULL,          -- lines before read_to
    first_read BIGINT NOT NULL,     -- instants
    last_read BIGINT NOT NULL
);

-- One row a committed step of an import.
CREATE TABLE batches (
    batch BIGINT NOT NULL,          -- from 1, ascending
    file BIGINT NOT NULL,
    committed BIGINT NOT NULL,      -- instant of the commit
    from_byte BIGINT NOT NULL,
    to_byte BIGINT NOT NULL,
    records BIGINT NOT NULL,
    added BIGINT NOT NULL,
    replaced BIGINT NOT NULL,
    unchanged BIGINT NOT NULL,
    rejected BIGINT NOT NULL,
    parts BIGINT NOT NULL,
    first_time BIGINT,              -- earliest and latest instant among the runs
    last_time BIGINT
);

-- Records that could not be read, with their place and the first bytes of what they were.
CREATE TABLE quarantine (
    file BIGINT NOT NULL,
    batch BIGINT NOT NULL,
    line BIGINT NOT NULL,
    byte BIGINT NOT NULL,
    reason VARCHAR NOT NULL,
    record BLOB NOT NULL
);
