-- SPDX-License-Identifier: MIT
--
-- Drift as it was last seen: src/enforce/drift.c.

-- name: enforce_drift_clear
DELETE FROM enforce_drift WHERE cluster = ?

-- name: enforce_drift_put
INSERT INTO enforce_drift (cluster, account, drift, "at") VALUES (?, ?, ?, ?)
ON CONFLICT (cluster, account) DO UPDATE SET drift = excluded.drift WHERE abs(excluded.drift) > abs(drift)

-- name: enforce_drifts
SELECT cluster, account, drift, "at" FROM enforce_drift ORDER BY cluster, account
