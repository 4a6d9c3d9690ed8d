-- SPDX-License-Identifier: MIT
--
-- A lien that nobody settles, because no record of the run's end ever arrives, does not hold for ever.

ALTER TABLE bank_lien ADD COLUMN "until" INTEGER; -- the end of the run at its time limit; NULL: it has none
CREATE INDEX bank_lien_until ON bank_lien ("until") WHERE "until" IS NOT NULL;
