-- SPDX-License-Identifier: MIT
--
-- Rates for accounts and groups (internal, external, industry), and by energy.
ALTER TABLE rate ADD COLUMN "account" TEXT;
ALTER TABLE rate ADD COLUMN "group" TEXT;
ALTER TABLE rate ADD COLUMN "kwh" INTEGER;
