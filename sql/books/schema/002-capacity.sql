-- SPDX-License-Identifier: MIT
--
-- How large clusters are, and were.
CREATE TABLE capacity (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    "cluster" TEXT NOT NULL,
    "cpus" INTEGER NOT NULL,            -- millionths
    "gpus" INTEGER,                     -- millionths
    "from" TEXT,
    "to" TEXT,
    "note" TEXT
);
CREATE UNIQUE INDEX capacity_key ON capacity ("cluster", ifnull("from", ''));
