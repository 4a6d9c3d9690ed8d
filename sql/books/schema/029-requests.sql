-- SPDX-License-Identifier: MIT
--
-- Requests for allotments, and what was decided about each, once. Both are part of the chain of the ledger.
CREATE TABLE bank_request (
    id INTEGER PRIMARY KEY,
    "account" TEXT NOT NULL,            -- a name: the account may be opened later
    "amount" INTEGER NOT NULL CHECK ("amount" > 0),
    "from" INTEGER NOT NULL,
    "to" INTEGER,                       -- NULL: without an end
    "renews" INTEGER REFERENCES bank_allotment (id),
    "at" INTEGER NOT NULL,
    "who" TEXT NOT NULL,
    "why" TEXT NOT NULL
);
CREATE TABLE bank_decision (
    id INTEGER PRIMARY KEY,
    "request" INTEGER NOT NULL UNIQUE REFERENCES bank_request (id),
    "what" TEXT NOT NULL CHECK ("what" IN ('approved', 'declined', 'withdrawn')),
    "amount" INTEGER,                   -- as approved
    "entry" INTEGER REFERENCES bank_entry (id),
    "at" INTEGER NOT NULL,
    "who" TEXT NOT NULL,
    "why" TEXT,
    CHECK (("what" = 'approved') = ("entry" IS NOT NULL AND "amount" > 0))
);
CREATE TRIGGER bank_request_is_not_changed BEFORE UPDATE ON bank_request
BEGIN
    SELECT raise(ABORT, 'a request is never edited: withdraw it and add another');
END;
CREATE TRIGGER bank_request_is_not_removed BEFORE DELETE ON bank_request
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a request is never removed: withdraw it');
END;
CREATE TRIGGER bank_decision_is_not_changed BEFORE UPDATE ON bank_decision
BEGIN
    SELECT raise(ABORT, 'a decision is never edited: what was granted can be voided');
END;
CREATE TRIGGER bank_decision_is_not_removed BEFORE DELETE ON bank_decision
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a decision is never removed: what was granted can be voided');
END;
