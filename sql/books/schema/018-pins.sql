-- SPDX-License-Identifier: MIT
--
-- What was charged stays: every charge is pinned to the rates that made it, and every round of charging says who asked for
-- it, when and why.

CREATE TABLE bank_round (
    id INTEGER PRIMARY KEY,             -- bank_lines and bank_entry name it
    "at" INTEGER NOT NULL,
    "who" TEXT NOT NULL,
    "why" TEXT,
    "history" INTEGER NOT NULL          -- the last change of the books by then
);
INSERT INTO bank_round (id, "at", "who", "history")
WITH posted AS (
    SELECT "round", min("at") AS "at", min("who") AS "who" FROM bank_entry WHERE "round" IS NOT NULL GROUP BY "round"),
numbers AS (SELECT "round" FROM posted UNION SELECT "round" FROM bank_lines),
known AS (
    SELECT n."round", p."who",
        coalesce(min(p."at") OVER (ORDER BY n."round" ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING),
            max(p."at") OVER (), 0) AS "at"
    FROM numbers n LEFT JOIN posted p ON p."round" = n."round")
SELECT k."round", k."at", coalesce(k."who", 'not recorded'),
    coalesce((SELECT max(id) FROM history h WHERE h."at" <= k."at"), 0)
FROM known k;
CREATE TRIGGER bank_round_is_not_changed BEFORE UPDATE ON bank_round
BEGIN
    SELECT raise(ABORT, 'a round of charging is never edited');
END;
CREATE TRIGGER bank_round_is_not_removed BEFORE DELETE ON bank_round
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a round of charging is never removed');
END;

-- What the lines of charges name as their rate: the rate, and which rates were in force. Those of lines of before have the
-- number of the rate, and are of the time of their round.
CREATE TABLE bank_pin (
    id INTEGER PRIMARY KEY,
    "rate" INTEGER NOT NULL,
    "epoch" INTEGER                     -- the last change of a rate by then, in the history; NULL: as of the round
);
INSERT INTO bank_pin (id, "rate")
SELECT id, id FROM rate UNION SELECT item, item FROM history WHERE kind = 'rate';
CREATE TRIGGER bank_pin_is_not_changed BEFORE UPDATE ON bank_pin
BEGIN
    SELECT raise(ABORT, 'what a charge was made by is never edited');
END;
CREATE TRIGGER bank_pin_is_not_removed BEFORE DELETE ON bank_pin
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'what a charge was made by is never removed');
END;
