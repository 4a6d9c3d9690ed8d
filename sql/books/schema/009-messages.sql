-- SPDX-License-Identifier: MIT
--
-- Which notices of the bank were sent to whom: each once, and one digest a day at most. src/bank/ledger.h is the way in.
CREATE TABLE bank_message (
    "to" TEXT NOT NULL,                 -- mail address; empty: a webhook alone
    "allotment" INTEGER NOT NULL REFERENCES bank_allotment (id),
    "what" TEXT NOT NULL,               -- as in bank_notice_sent
    "at" INTEGER NOT NULL,
    PRIMARY KEY ("to", "allotment", "what")
) WITHOUT ROWID;
