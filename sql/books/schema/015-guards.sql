-- SPDX-License-Identifier: MIT
--
-- What the ledger checks of itself, whoever writes, and also where foreign keys are switched off: that an entry moves SU between pots that its kind
-- is for, and that sums stay within 64 bits; that pots and allotments are not changed behind its back; and that an invoice is as it was issued.

CREATE TRIGGER bank_entry_fits_its_kind BEFORE INSERT ON bank_entry
WHEN NOT EXISTS (
        SELECT 1 FROM bank_pot f JOIN bank_pot t
        WHERE f.id = new."from" AND t.id = new."to" AND CASE new."kind"
            WHEN 'grant' THEN f."kind" = 'granted' AND t."kind" = 'allotment'
            WHEN 'charge' THEN (f."kind" IN ('allotment', 'over') AND t."kind" = 'used')
                OR (f."kind" = 'used' AND t."kind" IN ('allotment', 'over'))
            WHEN 'refund' THEN f."kind" = 'used' AND t."kind" IN ('allotment', 'over')
            WHEN 'transfer' THEN f."kind" = 'allotment' AND t."kind" = 'allotment'
            WHEN 'adjustment' THEN (f."kind" = 'granted' AND t."kind" = 'allotment')
                OR (f."kind" = 'allotment' AND t."kind" = 'granted')
            WHEN 'expiry' THEN (f."kind" = 'allotment' AND t."kind" = 'expired')
                OR (f."kind" = 'expired' AND t."kind" = 'allotment')
            WHEN 'carry-over' THEN f."kind" = 'allotment' AND t."kind" = 'allotment' AND f."account" = t."account"
            ELSE 0 END)
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'an entry of this kind does not move service units between these two');
END;

CREATE TRIGGER bank_entry_fits_64_bits BEFORE INSERT ON bank_entry
WHEN typeof(new."amount") = 'integer' AND new."amount" > 0
    AND EXISTS (SELECT 1 FROM bank_pot p
        WHERE (p.id = new."from" AND p."out" > 9223372036854775807 - new."amount")
            OR (p.id = new."to" AND p."in" > 9223372036854775807 - new."amount"))
BEGIN
    SELECT raise(ABORT, 'all amounts together would be more than 9223372036854.775807 SU');
END;

DROP TRIGGER bank_pot_follows_entries;
CREATE TRIGGER bank_pot_follows_entries BEFORE UPDATE ON bank_pot
WHEN typeof(new."in") = 'integer' AND typeof(new."out") = 'integer' AND (
    new."in" - old."in" NOT IN (0, (SELECT "amount" FROM bank_entry ORDER BY id DESC LIMIT 1))
    OR new."out" - old."out" NOT IN (0, (SELECT "amount" FROM bank_entry ORDER BY id DESC LIMIT 1))
    OR (new."in" = old."in" AND new."out" = old."out")
    OR abs(new."charged" - old."charged") + abs(new."expired" - old."expired") + abs(new."carried" - old."carried")
        NOT IN (0, (SELECT "amount" FROM bank_entry ORDER BY id DESC LIMIT 1))
    OR new.id <> old.id OR new."kind" <> old."kind" OR new."limited" <> old."limited"
    OR new."account" IS NOT old."account" OR new."allotment" IS NOT old."allotment")
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'what a pot holds is changed by entries only');
END;
CREATE TRIGGER bank_pot_begins_empty BEFORE INSERT ON bank_pot
WHEN (new."in" <> 0 OR new."out" <> 0 OR new."charged" <> 0 OR new."expired" <> 0 OR new."carried" <> 0)
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'what a pot holds is changed by entries only');
END;

-- What was granted stays as it was granted: charges, expiry and statements of the past follow from it.
CREATE TRIGGER bank_allotment_is_not_changed BEFORE UPDATE ON bank_allotment
BEGIN
    SELECT raise(ABORT, 'an allotment is never edited: grant another, or adjust it');
END;
CREATE TRIGGER bank_allotment_is_not_removed BEFORE DELETE ON bank_allotment
WHEN NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'an allotment is never removed: reduce it');
END;

-- An invoice comes after its lines, in the same transaction: so none can be added to it.
CREATE TRIGGER bank_invoice_line_comes_first BEFORE INSERT ON bank_invoice_line
WHEN EXISTS (SELECT 1 FROM bank_invoice WHERE id = new."invoice") AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
CREATE TRIGGER bank_invoice_rate_comes_first BEFORE INSERT ON bank_invoice_rate
WHEN EXISTS (SELECT 1 FROM bank_invoice WHERE id = new."invoice") AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'an invoice is never edited: issue another');
END;
