-- SPDX-License-Identifier: MIT
--
-- The kind of source a run's record is from, and that of each field where records of several were merged.
ALTER TABLE runs RENAME COLUMN "teller" TO "origin";
ALTER TABLE runs RENAME COLUMN "told" TO "field_origins";
