-- SPDX-License-Identifier: MIT
--
-- The chain of what was posted (src/books/chain.h), and what became of accounts, which are edited.

CREATE TABLE bank_event (
    id INTEGER PRIMARY KEY,
    "at" INTEGER NOT NULL,
    "who" TEXT NOT NULL,
    "what" TEXT NOT NULL,               -- open, set, draw; known: it was there before events were
    "account" INTEGER NOT NULL,
    "after" TEXT NOT NULL               -- JSON: the account, or the draw
);
INSERT INTO bank_event ("at", "who", "what", "account", "after")
SELECT opened, 'not recorded', 'known', id,
    json_object('name', name, 'opened', opened, 'closed', closed, 'overdraft', overdraft, 'overdraft_micro', overdraft_micro,
        'note', note)
FROM bank_account ORDER BY id;
INSERT INTO bank_event ("at", "who", "what", "account", "after")
SELECT 0, 'not recorded', 'draw', account, json_object('kind', kind, 'name', name) FROM bank_draw ORDER BY kind, name;
CREATE TRIGGER bank_event_is_not_changed BEFORE UPDATE ON bank_event
BEGIN
    SELECT raise(ABORT, 'what became of an account is never edited');
END;
CREATE TRIGGER bank_event_is_not_removed BEFORE DELETE ON bank_event
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'what became of an account is never removed');
END;

-- The lines of a round of charging, as one digest: rows of bank_lines come in no order.
CREATE TABLE bank_round_lines (
    "round" INTEGER PRIMARY KEY,
    "rows" INTEGER NOT NULL,
    "digest" TEXT NOT NULL
);
CREATE TRIGGER bank_round_lines_are_not_changed BEFORE UPDATE ON bank_round_lines
BEGIN
    SELECT raise(ABORT, 'a round of charging is never edited');
END;
CREATE TRIGGER bank_round_lines_are_not_removed BEFORE DELETE ON bank_round_lines
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a round of charging is never removed');
END;

CREATE TABLE bank_link (
    id INTEGER PRIMARY KEY,             -- 1, 2, ... without gaps
    "at" INTEGER NOT NULL,
    "who" TEXT NOT NULL,
    "upto" TEXT NOT NULL,               -- the last number of each table, in the order of src/books/chain.c
    "head" TEXT NOT NULL UNIQUE
);
CREATE TRIGGER bank_link_is_not_changed BEFORE UPDATE ON bank_link
BEGIN
    SELECT raise(ABORT, 'the chain of the ledger is never edited');
END;
CREATE TRIGGER bank_link_is_not_removed BEFORE DELETE ON bank_link
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'the chain of the ledger is never edited');
END;
