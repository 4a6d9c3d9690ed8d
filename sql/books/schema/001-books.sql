-- SPDX-License-Identifier: MIT
--
-- The books: what people decided. The columns of each table are the rows of its kind in
-- src/books/kind.c; a test compares them. Dates are texts (2025-03-01) of the site's calendar, both
-- included; NULL is "not said". Numbers of rows are never given twice, since the history names them.

CREATE TABLE metagroup (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL UNIQUE,
    "full_name" TEXT,
    "note" TEXT
);

-- Who belongs to a metagroup, and when. That nobody is in two at once, and that no metagroup contains
-- itself, is checked before every commit by src/books/membership.c.
CREATE TABLE member (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "metagroup" TEXT NOT NULL REFERENCES metagroup ("name"),
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "from" TEXT,
    "to" TEXT,
    "note" TEXT
);
CREATE UNIQUE INDEX member_key ON member ("metagroup", "kind", "name", ifnull("from", ''));

CREATE TABLE person (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "person" TEXT NOT NULL UNIQUE,
    "name" TEXT,
    "email" TEXT,
    "affiliation" TEXT,
    "logins" TEXT,
    "note" TEXT
);

-- Runs imported under one cluster name that count under another.
CREATE TABLE cluster (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "cluster" TEXT NOT NULL,
    "node" TEXT,
    "partition" TEXT,
    "as" TEXT NOT NULL,
    "note" TEXT
);
CREATE UNIQUE INDEX cluster_key ON cluster ("cluster", ifnull("node", ''), ifnull("partition", ''));

CREATE TABLE name (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "dimension" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "shown" TEXT NOT NULL,
    "note" TEXT
);
CREATE UNIQUE INDEX name_key ON name ("dimension", "value");

CREATE TABLE gap (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "cluster" TEXT,
    "from" TEXT NOT NULL,
    "to" TEXT,
    "what" TEXT NOT NULL
);
CREATE UNIQUE INDEX gap_key ON gap (ifnull("cluster", ''), "from", "what");

CREATE TABLE target (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL UNIQUE,
    "measure" TEXT NOT NULL,
    "amount" INTEGER NOT NULL,          -- millionths of the measure's unit
    "per" TEXT,
    "from" TEXT,
    "to" TEXT,
    "cluster" TEXT,
    "user" TEXT,
    "group" TEXT,
    "account" TEXT,
    "metagroup" TEXT REFERENCES metagroup ("name"),
    "note" TEXT
);

-- Every change, written in the transaction that made it, and never edited.
CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "at" INTEGER NOT NULL,              -- microseconds since 1970 UTC
    "who" TEXT NOT NULL,
    "operation" TEXT NOT NULL,          -- add, set, remove
    "kind" TEXT NOT NULL,
    "item" INTEGER NOT NULL,            -- id of the row
    "before" TEXT,                      -- JSON objects
    "after" TEXT
);
CREATE INDEX history_item ON history ("kind", "item");

-- Holds a row only inside the transaction of a restore, which replaces the history with that of a
-- document. Nothing else may take anything out of it.
CREATE TABLE restoring (yes INTEGER);

CREATE TRIGGER history_is_not_changed BEFORE UPDATE ON history
BEGIN
    SELECT raise(ABORT, 'history is never edited');
END;

CREATE TRIGGER history_is_not_removed BEFORE DELETE ON history
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'history is never edited');
END;
