-- SPDX-License-Identifier: MIT
--
-- `until`: how long a run holds its resources, as one column that is never absent once it started: what sums over
-- time go by, without having to look at runs that go on, or ended before they began, in ways of their own.
-- See RUN_FIELDS in src/record/run.h. Beside it the GPU time used.
-- All columns come first: the engine does not alter a table that was written to in the same transaction.
ALTER TABLE runs ADD COLUMN "until" BIGINT;
ALTER TABLE runs ADD COLUMN "gpu_used_us" BIGINT;
ALTER TABLE parts ADD COLUMN "gpu_used_us" BIGINT;

-- Whether a batch has rows that are doubled, or only parts to be added.
ALTER TABLE unsettled ADD COLUMN doubled BOOLEAN DEFAULT true;

UPDATE runs SET "until" = CASE
    WHEN "end" IS NOT NULL THEN greatest("end", coalesce(start, "end"))
    WHEN class IN ('completed', 'failed', 'cancelled', 'timeout', 'oom', 'node_fail', 'requeued') THEN start - 1
    ELSE 9223372036854775807
END;
