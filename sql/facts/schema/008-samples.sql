-- SPDX-License-Identifier: MIT
--
-- Samples of processes, see src/record/sample.h, whose SAMPLE_FIELDS are the columns; a test compares them. As with
-- runs there is no index: identity is kept by src/facts/duckdb/samples.c.
CREATE TABLE samples (
    "cluster" VARCHAR,                  -- cluster it was taken on
    "node" VARCHAR,                     -- node it was taken on
    "time" BIGINT,                      -- when it was taken
    "pid" BIGINT,                       -- number of the process; absent where several were rolled up
    "ppid" BIGINT,                      -- number of its parent
    "job" BIGINT,                       -- the batch system's job number, or the process group
    "epoch" BIGINT,                     -- 0 where job is the batch system's; else it grows with each boot
    "user" VARCHAR,                     -- login of the owner
    "command" VARCHAR,                  -- name of the program
    "processes" BIGINT,                 -- processes it stands for
    "in_container" BIGINT,              -- 1: it is in a container
    "threads" BIGINT,                   -- threads it has
    "cpu_avg_ppm" BIGINT,               -- cpus used on average since it began, in millionths of one
    "cpu_now_ppm" BIGINT,               -- cpus used in the moment of the sample, likewise
    "cpu_time_us" BIGINT,               -- cpu time used since it began
    "rss_bytes" BIGINT,                 -- resident memory that is its own
    "vmem_bytes" BIGINT,                -- virtual memory of data and stack
    "read_bytes" BIGINT,                -- bytes read from disks since it began
    "written_bytes" BIGINT,             -- bytes written to disks since it began
    "cancelled_bytes" BIGINT,           -- of these, bytes that never got there
    "gpus" VARCHAR,                     -- cards it uses, by their numbers; 'none'
    "gpu_uuids" VARCHAR,                -- the same by their UUIDs
    "gpu_util_ppm" BIGINT,              -- GPUs used in the moment, in millionths of a card
    "gpu_mem_bytes" BIGINT,             -- memory used on its cards
    "gpu_mem_util_ppm" BIGINT,          -- the same in millionths of a card's memory
    "gpu_fail" BIGINT,                  -- 1: a card of the node fails
    "version" VARCHAR,                  -- version of the sampler
    "source" VARCHAR,                   -- driver that read the sample
    "file" BIGINT,                      -- file it came from, in table files
    "line" BIGINT,                      -- line in that file
    "batch" BIGINT                      -- import step that wrote it
);

-- What a step of an import brought: how far runs are known is not told by samples, nor the other way round.
ALTER TABLE batches ADD COLUMN what VARCHAR DEFAULT 'run';
