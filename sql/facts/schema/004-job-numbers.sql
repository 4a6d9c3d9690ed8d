-- SPDX-License-Identifier: MIT
--
-- Slurm numbers array tasks and components twice, and writes one record for all tasks of an array that wait.
ALTER TABLE runs ADD COLUMN "job_raw" BIGINT;      -- the number of a task or component of its own
ALTER TABLE runs ADD COLUMN "task_count" BIGINT;   -- array tasks the record stands for while they wait together
