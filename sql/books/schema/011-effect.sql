-- SPDX-License-Identifier: MIT
--
-- When what was posted counts on a statement, whenever it was posted: what an allotment was granted first, on the day it begins; what
-- expires and is carried over, at its end; everything else when it was posted, but not before the allotment begins. Charges are not here: they
-- count on the days of their runs (bank_usage).
CREATE VIEW bank_moved AS
WITH moved AS (
    SELECT p."account", p."allotment", e.id AS "entry", e."kind", e."amount", e."at", e."from", e."to"
    FROM bank_pot p JOIN bank_entry e ON e."to" = p.id WHERE p."account" IS NOT NULL AND e."kind" <> 'charge'
    UNION ALL
    SELECT p."account", p."allotment", e.id, e."kind", -e."amount", e."at", e."from", e."to"
    FROM bank_pot p JOIN bank_entry e ON e."from" = p.id WHERE p."account" IS NOT NULL AND e."kind" <> 'charge')
SELECT m."account", m."entry", m."kind", m."amount",
    CASE
        WHEN l.id IS NULL THEN m."at"
        WHEN m."kind" = 'expiry' THEN l."to"
        WHEN m."kind" = 'carry-over' THEN (
            SELECT min(x."to") FROM bank_pot y JOIN bank_allotment x ON x.id = y."allotment" WHERE y.id IN (m."from", m."to"))
        WHEN m."kind" = 'grant' AND NOT EXISTS (
            SELECT 1 FROM bank_entry f WHERE f."to" = m."to" AND f.id < m."entry") THEN l."from"
        ELSE max(m."at", l."from")
    END AS "effect"
FROM moved m LEFT JOIN bank_allotment l ON l.id = m."allotment";

-- How far what a scheduler enforces was from what the bank shows when it was last asked, for monitoring: it is asked by those who
-- enforce, not by those who watch.
CREATE TABLE enforce_drift (
    "cluster" TEXT NOT NULL,
    "account" TEXT NOT NULL,            -- of the bank
    "drift" INTEGER NOT NULL,           -- millionths of an SU: the largest of its limits
    "at" INTEGER NOT NULL,
    PRIMARY KEY ("cluster", "account")
) WITHOUT ROWID;
