-- SPDX-License-Identifier: MIT
--
-- Rejected records that are not in quarantine: those of a batch that were beyond what is kept of a file, and those that
-- were removed when a batch made it larger than its limits. See src/facts/journal.h.
CREATE TABLE quarantine_dropped (
    batch BIGINT NOT NULL,
    cluster VARCHAR NOT NULL,
    records BIGINT NOT NULL
);
