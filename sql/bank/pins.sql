-- SPDX-License-Identifier: MIT
--
-- Which rates charges were made by, and the rounds of charging: src/bank/pins.c and charge.c.

-- name: bank_pins
SELECT id, rate, coalesce(epoch, -1) FROM bank_pin ORDER BY id

-- The epoch of the present rates, and whether a charge was made by others.
-- name: bank_pin_epochs
WITH now AS (SELECT coalesce(max(id), 0) AS epoch FROM history WHERE kind = 'rate')
SELECT epoch, EXISTS (SELECT 1 FROM bank_pin p WHERE p.epoch <> now.epoch)
    OR EXISTS (SELECT 1 FROM bank_pin p WHERE p.epoch IS NULL) AND EXISTS (SELECT 1 FROM bank_round r WHERE r.history < now.epoch)
FROM now

-- name: bank_pin_epoch_of_round
SELECT coalesce(max(h.id), 0) FROM history h
WHERE h.kind = 'rate' AND h.id <= (SELECT history FROM bank_round WHERE id = ?)

-- name: bank_pin_version
SELECT count(*) FROM history WHERE kind = 'rate' AND item = ? AND id <= ? AND after IS NOT NULL

-- name: bank_pin_add
INSERT INTO bank_pin (id, rate, epoch) VALUES (?, ?, ?)

-- name: bank_round_add
INSERT INTO bank_round (id, "at", who, why, history) VALUES (?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM history))

-- name: bank_rounds
SELECT id, "at", who, why FROM bank_round ORDER BY id
