-- SPDX-License-Identifier: MIT
--
-- What was carried into an allotment may have to go back when a record comes late: so it cannot be given away.
CREATE TRIGGER bank_transfer_leaves_what_was_carried BEFORE INSERT ON bank_entry
WHEN new.kind IN ('transfer', 'adjustment') AND (SELECT p."limited" = 1
        AND p."in" - p."out" + p."charged" + p."expired" + p."carried" < new.amount FROM bank_pot p WHERE p.id = new."from")
BEGIN
    SELECT raise(ABORT, 'the allotment was granted less than that: what was carried over into it stays');
END;
