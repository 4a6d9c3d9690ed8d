-- SPDX-License-Identifier: MIT
--
-- What moves between two allotments of one account gives nothing away: what running jobs hold stays in the account.

DROP TRIGGER bank_transfer_leaves_what_is_held;
CREATE TRIGGER bank_transfer_leaves_what_is_held BEFORE INSERT ON bank_entry
WHEN new.kind = 'transfer' AND (SELECT "limited" FROM bank_pot WHERE id = new."from") = 1
    AND (SELECT "account" FROM bank_pot WHERE id = new."from") IS NOT (SELECT "account" FROM bank_pot WHERE id = new."to")
    AND (SELECT sum(p."in" - p."out") - max(a."held")
         FROM bank_pot p JOIN bank_account a ON a.id = p."account"
         WHERE a.id = (SELECT "account" FROM bank_pot WHERE id = new."from")
             AND (p."limited" = 1 OR p."kind" = 'over')) < new.amount
BEGIN
    SELECT raise(ABORT, 'the account has less than that free: running jobs hold a part, or it is overdrawn');
END;
