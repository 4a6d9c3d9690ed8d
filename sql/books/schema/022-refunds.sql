-- SPDX-License-Identifier: MIT
--
-- Refunds are counted apart from what was granted, and are taken back where the run they are of costs less than they come to.

DROP TRIGGER bank_pot_follows_entries;
DROP TRIGGER bank_pot_begins_empty;
DROP TRIGGER bank_entry_is_posted;
DROP TRIGGER bank_entry_fits_its_kind;
DROP TRIGGER bank_transfer_leaves_what_was_carried;

-- What was refunded into a pot, less what of it was taken back.
ALTER TABLE bank_pot ADD COLUMN "refunded" INTEGER NOT NULL DEFAULT 0 CHECK (typeof("refunded") = 'integer');
UPDATE bank_pot SET "refunded" = (SELECT sum("amount") FROM bank_entry e WHERE e."to" = bank_pot.id AND e."kind" = 'refund')
WHERE id > 3 AND EXISTS (SELECT 1 FROM bank_entry e WHERE e."to" = bank_pot.id AND e."kind" = 'refund');

CREATE TRIGGER bank_entry_is_posted AFTER INSERT ON bank_entry
BEGIN
    UPDATE bank_pot SET "out" = "out" + new.amount, "charged" = "charged" + (new.kind = 'charge') * new.amount,
        "expired" = "expired" + (new.kind = 'expiry') * new.amount,
        "refunded" = "refunded" - (new.kind = 'refund' AND id > 3) * new.amount,
        "carried" = "carried" + (new.kind = 'carry-over') * new.amount WHERE id = new."from";
    UPDATE bank_pot SET "in" = "in" + new.amount, "charged" = "charged" - (new.kind = 'charge') * new.amount,
        "expired" = "expired" - (new.kind = 'expiry') * new.amount,
        "refunded" = "refunded" + (new.kind = 'refund' AND id > 3) * new.amount,
        "carried" = "carried" - (new.kind = 'carry-over') * new.amount WHERE id = new."to";
END;

CREATE TRIGGER bank_entry_fits_its_kind BEFORE INSERT ON bank_entry
WHEN NOT EXISTS (
        SELECT 1 FROM bank_pot f JOIN bank_pot t
        WHERE f.id = new."from" AND t.id = new."to" AND CASE new."kind"
            WHEN 'grant' THEN f."kind" = 'granted' AND t."kind" = 'allotment'
            WHEN 'charge' THEN (f."kind" IN ('allotment', 'over') AND t."kind" = 'used')
                OR (f."kind" = 'used' AND t."kind" IN ('allotment', 'over'))
            WHEN 'refund' THEN (f."kind" = 'used' AND t."kind" IN ('allotment', 'over'))
                OR (f."kind" IN ('allotment', 'over') AND t."kind" = 'used' AND new."run" IS NOT NULL)
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

CREATE TRIGGER bank_pot_follows_entries BEFORE UPDATE ON bank_pot
WHEN typeof(new."in") = 'integer' AND typeof(new."out") = 'integer' AND (
    new."in" - old."in" NOT IN (0, (SELECT "amount" FROM bank_entry ORDER BY id DESC LIMIT 1))
    OR new."out" - old."out" NOT IN (0, (SELECT "amount" FROM bank_entry ORDER BY id DESC LIMIT 1))
    OR (new."in" = old."in" AND new."out" = old."out")
    OR abs(new."charged" - old."charged") + abs(new."expired" - old."expired") + abs(new."carried" - old."carried")
        + abs(new."refunded" - old."refunded")
        NOT IN (0, (SELECT "amount" FROM bank_entry ORDER BY id DESC LIMIT 1))
    OR new.id <> old.id OR new."kind" <> old."kind" OR new."limited" <> old."limited"
    OR new."account" IS NOT old."account" OR new."allotment" IS NOT old."allotment")
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'what a pot holds is changed by entries only');
END;
CREATE TRIGGER bank_pot_begins_empty BEFORE INSERT ON bank_pot
WHEN (new."in" <> 0 OR new."out" <> 0 OR new."charged" <> 0 OR new."expired" <> 0 OR new."carried" <> 0
        OR new."refunded" <> 0)
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'what a pot holds is changed by entries only');
END;

-- What was carried over or refunded into an allotment may have to go back when a record changes: so it cannot be given away.
CREATE TRIGGER bank_transfer_leaves_what_was_carried BEFORE INSERT ON bank_entry
WHEN new.kind IN ('transfer', 'adjustment') AND (SELECT p."limited" = 1
        AND p."in" - p."out" + p."charged" + p."expired" + p."carried" - p."refunded" < new.amount
        FROM bank_pot p WHERE p.id = new."from")
    AND NOT EXISTS (SELECT 1 FROM restoring)
BEGIN
    SELECT raise(ABORT, 'the allotment was granted less than that: what was carried over or refunded into it stays');
END;
