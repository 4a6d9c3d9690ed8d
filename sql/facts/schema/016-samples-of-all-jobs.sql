-- SPDX-License-Identifier: MIT
--
-- Samples say when counters began at zero again, and which part of the energy is that of memory. Columns are in the order of SAMPLE_FIELDS, bookkeeping last.
ALTER TABLE samples RENAME TO samples_before;
CREATE TABLE samples AS
SELECT * EXCLUDE ("version", "source", "file", "line", "batch"),
       CAST(NULL AS BIGINT) AS "energy_mem_j", -- joules, part of energy_j
       CAST(NULL AS BIGINT) AS "generation", -- identifies one life of the counters
       "version", "source", "file", "line", "batch"
FROM samples_before;
DROP TABLE samples_before;
