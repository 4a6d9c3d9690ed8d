-- SPDX-License-Identifier: MIT
--
-- Samples of nodes say when the energy counter began at zero again. Columns are in the order of SAMPLE_FIELDS, bookkeeping last.
ALTER TABLE samples RENAME TO samples_before;
CREATE TABLE samples AS
SELECT * EXCLUDE ("version", "source", "file", "line", "batch"),
       CAST(NULL AS BIGINT) AS "energy_generation", -- identifies one life of energy_j of a node
       "version", "source", "file", "line", "batch"
FROM samples_before;
DROP TABLE samples_before;
