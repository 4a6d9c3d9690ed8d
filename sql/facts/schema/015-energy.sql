-- SPDX-License-Identifier: MIT
--
-- Energy of runs is kept in thousandths of a joule, so that none of what a source records is lost.
UPDATE runs SET energy_j = energy_j * 1000 WHERE energy_j IS NOT NULL;
UPDATE parts SET energy_j = energy_j * 1000 WHERE energy_j IS NOT NULL;
ALTER TABLE runs RENAME COLUMN energy_j TO energy_mj;
ALTER TABLE parts RENAME COLUMN energy_j TO energy_mj;
