-- SPDX-License-Identifier: MIT
--
-- How long a run holds its resources, as one column that is never absent once it started: what sums over
-- time go by, without having to look at runs that go on, or ended before they began, in ways of their own.
-- See RUN_FIELDS in src/record/run.h and run_until.
ALTER TABLE runs ADD COLUMN "until" BIGINT;
UPDATE runs SET "until" = CASE
    WHEN "end" IS NOT NULL THEN greatest("end", coalesce(start, "end"))
    WHEN class IN ('completed', 'failed', 'cancelled', 'timeout', 'oom', 'node_fail', 'requeued') THEN start - 1
    ELSE 9223372036854775807
END;

-- Whether a batch has rows that are doubled, or only parts to be added.
ALTER TABLE unsettled ADD COLUMN doubled BOOLEAN DEFAULT true;

-- Beside the cpu time used.
ALTER TABLE runs ADD COLUMN gpu_used_us BIGINT;
ALTER TABLE parts ADD COLUMN gpu_used_us BIGINT;
