-- SPDX-License-Identifier: MIT
--
-- Limits that stint has set at schedulers: what was set before, so that it can be restored, and every step. A step is
-- written before it is tried, and how it ended afterwards; neither is edited. src/enforce/saved_limits.h is the way in.

-- One row for each limit that is stint's at present.
CREATE TABLE enforce_kept (
    "cluster" TEXT NOT NULL,
    "kind" TEXT NOT NULL CHECK ("kind" IN ('account', 'project', 'user')),
    "name" TEXT NOT NULL,
    "under" TEXT NOT NULL,              -- the account in which the limit of a user is; else empty
    "mode" TEXT NOT NULL CHECK ("mode" IN ('limit', 'hold', 'refuse')),
    "before" INTEGER,                   -- what was set before stint set anything; NULL: no limit
    "value" INTEGER,                    -- what stint set last
    "known" INTEGER NOT NULL,           -- 0: `value` says nothing, nothing was ever set for certain
    "next" INTEGER,                     -- what is being set
    "trying" INTEGER NOT NULL,          -- 0: `next` says nothing
    "at" INTEGER NOT NULL,
    PRIMARY KEY ("cluster", "kind", "name", "under", "mode")
) WITHOUT ROWID;

CREATE TABLE enforce_step (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "cluster" TEXT NOT NULL,
    "account" TEXT,                     -- of the bank
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "under" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "from" INTEGER,                     -- NULL: no limit
    "to" INTEGER,
    "at" INTEGER NOT NULL,
    "who" TEXT NOT NULL
);
CREATE TABLE enforce_step_end (
    "step" INTEGER PRIMARY KEY REFERENCES enforce_step (id),
    "how" TEXT NOT NULL CHECK ("how" IN ('done', 'failed')),
    "asked" INTEGER NOT NULL,           -- whether the scheduler was asked afterwards
    "found" INTEGER,                    -- what it said then; NULL: no limit
    "why" TEXT,                         -- of what failed
    "at" INTEGER NOT NULL
);
CREATE TRIGGER enforce_step_is_not_changed BEFORE UPDATE ON enforce_step
BEGIN
    SELECT raise(ABORT, 'a step of enforcement is never edited');
END;
CREATE TRIGGER enforce_step_is_not_removed BEFORE DELETE ON enforce_step
BEGIN
    SELECT raise(ABORT, 'a step of enforcement is never removed');
END;
CREATE TRIGGER enforce_step_end_is_not_changed BEFORE UPDATE ON enforce_step_end
BEGIN
    SELECT raise(ABORT, 'a step of enforcement ends once');
END;
CREATE TRIGGER enforce_step_end_is_not_removed BEFORE DELETE ON enforce_step_end
BEGIN
    SELECT raise(ABORT, 'a step of enforcement ends once');
END;
