-- SPDX-License-Identifier: MIT
--
-- Whom a message of `stint hogs` was written to, and about what, so that each case is reported once; see src/facts/old_messages.h.
CREATE TABLE reported (
    "at" BIGINT NOT NULL,
    rule VARCHAR NOT NULL,
    "user" VARCHAR NOT NULL,
    what VARCHAR NOT NULL           -- a run, as people name it, or a month
);
