-- SPDX-License-Identifier: MIT
--
-- Old samples become fewer, a day at a time (src/facts/duckdb/samples_thin.c). What is put together from the fields of a
-- sample is built there.

-- name: samples_thin_first
SELECT min("time") FROM samples WHERE "time" >= ? AND "time" < ?

-- name: samples_thin_make
CREATE OR REPLACE TEMP TABLE thinned AS FROM samples LIMIT 0

-- name: samples_thin_remove_day
DELETE FROM samples WHERE "time" >= ? AND "time" < ?

-- name: samples_thin_write_day
INSERT INTO samples FROM thinned ORDER BY "time"

-- name: samples_thin_drop
DROP TABLE thinned
