-- SPDX-License-Identifier: MIT
--
-- What there is of every run of the bank, packed (src/books/packed.h): rows of their own took longer to write than all the rest of charging.

-- The lines of the charges. A row has those of neighbouring runs that were posted together.
CREATE TABLE bank_lines (
    id INTEGER PRIMARY KEY,             -- the bucket that its runs lie in, and a number in it: it exists once
    "round" INTEGER NOT NULL,           -- of charging: bank_entry has the same of what was posted then
    "count" INTEGER NOT NULL CHECK (typeof("count") = 'integer' AND "count" > 0),
    "lines" BLOB NOT NULL CHECK (typeof("lines") = 'blob')
);
INSERT INTO bank_lines (id, "round", "count", "lines")
SELECT ("bucket" << 20) + row_number() OVER (PARTITION BY "bucket" ORDER BY "round") - 1, "round", "count", "lines"
FROM (SELECT bank_bucket("run") AS "bucket", "round", count(*) AS "count",
        bank_pack_lines("run", "n", "account", "cluster", "user", "rate", "start", "end", "amount") AS "lines"
    FROM bank_charge GROUP BY 1, 2);
DROP TABLE bank_charge;
CREATE TRIGGER bank_lines_are_not_changed BEFORE UPDATE ON bank_lines
BEGIN
    SELECT raise(ABORT, 'a charge is never edited: the difference is another line');
END;
CREATE TRIGGER bank_lines_are_not_removed BEFORE DELETE ON bank_lines
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a charge is never removed: the difference is another line');
END;

-- The same lines by day, shared out over the days of each run: a summary that statements and draws are made from, and that
-- `stint bank check` compares with the lines. A row has the days of an account with the same number after a shift by 4.
CREATE TABLE bank_used (
    "account" INTEGER NOT NULL,
    "stretch" INTEGER NOT NULL,
    "amount" INTEGER NOT NULL CHECK (typeof("amount") = 'integer'), -- the sum of its days
    "cells" BLOB NOT NULL CHECK (typeof("cells") = 'blob'),
    PRIMARY KEY ("account", "stretch")
) WITHOUT ROWID;
INSERT INTO bank_used ("account", "stretch", "amount", "cells")
SELECT "account", "day" >> 4, sum("amount"), bank_pack_cells("day", "cluster", "user", "amount")
FROM bank_usage WHERE "amount" <> 0 GROUP BY "account", "day" >> 4;
DROP TABLE bank_usage;

-- A dump has the ledger, too: restoring one takes out what is there, and posts again what was posted. What was allowed then is not asked again.
DROP TRIGGER bank_entry_is_not_removed;
CREATE TRIGGER bank_entry_is_not_removed BEFORE DELETE ON bank_entry
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'an entry is never removed: correct it by another');
END;
DROP TRIGGER bank_lien_is_not_removed;
CREATE TRIGGER bank_lien_is_not_removed BEFORE DELETE ON bank_lien
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a lien is never removed: settle it');
END;
DROP TRIGGER bank_lien_end_is_not_removed;
CREATE TRIGGER bank_lien_end_is_not_removed BEFORE DELETE ON bank_lien_end
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a lien is settled once');
END;
DROP TRIGGER bank_pot_is_not_removed;
CREATE TRIGGER bank_pot_is_not_removed BEFORE DELETE ON bank_pot
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a pot is never removed');
END;
DROP TRIGGER bank_invoice_is_not_removed;
CREATE TRIGGER bank_invoice_is_not_removed BEFORE DELETE ON bank_invoice
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'an invoice is never removed: issue another');
END;
DROP TRIGGER bank_invoice_line_is_not_removed;
CREATE TRIGGER bank_invoice_line_is_not_removed BEFORE DELETE ON bank_invoice_line
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
DROP TRIGGER bank_invoice_rate_is_not_removed;
CREATE TRIGGER bank_invoice_rate_is_not_removed BEFORE DELETE ON bank_invoice_rate
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
DROP TRIGGER bank_pot_follows_entries;
CREATE TRIGGER bank_pot_follows_entries BEFORE UPDATE ON bank_pot
WHEN typeof(new."in") = 'integer' AND typeof(new."out") = 'integer' AND (
    new."in" - old."in" NOT IN (0, (SELECT "amount" FROM bank_entry ORDER BY id DESC LIMIT 1))
    OR new."out" - old."out" NOT IN (0, (SELECT "amount" FROM bank_entry ORDER BY id DESC LIMIT 1)))
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'what a pot holds is changed by entries only');
END;
DROP TRIGGER bank_transfer_leaves_what_is_held;
CREATE TRIGGER bank_transfer_leaves_what_is_held BEFORE INSERT ON bank_entry
WHEN new.kind = 'transfer' AND (SELECT "limited" FROM bank_pot WHERE id = new."from") = 1
    AND (SELECT sum(p."in" - p."out") - max(a."held")
         FROM bank_pot p JOIN bank_account a ON a.id = p."account"
         WHERE a.id = (SELECT "account" FROM bank_pot WHERE id = new."from")
             AND (p."limited" = 1 OR p."kind" = 'over')) < new.amount
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'the account has less than that free: running jobs hold a part, or it is overdrawn');
END;
DROP TRIGGER bank_transfer_leaves_what_was_carried;
CREATE TRIGGER bank_transfer_leaves_what_was_carried BEFORE INSERT ON bank_entry
WHEN new.kind IN ('transfer', 'adjustment') AND (SELECT p."limited" = 1
        AND p."in" - p."out" + p."charged" + p."expired" + p."carried" < new.amount FROM bank_pot p WHERE p.id = new."from")
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'the allotment was granted less than that: what was carried over into it stays');
END;
