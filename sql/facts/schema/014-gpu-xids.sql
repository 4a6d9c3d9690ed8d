-- SPDX-License-Identifier: MIT
--
-- Samples of cards have the errors that the driver reports (XID). Columns are in the order of SAMPLE_FIELDS, bookkeeping last.
ALTER TABLE samples RENAME TO samples_before;
CREATE TABLE samples AS
SELECT * EXCLUDE ("version", "source", "file", "line", "batch"),
       CAST(NULL AS VARCHAR) AS "gpu_xids", -- numbers of the errors that the driver reported of a card (XID) since the agent began; none
       "version", "source", "file", "line", "batch"
FROM samples_before;
DROP TABLE samples_before;
