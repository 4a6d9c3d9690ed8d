-- SPDX-License-Identifier: MIT
--
-- Who is behind a login, where the source tells it beside the job; see src/facts/owners.h. What people decide about
-- it lies in the books.
CREATE TABLE owners (
    cluster VARCHAR NOT NULL,
    login VARCHAR NOT NULL,
    name VARCHAR,
    email VARCHAR,
    told BIGINT NOT NULL            -- when the job that tells it was submitted; 0: nobody knows
);
