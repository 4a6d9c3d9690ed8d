-- SPDX-License-Identifier: MIT
--
-- Requests for allotments: src/bank/requests.c.

-- name: bank_request_add
INSERT INTO bank_request (account, amount, "from", "to", renews, "at", who, why) VALUES (?, ?, ?, ?, nullif(?, 0), ?, ?, ?)

-- name: bank_requests
SELECT r.id, r.account, r.amount, r."from", r."to", coalesce(r.renews, 0), r."at", r.who, r.why,
    d.what, coalesce(d.amount, 0), coalesce(d.entry, 0), d."at", d.who, d.why
FROM bank_request r LEFT JOIN bank_decision d ON d.request = r.id
WHERE ?1 = 0 OR r.id = ?1
ORDER BY r.id

-- name: bank_decision_add
INSERT INTO bank_decision (request, what, amount, entry, "at", who, why) VALUES (?, ?, nullif(?, 0), nullif(?, 0), ?, ?, ?)

-- name: bank_request_entry
SELECT id FROM bank_entry WHERE key = ?
