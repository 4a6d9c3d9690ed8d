-- SPDX-License-Identifier: MIT
--
-- What follows an allotment at its end: a share of what is left is carried over to the one that holds then, and a default
-- allotment may begin.

-- "then": what the default allotment that follows has; NULL: none follows. "after": the allotment that it follows.
ALTER TABLE bank_allotment ADD COLUMN "then" INTEGER CHECK ("then" IS NULL OR (typeof("then") = 'integer' AND "then" > 0));
ALTER TABLE bank_allotment ADD COLUMN "after" INTEGER REFERENCES bank_allotment (id);
CREATE UNIQUE INDEX bank_allotment_after ON bank_allotment ("after") WHERE "after" IS NOT NULL;

-- What was carried out of a pot, less what was carried into it.
ALTER TABLE bank_pot ADD COLUMN "carried" INTEGER NOT NULL DEFAULT 0 CHECK (typeof("carried") = 'integer');

DROP TRIGGER bank_entry_is_posted;
CREATE TRIGGER bank_entry_is_posted AFTER INSERT ON bank_entry
BEGIN
    UPDATE bank_pot SET "out" = "out" + new.amount, "charged" = "charged" + (new.kind = 'charge') * new.amount,
        "expired" = "expired" + (new.kind = 'expiry') * new.amount,
        "carried" = "carried" + (new.kind = 'carry-over') * new.amount WHERE id = new."from";
    UPDATE bank_pot SET "in" = "in" + new.amount, "charged" = "charged" - (new.kind = 'charge') * new.amount,
        "expired" = "expired" - (new.kind = 'expiry') * new.amount,
        "carried" = "carried" - (new.kind = 'carry-over') * new.amount WHERE id = new."to";
END;
CREATE INDEX bank_entry_carried ON bank_entry ("from", "to") WHERE "kind" = 'carry-over';
