-- SPDX-License-Identifier: MIT
--
-- Samples of jobs by their control groups, of nodes and of cards stand beside those of processes: see src/record/sample.h, whose
-- SAMPLE_FIELDS are the columns, in their order.
ALTER TABLE samples RENAME TO samples_before;
CREATE TABLE samples (
    "cluster" VARCHAR,                  -- cluster it was taken on, as the sample or the import names it
    "node" VARCHAR,                     -- node it was taken on, as the sampler calls it
    "time" BIGINT,                      -- when it was taken
    "kind" VARCHAR,                     -- what it is of: job (all processes of its control group), node, gpu (a card); absent: a process
    "pid" BIGINT,                       -- number of the process; absent where several were rolled up
    "ppid" BIGINT,                      -- number of its parent
    "job" BIGINT,                       -- the batch system's job number, or the process group where there is none
    "task" BIGINT,                      -- task of an array, where the number of the job does not say it
    "scope" VARCHAR,                    -- control group that has no job number: an allocation of Nomad, a slot of HTCondor, a user
    "epoch" BIGINT,                     -- 0 where job is the batch system's; else it grows with each boot of the node
    "user" VARCHAR,                     -- login of the owner
    "command" VARCHAR,                  -- name of the program, without arguments
    "processes" BIGINT,                 -- processes it stands for: 1, or those rolled up
    "in_container" BIGINT,              -- whether it is in a container
    "threads" BIGINT,                   -- threads it has
    "cpu_avg_ppm" BIGINT,               -- cpus used on average since it began; 100% is one cpu
    "cpu_now_ppm" BIGINT,               -- cpus used in the moment of the sample, a tenth of a second; 100% is one cpu
    "cpu_time_us" BIGINT,               -- cpu time used since it began, with that of children that ended
    "rss_bytes" BIGINT,                 -- resident memory that is its own (RssAnon)
    "vmem_bytes" BIGINT,                -- virtual memory of data and stack
    "read_bytes" BIGINT,                -- bytes read from disks since it began
    "written_bytes" BIGINT,             -- bytes written to disks since it began
    "cancelled_bytes" BIGINT,           -- of these, bytes that never got there
    "gpus" VARCHAR,                     -- cards it uses, by their numbers; none; absent: it is not known which
    "gpu_uuids" VARCHAR,                -- the same by their UUIDs
    "gpu_util_ppm" BIGINT,              -- GPUs used in the moment, over all its cards; 100% is one card
    "gpu_mem_bytes" BIGINT,             -- memory used, over all its cards
    "gpu_mem_util_ppm" BIGINT,          -- the same as shares; 100% is the memory of one card
    "gpu_fail" BIGINT,                  -- 1: the sampler says that a card of the node fails
    "cpus" BIGINT,                      -- cpus of the node
    "cpu_user_us" BIGINT,               -- of cpu_time, outside the kernel
    "cpu_system_us" BIGINT,             -- of cpu_time, inside the kernel
    "throttled_us" BIGINT,              -- time for which it was stopped because its share of cpus was used up
    "iowait_us" BIGINT,                 -- time for which cpus were idle while processes waited for disks
    "mem_total_bytes" BIGINT,           -- memory of the node or card, or the limit of the group
    "mem_used_bytes" BIGINT,            -- memory in use, cache included for a group
    "mem_peak_bytes" BIGINT,            -- most memory that was in use at once since it began, cache included
    "mem_file_bytes" BIGINT,            -- of it, cache of files, which can be given back
    "mem_shmem_bytes" BIGINT,           -- of the cache, shared memory, which cannot
    "swap_bytes" BIGINT,                -- memory that is swapped out
    "oom_kills" BIGINT,                 -- processes that were killed because the memory was used up
    "cpu_stall_us" BIGINT,              -- time for which some process waited for a cpu (pressure)
    "mem_stall_us" BIGINT,              -- the same for memory
    "io_stall_us" BIGINT,               -- the same for disks
    "received_bytes" BIGINT,            -- bytes received by network cards since boot
    "sent_bytes" BIGINT,                -- bytes sent by network cards since boot
    "ib_received_bytes" BIGINT,         -- bytes received over InfiniBand
    "ib_sent_bytes" BIGINT,             -- bytes sent over InfiniBand
    "remote_read_bytes" BIGINT,         -- bytes read from NFS and Lustre
    "remote_written_bytes" BIGINT,      -- bytes written to NFS and Lustre
    "energy_j" BIGINT,                  -- energy of the processors (RAPL) or of the card since its counter began
    "power_mw" BIGINT,                  -- milliwatts that a card takes
    "temperature_c" BIGINT,             -- degrees Celsius, the hottest place
    "clock_mhz" BIGINT,                 -- MHz of the computing units of a card
    "gpu_errors" BIGINT,                -- errors of its memory that could not be corrected (ECC)
    "gpu_throttle" VARCHAR,             -- why a card runs slower than it could: power, heat, ...; none
    "version" VARCHAR,                  -- version of the sampler
    "source" VARCHAR,                   -- driver that read the sample
    "file" BIGINT,                      -- file it came from, in table files
    "line" BIGINT,                      -- line in that file
    "batch" BIGINT                      -- import step that wrote it
);
INSERT INTO samples BY NAME FROM samples_before;
DROP TABLE samples_before;
