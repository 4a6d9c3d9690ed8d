-- SPDX-License-Identifier: MIT
--
-- How much of an account of the bank each user may use in a month, a quarter, a year, or the time of its allotments; and whose
-- run a lien is of, since what running jobs may still use counts too.
CREATE TABLE cap (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "account" TEXT NOT NULL,
    "user" TEXT NOT NULL,
    "amount" INTEGER,
    "share" INTEGER,
    "per" TEXT,
    "from" TEXT,
    "to" TEXT,
    "note" TEXT
);
CREATE UNIQUE INDEX cap_key ON cap ("account", "user", ifnull("per", ''), ifnull("from", ''));

ALTER TABLE bank_lien ADD COLUMN "user" TEXT; -- NULL: not recorded
