-- SPDX-License-Identifier: MIT
--
-- What was reported to whom before that was kept in the books, see src/facts/old_messages.h.

-- name: reported_of_facts
SELECT rule, "user", what, "at" FROM reported
