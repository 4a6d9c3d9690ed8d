-- SPDX-License-Identifier: MIT
--
-- Roll-ups: sums kept beside the facts, made anew for what changed. They hold nothing that is not in `runs` and may be
-- dropped at any time. Their tables are made by src/report/rollup/rollup.c, whose columns are the catalogue's.

-- What the roll-ups were made as; one row, or none before the first.
CREATE TABLE rollup_state (
    zone VARCHAR NOT NULL,          -- whose days they are
    signature VARCHAR NOT NULL      -- of the tables: when it changes they are made anew
);

-- Spans of time whose runs changed since; written in the transaction that changes them.
CREATE TABLE rollup_dirty (
    first_time BIGINT NOT NULL,
    last_time BIGINT NOT NULL
);

-- Of the runs that are there already, none is rolled up.
INSERT INTO rollup_dirty SELECT least(min(submit), min(start), min("end")), greatest(max(submit), max(start), max("end"))
FROM runs HAVING least(min(submit), min(start), min("end")) IS NOT NULL;
