-- SPDX-License-Identifier: MIT
--
-- Managers see the runs of metagroups, too, as whoever belongs to them changes.
ALTER TABLE token ADD COLUMN "metagroups" TEXT;
ALTER TABLE user ADD COLUMN "metagroups" TEXT;
