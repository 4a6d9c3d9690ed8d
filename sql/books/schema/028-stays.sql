-- SPDX-License-Identifier: MIT
--
-- Allotments of which nothing is transferred to another account. A table of its own: the columns of bank_allotment are part of the
-- digests of all books that exist.
CREATE TABLE bank_stays ("allotment" INTEGER PRIMARY KEY REFERENCES bank_allotment (id));
CREATE TRIGGER bank_stays_is_not_changed BEFORE UPDATE ON bank_stays
BEGIN
    SELECT raise(ABORT, 'an allotment is never edited: grant another');
END;
CREATE TRIGGER bank_stays_is_not_removed BEFORE DELETE ON bank_stays
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'an allotment is never edited: grant another');
END;

CREATE TRIGGER bank_transfer_leaves_what_stays BEFORE INSERT ON bank_entry
WHEN new.kind = 'transfer'
    AND EXISTS (SELECT 1 FROM bank_pot p JOIN bank_stays s ON s."allotment" = p."allotment" WHERE p.id = new."from")
    AND (SELECT "account" FROM bank_pot WHERE id = new."from") IS NOT (SELECT "account" FROM bank_pot WHERE id = new."to")
BEGIN
    SELECT raise(ABORT, 'the allotment is not transferable');
END;
