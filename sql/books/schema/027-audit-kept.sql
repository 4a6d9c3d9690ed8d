-- SPDX-License-Identifier: MIT
--
-- The audit log keeps its newest 200000 lines: anyone can be refused as often as they like, so it must not grow without bound. What
-- is newer is never removed.
DROP TRIGGER audit_is_not_removed;

CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
WHEN old.id > (SELECT max(id) FROM audit) - 200000
BEGIN
    SELECT raise(ABORT, 'the audit log is never edited');
END;
