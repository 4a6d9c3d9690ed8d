-- SPDX-License-Identifier: MIT
--
-- Limits that stint has set know whether the scheduler has a mark beside them, and can be of the mode 'jobs'. Those of before have none.

ALTER TABLE enforce_kept RENAME TO enforce_kept_unmarked;
CREATE TABLE enforce_kept (
    "cluster" TEXT NOT NULL,
    "kind" TEXT NOT NULL CHECK ("kind" IN ('account', 'project', 'user')),
    "name" TEXT NOT NULL,
    "under" TEXT NOT NULL,              -- the account in which the limit of a user is; else empty
    "mode" TEXT NOT NULL CHECK ("mode" IN ('limit', 'hold', 'refuse', 'jobs')),
    "before" INTEGER,                   -- what the site itself has set last; NULL: no limit
    "value" INTEGER,                    -- what stint set last
    "known" INTEGER NOT NULL,           -- 0: `value` says nothing, nothing was ever set for certain
    "next" INTEGER,                     -- what is being set
    "trying" INTEGER NOT NULL,          -- 0: `next` says nothing
    "at" INTEGER NOT NULL,
    "marked" INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY ("cluster", "kind", "name", "under", "mode")
) WITHOUT ROWID;
INSERT INTO enforce_kept ("cluster", "kind", "name", "under", "mode", "before", "value", "known", "next", "trying", "at")
SELECT "cluster", "kind", "name", "under", "mode", "before", "value", "known", "next", "trying", "at" FROM enforce_kept_unmarked;
DROP TABLE enforce_kept_unmarked;
