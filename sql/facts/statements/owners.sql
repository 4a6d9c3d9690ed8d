-- SPDX-License-Identifier: MIT
--
-- Who is behind a login, as schedulers say. `new_owners` is a temporary table of what has been reported.

-- The row that was reported later wins; of two reported at the same time the larger, so that their order does not matter.
-- name: owners_update
UPDATE owners
SET name = t.name, email = t.email, told = t.told
FROM new_owners t
WHERE owners.cluster = t.cluster AND owners.login = t.login
  AND (t.told, coalesce(t.name, ''), coalesce(t.email, ''))
      > (owners.told, coalesce(owners.name, ''), coalesce(owners.email, ''))

-- name: owners_insert
INSERT INTO owners
SELECT * FROM new_owners t
WHERE NOT EXISTS (SELECT 1 FROM owners o WHERE o.cluster = t.cluster AND o.login = t.login)

-- name: owners_list
SELECT cluster, login, name, email FROM owners ORDER BY login, cluster
