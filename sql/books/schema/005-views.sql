-- SPDX-License-Identifier: MIT
--
-- Questions that people keep under a name, each with its owner, and with whom it is shared.
CREATE TABLE saved_view (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL,
    "question" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "share" TEXT,
    "note" TEXT,
    UNIQUE ("name", "owner")
);

-- Who made a token for themselves; of others, nobody.
ALTER TABLE token ADD COLUMN "owner" TEXT;
