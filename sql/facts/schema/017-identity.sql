-- SPDX-License-Identifier: MIT
--
-- Which facts these are. A position in the change feed is kept elsewhere together with a digest of the entries it points at
-- (src/facts/changes.h): after facts were made again from files, or restored from an older backup, the same number belongs
-- to another entry, and the digest tells. The table `changes` gets no column for it: its default is a function, and the
-- engine cannot recover a log in which such a table is altered.
CREATE TABLE identity (
    id VARCHAR NOT NULL,            -- random
    epoch BIGINT NOT NULL           -- when they were made: microseconds since 1970 UTC
);
INSERT INTO identity SELECT CAST(uuid() AS VARCHAR), epoch_us(CAST(now() AS TIMESTAMP));
