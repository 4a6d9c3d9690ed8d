-- SPDX-License-Identifier: MIT
--
-- About what somebody was written to, so that nobody is written to twice about the same: see src/books/message_log.h. It was
-- in the facts, which can be made again from files; this cannot.
CREATE TABLE reported (
    "rule" TEXT NOT NULL,
    "user" TEXT NOT NULL,
    "what" TEXT NOT NULL,               -- a run, as people name it, or a month
    "at" INTEGER NOT NULL,
    PRIMARY KEY ("rule", "user", "what")
) WITHOUT ROWID;
