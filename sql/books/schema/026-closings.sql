-- SPDX-License-Identifier: MIT
--
-- Periods that are closed: what is posted later counts from the first open day on (src/bank/closings.h). And draws that hold for a time
-- and a cluster.

CREATE TABLE bank_closing (
    id INTEGER PRIMARY KEY,
    "account" INTEGER NOT NULL REFERENCES bank_account (id),
    "until" INTEGER NOT NULL,           -- the first instant that is open
    "day" INTEGER NOT NULL,             -- the same as a day of the bank's calendar
    "entry" INTEGER NOT NULL,           -- the last entry of before
    "round" INTEGER NOT NULL,           -- the last round of charging of before
    "at" INTEGER NOT NULL,
    "who" TEXT NOT NULL,
    "why" TEXT
);
CREATE INDEX bank_closing_account ON bank_closing ("account", "entry");
CREATE TRIGGER bank_closing_goes_on BEFORE INSERT ON bank_closing
WHEN EXISTS (SELECT 1 FROM bank_closing c WHERE c."account" = new."account" AND c."until" >= new."until")
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'that period is closed already');
END;
CREATE TRIGGER bank_closing_is_not_changed BEFORE UPDATE ON bank_closing
BEGIN
    SELECT raise(ABORT, 'a period stays closed');
END;
CREATE TRIGGER bank_closing_is_not_removed BEFORE DELETE ON bank_closing
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a period stays closed');
END;

-- What a round of charging posted for days that were closed by then, and that counts on the first open day.
CREATE TABLE bank_late (
    "round" INTEGER NOT NULL,
    "account" INTEGER NOT NULL,
    "cluster" INTEGER NOT NULL,         -- of bank_name
    "user" INTEGER NOT NULL,            -- of bank_name
    "day" INTEGER NOT NULL,             -- that it counts on
    "amount" INTEGER NOT NULL CHECK (typeof("amount") = 'integer'),
    "first" INTEGER NOT NULL,           -- days that it is of
    "last" INTEGER NOT NULL,
    PRIMARY KEY ("account", "round", "cluster", "user")
) WITHOUT ROWID;
CREATE TRIGGER bank_late_is_not_changed BEFORE UPDATE ON bank_late
BEGIN
    SELECT raise(ABORT, 'a charge is never edited: the difference is another line');
END;
CREATE TRIGGER bank_late_is_not_removed BEFORE DELETE ON bank_late
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a charge is never removed: the difference is another line');
END;

-- When what was posted counts on a statement: as before, but not in a period that was closed when it was posted.
DROP VIEW bank_moved;
CREATE VIEW bank_moved AS
WITH moved AS (
    SELECT p."account", p."allotment", e.id AS "entry", e."kind", e."amount", e."at", e."from", e."to"
    FROM bank_pot p JOIN bank_entry e ON e."to" = p.id WHERE p."account" IS NOT NULL AND e."kind" <> 'charge'
    UNION ALL
    SELECT p."account", p."allotment", e.id, e."kind", -e."amount", e."at", e."from", e."to"
    FROM bank_pot p JOIN bank_entry e ON e."from" = p.id WHERE p."account" IS NOT NULL AND e."kind" <> 'charge'),
dated AS (
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
    FROM moved m LEFT JOIN bank_allotment l ON l.id = m."allotment")
SELECT d."account", d."entry", d."kind", d."amount",
    max(d."effect", coalesce((SELECT max(c."until") FROM bank_closing c
        WHERE c."account" = d."account" AND c."entry" < d."entry"), d."effect")) AS "effect"
FROM dated d;

-- A name draws on one account at a time, of all clusters or of one.
ALTER TABLE bank_draw RENAME TO bank_draw_for_ever;
CREATE TABLE bank_draw (
    id INTEGER PRIMARY KEY,
    "kind" TEXT NOT NULL CHECK ("kind" IN ('account', 'project', 'user')),
    "name" TEXT NOT NULL,
    "account" INTEGER NOT NULL REFERENCES bank_account (id),
    "cluster" TEXT,                     -- NULL: any
    "from" INTEGER,                     -- runs that start then; NULL: from ever
    "to" INTEGER                        -- NULL: for ever
);
INSERT INTO bank_draw ("kind", "name", "account") SELECT "kind", "name", "account" FROM bank_draw_for_ever ORDER BY "kind", "name";
DROP TABLE bank_draw_for_ever;
CREATE INDEX bank_draw_name ON bank_draw ("kind", "name");

-- Why an account was opened, set or closed: bank_event says what, who and when.
CREATE TABLE bank_event_why ("event" INTEGER PRIMARY KEY REFERENCES bank_event (id), "why" TEXT NOT NULL);
CREATE TRIGGER bank_event_why_is_not_changed BEFORE UPDATE ON bank_event_why
BEGIN
    SELECT raise(ABORT, 'what became of an account is never edited');
END;
CREATE TRIGGER bank_event_why_is_not_removed BEFORE DELETE ON bank_event_why
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'what became of an account is never removed');
END;

-- Changes of passwords and tokens, without them: part of the chain of the ledger, since they are changes of rights.
CREATE TABLE secret_event (
    id INTEGER PRIMARY KEY,
    "at" INTEGER NOT NULL,
    "who" TEXT NOT NULL,
    "what" TEXT NOT NULL CHECK ("what" IN ('known', 'set', 'removed')), -- known: it was there before events were
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL
);
INSERT INTO secret_event ("at", "who", "what", "kind", "name")
SELECT DISTINCT 0, 'not recorded', 'known', kind, name FROM secret WHERE kind <> 'session' ORDER BY kind, name;
CREATE TRIGGER secret_event_is_not_changed BEFORE UPDATE ON secret_event
BEGIN
    SELECT raise(ABORT, 'what became of a secret is never edited');
END;
CREATE TRIGGER secret_event_is_not_removed BEFORE DELETE ON secret_event
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'what became of a secret is never removed');
END;
