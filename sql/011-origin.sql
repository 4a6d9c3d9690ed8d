-- SPDX-License-Identifier: MIT
--
-- The kind of source a run's record is from has the name it has everywhere; who gave each field was never recorded.
ALTER TABLE runs RENAME COLUMN "teller" TO "origin";
ALTER TABLE runs DROP COLUMN "told";
