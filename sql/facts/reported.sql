-- SPDX-License-Identifier: MIT
--
-- What was reported to whom, see src/facts/reported.h.

-- name: reported_all
SELECT rule, "user", what FROM reported

-- name: reported_put
INSERT INTO reported ("at", rule, "user", what) VALUES (?, ?, ?, ?)
