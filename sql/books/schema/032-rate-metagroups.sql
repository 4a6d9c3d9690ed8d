-- SPDX-License-Identifier: MIT
--
-- Rates for metagroups: internal, external, industry.
ALTER TABLE rate ADD COLUMN "metagroup" TEXT;
