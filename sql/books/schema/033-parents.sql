-- SPDX-License-Identifier: MIT
--
-- Accounts whose runs another account pays for, their parent: they have no service units of their own, so that everything they
-- used lies in the pots of the parent, once. A parent has none itself, and stays: what it paid for follows from it.

CREATE TABLE bank_parent (
    id INTEGER PRIMARY KEY,
    "account" INTEGER NOT NULL UNIQUE REFERENCES bank_account (id),
    "parent" INTEGER NOT NULL REFERENCES bank_account (id) CHECK ("parent" <> "account")
);
CREATE INDEX bank_parent_parent ON bank_parent ("parent");

CREATE TRIGGER bank_parent_is_at_the_top BEFORE INSERT ON bank_parent
WHEN EXISTS (SELECT 1 FROM bank_parent b WHERE b."account" = new."parent" OR b."parent" = new."account")
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a parent has no parent of its own: all accounts of a faculty have the same one');
END;
CREATE TRIGGER bank_parent_comes_first BEFORE INSERT ON bank_parent
WHEN (EXISTS (SELECT 1 FROM bank_allotment WHERE "account" = new."account")
        OR EXISTS (SELECT 1 FROM bank_used WHERE "account" = new."account")
        OR EXISTS (SELECT 1 FROM bank_lien WHERE "account" = new."account")
        OR EXISTS (SELECT 1 FROM bank_closing WHERE "account" = new."account")
        OR EXISTS (SELECT 1 FROM bank_invoice WHERE "account" = new."account"))
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'only an account of which nothing was granted, charged, closed or invoiced gets a parent: open another for its runs, with --parent and --draw');
END;
CREATE TRIGGER bank_parent_is_not_changed BEFORE UPDATE ON bank_parent
BEGIN
    SELECT raise(ABORT, 'a parent stays: what it paid for follows from it');
END;
CREATE TRIGGER bank_parent_is_not_removed BEFORE DELETE ON bank_parent
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'a parent stays: what it paid for follows from it');
END;

-- Whatever would give such an account something of its own is refused.
CREATE TRIGGER bank_allotment_is_the_parents BEFORE INSERT ON bank_allotment
WHEN EXISTS (SELECT 1 FROM bank_parent WHERE "account" = new."account") AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'the account has a parent that pays for it, and no service units of its own: the parent has them');
END;
CREATE TRIGGER bank_entry_is_the_parents BEFORE INSERT ON bank_entry
WHEN EXISTS (SELECT 1 FROM bank_pot p JOIN bank_parent b ON b."account" = p."account" WHERE p.id IN (new."from", new."to"))
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'the account has a parent that pays for it, and no service units of its own: the parent has them');
END;
CREATE TRIGGER bank_closing_is_the_parents BEFORE INSERT ON bank_closing
WHEN EXISTS (SELECT 1 FROM bank_parent WHERE "account" = new."account") AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'the account has a parent: periods are closed for both, by closing those of the parent');
END;
CREATE TRIGGER bank_invoice_is_the_parents BEFORE INSERT ON bank_invoice
WHEN EXISTS (SELECT 1 FROM bank_parent WHERE "account" = new."account") AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'the account has a parent: what it used is on the invoices of that one');
END;

-- Nobody gives away what running jobs of the accounts below hold.
DROP TRIGGER bank_transfer_leaves_what_is_held;
CREATE TRIGGER bank_transfer_leaves_what_is_held BEFORE INSERT ON bank_entry
WHEN new.kind = 'transfer' AND (SELECT "limited" FROM bank_pot WHERE id = new."from") = 1
    AND (SELECT "account" FROM bank_pot WHERE id = new."from") IS NOT (SELECT "account" FROM bank_pot WHERE id = new."to")
    AND (SELECT sum(p."in" - p."out") - max(a."held")
         FROM bank_pot p JOIN bank_account a ON a.id = p."account"
         WHERE a.id = (SELECT "account" FROM bank_pot WHERE id = new."from")
             AND (p."limited" = 1 OR p."kind" = 'over'))
        - (SELECT coalesce(sum(c."held"), 0) FROM bank_parent b JOIN bank_account c ON c.id = b."account"
           WHERE b."parent" = (SELECT "account" FROM bank_pot WHERE id = new."from")) < new.amount
BEGIN
    SELECT raise(ABORT, 'the account has less than that free: running jobs hold a part, or it is overdrawn');
END;
