-- SPDX-License-Identifier: MIT
--
-- About what somebody was written to (src/books/message_log.c), in the words of SQLite.

-- name: reported_is_there
SELECT 1 FROM reported WHERE rule = ? AND user = ? AND what = ?

-- name: reported_put
INSERT INTO reported (rule, user, what, "at") VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
