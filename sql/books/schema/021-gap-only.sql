-- SPDX-License-Identifier: MIT
--
-- Gaps that concern only some runs: those with a value of a field.
ALTER TABLE gap ADD COLUMN "only" TEXT;
